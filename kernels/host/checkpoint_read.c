/*
 * checkpoint_read.c - reading a checkpoint back. What is read is trusted in nothing: the header is
 * parsed strictly, every tensor must be there once, in the network's own shape, and all of them must
 * cover the data without gap or overlap; anything else ends in one line that names the file.
 */
/* ---- the header's JSON ---- */

struct json {			/* a header being parsed */
	const char *path;	/* of the checkpoint */
	const char *text, *at, *end;
};

struct stored {			/* a tensor as the file describes it */
	char name[1024];
	char dtype[16];
	int rank;
	int64_t dim[MAX_DIMS];
	int64_t begin, end;
};

__attribute__((noreturn)) static void
json_fail(const struct json *j, const char *expected)
{
	fail("%s: corrupt: expected %s at byte %lld of the header", j->path, expected,
	    (long long)(j->at - j->text));
}

static char
json_peek(struct json *j)
{
	while (j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at)
		j->at++;
	return j->at < j->end ? *j->at : '\0';
}

static bool
json_take(struct json *j, char c)
{
	if (json_peek(j) != c || !c)
		return false;
	j->at++;
	return true;
}

static void
json_need(struct json *j, char c, const char *expected)
{
	if (!json_take(j, c))
		json_fail(j, expected);
}

static int
json_hex(struct json *j)
{
	int code = 0;

	for (int i = 0; i < 4; i++, j->at++) {
		const char *digits = "0123456789abcdef0123456789ABCDEF";
		const char *d = j->at < j->end && *j->at ? strchr(digits, *j->at) : NULL;

		if (!d)
			json_fail(j, "four hexadecimal digits");
		code = code * 16 + (int)(d - digits) % 16;
	}
	return code;
}

