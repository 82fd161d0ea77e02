/*
 * attention/attend_warps_back_cuda.cu - the gradients of attention on tensor cores: how, says
 * attend_warps_cuda.cu.
 */
#ifndef STOWAGE_ATTENTION_ATTEND_WARPS_BACK_CUDA_CU
#define STOWAGE_ATTENTION_ATTEND_WARPS_BACK_CUDA_CU

#include "attention/attend_warps_cuda.cu"

#if GPU_TENSORS

/* What of a score and of its product R of dy and a value becomes the gradient of the score, in R,
 * and the factor of dv, in P; the former times FACTOR. Of each row, or with TURNED of each column,
 * there are the numbers that LOGSUM and DELTA have. */
template <int N, bool TURNED> DEVICE void
attend_graded(float (*p)[4], float (*r)[4], struct attend a, uint32_t kept, const real *logsum, const real *delta,
    real factor)
{
	real gain = attend_gain(a);

#pragma unroll
	for (int n = 0; n < N / 8; n++)
#pragma unroll
		for (int e = 0; e < 4; e++) {
			int at = TURNED ? n * 8 + threadIdx.x % 4 * 2 + e % 2 : e / 2;
			real score = p[n][e], by = a.rate > 0 ? kept >> (n * 4 + e) & 1 ? gain : 0 : 1;
			bool is = !(score == -INFINITY);
			real value = is ? exp2f((score - logsum[at]) * LOG2_E) : 0;

			r[n][e] = is ? value * (r[n][e] * by - delta[at]) * factor : 0;
			p[n][e] = value * by;
		}
}

template <int WIDEST, int N> struct attend_back {	/* N rows of two tensors go by while the next arrive */
	/* of which there are two, with room for ATTEND_HIGH rows ahead of all */
	elem tile[4 * N < ATTEND_HIGH ? ATTEND_HIGH / (2 * N) : 2][2][N * WIDEST];
	real of[2][2][N];	/* logsum and delta of each query, where queries go by */
	real line[ATTEND_HIGH + N];
	/* a tile of keys, and the first head that has them: here, as sums need the registers */
	struct attend_where where;
};

/* Rows of two tensors, from FROM on. */
template <int N, int WIDEST> DEVICE void
attend_fetch_two(elem (*to)[N * WIDEST], const elem *a, int64_t a_row, const elem *b, int64_t b_row,
    int64_t from, int64_t all, int d)
{
	attend_fetch<N, WIDEST>(to[0], attend_rows(a, a_row, from, all, N), d);
	attend_fetch<N, WIDEST>(to[1], attend_rows(b, b_row, from, all, N), d);
}

/* What is known of this thread's two queries of N. */
DEVICE void
attend_known(real *logsum, real *delta, struct attend_tensors x, struct attend a, struct attend_where w, int n)
{
	int64_t row = (w.sample * a.heads + w.head) * a.t + w.i;
	int mine = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;

#pragma unroll
	for (int half = 0; half < 2; half++) {
		logsum[half] = mine + 8 * half < n ? x.logsum[row + mine + 8 * half] : 0;
		delta[half] = mine + 8 * half < n ? x.delta[row + mine + 8 * half] : 0;
	}
}

DEVICE struct attend_rows
attend_dy_rows(struct attend_tensors x, struct attend a, struct attend_where w)
{
	int64_t y_row = (int64_t)a.heads * a.d;

	return attend_rows(x.dy + w.sample * a.t * y_row + w.head * a.d, y_row, w.i, a.t, ATTEND_HIGH);
}

/* Keys of a tile: what a warp has of the scores of each is in registers twice. */
template <int WIDEST> DEVICE constexpr int
attend_back_keys()
{
	return (WIDEST > 64 || !NARROW ? 32 : 64) / (ATTEND_FEW ? 2 : 1);
}

