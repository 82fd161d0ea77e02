/*
 * attention/attend_c.cu - attention in C.
 *
 * Scores are made turned around, with a query a lane, so that all that softmax does to a row is
 * done to many rows at a time, and neither keys nor values are packed for the products:
 *
 *     scores' = K Q'     y' = V' p'     dp' = V dy'     dv = p' dy     dk = ds' Q     dq = ds K
 *
 * Queries and dy are turned once for all keys. A thread takes a block of queries forward; backward
 * it takes all of a head of keys, so that dk and dv are its own, summed in one order. Where that
 * would leave threads idle, it takes a block of keys for dk and dv, and then a block of queries for
 * dq: all scores are made twice, but by the same sums in the same order.
 */
#ifndef STOWAGE_ATTENTION_ATTEND_C_CU
#define STOWAGE_ATTENTION_ATTEND_C_CU

#include "product/tile_c.cu"

struct attend_factor {		/* of a product: element (i, k) is at[i * row + k * term] */
	const real *at;
	int64_t row, term;
};

/* A block of the scores of one head: queries [i, i + n), keys [j, j + m). */
struct attend_block {
	struct attend a;
	int64_t sample, head;
	int64_t i, j;
	int n, m;
	int lanes;		/* n, as whole tiles */
	uint64_t key, draw;	/* of dropout */
	int64_t drawn;		/* what it numbers this rank's first sample */
};

static inline struct attend_factor
attend_factor(const real *at, int64_t row, int64_t term)
{
	struct attend_factor f = { at, row, term };

	return f;
}

/* A tile onto C: alone, or added to what is there, of which each column is first multiplied by its
 * own number if KEEP is not NULL. */
static inline void
attend_store(real *c, int64_t c_row, const real *tile, int rows, bool add, const real *keep)
{
	for (int i = 0; i < rows; i++, c += c_row, tile += TILE_COLS)
		for (int v = 0; v < TILE_COLS; v += LANES) {
			vec sum = *(const vec *)(tile + v);

			if (add && keep)
				sum += *(vec_at *)(c + v) * *(const vec_at *)(keep + v);
			else if (add)
				sum += *(vec_at *)(c + v);
			*(vec_at *)(c + v) = sum;
		}
}

/* C = A B, or added as above. B's terms lie B_ROW apart, each COLS neighbours as whole tiles. */
static void
attend_product(real *c, int64_t c_row, struct attend_factor a, const real *b, int64_t b_row,
    int rows, int cols, int depth, bool add, const real *keep)
{
	real tile[TILE_ROWS * TILE_COLS] __attribute__((aligned(64)));
	struct place at[ATTEND_WIDEST];
	int tiles = (int)parts(rows, TILE_ROWS);

	for (int k = 0; k < depth; k++) {
		at[k].a = k * a.term;
		at[k].b = k * b_row;
	}
	for (int t = 0; t < tiles; t++) {	/* of nearly equal height */
		int row = rows * t / tiles, high = rows * (t + 1) / tiles - row;

		for (int j = 0; j < cols; j += TILE_COLS) {
			tile_product(high, TILE_VECS, tile, a.at + row * a.row, a.row, b + j, LANES,
			    at, depth);
			attend_store(c + row * c_row + j, c_row, tile, high, add,
			    keep ? keep + j : NULL);
		}
	}
}

/* ---- blocks of queries, keys and values ---- */

/* N rows turned: to[c][i] = factor * x[i][c], and 0 from there to whole tiles. */
static void
attend_turn(real *restrict to, const elem *restrict x, int64_t row, int n, int lanes, int d,
    real factor)
{
	turn_rows(to, ATTEND_QUERIES, x, row, n, d);
	for (int c = 0; c < d; c++, to += ATTEND_QUERIES) {
		for (int i = n; i < lanes; i++)
			to[i] = 0;
		ALONG_EACH (i, lanes)
			to[i] *= factor;
	}
}

/* Rows as reals, where they lie or in ROOM; as whole vectors, for a product's second factor. */
static struct attend_factor
attend_rows(const elem *x, int64_t row, int n, int d, bool vectors, real *room)
{
	int64_t wide = attend_padded(d);

#if !NARROW
	if (!vectors || d % TILE_COLS == 0)
		return attend_factor(x, row, 1);
#endif
	for (int i = 0; i < n; i++) {
		for (int c = 0; c < d; c++)
			room[i * wide + c] = VALUE(x[i * row + c]);
		for (int c = d; c < wide && vectors; c++)
			room[i * wide + c] = 0;
	}
	return attend_factor(room, wide, 1);
}

