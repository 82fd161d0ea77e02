/*
 * norm/softmax.cu - softmax along one axis of [outer, k, inner].
 *
 * Where the axis is the last one (inner = 1) a row belongs to a thread in C and to a block on CUDA,
 * where a row that registers hold is read once (softmax_cuda.cu).
 * Otherwise rows lie side by side, and a strip of neighbours is taken at a time. The largest
 * element is subtracted before exp, as PyTorch does.
 */
#include "pointwise/exp.cu"
#include "kernel.h"

#ifdef __CUDACC__
#include "norm/softmax_cuda.cu"
#endif

KERNEL(softmax_rows_kernel, (elem *y, const elem *x, int64_t rows, int64_t k))
{
	ROWS (r, rows) {
		const elem *in = x + r * k;
		elem *out = y + r * k;
		real top = -INFINITY, scale;
		double sum = 0;

		ALONG_MAX (j, k, top)
			top = VALUE(in[j]) > top ? VALUE(in[j]) : top;
		top = ROW_MAX(top);
		ALONG_ADD (j, k, sum) {
			real e = exp_of(VALUE(in[j]) - top);

			if (!NARROW)
				out[j] = ELEM(e);
			sum += e;
		}
		sum = ROW_SUM(sum);
		scale = (real)(1 / sum);
		ALONG_EACH (j, k)	/* stored values were rounded; recomputed ones are rounded
					 * once */
			out[j] = ELEM((NARROW ? exp_of(VALUE(in[j]) - top) : VALUE(out[j])) * scale);
	}
}

KERNEL(softmax_strips_kernel, (elem *y, const elem *x, int64_t outer, int64_t k, int64_t inner))
{
	int64_t strips = (inner + STRIP - 1) / STRIP;

	ROWS (r, outer * strips) {
		int64_t i = r % strips * STRIP, at = r / strips * k * inner + i;
		int64_t width = inner - i < STRIP ? inner - i : STRIP;
		real top[STRIP_LANES], sum[STRIP_LANES] = { 0 };

		ALONG_EACH (j, width)
			top[LANE(j)] = VALUE(x[at + j]);
		for (int64_t c = 1; c < k; c++)
			ALONG_EACH (j, width) {
				real v = VALUE(x[at + c * inner + j]);

				top[LANE(j)] = v > top[LANE(j)] ? v : top[LANE(j)];
			}
		for (int64_t c = 0; c < k; c++)
			ALONG_EACH (j, width) {
				real e = exp_of(VALUE(x[at + c * inner + j]) - top[LANE(j)]);

				if (!NARROW)
					y[at + c * inner + j] = ELEM(e);
				sum[LANE(j)] += e;
			}
		for (int64_t c = 0; c < k; c++)
			ALONG_EACH (j, width) {
				int64_t o = at + c * inner + j;
				real e = NARROW ? exp_of(VALUE(x[o]) - top[LANE(j)]) : VALUE(y[o]);

				y[o] = ELEM(e / sum[LANE(j)]);
			}
	}
}

static void
softmax_forward(elem *y, const elem *x, int64_t outer, int64_t k, int64_t inner)
{
#ifdef __CUDACC__
	if (inner == 1 && softmax_short(y, x, outer, k))
		return;
#endif
	if (inner == 1)
		LAUNCH_ROWS(softmax_rows_kernel, outer, (y, x, outer, k));
	else
		LAUNCH_ROWS(softmax_strips_kernel, outer * ((inner + STRIP - 1) / STRIP),
		    (y, x, outer, k, inner));
}

KERNEL(softmax_rows_grad_kernel, (elem *dx, const elem *dy, const elem *y, int64_t rows, int64_t k))
{
	ROWS (r, rows) {
		int64_t at = r * k;
		double sum = 0;
		real dot;

		ALONG_ADD (j, k, sum)
			sum += (double)VALUE(dy[at + j]) * (double)VALUE(y[at + j]);
		dot = (real)ROW_SUM(sum);
		ALONG_EACH (j, k)
			dx[at + j] = ELEM((VALUE(dy[at + j]) - dot) * VALUE(y[at + j]));
	}
}

KERNEL(softmax_strips_grad_kernel, (elem *dx, const elem *dy, const elem *y, int64_t outer,
    int64_t k, int64_t inner))
{
	int64_t strips = (inner + STRIP - 1) / STRIP;

	ROWS (r, outer * strips) {
		int64_t i = r % strips * STRIP, at = r / strips * k * inner + i;
		int64_t width = inner - i < STRIP ? inner - i : STRIP;
		real dot[STRIP_LANES] = { 0 };

		for (int64_t c = 0; c < k; c++)
			ALONG_EACH (j, width)
				dot[LANE(j)] += VALUE(dy[at + c * inner + j]) *
				    VALUE(y[at + c * inner + j]);
		for (int64_t c = 0; c < k; c++)
			ALONG_EACH (j, width) {
				int64_t o = at + c * inner + j;

				dx[o] = ELEM((VALUE(dy[o]) - dot[LANE(j)]) * VALUE(y[o]));
			}
	}
}

static void
softmax_backward(elem *dx, const elem *dy, const elem *y, int64_t outer, int64_t k, int64_t inner)
{
#ifdef __CUDACC__
	if (inner == 1 && softmax_short_grad(dx, dy, y, outer, k))
		return;
#endif
	if (inner == 1)
		LAUNCH_ROWS(softmax_rows_grad_kernel, outer, (dx, dy, y, outer, k));
	else
		LAUNCH_ROWS(softmax_strips_grad_kernel, outer * ((inner + STRIP - 1) / STRIP),
		    (dx, dy, y, outer, k, inner));
}
