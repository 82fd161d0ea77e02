/*
 * conv/window.cu - which input element a convolution multiplies with which weight, for all three of
 * its products. Along each axis the source index is affine in the output position q and the tap t:
 *
 *     source = q * step + first + t * delta        weight = tap + t * tap_step
 *
 * Forward reads x that way. The gradient of the input of a convolution with stride s falls into s x
 * s phases: the positions y = r + s q of phase r meet only the taps with r + pad - t * dilation
 * divisible by s, and see dy with a step of 1. So each phase is a small convolution of its own, and
 * no zero is ever multiplied for the sake of a stride. With a stride along the depth too, there are
 * as many times more phases. An image is a volume of one plane under one tap.
 */
#ifndef STOWAGE_CONV_WINDOW_CU
#define STOWAGE_CONV_WINDOW_CU

#include "sizes.h"

struct axis {
	int step, first, delta, taps, tap, tap_step;
	int size;		/* of the source */
	int count;		/* of output positions q */
	int out, out_step;	/* position q is the output index out + q * out_step */
};

struct window {
	struct axis z, y, x;
	int channels;		/* of the source, in one group */
	/* steps in the source from channel to channel, column to column, row to row, plane to plane
	 * of a volume, image to image */
	int64_t plane, pixel, row, slice, image;
	int64_t channel_step;	/* in the weights, of a source channel */
	int64_t tap_col, tap_row, tap_slice;	/* in the weights, from tap to tap along x, y and z */
	int64_t out_pixel, out_row, out_slice, out_image;	/* in the output, as in the source */
};

/* Positions that are made of an image, and taps that each meets in a channel. */
#define window_positions(w)	((int64_t)(w)->z.count * (w)->y.count * (w)->x.count)
#define window_taps(w)		((w)->z.taps * (w)->y.taps * (w)->x.taps)

static inline struct axis
axis_forward(int size, int count, int kernel, int stride, int pad, int dilation)
{
	struct axis a;

	a.step = stride, a.first = -pad, a.delta = dilation;
	a.taps = kernel, a.tap = 0, a.tap_step = 1;
	a.size = size, a.count = count;
	a.out = 0, a.out_step = 1;
	return a;
}

/* Phase R of the way back: SIZE is the input's extent, COUNT the output's. */
static inline struct axis
axis_backward(int r, int size, int count, int kernel, int stride, int pad, int dilation)
{
	struct axis a;
	int t = 0, period = tap_period(stride, dilation);

	while (t < period && (r + pad - t * dilation) % stride)
		t++;
	a.step = 1;
	a.taps = t < period && t < kernel ? (kernel - 1 - t) / period + 1 : 0;
	a.tap = t, a.tap_step = period;
	a.first = a.taps ? (r + pad - t * dilation) / stride : 0;
	a.delta = -(period * dilation / stride);
	a.size = count;
	a.count = (size - r + stride - 1) / stride;
	a.out = r, a.out_step = stride;
	return a;
}

/* Steps in the source of C channels of D planes of H x W, and from tap to tap. */
static inline void
window_steps(struct window *w, const struct conv *s, int c, int d, int h, int wide)
{
	w->plane = s->last ? 1 : (int64_t)d * h * wide;
	w->pixel = s->last ? c : 1;
	w->row = wide * w->pixel;
	w->slice = h * w->row;
	w->image = (int64_t)c * d * h * wide;
	w->tap_col = conv_tap_step(s);
	w->tap_row = s->kw * w->tap_col;
	w->tap_slice = s->kh * w->tap_row;
}

/* Steps in the output of F channels of D planes of H x W. */
static inline void
window_out(struct window *w, const struct conv *s, int f, int d, int h, int wide)
{
	w->out_pixel = s->last ? f : 1;
	w->out_row = wide * w->out_pixel;
	w->out_slice = h * w->out_row;
	w->out_image = (int64_t)f * d * h * wide;
}

static inline struct window
window_forward(const struct conv *s)
{
	struct window w;

	w.z = s->d ? axis_forward(s->d, s->od, s->kd, s->sz, s->front, s->dz) :
	    axis_forward(1, 1, 1, 1, 0, 1);
	w.y = axis_forward(s->h, s->oh, s->kh, s->sy, s->top, s->dy);
	w.x = axis_forward(s->w, s->ow, s->kw, s->sx, s->left, s->dx);
	w.channels = s->c / s->groups;
	w.channel_step = conv_channel_step(s);
	window_steps(&w, s, s->c, conv_deep(s), s->h, s->w);
	window_out(&w, s, s->f, conv_depth(s), s->oh, s->ow);
	return w;
}

static inline struct window
window_backward(const struct conv *s, int rz, int ry, int rx)
{
	struct window w;

	w.z = s->d ? axis_backward(rz, s->d, s->od, s->kd, s->sz, s->front, s->dz) :
	    axis_forward(1, 1, 1, 1, 0, 1);
	w.y = axis_backward(ry, s->h, s->oh, s->kh, s->sy, s->top, s->dy);
	w.x = axis_backward(rx, s->w, s->ow, s->kw, s->sx, s->left, s->dx);
	w.channels = s->f / s->groups;
	w.channel_step = conv_planes(s) * s->kh * s->kw;
	window_steps(&w, s, s->f, conv_depth(s), s->oh, s->ow);
	window_out(&w, s, s->c, conv_deep(s), s->h, s->w);
	return w;
}

/* How many phases the gradient of the input has along each axis. */
struct phases {
	int64_t z, y, x;
};

static inline struct phases
phases_of(const struct conv *s)
{
	struct phases p;

	p.z = s->d ? least(s->sz, s->d) : 1;
	p.y = least(s->sy, s->h);
	p.x = least(s->sx, s->w);
	return p;
}

static inline bool
axis_is_plain(const struct axis *a)
{
	return a->taps == 1 && a->step == 1 && a->first == 0 && a->out_step == 1 && a->count == a->size;
}

/* One tap that meets each position just where it lies: then a plane is one long row, and a volume
 * too. */
static inline void
window_flatten(struct window *w)
{
	if (!axis_is_plain(&w->z) || !axis_is_plain(&w->y) || !axis_is_plain(&w->x) ||
	    w->out_row != w->x.count * w->out_pixel)
		return;
	w->x.size = w->x.count = w->x.size * w->y.size * w->z.size;
	w->y.size = w->y.count = w->z.size = w->z.count = 1;
	w->row = w->x.size * w->pixel;
	w->out_row = w->x.count * w->out_pixel;
}

#endif