/* ---- scores ---- */

static inline struct attend_block
attend_block(struct attend a, const struct step *s, int64_t sample, int64_t head, int64_t i)
{
	struct attend_block w = { .a = a, .sample = sample, .head = head, .i = i };

	w.n = (int)least(ATTEND_QUERIES, a.t - i);
	w.lanes = (int)parts(w.n, TILE_COLS) * TILE_COLS;
	if (a.rate > 0) {
		w.key = philox_key(s->seed, a.stream_id);
		w.draw = s->draw;
		w.drawn = FIRST_OF(a.b, s);
	}
	return w;
}

/* Are there pairs in it that do not see each other? */
static inline bool
attend_is_cut(const struct attend_block *w)
{
	return !attend_sees(w->a, w->i, w->j + w->m - 1) || !attend_sees(w->a, w->i + w->n - 1, w->j);
}

/* Adds what a rule of i - j has for each. */
static void
attend_add_line(real *st, const struct attend_block *w, const elem *table)
{
	real line[ATTEND_QUERIES + ATTEND_KEYS];

	for (int c = 0; c < w->lanes + w->m - 1; c++)
		line[c] = attend_of_line(w->a, table, w->head, w->i - w->j - (w->m - 1) + c);
	for (int j = 0; j < w->m; j++) {
		const real *from = line + w->m - 1 - j;
		real *to = st + j * ATTEND_QUERIES;

		ALONG_EACH (i, w->lanes)
			to[i] += from[i];
	}
}

static void
attend_add_grid(real *st, const struct attend_block *w, const elem *table)
{
	const struct attend *a = &w->a;
	int64_t place[ATTEND_QUERIES];

	for (int i = 0; i < w->n; i++)
		place[i] = (attend_place(*a, w->i + i) + attend_shift(*a)) * a->heads + w->head;
	for (int j = 0; j < w->m; j++) {
		const elem *of = table - attend_place(*a, w->j + j) * a->heads;
		real *to = st + j * ATTEND_QUERIES;

		for (int i = 0; i < w->n; i++)
			to[i] += VALUE(of[place[i]]);
	}
}

/* Places of a rolled image that do not see each other. */
static void
attend_part_sides(real *st, const struct attend_block *w)
{
	int side[ATTEND_QUERIES];

	for (int i = 0; i < w->n; i++)
		side[i] = attend_side(w->a, w->sample, w->i + i);
	for (int j = 0; j < w->m; j++) {
		int own = attend_side(w->a, w->sample, w->j + j);
		real *to = st + j * ATTEND_QUERIES;

		for (int i = 0; i < w->n; i++)
			to[i] = side[i] == own ? to[i] : -INFINITY;
	}
}

/* st[j][i], -INFINITY where query i does not see key j. QT: queries times the scale, turned. */
static void
attend_scores(real *st, const struct attend_block *w, const real *qt, struct attend_factor k,
    const elem *bias)
{
	const struct attend *a = &w->a;

	attend_product(st, ATTEND_QUERIES, k, qt, ATTEND_QUERIES, w->m, w->lanes, a->d, false, NULL);
	if (attend_has_line(*a))
		attend_add_line(st, w, bias);
	if (a->grid_w)
		attend_add_grid(st, w, bias);
	if (attend_has_table(*a))
		bias = NULL;
	if (bias)
		bias += attend_bias_at(*a, w->sample, w->head) + w->i * a->s + w->j;
	for (int i = 0; bias && i < w->n; i++)
		for (int j = 0; j < w->m; j++)
			st[j * ATTEND_QUERIES + i] += VALUE(bias[i * a->s + j]);
	for (int j = 0; attend_is_cut(w) && j < w->m; j++) {
		real *to = st + j * ATTEND_QUERIES;
		int64_t ahead = w->i - w->j - j;	/* lane 0 is so far behind the key */
		int64_t from = a->causal ? -ahead : a->window ? 1 - a->window - ahead : 0;
		int64_t end = a->window ? a->window - ahead : w->lanes;

		for (int i = 0; i < least(from, w->lanes); i++)
			to[i] = -INFINITY;
		for (int i = (int)most(end, 0); i < w->lanes; i++)
			to[i] = -INFINITY;
	}
	if (attend_is_seam(*a, w->sample))
		attend_part_sides(st, w);
}

