/*
 * checkpoint_read.c - reading a checkpoint back, of one file or of several and their index. What is
 * read is trusted in nothing: headers are parsed strictly, every tensor must be there once, in the
 * network's own shape, where the index says, and those of a file must cover its data without gap or
 * overlap; files must be of the index's own generation, and say that training stood at the same
 * place. Anything else ends in one line that names the file.
 */
#include "checkpoint_index.c"
#include "checkpoint_state.c"

struct home {			/* of one of our tensors */
	int file;		/* of an index, which tensor there is the file's first; -1: in none yet */
	int64_t begin;		/* in that file's data; -1: not found yet */
};

/* Which of our tensors is it? */
static int
stored_ours(const char *path, const char *name)
{
	int k = 0;

	while (k < PERSISTENT && strcmp(persistent[k].name, name))
		k++;
	if (k == PERSISTENT)
		fail("%s: has a tensor %s, which %s has not; --weights takes what fits", path, name, NETWORK);
	return k;
}

/* Its description must match to the last digit, too. */
static int
stored_match(const char *path, struct stored *t)
{
	char want[160], have[160];
	int k = stored_ours(path, t->name);
	const struct persistent *p = &persistent[k];

	if (strcmp(t->dtype, type_table[p->type].safetensors) || t->rank != p->rank ||
	    memcmp(t->dim, p->dim, sizeof(p->dim[0]) * (size_t)p->rank))
		fail("%s: tensor %s: expected %s %s, found %s %s", path, p->name,
		    type_table[p->type].safetensors,
		    shape_text(want, sizeof(want), p->rank ? p->dim[0] : 1, p->rank - 1, p->dim + 1),
		    t->dtype, shape_text(have, sizeof(have), t->rank ? t->dim[0] : 1, t->rank - 1,
		    t->dim + 1));
	return k;
}

/* The tensors of a file must cover its data without gap or overlap. An insertion sort by place: a
 * file that we wrote is in order already. */
static void
check_cover(const char *path, const struct home *home, int file, int64_t data_bytes)
{
	int *order = (int *)malloc((PERSISTENT + 1) * sizeof(int)), n = 0;
	int64_t at = 0;

	if (!order)
		fail("%s: no memory for its header", path);
	for (int k = 0; k < PERSISTENT; k++) {
		int i = n;

		if (home[k].file != file)
			continue;
		for (; i > 0 && home[order[i - 1]].begin > home[k].begin; i--)
			order[i] = order[i - 1];
		order[i] = k;
		n++;
	}
	for (int i = 0; i < n; i++) {
		const struct persistent *p = &persistent[order[i]];

		if (home[order[i]].begin != at)
			fail("%s: corrupt: tensor %s begins at byte %lld of the data, expected %lld",
			    path, p->name, (long long)home[order[i]].begin, (long long)at);
		at += p->elements * type_table[p->type].bytes;
	}
	if (at != data_bytes)
		fail("%s: corrupt: %lld bytes of data for %lld bytes of tensors", path,
		    (long long)data_bytes, (long long)at);
	free(order);
}

/* Is the file of that generation? */
static void
check_generation(const char *path, const char *own, const char *generation)
{
	if (!strcmp(own, generation))
		return;
	if (!*generation)
		fail("%s: is one of several files of a checkpoint: --resume takes their index, *" INDEX_ENDS, path);
	fail("%s: is of another checkpoint than its index, or of none", path);
}

/* Parses the header of a file: the state, and where each of our tensors in it begins. */
static void
checkpoint_parse(struct json *j, struct state *s, int64_t data_bytes, const char *generation, struct home *home, int file)
{
	static struct stored t;
	struct metadata m = {0, false, 0, ""};

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
		if (home[k].file != file)
			fail("%s: has a tensor %s, which its index says is elsewhere", j->path, t.name);
		if (home[k].begin >= 0)
			fail("%s: corrupt: tensor %s is there twice", j->path, t.name);
		if (t.begin > t.end || t.end > data_bytes ||
		    t.end - t.begin != persistent[k].elements * type_table[persistent[k].type].bytes)
			fail("%s: %s: tensor %s lies at bytes %lld to %lld of %lld", j->path,
			    t.end > data_bytes ? "truncated" : "corrupt", t.name,
			    (long long)t.begin, (long long)t.end, (long long)data_bytes);
		home[k].begin = t.begin;
	} while (json_take(j, ','));
	json_need(j, '}', "}");
	if (json_peek(j))
		json_fail(j, "the end");
	check_generation(j->path, m.generation, generation);
	for (int k = 0; k < PERSISTENT; k++)
		if (home[k].file == file && home[k].begin < 0)
			fail("%s: has no tensor %s: it is no checkpoint of %s; --weights takes what there is", j->path,
			    persistent[k].name, NETWORK);
	check_cover(j->path, home, file, data_bytes);
	check_metadata(j->path, s, &m);
}

#if LARGEST_FILTER

static void
load_filters(int fd, const char *path, const struct persistent *p, int64_t from)
{
	int64_t size = type_table[p->type].bytes, filter = p->channels * p->taps * size;

	for (int64_t at = 0; at < p->elements * size; at += filter) {
		read_all(fd, path, filter_ordered, filter, from + at);
		filter_turn(filter_stored, filter_ordered, p->channels, p->taps, size);
		persistent_put(p, at, filter_stored, filter);
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
		persistent_put(p, at, chunk, n);
	}
}

