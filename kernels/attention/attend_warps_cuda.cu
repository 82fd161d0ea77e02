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
 */
#ifndef STOWAGE_ATTENTION_ATTEND_WARPS_CUDA_CU
#define STOWAGE_ATTENTION_ATTEND_WARPS_CUDA_CU

#include "attention/attend_products_cuda.cu"

#if GPU_TENSORS

#define ATTEND_WARPS	ATTEND_WARPS_MOST
#define LOG2_E	REAL(1.44269504088896341)

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

			gpu_arrived<0, WARPGROUPS>();
			attend_fetch<KEYS, WIDEST>(values, attend_rows(of.v, a.v_row, w.j, a.s, KEYS), a.d);
			gpu_begun();
			attend_lay_line(line, a, w, ATTEND_HIGH, KEYS, x.bias);
			if (!idle)
				attend_times<KEYS, WIDEST, WARPGROUPS>(p, first, keys, a.d);
			gpu_arrived<0, WARPGROUPS>();
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