/* What dropout multiplies four rows of scores by, from row J on. */
static void
attend_gains(real gain[4][ATTEND_QUERIES], const struct attend_block *w, int j)
{
	uint64_t dropped = (uint64_t)(w->a.rate * 4294967296.0);
	int64_t i0 = ((w->drawn + w->sample) * w->a.all_heads + w->a.first_head + w->head) * w->a.t + w->i;
	real kept = attend_gain(w->a);

	ALONG_EACH (i, w->lanes) {
		struct philox c = attend_draw(w->a, w->key, w->draw, i0 + i, w->j + j);

		gain[0][i] = c.v[0] < dropped ? 0 : kept;
		gain[1][i] = c.v[1] < dropped ? 0 : kept;
		gain[2][i] = c.v[2] < dropped ? 0 : kept;
		gain[3][i] = c.v[3] < dropped ? 0 : kept;
	}
}

static void
attend_drop(real *pt, const struct attend_block *w)
{
	real gain[4][ATTEND_QUERIES];

	for (int j = 0; j < w->m; j++) {
		real *to = pt + j * ATTEND_QUERIES;

		if (j % 4 == 0)
			attend_gains(gain, w, j);
		ALONG_EACH (i, w->lanes)
			to[i] *= gain[j % 4][i];
	}
}

/* ---- forward ---- */

struct attend_sums {		/* of each query of a block, so far */
	real top[ATTEND_QUERIES], sum[ATTEND_QUERIES];
	real keep[ATTEND_QUERIES];	/* what the last block of keys made of its sums */
};

/* Scores become exponentials, less the largest so far. */
static void
attend_online(real *pt, const struct attend_block *w, struct attend_sums *q)
{
	real top[ATTEND_QUERIES], base[ATTEND_QUERIES];

	ALONG_EACH (i, w->lanes)
		top[i] = q->top[i];
	for (int j = 0; j < w->m; j++)
		ALONG_EACH (i, w->lanes) {
			real x = pt[j * ATTEND_QUERIES + i];

			top[i] = x > top[i] ? x : top[i];
		}
	ALONG_EACH (i, w->lanes) {
		base[i] = top[i] > -INFINITY ? top[i] : 0;	/* it has seen none yet */
		q->keep[i] = exp_of(q->top[i] - base[i]);
		q->sum[i] *= q->keep[i];
		q->top[i] = top[i];
	}
	for (int j = 0; j < w->m; j++)
		ALONG_EACH (i, w->lanes) {
			real x = pt[j * ATTEND_QUERIES + i], e = exp_of(x - base[i]);

			e = x == -INFINITY ? 0 : e;
			pt[j * ATTEND_QUERIES + i] = e;
			q->sum[i] += e;
		}
}

/* Y of the block's queries, of what YT has summed, and the logarithms of their sums. */
static void
attend_finish(elem *y, real *logsum, const struct attend_block *w, const struct attend_sums *q,
    real *yt)
{
	int64_t row = (int64_t)w->a.heads * w->a.d;
	real part[ATTEND_QUERIES];

	y += (w->sample * w->a.t + w->i) * row + w->head * w->a.d;
	for (int i = 0; i < w->n; i++)
		part[i] = 1 / q->sum[i];
	for (int c = 0; c < w->a.d; c++)
		ALONG_EACH (i, w->n)
			yt[c * ATTEND_QUERIES + i] *= part[i];
#if NARROW
	for (int i = 0; i < w->n; i++)
		for (int c = 0; c < w->a.d; c++)
			y[i * row + c] = ELEM(yt[c * ATTEND_QUERIES + i]);
#else
	turn_rows(y, row, yt, ATTEND_QUERIES, w->a.d, w->n);
#endif
	if (!logsum)
		return;
	logsum += (w->sample * w->a.heads + w->head) * w->a.t + w->i;
	for (int i = 0; i < w->n; i++)
		logsum[i] = q->top[i] + R(log)(q->sum[i]);
}