/* One file of a checkpoint. */
static void
load_file(const char *path, struct state *s, const char *generation, struct home *home, int file)
{
	int64_t data, data_bytes;
	struct json j;
	int fd;

	data = header_open(path, &fd, &j, &data_bytes);
	checkpoint_parse(&j, s, data_bytes, generation, home, file);
	for (int k = 0; k < PERSISTENT; k++)
		if (home[k].file == file)
			load_tensor(fd, path, &persistent[k], data + home[k].begin);
	header_close(fd, &j);
}

/* An index must name all that we have, and nothing else. */
static void
index_homes(const struct index *x, struct home *home)
{
	int64_t bytes = 0;

	for (int k = 0; k < PERSISTENT; k++) {
		home[k].file = -1;
		bytes += persistent[k].elements * type_table[persistent[k].type].bytes;
	}
	for (int k = 0, file = 0; k < x->n; k++) {
		if (strcmp(x->tensor[k].file, x->tensor[file].file))
			file = k;
		home[stored_ours(x->path, x->tensor[k].name)].file = file;
	}
	for (int k = 0; k < PERSISTENT; k++)
		if (home[k].file < 0)
			fail("%s: has no tensor %s: it is no checkpoint of %s; --weights takes what there is", x->path,
			    persistent[k].name, NETWORK);
	if (x->total != bytes)
		fail("%s: corrupt: \"total_size\": expected %lld bytes, found %lld", x->path, (long long)bytes,
		    (long long)x->total);
}

static void
load_index(const char *path, struct state *s, struct home *home)
{
	const struct state before = *s;
	char file[PATH_MAX];
	struct index x;

	index_read(&x, path);
	index_homes(&x, home);
	for (int k = 0; k < x.n; k += index_run(&x, k)) {
		struct state own = before;

		load_file(index_path(&x, x.tensor[k].file, file, sizeof(file)), &own, x.generation, home, k);
		if (k && memcmp(&own, s, sizeof(own)))
			fail("%s: %s says that training stood elsewhere than %s", path, file, x.tensor[0].file);
		*s = own;
	}
	index_free(&x);
}

static void
checkpoint_load(const char *path, struct state *s)
{
	struct home *home = (struct home *)malloc((PERSISTENT + 1) * sizeof(*home));

	if (!home)
		fail("%s: no memory for its header", path);
	for (int k = 0; k < PERSISTENT; k++)
		home[k] = (struct home){ 0, -1 };
	if (is_index(path))
		load_index(path, s, home);
	else
		load_file(path, s, "", home, 0);
	free(home);
}

#ifdef TUNES

/* The first file of an index, which says of engines what all do. */
static const char *
index_first(const char *path, char *to, size_t size)
{
	struct index x;

	index_read(&x, path);
	index_path(&x, x.tensor[0].file, to, size);
	index_free(&x);
	return to;
}

/* Of the metadata, the fields of engines: for what they are, and all of them in one text, which is
 * to be freed. */
static char *
json_choices(struct json *j, char *for_card, size_t size)
{
	static char value[1 << 16];
	char *text = NULL, key[256];
	size_t n = 0;

	json_need(j, '{', "{");
	if (json_take(j, '}'))
		return NULL;
	do {
		json_string(j, key, sizeof(key));
		json_need(j, ':', ":");
		json_string(j, value, sizeof(value));
		if (!strcmp(key, "engines")) {
			snprintf(for_card, size, "%s", value);
		} else if (!strncmp(key, "engines.", 8)) {
			text = (char *)realloc(text, n + strlen(value) + 1);
			if (!text)
				fail("%s: no memory for its header", j->path);
			strcpy(text + n, value);
			n += strlen(value);
		}
	} while (json_take(j, ','));
	json_need(j, '}', "}");
	return text;
}

/* By which engines the run went that wrote it: here, too, if it is the same card and the same
 * libraries. */
static void
checkpoint_choices(const char *path)
{
	static struct stored t;
	char for_card[CHOICES_KEY] = "", *text = NULL, first[PATH_MAX];
	int64_t data_bytes;
	struct json j;
	const char *at;
	int fd;

	if (is_index(path))
		path = index_first(path, first, sizeof(first));
	header_open(path, &fd, &j, &data_bytes);
	json_need(&j, '{', "{");
	do {
		json_string(&j, t.name, sizeof(t.name));
		json_need(&j, ':', ":");
		if (strcmp(t.name, "__metadata__")) {
			json_tensor(&j, &t);
		} else {
			free(text);
			text = json_choices(&j, for_card, sizeof(for_card));
		}
	} while (json_take(&j, ','));
	at = text;
	if (text && strcmp(for_card, choices_file.for_card))
		choices_note("%s: was trained by engines for %s: others are chosen here, which round otherwise", path,
		    for_card);
	else if (text && !choices_read(&choices, &at, ';'))
		choices_note("%s: its engines cannot be read: others are chosen here, which may round otherwise", path);
	free(text);
	header_close(fd, &j);
}

#endif
