/*
 * rank_log.c - --rank-logs FOLDER: what each rank knows of itself alone, in FOLDER/rank-N.jsonl.
 * For each update a line: the losses of the samples that are this rank's, how long it took, for how
 * much of that it waited for others, and its memory. What is of all ranks is in --log.
 */
struct rank_pace {		/* of an update */
	double seconds;		/* since the one before, or since its epoch began */
	int64_t waited;		/* nanoseconds of these */
};

struct rank_log {
	struct log log;
	char path[PATH_MAX];
	int64_t samples;	/* of the update under way that are this rank's: of a stage, all */
	double since;		/* when the last update was on its way, or its epoch began */
	int64_t waited;		/* nanoseconds in all until then */
};

/* A rank's folder may be its machine's own: each makes it. */
static void
rank_log_open(struct rank_log *l, const char *folder)
{
	int n;

	if (!folder)
		return;
	if (mkdir(folder, 0777) && errno != EEXIST)
		fail("%s: cannot be made: %s", folder, strerror(errno));
	n = snprintf(l->path, sizeof(l->path), "%s/rank-%d.jsonl", folder, ranks.rank);
	if (n >= (int)sizeof(l->path))
		fail("%s: %s", folder, strerror(ENAMETOOLONG));
	log_open(&l->log, l->path);
}

/* Who this is. */
static void
rank_log_start(struct rank_log *l)
{
	const struct rank_name *own = &rank_names[ranks.rank];

	if (!l->log.file)
		return;
	log_begin(&l->log, "start", 0);
	log_count(&l->log, "rank", ranks.rank);
	log_count(&l->log, "ranks", ranks.size);
	fprintf(l->log.file, ",\"host\":\"");
	for (const char *p = own->host; *p; p++)
		fputc((unsigned char)*p < ' ' || strchr("\"\\", *p) ? '?' : *p, l->log.file);
	fputc('"', l->log.file);
	log_count(&l->log, "process", own->pid);
	log_count(&l->log, "planned_bytes", ARENA_BYTES);
	log_line(&l->log);
}

/* An epoch begins. */
static void
rank_log_epoch(struct rank_log *l)
{
	l->since = now();
	l->waited = ranks.waited;
}

/* An update is on its way. */
static struct rank_pace
rank_log_pace(struct rank_log *l)
{
	double since = l->since;
	int64_t waited = l->waited;

	rank_log_epoch(l);
	return (struct rank_pace){ l->since - since, l->waited - waited };
}

/* Its results have landed: those of this rank's samples, of which it may have none. */
static void
rank_log_update(struct rank_log *l, int64_t epoch, int64_t update, const struct result *result, int results, const double *sum,
    const struct rank_pace *pace)
{
	int64_t samples = l->samples;

	l->samples = 0;
	if (!l->log.file)
		return;
	log_begin(&l->log, "update", update);
	log_count(&l->log, "epoch", epoch);
	log_count(&l->log, "update", update);
	log_count(&l->log, "samples", samples);
	if (samples)
		log_results(&l->log, "", result, results, sum, samples);
	log_number(&l->log, "", "seconds", pace->seconds);
	log_number(&l->log, "", "samples_per_second", (double)samples / pace->seconds);
	log_number(&l->log, "", "waited_seconds", 1e-9 * (double)pace->waited);
	log_count(&l->log, "resident_bytes", process_resident());
	log_line(&l->log);
}

static void
rank_log_end(struct rank_log *l, int64_t update)
{
	if (!l->log.file)
		return;
	log_begin(&l->log, "end", update);
	log_count(&l->log, "updates", update);
	log_count(&l->log, "planned_bytes", ARENA_BYTES);
	log_count(&l->log, "measured_bytes", arena_taken);
	log_count(&l->log, "peak_resident_bytes", process_peak());
	log_line(&l->log);
}
