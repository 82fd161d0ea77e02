/*
 * attention/attend_bias_cuda.cu - gradients of what is added to the scores, on CUDA: of a bias, and
 * of a table of differences, whose sums alone are made here.
 */
#ifndef STOWAGE_ATTENTION_ATTEND_BIAS_CUDA_CU
#define STOWAGE_ATTENTION_ATTEND_BIAS_CUDA_CU

#include "attention/attend_cuda.cu"

/* A tile of the bias: the sum over all samples and heads that have the same. */
template <int WIDEST> __global__ static void __launch_bounds__(BLOCK, 1)
attend_bias_kernel(elem *dbias, struct attend_tensors x, const struct step *s, struct attend a)
{
	typedef struct attend_tile<WIDEST> tile;
	__shared__ tile shared;
	tile *t = &shared;
	int64_t high = (a.t + tile::SIDE - 1) / tile::SIDE, wide = (a.s + tile::SIDE - 1) / tile::SIDE;
	int64_t samples = attend_sharing(a), heads = a.bias_head ? 1 : a.heads;
	int64_t own = a.heads / heads;		/* heads that have their own */

	ROWS (r, a.b / samples * own * high * wide) {
		int64_t head = r / wide / high % own, bias = r / wide / high / own;
		struct attend_where w = { 0, head, r / wide % high * tile::SIDE, r % wide * tile::SIDE };
		elem *to = dbias + bias * a.bias_b + head * a.bias_head + w.i * a.s + w.j;
		real sum[tile::R][tile::R], ds[tile::R][tile::R];

#pragma unroll
		for (int i = 0; i < tile::R; i++)
#pragma unroll
			for (int j = 0; j < tile::R; j++)
				sum[i][j] = 0;
		for (int64_t u = 0; u < samples; u++)
			for (w.head = head; w.head < head + heads; w.head++) {
				w.sample = attend_sharer(a, bias, u);
				attend_grads<WIDEST>(ds, t, x, a, s, w, 1);
#pragma unroll
				for (int i = 0; i < tile::R; i++)
#pragma unroll
					for (int j = 0; j < tile::R; j++)
						sum[i][j] += ds[i][j];
			}
#pragma unroll
		for (int y = 0; y < tile::R; y++)
#pragma unroll
			for (int z = 0; z < tile::R; z++) {
				int i = attend_row() + 16 * y, j = attend_col() + 16 * z;

				if (w.i + i < a.t && w.j + j < a.s)
					to[i * a.s + j] = ELEM(sum[y][z]);
			}
	}
}

static void
attend_bias_backward(elem *dbias, void *work, const elem *dy, const elem *q, const elem *k,
    const elem *v, const elem *bias, const elem *y, const real *logsum, const struct step *s,
    struct attend a)
{
	struct attend_tensors x = attend_deltas((real *)work, dy, q, k, v, bias, y, logsum, a);

	/* at least as many blocks as there are tiles, of 16 rows or more: a.b times too many where
	 * samples share a bias */
	ATTEND_LAUNCH(attend_bias_kernel, (a.bias_head ? a.heads : 1) * parts(a.s, 16), a.t, a,
	    (dbias, x, s, a));
}

/* The column of a tile whose key differs from query I by C; negative: it has none. */
DEVICE int64_t
attend_column(struct attend a, struct attend_where w, int64_t i, int64_t c, int side)
{
	int64_t place = attend_place(a, i) + attend_shift(a) - c, wide = 2 * a.grid_w - 1, j = place;

	if (a.grid_w && place >= 0)
		j = place % wide < a.grid_w ? place / wide * a.grid_w + place % wide : -1;
	return j >= w.j && j < a.s && j < w.j + side ? j - w.j : -1;
}

/* A block sums a part of a head's queries of all samples. What a tile has of a difference, if
 * anything, is one number in each row. */
template <int WIDEST> __global__ static void __launch_bounds__(BLOCK, 1)
attend_relative_kernel(double *sums, struct attend_tensors x, const struct step *s, struct attend a,
    int64_t cut, int64_t all)
{
	typedef struct attend_tile<WIDEST> tile;
	__shared__ tile shared;
	tile *t = &shared;
	int64_t tiles = (a.t + tile::SIDE - 1) / tile::SIDE;

	ROWS (r, a.heads * cut) {
		int64_t to = PART_FROM(a.b * tiles, r % cut + 1, cut);
		struct attend_where w = { 0, r / cut, 0, 0 };
		real ds[tile::R][tile::R];
		double *of = sums + r * all;

		ALONG (c, all)
			of[c] = 0;
		for (int64_t p = PART_FROM(a.b * tiles, r % cut, cut); p < to; p++) {
			int64_t end;

			w.sample = p / tiles;
			w.i = p % tiles * tile::SIDE;
			end = w.i + tile::SIDE < a.t ? w.i + tile::SIDE : a.t;
			for (w.j = attend_first(a, w.i); w.j < attend_last(a, end); w.j += tile::SIDE) {
				int64_t last = w.j + tile::SIDE < a.s ? w.j + tile::SIDE : a.s;
				int64_t low = attend_place(a, w.i) - attend_place(a, last - 1) + attend_shift(a);
				int64_t n = attend_place(a, end - 1) - attend_place(a, w.j) + attend_shift(a) -
				    low + 1;

				attend_grads<WIDEST>(ds, t, x, a, s, w, 1);
				attend_share<WIDEST>(t, ds);
				__syncthreads();
				ALONG (c, n) {
					double sum = 0;

					for (int64_t i = w.i; i < end; i++) {
						int64_t j = attend_column(a, w, i, low + c, tile::SIDE);

						sum += j < 0 ? 0 : t->scores[i - w.i][j];
					}
					of[low + c] += sum;
				}
				__syncthreads();
			}
		}
	}
}

static void
attend_relative_sums(double *sums, void *work, const elem *dy, const elem *q, const elem *k,
    const elem *v, const elem *table, const elem *y, const real *logsum, const struct step *s,
    struct attend a)
{
	struct attend_tensors x = attend_deltas((real *)work, dy, q, k, v, table, y, logsum, a);
	int64_t all = attend_differences(a.t, a.s, a.grid_h, a.grid_w), cut = attend_parts(all);

	ATTEND_LAUNCH(attend_relative_kernel, a.heads * cut, a.t, a, (sums, x, s, a, cut, all));
}

#endif
