/*
 * infer.c - the network for other programs: net_open() takes all memory there will be and reads the
 * weights, net_run() computes, net_close() gives the arena back. Inputs and outputs are the
 * caller's, channels first, in plain numbers; a batch that is larger than the plan's runs in
 * pieces. What goes wrong ends no program: fail() comes back to the function that was called, which
 * returns -1 (common.h).
 */
static bool net_is_open;
static bool net_threads_there;	/* they wait for the next network */

#define NET_FIRST	(PREDICTIONS - NET_OUTPUTS)	/* of the predictions that are outputs */

/* ---- weights ---- */

/* A file that is read. Where that fails, net_close() gives back what it took. */
static struct net_weights {
	const char *path;
	int fd;
	struct json header;
	unsigned char *numbers;	/* of a tensor */
	bool found[PERSISTENT + 1], averaged[PERSISTENT + 1];
} net_weights = {NULL, -1, {NULL}, NULL, {false}, {false}};

/* Is the file's name that of the weight, or of the average that is to stand for it? */
static bool
net_names(const struct persistent *p, const char *name, bool *average)
{
	size_t n = strlen(p->drawn_for);

	*average = NET_AVERAGES && !strncmp(name, p->drawn_for, n) && !strcmp(name + n, ".average");
	return *average || !strcmp(name, p->drawn_for);
}

static void
net_take(struct net_weights *w, const struct stored *t, int64_t at)
{
	int type = stored_type(t);

	for (int k = 0; k < PERSISTENT; k++) {
		const struct persistent *p = &persistent[k];
		struct map_view v;
		bool average;

		if (!p->weight || !net_names(p, t->name, &average) || (w->averaged[k] && !average))
			continue;
		if (type == STORED_OTHER || !map_view(NULL, p->rank, p->dim, &v) || !same_shape(&v, t) ||
		    t->end - t->begin != p->elements * stored_types[type].bytes)
			fail("%s: tensor %s is of another type or shape than the network's", w->path, t->name);
		w->numbers = (unsigned char *)malloc((size_t)(t->end - t->begin) + 1);
		if (!w->numbers)
			fail("%s: no memory for tensor %s", w->path, t->name);
		read_all(w->fd, w->path, w->numbers, t->end - t->begin, at + t->begin);
		weights_put(w->path, p, type, w->numbers, &v);
		free(w->numbers);
		w->numbers = NULL;
		w->found[k] = true;
		w->averaged[k] = average;
	}
}

static void
net_end_reading(struct net_weights *w)
{
	free(w->numbers);
	if (w->fd >= 0)
		header_close(w->fd, &w->header);
	memset(w, 0, sizeof(*w));
	w->fd = -1;
}

static void
net_load(const char *path)
{
	struct net_weights *w = &net_weights;
	static struct stored t;
	int64_t data_bytes, at;

	w->path = path;
	at = header_open(path, &w->fd, &w->header, &data_bytes);
	while (header_next(&w->header, data_bytes, &t))
		net_take(w, &t, at);
	for (int k = 0; k < PERSISTENT; k++)
		if (persistent[k].weight && !w->found[k])
			fail("%s: has no tensor %s", path, persistent[k].name);
	net_end_reading(w);
}

#ifdef TABLES_WITHIN
static void
net_put_tables(void)
{
	for (int k = 0; k < TABLES_WITHIN; k++) {
		const struct table_within *t = &tables_within[k];
		int64_t size = type_table[t->type].bytes, most = (int64_t)sizeof(chunk) / size;

		for (int64_t at = 0; at < t->count; at += most) {
			int64_t n = t->count - at < most ? t->count - at : most;

			for (int64_t i = 0; i < n; i++)
				value_put(t->type, chunk, i, t->number[at + i]);
			device_write(t->offset + at * size, chunk, n * size);
		}
	}
}
#endif

/* ---- what is called ---- */

/* Runs a batch of zeros, so that what is loaded or allocated when it is first needed is there. */
static void
net_rehearse(void)
{
#ifndef CHECK
	struct step step;

	memset(&step, 0, sizeof(step));
	step.share = 1;
	device_run(STEP_VALIDATE, VALIDATE_BATCH, &step);
	device_wait();
#endif
}