template <int WIDEST, bool WARPGROUPS> DEVICE void
attend_dq_by_warps(elem *dq, struct attend_tensors x, const struct step *s, struct attend a)
{
	const int KEYS = attend_back_keys<WIDEST>();
	__shared__ __align__(1024) struct attend_back<WIDEST, KEYS> t;

	ROWS (r, a.b * a.heads * ((a.t + ATTEND_HIGH - 1) / ATTEND_HIGH)) {
		const struct attend_turn of = attend_turn(x, a, attend_rows_of(a, r), ATTEND_HIGH);
		struct attend_where w = of.w;
		int mine = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, stage = 0;
		real logsum[2], delta[2];
		uint32_t first[WIDEST / MMA_STEP][4], dy[WIDEST / MMA_STEP][4];
		float sum[WIDEST / 8][4], p[KEYS / 8][4], ds[KEYS / 8][4];

		attend_known(logsum, delta, x, a, w, of.q.n);
		attend_clear<WIDEST / 8>(sum);
		attend_take<WIDEST>(first, t.tile[0][0], of.q, a.d);
		attend_take<WIDEST>(dy, t.tile[0][0], attend_dy_rows(x, a, w), a.d);
		attend_fetch_two<KEYS, WIDEST>(t.tile[0], of.k, a.k_row, of.v, a.v_row, w.j, a.s, a.d);
		gpu_begun();
		for (; w.j < of.end; w.j += KEYS, stage ^= 1) {
			if (w.j + KEYS < of.end)
				attend_fetch_two<KEYS, WIDEST>(t.tile[stage ^ 1], of.k, a.k_row, of.v, a.v_row, w.j + KEYS, a.s, a.d);
			gpu_begun();
			attend_lay_line(t.line, a, w, ATTEND_HIGH, KEYS, x.bias);
			gpu_arrived<1, WARPGROUPS>();
			if (!attend_is_idle<false, WARPGROUPS>(a, w, KEYS)) {
				attend_times<KEYS, WIDEST, WARPGROUPS>(p, first, t.tile[stage][0], a.d);
				if (attend_is_plain(a, w, ATTEND_HIGH, KEYS, x.bias))
					attend_scaled<KEYS>(p, a);
				else
					attend_scored<KEYS, false>(p, a, w, x.bias, t.line + KEYS - 1);
				attend_times<KEYS, WIDEST, WARPGROUPS>(ds, dy, t.tile[stage][1], a.d);
				attend_graded<KEYS, false>(p, ds, a, a.rate > 0 ? attend_kept_of_rows<KEYS>(a, s,
				    attend_draws_of(a, s, w) + mine, w.j) : 0, logsum, delta, a.scale);
				attend_onto<KEYS, WIDEST, WARPGROUPS>(sum, ds, t.tile[stage][0], a.d);
			}
			__syncthreads();
		}
		attend_store<WIDEST>(dq + (w.sample * a.t + w.i) * a.q_row + w.head * a.d, a.q_row, of.q.n, a.d, sum, 1, 1);
	}
}

/* The queries that see some key of a tile of keys. */
struct attend_queries {
	int64_t first;
	int each;		/* tiles of a head */
};

DEVICE struct attend_queries
attend_queries(struct attend a, int64_t from, int side)
{
	int64_t end = from + ATTEND_HIGH < a.s ? from + ATTEND_HIGH : a.s;
	int64_t first = attend_first_query(a, from, side), last = attend_last_query(a, end);
	struct attend_queries q = { first, last > first ? (int)((last - first + side - 1) / side) : 0 };

	return q;
}

/* Tile U of them, of one head after the other from HEAD on. */
DEVICE void
attend_query_tile(struct attend_where *w, struct attend_queries q, int64_t head, int u, int side)
{
	w->head = head + u / q.each;
	w->i = q.first + u % q.each * side;
}

/* And what is known of each of its queries. */
template <int N, int WIDEST> DEVICE void
attend_fetch_queries(struct attend_back<WIDEST, N> *t, int stage, struct attend_tensors x, struct attend a,
    struct attend_where w)
{
	int64_t y_row = (int64_t)a.heads * a.d, row = (w.sample * a.heads + w.head) * a.t + w.i;

	attend_fetch_two<N, WIDEST>(t->tile[stage], x.q + w.sample * a.t * a.q_row + w.head * a.d, a.q_row,
	    x.dy + w.sample * a.t * y_row + w.head * a.d, y_row, w.i, a.t, a.d);
	ALONG (c, N) {
		t->of[stage][0][c] = w.i + c < a.t ? x.logsum[row + c] : 0;
		t->of[stage][1][c] = w.i + c < a.t ? x.delta[row + c] : 0;
	}
}

/* The rows of keys or values, or of their gradients, of a tile of keys. */
DEVICE struct attend_rows
attend_key_rows(const elem *x, int64_t row, const struct attend_where *w, struct attend a)
{
	return attend_rows(x + w->sample * a.s * row + w->head / (a.heads / a.kv_heads) * a.d, row, w->j, a.s, ATTEND_HIGH);
}

/* Tile U of the queries of a tile of keys is on its way. */
template <int N, int WIDEST> DEVICE void
attend_send_queries(struct attend_back<WIDEST, N> *t, int u, struct attend_queries q, struct attend_tensors x,
    struct attend a)
{
	struct attend_where w = t->where;

	if (u < q.each * (a.heads / a.kv_heads)) {
		attend_query_tile(&w, q, w.head, u, N);
		attend_fetch_queries<N, WIDEST>(t, u % 2, x, a, w);
	}
	gpu_begun();
}

