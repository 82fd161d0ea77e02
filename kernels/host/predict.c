/*
 * predict.c - --predict FILE: what the network computes for each sample, as the file's name says: a
 * table (.csv), a tensor called "prediction" (.safetensors), or NumPy's array (.npy and any other).
 * NAME=FILE is the same of what the spec's predict names. A file is there when it is whole.
 */
#ifdef VALIDATES
static void
keep_bytes(int k, const void *from, int64_t at, int64_t bytes)
{
	if (kept[k])
		ALONE
			device_read(kept[k] + at, (const unsigned char *)from - arena, bytes);
}

static void
keep_predictions_at(const void *from, int64_t at, int64_t bytes)
{
	keep_bytes(0, from, at, bytes);
}

static void
keep_predictions(int k, const void *from, int64_t bytes)
{
	keep_bytes(k, from, 0, bytes);
}

enum { PREDICT_NPY, PREDICT_CSV, PREDICT_SAFETENSORS };

struct predicted {		/* a file that is written */
	const char *path;	/* NULL: not wanted */
	struct whole file;
	int format;
};

static struct predicted predicted[PREDICTIONS];

static void
predictions_drop_all(void)
{
	for (int k = 0; k < PREDICTIONS; k++)
		if (predicted[k].path && predicted[k].file.given)
			whole_drop(&predicted[k].file);
}

/* Part of a file would pass for the whole of it: none stays behind. */
__attribute__((noreturn)) static void
predictions_fail(int k)
{
	int why = errno;

	predictions_drop_all();
	fail("%s: cannot be written: %s", predicted[k].path, strerror(why));
}

/* What is written: elements of 16 bits as f32, since NPY has no bf16. */
static int
predictions_type(int k)
{
	return predictions[k].type == TYPE_ELEM ? TYPE_F32 : predictions[k].type;
}

/* Element I of what was kept, in the order of its dims. */
static const unsigned char *
prediction_at(int k, int64_t i)
{
	const struct prediction *p = &predictions[k];

	return kept[k] + turned(i, p->channels, p->places) * type_table[p->type].bytes;
}

static bool
predictions_bytes(int k, int64_t n)
{
	int fd = predicted[k].file.fd;
	int64_t from = type_table[predictions[k].type].bytes, size = type_table[predictions_type(k)].bytes;
	int64_t most = (int64_t)sizeof(chunk) / size;

	if (from == size && !predictions[k].channels)
		return write_all(fd, kept[k], n * size);
	for (int64_t at = 0; at < n; at += most) {
		int64_t count = n - at < most ? n - at : most;

		for (int64_t i = 0; i < count; i++) {
			const unsigned char *x = prediction_at(k, at + i);

			if (from == size)
				memcpy(chunk + i * size, x, (size_t)size);
			else
				((float *)chunk)[i] = (float)VALUE(*(const elem *)x);
		}
		if (!write_all(fd, chunk, count * size))
			return false;
	}
	return true;
}

/* A number with all its digits, as text; returns its length. */
static int
prediction_text(int type, char *to, size_t room, const unsigned char *x)
{
	if (type == TYPE_ELEM)
		return snprintf(to, room, "%.9g", (double)VALUE(*(const elem *)x));
	if (type == TYPE_F64)
		return snprintf(to, room, "%.17g", value_at(TYPE_F64, x, 0));
	return snprintf(to, room, "%.9g", value_at(type, x, 0));
}

/* A line a sample. */
static bool
predictions_lines(int k, int64_t n)
{
	char *text = (char *)chunk;
	int64_t used = 0;

	for (int64_t i = 0; i < n; i++) {
		used += prediction_text(predictions[k].type, text + used, 64, prediction_at(k, i));
		text[used++] = (i + 1) % predictions[k].elements ? ',' : '\n';
		if (used + 64 > (int64_t)sizeof(chunk)) {
			if (!write_all(predicted[k].file.fd, text, used))
				return false;
			used = 0;
		}
	}
	return write_all(predicted[k].file.fd, text, used);
}

/* "60000, 10" */
static void
predictions_shape(const struct prediction *p, char *to, size_t room, int64_t samples)
{
	size_t n = (size_t)snprintf(to, room, "%lld", (long long)samples);

	for (int i = 0; i < p->rank && n < room; i++)
		n += (size_t)snprintf(to + n, room - n, ", %lld", (long long)p->dim[i]);
}