const char *
NET(error)(void)
{
	return net_message;
}

int
NET(open)(const char *weights, int threads)
{
	if (net_is_open) {
		snprintf(net_message, sizeof(net_message), "the network is open already");
		return -1;
	}
	if (setjmp(net_failed)) {
		NET(close)();
		return -1;
	}
	net_is_open = true;
	if (!net_threads_there)
		device_threads(threads);
	memory_check();
	if (net_threads_there)
		device_open_arena();
	else
		device_open();
	net_threads_there = true;
	for (int k = NET_FIRST; k < PREDICTIONS; k++) {
		const struct prediction *p = &predictions[k];

		kept[k] = (unsigned char *)malloc((size_t)(p->elements * type_table[p->type].bytes * VALIDATE_BATCH));
		if (!kept[k])
			fail("no memory for the outputs of a batch");
	}
#ifdef TABLES_WITHIN
	net_put_tables();
#endif
	net_rehearse();
	net_load(weights);
	return 0;
}

/* Of a batch, N numbers of an input. */
static void
net_fill(const struct input *in, const void *from, int64_t at, int64_t n, void *to)
{
	const int32_t *number = (const int32_t *)from + at;

	for (int64_t i = 0; in->classes > 0 && in->type == TYPE_I32 && i < n; i++)
		if (number[i] < 0 || number[i] >= in->classes)
			fail("%s: number %lld is %d, none of 0 to %d", in->name, (long long)(at + i), (int)number[i],
			    in->classes - 1);
	if (in->type == TYPE_ELEM)
		for (int64_t i = 0; i < n; i++)
			value_put(TYPE_ELEM, (unsigned char *)to, i, ((const float *)from)[at + i]);
	else
		memcpy(to, (const unsigned char *)from + at * type_table[in->type].bytes,
		    (size_t)(n * type_table[in->type].bytes));
}

static void
net_feed(const struct net_inputs *inputs, int64_t at, int64_t b)
{
	for (int k = 0; k < VALIDATE_INPUTS; k++) {
		const struct input *in = &validate_inputs[k];
		struct sent as = {in->type, type_table[in->type].bytes, 1};
		const void *from;

		/* members of the struct are pointers, in the order of the table */
		memcpy(&from, (const unsigned char *)inputs + (size_t)k * sizeof(from), sizeof(from));
		net_fill(in, from, at * in->elements, b * in->elements, device_input(in, as, b));
	}
	device_inputs_ready(validate_inputs, VALIDATE_INPUTS, b);
}

/* Bytes of a sample's output, as the caller has them. */
static int64_t
net_bytes(int k)
{
	return predictions[k].elements * type_table[predictions_type(k)].bytes;
}

/* What was kept of an output of B samples, of which the caller's begins at TO. */
static void
net_collect(int k, unsigned char *to, int64_t b)
{
	int64_t size = type_table[predictions_type(k)].bytes;

	for (int64_t i = 0; i < b * predictions[k].elements; i++) {
		const unsigned char *x = prediction_at(k, i);

		if (predictions[k].type == TYPE_ELEM)
			((float *)to)[i] = (float)VALUE(*(const elem *)x);
		else
			memcpy(to + i * size, x, (size_t)size);
	}
}

/* One is given as a pointer to its numbers, several as a struct of such, in the order of the
 * table. */
static void
net_outputs_of(const void *given, unsigned char **to)
{
	if (NET_OUTPUTS > 1)
		memcpy(to + NET_FIRST, given, NET_OUTPUTS * sizeof(*to));
	else
		to[NET_FIRST] = (unsigned char *)(uintptr_t)given;
}

int
NET(run)(int64_t n, const struct net_inputs *inputs, net_output *output)
{
	unsigned char *to[PREDICTIONS];
	struct step step;

	if (setjmp(net_failed))
		return -1;
	if (!net_is_open)
		fail("the network is not open");
	net_outputs_of(output, to);
	memset(&step, 0, sizeof(step));
	step.share = 1;
	for (int64_t at = 0; at < n; at += VALIDATE_BATCH) {
		int64_t b = n - at < VALIDATE_BATCH ? n - at : VALIDATE_BATCH;

		step.draw = ~(uint64_t)(at / VALIDATE_BATCH);	/* as --predict has it */
		net_feed(inputs, at, b);
		device_run(STEP_VALIDATE, b, &step);
		device_wait();
		for (int k = NET_FIRST; k < PREDICTIONS; k++)
			if (to[k])
				net_collect(k, to[k] + at * net_bytes(k), b);
	}
	return 0;
}

