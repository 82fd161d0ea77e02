/*
 * checkpoint_index.c - tensors in several files: an index says which file has which, as Hugging
 * Face's libraries write it.
 *
 *     NAME.index.json    {"metadata": {"total_size": BYTES, ...}, "weight_map": {TENSOR: FILE, ...}}
 *
 * Files lie beside it: a name that leads elsewhere is refused. As read here, tensors are in the
 * order of their files, and of their names.
 */
#ifndef STOWAGE_HOST_CHECKPOINT_INDEX_C
#define STOWAGE_HOST_CHECKPOINT_INDEX_C

#include "safetensors.c"
#include "json.c"

#define INDEX_ENDS	".index.json"
#define GENERATION	17		/* characters of a generation, and a NUL */

struct indexed {		/* a tensor */
	char *name, *file;
	bool seen;
};

struct index {
	const char *path;
	char *text;
	int64_t total;		/* bytes of all tensors; -1: it does not say */
	char generation[GENERATION];	/* of ours: what its files must have, too */
	struct indexed *tensor;
	int n, room;
};

static bool
is_index(const char *path)
{
	size_t n = strlen(path), end = strlen(INDEX_ENDS);

	return n > end && !strcmp(path + n - end, INDEX_ENDS);
}

static void
index_free(struct index *x)
{
	for (int k = 0; k < x->n; k++) {
		free(x->tensor[k].name);
		free(x->tensor[k].file);
	}
	free(x->tensor);
	free(x->text);
	memset(x, 0, sizeof(*x));
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct indexed *)a)->name, ((const struct indexed *)b)->name);
}

static int
by_file(const void *a, const void *b)
{
	int order = strcmp(((const struct indexed *)a)->file, ((const struct indexed *)b)->file);

	return order ? order : by_name(a, b);
}

/* ---- reading ---- */

/* What is beside "total_size" and "generation" is another program's. */
static void
index_metadata(struct json *j, struct index *x)
{
	char key[32];
	int n = 0;

	while (json_field(j, &n, key, sizeof(key)))
		if (!strcmp(key, "total_size"))
			x->total = json_count(j);
		else if (!strcmp(key, "generation"))
			json_string(j, x->generation, sizeof(x->generation));
		else
			json_pass(j);
}

static void
index_add(struct index *x, const char *name, const char *file)
{
	if (x->n == x->room) {
		x->room = x->room ? 2 * x->room : 64;
		x->tensor = (struct indexed *)realloc(x->tensor, (size_t)x->room * sizeof(*x->tensor));
		if (!x->tensor)
			fail("%s: no memory for its tensors", x->path);
	}
	x->tensor[x->n] = (struct indexed){ strdup(name), strdup(file), false };
	if (!x->tensor[x->n].name || !x->tensor[x->n].file)
		fail("%s: no memory for its tensors", x->path);
	x->n++;
}

static void
index_map(struct json *j, struct index *x)
{
	static struct stored t;
	char file[NAME_MAX + 1];

	json_need(j, '{', "{");
	if (json_take(j, '}'))
		return;
	do {
		json_string(j, t.name, sizeof(t.name));
		json_need(j, ':', ":");
		json_string(j, file, sizeof(file));
		if (!*file || strchr(file, '/') || !strcmp(file, ".") || !strcmp(file, ".."))
			fail("%s: tensor %s is in \"%s\": expected the name of a file beside the index", x->path, t.name, file);
		index_add(x, t.name, file);
	} while (json_take(j, ','));
	json_need(j, '}', "}");
}

static void
index_parse(struct json *j, struct index *x)
{
	char key[32];
	int n = 0, maps = 0;

	while (json_field(j, &n, key, sizeof(key)))
		if (!strcmp(key, "metadata"))
			index_metadata(j, x);
		else if (!strcmp(key, "weight_map") && !maps++)
			index_map(j, x);
		else if (!strcmp(key, "weight_map"))
			json_fail(j, "one \"weight_map\"");
		else
			json_pass(j);
	if (json_peek(j))
		json_fail(j, "the end");
	if (!x->n)
		fail("%s: names no tensors: expected a \"weight_map\" of tensors and their files", x->path);
}

static void
index_read(struct index *x, const char *path)
{
	struct json j = { path, NULL, NULL, NULL, "" };
	int64_t bytes;

	memset(x, 0, sizeof(*x));
	x->path = path;
	x->total = -1;
	x->text = file_text(path, "an index of tensors: JSON", &bytes);
	j.text = j.at = x->text;
	j.end = x->text + bytes;
	index_parse(&j, x);
	qsort(x->tensor, (size_t)x->n, sizeof(*x->tensor), by_name);
	for (int k = 1; k < x->n; k++)
		if (!by_name(&x->tensor[k - 1], &x->tensor[k]))
			fail("%s: corrupt: tensor %s is there twice", path, x->tensor[k].name);
	qsort(x->tensor, (size_t)x->n, sizeof(*x->tensor), by_file);
}

/* ---- its files ---- */

/* How many tensors from the K-th on are in one file. */
static int
index_run(const struct index *x, int k)
{
	int n = 1;

	while (k + n < x->n && !strcmp(x->tensor[k].file, x->tensor[k + n].file))
		n++;
	return n;
}

/* That of so many. */
static struct indexed *
index_find(struct indexed *of, int n, char *name)
{
	struct indexed wanted = { name, NULL, false };

	return (struct indexed *)bsearch(&wanted, of, (size_t)n, sizeof(*of), by_name);
}

/* Where a file of the index is: beside it, or if that is a link, beside what it leads to. */
static const char *
index_path(const struct index *x, const char *file, char *to, size_t size)
{
	char real[PATH_MAX];
	const char *of = x->path;

	for (int followed = 0; followed < 2; followed++) {
		const char *slash = strrchr(of, '/');

		if ((size_t)snprintf(to, size, "%.*s%s", slash ? (int)(slash - of) + 1 : 0, of, file) >= size)
			fail("%s: %s", x->path, strerror(ENAMETOOLONG));
		if (!access(to, F_OK) || followed || !realpath(x->path, real))
			break;
		of = real;
	}
	if (access(to, F_OK))
		fail("%s: names a file that is not there, %s: %s", x->path, file, strerror(errno));
	return to;
}

#endif
