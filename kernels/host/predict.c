/*
 * predict.c - --predict FILE: what the network computes for each sample, as the file's name says: a table (.csv), a
 * tensor called "prediction" (.safetensors), or NumPy's array (.npy and any other). The file is there when it is
 * whole.
 */
#ifdef VALIDATES
static void
keep_predictions_at(const void *from, int64_t at, int64_t bytes)
{
	if (predictions)
		ALONE
			device_read(predictions + at, (const unsigned char *)from - arena, bytes);
}

static void
keep_predictions(const void *from, int64_t bytes)
{
	keep_predictions_at(from, 0, bytes);
}

enum { PREDICT_NPY, PREDICT_CSV, PREDICT_SAFETENSORS };

static struct whole prediction_file;
static int prediction_format;

/* Part of a file would pass for the whole of it: none stays behind. */
__attribute__((noreturn)) static void
predictions_fail(void)
{
	whole_drop(&prediction_file);
	fail("%s: cannot be written: %s", prediction_file.given, strerror(errno));
}

/* What is written: elements of 16 bits as f32, since NPY has no bf16. */
static int
predictions_type(void)
{
	return prediction.type == TYPE_ELEM ? TYPE_F32 : prediction.type;
}

/* Element I of what was kept, in the order of its dims. */
static const unsigned char *
prediction_at(int64_t i)
{
	return predictions + turned(i, prediction.channels, prediction.places) * type_table[prediction.type].bytes;
}

static bool
predictions_bytes(int64_t n)
{
	int fd = prediction_file.fd;
	int64_t from = type_table[prediction.type].bytes, size = type_table[predictions_type()].bytes;
	int64_t most = (int64_t)sizeof(chunk) / size;

	if (from == size && !prediction.channels)
		return write_all(fd, predictions, n * size);
	for (int64_t at = 0; at < n; at += most) {
		int64_t count = n - at < most ? n - at : most;

		for (int64_t i = 0; i < count; i++) {
			const unsigned char *x = prediction_at(at + i);

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
prediction_text(char *to, size_t room, const unsigned char *x)
{
	if (prediction.type == TYPE_ELEM)
		return snprintf(to, room, "%.9g", (double)VALUE(*(const elem *)x));
	if (prediction.type == TYPE_F64)
		return snprintf(to, room, "%.17g", value_at(TYPE_F64, x, 0));
	return snprintf(to, room, "%.9g", value_at(prediction.type, x, 0));
}

/* A line a sample. */
static bool
predictions_lines(int64_t n)
{
	char *text = (char *)chunk;
	int64_t used = 0;

	for (int64_t i = 0; i < n; i++) {
		used += prediction_text(text + used, 64, prediction_at(i));
		text[used++] = (i + 1) % prediction.elements ? ',' : '\n';
		if (used + 64 > (int64_t)sizeof(chunk)) {
			if (!write_all(prediction_file.fd, text, used))
				return false;
			used = 0;
		}
	}
	return write_all(prediction_file.fd, text, used);
}

/* Writes the N first elements of what was kept. */
static bool
predictions_write(int64_t n)
{
	return prediction_format == PREDICT_CSV ? predictions_lines(n) : predictions_bytes(n);
}

/* "60000, 10" */
static void
predictions_shape(char *to, size_t room, int64_t samples)
{
	size_t n = (size_t)snprintf(to, room, "%lld", (long long)samples);

	for (int i = 0; i < prediction.rank && n < room; i++)
		n += (size_t)snprintf(to + n, room - n, ", %lld", (long long)prediction.dim[i]);
}

/* A NPY header is a multiple of 64 bytes, a tensor's one of 8. */
static int
predictions_header(char *header, size_t room, int64_t samples)
{
	const char *type = type_table[predictions_type()].name;
	int64_t size = type_table[predictions_type()].bytes;
	char shape[256];
	int n, npy = prediction_format == PREDICT_NPY, begin = npy ? 10 : 8;

	predictions_shape(shape, sizeof(shape), samples);
	if (npy)
		n = snprintf(header + begin, room - (size_t)begin,
		    "{'descr': '%c%c%lld', 'fortran_order': False, 'shape': (%s%s), }", size > 1 ? '<' : '|', type[0],
		    (long long)size, shape, prediction.rank ? "" : ",");
	else
		n = snprintf(header + begin, room - (size_t)begin,
		    "{\"prediction\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[0,%lld]}}",
		    type_table[predictions_type()].safetensors, shape,
		    (long long)(samples * prediction.elements * size));
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
predictions_open(const char *path, int64_t samples)
{
	char header[768];

	prediction_format = name_ends(path, ".csv") ? PREDICT_CSV : name_ends(path, ".safetensors") ?
	    PREDICT_SAFETENSORS : PREDICT_NPY;
	if (!whole_find(&prediction_file, path) || !whole_open(&prediction_file))
		predictions_fail();
	if (prediction_format != PREDICT_CSV &&
	    !write_all(prediction_file.fd, header, predictions_header(header, sizeof(header), samples)))
		predictions_fail();
}
#endif
