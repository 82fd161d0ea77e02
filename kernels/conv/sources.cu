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

struct part {			/* of the input, a tensor: its channels, and what is seen of it */
	int first, channels;
	int h, w;		/* of its planes, which are seen from row TOP, column LEFT on */
	int top, left;
};

static inline struct sources
beside_as(struct sources s, const elem *x, int64_t b, struct part p, bool channels_last)
{
	struct piece *last = &s.s[s.n++];

	last->channels = p.channels;
	last->pixel = channels_last ? p.channels : 1;
	last->plane = channels_last ? 1 : (int64_t)p.h * p.w;
	last->row = p.w * last->pixel;
	last->image = (int64_t)p.channels * p.h * p.w;
	last->begin = x, last->end = x + b * last->image;
	last->at = x + p.top * last->row + p.left * last->pixel;
	return s;
}

/* The channels of S, then those of X, [b, channels, h, w], */
static inline struct sources
beside(struct sources s, const elem *x, int64_t b, struct part p)
{
	return beside_as(s, x, b, p, false);
}

/* or [b, h, w, channels]. */
static inline struct sources
beside_last(struct sources s, const elem *x, int64_t b, struct part p)
{
	return beside_as(s, x, b, p, true);
}

/* X alone, as S has it: of D planes to a channel. */
static inline struct sources
only_source(const elem *x, int64_t b, int c, int d, int h, int w, const struct conv *s)
{
	struct part p = { 0, c, h, w, 0, 0 };
	struct sources from = beside_as(no_sources(), x, b, p, s->last);

	if (s->d) {		/* planes of a volume follow one another */
		from.s->plane = (int64_t)d * h * w;
		from.s->image = c * from.s->plane;
		from.s->end = x + b * from.s->image;
	}
	return from;
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
