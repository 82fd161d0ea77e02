/*
 * attention/attend_warps_cuda.cu - attention on tensor cores: elements of 16 bits, heads of up to
 * 128 numbers; and tf32, of up to 64.
 *
 * A warp has 16 rows of a tile: queries (forward and dq), or keys (dk and dv). The rows of the
 * other side go by in shared memory, for all warps of the block. What a warp has of the scores is
 * in registers, and stays there: as it comes out of one product it is a factor of the next
 * (mma_cuda.cu), so that neither scores nor probabilities are ever in memory:
 *
 *     forward   S = Q K'              P = exp(scale S - largest so far)      y += P V
 *     dq        S = Q K', R = dy V'   dS = P (R - delta)                     dq += dS K
 *     dk, dv    S = K Q', R = V dy'   the same, keys along the rows          dv += P dy, dk += dS Q
 *
 * (FlashAttention-2: Dao, 2023; but that scores are made again for dq and for dk and dv, so that no
 * sums are shared among blocks, and each is made in one order.) Probabilities and their gradients
 * are rounded to elements before they are multiplied again, and sums are in f32.
 *
 * Row r of a tile in shared memory is WIDEST elements, in packs of 16 bytes, of which pack p is in
 * place p ^ r % 8: eight rows of a matrix of ldmatrix lie in different banks.
 *
 * So do the lines that wgmma wants (product/wgmma_cuda.cu), and what its warps have of a product is
 * what they have of mma.sync's. So where WARPGROUPS, on sm_90a, the same kernels make their
 * products by it, of heads of 64 numbers: four warps have 64 rows together, for which the other
 * side is read from shared memory once and not by each. Which of both is run is measured:
 * attend_start_cuda.cu.
 */
#ifndef STOWAGE_ATTENTION_ATTEND_WARPS_CUDA_CU
#define STOWAGE_ATTENTION_ATTEND_WARPS_CUDA_CU

#include "attention/attend_tile_cuda.cu"
#include "product/tile_cuda.cu"
#include "product/wgmma_cuda.cu"

#define ATTEND_HIGH	(BLOCK / 32 * 16)	/* rows of a tile, 16 of each warp */

#define ATTEND_WARPS_MOST	(NARROW ? 128 : 64)	/* heads of so many numbers are multiplied so */
/* The assembler needs more registers for the same from sm_100 to sm_110: there a warp has half as
 * many scores at a time, or would spill some; and dk and dv of wide heads, which warps make one
 * after the other, are a kernel each, and so a launch each, as the host knows too. */
#define ATTEND_ONE	64	/* numbers of a head of which one kernel makes both there */
#define ATTEND_FEW_ON(arch)	(GPU_TENSORS_ON(arch) && (arch) >= 100 && (arch) < 120)
#define ATTEND_FEW	ATTEND_FEW_ON(GPU_ARCH)

#if GPU_TENSORS

#define ATTEND_WARPS	ATTEND_WARPS_MOST
#define LOG2_E	REAL(1.44269504088896341)

/* Where an element lies in a tile in shared memory. */
template <int WIDEST> DEVICE unsigned
attend_place_of(unsigned row, unsigned col)
{
	return row * WIDEST + (col / MAP_PACK ^ row % 8) * MAP_PACK + col % MAP_PACK;
}

/* Of an element in a column of the first step of terms, the one that is K steps further on: as a
 * tile begins at a multiple of a row, these are bits of its address. Places would be kept in
 * registers, one for each K. */
DEVICE const elem *
attend_further(const elem *at, int k)
{
	return (const elem *)((uintptr_t)at ^ (uintptr_t)(k * 32));
}

/* Do its rows lie so that they can be copied by packs? */
DEVICE bool
attend_packs(struct attend_rows r, int d)
{
	return d % MAP_PACK == 0 && r.row % MAP_PACK == 0 && (uintptr_t)r.at % 16 == 0;
}

/* HIGH rows to shared memory, with zeros behind the last row, and behind its end as far as products
 * go. They have arrived after gpu_wait() and a barrier. */
template <int HIGH, int WIDEST> DEVICE void
attend_fetch(elem *to, struct attend_rows r, int d)
{
	bool packs = attend_packs(r, d);

	for (int x = threadIdx.x; x < HIGH * WIDEST / MAP_PACK; x += BLOCK) {
		int row = x / (WIDEST / MAP_PACK), col = x % (WIDEST / MAP_PACK) * MAP_PACK;
		elem *at = &to[attend_place_of<WIDEST>(row, col)];
		const elem *from = r.at + row * r.row + col;

		if (col >= (d + MMA_STEP - 1) / MMA_STEP * MMA_STEP)
			continue;
		if (packs)
			gpu_copy<MAP_PACK>(at, row < r.n && col < d ? from : NULL);
		for (int j = 0; !packs && j < MAP_PACK; j++)
			at[j] = row < r.n && col + j < d ? from[j] : ELEM(0);
	}
}

