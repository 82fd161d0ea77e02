/*
 * conv/sources.cu - an input whose channels lie in several tensors, of each a rectangle of its
 * planes:
 *
 *     channels [0, 64) of 88 x 88     planes of 92 x 92, from row 2, column 2 on
 *     channels [64, 96) of 88 x 88    planes of 88 x 88
 *
 * A convolution that reads it so needs no copy of what a concat would put together, nor of what a
 * crop would cut out. An input that is one tensor is the same with one source. Channels come first
 * in memory or last: of a piece it only has steps to say so.
 */
#ifndef STOWAGE_CONV_SOURCES_CU
#define STOWAGE_CONV_SOURCES_CU

#include "kernel.h"
#include "sizes.h"

struct piece {
	const elem *at;		/* the first element to be seen */
	const elem *begin, *end;	/* of the tensor: wide loads stay in between */
	int channels;
	int64_t plane, pixel, row, image;	/* steps from channel to channel, column to column, row to
						 * row, image to image */
};

struct sources {
	int n;
	struct piece s[CONV_SOURCES];
};

static inline struct sources
no_sources(void)
{
	struct sources s;

	memset(&s, 0, sizeof(s));
	return s;
}

/* The channels of S, then those of X, [b, c, h, w], seen from row TOP and column LEFT on. */
static inline struct sources
beside(struct sources s, const elem *x, int64_t b, int c, int h, int w, int top, int left)
{
	struct piece *last = &s.s[s.n++];

	last->channels = c, last->row = w, last->pixel = 1;
	last->plane = (int64_t)h * w;
	last->image = c * last->plane;
	last->begin = x, last->end = x + b * last->image;
	last->at = x + (int64_t)top * w + left;
	return s;
}

/* The same of an X that is [b, h, w, c]. */
static inline struct sources
beside_last(struct sources s, const elem *x, int64_t b, int c, int h, int w, int top, int left)
{
	struct piece *last = &s.s[s.n++];

	last->channels = c, last->pixel = c, last->plane = 1;
	last->row = (int64_t)w * c;
	last->image = h * last->row;
	last->begin = x, last->end = x + b * last->image;
	last->at = x + top * last->row + left * last->pixel;
	return s;
}

/* X alone, as S has it. */
static inline struct sources
only_source(const elem *x, int64_t b, int c, int h, int w, const struct conv *s)
{
	if (s->last)
		return beside_last(no_sources(), x, b, c, h, w, 0, 0);
	return beside(no_sources(), x, b, c, h, w, 0, 0);
}

/* The source of channel *C, which becomes its channel. */
DEVICE const struct piece *
piece_of(const struct sources *s, int *c)
{
	const struct piece *from = s->s;

	while (*c >= from->channels)
		*c -= (from++)->channels;
	return from;
}

/* The plane of channel C of the image. */
DEVICE const elem *
piece_plane(const struct sources *s, int64_t image, int c, int64_t *row)
{
	const struct piece *from = piece_of(s, &c);

	*row = from->row;
	return from->at + image * from->image + c * from->plane;
}

#endif
