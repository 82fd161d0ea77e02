/*
 * device_cuda.cu - the arena of a CUDA program, one cudaMalloc at start, and how steps get to run.
 *
 * A step of a whole batch is a CUDA graph, captured once: launching it costs the host next to
 * nothing. The step's numbers (learning rate, counters, seed) lie in a variable of the module, so
 * the same graph serves every step. The host stays one step ahead: it fills pinned memory with the
 * next batch, and asks for a step's results, while the device works; two of everything take turns,
 * and an event says when one may be used again.
 *
 *     host      fill 1 | fill 2         | collect 1, fill 3 | collect 2, fill 4 | ...
 *     stream            copy 1, step 1, results 1 | copy 2, step 2, results 2 | ...
 *
 * The driver loads a kernel's code, and libraries theirs, when it is first launched, which takes
 * memory of the device. So the steps are rehearsed once on an arena of zeros before anything is
 * put there: what cannot be launched or loaded is found out at start, and the first true step
 * allocates no more than the last.
 */
/* start values and checkpoints pass through it */
static unsigned char chunk[1 << 20] __attribute__((aligned(64)));

static int64_t arena_taken;	/* bytes by which the device's free memory shrank for the arena */
static int64_t code_taken;	/* for kernels' code, libraries and graphs */
static int64_t others_taken;	/* before all that: by the context, the driver and other programs */
static int64_t pinned_taken;	/* of the host's memory */

static __device__ struct step step_on_device;
static struct step *step_there;	/* its address */

struct turn {			/* what the host may not touch before the device is done with it */
	struct step *step;	/* pinned: the numbers of one step */
	cudaEvent_t step_taken;
	unsigned char *staging;	/* pinned: the inputs of one batch, one after the other */
	cudaEvent_t staging_taken;
	unsigned char *landing;	/* pinned: the results of one step, eight bytes each */
	cudaEvent_t landed;
};

static struct turn turns[2];
static int step_turn, staging_turn, landing_turn;
static int64_t staging_bytes, staging_used;

/* a whole batch of each step */
static const int64_t step_batch[STEPS_THERE] = {
#ifdef TRAINS
	TRAIN_BATCH, UPDATE_BATCH, VALIDATE_BATCH
#else
	0, 0, VALIDATE_BATCH
#endif
};

#ifndef LIBRARY
static cudaGraphExec_t graphs[STEPS_THERE][2];	/* [1]: any but an update's first micro-batch */
#endif

static int64_t
staging_for(const struct input *in, int n, int64_t batch)
{
	int64_t total = 0;

	for (int k = 0; k < n; k++)
		total += (in[k].elements * type_table[in[k].type].bytes * batch + 255) / 256 * 256;
	return total;
}

static void	device_wait(void);

static void
device_settle(char **argv)
{
	(void)argv;	/* no host threads whose waiting matters */
}

static void
device_clear(int value)
{
	CUDA(cudaMemsetAsync(arena, value, ARENA_BYTES, stream));
	CUDA(cudaStreamSynchronize(stream));
}

static void
device_call(int which, int64_t b)
{
#ifdef TRAINS
	if (which == STEP_TRAIN)
		train_step(b, step_there);
#endif
#ifdef UPDATES
	if (which == STEP_UPDATE)
		update_step(b, step_there);
#endif
#ifdef VALIDATES
	if (which == STEP_VALIDATE)
		validate_step(b, step_there);
#endif
}

/* The graph of a step, NULL where it is launched call by call: a smaller batch, predictions that are
 * read in its midst, the marks of --profile and of a check build. */
static cudaGraphExec_t
device_graph(int which, int64_t b, const struct step *step)
{
#if defined(LIBRARY) || defined(CHECK)
	(void)which, (void)b, (void)step;
	return NULL;
#else
	if (b != step_batch[which] || profiling)
		return NULL;
#ifdef VALIDATES
	if (predictions)
		return NULL;
#endif
	return graphs[which][step->keep != 0];
#endif
}

