/*
 * tune_cuda.cu - measures which engine of cuDNN is the fastest for each convolution, and which
 * algorithm of cuBLASLt for each product. What the libraries' heuristics put first often is not.
 * Beside these, which of two kinds of kernels attention runs by (tune_attention_cuda.cu).
 *
 * When all steps have been rehearsed, and before they are captured, each distinct one runs where it
 * ran then, by the first engines that are proposed: those that the program accepts (the same bits
 * every time, as exact as its precision) and whose workspace is within the planned one. The first
 * is left only for one that takes a few hundredths less, so that noise decides seldom. Nothing
 * reads what these runs write: the arena is cleared after them.
 *
 * The code of an engine stays loaded once it ran. So others are tried only while half of the room
 * that the plan leaves for code is free beside the arena.
 *
 * Of several ranks the first one measures, and all run by what it chose.
 */
#ifdef TUNES

#define TUNE_MOST	8	/* engines tried for each */
#define TUNE_ROUNDS	3	/* of which the shortest counts */
#define TUNE_ROUND	0.5f	/* milliseconds that one is to take */
#define TUNE_REPEATS	32	/* runs of a round, at most */
#define TUNE_GAIN	0.97f	/* of the first one's time, that another must be below */

static struct tuning {
	bool off;		/* --no-tune */
	cudaEvent_t begin, end;
	int convolutions, products, attentions, tried;
	bool full;		/* some were not tried for lack of room */
} tuning;

static bool
tune_has_room(void)
{
	size_t left, total;

	CUDA(cudaMemGetInfo(&left, &total));
	if ((int64_t)left < CODE_BYTES / 2)
		tuning.full = true;
	return !tuning.full;
}

/* Milliseconds of N runs of it; below 0: it does not run. */
static float
tune_round(bool (*run)(const void *), const void *with, int n)
{
	float ms;
	bool runs = true;

	CUDA(cudaEventRecord(tuning.begin, stream));
	for (int k = 0; k < n && runs; k++)
		runs = run(with);
	CUDA(cudaEventRecord(tuning.end, stream));
	CUDA(cudaEventSynchronize(tuning.end));
	if (!runs) {
		cudaGetLastError();	/* a refusal */
		return -1;
	}
	CUDA(cudaEventElapsedTime(&ms, tuning.begin, tuning.end));
	return ms / (float)n;
}

/* Milliseconds of a run, the least of several; below 0: it does not run. One that takes far longer
 * than BEST, if that is above 0, is not run often. */
static float
tune_time(bool (*run)(const void *), const void *with, float best)
{
	float least = tune_round(run, with, 1);	/* which loads its code */
	float once = least < 0 ? least : tune_round(run, with, 1);
	int n = once > 0 ? (int)(TUNE_ROUND / once) : TUNE_REPEATS;

	tuning.tried++;
	if (once < 0 || (best > 0 && once > 2 * best))
		return once;
	n = n < 1 ? 1 : n > TUNE_REPEATS ? TUNE_REPEATS : n;
	least = once;
	for (int k = 0; k < TUNE_ROUNDS; k++) {
		float ms = tune_round(run, with, n);

		least = ms < least ? ms : least;
	}
	return least;
}

/* Which of N times is to be taken: the first, or the least if it is well below that. Below 0: that
 * one does not run. */
static int
tune_best(const float *ms, int n)
{
	int best = 0;

	for (int k = 1; k < n; k++)
		if (ms[k] >= 0 && (ms[best] < 0 || ms[k] < ms[best]))
			best = k;
	return ms[0] >= 0 && ms[best] >= ms[0] * TUNE_GAIN ? 0 : best;
}

#include "tune_numbers_cuda.cu"

/* ---- convolutions ---- */

#ifdef BY_CUDNN

struct tune_dnn {
	const struct dnn *dnn;
	const struct dnn_entry *of;
};

static bool
tune_run_dnn(const void *with)
{
	const struct tune_dnn *t = (const struct tune_dnn *)with;

	return dnn_start(t->dnn, &t->of->conv, &t->of->at) == CUDNN_STATUS_SUCCESS;
}

static bool
tune_same_engine(const struct dnn_choice *a, const struct dnn_choice *b)
{
	return a->engine == b->engine && a->knobs == b->knobs &&
	    memcmp(a->knob, b->knob, (size_t)a->knobs * sizeof(a->knob[0])) == 0;
}

/* Lets D, by which E is to run from now on, take the place of what it ran by. */
static void
tune_replace(struct dnn_entry *e, const struct dnn *d, const struct dnn_choice *choice)
{
	dnn_free(&e->dnn, 0);
	e->dnn = *d;
	e->choice = *choice;
}

/* The fastest of what is proposed, the one that it has first. What is slower than the best so far
 * is given back. */