static void
attend_queries(elem *y, real *logsum, real *room, const elem *q, const elem *k, const elem *v,
    const elem *bias, struct attend_block w)
{
	const struct attend a = w.a;
	int64_t kv = w.head / (a.heads / a.kv_heads) * a.d, end = attend_last(a, w.i + w.n);
	real *qt = room, *yt = qt + ATTEND_QUERIES * attend_padded(a.d);
	real *pt = yt + ATTEND_QUERIES * attend_padded(a.d), *wide = pt + ATTEND_QUERIES * ATTEND_KEYS;
	struct attend_sums sums;
	struct attend_factor f;

	k += w.sample * a.s * a.k_row + kv;
	v += w.sample * a.s * a.v_row + kv;
	attend_turn(qt, q + (w.sample * a.t + w.i) * a.q_row + w.head * a.d, a.q_row, w.n, w.lanes, a.d,
	    a.scale);
	for (int i = 0; i < ATTEND_QUERIES; i++) {
		sums.top[i] = -INFINITY;
		sums.sum[i] = 0;
	}
	for (int64_t first = w.j = attend_first(a, w.i); w.j < end; w.j += ATTEND_KEYS) {
		w.m = (int)least(ATTEND_KEYS, end - w.j);
		f = attend_rows(k + w.j * a.k_row, a.k_row, w.m, a.d, false, wide);
		attend_scores(pt, &w, qt, f, bias);
		attend_online(pt, &w, &sums);
		if (a.rate > 0)
			attend_drop(pt, &w);
		f = attend_rows(v + w.j * a.v_row, a.v_row, w.m, a.d, false, wide);
		attend_product(yt, ATTEND_QUERIES, attend_factor(f.at, 1, f.row), pt, ATTEND_QUERIES, a.d,
		    w.lanes, w.m, w.j > first, sums.keep);
	}
	attend_finish(y, logsum, &w, &sums, yt);
}

KERNEL(attend_kernel, (elem *y, real *logsum, real *scratch, const elem *q, const elem *k,
    const elem *v, const elem *bias, const struct step *s, struct attend a))
{
	int64_t blocks = parts(a.t, ATTEND_QUERIES), own = attend_scratch(a.d, NARROW);

	ROWS (r, a.b * a.heads * blocks) {
		int64_t head = r / blocks;

		attend_queries(y, logsum, scratch + team_me() * own, q, k, v, bias, attend_block(a, s,
		    head / a.heads, head % a.heads, r % blocks * ATTEND_QUERIES));
	}
}

static void
attend_forward(elem *y, real *logsum, void *work, const elem *q, const elem *k, const elem *v,
    const elem *bias, const struct step *s, struct attend a)
{
	LAUNCH_ROWS(attend_kernel, a.b * a.heads, (y, logsum, (real *)work, q, k, v, bias, s, a));
}

/* ---- backward ---- */

/* What is known of a block of queries for all keys. */
struct attend_back {
	const real *qt, *dyt;	/* turned, queries times the scale */
	struct attend_factor q, dy;	/* as rows of vectors */
	real delta[ATTEND_QUERIES], logsum[ATTEND_QUERIES];
};

static void
attend_deltas(struct attend_back *g, const struct attend_block *w, const elem *dy, const elem *y,
    const real *logsum)
{
	int64_t row = (int64_t)w->a.heads * w->a.d;

	logsum += (w->sample * w->a.heads + w->head) * w->a.t + w->i;
	for (int i = 0; i < w->lanes; i++) {
		real sum = 0;

		ALONG_ADD (c, i < w->n ? w->a.d : 0, sum)
			sum += VALUE(dy[i * row + c]) * VALUE(y[i * row + c]);
		g->delta[i] = sum;
		g->logsum[i] = i < w->n ? logsum[i] : 0;
	}
}

/* st: scores, which become probabilities, as dropout left them; dpt: what the gradient of those is,
 * which becomes that of the scores, times FACTOR. */
static void
attend_grads(real *st, real *dpt, const struct attend_block *w, const struct attend_back *g, real factor)
{
	real gain[4][ATTEND_QUERIES];

	for (int j = 0; j < w->m; j++) {
		real *p = st + j * ATTEND_QUERIES, *dp = dpt + j * ATTEND_QUERIES;

		if (w->a.rate > 0 && j % 4 == 0)
			attend_gains(gain, w, j);
		if (w->a.rate > 0)
			ALONG_EACH (i, w->lanes) {
				real e = exp_of(p[i] - g->logsum[i]), by = gain[j % 4][i];

				e = p[i] == -INFINITY ? 0 : e;
				p[i] = e * by;
				dp[i] = e * (dp[i] * by - g->delta[i]) * factor;
			}
		else
			ALONG_EACH (i, w->lanes) {
				real e = exp_of(p[i] - g->logsum[i]);

				e = p[i] == -INFINITY ? 0 : e;
				p[i] = e;
				dp[i] = e * (dp[i] - g->delta[i]) * factor;
			}
	}
}

