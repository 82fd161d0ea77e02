/*
 * profile_cuda.cu - --profile on a card: how long each node takes in the step as it runs, which is
 * one captured graph.
 *
 * An event behind each node's calls, on its branch, says when they were over. They began when what
 * they wait for was: the node before on that branch, and those of other branches.
 *
 *     branch 0   a ----|b ------|        |d --|        d takes from the later end of b and c
 *     branch 1         |c --------------|
 *
 * A step that runs call by call (a smaller batch) has the same events, one after the other. They
 * take time themselves, so that a step is slower than without them. Where NVTX's header is, a
 * node's calls are in a range by its path, as the host makes them: while the step is captured, or
 * call by call.
 */
#ifndef INFERS

#ifdef NVTX_VERSION
#define RANGE_BEGIN(name)	nvtxRangePushA(name)
#define RANGE_END()	nvtxRangePop()
#else
#define RANGE_BEGIN(name)	((void)0)
#define RANGE_END()	((void)0)
#endif

static double profile_seconds[INSTANTS + 1];
static double profile_steps_took;	/* seconds, of so many: */
static int64_t profile_steps;

/* How the calls of a step wait for one another, captured [1] and call by call [0]. */
static struct profile_node {
	int step;		/* 1 + that of which it is; 0: of none */
	int on;			/* which branch */
	int after[BRANCHES];	/* the last node on each branch that it waits for, or -1 */
} profile_nodes[2][INSTANTS + 1];

static struct {
	cudaEvent_t begin, over[INSTANTS + 1];	/* of the step, of each node */
	struct profile_node *nodes;	/* those at hand */
	int step, open, on;
	int last[BRANCHES];	/* the node before on each branch, or -1 */
} profile;

/* Before the steps are captured. */
static void
profile_open(void)
{
	if (!profile_asked)
		return;
	profiling = true;
	CUDA(cudaEventCreate(&profile.begin));
	for (int i = 0; i < INSTANTS; i++)
		CUDA(cudaEventCreate(&profile.over[i]));
}

static void
profile_record(cudaEvent_t event)
{
	CUDA(cudaEventRecordWithFlags(event, stream, profile.nodes == profile_nodes[1] ? cudaEventRecordExternal :
	    cudaEventRecordDefault));
}

/* The calls of a step begin. */
static void
profile_begin(int which, bool captured)
{
	if (!profiling)
		return;
	profile.nodes = profile_nodes[captured];
	profile.step = 1 + which;
	profile.open = -1;
	profile.on = 0;
	for (int k = 0; k < BRANCHES; k++)
		profile.last[k] = -1;
	profile_record(profile.begin);
}

/* The calls of the node at INSTANT do, and those of the one before have been made; -1: all have. */
static void
profile_mark(int instant)
{
	struct profile_node *n = &profile.nodes[instant < 0 ? INSTANTS : instant];

	if (profile.open >= 0) {
		profile_record(profile.over[profile.open]);
		profile.last[profile.on] = profile.open;
		RANGE_END();
	}
	profile.open = instant;
	if (instant < 0)
		return;
	n->step = profile.step;
	n->on = profile.on;
	for (int k = 0; k < BRANCHES; k++)
		n->after[k] = k == n->on ? profile.last[k] : -1;
	RANGE_BEGIN(node_names[instant]);
}

/* They are on another branch. */
static void
profile_branch(int k)
{
	struct profile_node *n = &profile.nodes[profile.open < 0 ? INSTANTS : profile.open];

	profile.on = k;
	if (profile.open < 0)
		return;
	n->after[n->on] = -1;
	n->on = k;
	n->after[k] = profile.last[k];
}

/* They wait for a call of the node at INSTANT, or of one before it that made that, too. */
static void
profile_after(int instant)
{
	struct profile_node *n = &profile.nodes[profile.open < 0 ? INSTANTS : profile.open];

	while (instant > 0 && profile.nodes[instant].step != profile.step)
		instant--;
	if (profile.open >= 0 && instant > n->after[profile.nodes[instant].on])
		n->after[profile.nodes[instant].on] = instant;
}

/* When the step is over: adds what its nodes took. */
static void
profile_end(int which, bool captured)
{
	static double over[INSTANTS + 1];
	double last = 0;

	if (!profiling)
		return;
	device_wait();
	for (int i = 0; i < INSTANTS; i++) {
		const struct profile_node *n = &profile_nodes[captured][i];
		double begin = 0;
		float ms;

		if (n->step != 1 + which)
			continue;
		CUDA(cudaEventElapsedTime(&ms, profile.begin, profile.over[i]));
		over[i] = ms / 1e3;
		for (int k = 0; k < BRANCHES; k++)
			if (n->after[k] >= 0 && over[n->after[k]] > begin)
				begin = over[n->after[k]];
		profile_seconds[i] += over[i] > begin ? over[i] - begin : 0;
		last = over[i] > last ? over[i] : last;
	}
	profile_steps_took += last;
	profile_steps++;
}

#else

static void profile_open(void) {}
static void profile_begin(int, bool) {}
static void profile_end(int, bool) {}

#endif
