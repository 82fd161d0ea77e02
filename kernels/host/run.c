/*
 * run.c - what a run knows, and how the results of its steps come in: the host stays one step ahead
 * of a device, so that a step's results are looked at when the next one runs.
 *
 * Where ranks train together, sums are over all of them. With PARTS, the batch of an update is as
 * many parts, whatever the number of ranks, and each rank makes some of them one after the other.
 * What comes of a part is the same wherever it is made, so all sums over parts are made in one
 * order of them.
 */
struct flight {			/* a step whose results are on their way */
	int ticket;		/* for device_collect() */
	int64_t b;		/* samples that count */
#ifdef PARTS
	int64_t part;		/* of all of the update */
#endif
	bool updates;		/* the last micro-batch of an update, after which: */
	int64_t update, epoch, position, samples;
	double lr;
#ifdef RANKS
	struct rank_pace pace;
#endif
};

struct run {
	struct options option;
	struct state state;
	struct progress progress;
	struct log log;
#ifdef RANKS
	struct rank_log own;	/* of this rank alone */
#endif
	struct data train, validate;
	int64_t epoch_samples, epoch_updates;
	int64_t updates;	/* in all, as far as the schedule goes */
	int64_t stop;		/* after so many: updates, or --steps */
	struct flight flight[FLIGHTS];
	int flying;		/* so many of them */
	double sum[MAX_RESULTS];	/* over the micro-batches of an update that have landed */
	double valid[RESULT_NUMBERS];	/* sums over the last validation */
	int64_t validated;
#ifdef PARTS
	double part_sum[PARTS][MAX_RESULTS];	/* of an update's parts; what others make is 0 */
	double part_valid[PARTS][RESULT_NUMBERS];	/* of batches of validation, dealt out to as many */
#endif
#ifdef RANKS
	bool ends;		/* one of the ranks was interrupted, and all know it */
#endif
};

static void
on_signal(int signal_number)
{
	interrupted = signal_number;
#ifdef RANKS
	ranks_call();
#endif
}

/* Those that were ignored when the program started stay so: nohup, jobs in the background of a
 * script. */
static void
listen_to_signals(void)
{
	static const int ends[] = {SIGHUP, SIGINT, SIGTERM};

	for (int k = 0; k < 3; k++)
		if (signal(ends[k], on_signal) == SIG_IGN)
			signal(ends[k], SIG_IGN);
}

static double
landed_number(const unsigned char *landed, const struct result *result, int64_t i)
{
	double value;
	float f;

	if (result->type == TYPE_F64) {
		memcpy(&value, landed + 8 * (result->at + i), sizeof(value));
		return value;
	}
	memcpy(&f, landed + 8 * result->at, sizeof(f));
	return f;
}

/* Is all to end here? */
static bool
is_to_stop(const struct run *r)
{
#ifdef RANKS
	return r->ends;
#else
	(void)r;
	return interrupted;
#endif
}

/* Are results of a step here? Of the stages of a pipeline the last alone has them. */
#ifndef RESULTS_HERE
#define RESULTS_HERE	true
#endif

#ifdef RANKS
/* Numbers of a step, or of more, become those of all ranks; a rank that was interrupted tells the
 * others. */
static void
sum_over_ranks(struct run *r, double *sum, int n)
{
	double ends = interrupted != 0;

	ranks_sum(sum, n);
	ranks_sum(&ends, 1);
	if (ends > 0 && !interrupted)
		interrupted = SIGTERM;
	r->ends = ends > 0;
}
#endif

#ifdef PARTS
/* Adds to SUM what all parts have, N numbers each, in their order, and clears that. */
static void
sum_parts(double *part, int n, double *sum)
{
	for (int k = 0; k < PARTS * n; k++)
		sum[k % n] += part[k];
	memset(part, 0, (size_t)(PARTS * n) * sizeof(*part));
}
#endif

/* Adds the results of a step of B samples to SUM: means times what they weigh, and counts. */
static void
collect_results(int ticket, const struct result *result, int n, int64_t b, double *sum)
{
	const unsigned char *landed = device_collect(ticket);

#if defined(RANKS) || defined(PARTS)
	if (!b)		/* a sample that does not count */
		return;
#endif
	for (int k = 0; k < n; k++) {
		bool weighed = k + 1 < n && result[k + 1].kind == RESULT_WEIGHT;
		double by = weighed ? landed_number(landed, &result[k + 1], 0) : (double)b;

#ifdef KEEPS
		if (result[k].kind == RESULT_KEPT) {
			kept_add(result, k, landed, b);
			continue;
		}
#endif
		if (result[k].kind == RESULT_COUNTS || result[k].kind == RESULT_WEIGHT)
			by = 1;
		for (int64_t i = 0; i < result[k].numbers; i++)
			sum[result[k].at + i] += landed_number(landed, &result[k], i) * by;
	}
}