/* A NPY header is a multiple of 64 bytes, a tensor's one of 8. */
static int
predictions_header(int k, char *header, size_t room, int64_t samples)
{
	const struct prediction *p = &predictions[k];
	const char *type = type_table[predictions_type(k)].name;
	int64_t size = type_table[predictions_type(k)].bytes;
	char shape[256];
	int n, npy = predicted[k].format == PREDICT_NPY, begin = npy ? 10 : 8;

	predictions_shape(p, shape, sizeof(shape), samples);
	if (npy)
		n = snprintf(header + begin, room - (size_t)begin,
		    "{'descr': '%c%c%lld', 'fortran_order': False, 'shape': (%s%s), }", size > 1 ? '<' : '|', type[0],
		    (long long)size, shape, p->rank ? "" : ",");
	else
		n = snprintf(header + begin, room - (size_t)begin,
		    "{\"%.1024s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[0,%lld]}}",
		    p->name, type_table[predictions_type(k)].safetensors, shape,
		    (long long)(samples * p->elements * size));
	while ((begin + n + npy) % (npy ? 64 : 8))
		header[begin + n++] = ' ';
	if (npy) {
		header[begin + n++] = '\n';
		memcpy(header, "\x93NUMPY\x01", 8);
	} else {
		memset(header, 0, 8);
	}
	header[npy ? 8 : 0] = (char)(n & 0xff);
	header[npy ? 9 : 1] = (char)(n >> 8);
	return begin + n;
}

static bool
name_ends(const char *name, const char *with)
{
	size_t n = strlen(name), m = strlen(with);

	return n >= m && !strcmp(name + n - m, with);
}

/* Writes what comes before the samples, which follow batch by batch. */
static void
predictions_open(int k, int64_t samples)
{
	struct predicted *p = &predicted[k];
	char header[2048];

	p->format = name_ends(p->path, ".csv") ? PREDICT_CSV : name_ends(p->path, ".safetensors") ?
	    PREDICT_SAFETENSORS : PREDICT_NPY;
	if (!whole_find(&p->file, p->path) || !whole_open(&p->file))
		predictions_fail(k);
	if (p->format != PREDICT_CSV &&
	    !write_all(p->file.fd, header, predictions_header(k, header, sizeof(header), samples)))
		predictions_fail(k);
}

static void
predictions_open_all(int64_t samples)
{
	for (int k = 0; k < PREDICTIONS; k++) {
		const struct prediction *p = &predictions[k];

		if (!predicted[k].path)
			continue;
		kept[k] = (unsigned char *)data_alloc((uint64_t)(p->elements * type_table[p->type].bytes) * VALIDATE_BATCH,
		    predicted[k].path);
		predictions_open(k, samples);
	}
}

/* The B samples that were kept. */
static void
predictions_write_all(int64_t b)
{
	for (int k = 0; k < PREDICTIONS; k++) {
		int64_t n = b * predictions[k].elements;

		if (predicted[k].path && !(predicted[k].format == PREDICT_CSV ? predictions_lines(k, n) : predictions_bytes(k, n)))
			predictions_fail(k);
	}
}

static void
predictions_close_all(void)
{
	for (int k = 0; k < PREDICTIONS; k++)
		if (predicted[k].path && !whole_close(&predicted[k].file))
			predictions_fail(k);
}

/* ---- which ---- */

__attribute__((noreturn)) static void
prediction_unknown(const char *given, int length)
{
	char names[1024] = "";
	size_t n = 0;

	for (int k = 0; k < PREDICTIONS && n + 1 < sizeof(names); k++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", k ? ", " : "", predictions[k].name);
	fail("--predict: no %.*s can be written; there is %s, and what the spec names: validate { predict NAME }", length, given,
	    names);
}

/* Of "features=FILE" the file of that name's; else the file of the first. A path that begins
 * otherwise than a name is taken whole. */
static int
prediction_named(const char **file)
{
	const char *equals = strchr(*file, '=');
	size_t n = equals ? (size_t)(equals - *file) : 0;
	int k = 0;

	if (n == 0 ||
	    strspn(*file, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") != n)
		return 0;
	while (k < PREDICTIONS && (strncmp(predictions[k].name, *file, n) || predictions[k].name[n]))
		k++;
	if (k == PREDICTIONS)
		prediction_unknown(*file, (int)n);
	*file = equals + 1;
	return k;
}

static void
predictions_find(const struct options *o)
{
	for (int i = 0; i < o->predicts; i++) {
		const char *file = o->predict[i];
		int k = prediction_named(&file);

		if (!*file)
			fail("--predict %s: expected a file after the equals sign", o->predict[i]);
		if (predicted[k].path)
			fail("--predict: %s is written to one file, %s or %s", predictions[k].name, predicted[k].path, file);
		if (!predictions[k].elements)
			fail("--predict: %s computes nothing for each sample that could be written", NETWORK);
		for (int other = 0; other < PREDICTIONS; other++)
			if (predicted[other].path && !strcmp(predicted[other].path, file))
				fail("--predict: %s cannot hold both %s and %s", file, predictions[other].name, predictions[k].name);
		predicted[k].path = file;
	}
}
#endif
