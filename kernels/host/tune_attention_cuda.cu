/*
 * tune_attention_cuda.cu - whether attention's products are made by warps or by groups of four
 * (attention/attend_start_cuda.cu): by groups where that makes the same of whole numbers, and takes
 * those few hundredths less.
 *
 * So that all of it is exact, a query has a few ones, a key a few large numbers below 0, and no
 * logarithm of a sum is anything but 0. A score is then 0, and its exponential 1, or so far below 0
 * that nothing is left of it; the keys that a query sees are known by their product alone, and
 * about a third of all. Backward is given the same in place of what forward would have made.
 */
#ifdef BY_GROUPS

/* VALUE now and then, and else 0. */
KERNEL(tune_seldom_kernel, (elem *to, int64_t n, uint32_t seed, int value, uint32_t seldom))
{
	EACH (i, n) {
		uint32_t r = ((uint32_t)i + seed * 2654435769u) * 2654435761u;

		r = (r ^ r >> 15) * 2246822519u;
		r ^= r >> 13;
		to[i] = ELEM((real)(r % seldom ? 0 : value));
	}
}

static void
tune_seldom(const elem *at, int64_t n, uint32_t seed, int value, uint32_t seldom)
{
	LAUNCH(tune_seldom_kernel, n, ((elem *)at, n, seed, value, seldom));
}

/* From the first element of ROWS rows to the last, of WIDE elements each. */
static int64_t
tune_span(int64_t rows, int64_t row, int64_t wide)
{
	return (rows - 1) * row + wide;
}

struct tune_attend {
	struct attend_call call;
	bool by_groups;
};

static bool
tune_run_attend(const void *with)
{
	const struct tune_attend *t = (const struct tune_attend *)with;

	(t->by_groups ? attend_start_groups : attend_start_warps)(&t->call);
	return cudaGetLastError() == cudaSuccess;
}

/* What is attended to, and where the sums of a result have room when it is made; NULL: nowhere. */
static void *
tune_attend_room(const struct attend_call *c)
{
	bool has = tune_span(c->a.b * c->a.t, c->a.q_row, c->a.heads * c->a.d) * sizeof(elem) >= TUNE_SUMS * sizeof(double);

	return has && (uintptr_t)c->x.q % sizeof(double) == 0 ? (void *)c->x.q : NULL;
}

static void
tune_attend_fill(const struct attend_call *c)
{
	const struct attend *a = &c->a;
	int64_t queries = a->b * a->t, keys = a->b * a->s, wide = (int64_t)a->heads * a->d, kv = (int64_t)a->kv_heads * a->d;

	tune_seldom(c->x.q, tune_span(queries, a->q_row, wide), 1, 1, 8);
	tune_seldom(c->x.k, tune_span(keys, a->k_row, kv), 2, -16, 8);
	tune_fill(c->x.v, tune_span(keys, a->v_row, kv), 3, 1);
	if (c->makes == ATTEND_Y)
		return;
	tune_fill(c->x.dy, queries * wide, 4, 1);
	CUDA(cudaMemsetAsync((void *)c->x.logsum, 0, (size_t)(queries * a->heads) * sizeof(real), stream));
	CUDA(cudaMemsetAsync((void *)c->x.delta, 0, (size_t)(queries * a->heads) * sizeof(real), stream));
}

/* What it makes of them: sums of both results; false: it does not run. */
static bool
tune_attend_make(const struct tune_attend *of, double sum[2][TUNE_SUMS])
{
	struct tune_attend t = *of;
	struct attend *a = &t.call.a;
	int64_t wide = (int64_t)a->heads * a->d, kv = (int64_t)a->kv_heads * a->d;
	int64_t n = t.call.makes == ATTEND_Y ? a->b * a->t * wide : t.call.makes == ATTEND_DQ ?
	    tune_span(a->b * a->t, a->q_row, wide) : tune_span(a->b * a->s, a->k_row, kv);
	int64_t too = tune_span(a->b * a->s, a->v_row, kv);

	a->scale = 8, a->rate = 0;
	a->alibi = 0, a->buckets = 0, a->grid_w = 0, a->windows_w = 0;
	t.call.x.bias = NULL;
	tune_attend_fill(&t.call);
	if (t.call.to)
		tune_seldom(t.call.to, n, 5, 3, 1);	/* or what the other made would still be there */
	if (t.call.too)
		tune_seldom(t.call.too, too, 5, 3, 1);
	if (!tune_run_attend(&t))
		return false;
	memset(sum, 0, 2 * sizeof(*sum));
	if (t.call.to)
		tune_sum(sum[0], tune_attend_room(&t.call), t.call.to, n);
	if (t.call.too)
		tune_sum(sum[1], tune_attend_room(&t.call), t.call.too, too);
	return true;
}

static void
tune_attention(struct attend_plan *p)
{
	struct tune_attend warps = { p->at, false }, groups = { p->at, true };
	double want[2][TUNE_SUMS], got[2][TUNE_SUMS];
	float ms[2];

	if (!tune_attend_room(&p->at) || !tune_has_room())
		return;
	if (!tune_attend_make(&warps, want) || !tune_attend_make(&groups, got))
		return;
	p->known = true;
	tuning.attentions++;
	if (memcmp(got, want, sizeof(got)))
		return;
	ms[0] = tune_time(tune_run_attend, &warps, 0);
	ms[1] = tune_time(tune_run_attend, &groups, ms[0]);
	p->by_groups = tune_best(ms, 2) == 1;
}

static void
tune_note_attention(const struct attend_plan *p, bool measured)
{
	struct choice *c = choice_place(&choices, CHOICE_ATTENTION, p->question);

	if (!c)
		return;
	c->measured = measured;
	c->n = 1;
	c->number[0] = p->by_groups;
}

#if defined(RANKS) && !defined(STAGES)
static void
tune_follow_attention(struct attend_plan *p)
{
	bool had = p->by_groups;

	if (attend_takes_kept(p) && p->by_groups && !had)
		attend_start_groups(&p->at);
}
#endif

#endif
