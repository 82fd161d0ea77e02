/*
 * profile.c - --profile: the time between one node's mark and the next, added up by node. On a card
 * events tell (profile_cuda.cu).
 */
#ifndef __CUDACC__
static double profile_seconds[INSTANTS + 1];
static int profile_at = -1;
static double profile_since;

/* The node at INSTANT is about to run; -1: the step is over. */
static void
profile_mark(int instant)
{
	double t;

	device_wait();
	t = now();
	if (profile_at >= 0)
		profile_seconds[profile_at] += t - profile_since;
	profile_at = instant;
	profile_since = t;
}
#endif

/* Of this process. */
static void
profile_write(FILE *to)
{
	double total = 0;

	for (int k = 0; k < INSTANTS; k++)
		total += profile_seconds[k];
	fprintf(to, "\n%10s %7s  %s\n", "seconds", "share", "node");
	for (;;) {
		int top = -1;

		for (int k = 0; k < INSTANTS; k++)
			if (profile_seconds[k] > 0 &&
			    (top < 0 || profile_seconds[k] > profile_seconds[top]))
				top = k;
		if (top < 0)
			break;
		fprintf(to, "%10.4f %6.2f%%  %s\n", profile_seconds[top],
		    100 * profile_seconds[top] / total, node_names[top]);
		profile_seconds[top] = 0;
	}
	fprintf(to, "%10.4f %6.2f%%  all nodes\n", total, 100.0);
#ifdef __CUDACC__
	fprintf(to, "%10.4f          %lld steps, each from its beginning to the end of its last node\n", profile_steps_took,
	    (long long)profile_steps);
#endif
#if defined(STAGES) && !defined(__CUDACC__)
	fprintf(to, "%10.4f          waited for what others send\n", stage_waited);
#endif
#ifdef BY_CUDNN
	dnn_report(to);
#endif
}

static void
profile_report(void)
{
#ifdef STAGES
	ranks_write_each(profile_write);	/* each has nodes of its own */
#else
	profile_write(stdout);
#endif
}
