/*
 * options.c - the program's own command line.
 */
#define MOST_WEIGHTS	8	/* files */
#define MOST_PREDICTED	64

struct options {
	double epochs;		/* below 0: as the spec says */
	int64_t steps;		/* weight updates in all; 0: as the spec says */
	int64_t batch_limit;	/* updates an epoch at most; 0: all */
	bool seeded;
	uint64_t seed;
	const char *data;	/* where the data files are; NULL: here, or beside the spec */
	const char *save, *best, *resume, *log;
	const char *predict[MOST_PREDICTED];	/* FILE, or NAME=FILE */
	int predicts;
	const char *weight[MOST_WEIGHTS], *map[MOST_WEIGHTS];	/* files, and the map of each or NULL */
	int weights;
	bool strict;
	int64_t save_every;	/* updates between saves; 0: only after each epoch */
	bool eval, plan, plot, profile, quiet;
	int threads;
	int gpu;		/* -1: the first */
#ifdef TUNES
	bool no_tune;
	const char *engines;	/* NULL: a file of the user's cache */
#endif
#ifdef __CUDACC__
	bool send_batches;
#endif
#ifdef RANKS
	const char *rank_logs;	/* folder */
	int lost_after;		/* seconds */
#ifdef __CUDACC__
	int start_within;	/* seconds */
#endif
#endif
};

#ifdef RANKS
#define SAVES_BY_RANK	"; NAME.safetensors.index.json: each rank a file"
#else
#define SAVES_BY_RANK
#endif

static const struct option {
	const char *name, *value, *help;
} option_table[] = {
	{"epochs", "N", "passes over the training data"},
	{"steps", "N", "stop after N weight updates in all"},
	{"batch-limit", "N", "at most N updates an epoch, and N batches of validation"},
	{"data", "FOLDER", "where the data files are"},
	{"seed", "N", "of starting weights, shuffling and dropout"},
	{"save", "FILE", "write a checkpoint (safetensors) after each epoch and at the end" SAVES_BY_RANK},
	{"save-best", "FILE", "write one after each epoch with a lower validation loss than all before"},
	{"save-every", "N", "also after every N updates"},
	{"resume", "FILE", "go on from a checkpoint, to the same bits"},
	{"weights", "FILE", "begin with the weights of a safetensors file, by their names (NAME=FILE: under that)"},
	{"map", "FILE", "what names of the last --weights are called here"},
	{"strict", NULL, "every weight must be there, and used"},
	{"log", "FILE", "append one line of JSON an update and an epoch (*tfevents*: for TensorBoard)"},
	{"plot", NULL, "draw losses and metrics when training ends"},
	{"eval", NULL, "validate only"},
	{"predict", "FILE", "write the output for the validation data (.npy, .csv, .safetensors; NAME=FILE: that one)"},
	{"plan", NULL, "print where every buffer lies, and end"},
	{"profile", NULL, "print the time spent in each node"},
#ifdef RANKS
	{"rank-logs", "FOLDER", "write rank-N.jsonl there by each rank: its own losses, pace, waits and memory"},
	{"lost-after", "N", "seconds without a sign of life, after which a rank is given up and all end (10)"},
#ifdef __CUDACC__
	{"start-within", "N", "seconds within which all ranks must have come (120)"},
#endif
#endif
	{"threads", "N", "worker threads (C)"},
	{"gpu", "N", "the card to run on, counted from 0 (CUDA)"},
#ifdef TUNES
	{"no-tune", NULL, "take the libraries' first engines: measure none, and read no file of them"},
	{"engines", "FILE", "where the engines that were measured to be the fastest are kept"},
#endif
#ifdef __CUDACC__
	{"send-batches", NULL, "send each batch to the GPU, even where all samples have room there"},
#endif
	{"quiet", NULL, "print only the last report"},
	{"help", NULL, "print this, and end"},
};

