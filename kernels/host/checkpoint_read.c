/*
 * checkpoint_read.c - reading a checkpoint back. What is read is trusted in nothing: the header is
 * parsed strictly, every tensor must be there once, in the network's own shape, and all of them must
 * cover the data without gap or overlap; anything else ends in one line that names the file.
 */
#include "checkpoint_json.c"
#include "checkpoint_state.c"

struct stored {			/* a tensor as the file describes it */
	char name[1024];
	char dtype[16];
	int rank;
	int64_t dim[MAX_DIMS];
	int64_t begin, end;
};

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
		fail("%s: has a tensor %s, which %s has not", path, t->name, NETWORK);
	p = &persistent[k];
	if (strcmp(t->dtype, type_table[p->type].safetensors) || t->rank != p->rank ||
	    memcmp(t->dim, p->dim, sizeof(p->dim[0]) * (size_t)p->rank))
		fail("%s: tensor %s: expected %s %s, found %s %s", path, p->name,
		    type_table[p->type].safetensors,
		    shape_text(want, sizeof(want), p->rank ? p->dim[0] : 1, p->rank - 1, p->dim + 1),
		    t->dtype, shape_text(have, sizeof(have), t->rank ? t->dim[0] : 1, t->rank - 1,
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

/* Opens a safetensors file and reads its header for J; returns where its data begin. */
static int64_t
header_open(const char *path, int *fd, struct json *j, int64_t *data_bytes)
{
	struct stat st;
	int64_t length;
	char *text, magic[2];

	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0 || fstat(*fd, &st))
		fail("%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		fail("%s: expected a file, found a folder, a device or a pipe", path);
	if (st.st_size >= 8) {
		read_all(*fd, path, magic, sizeof(magic), 0);
		if (!memcmp(magic, "PK", sizeof(magic)))
			fail("%s: not a safetensors file but one of torch.save(): write it by "
			    "safetensors.torch.save_file(model.state_dict(), FILE)", path);
	}
	length = header_length(*fd, path, st.st_size);
	text = (char *)malloc((size_t)length);
	if (!text)
		fail("%s: no memory for its header", path);
	read_all(*fd, path, text, length, 8);
	j->path = path;
	j->text = j->at = text;
	j->end = text + length;
	*data_bytes = st.st_size - 8 - length;
	return 8 + length;
}

static void
header_close(int fd, struct json *j)
{
	free((void *)(uintptr_t)j->text);
	close(fd);
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
	int64_t *begin = (int64_t *)malloc((PERSISTENT + 1) * sizeof(int64_t)), data, data_bytes;
	struct json j;
	int fd;

	if (!begin)
		fail("%s: no memory for its header", path);
	data = header_open(path, &fd, &j, &data_bytes);
	for (int k = 0; k < PERSISTENT; k++)
		begin[k] = -1;
	checkpoint_parse(&j, s, data_bytes, begin);
	for (int k = 0; k < PERSISTENT; k++)
		load_tensor(fd, path, &persistent[k], data + begin[k]);
	free(begin);
	header_close(fd, &j);
}
