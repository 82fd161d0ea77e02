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

/* A pass over the validation data, as far as it has come. */
struct validation {
	int64_t total, from, next;	/* samples; where this rank begins; from one of its batches to the next */
	struct step step;
	struct flight last;	/* whose results are on their way, */
	bool flies;		/* if any are */
};

static void
validation_begin(struct run *r, struct validation *v)
{
	memset(v, 0, sizeof(*v));
	v->total = validate_samples(r);
	v->next = VALIDATE_BATCH;
	v->step.update = r->state.update;
	v->step.seed = r->state.seed;
	v->step.share = 1;
#if defined(RANKS) && !defined(KEEPS) && !defined(SPLIT) && !defined(STAGES)	/* each rank has whole batches, in turns; what keeps something of each sample needs all */
	v->from = ranks.rank * (int64_t)VALIDATE_BATCH;
	v->next = ranks.size * (int64_t)VALIDATE_BATCH;
#endif
#if defined(RANKS) || defined(PARTS)
	v->step.alike = &v->step;
#endif
	memset(r->valid, 0, sizeof(r->valid));
#ifdef KEEPS
	kept_begin();
#endif
	predictions_open_all(v->total);
}

/* Of the batch that is on its way, if one is. */
static void
validation_collect(struct run *r, const struct validation *v)
{
	if (v->flies)
		collect_results(v->last.ticket, validate_results, VALIDATE_RESULTS, v->last.b, validated_by(r, &v->last));
}

/* The batch at PLACE begins before the results of the one before it are added. */
static void
validate_batch(struct run *r, struct validation *v, int64_t place)
{
	int64_t at = place < v->total ? place : 0;		/* one that does not count */
	int64_t b = v->total - at < VALIDATE_BATCH ? v->total - at : VALIDATE_BATCH;
	struct step *step = &v->step;

	step->draw = ~(uint64_t)(at / VALIDATE_BATCH);	/* other random numbers than in training */
#if defined(RANKS) || defined(PARTS)
	step->samples = b;
#endif
#if defined(RANKS) && (defined(KEEPS) || defined(SPLIT) || defined(STAGES))
	step->all = b * ranks_sharing();
#elif defined(RANKS)
	step->all = v->total - (place - v->from) < v->next ? v->total - (place - v->from) : v->next;
#endif
	data_batch(&r->validate, at, b, false, ~r->state.seed, 0);
#ifdef STAGES
	stage_expect(STEP_VALIDATE, b, 0);
	stage_run(STEP_VALIDATE, b, step, 0);
#else
	device_run(STEP_VALIDATE, b, step);
#endif
	validation_collect(r, v);
	v->last.ticket = device_fetch(validate_results, RESULTS_HERE ? VALIDATE_RESULTS : 0);
#ifdef PARTS
	v->last.part = at / VALIDATE_BATCH % PARTS;
#endif
	v->last.b = place < v->total && RESULTS_HERE ? b : 0;
	v->flies = true;
	predictions_write_all(v->last.b);
}

/* What all batches gave, of all ranks and parts. */
static void
validation_sum(struct run *r)
{
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
	(void)r;
}

/* One pass over the validation data; results go to r->valid, and what is to be predicted to its
 * files. False: it was interrupted, and there are no results. */
static bool
validate(struct run *r)
{
	struct validation v;

#ifdef RANKS
	ranks_average_statistics();
	int64_t sent = ranks.sent;
#endif
	validation_begin(r, &v);
	for (int64_t place = v.from; validate_goes_on(place, v.from, v.total); place += v.next)
		validate_batch(r, &v, place);
	validation_collect(r, &v);
#ifdef RANKS
	ranks_sent.before += ranks.sent - sent;		/* it is no part of an update */
#endif
#ifdef KEEPS
	kept_end(validate_results, VALIDATE_RESULTS);
#endif
	validation_sum(r);
	if (is_to_stop(r)) {	/* all ranks do, or none */
		predictions_drop_all();
		return false;
	}
	predictions_close_all();
	r->validated = v.total;
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
