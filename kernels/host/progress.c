/*
 * progress.c - what the user sees while it trains: a bar on a terminal, plain lines elsewhere.
 */
struct progress {
	bool terminal, quiet;
	const struct result *result;
	int results;
	double started;		/* this epoch, in seconds */
	double drawn;		/* when the bar was last drawn, or a plain line written */
	int64_t start_position;
};

static char progress_buffer[1 << 16];	/* stdio's, so that it need not take its own */

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
progress_open(struct progress *p, bool quiet)
{
	memset(p, 0, sizeof *p);
	p->terminal = isatty(1) && !quiet;
	p->quiet = quiet;
	setvbuf(stdout, progress_buffer, _IOLBF, sizeof(progress_buffer));
}

static void
clear_bar(void)
{
	if (bar_is_drawn)
		fputs("\r\033[K", stdout);
	bar_is_drawn = false;
}

/* The K-th of N results, from the sums over so many samples. What weighs nothing is 0. */
static double
result_value(const struct result *result, int n, int k, const double *sum, int64_t samples)
{
	const struct result *r = &result[k];
	double total = 0;

#ifdef KEEPS
	if (r->kind == RESULT_KEPT)
		return keepings[k].made;
#endif
	if (r->kind == RESULT_COUNTS)
		return r->of(sum + r->at, r->numbers);
	if (r->kind == RESULT_TOTAL) {
		for (int i = 0; i < n; i++)
			if (result[i].loss && result[i].kind == RESULT_MEAN)
				total += result_value(result, n, i, sum, samples);
		return total;
	}
	if (k + 1 < n && result[k + 1].kind == RESULT_WEIGHT)
		return sum[r[1].at] > 0 ? sum[r->at] / sum[r[1].at] : 0;
	return sum[r->at] / (double)samples;
}

static void
print_results(const struct result *result, int n, const double *sum, int64_t samples,
    const char *prefix)
{
	for (int k = 0; k < n; k++)
		if (result[k].kind != RESULT_WEIGHT)
			printf("  %s%s %.4f", prefix, result[k].name, result_value(result, n, k, sum, samples));
}

/* "1:23:45", "4:05" */
static const char *
clock_text(char *buf, size_t size, double seconds)
{
	long long s = seconds < 0 ? 0 : seconds > 1e9 ? 1000000000 : (long long)(seconds + 0.5);

	if (s >= 3600)
		snprintf(buf, size, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(buf, size, "%lld:%02lld", s / 60, s % 60);
	return buf;
}

static void
progress_epoch(struct progress *p, const struct result *result, int results, int64_t position)
{
	p->result = result;
	p->results = results;
	p->started = p->drawn = now();
	p->start_position = position;
}

/* After each update: DONE of TOTAL samples of epoch EPOCH (from 1). */
static void
progress_step(struct progress *p, int64_t epoch, int64_t done, int64_t total, const double *sum)
{
	double t = now(), passed = t - p->started;
	double rate = passed > 0 ? (double)(done - p->start_position) / passed : 0;
	int filled = (int)(24 * done / (total ? total : 1));
	char left[24];

	if (p->quiet || t - p->drawn < (p->terminal ? 0.1 : 30))
		return;
	p->drawn = t;
	clock_text(left, sizeof(left), rate > 0 ? (double)(total - done) / rate : 0);
	if (p->terminal) {
		clear_bar();
		printf("epoch %lld  [%.*s%*s] %3d%%", (long long)epoch, filled,
		    "########################", 24 - filled, "", (int)(100 * done / (total ? total : 1)));
	} else {
		printf("epoch %lld  %lld of %lld samples", (long long)epoch, (long long)done,
		    (long long)total);
	}
	print_results(p->result, p->results, sum, done, "");
	printf("  %.0f samples/s  %s left", rate, left);
	if (!p->terminal)
		putchar('\n');
	bar_is_drawn = p->terminal;
	fflush(stdout);
}

/* One line for the epoch; VALID is NULL when there is no validation. */
static void
progress_epoch_done(struct progress *p, int64_t epoch, int64_t done, const double *sum,
    const struct result *valid_result, int valid_results, const double *valid, int64_t validated)
{
	double passed = now() - p->started;

	clear_bar();
	if (p->quiet)
		return;
	printf("epoch %lld", (long long)epoch);
	print_results(p->result, p->results, sum, done, "");
	if (valid)
		print_results(valid_result, valid_results, valid, validated, "validation ");
	printf("  %.0f samples/s\n", passed > 0 ? (double)(done - p->start_position) / passed : 0);
	fflush(stdout);
}