static void
attend_put(elem *to, int64_t to_row, const real *from, int64_t rows, int d)
{
	int64_t wide = attend_padded(d);

	for (int64_t i = 0; to && i < rows; i++)
		for (int c = 0; c < d; c++)
			to[i * to_row + c] = ELEM(from[i * wide + c]);
}

enum attend_want { ATTEND_DQ = 1, ATTEND_DKV = 2 };

struct attend_tensors {		/* what backward reads and writes; gradients may be NULL */
	elem *dq, *dk, *dv;
	const elem *dy, *q, *k, *v, *bias, *y;
	const real *logsum;
};

/* A block of queries against the keys [FROM, TO) of its head. DK and DV: sums so far, of all keys
 * of it. */
static void
attend_head(const struct attend_tensors *x, struct attend_block w, int64_t from, int64_t to, int want,
    const elem *k, const elem *v, real *dk, real *dv, real *room)
{
	const struct attend a = w.a;
	int64_t wide = attend_padded(a.d), y_row = (int64_t)a.heads * a.d;
	int64_t at_y = (w.sample * a.t + w.i) * y_row + w.head * a.d;
	int64_t at_q = (w.sample * a.t + w.i) * a.q_row + w.head * a.d;
	int64_t first = most(attend_first(a, w.i), from), end = least(attend_last(a, w.i + w.n), to);
	real *qt = room, *dyt = qt + ATTEND_QUERIES * wide, *rows_q = dyt + ATTEND_QUERIES * wide;
	real *rows_dy = rows_q + ATTEND_QUERIES * wide, *dq = rows_dy + ATTEND_QUERIES * wide;
	real *wide_k = dq + ATTEND_QUERIES * wide, *wide_v = wide_k + ATTEND_KEYS * wide;
	real *st = wide_v + ATTEND_KEYS * wide, *dpt = st + ATTEND_QUERIES * ATTEND_KEYS;
	int cols = (int)parts(a.d, TILE_COLS) * TILE_COLS;
	struct attend_back g = { .qt = qt, .dyt = dyt };

	if (first >= end)
		return;
	attend_turn(qt, x->q + at_q, a.q_row, w.n, w.lanes, a.d, a.scale);
	attend_turn(dyt, x->dy + at_y, y_row, w.n, w.lanes, a.d, 1);
	g.q = attend_rows(x->q + at_q, a.q_row, w.n, a.d, true, rows_q);
	g.dy = attend_rows(x->dy + at_y, y_row, w.n, a.d, true, rows_dy);
	attend_deltas(&g, &w, x->dy + at_y, x->y + at_y, x->logsum);
	for (w.j = first; w.j < end; w.j += ATTEND_KEYS) {
		struct attend_factor fk, fv;

		w.m = (int)least(ATTEND_KEYS, end - w.j);
		fk = attend_rows(k + w.j * a.k_row, a.k_row, w.m, a.d, true, wide_k);
		fv = attend_rows(v + w.j * a.v_row, a.v_row, w.m, a.d, false, wide_v);
		attend_scores(st, &w, qt, fk, x->bias);
		attend_product(dpt, ATTEND_QUERIES, fv, dyt, ATTEND_QUERIES, w.m, w.lanes, a.d, false,
		    NULL);
		attend_grads(st, dpt, &w, &g, a.scale);
		if (want & ATTEND_DKV) {
			attend_product(dv + w.j * wide, wide, attend_factor(st, ATTEND_QUERIES, 1), g.dy.at,
			    g.dy.row, w.m, cols, w.n, true, NULL);
			attend_product(dk + w.j * wide, wide, attend_factor(dpt, ATTEND_QUERIES, 1),
			    g.q.at, g.q.row, w.m, cols, w.n, true, NULL);
		}
		if (want & ATTEND_DQ)
			attend_product(dq, wide, attend_factor(dpt, 1, ATTEND_QUERIES), fk.at, fk.row, w.n,
			    cols, w.m, w.j > first, NULL);
	}
	if (want & ATTEND_DQ)
		attend_put(x->dq ? x->dq + at_q : NULL, a.q_row, dq, w.n, a.d);
}

