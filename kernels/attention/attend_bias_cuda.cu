/*
 * attention/attend_bias_cuda.cu - gradients of what is added to the scores, on CUDA: of a bias, and
 * of a table of differences, whose sums alone are made here.
 */
#ifndef STOWAGE_ATTENTION_ATTEND_BIAS_CUDA_CU
#define STOWAGE_ATTENTION_ATTEND_BIAS_CUDA_CU

#include "attention/attend_cuda.cu"

/* A tile of the bias: the sum over all samples and heads that have the same. */
template <int WIDEST> DEVICE void
attend_bias_by_blocks(elem *dbias, struct attend_tensors x, const struct step *s, struct attend a)
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

template <int WIDEST> __global__ static void ATTEND_BOUNDS
attend_bias_kernel(elem *dbias, struct attend_tensors x, const struct step *s, struct attend a)
{
#if ATTEND_WARPS
	if constexpr (WIDEST <= ATTEND_WARPS)
		attend_bias_by_warps<WIDEST>(dbias, x, s, a);
	else
#endif
		attend_bias_by_blocks<WIDEST>(dbias, x, s, a);
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
	int64_t j = attend_place(a, i) + attend_shift(a) - c;

	if (a.grid_w && j >= 0) {	/* of 32 bits: a GPU has no division of 64 */
		int place = (int)j, grid = (int)a.grid_w, row = place / (2 * grid - 1), col = place % (2 * grid - 1);

		j = col < grid ? row * grid + col : -1;
	}
	return j >= w.j && j < a.s && j < w.j + side ? j - w.j : -1;
}

/* The gradients of a tile's scores in shared memory, HIGH queries and SIDE keys. */
template <int WIDEST> struct attend_grads_by_blocks {
	static const int SIDE = attend_tile<WIDEST>::SIDE, HIGH = SIDE;
	struct attend_tile<WIDEST> t;

	DEVICE_METHOD void
	make(struct attend_tensors x, struct attend a, const struct step *s, struct attend_where w)
	{
		real ds[attend_tile<WIDEST>::R][attend_tile<WIDEST>::R];

		attend_grads<WIDEST>(ds, &t, x, a, s, w, 1);
		attend_share<WIDEST>(&t, ds);
		__syncthreads();
	}

	DEVICE_METHOD real
	at(int64_t i, int64_t j) const
	{
		return t.scores[i][j];
	}
};

/* To the sums OF differences what the tile at W has of each, if anything: one number in each
 * row. */
template <class Grads> DEVICE void
attend_add_differences(double *of, const Grads &grads, struct attend a, struct attend_where w, int64_t end)
{
	int64_t last = w.j + Grads::SIDE < a.s ? w.j + Grads::SIDE : a.s;
	int64_t low = attend_place(a, w.i) - attend_place(a, last - 1) + attend_shift(a);
	int64_t n = attend_place(a, end - 1) - attend_place(a, w.j) + attend_shift(a) - low + 1;

	ALONG (c, n) {
		int64_t first = a.grid_w ? w.i : w.j + low + c - attend_shift(a);	/* the first query that may have one */
		int64_t to = !a.grid_w && first + Grads::SIDE < end ? first + Grads::SIDE : end;
		double sum = 0;

		for (int64_t i = first > w.i ? first : w.i; i < to; i++) {
			int64_t j = attend_column(a, w, i, low + c, Grads::SIDE);

			sum += j < 0 ? 0 : grads.at(i - w.i, j);
		}
		of[low + c] += sum;
	}
	__syncthreads();
}

/* A block sums a part of a head's queries of all samples. */
template <class Grads> DEVICE void
attend_sum_differences(double *sums, struct attend_tensors x, const struct step *s, struct attend a, int64_t cut,
    int64_t all)
{
	__shared__ __align__(1024) Grads grads;
	int64_t tiles = (a.t + Grads::HIGH - 1) / Grads::HIGH;

	ROWS (r, a.heads * cut) {
		int64_t to = PART_FROM(a.b * tiles, r % cut + 1, cut);
		struct attend_where w = { 0, r / cut, 0, 0 };
		double *of = sums + r * all;

		ALONG (c, all)
			of[c] = 0;
		__syncthreads();
		for (int64_t p = PART_FROM(a.b * tiles, r % cut, cut); p < to; p++) {
			int64_t end;

			w.sample = p / tiles;
			w.i = p % tiles * Grads::HIGH;
			end = w.i + Grads::HIGH < a.t ? w.i + Grads::HIGH : a.t;
			for (w.j = attend_first(a, w.i); w.j < attend_last(a, end); w.j += Grads::SIDE) {
				grads.make(x, a, s, w);
				attend_add_differences(of, grads, a, w, end);
			}
		}
	}
}

template <int WIDEST> __global__ static void ATTEND_BOUNDS
attend_relative_kernel(double *sums, struct attend_tensors x, const struct step *s, struct attend a,
    int64_t cut, int64_t all)
{
#if ATTEND_WARPS
	if constexpr (WIDEST <= ATTEND_WARPS)
		attend_sum_differences<struct attend_shared_grads<WIDEST>>(sums, x, s, a, cut, all);
	else
#endif
		attend_sum_differences<struct attend_grads_by_blocks<WIDEST>>(sums, x, s, a, cut, all);
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