#define OPTIONS	((int)(sizeof(option_table) / sizeof(option_table[0])))

static void
options_help(void)
{
	printf("Usage: %s [OPTION]...\nTrains %s, as ", PROGRAM, NETWORK);
	put_safe(stdout, SPEC);
	printf(" says.\n\n");
	for (int k = 0; k < OPTIONS; k++) {
		char left[64];

		snprintf(left, sizeof(left), "--%s %s", option_table[k].name,
		    option_table[k].value ? option_table[k].value : "");
		printf("  %-22s %s\n", left, option_table[k].help);
	}
	printf("\nStatus: 0 when all went well, 2 when data, a checkpoint, an option or the memory "
	    "is not as needed,\na file cannot be written or the training diverged, 128 and the signal's "
	    "number after a signal.\n");
}

#define MOST_THREADS	1024

/* How many letters must change to make A of B. */
static int
edit_distance(const char *a, const char *b)
{
	int row[33], n = (int)strlen(b);

	if (n > 32)
		return n;
	for (int j = 0; j <= n; j++)
		row[j] = j;
	for (int i = 1; *a; a++, i++) {
		int corner = row[0];

		row[0] = i;
		for (int j = 1; j <= n; j++) {
			int best = corner + (*a != b[j - 1]);

			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			corner = row[j];
			row[j] = best;
		}
	}
	return row[n];
}

__attribute__((noreturn)) static void
option_unknown(const char *name, int length)
{
	char given[64];
	int best = 0, distance = 64;

	snprintf(given, sizeof(given), "%.*s", length, name);
	for (int k = 0; k < OPTIONS; k++)
		if (edit_distance(given, option_table[k].name) < distance) {
			distance = edit_distance(given, option_table[k].name);
			best = k;
		}
	if (distance <= 3)
		fail("unknown option --%s; did you mean --%s?", given, option_table[best].name);
	fail("unknown option --%s; --help lists them all", given);
}

static int64_t
option_count(const char *name, const char *value, int64_t least, int64_t most)
{
	char *end;
	long long x;

	errno = 0;
	x = strtoll(value, &end, 10);
	if (end == value || *end || errno || x < least || x > most)
		fail("--%s: expected a whole number from %lld to %lld, found \"%.40s\"", name,
		    (long long)least, (long long)most, value);
	return x;
}

static void
option_set(struct options *o, const char *name, const char *value)
{
	if (!strcmp(name, "epochs"))
		o->epochs = (double)option_count(name, value, 0, COUNT_LIMIT);
	else if (!strcmp(name, "steps"))
		o->steps = option_count(name, value, 1, COUNT_LIMIT);
	else if (!strcmp(name, "batch-limit"))
		o->batch_limit = option_count(name, value, 1, COUNT_LIMIT);
	else if (!strcmp(name, "data"))
		o->data = value;
	else if (!strcmp(name, "seed")) {
		o->seed = (uint64_t)option_count(name, value, 0, INT64_MAX);
		o->seeded = true;
	} else if (!strcmp(name, "save"))
		o->save = value;
	else if (!strcmp(name, "save-best"))
		o->best = value;
	else if (!strcmp(name, "save-every"))
		o->save_every = option_count(name, value, 1, COUNT_LIMIT);
	else if (!strcmp(name, "resume"))
		o->resume = value;
	else if (!strcmp(name, "weights")) {
		if (o->weights == MOST_WEIGHTS)
			fail("--weights: at most %d files", MOST_WEIGHTS);
		o->weight[o->weights++] = value;
	} else if (!strcmp(name, "map")) {
		if (!o->weights)
			fail("--map comes behind the --weights that it is for");
		o->map[o->weights - 1] = value;
	} else if (!strcmp(name, "strict"))
		o->strict = true;
	else if (!strcmp(name, "log"))
		o->log = value;
	else if (!strcmp(name, "predict")) {
		if (o->predicts == MOST_PREDICTED)
			fail("--predict: at most %d files", MOST_PREDICTED);
		o->predict[o->predicts++] = value;
	} else if (!strcmp(name, "threads"))
		o->threads = (int)option_count(name, value, 1, MOST_THREADS);
	else if (!strcmp(name, "gpu"))
		o->gpu = (int)option_count(name, value, 0, MOST_THREADS);
#ifdef TUNES
	else if (!strcmp(name, "no-tune"))
		o->no_tune = true;
	else if (!strcmp(name, "engines"))
		o->engines = value;
#endif
#ifdef RANKS
	else if (!strcmp(name, "rank-logs"))
		o->rank_logs = value;
	else if (!strcmp(name, "lost-after"))
		o->lost_after = (int)option_count(name, value, 1, 1 << 20);
#ifdef __CUDACC__
	else if (!strcmp(name, "start-within"))
		o->start_within = (int)option_count(name, value, 1, 1 << 20);
#endif
#endif
#ifdef __CUDACC__
	else if (!strcmp(name, "send-batches"))
		o->send_batches = true;
#endif
	else if (!strcmp(name, "eval"))
		o->eval = true;
	else if (!strcmp(name, "plan"))
		o->plan = true;
	else if (!strcmp(name, "plot"))
		o->plot = true;
	else if (!strcmp(name, "profile"))
		o->profile = true;
	else if (!strcmp(name, "quiet"))
		o->quiet = true;
	else {
		options_help();
		exit(0);
	}
}