/* All that a head of keys, KV, has to do with its keys [FROM, TO). */
static void
attend_keys(const struct attend_tensors *x, struct attend a, const struct step *s, int64_t sample,
    int64_t kv, int64_t from, int64_t to, int want, real *room)
{
	int64_t wide = attend_padded(a.d), group = a.heads / a.kv_heads, n = (to - from) * wide;
	int64_t at_k = sample * a.s * a.k_row + kv * a.d, at_v = sample * a.s * a.v_row + kv * a.d;
	real *dk = room, *dv = dk + a.s * wide;

	memset(dk + from * wide, 0, (size_t)n * sizeof(*dk));
	memset(dv + from * wide, 0, (size_t)n * sizeof(*dv));
	for (int64_t head = kv * group; head < (kv + 1) * group; head++)
		for (int64_t i = 0; i < a.t; i += ATTEND_QUERIES)
			attend_head(x, attend_block(a, s, sample, head, i), from, to, want, x->k + at_k,
			    x->v + at_v, dk, dv, dv + a.s * wide);
	at_k += from * a.k_row;
	at_v += from * a.v_row;
	attend_put(x->dk ? x->dk + at_k : NULL, a.k_row, dk + from * wide, to - from, a.d);
	attend_put(x->dv ? x->dv + at_v : NULL, a.v_row, dv + from * wide, to - from, a.d);
}

KERNEL(attend_backward_kernel, (struct attend_tensors x, real *scratch, const struct step *s,
    struct attend a))
{
	int64_t own = attend_backward_scratch(a.s, a.d);

	ROWS (r, a.b * a.kv_heads)
		attend_keys(&x, a, s, r / a.kv_heads, r % a.kv_heads, 0, a.s, ATTEND_DQ | ATTEND_DKV,
		    scratch + team_me() * own);
}

KERNEL(attend_dkv_kernel, (struct attend_tensors x, real *scratch, const struct step *s,
    struct attend a))
{
	int64_t blocks = parts(a.s, ATTEND_KEYS), own = attend_backward_scratch(a.s, a.d);

	ROWS (r, a.b * a.kv_heads * blocks) {
		int64_t from = r % blocks * ATTEND_KEYS;

		attend_keys(&x, a, s, r / blocks / a.kv_heads, r / blocks % a.kv_heads, from,
		    least(a.s, from + ATTEND_KEYS), ATTEND_DKV, scratch + team_me() * own);
	}
}

KERNEL(attend_dq_kernel, (struct attend_tensors x, real *scratch, const struct step *s,
    struct attend a))
{
	int64_t blocks = parts(a.t, ATTEND_QUERIES), own = attend_backward_scratch(a.s, a.d);

	ROWS (r, a.b * a.heads * blocks) {
		int64_t sample = r / blocks / a.heads, head = r / blocks % a.heads;
		int64_t kv = head / (a.heads / a.kv_heads) * a.d;

		attend_head(&x, attend_block(a, s, sample, head, r % blocks * ATTEND_QUERIES), 0, a.s,
		    ATTEND_DQ, x.k + sample * a.s * a.k_row + kv, x.v + sample * a.s * a.v_row + kv, NULL,
		    NULL, scratch + team_me() * own);
	}
}

/* Five products for each head, in one piece, or seven in many? */
static bool
attend_in_pieces(int64_t heads)
{
	return parts(heads, THREADS) * THREADS * 5 > heads * 7;
}

static void
attend_backward(elem *dq, elem *dk, elem *dv, void *work, const elem *dy, const elem *q, const elem *k,
    const elem *v, const elem *bias, const elem *y, const real *logsum, const struct step *s,
    struct attend a)
{
	struct attend_tensors x = { dq, dk, dv, dy, q, k, v, bias, y, logsum };

	if (!attend_in_pieces(a.b * a.kv_heads)) {
		LAUNCH_ROWS(attend_backward_kernel, a.b * a.kv_heads, (x, (real *)work, s, a));
		return;
	}
	LAUNCH_ROWS(attend_dkv_kernel, a.b * a.kv_heads, (x, (real *)work, s, a));
	LAUNCH_ROWS(attend_dq_kernel, a.b * a.heads, (x, (real *)work, s, a));
}

#endif
