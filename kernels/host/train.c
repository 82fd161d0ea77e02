/*
 * train.c - the loop: epochs of updates of micro-batches, validation, checkpoints.
 *
 *     update   = UPDATE_BATCH samples, in micro-batches of TRAIN_BATCH; the last of an epoch may
 *                have fewer of either
 *     position = samples of the epoch that are done; a checkpoint is written between updates only,
 *                so (epoch, position, update, draw) and the tensors are all there is to remember
 *
 * Where ranks train together, all of this is of all of them: each takes its share of every micro-batch, and they go
 * through updates, epochs, validation and checkpoints at the same places, by the same numbers, which are sums over all.
 *
 * With PARTS, the batch of an update is as many parts, whatever the number of ranks, and each rank makes some of them one after the
 * other. What comes of a part is the same wherever it is made, so all sums over parts are made in one order of them.
 *
 * The host stays one step ahead of a device: a step's results are looked at when the next one runs,
 * and before anything else is done with what it changed (land()).
 *
 * Nothing here allocates: what the loop needs was taken before it.
 */
struct flight {			/* a step whose results are on their way */
	bool there;
	int ticket;		/* for device_collect() */
	int64_t b;		/* samples that count */
#ifdef PARTS
	int64_t part;		/* of all of the update */
#endif
	bool updates;		/* the last micro-batch of an update, after which: */
	int64_t update, epoch, position, samples;
	double lr;
};

struct run {
	struct options option;
	struct state state;
	struct progress progress;
	struct log log;
	struct data train, validate;
	int64_t epoch_samples, epoch_updates;
	int64_t updates;	/* in all, as far as the schedule goes */
	int64_t stop;		/* after so many: updates, or --steps */
	struct flight flight;
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
}

/* Those that were ignored when the program started stay so: nohup, jobs in the background of a script. */
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

#ifdef RANKS
/* Numbers of a step, or of more, become those of all ranks; a rank that was interrupted tells the others. */
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

#ifdef VALIDATES
/* Of those, as many as are asked for. */
static int64_t
validate_samples(const struct run *r)
{
	int64_t total = r->validate.samples, limit = r->option.batch_limit;

	return limit && limit < total / VALIDATE_BATCH ? limit * VALIDATE_BATCH : total;
}