static void
options_parse(struct options *o, int argc, char **argv)
{
	memset(o, 0, sizeof *o);
	o->epochs = o->gpu = -1;
	o->seed = SEED;
#ifdef RANKS
	o->lost_after = 10;
#ifdef __CUDACC__
	o->start_within = 120;
#endif
#endif
	for (int i = 1; i < argc; i++) {
		const char *name = argv[i] + 2, *equals = strchr(argv[i], '='), *value = NULL;
		int length = equals ? (int)(equals - name) : (int)strlen(argv[i]) - 2;
		int k = 0;

		if (strncmp(argv[i], "--", 2) || length < 1)
			fail("unexpected argument \"%s\"; --help lists the options", argv[i]);
		while (k < OPTIONS && (strncmp(option_table[k].name, name, (size_t)length) ||
		    option_table[k].name[length]))
			k++;
		if (k == OPTIONS)
			option_unknown(name, length);
		if (option_table[k].value) {
			value = equals ? equals + 1 : i + 1 < argc ? argv[++i] : "";
			if (!*value)
				fail("--%s needs a value: %s", option_table[k].name,
				    option_table[k].value);
		} else if (equals) {
			fail("--%s takes no value", option_table[k].name);
		}
		option_set(o, option_table[k].name, value);
	}
	if (o->weights && o->resume)
		fail("--weights begins a run, --resume goes on with one: give one of them");
	if (o->strict && !o->weights)
		fail("--strict needs --weights FILE");
	if (o->save_every && !o->save)
		fail("--save-every needs --save FILE");
#ifdef TUNES
	if (o->no_tune && o->engines)
		fail("--no-tune reads and writes no file of engines: give one of the two");
#endif
	if (o->save && o->best && !strcmp(o->save, o->best))
		fail("--save and --save-best are two files: the last checkpoint and the best");
	if ((o->eval || o->predicts) && (o->save || o->best || o->epochs >= 0 || o->steps || o->plot))
		fail("--%s does not train: --%s has no meaning with it", o->eval ? "eval" : "predict",
		    o->save ? "save" : o->best ? "save-best" : o->steps ? "steps" : o->plot ? "plot" : "epochs");
#ifdef RANKS
	if ((o->eval || o->predicts) && o->rank_logs)
		fail("--%s does not train: --rank-logs has no meaning with it", o->eval ? "eval" : "predict");
#endif
}
