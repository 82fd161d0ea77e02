/*
 * What is too small to be drawn by itself: a grid of pixels, each of the kind of the largest thing
 * in it, then merged into as few paths as equal neighbours allow. However much is painted, the grid
 * bounds the length of the paths. Lives in the arena it was made in.
 */
#ifndef STOWAGE_SHOW_PIXELS_H
#define STOWAGE_SHOW_PIXELS_H

#include <stdint.h>

#include "base/arena.h"

struct box {			/* in tenths of a pixel, from the left top */
	int x, y, w, h;
};

struct pixels;

struct pixels	*pixels_new(struct arena *, int left, int top, int across, int down);
/* Paints every pixel that the box touches, unless something larger has it. 0 <= kind < 64 */
void		 pixels_paint(struct pixels *, struct box, int kind, int64_t bytes);
void		 pixels_join(struct pixels *);
/* After joining: the path of a kind, as SVG writes it; NULL when it has no pixel. */
const char	*pixels_path(const struct pixels *, int kind);

#endif
