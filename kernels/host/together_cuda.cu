/*
 * together_cuda.cu - several updates by one launch, for steps that take the card less time than the
 * host needs to launch one, look at its results and write its line. All samples stay on the device
 * (samples.c), so that a step gathers its batch itself:
 *
 *     host     tell and launch 1 to 8 | tell and launch 9 to 16 | results 1 to 8 | tell and launch 17 to 24 | ...
 *     device                          | gather 1, step 1, results 1 and gather 2, step 2, results 2 and gather 3, ...
 *
 * The graph is so many copies of gathering, step and results one after the other. What differs from
 * one update to the next (its numbers, such as the learning rate, and which samples) the host works
 * out as ever, and sends all of it in one table before it launches them. The kernel that gathers a
 * batch hands over the results of the update before it, unless they lie where the batch goes. Where
 * a step is a list of calls (cooperative_cuda.cu), all of that is one list, which one kernel
 * carries out.
 */
#ifdef STEPS_TOGETHER
static __device__ struct told told_on_device[STEPS_TOGETHER];

static struct told *told_there;		/* its address */
static struct told *told[2];		/* pinned; they take turns with the results */
static cudaGraphExec_t together;	/* NULL: each update is launched by itself */

/* BEFORE: the results of the update before it, if there are any to be handed over here. */
KERNEL(gather_told_kernel, (struct step *there, const struct told *told, IN_PLACE(struct arrivals) all, IN_PLACE(struct fetched) before))
{
	EACH (k, before.n)
		fetch_one(told[-1].results, &before, (int)k);
	gather_kept(there, told, &all);
}

KERNEL(fetch_told_kernel, (const struct told *told, IN_PLACE(struct fetched) f))
{
	EACH (k, f.n)
		fetch_one(told->results, &f, (int)k);
}

/* Does no result lie where the next batch goes? */
static bool
results_stay(const struct arrivals *all)
{
	for (int k = 0; k < TRAIN_RESULTS; k++)
		for (int i = 0; i < all->n; i++) {
			const struct arrival *a = &all->at[i];
			const unsigned char *to = (const unsigned char *)a->to, *at = arena + train_results[k].offset;

			if (at + 8 > to && at < to + a->elements * all->batch * type_table[a->type].bytes)
				return false;
		}
	return TRAIN_RESULTS <= FETCHED;
}

/* Update K of those that are captured. */
static void
together_call(int k, const struct arrivals *all)
{
	struct fetched before = results_to_fetch(train_results, TRAIN_RESULTS, 0);
	bool stay = results_stay(all);

	if (k == 0 || !stay)
		before.n = 0;
#ifdef COOPERATIVE
	MEETS(1);
#endif
	LAUNCH_ROWS(gather_told_kernel, all->batch * gather_pieces(all), (step_there, told_there + k, *all, before));
	device_call(STEP_TRAIN, TRAIN_BATCH);
	for (int first = 0; first < TRAIN_RESULTS && (!stay || k == STEPS_TOGETHER - 1); first += FETCHED) {
		struct fetched f = results_to_fetch(train_results, TRAIN_RESULTS, first);

#ifdef COOPERATIVE
		MEETS(1);
#endif
		LAUNCH(fetch_told_kernel, f.n, (told_there + k, f));
	}
}

#ifdef COOPERATIVE
/* All of it as one list, if a step is one; false: it is not. */
static bool
together_listed(const struct arrivals *all, struct cooperative *list)
{
	if (!cooperative_steps[STEP_TRAIN].at)
		return false;
	cooperative_begin();
	for (int k = 0; k < STEPS_TOGETHER; k++)
		together_call(k, all);
	*list = cooperative_end();
	return list->at != NULL;
}
#endif

static cudaGraphExec_t
together_captured(const struct arrivals *all)
{
#ifdef COOPERATIVE
	struct cooperative list;

	if (together_listed(all, &list))
		return capture_list(&list);
#endif
	capture_begin();
	for (int k = 0; k < STEPS_TOGETHER; k++)
		together_call(k, all);
	return capture_end();
}

/* What update K of the next that are launched is told, of samples from the FIRST of this epoch's
 * order on. */
static void
together_tell(int k, const struct data *d, const struct step *step, int64_t first, int64_t epoch)
{
	struct told *t = &told[landing_turn ^ 1][k];

	t->steps = steps_to_send(step);
	t->batch = { true, SHUFFLE, step->seed, epoch, first, d->samples };
	t->results = landing_of(&landings[landing_turn ^ 1], k);
}

/* Launches them, and returns the ticket of the first's results; those behind it have the next
 * ones. */
static int
together_run(void)
{
	landing_turn ^= 1;
	CUDA(cudaMemcpyAsync(told_there, told[landing_turn], STEPS_TOGETHER * sizeof(**told), cudaMemcpyHostToDevice,
	    stream));
	CUDA(cudaGraphLaunch(together, stream));
	CUDA(cudaEventRecord(landings[landing_turn].landed, stream));
	return landing_turn * STEPS_TOGETHER;
}

/* A kernel that is launched first while a graph is captured has to be loaded by then; this does not
 * run it, as there is nothing yet that it is told. */
static void
together_load(const void *kernel)
{
	struct cudaFuncAttributes of;

	CUDA(cudaFuncGetAttributes(&of, kernel));
}

/* Before the first update, where samples stay. */
static void
together_open(const struct data *d)
{
	const struct gathering which = { true, false, 0, 0, 0, d->samples };

	CUDA(cudaGetSymbolAddress((void **)&told_there, told_on_device));
	for (int i = 0; i < 2; i++)
		told[i] = (struct told *)device_pinned(STEPS_TOGETHER * sizeof(**told));
	device_gathers(d->input, d->sent, d->inputs, TRAIN_BATCH, d->here, &which);
	together_load((const void *)ENTRY(gather_told_kernel));
	together_load((const void *)ENTRY(fetch_told_kernel));
	device_wait();
	together = together_captured(&arriving);
	arriving.n = 0;
	gathering.there = false;
}
#endif