/* All copies but the last LATER have arrived, and all threads, or tensor cores, may read them. */
template <int LATER, bool WARPGROUPS> DEVICE void
attend_arrived()
{
	gpu_wait<LATER>();
#if GPU_GROUPS
	if (WARPGROUPS)
		wgmma_seen();
#endif
	__syncthreads();
}

/* Sixteen rows as a first factor: four registers for each step of columns. */
template <int WIDEST> DEVICE void
attend_factor(uint32_t (*to)[4], const elem *tile, int row, int d)
{
	int q = threadIdx.x % 32 / 8, r = threadIdx.x % 8;
	const elem *at = &tile[attend_place_of<WIDEST>(row + q % 2 * 8 + r, q / 2 * MAP_PACK)];

#pragma unroll
	for (int k = 0; k < WIDEST / MMA_STEP; k++)
		if (k * MMA_STEP < d) {
			mma_load(to[k], attend_further(at, k));
			gpu_round(to[k]);
		}
}

/* Those rows of one side, in turn by way of ROOM. */
template <int WIDEST> DEVICE void
attend_take(uint32_t (*to)[4], elem *room, struct attend_rows rows, int d)
{
	attend_fetch<ATTEND_HIGH, WIDEST>(room, rows, d);
	gpu_begun();
	gpu_wait<0>();
	__syncthreads();
	attend_factor<WIDEST>(to, room, threadIdx.x / 32 * 16, d);
	__syncthreads();
}

template <int N> DEVICE void
attend_clear(float (*sum)[4])
{
#pragma unroll
	for (int i = 0; i < 4 * N; i++)
		sum[i / 4][i % 4] = 0;
}

#if GPU_GROUPS

DEVICE void
attend_step(float (*sum)[4], const uint32_t *a, uint64_t b, int columns)
{
	if (columns == 32)
		wgmma_add_32(sum, a, b);
	else
		wgmma_add_64(sum, a, b);
}

/* S = A B', of 64 rows of A and N of B. */
template <int N> DEVICE void
attend_times_by_group(float (*s)[4], uint32_t (*a)[4], const elem *b)
{
	const int TERMS = WGMMA_LINE / 16;
	uint64_t lines = wgmma_lines(b);

	static_assert(N == 32 || N == 64, "wgmma of so many columns");
	attend_clear<N / 8>(s);
	wgmma_hold_all<N / 8, TERMS>(s, a);
	wgmma_begin();
#pragma unroll
	for (int k = 0; k < TERMS; k++)
		attend_step(s, a[k], wgmma_from_term(lines, k * 16), N);
	wgmma_end();
	wgmma_hold_all<N / 8, TERMS>(s, a);
}

/* SUM += A B, of N rows of B, which A has as terms. */
template <int N> DEVICE void
attend_onto_by_group(float (*sum)[4], uint32_t (*a)[4], const elem *b)
{
	uint64_t lines = wgmma_lines(b);

	wgmma_hold_all<WGMMA_LINE / 8, N / 16>(sum, a);
	wgmma_begin();
#pragma unroll
	for (int k = 0; k < N / 16; k++)
		wgmma_add_turned_64(sum, a[k], wgmma_from_line(lines, k * 16));
	wgmma_end();
	wgmma_hold_all<WGMMA_LINE / 8, N / 16>(sum, a);
}

#endif

/* S = A B', of N rows of B. */
template <int N, int WIDEST> DEVICE void
attend_times_by_warp(float (*s)[4], const uint32_t (*a)[4], const elem *b, int d)
{
	int q = threadIdx.x % 32 / 8, r = threadIdx.x % 8;
	const elem *at = &b[attend_place_of<WIDEST>(q / 2 * 8 + r, q % 2 * MAP_PACK)];

	attend_clear<N / 8>(s);
#pragma unroll
	for (int k = 0; k < WIDEST / MMA_STEP; k++)
		if (k * MMA_STEP < d)
#pragma unroll
			for (int n = 0; n < N / 16; n++) {
				uint32_t f[4];

				mma_load(f, attend_further(at, k) + n * 16 * WIDEST);
				gpu_round(f);
				mma_add(s[2 * n], a[k], f);
				mma_add(s[2 * n + 1], a[k], f + 2);
			}
}

