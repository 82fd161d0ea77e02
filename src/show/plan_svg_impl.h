/*
 * What plan_svg.c and plan_svg_axes.c share: where the plot lies, and lengths in it, which are
 * whole tenths of a pixel.
 */
#ifndef STOWAGE_SHOW_PLAN_SVG_IMPL_H
#define STOWAGE_SHOW_PLAN_SVG_IMPL_H

#include "show/show.h"

#define WIDTH	1200
#define LEFT	84
#define RIGHT	1098	/* right of the plot is room for the brackets */
#define TOP	80
#define BOTTOM	620
#define ACROSS	(RIGHT - LEFT)
#define UP	(BOTTOM - TOP)
#define LEGEND	(BOTTOM + 74)

struct picture {
	FILE *f;
	const struct module *m;
	const struct plan *p;
	struct arena *a;
};

/* ---- plan_svg.c ---- */

/* S, or what follows one of its dots after an ellipsis, if that is at most ROOM pixels wide: two
 * parts at least, as "grad" alone says nothing; else NULL. */
const char	*svg_shortened(struct arena *a, const char *s, int font, int room);

/* ---- plan_svg_axes.c ---- */

int	svg_x(const struct picture *, int instant);
int	svg_y(const struct picture *, int64_t offset);
/* An attribute whose value is T tenths. */
void	svg_tenths(FILE *, const char *name, int t);

/* Addresses, on the left; and the persistent region and the transient one, on the right. */
void	svg_addresses(const struct picture *);
void	svg_brackets(const struct picture *);
/* Parts of the step, and instants, below. */
void	svg_regions(const struct picture *);
void	svg_instants(const struct picture *);
/* The instant that needs most, and the lower bound. */
void	svg_peak(const struct picture *);

#endif
