/*
 * copy/resize.cu - interpolation along up to three axes, of [planes, d, h, w, inner]: channels
 * among the planes, or inside. Along each axis an output is a sum of 1, 2 or 4 neighbours in the
 * input.
 *
 * Where an output lies between inputs is a ratio of whole numbers, so which neighbours it has is
 * exact whatever its size. Backward gathers, from the outputs that an input is a neighbour of, in
 * their order.
 */
#ifndef STOWAGE_COPY_RESIZE_CU
#define STOWAGE_COPY_RESIZE_CU

#include "kernel.h"

struct resize_axis {
	int64_t in, out;
};

struct resize {
	struct resize_axis at[3];	/* depth, height, width */
	int64_t inner;
	int taps;		/* 1: nearest, 2: linear, 4: cubic */
	bool corners;		/* first and last elements lie on one another; else their centres count */
};

/* The neighbours of an output: the first, which may lie before the input's, and what each
 * counts. */
struct resize_taps {
	int64_t first;
	real weight[4];
};

DEVICE int64_t
resize_floor(int64_t a, int64_t by)
{
	return a >= 0 ? quotient(a, by) : -quotient(by - 1 - a, by);
}

DEVICE int64_t
resize_ceil(int64_t a, int64_t by)
{
	return resize_floor(a + by - 1, by);
}

/* Keys's cubic with a = -0.75, at a distance of less than 1 and of less than 2. */
DEVICE real
resize_near(real x)
{
	return (REAL(1.25) * x - REAL(2.25)) * x * x + 1;
}

DEVICE real
resize_far(real x)
{
	return ((REAL(-0.75) * x + REAL(3.75)) * x - 6) * x + 3;
}

DEVICE struct resize_taps
resize_taps(const struct resize *r, const struct resize_axis *a, int64_t o)
{
	int64_t at = r->corners ? o * (a->in - 1) : (2 * o + 1) * a->in - a->out;
	int64_t by = r->corners ? (a->out > 1 ? a->out - 1 : 1) : 2 * a->out;
	struct resize_taps t;
	real x;

	if (r->taps == 1) {
		t.first = quotient(o * a->in, a->out);
		t.weight[0] = 1;
		t.weight[1] = t.weight[2] = t.weight[3] = 0;
		return t;
	}
	if (at < 0 && r->taps == 2)
		at = 0;
	t.first = resize_floor(at, by);
	x = (real)(at - t.first * by) / (real)by;
	if (r->taps == 2) {
		t.weight[0] = 1 - x;
		t.weight[1] = x;
		t.weight[2] = t.weight[3] = 0;
		return t;
	}
	t.first -= 1;
	t.weight[0] = resize_far(x + 1);
	t.weight[1] = resize_near(x);
	t.weight[2] = resize_near(1 - x);
	t.weight[3] = resize_far(2 - x);
	return t;
}

