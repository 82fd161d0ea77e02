/*
 * attention/attend_bias_c.cu - gradients of what is added to the scores, in C: of a bias, and of a
 * table of differences, whose sums alone are made here.
 */
#ifndef STOWAGE_ATTENTION_ATTEND_BIAS_C_CU
#define STOWAGE_ATTENTION_ATTEND_BIAS_C_CU

#include "attention/attend_c.cu"

/* Adds those of a block of scores by their differences. */
static void
attend_add_differences(double *sums, const struct attend_block *w, const real *dst)
{
	const struct attend a = w->a;
	int64_t place[ATTEND_QUERIES];

	for (int i = 0; i < w->n; i++)
		place[i] = attend_place(a, w->i + i);
	for (int j = 0; j < w->m; j++) {
		double *to = sums + attend_shift(a) - attend_place(a, w->j + j);

		if (!a.grid_w)
			ALONG_EACH (i, w->n)
				to[w->i + i] += dst[j * ATTEND_QUERIES + i];
		for (int i = 0; a.grid_w && i < w->n; i++)
			to[place[i]] += dst[j * ATTEND_QUERIES + i];
	}
}

/* Adds the gradients of the scores of a block of queries to sums[j][i], or to those of
 * differences. */
static void
attend_bias_head(const struct attend_tensors *x, struct attend_block w, real *sums, double *differences,
    real *room)
{
	const struct attend a = w.a;
	int64_t wide = attend_padded(a.d), y_row = (int64_t)a.heads * a.d;
	int64_t at_y = (w.sample * a.t + w.i) * y_row + w.head * a.d, end = attend_last(a, w.i + w.n);
	int64_t kv = w.head / (a.heads / a.kv_heads) * a.d;
	const elem *k = x->k + w.sample * a.s * a.k_row + kv, *v = x->v + w.sample * a.s * a.v_row + kv;
	real *qt = room, *dyt = qt + ATTEND_QUERIES * wide, *wide_kv = dyt + ATTEND_QUERIES * wide;
	real *st = wide_kv + ATTEND_KEYS * wide, *dpt = st + ATTEND_QUERIES * ATTEND_KEYS;
	struct attend_back g = { .qt = qt, .dyt = dyt };

	attend_turn(qt, x->q + (w.sample * a.t + w.i) * a.q_row + w.head * a.d, a.q_row, w.n, w.lanes,
	    a.d, a.scale);
	attend_turn(dyt, x->dy + at_y, y_row, w.n, w.lanes, a.d, 1);
	attend_deltas(&g, &w, x->dy + at_y, x->y + at_y, x->logsum);
	for (w.j = attend_first(a, w.i); w.j < end; w.j += ATTEND_KEYS) {
		w.m = (int)least(ATTEND_KEYS, end - w.j);
		attend_scores(st, &w, qt, attend_rows(k + w.j * a.k_row, a.k_row, w.m, a.d, false, wide_kv),
		    x->bias);
		attend_product(dpt, ATTEND_QUERIES, attend_rows(v + w.j * a.v_row, a.v_row, w.m, a.d,
		    false, wide_kv), dyt, ATTEND_QUERIES, w.m, w.lanes, a.d, false, NULL);
		attend_grads(st, dpt, &w, &g, 1);
		if (differences)
			attend_add_differences(differences, &w, dpt);
		for (int j = 0; !differences && j < w.m; j++) {
			real *to = sums + (w.j + j) * ATTEND_QUERIES;

			ALONG_EACH (i, w.lanes)
				to[i] += dpt[j * ATTEND_QUERIES + i];
		}
	}
}

/* A thread sums a block of queries over all samples and heads that have the same bias. */
KERNEL(attend_bias_kernel, (elem *dbias, struct attend_tensors x, real *scratch, const struct step *s,
    struct attend a))
{
	int64_t blocks = parts(a.t, ATTEND_QUERIES), own = attend_bias_scratch(a.s, a.d);
	int64_t samples = attend_sharing(a), heads = a.bias_head ? 1 : a.heads;

	ROWS (r, a.b / samples * (a.heads / heads) * blocks) {
		real *sums = scratch + team_me() * own;
		real *room = sums + ATTEND_QUERIES * parts(a.s, ATTEND_KEYS) * ATTEND_KEYS;
		int64_t i = r % blocks * ATTEND_QUERIES, n = least(ATTEND_QUERIES, a.t - i);
		int64_t head = r / blocks % (a.heads / heads), bias = r / blocks / (a.heads / heads);
		elem *to = dbias + bias * a.bias_b + head * a.bias_head + i * a.s;

		memset(sums, 0, (size_t)(a.s * ATTEND_QUERIES) * sizeof(*sums));
		for (int64_t u = 0; u < samples; u++)
			for (int64_t h = head; h < head + heads; h++)
				attend_bias_head(&x, attend_block(a, s, attend_sharer(a, bias, u), h, i), sums,
				    NULL, room);
		for (int64_t c = 0; c < n; c++)
			for (int64_t j = 0; j < a.s; j++)
				to[c * a.s + j] = ELEM(sums[j * ATTEND_QUERIES + c]);
	}
}

static void
attend_bias_backward(elem *dbias, void *work, const elem *dy, const elem *q, const elem *k,
    const elem *v, const elem *bias, const elem *y, const real *logsum, const struct step *s,
    struct attend a)
{
	struct attend_tensors x = { NULL, NULL, NULL, dy, q, k, v, bias, y, logsum };

	LAUNCH_ROWS(attend_bias_kernel, a.heads, (dbias, x, (real *)work, s, a));
}

/* A thread sums a part of a head's queries of all samples. */
KERNEL(attend_relative_kernel, (double *sums, struct attend_tensors x, real *scratch,
    const struct step *s, struct attend a))
{
	int64_t blocks = parts(a.t, ATTEND_QUERIES), own = attend_bias_scratch(a.s, a.d);
	int64_t all = attend_differences(a.t, a.s, a.grid_h, a.grid_w), cut = attend_parts(all);

	ROWS (r, a.heads * cut) {
		int64_t to = PART_FROM(a.b * blocks, r % cut + 1, cut);

		memset(sums + r * all, 0, (size_t)all * sizeof(*sums));
		for (int64_t i = PART_FROM(a.b * blocks, r % cut, cut); i < to; i++)
			attend_bias_head(&x, attend_block(a, s, i / blocks, r / cut, i % blocks * ATTEND_QUERIES),
			    NULL, sums + r * all, scratch + team_me() * own);
	}
}

static void
attend_relative_sums(double *sums, void *work, const elem *dy, const elem *q, const elem *k,
    const elem *v, const elem *table, const elem *y, const real *logsum, const struct step *s,
    struct attend a)
{
	struct attend_tensors x = { NULL, NULL, NULL, dy, q, k, v, table, y, logsum };

	LAUNCH_ROWS(attend_relative_kernel, a.heads, (sums, x, (real *)work, s, a));
}

#endif
