/*
 * train.c - the loop: epochs of updates of micro-batches, validation, checkpoints.
 *
 *     update   = UPDATE_BATCH samples, in micro-batches of TRAIN_BATCH; the last of an epoch may
 *                have fewer of either
 *     position = samples of the epoch that are done; a checkpoint is written between updates only,
 *                so (epoch, position, update, draw) and the tensors are all there is to remember
 *
 * Where ranks train together, all of this is of all of them: each takes its share of every
 * micro-batch, and they go through updates, epochs, validation and checkpoints at the same places,
 * by the same numbers, which are sums over all.
 *
 * What a step changed is looked at after its results have been (land()).
 *
 * Nothing here allocates: what the loop needs was taken before it.
 */
#ifdef TRAINS
/* An update whose results are all there: is it finite? Totals, log, bar. */
static void
update_landed(struct run *r, const struct flight *f)
{
	struct state *s = &r->state;

	for (int k = 0; k < TRAIN_RESULTS; k++) {
		if (!isfinite(r->sum[k]) && f->update == 1)
			fail("%s is %g at update 1: before the learning rate, suspect a logarithm, root or quotient of 0, data that "
			    "are no finite numbers, and values beyond what the precision holds", train_results[k].name, r->sum[k]);
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

#ifdef RANKS
/* Of an update all that this rank has is there, and is not added up yet. */
static void
log_own(struct run *r, const struct flight *f)
{
#ifdef PARTS
	double sum[MAX_RESULTS] = { 0 };

	for (int k = 0; k < PARTS * MAX_RESULTS; k++)
		sum[k % MAX_RESULTS] += r->part_sum[k / MAX_RESULTS][k % MAX_RESULTS];
#else
	const double *sum = r->sum;
#endif
#ifdef STAGES
	r->own.samples = f->samples;
#endif
	rank_log_update(&r->own, f->epoch + 1, f->update, train_results, RESULTS_HERE ? TRAIN_RESULTS : 0, sum, &f->pace);
}
#endif

/* Waits for a step that is on its way. */
static void
land_one(struct run *r, const struct flight *f)
{
#ifdef RANKS
	r->own.samples += f->b;
#endif
#ifdef PARTS
	collect_results(f->ticket, train_results, TRAIN_RESULTS, f->b, r->part_sum[f->part]);
	if (f->updates) {
#ifdef RANKS
		log_own(r, f);
		sum_over_ranks(r, r->part_sum[0], PARTS * MAX_RESULTS);
#endif
		sum_parts(r->part_sum[0], MAX_RESULTS, r->sum);
	}
#else
	collect_results(f->ticket, train_results, TRAIN_RESULTS, RESULTS_HERE ? f->b : 0, r->sum);
#ifdef RANKS
	if (f->updates)
		log_own(r, f);
#endif
#if defined(STAGES)
	if (f->updates)
		sum_over_ranks(r, r->sum, MAX_RESULTS);		/* which one alone has */
#elif defined(RANKS)
	if (f->updates)
		sum_over_ranks(r, r->sum, ranks_sharing() > 1 ? MAX_RESULTS : 0);
#endif
#endif
	if (f->updates)
		update_landed(r, f);
}

/* For all that are. */
static void
land(struct run *r)
{
	int n = r->flying;

	r->flying = 0;
	for (int k = 0; k < n; k++)
		land_one(r, &r->flight[k]);
}

struct part_of_batch {		/* of a micro-batch */
	int64_t all;		/* samples that all ranks have of it */
	int64_t at, here;	/* the place in the epoch of the first of this rank's, and how many these are */
};

#if defined(RANKS) || defined(PARTS)
/* What of so many samples from AT on in the epoch is share K of so many, which differ by one at
 * most. One that has none of them repeats the first, with no weight. */
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
/* The K-th part that this rank makes, by its number. Where pieces of gradients are added up over
 * ranks before they are over parts, neighbours are made at once, on several ranks; else by one
 * rank, one after the other. */
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

/* Takes the next micro-batch of an update of so many SAMPLES, of which *DONE are done, or so many
 * parts; false: there is none. F->b: how many of it count here. */
static bool
take_next(struct run *r, struct step *step, struct flight *f, int64_t samples, int64_t *done, struct part_of_batch *c)
{
	struct state *s = &r->state;

	step->keep = *done ? 1 : 0;
#ifdef STAGES
	step->micro = *done / TRAIN_BATCH;
#endif
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
	*c = take_of(step, f, ranks_batch(left), s->position + *done, ranks.rank % ranks_sharing(), ranks_sharing());
#else
	f->b = left < TRAIN_BATCH ? left : TRAIN_BATCH;
	*c = (struct part_of_batch){ f->b, s->position + *done, f->b };
#endif
	*done += c->all;
	s->draw++;
#endif
	return true;
}

/* The numbers of the next update, of so many samples. */
static struct step
update_begins(const struct run *r, int64_t samples)
{
	const struct state *s = &r->state;
	struct step step;

	memset(&step, 0, sizeof(step));
	step.update = s->update + 1;
	step.seed = s->seed;
	step.lr = learning_rate(s->update + 1, r->updates, r->epoch_updates, s->watch.rate);
#ifdef COUNTED
	data_count_labels(&r->train, s->position, samples, SHUFFLE, s->seed, s->epoch, step.whole);
#else
	(void)samples;
#endif
	return step;
}

/* It is on its way, with this step as its last. */
static void
update_flies(struct run *r, struct flight *f, int64_t samples, double lr)
{
	struct state *s = &r->state;

	s->update++;
	s->position += samples;
	f->updates = true;
	f->update = s->update;
	f->epoch = s->epoch;
	f->position = s->position;
	f->samples = samples;
	f->lr = lr;
#ifdef RANKS
	f->pace = rank_log_pace(&r->own);
#endif
}

#ifdef STEPS_TOGETHER
/* Will updates of this run come so, as many as one launch makes? */
static bool
go_together(const struct run *r)
{
	int64_t every = r->option.save_every;

	return r->train.here && !r->option.profile && r->epoch_samples >= STEPS_TOGETHER * UPDATE_BATCH &&
	    r->stop - r->state.update >= STEPS_TOGETHER && (!every || every >= STEPS_TOGETHER);
}

/* May they come next? All of them have whole batches, and none but the last is followed
 * by a checkpoint. */
static bool
may_go_together(const struct run *r)
{
	const struct state *s = &r->state;
	int64_t every = r->option.save_every;

	return together && r->epoch_samples - s->position >= STEPS_TOGETHER * UPDATE_BATCH &&
	    r->stop - s->update >= STEPS_TOGETHER && (!every || s->update % every + STEPS_TOGETHER <= every);
}

/* So many updates, each as update_weights() makes it, to the same bits. */
static void
update_together(struct run *r)
{
	struct state *s = &r->state;
	struct flight next[STEPS_TOGETHER];
	int ticket;

	memset(next, 0, sizeof(next));
	for (int k = 0; k < STEPS_TOGETHER; k++) {
		struct step step = update_begins(r, UPDATE_BATCH);

		step.draw = s->draw++;
		step.share = 1;
		together_tell(k, &r->train, &step, s->position, s->epoch);
		next[k].b = TRAIN_BATCH;
		update_flies(r, &next[k], UPDATE_BATCH, step.lr);
	}
	ticket = together_run();
	land(r);
	for (int k = 0; k < STEPS_TOGETHER; k++) {
		r->flight[k] = next[k];
		r->flight[k].ticket = ticket + k;
	}
	r->flying = STEPS_TOGETHER;
}
#endif

#ifdef BACK_APART

struct between {		/* a micro-batch between its forward and its backward */
	struct step step, alike;
	int64_t b;
};

/* The micro-batches of an update: forward with the first ones, then backward with the oldest and
 * forward with the next in turns, then backward with those that are left. The stage behind has one
 * less between the two. */
static void
go_through(struct run *r, struct step *step, int64_t samples)
{
	struct between slot[SLOTS], *s;
	struct part_of_batch c;
	struct flight f;
	int64_t done = 0, next = 0, oldest = 0;
	bool more = true;

	memset(&f, 0, sizeof(f));
	while (more || oldest < next) {
		s = &slot[next % SLOTS];
		s->alike = *step;
		if (more && (more = take_next(r, step, &f, samples, &done, &c))) {
			step->share = (real)((double)f.b / (double)samples);
			step->slot = next++ % SLOTS;
			s->step = *step;
			s->step.alike = &s->alike;
			s->alike.samples = step->samples;
			s->alike.draw = step->draw;
			s->b = c.here;
			stage_slot(step->slot, step->keep == 0);
			data_batch(&r->train, c.at, c.here, SHUFFLE, s->step.seed, r->state.epoch);
			stage_run(STEP_FORWARD, s->b, &s->step, stage_batch(samples, step->micro + 1));
		}
		if (oldest < next && (!more || next - oldest == SLOTS)) {
			s = &slot[oldest++ % SLOTS];
			pipe_settle(PIPE_BACK);
			stage_run(STEP_BACKWARD, s->b, &s->step, stage_batch(samples, s->step.micro + 1));
		}
	}
	r->flight[0] = f;
	r->flying = 1;
}

#endif

#ifdef PARTS	/* of what take_next() counts, all of it */
#define LAST_DONE(samples)	PARTS_HERE
#else
#define LAST_DONE(samples)	(samples)
#endif

/* One weight update from the next samples of the epoch. */
static void
update_weights(struct run *r)
{
	struct state *s = &r->state;
	int64_t left = r->epoch_samples - s->position;
	int64_t samples = left < UPDATE_BATCH ? left : UPDATE_BATCH;
#ifndef BACK_APART
	struct part_of_batch c;
	struct flight f;
	int64_t done = 0;
#endif
	struct step step = update_begins(r, samples);
#if defined(RANKS) || defined(PARTS)
	struct step alike;
#endif

#ifndef BACK_APART
	memset(&f, 0, sizeof(f));
#endif
#ifdef LEAVES_OUT
	due = updates_due(step.update);
#endif
#if defined(RANKS) || defined(PARTS)
	alike = step;
	step.alike = &alike;
#endif
#ifdef STAGES
	stage_begins(samples);
#endif
#ifdef BACK_APART
	go_through(r, &step, samples);
#else
	while (take_next(r, &step, &f, samples, &done, &c)) {
		step.share = (real)((double)f.b / (double)samples);
#if defined(RANKS) || defined(PARTS)
		alike.samples = step.samples;
		alike.draw = step.draw;
#endif
		data_batch(&r->train, c.at, c.here, SHUFFLE, s->seed, s->epoch);
#ifdef SENDS_LAST
		due = done == LAST_DONE(samples);
#endif
#ifdef STAGES
		stage_run(STEP_TRAIN, c.here, &step, stage_batch(samples, step.micro + 1));
#else
		device_run(STEP_TRAIN, c.here, &step);
#endif
		land(r);
		f.ticket = device_fetch(train_results, RESULTS_HERE ? TRAIN_RESULTS : 0);
		r->flight[0] = f;
		r->flying = 1;
	}
#endif
#ifdef STAGES
	pipe_settle(PIPE_ON | PIPE_BACK);
#endif
#ifdef UPDATES
	device_run(STEP_UPDATE, samples, &step);
#endif
#ifdef RANKS
	ranks_count_sent();
#endif
	update_flies(r, &r->flight[0], samples, step.lr);
#ifdef STAGES
	land(r);	/* all ranks have come to the end of it: what they add up there holds nobody back */
#endif
}

/* All of it is one file, or one of each rank. */
static void
write_checkpoint(struct run *r, struct checkpoint *to)
{
#ifdef RANKS
	double written = 0;

	ranks_average_statistics();
	ranks_compare_weights("other weights after this update");
	if (*to->spread.stem)
		spread_save(to, &r->state);
	else
		checkpoint_save(to, &r->state);
	ranks_sum(&written, 1);
	ranks_note_saved(to == &checkpoint ? r->option.save : r->option.best, r->state.update);
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
#ifdef RANKS
	rank_log_epoch(&r->own);
#endif
	while (s->position < r->epoch_samples && s->update < r->stop) {
#ifdef STEPS_TOGETHER
		if (may_go_together(r))
			update_together(r);
		else
#endif
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
#ifdef RANKS
	rank_log_start(&r->own);
#endif
	/* an epoch that was interrupted while it validated is whole, but for that */
	while (r->state.update < r->stop || r->state.position == r->epoch_samples)
		train_epoch(r);
	growth = memory_taken() - growth;
	log_end(&r->log, r->state.update, growth);
#ifdef RANKS
	rank_log_end(&r->own, r->state.update);
#endif
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
	int64_t all = train_samples(r) % UPDATE_BATCH % (TRAIN_BATCH * (int64_t)ranks_sharing()), mine;
	int own = ranks.rank % ranks_sharing();

	mine = PART_FROM(all, own + 1, ranks_sharing()) - PART_FROM(all, own, ranks_sharing());
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