DEVICE int64_t
resize_within(int64_t i, int64_t n)
{
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* How often input I is in an output's sum. */
DEVICE real
resize_share(const struct resize *r, const struct resize_axis *a, int64_t o, int64_t i)
{
	struct resize_taps t = resize_taps(r, a, o);
	real sum = 0;

	for (int k = 0; k < r->taps; k++)
		sum += resize_within(t.first + k, a->in) == i ? t.weight[k] : 0;
	return sum;
}

/* Outputs [from, to) have input I as a neighbour, and no others. */
DEVICE void
resize_reached(const struct resize *r, const struct resize_axis *a, int64_t i, int64_t *from, int64_t *to)
{
	int64_t half = r->taps / 2, low = i - half, high = i + half;

	if (a->out == 1) {
		*from = 0, *to = 1;
		return;
	}
	if (r->taps == 1) {
		*from = resize_ceil(i * a->out, a->in);
		*to = resize_ceil((i + 1) * a->out, a->in);
		return;
	}
	if (r->corners) {
		*from = i == 0 ? 0 : resize_ceil(low * (a->out - 1), a->in - 1);
		*to = i == a->in - 1 ? a->out : resize_ceil(high * (a->out - 1), a->in - 1);
	} else {
		*from = i == 0 ? 0 : resize_ceil((2 * low + 1) * a->out - a->in, 2 * a->in);
		*to = i == a->in - 1 ? a->out : resize_ceil((2 * high + 1) * a->out - a->in, 2 * a->in);
	}
	*from = *from < 0 ? 0 : *from;
	*to = *to > a->out ? a->out : *to;
}

KERNEL(resize_kernel, (elem *out, const elem *in, int64_t planes, struct resize r))
{
	int64_t d = r.at[0].in, h = r.at[1].in, w = r.at[2].in, od = r.at[0].out;

	EACH_PLACE (q, y, xc, planes * od, r.at[1].out, r.at[2].out * r.inner) {
		int64_t p = quotient(q, od), x = quotient(xc, r.inner);
		struct resize_taps tz = resize_taps(&r, &r.at[0], q - p * od);
		struct resize_taps ty = resize_taps(&r, &r.at[1], y), tx = resize_taps(&r, &r.at[2], x);
		int deep = d == 1 ? 1 : r.taps, high = h == 1 ? 1 : r.taps;
		real sum = 0;

		for (int i = 0; i < deep; i++)
			for (int j = 0; j < high; j++) {
				int64_t row = ((p * d + resize_within(tz.first + i, d)) * h +
				    resize_within(ty.first + j, h)) * w;
				real part = 0;

				for (int k = 0; k < r.taps; k++)
					part += tx.weight[k] * VALUE(in[(row + resize_within(tx.first + k, w)) *
					    r.inner + xc - x * r.inner]);
				sum += (deep == 1 ? 1 : tz.weight[i]) * (high == 1 ? 1 : ty.weight[j]) * part;
			}
		out[(q * r.at[1].out + y) * r.at[2].out * r.inner + xc] = ELEM(sum);
	}
}

KERNEL(resize_grad_kernel, (elem *dx, const elem *dy, struct onto onto, int64_t planes, struct resize r))
{
	int64_t d = r.at[0].in, h = r.at[1].in, od = r.at[0].out, oh = r.at[1].out, ow = r.at[2].out;
	real keep = onto_keep(onto);

	EACH_PLACE (q, y, xc, planes * d, h, r.at[2].in * r.inner) {
		int64_t p = quotient(q, d), z = q - p * d, x = quotient(xc, r.inner), z0, z1, y0, y1, x0, x1;
		real sum = 0;

		resize_reached(&r, &r.at[0], z, &z0, &z1);
		resize_reached(&r, &r.at[1], y, &y0, &y1);
		resize_reached(&r, &r.at[2], x, &x0, &x1);
		for (int64_t oz = z0; oz < z1; oz++)
			for (int64_t oy = y0; oy < y1; oy++) {
				real share = resize_share(&r, &r.at[0], oz, z) *
				    resize_share(&r, &r.at[1], oy, y), part = 0;

				for (int64_t ox = x0; ox < x1; ox++)
					part += resize_share(&r, &r.at[2], ox, x) *
					    VALUE(dy[(((p * od + oz) * oh + oy) * ow + ox) * r.inner + xc -
					    x * r.inner]);
				sum += share * part;
			}
		onto_store(&dx[(q * h + y) * r.at[2].in * r.inner + xc], sum, keep);
	}
}

static void
resize_forward(elem *out, const elem *in, int64_t b, int64_t planes, struct resize r)
{
	LAUNCH(resize_kernel, b * planes * r.at[0].out * r.at[1].out * r.at[2].out * r.inner,
	    (out, in, b * planes, r));
}

static void
resize_backward(elem *dx, const elem *dy, struct onto onto, int64_t b, int64_t planes, struct resize r)
{
	LAUNCH(resize_grad_kernel, b * planes * r.at[0].in * r.at[1].in * r.at[2].in * r.inner,
	    (dx, dy, onto, b * planes, r));
}

#endif
