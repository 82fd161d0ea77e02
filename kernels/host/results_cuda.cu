/*
 * results_cuda.cu - how the results of steps come back: one launch writes all of a step's to pinned
 * memory of the host, which looks at them while the next step runs. There are two landings, which
 * take turns.
 */
struct landing {		/* the results of what was launched, eight bytes each, in the host's memory */
	unsigned char *bytes;	/* pinned, so that the device writes there: those of each step */
	cudaEvent_t landed;
};

static struct landing landings[2];
static int landing_turn;

#define FETCHED	64	/* results by one launch, whose arguments have 4 KiB */

struct fetched {
	const unsigned char *from[FETCHED];
	int at[FETCHED];
	int bytes[FETCHED];	/* 4 or 8 */
	int n;
};

DEVICE void
fetch_one(unsigned char *to, const struct fetched *f, int k)
{
	if (f->bytes[k] == 8)
		((uint64_t *)to)[f->at[k]] = *(const uint64_t *)f->from[k];
	else
		((uint32_t *)to)[2 * f->at[k]] = *(const uint32_t *)f->from[k];
}

/* One launch, where a copy of each would take its turn on the stream. */
KERNEL(fetch_kernel, (unsigned char *to, IN_PLACE(struct fetched) f))
{
	EACH (k, f.n)
		fetch_one(to, &f, (int)k);
}

/* Of N results those from the FIRST on, as many as one launch takes. */
static struct fetched
results_to_fetch(const struct result *result, int n, int first)
{
	struct fetched f;

	f.n = n - first < FETCHED ? n - first : FETCHED;
	for (int k = 0; k < f.n; k++) {
		f.from[k] = arena + result[first + k].offset;
		f.at[k] = (int)result[first + k].at;
		f.bytes[k] = type_table[result[first + k].type].bytes;
	}
	return f;
}

static unsigned char *
landing_of(const struct landing *l, int step)
{
	return l->bytes + step * (int64_t)RESULT_NUMBERS * 8;
}

static void
device_open_landings(void)
{
	for (int i = 0; i < 2; i++) {
		landings[i].bytes = (unsigned char *)device_pinned(FLIGHTS * (int64_t)RESULT_NUMBERS * 8);
		CUDA(cudaEventCreateWithFlags(&landings[i].landed, cudaEventDisableTiming));
	}
}

/* Asks for the results of the step that was started last. Of two launches they may be on their
 * way. */
static int
device_fetch(const struct result *result, int n)
{
	struct landing *l = &landings[landing_turn ^= 1];

	for (int first = 0; first < n; first += FETCHED) {
		struct fetched f = results_to_fetch(result, n, first);

		LAUNCH(fetch_kernel, f.n, (l->bytes, f));
	}
	for (int k = 0; k < n; k++)
		if (result[k].numbers > 1)
			CUDA(cudaMemcpyAsync(l->bytes + 8 * result[k].at, arena + result[k].offset,
			    (size_t)(8 * result[k].numbers), cudaMemcpyDeviceToHost, stream));
	CUDA(cudaEventRecord(l->landed, stream));
	for (int k = 0; k < n; k++)
		DEAD(result[k].buffer);
	return landing_turn * FLIGHTS;
}

/* Waits for them. What went wrong on the device since the last time is found here. */
static const unsigned char *
device_collect(int ticket)
{
	const struct landing *l = &landings[ticket / FLIGHTS];

	CUDA(cudaEventSynchronize(l->landed));
	CUDA(cudaGetLastError());
	return landing_of(l, ticket % FLIGHTS);
}