/* Starts a step of B samples, whose inputs are ready. */
static void
device_run(int which, int64_t b, const struct step *step)
{
	struct turn *t = &turns[step_turn ^= 1];
	cudaGraphExec_t graph = device_graph(which, b, step);

	CUDA(cudaEventSynchronize(t->step_taken));
	*t->step = *step;
	CUDA(cudaMemcpyAsync(step_there, t->step, sizeof(*step), cudaMemcpyHostToDevice, stream));
	CUDA(cudaEventRecord(t->step_taken, stream));
#ifdef BY_CUDNN
	step_on_host = t->step;
#endif
	if (graph)
		CUDA(cudaGraphLaunch(graph, stream));
	else
		device_call(which, b);
}

#ifndef LIBRARY
/* Runs a step once, so that all it needs is loaded, and captures it. */
static void
device_rehearse(int which, bool later)
{
	struct step step;
	cudaGraph_t graph;

	memset(&step, 0, sizeof(step));
	step.update = 1;
	step.share = 1;
	step.keep = later ? 1 : 0;
	device_run(which, step_batch[which], &step);
	device_wait();
#ifndef CHECK
	CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	device_call(which, step_batch[which]);
	CUDA(cudaStreamEndCapture(stream, &graph));
	CUDA(cudaGraphInstantiate(&graphs[which][later], graph, 0));
	CUDA(cudaGraphDestroy(graph));
	CUDA(cudaGraphUpload(graphs[which][later], stream));
	device_wait();
#else
	(void)graph;
#endif
}

static void
device_rehearse_all(void)
{
#ifdef TRAINS
	device_rehearse(STEP_TRAIN, false);
#ifdef UPDATES
	device_rehearse(STEP_TRAIN, true);
	device_rehearse(STEP_UPDATE, false);
#endif
#endif
#ifdef VALIDATES
	device_rehearse(STEP_VALIDATE, false);
#endif
}
#endif

static void *
device_pinned(int64_t bytes)
{
	void *p;

	CUDA(cudaMallocHost(&p, (size_t)bytes));
	pinned_taken += bytes;
	return p;
}

static void
device_open_turns(void)
{
	int64_t bytes = 256;

#ifdef TRAINS
	bytes += staging_for(train_inputs, TRAIN_INPUTS, TRAIN_BATCH);
#endif
#ifdef VALIDATES
	if (staging_for(validate_inputs, VALIDATE_INPUTS, VALIDATE_BATCH) + 256 > bytes)
		bytes = staging_for(validate_inputs, VALIDATE_INPUTS, VALIDATE_BATCH) + 256;
#endif
	staging_bytes = bytes;
	for (int i = 0; i < 2; i++) {
		struct turn *t = &turns[i];

		t->step = (struct step *)device_pinned(sizeof(*t->step));
		t->staging = (unsigned char *)device_pinned(staging_bytes);
		t->landing = (unsigned char *)device_pinned(MAX_RESULTS * 8);
		CUDA(cudaEventCreateWithFlags(&t->step_taken, cudaEventDisableTiming));
		CUDA(cudaEventCreateWithFlags(&t->staging_taken, cudaEventDisableTiming));
		CUDA(cudaEventCreateWithFlags(&t->landed, cudaEventDisableTiming));
	}
}

/* Bytes that are no longer free on the device. */
static int64_t
device_taken(void)
{
	size_t free_bytes, total;

	CUDA(cudaMemGetInfo(&free_bytes, &total));
	return (int64_t)(total - free_bytes);
}

static void
device_open_arena(void)
{
	int64_t before = device_taken();
	size_t free_bytes, total;

	if (cudaMalloc((void **)&arena, ARENA_BYTES) != cudaSuccess) {
		CUDA(cudaMemGetInfo(&free_bytes, &total));
		fail("the device refuses an arena of %lld bytes; %lld of %lld are free",
		    (long long)ARENA_BYTES, (long long)free_bytes, (long long)total);
	}
	arena_taken = device_taken() - before;
}

