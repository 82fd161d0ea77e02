/*
 * branches_cuda.cu - calls of a step that do not wait for one another.
 *
 * While a step is captured, each branch of the plan is a stream, and what waits for a call of
 * another branch waits for an event: the step's graph gets those edges and no others. All begin
 * where the first one is, and it waits for the others at the end. A step that runs call by call (a
 * smaller batch, CHECK) runs them one after the other, as they are written.
 */
#if defined(LIBRARY) || defined(CHECK)

#define BRANCH(k)	((void)0)
#define AFTER(instant)	((void)0)
#define OVER(instant)	((void)0)

#else

#define BRANCH(k)	branch_to(k)
#define AFTER(instant)	branch_after(instant)
#define OVER(instant)	branch_over(instant)

[[maybe_unused]] static bool branching;	/* a step is captured; asked where there are branches */
static cudaStream_t branches[BRANCHES];	/* the first is that of everything else */
static cudaEvent_t branch_over_at[INSTANTS];

#ifndef INFERS
static void	profile_branch(int k);
static void	profile_after(int instant);
#endif

static void
branch_to(int k)
{
	if (!branching)
		return;
#ifndef INFERS
	if (profiling)
		profile_branch(k);
#endif
	stream = branches[k];
#ifdef BY_CUDNN
	CUDNN(cudnnSetStream(dnn_device.handle, stream));
#endif
}

static void
branch_after(int instant)
{
	if (!branching)
		return;
#ifndef INFERS
	if (profiling)
		profile_after(instant);
#endif
	CUDA(cudaStreamWaitEvent(stream, branch_over_at[instant], 0));
}

static void
branch_over(int instant)
{
	if (branching)
		CUDA(cudaEventRecord(branch_over_at[instant], stream));
}

/* Before a capture: streams and events are of no use after it. */
static void
branches_open(void)
{
	branches[0] = stream;
	for (int k = 1; k < BRANCHES; k++)
		CUDA(cudaStreamCreateWithFlags(&branches[k], cudaStreamNonBlocking));
	for (int i = 0; i < INSTANTS; i++)
		CUDA(cudaEventCreateWithFlags(&branch_over_at[i], cudaEventDisableTiming));
	branching = true;
}

static void
branches_close(void)
{
	branching = false;
	for (int k = 1; k < BRANCHES; k++)
		CUDA(cudaStreamDestroy(branches[k]));
	for (int i = 0; i < INSTANTS; i++)
		CUDA(cudaEventDestroy(branch_over_at[i]));
}

#endif
