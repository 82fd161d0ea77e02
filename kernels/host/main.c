/*
 * main.c - the program: options, data, memory, and then training or validation.
 */
#ifndef LIBRARY

/* The one that prints and writes files: where there are no ranks, this process. */
static bool
is_first_rank(void)
{
#ifdef RANKS
	return ranks.rank == 0;
#else
	return true;
#endif
}

#ifdef RANKS
/* Before anything is read: are these as many as the plan is for, and told the same? */
static void
prepare_ranks(const struct options *o)
{
	uint64_t told = FNV_BEGIN;

	ranks_patience = o->lost_after;
#ifdef __CUDACC__
	ranks_patience_at_start = o->start_within;
#endif
	ranks_begin_watch();
	ranks_compare(ranks_program(), "another program");
	ranks_compare(o->seed, "another --seed");
	told = ranks_hash(told, &o->epochs, (int64_t)sizeof(o->epochs));
	told = ranks_hash(told, &o->steps, (int64_t)sizeof(o->steps));
	told = ranks_hash(told, &o->batch_limit, (int64_t)sizeof(o->batch_limit));
	told = ranks_hash(told, &o->save_every, (int64_t)sizeof(o->save_every));
	ranks_compare(told + (o->eval ? 1 : 0) + (o->save ? 2 : 0) + (o->best ? 4 : 0) + (o->profile ? 8 : 0)
#ifdef TUNES
	    + (o->no_tune ? 16 : 0)
#endif
	    + (o->save && is_index(o->save) ? 32 : 0) + (o->best && is_index(o->best) ? 64 : 0), "other options");
#if defined(PARAMETER_SHARDS) || defined(AVERAGE_SHARDS) || defined(SPLIT) || defined(STAGES)
#if defined(AVERAGE_SHARDS) || defined(SPLIT) || defined(STAGES)
#define OF_ONE	"--ranks 1"
#else
#define OF_ONE	"--shard optimizer"
#endif
#if defined(AVERAGE_SHARDS) && !defined(PARAMETER_SHARDS)
#define IN_PIECES	"running averages of weights"
#else
#define IN_PIECES	"weights"
#endif
	if (o->predicts)
		fail("--predict is of one process, and each of %d ranks has but its pieces of the " IN_PIECES ": build it with " OF_ONE
		    ", which reads the same files", RANKS);
#ifdef STAGES
	if (ranks.size != RANKS)
		fail("its layers are placed on %d ranks, and %d %s been started: " RANKS_START ", or build it with --ranks 1",
		    RANKS, ranks.size, ranks.size == 1 ? "has" : "have", RANKS, PROGRAM);
#else
	if (ranks.size != RANKS)
		fail("its " IN_PIECES " are shared out to %d ranks, and %d %s been started: " RANKS_START ", or build it with "
		    "--ranks %d", RANKS, ranks.size, ranks.size == 1 ? "has" : "have", RANKS, PROGRAM, ranks.size);
#endif
#endif
	if (o->predicts && ranks.size > 1)
		fail("--predict writes one file: start one process alone");
	if (!o->eval && !o->predicts && ranks.size != RANKS)
		fail("its memory was planned for %d ranks, and %d %s been started: " RANKS_START ", or build it with "
		    "--ranks %d", RANKS, ranks.size, ranks.size == 1 ? "has" : "have", RANKS, PROGRAM, ranks.size);
}

/* Before the device is opened: of how many samples there are come the steps that are rehearsed
 * there, on all ranks together. */
static void
compare_data(const struct run *r)
{
	if (r->train.inputs)
		ranks_compare_data(&r->train);
#ifdef VALIDATES
	if (r->validate.inputs)
		ranks_compare_data(&r->validate);
#endif
}

/* After all was read: do they go on from the same? */
static void
compare_ranks(const struct run *r)
{
	ranks_compare(ranks_hash(FNV_BEGIN, &r->state, (int64_t)sizeof(r->state)), "another checkpoint");
	ranks_compare_weights("other weights to begin with");
	if (r->option.resume) {
		ranks_note_saved(r->option.resume, r->state.update);
	}
}
#endif

#if defined(TRAINS) && defined(__CUDACC__)
/* What of the data stays on the device: those of training first. */
static void
keep_samples(struct run *r)
{
	double updates = (double)(r->stop - r->state.update);
	int64_t before = device_taken();

	if (r->option.send_batches)
		return;
	samples_stay(&r->train, updates * UPDATE_BATCH, r->state.seed);
#ifdef VALIDATES
	if (r->validate.samples)
		samples_stay(&r->validate, ceil(updates / (double)r->epoch_updates) * (double)validate_samples(r),
		    ~r->state.seed);
#endif
#ifdef STEPS_TOGETHER
	if (go_together(r))
		together_open(&r->train);
#endif
	code_taken += device_taken() - before - samples_taken;
	if (!r->option.quiet)
		samples_announce(&r->train, &r->validate);
}
#endif