struct alignas(2 * sizeof(elem)) attend_two {
	elem at[2];
};

DEVICE struct attend_two
attend_two(real low, real high)
{
	struct attend_two two = { { ELEM(low), ELEM(high) } };

	return two;
}

#if NARROW

/* What comes out of a product as a factor of the next: registers of 16 columns are those of 16
 * terms. */
template <int N> DEVICE void
attend_terms(uint32_t (*a)[4], const float (*p)[4])
{
#pragma unroll
	for (int k = 0; k < N / 16; k++)
#pragma unroll
		for (int i = 0; i < 4; i++) {
			struct attend_two two = attend_two(p[2 * k + i / 2][i % 2 * 2], p[2 * k + i / 2][i % 2 * 2 + 1]);

			memcpy(&a[k][i], &two, sizeof(two));
		}
}

/* SUM += A B, of N rows of B. */
template <int N, int WIDEST> DEVICE void
attend_onto_by_warp(float (*sum)[4], const uint32_t (*a)[4], const elem *b, int d)
{
	int q = threadIdx.x % 32 / 8, r = threadIdx.x % 8;
	const elem *at = &b[attend_place_of<WIDEST>(q % 2 * 8 + r, q / 2 * 8)];

#pragma unroll
	for (int k = 0; k < N / 16; k++)
#pragma unroll
		for (int c = 0; c < WIDEST / 16; c++)
			if (c * 16 < d) {
				uint32_t f[4];

				mma_load_turned(f, attend_further(at, c) + k * 16 * WIDEST);
				mma_add(sum[2 * c], a[k], f);
				mma_add(sum[2 * c + 1], a[k], f + 2);
			}
}

#else

/* Of eight columns a thread has 2 t and 2 t + 1, which as terms would be t and t + 4. The order of
 * terms is nothing to a sum, so they are taken for these, */
template <int N> DEVICE void
attend_terms(uint32_t (*a)[4], const float (*p)[4])
{
#pragma unroll
	for (int k = 0; k < N / 8; k++) {
#pragma unroll
		for (int i = 0; i < 4; i++)
			memcpy(&a[k][i], &p[k][i % 2 * 2 + i / 2], sizeof(a[k][i]));
		gpu_round(a[k]);
	}
}

/* and of B, rows 2 t and 2 t + 1 of eight: SUM += A B. Nothing turns what has 32 bits, so a lane
 * reads its column of a row by itself, each in a bank of its own. */
template <int N, int WIDEST> DEVICE void
attend_onto_by_warp(float (*sum)[4], const uint32_t (*a)[4], const elem *b, int d)
{
	int t = threadIdx.x % 4, g = threadIdx.x % 32 / 4;
	const elem *even = &b[attend_place_of<WIDEST>(2 * t, g)], *odd = &b[attend_place_of<WIDEST>(2 * t + 1, g)];

#pragma unroll
	for (int k = 0; k < N / 8; k += 2)
#pragma unroll
		for (int c = 0; c < WIDEST / 8; c++)
			if (c * 8 < d) {
				uint32_t f[4];

#pragma unroll
				for (int i = 0; i < 4; i++)
					memcpy(&f[i], attend_further(i % 2 ? odd : even, c) + (k + i / 2) * 8 * WIDEST, sizeof(f[i]));
				gpu_round(f);
				mma_add(sum[c], a[k], f);
				mma_add(sum[c], a[k + 1], f + 2);
			}
}

#endif

/* S = A B', of N rows of B. */
template <int N, int WIDEST, bool WARPGROUPS> DEVICE void
attend_times(float (*s)[4], uint32_t (*a)[4], const elem *b, int d)
{
#if GPU_GROUPS
	if constexpr (WARPGROUPS)
		attend_times_by_group<N>(s, a, b);
	else
#endif
		attend_times_by_warp<N, WIDEST>(s, a, b, d);
}

/* SUM += P B, of N rows of B. */
template <int N, int WIDEST, bool WARPGROUPS> DEVICE void
attend_onto(float (*sum)[4], const float (*p)[4], const elem *b, int d)
{
	uint32_t a[N / MMA_STEP][4];

	attend_terms<N>(a, p);
#if GPU_GROUPS
	if constexpr (WARPGROUPS)
		attend_onto_by_group<N>(sum, a, b);
	else
#endif
		attend_onto_by_warp<N, WIDEST>(sum, a, b, d);
}

