/*
 * attention/attend_cuda.cu - attention on CUDA.
 *
 * A block of threads takes a tile of queries (forward and dq) or of keys (dk and dv) of one head,
 * keeps its sums in registers, and goes over the tiles of the other side. A tile of scores is made
 * as a product is, from slices of both factors in shared memory; then it lies there as well, for
 * what is done along its rows, and as a factor of the next product:
 *
 *      Q ->+                       V ->+
 *          +-> scores in registers -> p in shared memory -> y in registers
 *      K ->+
 *
 * 16 x 16 threads have R x R scores each, and of what they sum up, R rows and every 16th column. No
 * sums are shared among blocks: the scores are made again for dq and for dk and dv.
 */
#ifndef STOWAGE_ATTENTION_ATTEND_CUDA_CU
#define STOWAGE_ATTENTION_ATTEND_CUDA_CU

#include "attention/attend_warps_back_cuda.cu"

#define ATTEND_SLICE	16	/* terms of a product, and keys of y's sums, at a time */

/* For several blocks a multiprocessor the assembler would spill registers here. */
#define ATTEND_BOUNDS	__launch_bounds__(BLOCK, 1)

/* WIDEST numbers of a head at most; sums of many of them, or of doubles, leave less room. */
template <int WIDEST> struct attend_tile {
	static const int R = 4 / (WIDEST > 128 ? 2 : 1) / (sizeof(real) > 4 ? 2 : 1);
	static const int SIDE = 16 * R;
	static const int COLS = WIDEST / 16;	/* of a thread's sums */
	static const int ALONG = BLOCK / SIDE;	/* threads that go along a row together */

	real scores[SIDE][SIDE + 1];
	union {
		struct {
			real a[ATTEND_SLICE][SIDE + 4], b[ATTEND_SLICE][SIDE + 4];
		};
		real rows[ATTEND_SLICE][WIDEST];
	};
	real part[SIDE][ALONG];
	real top[SIDE], sum[SIDE], keep[SIDE];	/* forward; backward: logsum and delta */
	real line[2 * SIDE];	/* what a rule of i - j adds, the most negative difference first */
};

DEVICE int
attend_row()
{
	return threadIdx.x / 16;
}

DEVICE int
attend_col()
{
	return threadIdx.x % 16;
}

/* This thread's R x R products of rows of A with rows of B, every 16th of either: A B'. */
template <int WIDEST> DEVICE void
attend_product(real sum[attend_tile<WIDEST>::R][attend_tile<WIDEST>::R], struct attend_tile<WIDEST> *t,
    struct attend_rows a, struct attend_rows b, int d)
{
	typedef struct attend_tile<WIDEST> tile;

#pragma unroll
	for (int i = 0; i < tile::R; i++)
#pragma unroll
		for (int j = 0; j < tile::R; j++)
			sum[i][j] = 0;
	for (int from = 0; from < d; from += ATTEND_SLICE) {
		__syncthreads();
		for (int x = threadIdx.x; x < ATTEND_SLICE * tile::SIDE; x += BLOCK) {
			int k = x % ATTEND_SLICE, i = x / ATTEND_SLICE;

			t->a[k][i] = from + k < d && i < a.n ? VALUE(a.at[i * a.row + from + k]) : 0;
			t->b[k][i] = from + k < d && i < b.n ? VALUE(b.at[i * b.row + from + k]) : 0;
		}
		__syncthreads();
#pragma unroll
		for (int k = 0; k < ATTEND_SLICE; k++)
#pragma unroll
			for (int i = 0; i < tile::R; i++)
#pragma unroll
				for (int j = 0; j < tile::R; j++)
					sum[i][j] += t->a[k][attend_row() + 16 * i] *
					    t->b[k][attend_col() + 16 * j];
	}
}

/* Adds to this thread's sums, of every 16th row and every 16th column, P times N rows of numbers. P
 * is the tile of scores, or with TURNED its transpose. */
template <bool TURNED, int WIDEST> DEVICE void
attend_add(real sum[attend_tile<WIDEST>::R][attend_tile<WIDEST>::COLS], struct attend_tile<WIDEST> *t,
    struct attend_rows b, int d)
{
	typedef struct attend_tile<WIDEST> tile;