/* Of a tile of keys, dk or dv or both: what registers have room for. */
template <int QUERIES, int WIDEST, bool WARPGROUPS, bool DK, bool DV> DEVICE void
attend_dkv_round(elem *dk, elem *dv, struct attend_back<WIDEST, QUERIES> *t, struct attend_tensors x,
    const struct step *s, struct attend a)
{
	struct attend_queries q = attend_queries(a, t->where.j, QUERIES);
	uint32_t first[WIDEST / MMA_STEP][4], v[WIDEST / MMA_STEP][4];
	float sum_k[WIDEST / 8][4], sum_v[WIDEST / 8][4], p[QUERIES / 8][4], ds[QUERIES / 8][4];

	if (DK)
		attend_clear<WIDEST / 8>(sum_k);
	if (DV)
		attend_clear<WIDEST / 8>(sum_v);
	attend_take<WIDEST>(first, t->tile[0][0], attend_key_rows(x.k, a.k_row, &t->where, a), a.d);
	if (DK)
		attend_take<WIDEST>(v, t->tile[0][0], attend_key_rows(x.v, a.v_row, &t->where, a), a.d);
	attend_send_queries<QUERIES, WIDEST>(t, 0, q, x, a);
	for (int u = 0; u < q.each * (a.heads / a.kv_heads); u++) {
		struct attend_where w = t->where;
		int stage = u % 2;

		attend_send_queries<QUERIES, WIDEST>(t, u + 1, q, x, a);
		attend_query_tile(&w, q, w.head, u, QUERIES);
		attend_lay_line(t->line, a, w, QUERIES, ATTEND_HIGH, x.bias);
		gpu_arrived<1, WARPGROUPS>();
		if (!attend_is_idle<true, WARPGROUPS>(a, w, QUERIES)) {
			attend_times<QUERIES, WIDEST, WARPGROUPS>(p, first, t->tile[stage][0], a.d);
			if (attend_is_plain(a, w, QUERIES, ATTEND_HIGH, x.bias))
				attend_scaled<QUERIES>(p, a);
			else
				attend_scored<QUERIES, true>(p, a, w, x.bias, t->line + ATTEND_HIGH - 1);
			if (DK)
				attend_times<QUERIES, WIDEST, WARPGROUPS>(ds, v, t->tile[stage][1], a.d);
			attend_graded<QUERIES, true>(p, DK ? ds : p, a, a.rate > 0 ? attend_kept_of_cols<QUERIES>(a, s,
			    attend_draws_of(a, s, w), w.j + threadIdx.x / 32 * 16) : 0, t->of[stage][0], t->of[stage][1], a.scale);
			if (DV)
				attend_onto<QUERIES, WIDEST, WARPGROUPS>(sum_v, p, t->tile[stage][1], a.d);
			if (DK)
				attend_onto<QUERIES, WIDEST, WARPGROUPS>(sum_k, ds, t->tile[stage][0], a.d);
		}
		__syncthreads();
	}
	if (DK && dk) {
		struct attend_rows to = attend_key_rows(dk, a.k_row, &t->where, a);

		attend_store<WIDEST>((elem *)to.at, to.row, to.n, a.d, sum_k, 1, 1);
	}
	if (DV && dv) {
		struct attend_rows to = attend_key_rows(dv, a.v_row, &t->where, a);

		attend_store<WIDEST>((elem *)to.at, to.row, to.n, a.d, sum_v, 1, 1);
	}
}

/* Both, or one of them; of wide heads one after the other. */
template <int WIDEST, bool WARPGROUPS, bool DK = true, bool DV = true> DEVICE void
attend_dkv_by_warps(elem *dk, elem *dv, struct attend_tensors x, const struct step *s, struct attend a)
{
	const int QUERIES = WIDEST > 64 && GPU_ARCH >= 120 ? 16 : 32;	/* of more it would spill some there */
	__shared__ __align__(1024) struct attend_back<WIDEST, QUERIES> t;
	int64_t tiles = (a.s + ATTEND_HIGH - 1) / ATTEND_HIGH;

	ROWS (r, a.b * a.kv_heads * tiles) {
		FIRST {
			t.where.sample = r / tiles / a.kv_heads;
			t.where.head = r / tiles % a.kv_heads * (a.heads / a.kv_heads);
			t.where.i = 0;
			t.where.j = r % tiles * ATTEND_HIGH;
		}
		__syncthreads();
		if constexpr (WIDEST <= 64) {
			attend_dkv_round<QUERIES, WIDEST, WARPGROUPS, DK, DV>(dk, dv, &t, x, s, a);
		} else {
			if constexpr (DV)
				if (dv)
					attend_dkv_round<QUERIES, WIDEST, WARPGROUPS, false, true>(dk, dv, &t, x, s, a);
			if constexpr (DK)
				if (dk)
					attend_dkv_round<QUERIES, WIDEST, WARPGROUPS, true, false>(dk, dv, &t, x, s, a);
		}
		__syncthreads();
	}
}

/* ---- of what is added to scores ---- */

