/*
 * norm/softmax_cuda.cu - softmax of rows on CUDA that registers hold (short_rows_cuda.cu): each
 * element is read once, and each exponential made once, however narrow what is stored is.
 */
#ifndef STOWAGE_NORM_SOFTMAX_CUDA_CU
#define STOWAGE_NORM_SOFTMAX_CUDA_CU

#include "norm/short_rows_cuda.cu"
#include "pointwise/exp.cu"

template <int DEPTH> static __global__ void __launch_bounds__(BLOCK, 2)
softmax_short_kernel(elem *y, const elem *x, int64_t rows, int64_t n, struct short_rows s)
{
	SHORT_ROWS (i, mine, rows, s) {
		struct short_row<DEPTH> v;
		real e[DEPTH][MAP_PACK], top = -INFINITY, sum = 0;

		v.load(x + i * n, s);
		SHORT_PACKS (k, p, s)
#pragma unroll
			for (int j = 0; j < MAP_PACK; j++)
				top = VALUE(v.at[k].at[j]) > top ? VALUE(v.at[k].at[j]) : top;
		top = lanes_max(top, s.lanes);
		SHORT_PACKS (k, p, s)
#pragma unroll
			for (int j = 0; j < MAP_PACK; j++)
				sum += e[k][j] = exp_of(VALUE(v.at[k].at[j]) - top);
		sum = 1 / lanes_sum(sum, s.lanes);
		if (!mine)
			continue;
		SHORT_PACKS (k, p, s) {
#pragma unroll
			for (int j = 0; j < MAP_PACK; j++)
				v.at[k].at[j] = ELEM(e[k][j] * sum);
			((struct map_pack *)(y + i * n))[p] = v.at[k];
		}
	}
}

/* Has it been done? Y may be X. */
static bool
softmax_short(elem *y, const elem *x, int64_t rows, int64_t n)
{
	struct short_rows s = short_rows_of((uintptr_t)y | (uintptr_t)x, n);

	if (s.lanes)
		LAUNCH_SHORT(softmax_short_kernel, s, rows, (y, x, rows, n, s));
	return s.lanes > 0;
}

template <int DEPTH> static __global__ void __launch_bounds__(BLOCK, 2)
softmax_short_grad_kernel(elem *dx, const elem *dy, const elem *y, int64_t rows, int64_t n, struct short_rows s)
{
	SHORT_ROWS (i, mine, rows, s) {
		struct short_row<DEPTH> g, v;
		real dot = 0;

		g.load(dy + i * n, s);
		v.load(y + i * n, s);
		SHORT_PACKS (k, p, s)
#pragma unroll
			for (int j = 0; j < MAP_PACK; j++)
				dot += VALUE(g.at[k].at[j]) * VALUE(v.at[k].at[j]);
		dot = lanes_sum(dot, s.lanes);
		if (!mine)
			continue;
		SHORT_PACKS (k, p, s) {
#pragma unroll
			for (int j = 0; j < MAP_PACK; j++)
				v.at[k].at[j] = ELEM((VALUE(g.at[k].at[j]) - dot) * VALUE(v.at[k].at[j]));
			((struct map_pack *)(dx + i * n))[p] = v.at[k];
		}
	}
}

/* Has it been done? DX may be DY or Y. */
static bool
softmax_short_grad(elem *dx, const elem *dy, const elem *y, int64_t rows, int64_t n)
{
	struct short_rows s = short_rows_of((uintptr_t)dx | (uintptr_t)dy | (uintptr_t)y, n);

	if (s.lanes)
		LAUNCH_SHORT(softmax_short_grad_kernel, s, rows, (dx, dy, y, rows, n, s));
	return s.lanes > 0;
}

#endif