	for (int from = 0; from < b.n; from += ATTEND_SLICE) {
		int n = b.n - from < ATTEND_SLICE ? b.n - from : ATTEND_SLICE;

		__syncthreads();
		for (int x = threadIdx.x; x < ATTEND_SLICE * WIDEST; x += BLOCK) {
			int c = x % WIDEST, k = x / WIDEST;

			t->rows[k][c] = c < d && k < n ? VALUE(b.at[(from + k) * b.row + c]) : 0;
		}
		__syncthreads();
		for (int k = 0; k < n; k++)
#pragma unroll
			for (int i = 0; i < tile::R; i++) {
				int row = attend_row() + 16 * i;
				real p = TURNED ? t->scores[from + k][row] : t->scores[row][from + k];

#pragma unroll
				for (int c = 0; c < tile::COLS; c++)
					sum[i][c] += p * t->rows[k][attend_col() + 16 * c];
			}
	}
	__syncthreads();
}

/* This thread's scores of a tile, which are then in t->scores; -INFINITY where there are none. */
template <int WIDEST> DEVICE void
attend_scores(struct attend_tile<WIDEST> *t, struct attend a, struct attend_where w,
    struct attend_rows q, struct attend_rows k, const elem *bias)
{
	typedef struct attend_tile<WIDEST> tile;
	bool seam = attend_is_seam(a, w.sample);
	real s[tile::R][tile::R];

	if (attend_has_line(a) && threadIdx.x < 2 * tile::SIDE - 1)
		t->line[threadIdx.x] = attend_of_line(a, bias, w.head, w.i - w.j - tile::SIDE + 1 + threadIdx.x);
	attend_product<WIDEST>(s, t, q, k, a.d);
	if (bias)
		bias += attend_bias_at(a, w.sample, w.head);
#pragma unroll
	for (int x = 0; x < tile::R; x++) {
		int i = attend_row() + 16 * x;
		struct attend_spot of = attend_spot(a, seam, w.sample, w.i + i, a.t);

#pragma unroll
		for (int y = 0; y < tile::R; y++) {
			int j = attend_col() + 16 * y;

			t->scores[i][j] = attend_score(a, w.head, of, attend_spot(a, seam, w.sample, w.j + j, a.s), s[x][y], bias,
			    t->line + tile::SIDE - 1, (int)(w.i - w.j));
		}
	}
	__syncthreads();
}

/* What dropout multiplies a score by. */
DEVICE real
attend_gain_of(struct attend a, const struct step *s, struct attend_where w, int i, int j)
{
	int64_t row = attend_draws_of(a, s, w) + i, col = w.j + j;
	struct philox c = attend_draw(a, philox_key(s->seed, a.stream_id), s->draw, row, col);
	uint32_t v = col % 4 == 0 ? c.v[0] : col % 4 == 1 ? c.v[1] : col % 4 == 2 ? c.v[2] : c.v[3];

	return v < attend_dropped(a) ? 0 : attend_gain(a);
}

/* A number of each row, of what the threads that share it have in t->part. */
template <int WIDEST> DEVICE real
attend_along(const struct attend_tile<WIDEST> *t, int row, bool largest)
{
	real all = t->part[row][0];

	for (int k = 1; k < attend_tile<WIDEST>::ALONG; k++)
		all = !largest ? all + t->part[row][k] : t->part[row][k] > all ? t->part[row][k] : all;
	return all;
}

/* Scores become exponentials less the largest so far; t->keep is what that makes of the sums so
 * far. */
template <int WIDEST> DEVICE void
attend_online(struct attend_tile<WIDEST> *t, struct attend a, const struct step *s,
    struct attend_where w)
{
	typedef struct attend_tile<WIDEST> tile;
	int row = threadIdx.x / tile::ALONG, at = threadIdx.x % tile::ALONG;
	real top = -INFINITY, was = t->top[row], sum = 0, base;

	for (int j = at; j < tile::SIDE; j += tile::ALONG)
		top = t->scores[row][j] > top ? t->scores[row][j] : top;
	t->part[row][at] = top;
	__syncthreads();
	top = attend_along<WIDEST>(t, row, true);
	top = was > top ? was : top;
	base = top > -INFINITY ? top : 0;	/* it has seen none yet */
	__syncthreads();
	for (int j = at; j < tile::SIDE; j += tile::ALONG) {
		real x = t->scores[row][j], e = x == -INFINITY ? 0 : exp_of(x - base);

		sum += e;
		if (a.rate > 0 && e != 0)
			e *= attend_gain_of(a, s, w, row, j);
		t->scores[row][j] = e;
	}
	t->part[row][at] = sum;
	__syncthreads();
	if (at == 0) {
		t->keep[row] = was == -INFINITY ? 0 : exp_of(was - base);
		t->sum[row] = t->sum[row] * t->keep[row] + attend_along<WIDEST>(t, row, false);
		t->top[row] = top;
	}
	__syncthreads();
}

