/*
 * device_cuda.cu - the arena of a CUDA program, one cudaMalloc at start, and how steps get to run.
 *
 * A step of a whole batch is a CUDA graph, captured once: launching it costs the host next to
 * nothing. The step's numbers (learning rate, counters, seed) lie in a variable of the module, so
 * the same graph serves every step; what need not wait in it for one another may run at the same
 * time (branches_cuda.cu). The host stays one step ahead: it makes the next batch ready
 * (feed_cuda.cu), and asks for a step's results, while the device works; two of everything take
 * turns, and an event says when one may be used again.
 *
 * The driver loads a kernel's code, and libraries theirs, when it is first launched, which takes
 * memory of the device. So the steps are rehearsed once on an arena of zeros before anything is put
 * there, and so is the smaller last batch of an epoch: what cannot be launched or loaded is found
 * out at start, and the first true step allocates no more than the last. Which engines of the
 * libraries are the fastest is measured then (tune_cuda.cu). While the arena is taken, room for
 * that code is held, so that a plan beside which it would not fit is refused.
 */
#include "cores.c"
#ifdef RANKS
#include "update/exchange.cu"
#endif
#ifdef STAGES
#include "update/pipe.cu"
#endif

/* start values and checkpoints pass through it */
static unsigned char chunk[1 << 20] __attribute__((aligned(64)));

static int64_t arena_taken;	/* bytes by which the device's free memory shrank for the arena */
static int64_t code_taken;	/* for kernels' code, libraries and graphs */
static int64_t samples_taken;	/* for samples that stay there (samples.c) */
static int64_t others_taken;	/* before all that: by the context, the driver and other programs */
static int64_t pinned_taken;	/* of the host's memory */
[[maybe_unused]] static int code_arch;	/* for which kernels were compiled that run: 90 */

/* a whole batch of each step */
static const int64_t step_batch[STEPS_THERE] = {
#ifdef TRAINS
	TRAIN_BATCH, UPDATE_BATCH, VALIDATE_BATCH,
#ifdef BACK_APART
	TRAIN_BATCH, TRAIN_BATCH
#endif
#else
	0, 0, VALIDATE_BATCH
#endif
};

#ifndef LIBRARY
/* the smaller batch that ends an epoch of it; 0: there is none */
static int64_t last_batch[STEPS_THERE];

/* [1]: any but an update's first micro-batch; where steps leave updates out, one that makes none
 * but what every step does. Behind these two those of the next slot. Where the last micro-batch
 * begins what others do not, [1] is that one, and [2] any between. */
#ifdef BACK_APART
#define STEP_GRAPHS	(2 * SLOTS)
#elif defined(SENDS_LAST)
#define STEP_GRAPHS	SENDS_LAST
#else
#define STEP_GRAPHS	2
#endif
static cudaGraphExec_t graphs[STEPS_THERE][STEP_GRAPHS];
#endif

static void	device_wait(void);

#include "device_memory_cuda.cu"
#include "results_cuda.cu"
#include "ask_tiles_cuda.cu"
#include "tune_cuda.cu"
#include "profile_cuda.cu"
#include "cooperative_cuda.cu"

