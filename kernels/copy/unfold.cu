/*
 * copy/unfold.cu - windows of planes [h, w] as rows, one for each of a window's elements, in which
 * all windows follow one another; and its gradient, in which each place looks for the windows that
 * it lies in.
 */
#ifndef STOWAGE_COPY_UNFOLD_CU
#define STOWAGE_COPY_UNFOLD_CU

#include "kernel.h"

struct unfold_axis {
	int64_t size, windows, kernel, stride, dilation, before;
};

struct unfold {
	struct unfold_axis y, x;
};

KERNEL(unfold_kernel, (elem *out, const elem *in, int64_t planes, struct unfold g))
{
	EACH_PLACE (r, i, j, planes * g.y.kernel * g.x.kernel, g.y.windows, g.x.windows) {
		int64_t row = quotient(r, g.x.kernel), p = quotient(row, g.y.kernel);
		int64_t y = i * g.y.stride + (row - p * g.y.kernel) * g.y.dilation - g.y.before;
		int64_t x = j * g.x.stride + (r - row * g.x.kernel) * g.x.dilation - g.x.before;
		bool inside = y >= 0 && y < g.y.size && x >= 0 && x < g.x.size;

		out[(r * g.y.windows + i) * g.x.windows + j] = inside ? in[(p * g.y.size + y) * g.x.size + x] : ELEM(0);
	}
}

static void
unfold_forward(elem *out, const elem *in, int64_t planes, struct unfold g)
{
	LAUNCH(unfold_kernel, planes * g.y.kernel * g.x.kernel * g.y.windows * g.x.windows, (out, in, planes, g));
}

/* The window whose element U lies on place AT; -1: there is none. */
DEVICE int64_t
unfold_window(const struct unfold_axis *a, int64_t at, int64_t u)
{
	int64_t from = at + a->before - u * a->dilation, window = from < 0 ? -1 : quotient(from, a->stride);

	return from < 0 || window * a->stride != from || window >= a->windows ? -1 : window;
}

KERNEL(unfold_grad_kernel, (elem *dx, const elem *dy, struct onto o, int64_t planes, struct unfold g))
{
	real keep = onto_keep(o);

	EACH_PLACE (p, y, x, planes, g.y.size, g.x.size) {
		real sum = 0;

		for (int64_t u = 0; u < g.y.kernel; u++) {
			int64_t i = unfold_window(&g.y, y, u), row = (p * g.y.kernel + u) * g.x.kernel;

			for (int64_t v = 0; v < g.x.kernel && i >= 0; v++) {
				int64_t j = unfold_window(&g.x, x, v);

				sum += j < 0 ? 0 : VALUE(dy[((row + v) * g.y.windows + i) * g.x.windows + j]);
			}
		}
		onto_store(&dx[(p * g.y.size + y) * g.x.size + x], sum, keep);
	}
}

static void
unfold_backward(elem *dx, const elem *dy, struct onto o, int64_t planes, struct unfold g)
{
	LAUNCH(unfold_grad_kernel, planes * g.y.size * g.x.size, (dx, dy, o, planes, g));
}

#endif
