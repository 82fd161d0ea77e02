/*
 * stages.c - a stage of a pipeline runs its steps: what each receives is there when it begins, and
 * what the next micro-batch of its kind receives comes meanwhile (update/pipe.cu).
 *
 *     expect 0 | arrive 0, expect 1, step 0 | arrive 1, expect 2, step 1 | ... | arrive n, step n
 */
#ifndef STOWAGE_HOST_STAGES_C
#define STOWAGE_HOST_STAGES_C

#ifndef __CUDACC__
static double stage_waited;	/* seconds, for what others send: for --profile */
#endif

/* Samples of micro-batch K of an update of so many; 0: it has none. */
static int64_t
stage_batch(int64_t samples, int64_t k)
{
	int64_t left = samples - k * TRAIN_BATCH;

	return left < 0 ? 0 : left < TRAIN_BATCH ? left : TRAIN_BATCH;
}

/* Does that step receive from later stages? */
static bool
stage_is_back(int which)
{
#ifdef BACK_APART
	return which == STEP_BACKWARD;
#else
	(void)which;
	return false;
#endif
}

/* What step WHICH of that micro-batch, of B samples, receives begins to come. */
static void
stage_expect(int which, int64_t b, int64_t micro)
{
	struct step step;

	memset(&step, 0, sizeof(step));
	step.micro = micro;
#ifdef BACK_APART
	if (which == STEP_FORWARD)
		forward_step_expect(b, &step);
	if (which == STEP_BACKWARD)
		backward_step_expect(b, &step);
#else
	if (which == STEP_TRAIN)
		train_step_expect(b, &step);
#endif
#ifdef VALIDATES
	if (which == STEP_VALIDATE)
		validate_step_expect(b, &step);
#endif
#ifdef __CUDACC__
	pipe_receives_begin(stage_is_back(which));
#endif
}

#ifdef __CUDACC__
/* What has landed for the step goes where it reads it. */
static void
stage_move(int which, int64_t b, const struct step *step)
{
#ifdef BACK_APART
	if (which == STEP_FORWARD)
		forward_step_move(b, step);
	if (which == STEP_BACKWARD)
		backward_step_move(b, step);
#else
	if (which == STEP_TRAIN)
		train_step_move(b, step);
#endif
#ifdef VALIDATES
	if (which == STEP_VALIDATE)
		validate_step_move(b, step);
#endif
}

/* What the step has made for others begins to go. */
static void
stage_send(int which, int64_t b, const struct step *step)
{
#ifdef BACK_APART
	if (which == STEP_FORWARD)
		forward_step_send(b, step);
	if (which == STEP_BACKWARD)
		backward_step_send(b, step);
#else
	if (which == STEP_TRAIN)
		train_step_send(b, step);
#endif
#ifdef VALIDATES
	if (which == STEP_VALIDATE)
		validate_step_send(b, step);
#endif
	pipe_sends_begin(false);
	pipe_sends_begin(true);
}
#endif

/* An update of so many samples begins. */
static void
stage_begins(int64_t samples)
{
#ifdef BACK_APART
	stage_expect(STEP_FORWARD, stage_batch(samples, 0), 0);
	stage_expect(STEP_BACKWARD, stage_batch(samples, 0), 0);
#else
	stage_expect(STEP_TRAIN, stage_batch(samples, 0), 0);
#endif
}

/* Runs a step of B samples, of which the next micro-batch has so many; 0: there is none. */
static void
stage_run(int which, int64_t b, const struct step *step, int64_t next)
{
#ifdef __CUDACC__
#ifdef BACK_APART
	slot_now = step->slot;
#endif
	pipe_arrive(stage_is_back(which));
	stage_move(which, b, step);
#else
	double since = now();

	pipe_arrive(stage_is_back(which), step->micro);
	stage_waited += now() - since;
#endif
	if (next)
		stage_expect(which, next, step->micro + 1);
	device_run(which, b, step);
#ifdef __CUDACC__
	stage_send(which, b, step);
#endif
}

#ifdef BACK_APART
/* The inputs that come next are those of that slot. */
static void
stage_slot(int64_t slot, bool first)
{
	slot_now = slot;
	slot_first = first;
}
#endif

#endif