/* The gradients of the scores of the tile at W, which lie as a product does: what dq's kernel makes
 * of a tile by itself. Its queries share shared memory with its keys, one after the other. */
template <int KEYS, int WIDEST> DEVICE void
attend_grads_by_warps(float (*ds)[4], struct attend_back<WIDEST, KEYS> *t, struct attend_tensors x, struct attend a,
    const struct step *s, struct attend_where w)
{
	const struct attend_turn of = attend_turn(x, a, w, ATTEND_HIGH);
	uint32_t first[WIDEST / MMA_STEP][4], dy[WIDEST / MMA_STEP][4];
	int mine = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
	real logsum[2], delta[2];
	float p[KEYS / 8][4];

	attend_known(logsum, delta, x, a, w, of.q.n);
	attend_take<WIDEST>(first, t->tile[0][0], of.q, a.d);
	attend_take<WIDEST>(dy, t->tile[0][0], attend_dy_rows(x, a, w), a.d);
	attend_fetch_two<KEYS, WIDEST>(t->tile[0], of.k, a.k_row, of.v, a.v_row, w.j, a.s, a.d);
	gpu_begun();
	attend_lay_line(t->line, a, w, ATTEND_HIGH, KEYS, x.bias);
	gpu_arrived<0, false>();
	attend_clear<KEYS / 8>(ds);
	if (!attend_is_idle<false, false>(a, w, KEYS)) {
		attend_times<KEYS, WIDEST, false>(p, first, t->tile[0][0], a.d);
		attend_scored<KEYS, false>(p, a, w, x.bias, t->line + KEYS - 1);
		attend_times<KEYS, WIDEST, false>(ds, dy, t->tile[0][1], a.d);
		attend_graded<KEYS, false>(p, ds, a, a.rate > 0 ? attend_kept_of_rows<KEYS>(a, s, attend_draws_of(a, s, w) +
		    mine, w.j) : 0, logsum, delta, 1);
	}
	__syncthreads();
}

/* As attend_bias_by_blocks(). */
template <int WIDEST> DEVICE void
attend_bias_by_warps(elem *dbias, struct attend_tensors x, const struct step *s, struct attend a)
{
	const int KEYS = attend_back_keys<WIDEST>();
	__shared__ __align__(1024) struct attend_back<WIDEST, KEYS> t;
	int64_t high = (a.t + ATTEND_HIGH - 1) / ATTEND_HIGH, wide = (a.s + KEYS - 1) / KEYS;
	int64_t samples = attend_sharing(a), heads = a.bias_head ? 1 : a.heads;
	int64_t own = a.heads / heads;		/* heads that have their own */

	ROWS (r, a.b / samples * own * high * wide) {
		int64_t head = r / wide / high % own, bias = r / wide / high / own;
		struct attend_where w = { 0, head, r / wide % high * ATTEND_HIGH, r % wide * KEYS };
		struct attend_rows to = attend_rows(dbias + bias * a.bias_b + head * a.bias_head + w.j, a.s, w.i, a.t, ATTEND_HIGH);
		float sum[KEYS / 8][4], ds[KEYS / 8][4];

		attend_clear<KEYS / 8>(sum);
		for (int64_t u = 0; u < samples * heads; u++) {
			w.head = head + u % heads;
			w.sample = attend_sharer(a, bias, u / heads);
			attend_grads_by_warps<KEYS, WIDEST>(ds, &t, x, a, s, w);
#pragma unroll
			for (int i = 0; i < KEYS / 2; i++)
				sum[i / 4][i % 4] += ds[i / 4][i % 4];
		}
		attend_store<KEYS>((elem *)to.at, a.s, to.n, a.s - w.j < KEYS ? (int)(a.s - w.j) : KEYS, sum, 1, 1);
	}
}

/* A tile of gradients of scores, for the sums of differences, in place of what they are made of. */
template <int WIDEST> struct attend_shared_grads {
	static const int HIGH = ATTEND_HIGH, SIDE = attend_back_keys<WIDEST>();
	union {
		struct attend_back<WIDEST, SIDE> back;
		real scores[HIGH][SIDE + 1];
	};

	DEVICE_METHOD void
	make(struct attend_tensors x, struct attend a, const struct step *s, struct attend_where w)
	{
		float ds[SIDE / 8][4];

		attend_grads_by_warps<SIDE, WIDEST>(ds, &back, x, a, s, w);
#pragma unroll
		for (int n = 0; n < SIDE / 8; n++)
#pragma unroll
			for (int e = 0; e < 4; e++)
				scores[threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + e / 2 * 8][n * 8 + threadIdx.x % 4 * 2 + e % 2] = ds[n][e];
		__syncthreads();
	}

	DEVICE_METHOD real
	at(int64_t i, int64_t j) const
	{
		return scores[i][j];
	}
};

#endif

#endif
