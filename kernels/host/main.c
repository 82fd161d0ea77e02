/*
 * main.c - the program: options, data, memory, and then training or validation.
 */
#ifndef LIBRARY

/* All that allocates comes before the first step. */
static void
prepare(struct run *r)
{
	const struct options *o = &r->option;

	signal(SIGXFSZ, SIG_IGN);	/* a file that grows too large is an error like a full disk */
	device_threads(o->threads);
	progress_open(&r->progress, o->quiet);
	log_open(&r->log, o->log);
	if (o->save)
		checkpoint_prepare(&checkpoint, o->save);
	if (o->best)
		checkpoint_prepare(&best_checkpoint, o->best);
#ifdef TRAINS
	if (!o->eval && !o->predicts) {
		if (!train_source.reader)
			fail("%s names no data to train on", SPEC);
		data_open(&r->train, o->data, &train_source, train_inputs, TRAIN_INPUTS,
		    TRAIN_BATCH, false);
		device_last(STEP_TRAIN, train_samples(r) % UPDATE_BATCH % TRAIN_BATCH);
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
	memory_check();
	if (!o->quiet)
		memory_announce();
	device_open();
	r->state.seed = o->seed;
#ifdef TABLES
	tables_read(o->data);
#endif
#ifdef TRAINS
	watch_begin(&r->state.watch);
#endif
	if (o->resume) {
		checkpoint_load(o->resume, &r->state);
		if (o->seeded)
			r->state.seed = o->seed;
	} else {
		start_values(o->seed);
		if (o->weights)
			weights_load_all(o);
		else if (PERSISTENT && (o->eval || o->predicts))
			fprintf(stderr, "%s: note: untrained weights; --resume FILE or --weights FILE "
			    "loads trained ones\n", PROGRAM);
	}
	profiling = o->profile;
}

int
main(int argc, char **argv)
{
	static struct run r;

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
		train(&r);
	}
#endif
#ifdef VALIDATES
	if (r.option.eval || r.option.predicts) {
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
	if (fflush(stdout) || ferror(stdout))
		fail("standard output: %s", strerror(errno));
#ifdef VALIDATES
	if ((r.option.eval || r.option.predicts) && !r.validate.lacks)
		validate_finite(&r);
#endif
	return 0;
}

#endif