void
NET(close)(void)
{
	if (arena)
		device_close_arena();
	arena = NULL;
	net_end_reading(&net_weights);
	for (int k = NET_FIRST; k < PREDICTIONS; k++) {
		free(kept[k]);
		kept[k] = NULL;
	}
	net_is_open = false;
}

#ifndef LIBRARY

/* ---- a program of its own: samples from standard input, outputs to standard output, as plain numbers ---- */

/* Reads up to a batch of samples, each the numbers of all inputs one after the other; how many
 * there were. -1: it ends within one. A network without inputs has one batch. */
static int64_t
net_read(unsigned char *const *to, const int64_t *bytes)
{
	int64_t b = 0;

	for (; b < VALIDATE_BATCH; b++)
		for (int k = 0; k < VALIDATE_INPUTS; k++) {
			size_t n = fread(to[k] + b * bytes[k], 1, (size_t)bytes[k], stdin);

			if (n != (size_t)bytes[k])
				return n || k || ferror(stdin) ? -1 : b;
		}
	return b;
}

/* All outputs of a sample, one after the other. */
static void
net_write(unsigned char *const *to, int64_t b)
{
	for (int64_t i = 0; i < b; i++)
		for (int k = NET_FIRST; k < PREDICTIONS; k++)
			fwrite(to[k] + i * net_bytes(k), 1, (size_t)net_bytes(k), stdout);
}

/* Room for a batch of each input and each output; false: there is none. */
static bool
net_room(unsigned char **from, int64_t *bytes, unsigned char **to)
{
	bool good = true;

	for (int k = 0; k < VALIDATE_INPUTS; k++) {
		const struct input *in = &validate_inputs[k];

		bytes[k] = in->elements * (in->type == TYPE_ELEM ? (int)sizeof(float) : type_table[in->type].bytes);
		from[k] = (unsigned char *)malloc((size_t)(bytes[k] * VALIDATE_BATCH));
		good = good && from[k];
	}
	for (int k = NET_FIRST; k < PREDICTIONS; k++) {
		to[k] = (unsigned char *)malloc((size_t)(net_bytes(k) * VALIDATE_BATCH));
		good = good && to[k];
	}
	return good;
}

int
main(int argc, char **argv)
{
	static unsigned char *from[VALIDATE_INPUTS + 1], *to[PREDICTIONS];
	static int64_t bytes[VALIDATE_INPUTS + 1];
	struct net_inputs inputs;
	bool room;
	int64_t b;

	if (argc != 2) {
		fprintf(stderr, "usage: %s WEIGHTS < SAMPLES > OUTPUTS\n", PROGRAM);
		return 2;
	}
	room = net_room(from, bytes, to);
	memcpy(&inputs, from, sizeof(inputs));
	if (!room || NET(open)(argv[1], 0)) {
		fprintf(stderr, "%s: %s\n", PROGRAM, room ? NET(error)() : "no memory for samples");
		return 2;
	}
	while ((b = net_read(from, bytes)) > 0) {
		/* several outputs are a struct of such pointers */
		if (NET(run)(b, &inputs, (net_output *)(NET_OUTPUTS > 1 ? (void *)&to[NET_FIRST] : (void *)to[NET_FIRST]))) {
			fprintf(stderr, "%s: %s\n", PROGRAM, NET(error)());
			return 2;
		}
		net_write(to, b);
		if (!VALIDATE_INPUTS)
			break;
	}
	NET(close)();
	if (b < 0) {
		fprintf(stderr, "%s: standard input ends within a sample\n", PROGRAM);
		return 2;
	}
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "%s: standard output: %s\n", PROGRAM, strerror(errno));
		return 2;
	}
	return 0;
}

#endif