/* Work of the host whose loops threads share. */
static void
device_shared(void (*what)(void *), void *with)
{
	what(with);
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
#ifdef BACK_APART
	if (which == STEP_FORWARD)
		forward_step(b, step_there);
	if (which == STEP_BACKWARD)
		backward_step(b, step_there);
#elif defined(TRAINS)
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

#if !defined(LIBRARY) && !defined(CHECK)
/* Which of a whole batch's graphs it is; -1: there is none for what it does and leaves. */
static int
device_graph_of(int which, const struct step *step)
{
	bool later = step->keep != 0;

#ifdef LEAVES_OUT
	if (which == STEP_TRAIN && due != updates_due(1))
		return due == updates_due(2) ? 1 : -1;
#endif
#ifdef SENDS_LAST
	if (which == STEP_TRAIN && !later)
		return due ? -1 : 0;
	if (which == STEP_TRAIN)
		return due ? 1 : SENDS_LAST > 2 ? 2 : -1;
#endif
#ifdef BACK_APART
	if (which == STEP_FORWARD || which == STEP_BACKWARD)
		return 2 * step->slot + (which == STEP_BACKWARD && later);
#endif
	(void)which;
	return later;
}
#endif

/* The graph of a step, NULL where it is launched call by call: a smaller batch, predictions that
 * are read in its midst, the marks of a check build. */
static cudaGraphExec_t
device_graph(int which, int64_t b, const struct step *step)
{
#if defined(LIBRARY) || defined(CHECK)
	(void)which, (void)b, (void)step;
	return NULL;
#else
	int graph = b == step_batch[which] ? device_graph_of(which, step) : -1;

	if (graph < 0)
		return NULL;
#ifdef RANKS	/* all of them run a graph, or none: NCCL may do one otherwise than single calls */
	if (which != STEP_UPDATE && step->all < step_batch[which] * ranks_sharing())
		return NULL;
#endif
#ifdef VALIDATES
	for (int k = 0; k < PREDICTIONS; k++)
		if (kept[k])
			return NULL;
#endif
	return graphs[which][graph];
#endif
}

/* Starts a step of B samples, whose inputs are ready. */
static void
device_run(int which, int64_t b, const struct step *step)
{
	cudaGraphExec_t graph = device_graph(which, b, step);

	feed_step(step);
#ifdef BY_CUDNN
	step_on_host = step;
#endif
	if (graph) {
		CUDA(cudaGraphLaunch(graph, stream));
	} else {
		profile_begin(which, false);
		device_call(which, b);
	}
	profile_end(which, graph != NULL);
}

#ifndef LIBRARY
/* The numbers of a step of B samples that is rehearsed. */
static struct step
device_try(int64_t b)
{
	struct step step;

	memset(&step, 0, sizeof(step));
	step.update = 1;
	step.share = 1;
#ifdef RANKS
	step.samples = b;
#else
	(void)b;
#endif
	return step;
}

/* The numbers of a whole batch's step, which is of GRAPHS: the first of an update or a later one;
 * they count where such a step runs next. */
static const struct step *
device_try_whole(int which, int graph)
{
	static struct step step;
	bool later = graph % 2;

	step = device_try(step_batch[which]);
#ifdef RANKS
	step.alike = &step;
#endif
#ifdef LEAVES_OUT
	due = updates_due(later ? 2 : 1);
#else
	step.keep = later ? 1 : 0;
#endif
#ifdef SENDS_LAST
	due = graph == 1;
	step.keep = graph ? 1 : 0;
#endif
#ifdef BACK_APART
	step.slot = slot_now = graph / 2;
#endif
	return &step;
}

/* Runs a step once, so that all it needs is loaded. */
static void
device_rehearse(int which, int graph)
{
	device_run(which, step_batch[which], device_try_whole(which, graph));
	device_wait();
}

#ifndef CHECK
/* What is launched between these two is a graph, and not carried out. */
static void
capture_begin(void)
{
	branches_open();
	CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
}

static cudaGraphExec_t
capture_end(void)
{
	cudaGraphExec_t graph;
	cudaGraph_t captured;

	CUDA(cudaStreamEndCapture(stream, &captured));
	branches_close();
	CUDA(cudaGraphInstantiate(&graph, captured, 0));
	CUDA(cudaGraphDestroy(captured));
	CUDA(cudaGraphUpload(graph, stream));
	device_wait();
	return graph;
}

#ifdef COOPERATIVE
/* A list of calls as a graph of one launch. */
static cudaGraphExec_t
capture_list(const struct cooperative *list)
{
	capture_begin();
	CUDA(cooperative_launch(list));
	return capture_end();
}

/* The graph of the step's list in place of GRAPH, where that takes no longer. What is profiled are
 * calls. */
static cudaGraphExec_t
device_listed(int which, cudaGraphExec_t graph)
{
	cudaGraphExec_t other;
	bool slower;

	if (!cooperative_there || profiling)
		return graph;
	cooperative_begin();
	MEETS(1);
	device_call(which, step_batch[which]);
	cooperative_steps[which] = cooperative_end();
	if (!cooperative_steps[which].at)
		return graph;
	other = capture_list(&cooperative_steps[which]);
	slower = cooperative_time(other) > cooperative_time(graph);
	if (slower)
		cooperative_steps[which].at = NULL;
	CUDA(cudaGraphExecDestroy(slower ? other : graph));
	return slower ? graph : other;
}
#endif

static void
device_capture(int which, int graph)
{
	const struct step *step = device_try_whole(which, graph);

#ifdef BY_CUDNN
	step_on_host = step;
#else
	(void)step;
#endif
	capture_begin();
	profile_begin(which, true);
	device_call(which, step_batch[which]);
	graphs[which][graph] = capture_end();
#ifdef COOPERATIVE
	graphs[which][graph] = device_listed(which, graphs[which][graph]);
#endif
}
#else
static void
device_capture(int which, int graph)
{
	(void)which, (void)graph;
}
#endif

/* The last batch is launched call by call, but with sizes of its own. */
static void
device_rehearse_last(int which)
{
	struct step step = device_try(last_batch[which]);

	if (!last_batch[which])
		return;
#ifdef RANKS
	step.alike = &step;
#endif
#ifdef LEAVES_OUT
	due = updates_due(1);
#endif
#ifdef SENDS_LAST
	due = 1;
#endif
	device_run(which, last_batch[which], &step);
	device_wait();
}

#ifdef TRAINS
/* As many ranks as the plan is for; others validate. */
static bool
device_trains(void)
{
#ifdef RANKS
	return ranks.size == RANKS;
#else
	return true;
#endif
}
#endif

/* Does WHAT with all steps of whole batches. */
static void
device_each_step(void (*what)(int which, int graph))
{
#ifdef TRAINS
	if (device_trains()) {
#ifdef BACK_APART
		for (int slot = 0; slot < SLOTS; slot++) {
			what(STEP_FORWARD, 2 * slot);
			what(STEP_BACKWARD, 2 * slot);
#ifdef UPDATES
			what(STEP_BACKWARD, 2 * slot + 1);
#endif
		}
#else
		what(STEP_TRAIN, 0);
#if defined(UPDATES) || defined(LEAVES_OUT)
		what(STEP_TRAIN, 1);
#endif
#if defined(SENDS_LAST) && SENDS_LAST > 2
		what(STEP_TRAIN, 2);
#endif
#endif
#ifdef UPDATES
		what(STEP_UPDATE, 0);
#endif
	}
#endif
#ifdef VALIDATES
	what(STEP_VALIDATE, 0);
#endif
}

/* All steps run, so that it is known of what they are made, and what is the fastest is measured,
 * before they are captured. */
static void
device_rehearse_all(void)
{
	struct fetched none;

	none.n = 0;
	LAUNCH(fetch_kernel, 1, (landings[0].bytes, none));
#if defined(TUNES) && defined(RANKS) && !defined(STAGES)
	tune_share();
#endif
	device_each_step(device_rehearse);
#ifdef TRAINS
	if (device_trains()) {
#ifdef BACK_APART
		slot_now = 0;
		device_rehearse_last(STEP_FORWARD);
		device_rehearse_last(STEP_BACKWARD);
#else
		device_rehearse_last(STEP_TRAIN);
#endif
	}
#endif
#ifdef VALIDATES
	device_rehearse_last(STEP_VALIDATE);
#endif
#ifdef TUNES
	tune();
#endif
	profile_open();
#ifdef COOPERATIVE
	cooperative_open();
#endif
	device_each_step(device_capture);
}
#endif

/* 80 for compute capability 8.0 */
static int
device_arch(void)
{
	int device, major, minor;

	CUDA(cudaGetDevice(&device));
	CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
	CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
	return major * 10 + minor;
}

/* A program has code for the cards that it was built for, which others of their kind take, and
 * where it was built for all a form of it that the driver translates for newer ones. */
static void
device_needs_code(void)
{
	struct cudaFuncAttributes of;
	cudaError_t error = cudaFuncGetAttributes(&of, (const void *)ENTRY(begin_kernel));

	if (error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction ||
	    error == cudaErrorUnsupportedPtxVersion) {
		if (device_arch() < OLDEST_ARCH)
			fail("this card is of compute capability %d.%d, and programs are for %d.%d and newer",
			    device_arch() / 10, device_arch() % 10, OLDEST_ARCH / 10, OLDEST_ARCH % 10);
		fail("it was built for other cards than this one, of compute capability %d.%d: "
		    "`make -B ARCH=%d` builds it for this one, if nvcc knows that", device_arch() / 10,
		    device_arch() % 10, device_arch());
	}
	CUDA(error);
	code_arch = of.ptxVersion;
}

/* It runs, but not as fast as it might. */
[[maybe_unused]] static void
device_announce(void)
{
	if (code_arch != device_arch() && device_arch() >= OLDEST_ARCH)
		printf("note: kernels are those for compute capability %d.%d: `make -B ARCH=%d` builds them for this card\n",
		    code_arch / 10, code_arch % 10, device_arch());
}

static void
device_open(void)
{
	void *code;

	CUDA(cudaFree(0));	/* makes the context, which is not the arena's to answer for */
	device_needs_code();
	others_taken = device_taken();
	CUDA(cudaStreamCreate(&stream));
#ifdef USE_CUBLASLT
	CUBLAS(cublasLtCreate(&lt));
#endif
#ifdef BY_CUDNN
	CUDNN(cudnnCreate(&dnn_device.handle));
	CUDNN(cudnnSetStream(dnn_device.handle, stream));
	dnn_device.arch = device_arch();
#ifdef NONDETERMINISTIC
	dnn_device.any_order = true;
#endif
	dnn_building = true;
#endif
	feed_open();
	device_open_landings();
	code = device_take(CODE_BYTES, "the code of kernels and libraries");
	device_open_arena();
	CUDA(cudaFree(code));
#ifdef RANKS
	exchange_open();
#endif
#ifdef STAGES
	pipe_open(arena);
#endif
#ifdef GATES_PRODUCTS
	dense_gated_ask(arena, ARENA_BYTES);
#endif
#ifdef TILES_BY_GROUPS
	ask_tiles(arena, ARENA_BYTES);
#endif
	device_clear(0);
#ifndef LIBRARY
	device_rehearse_all();
#ifdef BY_CUDNN
	dnn_building = false;
#endif
#endif
#ifndef INFERS
	code_taken = device_taken() - others_taken - arena_taken;
#endif
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

static void
device_wait(void)
{
	CUDA(cudaGetLastError());
	CUDA(cudaStreamSynchronize(stream));
}

#ifndef LIBRARY
/* Epochs of the step end with a batch of B samples: 0 if with a whole one. */
static void
device_last(int which, int64_t b)
{
	last_batch[which] = b;
#ifdef BACK_APART
	if (which == STEP_TRAIN)
		last_batch[STEP_FORWARD] = last_batch[STEP_BACKWARD] = b;
#endif
}
#endif

/* The card; -1: the first, of ranks the one of that number among those of the machine. */
[[maybe_unused]] static void
device_choose(int gpu)
{
	int n = 0;
	cudaError_t error;

#ifdef RANKS
	if (gpu >= 0 && ranks.size > 1)
		fail("--gpu: each rank has the card of its number on its machine; CUDA_VISIBLE_DEVICES says which there are");
	gpu = ranks.size > 1 ? ranks.local : gpu;
#endif
	if (gpu < 0)
		return;
	if ((error = cudaGetDeviceCount(&n)) != cudaSuccess)
		fail("no NVIDIA GPU can be used: %s", cudaGetErrorString(error));
#ifdef RANKS
	if (n == 1 && ranks.size > 1)	/* whoever started it has chosen one for it */
		gpu = 0;
	if (gpu >= n && ranks.size > 1)
		fail("rank %d is number %d of its machine, counted from 0, and there are %d cards: a rank needs one of its own",
		    ranks.rank, gpu, n);
#endif
	if (gpu >= n)
		fail("--gpu %d: there are %d, counted from 0", gpu, n);
	CUDA(cudaSetDevice(gpu));
}

/* Those of the host read and convert batches. */
static void
device_threads(int asked)
{
	if (asked)
		fail("--threads: the work is done by the GPU");
#ifdef _OPENMP
	omp_set_num_threads(cores_allowed());
#endif
}