template <int WIDEST> DEVICE void
attend_by_blocks(elem *y, real *logsum, struct attend_tensors x, const struct step *s, struct attend a)
{
	typedef struct attend_tile<WIDEST> tile;
	__shared__ tile shared;
	tile *t = &shared;
	int64_t tiles = (a.t + tile::SIDE - 1) / tile::SIDE, y_row = (int64_t)a.heads * a.d;

	ROWS (r, a.b * a.heads * tiles) {
		struct attend_where w = { r / tiles / a.heads, r / tiles % a.heads,
			r % tiles * tile::SIDE, 0 };
		const struct attend_turn of = attend_turn(x, a, w, tile::SIDE);
		real sum[tile::R][tile::COLS];

#pragma unroll
		for (int i = 0; i < tile::R; i++)
#pragma unroll
			for (int c = 0; c < tile::COLS; c++)
				sum[i][c] = 0;
		if (threadIdx.x < tile::SIDE) {
			t->top[threadIdx.x] = -INFINITY;
			t->sum[threadIdx.x] = 0;
		}
		for (w.j = of.w.j; w.j < of.end; w.j += tile::SIDE) {
			attend_scores<WIDEST>(t, a, w, of.q, attend_rows(of.k, a.k_row, w.j, a.s, tile::SIDE), x.bias);
			attend_online<WIDEST>(t, a, s, w);
#pragma unroll
			for (int i = 0; i < tile::R; i++)
#pragma unroll
				for (int c = 0; c < tile::COLS; c++)
					sum[i][c] *= t->keep[attend_row() + 16 * i];
			attend_add<false, WIDEST>(sum, t, attend_rows(of.v, a.v_row, w.j, a.s, tile::SIDE), a.d);
		}
#pragma unroll
		for (int z = 0; z < tile::R; z++) {
			int i = attend_row() + 16 * z;
			elem *to = y + (w.sample * a.t + w.i + i) * y_row + w.head * a.d;

#pragma unroll
			for (int c = 0; c < tile::COLS; c++)
				if (i < of.q.n && attend_col() + 16 * c < a.d)
					to[attend_col() + 16 * c] = ELEM(sum[z][c] / t->sum[i]);
		}
		if (logsum && threadIdx.x < of.q.n)
			logsum[(w.sample * a.heads + w.head) * a.t + w.i + threadIdx.x] =
			    t->top[threadIdx.x] + R(log)(t->sum[threadIdx.x]);
		__syncthreads();
	}
}

template <int WIDEST> __global__ static void ATTEND_BOUNDS
attend_kernel(elem *y, real *logsum, struct attend_tensors x, const struct step *s, struct attend a)
{
#if ATTEND_WARPS
	if constexpr (WIDEST <= ATTEND_WARPS)
		attend_by_warps<WIDEST, false>(y, logsum, x, s, a);
	else
#endif
		attend_by_blocks<WIDEST>(y, logsum, x, s, a);
}

/* The kernel for heads so wide; ROWS of so many rows a tile. */
#define ATTEND_LAUNCH(name, heads, rows, a, args)	do {					\
	if ((a).d <= 64)									\
		LAUNCH_ROWS(name<64>, (a).b * (heads) * parts(rows, attend_tile<64>::SIDE), args);	\
	else if ((a).d <= 128)									\
		LAUNCH_ROWS(name<128>, (a).b * (heads) * parts(rows, attend_tile<128>::SIDE), args);	\
	else											\
		LAUNCH_ROWS(name<256>, (a).b * (heads) * parts(rows, attend_tile<256>::SIDE), args);	\
} while (0)

/* ---- backward ---- */

/* dy y of each query of each head */
KERNEL(attend_delta_kernel, (real *delta, const elem *dy, const elem *y, struct attend a))
{
	EACH (r, a.b * a.heads * a.t) {
		int64_t i = r % a.t, head = r / a.t % a.heads, sample = r / a.t / a.heads;
		int64_t at = ((sample * a.t + i) * a.heads + head) * a.d;
		bool packs = a.d % MAP_PACK == 0 && ((uintptr_t)(dy + at) | (uintptr_t)(y + at)) % sizeof(struct map_pack) == 0;
		real sum = 0;

		for (int c = 0; packs && c < a.d; c += MAP_PACK) {
			struct map_pack e = *(const struct map_pack *)(dy + at + c), f = *(const struct map_pack *)(y + at + c);

#pragma unroll
			for (int j = 0; j < MAP_PACK; j++)
				sum += VALUE(e.at[j]) * VALUE(f.at[j]);
		}
		for (int c = 0; !packs && c < a.d; c++)
			sum += VALUE(dy[at + c]) * VALUE(y[at + c]);
		delta[r] = sum;
	}
}

