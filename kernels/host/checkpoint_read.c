/*
 * checkpoint_read.c - reading a checkpoint back. What is read is trusted in nothing: the header is
 * parsed strictly, every tensor must be there once, in the network's own shape, and all of them must
 * cover the data without gap or overlap; anything else ends in one line that names the file.
 */
#include "safetensors.c"
#include "checkpoint_state.c"

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
		fail("%s: has a tensor %s, which %s has not; --weights takes what fits", path, t->name, NETWORK);
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
			fail("%s: has no tensor %s: it is no checkpoint of %s; --weights takes what there is", j->path,
			    persistent[k].name, NETWORK);
	check_cover(j->path, begin, data_bytes);
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

#ifdef TUNES

/* Of the metadata, the fields of engines: for what they are, and all of them in one text, which is to be freed. */
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

/* By which engines the run went that wrote it: here, too, if it is the same card and the same libraries. */
static void
checkpoint_choices(const char *path)
{
	static struct stored t;
	char for_card[CHOICES_KEY] = "", *text = NULL;
	int64_t data_bytes;
	struct json j;
	const char *at;
	int fd;

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