static void
tune_convolution(struct dnn_entry *e)
{
	static struct dnn_choice offer[DNN_LOOKED_AT];
	static struct dnn other, best_other;
	int offers, tried = 1, best = 0, at_best = -1;
	float ms[TUNE_MOST];
	struct tune_dnn t = { &e->dnn, e };

	ms[0] = tune_time(tune_run_dnn, &t, 0);
	offers = dnn_offers(&dnn_device, &e->conv, offer, DNN_LOOKED_AT);
	t.dnn = &other;
	for (int k = 0; k < offers && tried < TUNE_MOST && tune_has_room(); k++) {
		if (tune_same_engine(&offer[k], &e->choice) || !dnn_take(&other, &dnn_device, &e->conv, &offer[k]))
			continue;
		ms[tried] = tune_time(tune_run_dnn, &t, ms[best]);
		tried++;
		if (tune_best(ms, tried) != tried - 1) {
			dnn_free(&other, 0);
			continue;
		}
		if (best)
			dnn_free(&best_other, 0);
		best_other = other;
		best = tried - 1;
		at_best = k;
	}
	if (best)
		tune_replace(e, &best_other, &offer[at_best]);
	e->chosen = DNN_MEASURED;
	tuning.convolutions++;
}

#include "tune_fused_cuda.cu"

/* Puts down by what it runs. */
static void
tune_note_convolution(const struct dnn_entry *e)
{
	struct choice *c = choice_place(&choices, e->apart ? CHOICE_APART : CHOICE_CONVOLUTION, dnn_question(&e->conv));

	if (!c)
		return;
	c->measured = e->chosen == DNN_MEASURED;
	if (e->apart) {
		c->n = 1;
		c->number[0] = 1;
		return;
	}
	c->n = 1 + 2 * e->choice.knobs;
	c->number[0] = e->choice.engine;
	for (int k = 0; k < e->choice.knobs; k++) {
		c->number[1 + 2 * k] = e->choice.knob[k][0];
		c->number[2 + 2 * k] = e->choice.knob[k][1];
	}
}

#if defined(RANKS) && !defined(STAGES)
/* Runs it by what the first rank chose, once, so that it is loaded. */
static void
tune_follow_convolution(struct dnn_entry *e)
{
	static struct dnn_entry other;

	other = *e;
	if ((e->conv.gate && !tune_has_room()) || !dnn_take_kept(&other))
		return;
	if (other.apart) {
		const struct dnn_entry *plain = tune_plain(e);

		tune_part(e);
		if (plain)
			CUDNN(dnn_start(&plain->dnn, &plain->conv, &plain->at));
		return;
	}
	if (e->found && tune_same_engine(&other.choice, &e->choice)) {
		dnn_free(&other.dnn, 0);
		return;
	}
	tune_replace(e, &other.dnn, &other.choice);
	e->found = true;
	e->chosen = DNN_MEASURED;
	CUDNN(dnn_start(&e->dnn, &e->conv, &e->at));
	if (e->reader.run)
		e->reader.run(&e->reader, true);
}
#endif

#endif

/* ---- products ---- */

#ifdef BY_CUBLASLT

struct tune_dense {
	struct dense_plan *plan;
	const cublasLtMatmulAlgo_t *algo;
};

static bool
tune_run_dense(const void *with)
{
	const struct tune_dense *t = (const struct tune_dense *)with;

	return dense_start(t->plan, t->algo, &t->plan->at) == CUBLAS_STATUS_SUCCESS;
}

static void
tune_product(struct dense_plan *p)
{
	cublasLtMatmulHeuristicResult_t proposed[DENSE_PROPOSALS];
	int n = dense_proposals(p, proposed, DENSE_PROPOSALS), tried = 1, best;
	cublasLtMatmulAlgo_t algo[TUNE_MOST];
	float ms[TUNE_MOST];
	struct tune_dense t = { p, algo };

	algo[0] = p->algo;
	ms[0] = tune_time(tune_run_dense, &t, 0);
	for (int k = 0; k < n && tried < TUNE_MOST && tune_has_room(); k++) {
		if (proposed[k].state != CUBLAS_STATUS_SUCCESS || proposed[k].workspaceSize > p->of.size ||
		    dense_name(&proposed[k].algo) == dense_name(&p->algo))
			continue;
		algo[tried] = proposed[k].algo;
		t.algo = &algo[tried];
		best = tune_best(ms, tried);
		ms[tried] = tune_time(tune_run_dense, &t, ms[best]);
		tried++;
	}
	p->algo = algo[tune_best(ms, tried)];
	p->known = true;
	tuning.products++;
}

static void
tune_note_product(const struct dense_plan *p, bool measured)
{
	struct choice *c = choice_place(&choices, CHOICE_PRODUCT, dense_question(&p->of));

	if (!c)
		return;
	c->measured = measured;
	c->n = 1;
	c->number[0] = dense_name(&p->algo);
}