/* The tile's gradients of scores, times FACTOR, in S; its probabilities, as dropout left them, in
 * t->scores. */
template <int WIDEST> DEVICE void
attend_grads(real ds[attend_tile<WIDEST>::R][attend_tile<WIDEST>::R], struct attend_tile<WIDEST> *t,
    struct attend_tensors x, struct attend a, const struct step *s, struct attend_where w, real factor)
{
	typedef struct attend_tile<WIDEST> tile;
	int64_t y_row = (int64_t)a.heads * a.d, kv = w.head / (a.heads / a.kv_heads) * a.d;
	int64_t row = (w.sample * a.heads + w.head) * a.t + w.i;
	struct attend_rows q = attend_rows(x.q + w.sample * a.t * a.q_row + w.head * a.d, a.q_row, w.i, a.t,
	    tile::SIDE);
	struct attend_rows k = attend_rows(x.k + w.sample * a.s * a.k_row + kv, a.k_row, w.j, a.s,
	    tile::SIDE);

	attend_scores<WIDEST>(t, a, w, q, k, x.bias);
	attend_product<WIDEST>(ds, t, attend_rows(x.dy + w.sample * a.t * y_row + w.head * a.d, y_row, w.i,
	    a.t, tile::SIDE), attend_rows(x.v + w.sample * a.s * a.v_row + kv, a.v_row, w.j, a.s,
	    tile::SIDE), a.d);
#pragma unroll
	for (int y = 0; y < tile::R; y++)
#pragma unroll
		for (int z = 0; z < tile::R; z++) {
			int i = attend_row() + 16 * y, j = attend_col() + 16 * z;
			real score = t->scores[i][j], e = 0, gain = 1;

			if (score > -INFINITY || score != score) {
				e = exp_of(score - x.logsum[row + i]);
				if (a.rate > 0)
					gain = attend_gain_of(a, s, w, i, j);
				ds[y][z] = e * (ds[y][z] * gain - x.delta[row + i]) * factor;
			} else {
				ds[y][z] = 0;
			}
			t->scores[i][j] = e * gain;
		}
}

template <int WIDEST> DEVICE void
attend_share(struct attend_tile<WIDEST> *t,
    const real ds[attend_tile<WIDEST>::R][attend_tile<WIDEST>::R])
{
	__syncthreads();
	for (int y = 0; y < attend_tile<WIDEST>::R; y++)
		for (int z = 0; z < attend_tile<WIDEST>::R; z++)
			t->scores[attend_row() + 16 * y][attend_col() + 16 * z] = ds[y][z];
}

template <int WIDEST> DEVICE void
attend_put(elem *to, int64_t to_row, int n, int d,
    const real sum[attend_tile<WIDEST>::R][attend_tile<WIDEST>::COLS])
{
#pragma unroll
	for (int x = 0; x < attend_tile<WIDEST>::R; x++)
#pragma unroll
		for (int c = 0; c < attend_tile<WIDEST>::COLS; c++)
			if (attend_row() + 16 * x < n && attend_col() + 16 * c < d)
				to[(attend_row() + 16 * x) * to_row + attend_col() + 16 * c] =
				    ELEM(sum[x][c]);
}

template <int WIDEST> DEVICE void
attend_dq_by_blocks(elem *dq, struct attend_tensors x, const struct step *s, struct attend a)
{
	typedef struct attend_tile<WIDEST> tile;
	__shared__ tile shared;
	tile *t = &shared;
	int64_t tiles = (a.t + tile::SIDE - 1) / tile::SIDE;

	ROWS (r, a.b * a.heads * tiles) {
		struct attend_where w = { r / tiles / a.heads, r / tiles % a.heads,
			r % tiles * tile::SIDE, 0 };
		const struct attend_turn of = attend_turn(x, a, w, tile::SIDE);
		real sum[tile::R][tile::COLS], ds[tile::R][tile::R];

#pragma unroll
		for (int i = 0; i < tile::R; i++)
#pragma unroll
			for (int c = 0; c < tile::COLS; c++)
				sum[i][c] = 0;
		for (w.j = of.w.j; w.j < of.end; w.j += tile::SIDE) {
			attend_grads<WIDEST>(ds, t, x, a, s, w, a.scale);
			attend_share<WIDEST>(t, ds);
			attend_add<false, WIDEST>(sum, t, attend_rows(of.k, a.k_row, w.j, a.s, tile::SIDE), a.d);
		}
		attend_put<WIDEST>(dq + (w.sample * a.t + w.i) * a.q_row + w.head * a.d, a.q_row, of.q.n, a.d,
		    sum);
	}
}

