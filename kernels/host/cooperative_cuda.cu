/*
 * cooperative_cuda.cu - steps as lists of launches that one kernel carries out (cooperative.h).
 *
 * Such a kernel needs all of its blocks to run at the same time, so they are as many as the card
 * has room for, and it is launched as a cooperative one. Whether that takes less time than a launch
 * for each call is measured, before anything is trained: both are the same functions, and give the
 * same bits. A card or a driver that does not take such a kernel into a graph has the launches.
 */
#ifdef COOPERATIVE

#define COOPERATIVE_RUNS	20	/* of either, of which the fastest counts */

static __device__ __align__(16) unsigned char cooperative_on_device[COOPERATIVE];	/* the lists */
static __align__(16) unsigned char cooperative_here[COOPERATIVE];

struct cooperative {		/* a list */
	const unsigned char *at;	/* on the device; NULL: there is none */
	int64_t bytes;
	int blocks;
	size_t given;		/* of shared memory */
};

static unsigned char *cooperative_there;	/* where lists lie; NULL: there are none */
static int64_t cooperative_used;	/* bytes of those so far */
[[maybe_unused]] static struct cooperative cooperative_steps[STEPS_THERE];

/* Blocks that run at the same time with so much shared memory; 0: none do. */
static int
cooperative_blocks(size_t given)
{
	static size_t most;	/* a list that has less leaves that to others */
	int device = 0, processors = 0, each = 0;

	most = given > most ? given : most;
	CUDA(cudaGetDevice(&device));
	CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
	if (cudaFuncSetAttribute(grid_step_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most) != cudaSuccess ||
	    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, grid_step_kernel, BLOCK, given) != cudaSuccess) {
		cudaGetLastError();
		return 0;
	}
	return each * processors;
}

static cudaError_t
cooperative_launch(const struct cooperative *c)
{
	const unsigned char *list = c->at;
	int64_t bytes = c->bytes;
	void *with[] = { &list, &bytes };

	return cudaLaunchCooperativeKernel(grid_step_kernel, dim3((unsigned)c->blocks), dim3(BLOCK), with, c->given, stream);
}

/* Does a graph take such a kernel? One that has nothing to do is tried. */
static bool
cooperative_works(void)
{
	struct cooperative none = { cooperative_there, 0, 1, 0 };
	cudaGraph_t captured = NULL;
	cudaGraphExec_t graph = NULL;
	bool works;

	CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	works = cooperative_launch(&none) == cudaSuccess;
	works = cudaStreamEndCapture(stream, &captured) == cudaSuccess && works;
	works = works && cudaGraphInstantiate(&graph, captured, 0) == cudaSuccess;
	works = works && cudaGraphLaunch(graph, stream) == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess;
	if (graph)
		cudaGraphExecDestroy(graph);
	if (captured)
		cudaGraphDestroy(captured);
	cudaGetLastError();
	return works;
}

/* Before the first list. */
[[maybe_unused]] static void
cooperative_open(void)
{
	int device = 0, can = 0;

	CUDA(cudaGetDevice(&device));
	CUDA(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, device));
	if (!can || !cooperative_blocks(0))
		return;
	CUDA(cudaGetSymbolAddress((void **)&cooperative_there, cooperative_on_device));
	if (!cooperative_works())
		cooperative_there = NULL;
}

static void
cooperative_begin(void)
{
	memset(&grid_list, 0, sizeof(grid_list));
	grid_list.open = true;
	grid_list.bytes = cooperative_here + cooperative_used;
	grid_list.room = COOPERATIVE - cooperative_used;
}

/* The list of what would have been launched since; there is none where it has no room. */
static struct cooperative
cooperative_end(void)
{
	struct cooperative c = { NULL, grid_list.at, 0, grid_list.given };
	int most = cooperative_blocks(c.given);

	grid_list.open = false;
	if (!most || !c.bytes || c.bytes > grid_list.room)
		return c;
	c.at = cooperative_there + cooperative_used;
	c.blocks = grid_list.blocks < most ? grid_list.blocks : most;
	CUDA(cudaMemcpyAsync(cooperative_there + cooperative_used, grid_list.bytes, (size_t)c.bytes, cudaMemcpyHostToDevice, stream));
	CUDA(cudaStreamSynchronize(stream));
	cooperative_used += c.bytes;
	return c;
}

/* The fastest of some runs of a graph, in milliseconds. */
[[maybe_unused]] static float
cooperative_time(cudaGraphExec_t graph)
{
	cudaEvent_t from, to;
	float least = 0, ms;

	CUDA(cudaEventCreate(&from));
	CUDA(cudaEventCreate(&to));
	for (int i = 0; i < COOPERATIVE_RUNS; i++) {
		CUDA(cudaEventRecord(from, stream));
		CUDA(cudaGraphLaunch(graph, stream));
		CUDA(cudaEventRecord(to, stream));
		CUDA(cudaEventSynchronize(to));
		CUDA(cudaEventElapsedTime(&ms, from, to));
		least = !i || ms < least ? ms : least;
	}
	CUDA(cudaEventDestroy(from));
	CUDA(cudaEventDestroy(to));
	return least;
}

#endif