/* What the arena begins with: a checkpoint's, of files, or drawn. */
static void
prepare_values(struct run *r)
{
	const struct options *o = &r->option;

	if (o->resume) {
		checkpoint_load(o->resume, &r->state);
		if (o->seeded)
			r->state.seed = o->seed;
	} else {
		start_values(o->seed);
		if (o->weights)
			weights_load_all(o);
		else if (PERSISTENT && (o->eval || o->predicts) && is_first_rank())
			fprintf(stderr, "%s: note: untrained weights; --resume FILE or --weights FILE "
			    "loads trained ones\n", PROGRAM);
	}
}

static void
prepare_data(struct run *r)
{
	const struct options *o = &r->option;

#ifdef TRAINS
	if (!o->eval && !o->predicts) {
		if (!train_source.reader)
			fail("%s names no data to train on", SPEC);
		data_open(&r->train, o->data, &train_source, train_inputs, TRAIN_INPUTS,
		    TRAIN_BATCH, false);
		device_last(STEP_TRAIN, train_last(r));
	}
#endif
#ifdef VALIDATES
	predictions_find(o);
	validate_open(r);
	if ((o->eval || o->predicts) && !r->validate.samples)
		fail("%s names no data to validate on", SPEC);
	device_last(STEP_VALIDATE, validate_samples(r) % VALIDATE_BATCH);
#else
	if (o->eval || o->predicts)
		fail("%s names no data to validate on", SPEC);
#endif
#ifdef DRAWS
	if (o->send_batches)
		r->train.draws = r->validate.draws = false;
#endif
}

/* All that allocates comes before the first step. */
static void
prepare(struct run *r)
{
	const struct options *o = &r->option;

	signal(SIGXFSZ, SIG_IGN);	/* a file that grows too large is an error like a full disk */
#ifdef RANKS
	prepare_ranks(o);
#endif
	device_threads(o->threads);
	device_choose(o->gpu);
	progress_open(&r->progress, o->quiet);
#ifdef RANKS
	rank_log_open(&r->own, o->rank_logs);
#endif
	if (is_first_rank()) {
		log_open(&r->log, o->log);
		if (o->save)
			checkpoint_prepare(&checkpoint, o->save);
		if (o->best)
			checkpoint_prepare(&best_checkpoint, o->best);
	}
#ifdef RANKS
	spread_prepare(&checkpoint, o->save);
	spread_prepare(&best_checkpoint, o->best);
#endif
	prepare_data(r);
#ifdef RANKS
	compare_data(r);
#endif
	memory_check();
	if (!o->quiet)
		memory_announce();
#ifdef TUNES
	tuning.off = o->no_tune;
	choices_open(o->engines, o->resume);
#endif
#ifdef __CUDACC__
	profile_asked = o->profile;
#endif
#ifdef TABLES
	tables_keep(o->data);
#endif
	device_open();
#ifdef __CUDACC__
	if (!o->quiet)
		device_announce();
#endif
#ifdef TUNES
	choices_keep();
	if (!o->quiet)
		tune_announce();
#endif
	r->state.seed = o->seed;
#ifdef TABLES
	tables_read(o->data);
#endif
#ifdef TRAINS
	watch_begin(&r->state.watch);
#endif
	prepare_values(r);
#ifdef RANKS
	compare_ranks(r);
#endif
	profiling = o->profile;
}

int
main(int argc, char **argv)
{
	static struct run r;

#ifdef RANKS
	ranks_open(&argc, &argv);
#endif
	options_parse(&r.option, argc, argv);
	if (r.option.plan) {
		memory_plan();
		return 0;
	}
#ifndef TRAINS
	if (!r.option.eval && !r.option.predicts)
		fail("%s has no loss: there is nothing to train; --predict FILE writes what %s "
		    "computes", SPEC, NETWORK);
#endif
	prepare(&r);
	listen_to_signals();
#ifdef TRAINS
	if (!r.option.eval && !r.option.predicts) {
		train_plan(&r);
#ifdef __CUDACC__
		keep_samples(&r);
#endif
		train(&r);
	}
#endif
#ifdef VALIDATES
	if (r.option.eval || r.option.predicts) {
#ifdef DRAWS
		if (data_is_there(&r.validate))
			samples_rehearse(&r.validate);
#endif
		int64_t growth = memory_taken();
		int results = r.validate.lacks ? 0 : VALIDATE_RESULTS;

		progress_epoch(&r.progress, validate_results, results, 0);
		if (!validate(&r))
			exit(128 + interrupted);
		growth = memory_taken() - growth;
		printf("%s: %lld samples", NETWORK, (long long)r.validated);
		print_results(validate_results, results, r.valid, r.validated, "validation ");
		putchar('\n');
		log_epoch(&r.log, &r.progress, r.state.epoch, r.state.update, r.valid, 0, validate_results,
		    results, r.valid, r.validated);
		log_end(&r.log, r.state.update, growth);
		memory_report(growth);
	}
#endif
	if (r.option.profile)
		profile_report();
	log_close(&r.log);
#ifdef RANKS
	log_close(&r.own.log);
#endif
	if (fflush(stdout) || ferror(stdout))
		fail("standard output: %s", strerror(errno));
#ifdef VALIDATES
	if ((r.option.eval || r.option.predicts) && !r.validate.lacks)
		validate_finite(&r);
#endif
#ifdef RANKS
	ranks_close();
#endif
	return 0;
}

#endif