template <int WIDEST> DEVICE void
attend_dkv_by_blocks(elem *dk, elem *dv, struct attend_tensors x, const struct step *s, struct attend a)
{
	typedef struct attend_tile<WIDEST> tile;
	__shared__ tile shared;
	tile *t = &shared;
	int64_t tiles = (a.s + tile::SIDE - 1) / tile::SIDE, y_row = (int64_t)a.heads * a.d;
	int64_t group = a.heads / a.kv_heads;

	ROWS (r, a.b * a.kv_heads * tiles) {
		int64_t kv = r / tiles % a.kv_heads, sample = r / tiles / a.kv_heads;
		struct attend_where w = { sample, kv * group, 0, r % tiles * tile::SIDE };
		int n = a.s - w.j < tile::SIDE ? (int)(a.s - w.j) : tile::SIDE;
		real sum_k[tile::R][tile::COLS], sum_v[tile::R][tile::COLS], ds[tile::R][tile::R];

#pragma unroll
		for (int i = 0; i < tile::R; i++)
#pragma unroll
			for (int c = 0; c < tile::COLS; c++)
				sum_k[i][c] = sum_v[i][c] = 0;
		for (; w.head < (kv + 1) * group; w.head++)
			for (w.i = attend_first_query(a, w.j, tile::SIDE); w.i < attend_last_query(a, w.j + n);
			    w.i += tile::SIDE) {
				attend_grads<WIDEST>(ds, t, x, a, s, w, a.scale);
				attend_add<true, WIDEST>(sum_v, t, attend_rows(x.dy + sample * a.t * y_row +
				    w.head * a.d, y_row, w.i, a.t, tile::SIDE), a.d);
				attend_share<WIDEST>(t, ds);
				attend_add<true, WIDEST>(sum_k, t, attend_rows(x.q + sample * a.t * a.q_row +
				    w.head * a.d, a.q_row, w.i, a.t, tile::SIDE), a.d);
			}
		if (dk)
			attend_put<WIDEST>(dk + (sample * a.s + w.j) * a.k_row + kv * a.d, a.k_row, n, a.d,
			    sum_k);
		if (dv)
			attend_put<WIDEST>(dv + (sample * a.s + w.j) * a.v_row + kv * a.d, a.v_row, n, a.d,
			    sum_v);
	}
}

template <int WIDEST> __global__ static void ATTEND_BOUNDS
attend_dq_kernel(elem *dq, struct attend_tensors x, const struct step *s, struct attend a)
{
#if ATTEND_WARPS
	if constexpr (WIDEST <= ATTEND_WARPS)
		attend_dq_by_warps<WIDEST, false>(dq, x, s, a);
	else
#endif
		attend_dq_by_blocks<WIDEST>(dq, x, s, a);
}

/* Of heads whose dk and dv are a kernel each it is never run (attend_is_apart()). */
template <int WIDEST> __global__ static void ATTEND_BOUNDS
attend_dkv_kernel(elem *dk, elem *dv, struct attend_tensors x, const struct step *s, struct attend a)
{
#if ATTEND_WARPS
	if constexpr (WIDEST <= (ATTEND_FEW ? ATTEND_ONE : ATTEND_WARPS))
		attend_dkv_by_warps<WIDEST, false>(dk, dv, x, s, a);
	else if constexpr (WIDEST > ATTEND_WARPS)
#endif
		attend_dkv_by_blocks<WIDEST>(dk, dv, x, s, a);
}

#if NARROW

/* dk, or with DV dv, by itself. */
template <bool DV> __global__ static void ATTEND_BOUNDS
attend_alone_kernel(elem *to, struct attend_tensors x, const struct step *s, struct attend a)
{
#if ATTEND_WARPS && ATTEND_FEW
	attend_dkv_by_warps<ATTEND_WARPS, false, !DV, DV>(to, to, x, s, a);
#endif
}

#endif

static struct attend_tensors
attend_deltas(real *delta, const elem *dy, const elem *q, const elem *k, const elem *v,
    const elem *bias, const elem *y, const real *logsum, struct attend a)
{
	struct attend_tensors x = { dy, q, k, v, bias, logsum, delta };

	LAUNCH(attend_delta_kernel, a.b * a.heads * a.t, (delta, dy, y, a));
	return x;
}

#endif