/* Is there a batch of validation from AT on, for this rank, or where all must take part in each, for any? */
static bool
validate_goes_on(int64_t at, int64_t first, int64_t total)
{
#ifdef PARAMETER_SHARDS
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

/* One pass over the validation data; results go to r->valid, and what is to be predicted to its files. False: it was
 * interrupted, and there are no results. */
static bool
validate(struct run *r)
{
	int64_t total = validate_samples(r), from = 0, next = VALIDATE_BATCH;
	struct flight last = { 0 };
	struct step step;

	memset(&step, 0, sizeof(step));
	step.update = r->state.update;
	step.seed = r->state.seed;
	step.share = 1;
#ifdef RANKS
#ifndef KEEPS	/* each rank has whole batches, in turns; what keeps something of each sample needs all of them */
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
#if defined(RANKS) && defined(KEEPS)
		step.all = b * ranks.size;
#elif defined(RANKS)
		step.all = total - (place - from) < next ? total - (place - from) : next;
#endif
		data_batch(&r->validate, at, b, false, ~r->state.seed, 0);
		device_run(STEP_VALIDATE, b, &step);
		if (last.there)
			collect_results(last.ticket, validate_results, VALIDATE_RESULTS, last.b, validated_by(r, &last));
		last.ticket = device_fetch(validate_results, VALIDATE_RESULTS);
#ifdef PARTS
		last.part = at / VALIDATE_BATCH % PARTS;
#endif
		last.b = place < total ? b : 0;
		last.there = true;
		predictions_write_all(last.b);
	}
	if (last.there)
		collect_results(last.ticket, validate_results, VALIDATE_RESULTS, last.b, validated_by(r, &last));
#ifdef RANKS
	ranks_sent.before += ranks.sent - sent;		/* it is no part of an update */
#endif
#ifdef KEEPS
	kept_end(validate_results, VALIDATE_RESULTS);
#endif
#if defined(RANKS) && defined(KEEPS)
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

/* ---- training ---- */

#ifdef TRAINS
/* An update whose results are all there: is it finite? Totals, log, bar. */
static void
update_landed(struct run *r, const struct flight *f)
{
	struct state *s = &r->state;

	for (int k = 0; k < TRAIN_RESULTS; k++) {
		if (!isfinite(r->sum[k]))
			fail("%s is %g at update %lld (epoch %lld): the training has diverged; try a "
			    "smaller learning rate, warm-up or clipping", train_results[k].name,
			    r->sum[k], (long long)f->update, (long long)f->epoch + 1);
		s->sum[k] += r->sum[k];
	}
	log_step(&r->log, &r->progress, f->epoch + 1, f->update, f->lr, r->sum, f->samples);
	plot_note(0, f->update, train_results, TRAIN_RESULTS, r->sum, f->samples);
	progress_step(&r->progress, f->epoch + 1, f->position, r->epoch_samples, s->sum);
	memset(r->sum, 0, sizeof(r->sum));
}

/* Waits for the step that is on its way, if there is one. */
static void
land(struct run *r)
{
	struct flight f = r->flight;

	if (!f.there)
		return;
	r->flight.there = false;
#ifdef PARTS
	collect_results(f.ticket, train_results, TRAIN_RESULTS, f.b, r->part_sum[f.part]);
	if (f.updates) {
#ifdef RANKS
		sum_over_ranks(r, r->part_sum[0], PARTS * MAX_RESULTS);
#endif
		sum_parts(r->part_sum[0], MAX_RESULTS, r->sum);
	}
#else
	collect_results(f.ticket, train_results, TRAIN_RESULTS, f.b, r->sum);
#ifdef RANKS
	if (f.updates)
		sum_over_ranks(r, r->sum, MAX_RESULTS);
#endif
#endif
	if (f.updates)
		update_landed(r, &f);
}

struct part_of_batch {		/* of a micro-batch */
	int64_t all;		/* samples that all ranks have of it */
	int64_t at, here;	/* the place in the epoch of the first of this rank's, and how many these are */
};

#if defined(RANKS) || defined(PARTS)
/* What of so many samples from AT on in the epoch is share K of so many, which differ by one at most. One that has none of them
 * repeats the first, with no weight. */
static struct part_of_batch
take_of(struct step *step, struct flight *f, int64_t samples, int64_t at, int64_t k, int64_t shares)
{
	int64_t first = PART_FROM(samples, k, shares), here = PART_FROM(samples, k + 1, shares) - first;

	f->b = here;
	step->first = here ? first : 0;
	step->samples = here ? here : 1;
	step->all = samples;
	return (struct part_of_batch){ samples, at + step->first, step->samples };
}
#endif

#ifdef PARTS
/* The K-th part that this rank makes, by its number. Where pieces of gradients are added up over ranks before they are over parts,
 * neighbours are made at once, on several ranks; else by one rank, one after the other. */
static int64_t
part_made(int64_t k)
{
#ifdef GRADIENT_SHARDS
	return k * ranks.size + ranks.rank;
#elif defined(RANKS)
	return ranks.rank * (int64_t)PARTS_HERE + k;
#else
	return k;
#endif
}
#endif

/* Takes the next micro-batch of an update of so many SAMPLES, of which *DONE are done, or so many parts; false: there is none.
 * F->b: how many of it count here. */
static bool
take_next(struct run *r, struct step *step, struct flight *f, int64_t samples, int64_t *done, struct part_of_batch *c)
{
	struct state *s = &r->state;

	step->keep = *done ? 1 : 0;
	step->draw = s->draw;
#ifdef PARTS
	s->draw += *done == PARTS_HERE;
	if (*done == PARTS_HERE)
		return false;
	f->part = part_made(*done);
	*c = take_of(step, f, samples, s->position, f->part, PARTS);
	step->part = (*done)++;
#else
	int64_t left = samples - *done;

	if (left <= 0)
		return false;
#ifdef RANKS
	*c = take_of(step, f, ranks_batch(left), s->position + *done, ranks.rank, ranks.size);
#else
	f->b = left < TRAIN_BATCH ? left : TRAIN_BATCH;
	*c = (struct part_of_batch){ f->b, s->position + *done, f->b };
#endif
	*done += c->all;
	s->draw++;
#endif
	return true;
}

/* One weight update from the next samples of the epoch. */
static void
update_weights(struct run *r)
{
	struct state *s = &r->state;
	int64_t left = r->epoch_samples - s->position;
	int64_t samples = left < UPDATE_BATCH ? left : UPDATE_BATCH, done = 0;
	struct part_of_batch c;
	struct flight f;
	struct step step;
#if defined(RANKS) || defined(PARTS)
	struct step alike;
#endif

	memset(&step, 0, sizeof(step));
	memset(&f, 0, sizeof(f));
	step.update = s->update + 1;
	step.seed = s->seed;
	step.lr = learning_rate(s->update + 1, r->updates, r->epoch_updates, s->watch.rate);
#ifdef LEAVES_OUT
	due = updates_due(step.update);
#endif
#ifdef COUNTED
	data_count_labels(&r->train, s->position, samples, SHUFFLE, s->seed, s->epoch, step.whole);
#endif
#if defined(RANKS) || defined(PARTS)
	alike = step;
	step.alike = &alike;
#endif
	while (take_next(r, &step, &f, samples, &done, &c)) {
		step.share = (real)((double)f.b / (double)samples);
#if defined(RANKS) || defined(PARTS)
		alike.samples = step.samples;
		alike.draw = step.draw;
#endif
		data_batch(&r->train, c.at, c.here, SHUFFLE, s->seed, s->epoch);
		device_run(STEP_TRAIN, c.here, &step);
		land(r);
		f.ticket = device_fetch(train_results, TRAIN_RESULTS);
		f.there = true;
		r->flight = f;
	}
#ifdef UPDATES
	device_run(STEP_UPDATE, samples, &step);
#endif
#ifdef RANKS
	ranks_count_sent();
#endif
	s->update++;
	s->position += samples;
	r->flight.updates = true;
	r->flight.update = s->update;
	r->flight.epoch = s->epoch;
	r->flight.position = s->position;
	r->flight.samples = samples;
	r->flight.lr = step.lr;
}

/* All of it is one file, which the first rank writes. */
static void
write_checkpoint(struct run *r, struct checkpoint *to)
{
#ifdef RANKS
	double written = 0;

	ranks_average_statistics();
	ranks_compare_weights("other weights after this update");
	if (ranks.rank == 0)
		checkpoint_save(to, &r->state);
#ifdef SHARDS
	else
		checkpoint_give();
#endif
	ranks_sum(&written, 1);
	ranks_checkpoint = to == &checkpoint ? r->option.save : r->option.best;
	ranks_saved = r->state.update;
#else
	checkpoint_save(to, &r->state);
#endif
}

static void
save_checkpoint(struct run *r)
{
	land(r);
	write_checkpoint(r, &checkpoint);
}

/* A signal asked for it: what was done is saved. */
__attribute__((noreturn)) static void
stop(struct run *r)
{
	land(r);
	if (r->option.save)
		save_checkpoint(r);
	clear_bar();
	if (r->option.plot)
		plot_all();
	printf("interrupted after update %lld%s", (long long)r->state.update,
	    r->option.save ? "; saved to " : "");
	put_safe(stdout, r->option.save ? r->option.save : "");
	putchar('\n');
	exit(128 + interrupted);
}

/* On to the next epoch, if its loss is worth it. */
static void
whole_epoch_done(struct run *r, double loss)
{
	struct state *s = &r->state;
	bool lowest = watch_epoch(&s->watch, loss);

	s->epoch++;
	s->position = 0;
	memset(s->sum, 0, sizeof(s->sum));
	if (lowest && r->option.best)
		write_checkpoint(r, &best_checkpoint);
	if (watch_ends(&s->watch))
		r->stop = s->update;
}

/* Validation, the epoch's lines, and on to the next when this one is whole. */
static void
epoch_done(struct run *r)
{
	struct state *s = &r->state;
	const double *valid = NULL;
	double loss = result_value(train_results, TRAIN_RESULTS, TRAIN_LOSS, s->sum, s->position);

#ifdef VALIDATES
	if (r->validate.samples) {
		if (!validate(r))
			stop(r);
		valid = r->valid;
	}
	progress_epoch_done(&r->progress, s->epoch + 1, s->position, s->sum, validate_results,
	    VALIDATE_RESULTS, valid, r->validated);
	log_epoch(&r->log, &r->progress, s->epoch + 1, s->update, s->sum, s->position, validate_results,
	    VALIDATE_RESULTS, valid, r->validated);
	if (valid) {
		plot_note(MAX_RESULTS, s->update, validate_results, VALIDATE_RESULTS, valid, r->validated);
		validate_finite(r);
		loss = result_value(validate_results, VALIDATE_RESULTS, VALIDATE_LOSS, valid, r->validated);
	}
#else
	progress_epoch_done(&r->progress, s->epoch + 1, s->position, s->sum, NULL, 0, valid, 0);
	log_epoch(&r->log, &r->progress, s->epoch + 1, s->update, s->sum, s->position, NULL, 0, valid, 0);
#endif
	if (s->position == r->epoch_samples)
		whole_epoch_done(r, loss);
	if (r->option.save)
		save_checkpoint(r);
}

static void
train_epoch(struct run *r)
{
	struct state *s = &r->state;

	progress_epoch(&r->progress, train_results, TRAIN_RESULTS, s->position);
	while (s->position < r->epoch_samples && s->update < r->stop) {
		update_weights(r);
		if (r->option.save_every && s->update % r->option.save_every == 0)
			save_checkpoint(r);
		if (is_to_stop(r))
			stop(r);
	}
	land(r);
	epoch_done(r);
}

static void
train(struct run *r)
{
	int64_t growth = memory_taken();

	log_start(&r->log, r->state.seed, r->train.samples);
	/* an epoch that was interrupted while it validated is whole, but for that */
	while (r->state.update < r->stop || r->state.position == r->epoch_samples)
		train_epoch(r);
	growth = memory_taken() - growth;
	log_end(&r->log, r->state.update, growth);
	printf("%s: %lld updates, %lld epochs", NETWORK, (long long)r->state.update,
	    (long long)r->state.epoch);
#ifdef VALIDATES
	if (r->validated)
		print_results(validate_results, VALIDATE_RESULTS, r->valid, r->validated,
		    "validation ");
#endif
	putchar('\n');
	if (watch_ends(&r->state.watch))
		printf("no lower loss for %d epochs: training has ended\n", PATIENCE);
	if (r->option.plot)
		plot_all();
	memory_report(growth);
#ifdef RANKS
	ranks_report();
#endif
}

/* In an epoch. */
static int64_t
train_samples(const struct run *r)
{
	int64_t updates = (r->train.samples + UPDATE_BATCH - 1) / UPDATE_BATCH, limit = r->option.batch_limit;

	return limit && limit < updates ? limit * UPDATE_BATCH : r->train.samples;
}

/* Samples here of the smaller micro-batch that ends an epoch; 0: there is none. */
static int64_t
train_last(const struct run *r)
{
#ifdef RANKS
	int64_t all = train_samples(r) % UPDATE_BATCH % (TRAIN_BATCH * (int64_t)ranks.size), mine;

	mine = PART_FROM(all, ranks.rank + 1, ranks.size) - PART_FROM(all, ranks.rank, ranks.size);
	return all && !mine ? 1 : mine;
#else
	return train_samples(r) % UPDATE_BATCH % TRAIN_BATCH;
#endif
}

/* How long it trains, from the spec and the options. */
static void
train_plan(struct run *r)
{
	const struct options *o = &r->option;
	double epochs = o->epochs >= 0 ? o->epochs : EPOCHS;

	r->epoch_samples = train_samples(r);
	r->epoch_updates = (r->epoch_samples + UPDATE_BATCH - 1) / UPDATE_BATCH;
	if (epochs * (double)r->epoch_updates > (double)COUNT_LIMIT)
		fail("%.0f epochs of %lld updates are more than %lld updates: --epochs must be smaller",
		    epochs, (long long)r->epoch_updates, (long long)COUNT_LIMIT);
	r->updates = (int64_t)ceil(epochs * (double)r->epoch_updates);
	if (o->epochs < 0 && STEPS)
		r->updates = STEPS;
	r->stop = o->steps ? o->steps : r->updates;
	if (r->updates < r->stop)
		r->updates = r->stop;
	if (watch_ends(&r->state.watch))
		r->stop = r->state.update;
	if (r->state.position > r->epoch_samples || (r->state.position % UPDATE_BATCH &&
	    r->state.position != r->epoch_samples))
		fail("%s: stands at sample %lld of an epoch of %lld: the data or the batch is another",
		    o->resume, (long long)r->state.position, (long long)r->epoch_samples);
}
#endif