static void
device_open(void)
{
	CUDA(cudaFree(0));	/* makes the context, which is not the arena's to answer for */
	others_taken = device_taken();
	CUDA(cudaStreamCreate(&stream));
#ifdef USE_CUBLASLT
	CUBLAS(cublasLtCreate(&lt));
#endif
#ifdef BY_CUDNN
	CUDNN(cudnnCreate(&dnn_device.handle));
	CUDNN(cudnnSetStream(dnn_device.handle, stream));
	dnn_building = true;
#endif
	device_open_turns();
	CUDA(cudaGetSymbolAddress((void **)&step_there, step_on_device));
	device_open_arena();
	device_clear(0);
#ifndef LIBRARY
	device_rehearse_all();
#ifdef BY_CUDNN
	dnn_building = false;
#endif
#endif
	code_taken = device_taken() - others_taken - arena_taken;
#ifdef CHECK
	device_clear(0xff);	/* nothing is alive yet */
#else
	device_clear(0);
#endif
}

static void
device_write(int64_t offset, const void *from, int64_t bytes)
{
	CUDA(cudaMemcpyAsync(arena + offset, from, (size_t)bytes, cudaMemcpyHostToDevice, stream));
	CUDA(cudaStreamSynchronize(stream));
}

static void
device_read(void *to, int64_t offset, int64_t bytes)
{
	CUDA(cudaMemcpyAsync(to, arena + offset, (size_t)bytes, cudaMemcpyDeviceToHost, stream));
	CUDA(cudaStreamSynchronize(stream));
}

/* Where the host writes the batch of an input, before device_inputs_ready(). */
static void *
device_input(const struct input *in, int64_t batch)
{
	struct turn *t = &turns[staging_turn];
	void *at = t->staging + staging_used;

	if (staging_used == 0)
		CUDA(cudaEventSynchronize(t->staging_taken));
	staging_used += staging_for(in, 1, batch);
	return at;
}

static void
device_inputs_ready(const struct input *in, int n, int64_t batch)
{
	struct turn *t = &turns[staging_turn];
	int64_t at = 0;

	for (int k = 0; k < n; k++) {
		LIVE(in[k].buffer);
		CUDA(cudaMemcpyAsync(arena + in[k].offset, t->staging + at,
		    (size_t)(in[k].elements * type_table[in[k].type].bytes * batch),
		    cudaMemcpyHostToDevice, stream));
		at += staging_for(&in[k], 1, batch);
	}
	CUDA(cudaEventRecord(t->staging_taken, stream));
	staging_used = 0;
	staging_turn ^= 1;
}

/* Asks for the results of the step that was started last. At most two may be on their way. */
static int
device_fetch(const struct result *result, int n)
{
	struct turn *t = &turns[landing_turn ^= 1];

	for (int k = 0; k < n; k++)
		CUDA(cudaMemcpyAsync(t->landing + 8 * k, arena + result[k].offset,
		    (size_t)type_table[result[k].type].bytes, cudaMemcpyDeviceToHost, stream));
	CUDA(cudaEventRecord(t->landed, stream));
	for (int k = 0; k < n; k++)
		DEAD(result[k].buffer);
	return landing_turn;
}

/* Waits for them. What went wrong on the device since the last time is found here. */
static const unsigned char *
device_collect(int ticket)
{
	CUDA(cudaEventSynchronize(turns[ticket].landed));
	CUDA(cudaGetLastError());
	return turns[ticket].landing;
}

static void
device_wait(void)
{
	CUDA(cudaGetLastError());
	CUDA(cudaStreamSynchronize(stream));
}

static void
device_threads(int asked)
{
	if (asked)
		fail("--threads: the work is done by the GPU");
}