/* The largest, or the sum, of what the four threads of a row have. */
DEVICE float
attend_largest(float x)
{
	for (int k = 1; k < 4; k *= 2) {
		float y = lane_real(x, k);

		x = y > x ? y : x;
	}
	return x;
}

DEVICE float
attend_sum(float x)
{
	x += lane_real(x, 1);
	return x + lane_real(x, 2);
}

/* ---- dropout ---- */

/* Of this thread's N / 8 x 4 scores of a tile, those that stay, a bit each. A draw is for four
 * neighbouring keys of a query, of which a thread has two, or one: so neighbours draw for one
 * another. */
template <int N> DEVICE uint32_t
attend_kept_of_rows(struct attend a, const struct step *s, int64_t query, int64_t key)
{
	uint64_t dropped = attend_dropped(a), by = philox_key(s->seed, a.stream_id);
	int t = threadIdx.x % 4;
	bool odd = t % 2;
	uint32_t kept = 0;

#pragma unroll
	for (int n = 0; n < N / 8; n += 2)
#pragma unroll
		for (int e = 0; e < 4; e += 2) {	/* the even thread draws for columns N, the odd one for the next */
			struct philox c = attend_draw(a, by, s->draw, query + e * 4, key + (n + odd) * 8 + t / 2 * 4);
			uint32_t x = lane_bits(odd ? c.v[0] : c.v[2], 1), y = lane_bits(odd ? c.v[1] : c.v[3], 1);

			kept |= (uint32_t)((odd ? x : c.v[0]) >= dropped) << (n * 4 + e);
			kept |= (uint32_t)((odd ? y : c.v[1]) >= dropped) << (n * 4 + e + 1);
			kept |= (uint32_t)((odd ? c.v[2] : x) >= dropped) << (n * 4 + e + 4);
			kept |= (uint32_t)((odd ? c.v[3] : y) >= dropped) << (n * 4 + e + 5);
		}
	return kept;
}

DEVICE uint32_t
attend_drawn(const struct philox *c, int k)
{
	return k == 0 ? c->v[0] : k == 1 ? c->v[1] : k == 2 ? c->v[2] : c->v[3];
}

/* The same where keys are along the rows: four rows of threads have the keys of a draw, and each
 * draws for one of the four scores of all. */
template <int N> DEVICE uint32_t
attend_kept_of_cols(struct attend a, const struct step *s, int64_t query, int64_t key)
{
	uint64_t dropped = attend_dropped(a), by = philox_key(s->seed, a.stream_id);
	int u = threadIdx.x % 16 / 4;
	uint32_t kept = 0;

	query += threadIdx.x % 4 * 2 + u % 2;
	key += threadIdx.x % 32 / 16 * 4 + u / 2 * 8;
#pragma unroll
	for (int n = 0; n < N / 8; n++) {
		struct philox c = attend_draw(a, by, s->draw, query + n * 8, key);

#pragma unroll
		for (int k = 0; k < 4; k++) {
			uint32_t x = attend_drawn(&c, u ^ k);

			x = k ? lane_bits(x, 4 * k) : x;
			kept |= (uint32_t)(x >= dropped) << (n * 4 + (u ^ k));
		}
	}
	return kept;
}

/* Of scores that are dropped nothing is left, and of others so much more. */
template <int N> DEVICE void
attend_drop(float (*p)[4], struct attend a, uint32_t kept)
{
	real gain = attend_gain(a);

#pragma unroll
	for (int i = 0; i < N / 2; i++)
		p[i / 4][i % 4] *= kept >> i & 1 ? gain : 0;
}

/* ---- scores ---- */

/* Does each of HIGH queries see each of N keys, and has no score anything added to it? Then nobody
 * need ask. */
DEVICE bool
attend_is_plain(struct attend a, struct attend_where w, int high, int n, const elem *bias)
{
	int64_t behind = w.i + high - 1 - w.j, ahead = w.j + n - 1 - w.i;

	return !bias && !attend_has_line(a) && !a.grid_w && w.i + high <= a.t && w.j + n <= a.s &&
	    !(a.causal && ahead > 0) && !(a.window && (behind >= a.window || ahead >= a.window)) &&
	    !attend_is_seam(a, w.sample);
}

/* What a rule of i - j adds in a tile, for the differences from 1 - N to HIGH - 1. */
DEVICE void
attend_lay_line(real *line, struct attend a, struct attend_where w, int high, int n, const elem *bias)
{
	if (attend_has_line(a))
		ALONG (c, high + n - 1)
			line[c] = attend_of_line(a, bias, w.head, w.i - w.j + 1 - n + c);
}

