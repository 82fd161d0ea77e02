/*
 * safetensors.c - the header of a file of tensors, read strictly: what is not as the format says
 * ends in one line that names the file.
 *
 *     8 bytes   length of the header, little-endian
 *     header    JSON: {"__metadata__": {...}, NAME: {"dtype", "shape", "data_offsets"}, ...}
 *     data      the tensors
 */
#include "checkpoint_json.c"

#define HEADER_LIMIT	(100 << 20)

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

/* All of a file of text, a NUL behind it, which is to be freed. */
static char *
file_text(const char *path, const char *expected, int64_t *bytes)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text;

	if (fd < 0 || fstat(fd, &st))
		fail("%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size > HEADER_LIMIT)
		fail("%s: expected %s", path, expected);
	text = (char *)malloc((size_t)st.st_size + 1);
	if (!text)
		fail("%s: no memory for it", path);
	read_all(fd, path, text, st.st_size, 0);
	text[st.st_size] = '\0';
	close(fd);
	*bytes = st.st_size;
	return text;
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
	j->of = " of the header";
	*data_bytes = st.st_size - 8 - length;
	return 8 + length;
}

static void
header_close(int fd, struct json *j)
{
	free((void *)(uintptr_t)j->text);
	close(fd);
}

/* Metadata, of which nothing is asked. */
static void
json_pass_strings(struct json *j)
{
	static char value[1 << 16];

	json_need(j, '{', "{");
	if (json_take(j, '}'))
		return;
	do {
		json_string(j, value, sizeof(value));
		json_need(j, ':', ":");
		json_string(j, value, sizeof(value));
	} while (json_take(j, ','));
	json_need(j, '}', "}");
}

/* The next tensor of a header, whose place is within the data; false behind the last. */
static bool
header_next(struct json *j, int64_t data_bytes, struct stored *t)
{
	bool first = j->at == j->text;

	if (first)
		json_need(j, '{', "{");
	for (; !json_take(j, '}'); first = false) {
		if (!first)
			json_need(j, ',', ", or }");
		json_string(j, t->name, sizeof(t->name));
		json_need(j, ':', ":");
		if (!strcmp(t->name, "__metadata__")) {
			json_pass_strings(j);
			continue;
		}
		json_tensor(j, t);
		if (t->begin > t->end || t->end > data_bytes)
			fail("%s: %s: tensor %s lies at bytes %lld to %lld of %lld", j->path,
			    t->end > data_bytes ? "truncated" : "corrupt", t->name, (long long)t->begin,
			    (long long)t->end, (long long)data_bytes);
		return true;
	}
	return false;
}

/* As value_at() has it; -1: no type of data. */
static int
stored_data_type(const struct stored *t)
{
	if (!strcmp(t->dtype, "BOOL"))
		return TYPE_U8;
	for (int i = 0; i < TYPE_ELEM; i++)
		if (!strcmp(t->dtype, type_table[i].safetensors))
			return i;
	return -1;
}