/* One character of a string, its escapes undone, as UTF-8 into OUT; returns its length. */
static int
json_character(struct json *j, char *out)
{
	static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
	int code;

	if (*j->at != '\\') {
		*out = *j->at++;
		return 1;
	}
	j->at++;
	if (j->at < j->end && *j->at == 'u') {
		j->at++;
		code = json_hex(j);
		if (!code)
			json_fail(j, "a character that is not NUL");
		if (code < 0x80) {
			out[0] = (char)code;
			return 1;
		}
		if (code < 0x800) {
			out[0] = (char)(0xc0 | code >> 6);
			out[1] = (char)(0x80 | (code & 0x3f));
			return 2;
		}
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	for (int i = 0; escapes[i]; i += 2)
		if (j->at < j->end && *j->at == escapes[i]) {
			j->at++;
			*out = escapes[i + 1];
			return 1;
		}
	json_fail(j, "an escape");
}

static void
json_string(struct json *j, char *out, size_t size)
{
	size_t n = 0;

	json_need(j, '"', "a string");
	for (;;) {
		char utf8[4];
		int length;

		if (j->at >= j->end || (unsigned char)*j->at < ' ')
			json_fail(j, "the end of a string");
		if (*j->at == '"')
			break;
		length = json_character(j, utf8);
		if (n + (size_t)length >= size)
			json_fail(j, "a shorter string");
		memcpy(out + n, utf8, (size_t)length);
		n += (size_t)length;
	}
	j->at++;
	out[n] = '\0';
}

/* A whole number that is not negative. */
static int64_t
json_count(struct json *j)
{
	int64_t x = 0;
	char c = json_peek(j);

	if (c < '0' || c > '9')
		json_fail(j, "a number");
	for (; j->at < j->end && *j->at >= '0' && *j->at <= '9'; j->at++)
		if (__builtin_mul_overflow(x, 10, &x) || __builtin_add_overflow(x, *j->at - '0', &x))
			json_fail(j, "a smaller number");
	return x;
}

/* "[1, 2, 3]" into LIST; returns how many there are. */
static int
json_list(struct json *j, int64_t *list, int most)
{
	int n = 0;

	json_need(j, '[', "[");
	if (json_take(j, ']'))
		return 0;
	do {
		if (n == most)
			json_fail(j, "fewer numbers");
		list[n++] = json_count(j);
	} while (json_take(j, ','));
	json_need(j, ']', "]");
	return n;
}

static void
json_tensor(struct json *j, struct stored *t)
{
	int64_t range[2];
	int seen = 0;

	json_need(j, '{', "{");
	do {
		char key[32];

		json_string(j, key, sizeof(key));
		json_need(j, ':', ":");
		if (!strcmp(key, "dtype") && !(seen & 1)) {
			json_string(j, t->dtype, sizeof(t->dtype));
			seen |= 1;
		} else if (!strcmp(key, "shape") && !(seen & 2)) {
			t->rank = json_list(j, t->dim, MAX_DIMS);
			seen |= 2;
		} else if (!strcmp(key, "data_offsets") && !(seen & 4)) {
			if (json_list(j, range, 2) != 2)
				json_fail(j, "two offsets");
			t->begin = range[0];
			t->end = range[1];
			seen |= 4;
		} else {
			json_fail(j, "dtype, shape or data_offsets, each once");
		}
	} while (json_take(j, ','));
	json_need(j, '}', "}");
	if (seen != 7)
		json_fail(j, "dtype, shape and data_offsets");
}

/* A name out of a file, fit to be shown. */
static const char *
printable(char *name)
{
	for (char *p = name; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	return name;
}

/* ---- the metadata ---- */

#define COUNT_LIMIT	(1ull << 53)	/* of epochs, samples and updates: a double holds them all */

enum { META_FORMAT, META_VERSION, META_NETWORK, META_EPOCH, META_POSITION, META_UPDATE, META_DRAW,
    META_SEED, META_SUMS, META_FIELDS };

static const char *const meta_names[META_FIELDS] = {
	"format", "version", "network", "epoch", "position", "update", "draw", "seed", "sums",
};

struct metadata {
	unsigned seen;		/* bit k: meta_names[k] was there */
	bool ours;
	int sums;
};

__attribute__((noreturn)) static void
meta_fail(const struct json *j, int field, const char *expected, char *value)
{
	fail("%s: corrupt: metadata field \"%s\": expected %s, found \"%.60s\"", j->path,
	    meta_names[field], expected, printable(value));
}

/* A whole number up to MOST: digits and nothing else. */
static uint64_t
meta_count(const struct json *j, int field, char *value, uint64_t most)
{
	const char *p = value;
	uint64_t x = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(x, (uint64_t)10, &x) ||
		    __builtin_add_overflow(x, (uint64_t)(*p - '0'), &x) || x > most)
			meta_fail(j, field, "a smaller number", value);
	if (p == value || *p)
		meta_fail(j, field, "a whole number", value);
	return x;
}

/* Finite numbers with a space between; returns how many there are. */
static int
meta_sums(const struct json *j, char *value, double *sum)
{
	char *at = value, *end;
	int n = 0;

	for (;; at = end + 1) {
		double x = strtod(at, &end);

		if (end == at || (*end && *end != ' ') || !isfinite(x))
			meta_fail(j, META_SUMS, "finite numbers", value);
		if (n < MAX_RESULTS)
			sum[n] = x;
		n++;
		if (!*end)
			return n;
	}
}

static void
meta_field(const struct json *j, int field, char *value, struct metadata *m, struct state *s)
{
	switch (field) {
	case META_FORMAT:
		m->ours = !strcmp(value, "stowage");
		break;
	case META_VERSION:
		if (strcmp(value, "1"))
			meta_fail(j, field, "1", value);
		break;
	case META_NETWORK:
		if (strcmp(value, NETWORK))
			meta_fail(j, field, NETWORK, value);
		break;
	case META_EPOCH:
		s->epoch = (int64_t)meta_count(j, field, value, COUNT_LIMIT);
		break;
	case META_POSITION:
		s->position = (int64_t)meta_count(j, field, value, COUNT_LIMIT);
		break;
	case META_UPDATE:
		s->update = (int64_t)meta_count(j, field, value, COUNT_LIMIT);
		break;
	case META_DRAW:
		s->draw = meta_count(j, field, value, COUNT_LIMIT);
		break;
	case META_SEED:
		s->seed = meta_count(j, field, value, UINT64_MAX);
		break;
	case META_SUMS:
		m->sums = meta_sums(j, value, s->sum);
		break;
	}
}

/* The training state out of the metadata; keys of other programs are passed over. */
static void
json_metadata(struct json *j, struct state *s, struct metadata *m)
{
	static char value[64 * MAX_RESULTS + 4096];

	json_need(j, '{', "{");
	if (json_take(j, '}'))
		return;
	do {
		char key[256];
		int k = 0;

		json_string(j, key, sizeof(key));
		json_need(j, ':', ":");
		json_string(j, value, sizeof(value));
		while (k < META_FIELDS && strcmp(key, meta_names[k]))
			k++;
		if (k == META_FIELDS)
			continue;
		if (m->seen >> k & 1)
			fail("%s: corrupt: metadata field \"%s\" is there twice", j->path, key);
		m->seen |= 1u << k;
		meta_field(j, k, value, m, s);
	} while (json_take(j, ','));
	json_need(j, '}', "}");
}

/* Is all there that a run needs to go on? A metric may have been added to or taken from the spec
 * since, but not in the middle of an epoch, whose sums would then be another's. */
static void
check_metadata(const char *path, const struct state *s, const struct metadata *m)
{
	if (!m->ours)
		fail("%s: is no checkpoint of a training run: its metadata lacks \"format\": "
		    "\"stowage\"", path);
	for (int k = 0; k < META_FIELDS; k++)
		if (!(m->seen >> k & 1))
			fail("%s: corrupt: metadata field \"%s\" is missing", path, meta_names[k]);
	if (s->position && m->sums != MAX_RESULTS)
		fail("%s: metadata field \"sums\": expected %d numbers, found %d", path, MAX_RESULTS,
		    m->sums);
}

/* Which of our tensors is this one? Its description must match to the last digit. */
static int
stored_match(const char *path, struct stored *t)
{
	char want[160], have[160];
	const struct persistent *p;
	int k = 0;

	while (k < PERSISTENT && strcmp(persistent[k].name, t->name))
		k++;
	if (k == PERSISTENT)
		fail("%s: has a tensor %s, which %s has not", path, printable(t->name), NETWORK);
	p = &persistent[k];
	if (strcmp(t->dtype, type_table[p->type].safetensors) || t->rank != p->rank ||
	    memcmp(t->dim, p->dim, sizeof(p->dim[0]) * (size_t)p->rank))
		fail("%s: tensor %s: expected %s %s, found %s %s", path, p->name,
		    type_table[p->type].safetensors,
		    shape_text(want, sizeof(want), p->rank ? p->dim[0] : 1, p->rank - 1, p->dim + 1),
		    printable(t->dtype), shape_text(have, sizeof(have), t->rank ? t->dim[0] : 1, t->rank - 1,
		    t->dim + 1));
	return k;
}

static void
read_all(int fd, const char *path, void *to, int64_t bytes, int64_t at)
{
	char *p = (char *)to;

	while (bytes > 0) {
		ssize_t n = pread(fd, p, (size_t)bytes, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			fail("%s: cannot be read beyond byte %lld: %s", path, (long long)at,
			    n ? strerror(errno) : "truncated");
		p += n;
		at += n;
		bytes -= n;
	}
}

/* The tensors must cover the data without gap or overlap. An insertion sort by place: a file that
 * we wrote is in order already. */
static void
check_cover(const char *path, const int64_t *begin, int64_t data_bytes)
{
	int *order = (int *)malloc((PERSISTENT + 1) * sizeof(int));
	int64_t at = 0;

	if (!order)
		fail("%s: no memory for its header", path);
	for (int k = 0; k < PERSISTENT; k++) {
		int i = k;

		for (; i > 0 && begin[order[i - 1]] > begin[k]; i--)
			order[i] = order[i - 1];
		order[i] = k;
	}
	for (int i = 0; i < PERSISTENT; i++) {
		const struct persistent *p = &persistent[order[i]];

		if (begin[order[i]] != at)
			fail("%s: corrupt: tensor %s begins at byte %lld of the data, expected %lld",
			    path, p->name, (long long)begin[order[i]], (long long)at);
		at += p->elements * type_table[p->type].bytes;
	}
	if (at != data_bytes)
		fail("%s: corrupt: %lld bytes of data for %lld bytes of tensors", path,
		    (long long)data_bytes, (long long)at);
	free(order);
}

/* Parses the header: the state, and where each of our tensors begins. */
static void
checkpoint_parse(struct json *j, struct state *s, int64_t data_bytes, int64_t *begin)
{
	static struct stored t;
	struct metadata m = {0, false, 0};

	json_need(j, '{', "{");
	do {
		int k;

		json_string(j, t.name, sizeof(t.name));
		json_need(j, ':', ":");
		if (!strcmp(t.name, "__metadata__")) {
			json_metadata(j, s, &m);
			continue;
		}
		json_tensor(j, &t);
		k = stored_match(j->path, &t);
		if (begin[k] >= 0)
			fail("%s: corrupt: tensor %s is there twice", j->path, t.name);
		if (t.begin > t.end || t.end > data_bytes ||
		    t.end - t.begin != persistent[k].elements * type_table[persistent[k].type].bytes)
			fail("%s: %s: tensor %s lies at bytes %lld to %lld of %lld", j->path,
			    t.end > data_bytes ? "truncated" : "corrupt", t.name,
			    (long long)t.begin, (long long)t.end, (long long)data_bytes);
		begin[k] = t.begin;
	} while (json_take(j, ','));
	json_need(j, '}', "}");
	if (json_peek(j))
		json_fail(j, "the end");
	for (int k = 0; k < PERSISTENT; k++)
		if (begin[k] < 0)
			fail("%s: has no tensor %s", j->path, persistent[k].name);
	check_cover(j->path, begin, data_bytes);
	check_metadata(j->path, s, &m);
}

/* The header's length, from the file's first eight bytes. */
static int64_t
header_length(int fd, const char *path, int64_t size)
{
	unsigned char bytes[8];
	uint64_t length = 0;

	if (size < 8)
		fail("%s: %s: %lld bytes, a safetensors file has at least 8", path,
		    size ? "truncated" : "the file is empty", (long long)size);
	read_all(fd, path, bytes, 8, 0);
	for (int i = 0; i < 8; i++)
		length |= (uint64_t)bytes[i] << (8 * i);
	if (length < 2 || length > HEADER_LIMIT)
		fail("%s: not a safetensors file: a header of %llu bytes", path,
		    (unsigned long long)length);
	if ((int64_t)length > size - 8)
		fail("%s: truncated: %lld bytes, its header alone has %llu", path, (long long)size,
		    (unsigned long long)length);
	return (int64_t)length;
}

#if LARGEST_FILTER

static void
load_filters(int fd, const char *path, const struct persistent *p, int64_t from)
{
	int64_t size = type_table[p->type].bytes, filter = p->channels * p->taps * size;

	for (int64_t at = 0; at < p->elements * size; at += filter) {
		read_all(fd, path, filter_ordered, filter, from + at);
		filter_turn(filter_stored, filter_ordered, p->channels, p->taps, size);
		device_write(p->offset + at, filter_stored, filter);
	}
}

#endif

static void
load_tensor(int fd, const char *path, const struct persistent *p, int64_t from)
{
	int64_t bytes = p->elements * type_table[p->type].bytes;

#if LARGEST_FILTER
	if (p->channels) {
		load_filters(fd, path, p, from);
		return;
	}
#endif
	for (int64_t at = 0; at < bytes; at += (int64_t)sizeof(chunk)) {
		int64_t n = bytes - at < (int64_t)sizeof(chunk) ? bytes - at : (int64_t)sizeof(chunk);

		read_all(fd, path, chunk, n, from + at);
		device_write(p->offset + at, chunk, n);
	}
}

static void
checkpoint_load(const char *path, struct state *s)
{
	struct json j;
	struct stat st;
	int64_t *begin = (int64_t *)malloc((PERSISTENT + 1) * sizeof(int64_t)), length;
	char *text;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st))
		fail("%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		fail("%s: expected a file, found a folder or a device", path);
	length = header_length(fd, path, st.st_size);
	text = (char *)malloc((size_t)length);
	if (!text || !begin)
		fail("%s: no memory for its header", path);
	read_all(fd, path, text, length, 8);
	j.path = path;
	j.text = j.at = text;
	j.end = text + length;
	for (int k = 0; k < PERSISTENT; k++)
		begin[k] = -1;
	checkpoint_parse(&j, s, st.st_size - 8 - length, begin);
	for (int k = 0; k < PERSISTENT; k++)
		load_tensor(fd, path, &persistent[k], 8 + length + begin[k]);
	free(text);
	free(begin);
	close(fd);
}