/* Products become scores. This thread's rows are eight apart, and its columns two, and eight
 * further on two again; rows are queries, or (TURNED) keys. LINE is of difference 0 in the tile. */
template <int N, bool TURNED> DEVICE void
attend_scored(float (*s)[4], struct attend a, struct attend_where w, const elem *bias, const real *line)
{
	int64_t row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, col = threadIdx.x % 4 * 2;
	bool seam = attend_is_seam(a, w.sample);
	struct attend_spot first, second;

	row += TURNED ? w.j : w.i, col += TURNED ? w.i : w.j;
	first = attend_spot(a, seam, w.sample, row, TURNED ? a.s : a.t);
	second = attend_spot(a, seam, w.sample, row + 8, TURNED ? a.s : a.t);
	if (bias)
		bias += attend_bias_at(a, w.sample, w.head);
#pragma unroll
	for (int n = 0; n < N / 8; n++)
#pragma unroll
		for (int e = 0; e < 4; e++) {
			struct attend_spot of = e < 2 ? first : second;
			struct attend_spot to = attend_spot(a, seam, w.sample, col + n * 8 + e % 2, TURNED ? a.t : a.s);

			s[n][e] = attend_score(a, w.head, TURNED ? to : of, TURNED ? of : to, s[n][e], bias, line, (int)(w.i - w.j));
		}
}

/* The same where there is nothing to ask (attend_is_plain()). */
template <int N> DEVICE void
attend_scaled(float (*s)[4], struct attend a)
{
#pragma unroll
	for (int i = 0; i < N / 2; i++)
		s[i / 4][i % 4] *= a.scale;
}

/* Does this warp have nothing to do in a tile of N columns, or do all four of a group have none? */
template <bool TURNED, bool WARPGROUPS> DEVICE bool
attend_is_idle(struct attend a, struct attend_where w, int n)
{
	const int rows = WARPGROUPS ? 64 : 16;
	int64_t first = (TURNED ? w.j : w.i) + threadIdx.x / (2 * rows) * rows;

	if (first >= (TURNED ? a.s : a.t))
		return true;
	return a.causal && (TURNED ? w.i + n - 1 < first : w.j > first + rows - 1);
}

/* ---- forward ---- */

struct attend_online {		/* of this thread's rows, the second eight below the first */
	float top[2], sum[2];	/* the largest score so far; its share of the sum */
};

/* Scores become exponentials less the largest so far, of which the sums so far are made, too. */
template <int N, int WIDEST> DEVICE void
attend_exponentials(float (*s)[4], struct attend_online *o, float (*y)[4])
{
#pragma unroll
	for (int half = 0; half < 2; half++) {
		float top = -INFINITY, was = o->top[half], sum = 0, base, keep;

#pragma unroll
		for (int n = 0; n < N / 8; n++)
#pragma unroll
			for (int e = 2 * half; e < 2 * half + 2; e++)
				top = s[n][e] > top ? s[n][e] : top;
		top = attend_largest(top);
		top = was > top ? was : top;
		base = top > -INFINITY ? top * LOG2_E : 0;	/* it has seen none yet */
		keep = was == -INFINITY ? 0 : exp2f(was * LOG2_E - base);
#pragma unroll
		for (int n = 0; n < N / 8; n++)
#pragma unroll
			for (int e = 2 * half; e < 2 * half + 2; e++)
				sum += s[n][e] = exp2f(s[n][e] * LOG2_E - base);
		o->sum[half] = o->sum[half] * keep + sum;
		o->top[half] = top;
#pragma unroll
		for (int c = 0; c < WIDEST / 8; c++) {
			y[c][2 * half] *= keep;
			y[c][2 * half + 1] *= keep;
		}
	}
}

/* Rows of sums to memory, ROW elements apart, each times its row's factor. */
template <int WIDEST> DEVICE void
attend_store(elem *to, int64_t row, int n, int d, const float (*sum)[4], float first, float second)
{
	int r = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, col = threadIdx.x % 4 * 2;

#pragma unroll
	for (int half = 0; half < 2; half++)
#pragma unroll
		for (int c = 0; c < WIDEST / 8; c++) {
			float by = half ? second : first, x = sum[c][2 * half] * by, y = sum[c][2 * half + 1] * by;
			int left = r + 8 * half < n ? d - c * 8 - col : 0;
			elem *at = to + (r + 8 * half) * row + c * 8 + col;
			struct attend_two two = attend_two(x, y);

			if (left > 1 && (uintptr_t)at % sizeof(two) == 0) {
				*(struct attend_two *)at = two;
				continue;
			}
			if (left > 0)
				at[0] = ELEM(x);
			if (left > 1)
				at[1] = ELEM(y);
		}
}