#if defined(RANKS) && !defined(STAGES)
static void
tune_follow_product(struct dense_plan *p)
{
	cublasLtMatmulAlgo_t had = p->algo;

	if (dense_take_kept(p) && dense_name(&had) != dense_name(&p->algo))
		CUBLAS(dense_start(p, &p->algo, &p->at));
}
#endif

#endif

#include "tune_attention_cuda.cu"

/* ---- all of them ---- */

static void
tune_measure(void)
{
	CUDA(cudaEventCreate(&tuning.begin));
	CUDA(cudaEventCreate(&tuning.end));
#ifdef BY_CUDNN
	for (int k = 0; k < dnn_entries; k++)
		if (dnn_entry[k].found && dnn_entry[k].at.y && dnn_entry[k].chosen < DNN_KEPT)
			tune_convolution(&dnn_entry[k]);
#endif
#ifdef BY_CUBLASLT
	for (int k = 0; k < dense_plans_used; k++)
		if (dense_plans[k].found && dense_plans[k].at.c && !dense_plans[k].known) {
			tune_product(&dense_plans[k]);
			tune_note_product(&dense_plans[k], true);
		}
#endif
#ifdef BY_GROUPS
	for (int k = 0; k < attend_plans_used; k++)
		if (!attend_plans[k].known) {
			tune_attention(&attend_plans[k]);
			tune_note_attention(&attend_plans[k], attend_plans[k].known);
		}
#endif
#ifdef BY_CUDNN
	tune_fused();
#endif
	CUDA(cudaEventDestroy(tuning.begin));
	CUDA(cudaEventDestroy(tuning.end));
}

/* What all run by, measured or not, for checkpoints. */
static void
tune_note(void)
{
#ifdef BY_CUDNN
	for (int k = 0; k < dnn_entries; k++)
		if (dnn_entry[k].found || dnn_entry[k].apart)
			tune_note_convolution(&dnn_entry[k]);
#endif
#ifdef BY_CUBLASLT
	for (int k = 0; k < dense_plans_used; k++)
		if (dense_plans[k].found && !dense_plans[k].known)
			tune_note_product(&dense_plans[k], false);
#endif
#ifdef BY_GROUPS
	for (int k = 0; k < attend_plans_used; k++)
		if (!attend_plans[k].known)
			tune_note_attention(&attend_plans[k], false);
#endif
}

#if defined(RANKS) && !defined(STAGES)	/* stages have nothing in common that could be measured */
static void
tune_follow(void)
{
#ifdef BY_CUDNN
	for (int k = 0; k < dnn_entries; k++)
		if (dnn_entry[k].at.y && !dnn_entry[k].apart)
			tune_follow_convolution(&dnn_entry[k]);
#endif
#ifdef BY_CUBLASLT
	for (int k = 0; k < dense_plans_used; k++)
		if (dense_plans[k].found && dense_plans[k].at.c)
			tune_follow_product(&dense_plans[k]);
#endif
#ifdef BY_GROUPS
	for (int k = 0; k < attend_plans_used; k++)
		tune_follow_attention(&attend_plans[k]);
#endif
	device_wait();
}

static char	*choices_text(const struct choice_list *list, char end);
static void	ranks_put(int rank, const void *from, int64_t bytes);
static void	ranks_get(int rank, void *to, int64_t bytes);

/* All get the first rank's choices in place of theirs. */
static void
tune_share(void)
{
	int64_t n = 0;
	char *text = NULL;
	const char *at;

	if (ranks.size == 1)
		return;
	if (ranks.rank == 0) {
		text = choices_text(&choices, '\n');
		n = (int64_t)strlen(text) + 1;
		for (int k = 1; k < ranks.size; k++) {
			ranks_put(k, &n, (int64_t)sizeof(n));
			ranks_put(k, text, n);
		}
	} else {
		ranks_get(0, &n, (int64_t)sizeof(n));
		text = (char *)malloc((size_t)n);
		if (!text)
			fail("no memory for what engines the first rank chose");
		ranks_get(0, text, n);
		choices.n = 0;
		at = text;
		choices_read(&choices, &at, '\n');
	}
	free(text);
}
#endif

static void
tune_announce(void)
{
	if (tuning.convolutions + tuning.products + tuning.attentions == 0)
		return;
	printf("engines  measured for %d convolutions and %d products", tuning.convolutions, tuning.products);
	if (tuning.attentions)
		printf(", and for attention in %d calls", tuning.attentions);
	printf(", by %d runs", tuning.tried);
	if (tuning.full)
		printf("; for some not all that are proposed: their code takes memory, of which little is free");
	putchar('\n');
}

/* After the steps have been rehearsed. */
static void
tune(void)
{
#if defined(RANKS) && !defined(STAGES)
	if (ranks.rank > 0) {
		tune_share();
		tune_follow();
		return;
	}
#endif
	if (!tuning.off)
		tune_measure();
	tune_note();
#if defined(RANKS) && !defined(STAGES)
	tune_share();
#endif
}

#endif
