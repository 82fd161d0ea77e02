/*
 * validate.c - one pass over the validation data. Each rank has batches of its own, in turns; what
 * keeps something of each sample needs all of them. With PARTS batches are dealt out to as many
 * sums.
 */
#ifdef VALIDATES
/* Of those, as many as are asked for. */
static int64_t
validate_samples(const struct run *r)
{
	int64_t total = r->validate.samples, limit = r->option.batch_limit;

	return limit && limit < total / VALIDATE_BATCH ? limit * VALIDATE_BATCH : total;
}

/* Is there a batch of validation from AT on, for this rank, or where all must take part in each,
 * for any? */
static bool
validate_goes_on(int64_t at, int64_t first, int64_t total)
{
#if defined(PARAMETER_SHARDS) || defined(AVERAGE_SHARDS) || defined(SPLIT) || defined(STAGES)
	return at - first < total;
#else
	(void)first;
	return at < total && !interrupted;
#endif
}

/* Where the results of that step are added. */
static double *
validated_by(struct run *r, const struct flight *f)
{
#ifdef PARTS
	return r->part_valid[f->part];
#else
	(void)f;
	return r->valid;
#endif
}

/* One pass over the validation data; results go to r->valid, and what is to be predicted to its
 * files. False: it was interrupted, and there are no results. */
static bool
validate(struct run *r)
{
	int64_t total = validate_samples(r), from = 0, next = VALIDATE_BATCH;
	struct flight last = { 0 };
	bool flies = false;	/* its results are on their way */
	struct step step;

	memset(&step, 0, sizeof(step));
	step.update = r->state.update;
	step.seed = r->state.seed;
	step.share = 1;
#ifdef RANKS
#if !defined(KEEPS) && !defined(SPLIT) && !defined(STAGES)	/* each rank has whole batches, in turns; what keeps something of each sample needs all */
	from = ranks.rank * (int64_t)VALIDATE_BATCH;
	next = ranks.size * (int64_t)VALIDATE_BATCH;
#endif
	ranks_average_statistics();
	int64_t sent = ranks.sent;
#endif
#if defined(RANKS) || defined(PARTS)
	step.alike = &step;
#endif
	memset(r->valid, 0, sizeof(r->valid));
#ifdef KEEPS
	kept_begin();
#endif
	predictions_open_all(total);
	for (int64_t place = from; validate_goes_on(place, from, total); place += next) {
		int64_t at = place < total ? place : 0;		/* one that does not count */
		int64_t b = total - at < VALIDATE_BATCH ? total - at : VALIDATE_BATCH;

		step.draw = ~(uint64_t)(at / VALIDATE_BATCH);	/* other random numbers than in training */
#if defined(RANKS) || defined(PARTS)
		step.samples = b;
#endif
#if defined(RANKS) && (defined(KEEPS) || defined(SPLIT) || defined(STAGES))
		step.all = b * ranks_sharing();
#elif defined(RANKS)
		step.all = total - (place - from) < next ? total - (place - from) : next;
#endif
		data_batch(&r->validate, at, b, false, ~r->state.seed, 0);
#ifdef STAGES
		stage_expect(STEP_VALIDATE, b, 0);
		stage_run(STEP_VALIDATE, b, &step, 0);
#else
		device_run(STEP_VALIDATE, b, &step);
#endif
		if (flies)
			collect_results(last.ticket, validate_results, VALIDATE_RESULTS, last.b, validated_by(r, &last));
		last.ticket = device_fetch(validate_results, RESULTS_HERE ? VALIDATE_RESULTS : 0);
#ifdef PARTS
		last.part = at / VALIDATE_BATCH % PARTS;
#endif
		last.b = place < total && RESULTS_HERE ? b : 0;
		flies = true;
		predictions_write_all(last.b);
	}
	if (flies)
		collect_results(last.ticket, validate_results, VALIDATE_RESULTS, last.b, validated_by(r, &last));
#ifdef RANKS
	ranks_sent.before += ranks.sent - sent;		/* it is no part of an update */
#endif
#ifdef KEEPS
	kept_end(validate_results, VALIDATE_RESULTS);
#endif
#if defined(RANKS) && (defined(KEEPS) || defined(SPLIT))
	sum_over_ranks(r, r->valid, 0);		/* of none: each has all of them */
#elif defined(RANKS) && defined(PARTS)
	sum_over_ranks(r, r->part_valid[0], PARTS * RESULT_NUMBERS);
#elif defined(RANKS)
	sum_over_ranks(r, r->valid, RESULT_NUMBERS);
#endif
#ifdef PARTS
	sum_parts(r->part_valid[0], RESULT_NUMBERS, r->valid);
#endif
	if (is_to_stop(r)) {	/* all ranks do, or none */
		predictions_drop_all();
		return false;
	}
	predictions_close_all();
	r->validated = total;
	return true;
}

/* A run whose results are no numbers has not succeeded. */
static void
validate_finite(const struct run *r)
{
	for (int k = 0; k < VALIDATE_RESULTS; k++) {
		double value = result_value(validate_results, VALIDATE_RESULTS, k, r->valid, r->validated);

		if (validate_results[k].kind < RESULT_COUNTS && !isfinite(value))
			fail("validation %s is %g after update %lld: the training has diverged; try a "
			    "smaller learning rate, warm-up or clipping", validate_results[k].name, value,
			    (long long)r->state.update);
	}
}

static void
validate_open(struct run *r)
{
	if (!validate_source.reader)
		return;
	data_open(&r->validate, r->option.data, &validate_source, validate_inputs,
	    VALIDATE_INPUTS, VALIDATE_BATCH, r->option.predicts > 0);
#ifdef KEEPS
	kept_open(validate_results, VALIDATE_RESULTS, r->validate.samples);
#endif
	if (r->validate.lacks)
		fprintf(stderr, "%s: note: there are no targets: nothing is measured\n", PROGRAM);
}
#endif