/* Tile R of all; where queries see what is before them, those that see most come first. */
DEVICE struct attend_where
attend_rows_of(struct attend a, int64_t r)
{
	int64_t tiles = (a.t + ATTEND_HIGH - 1) / ATTEND_HIGH, tile = r % tiles;
	struct attend_where w = { r / tiles / a.heads, r / tiles % a.heads,
		(a.causal ? tiles - 1 - tile : tile) * ATTEND_HIGH, 0 };

	return w;
}

template <int WIDEST, bool WARPGROUPS> DEVICE void
attend_by_warps(elem *y, real *logsum, struct attend_tensors x, const struct step *s, struct attend a)
{
	const int KEYS = (WIDEST > 64 || !NARROW) && ATTEND_FEW ? 32 : 64;
	__shared__ __align__(1024) elem tile[ATTEND_HIGH * WIDEST];	/* keys, values; queries ahead of both */
	__shared__ real line[ATTEND_HIGH + KEYS];
	elem *keys = tile, *values = tile + KEYS * WIDEST;
	int64_t y_row = (int64_t)a.heads * a.d;

	ROWS (r, a.b * a.heads * ((a.t + ATTEND_HIGH - 1) / ATTEND_HIGH)) {
		const struct attend_turn of = attend_turn(x, a, attend_rows_of(a, r), ATTEND_HIGH);
		struct attend_where w = of.w;
		struct attend_online o = { { -INFINITY, -INFINITY }, { 0, 0 } };
		uint32_t first[WIDEST / MMA_STEP][4];
		float sum[WIDEST / 8][4], p[KEYS / 8][4];

		attend_clear<WIDEST / 8>(sum);
		attend_take<WIDEST>(first, tile, of.q, a.d);
		attend_fetch<KEYS, WIDEST>(keys, attend_rows(of.k, a.k_row, w.j, a.s, KEYS), a.d);
		gpu_begun();
		for (; w.j < of.end; w.j += KEYS) {
			bool plain = attend_is_plain(a, w, ATTEND_HIGH, KEYS, x.bias), idle = attend_is_idle<false, WARPGROUPS>(a, w, KEYS);

			attend_arrived<0, WARPGROUPS>();
			attend_fetch<KEYS, WIDEST>(values, attend_rows(of.v, a.v_row, w.j, a.s, KEYS), a.d);
			gpu_begun();
			attend_lay_line(line, a, w, ATTEND_HIGH, KEYS, x.bias);
			if (!idle)
				attend_times<KEYS, WIDEST, WARPGROUPS>(p, first, keys, a.d);
			attend_arrived<0, WARPGROUPS>();
			if (w.j + KEYS < of.end)
				attend_fetch<KEYS, WIDEST>(keys, attend_rows(of.k, a.k_row, w.j + KEYS, a.s, KEYS), a.d);
			gpu_begun();
			if (idle)
				continue;
			if (plain)
				attend_scaled<KEYS>(p, a);
			else
				attend_scored<KEYS, false>(p, a, w, x.bias, line + KEYS - 1);
			attend_exponentials<KEYS, WIDEST>(p, &o, sum);
			if (a.rate > 0)
				attend_drop<KEYS>(p, a, attend_kept_of_rows<KEYS>(a, s, attend_draws_of(a, s, w) +
				    threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, w.j));
			attend_onto<KEYS, WIDEST, WARPGROUPS>(sum, p, values, a.d);
		}
		o.sum[0] = attend_sum(o.sum[0]), o.sum[1] = attend_sum(o.sum[1]);
		attend_store<WIDEST>(y + (w.sample * a.t + w.i) * y_row + w.head * a.d, y_row, of.q.n, a.d, sum,
		    1 / o.sum[0], 1 / o.sum[1]);
		for (int half = 0, i = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4; half < 2; half++, i += 8)
			if (logsum && threadIdx.x % 4 == 0 && i < of.q.n)
				logsum[(w.sample * a.heads + w.head) * a.t + w.i + i] = o.top[half] + R(log)(o.sum[half]);
		__syncthreads();
	}
}

#else
#define ATTEND_WARPS	0
#endif

#endif
