/*
 * pool/axes.cu - windows along up to three axes, each of its own kind: what the kernels for images
 * with one stride do not do. Tensors are [planes, d, h, w, inner]: channels among the planes, or
 * inside.
 *
 * A thread takes one element and walks over its window, or back over the windows that cover it: no
 * atomics, and the order of every sum is fixed.
 */
#ifndef STOWAGE_POOL_AXES_CU
#define STOWAGE_POOL_AXES_CU

#include "pool/window.cu"

/* Of SIZE places OUT windows. Window o begins at o * stride - pad; with a stride of 0 it has the
 * places from o * size / out, rounded down, to (o + 1) * size / out, rounded up, which are at most
 * KERNEL. */
struct pool_axis {
	int64_t size, out, kernel, stride, pad;
	int64_t after;		/* padding at the end */
};

struct pool_axes {
	struct pool_axis at[3];	/* depth, height, width */
	int64_t inner;
	bool counts;		/* padding counts in means */
};

struct pool_reach {
	int64_t start;		/* of the window */
	int64_t from, to;	/* the places of it that there are */
	int64_t count;		/* what it has as a mean */
};

DEVICE struct pool_reach
pool_reach(const struct pool_axis *a, bool counts, int64_t o)
{
	struct pool_reach r;
	int64_t end;

	if (a->stride) {
		r.start = o * a->stride - a->pad;
		end = r.start + a->kernel;
	} else {
		r.start = quotient(o * a->size, a->out);
		end = quotient((o + 1) * a->size + a->out - 1, a->out);
	}
	r.from = r.start < 0 ? 0 : r.start;
	r.to = end > a->size ? a->size : end;
	r.count = counts ? (end > a->size + a->after ? a->size + a->after : end) - r.start :
	    r.to - r.from;
	return r;
}

/* The outputs [from, to) whose windows cover place I. */
DEVICE void
pool_reached(const struct pool_axis *a, int64_t i, int64_t *from, int64_t *to)
{
	if (a->stride) {
		pool_covering(i, a->kernel, a->stride, a->pad, a->out, from, to);
		return;
	}
	*from = quotient(i * a->out, a->size);
	*to = quotient((i + 1) * a->out + a->size - 1, a->size);
}

#endif
