/*
 * checkpoint_state.c - the metadata of a checkpoint: where the training run stood.
 */
enum { META_FORMAT, META_VERSION, META_NETWORK, META_EPOCH, META_POSITION, META_UPDATE, META_DRAW,
    META_SEED, META_SUMS, META_WATCH, META_GENERATION, META_FIELDS };

static const char *const meta_names[META_FIELDS] = {
	"format", "version", "network", "epoch", "position", "update", "draw", "seed", "sums", "watch",
	"generation",
};

struct metadata {
	unsigned seen;		/* bit k: meta_names[k] was there */
	bool ours;
	int sums;
	char generation[GENERATION];	/* of the index that the file is of; "": of none */
};

__attribute__((noreturn)) static void
meta_fail(const struct json *j, int field, const char *expected, char *value)
{
	fail("%s: corrupt: metadata field \"%s\": expected %s, found \"%.60s\"", j->path,
	    meta_names[field], expected, value);
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

/* Finite numbers with a space between, of which the first MOST are wanted; returns how many there
 * are. */
static int
meta_numbers(const struct json *j, int field, char *value, double *to, int most)
{
	char *at = value, *end;
	int n = 0;

	for (;; at = end + 1) {
		double x = strtod(at, &end);

		if (end == at || (*end && *end != ' ') || !isfinite(x))
			meta_fail(j, field, "finite numbers", value);
		if (n < most)
			to[n] = x;
		n++;
		if (!*end)
			return n;
	}
}

static void
meta_watch(const struct json *j, char *value, struct watch *w)
{
	double x[6];

	if (meta_numbers(j, META_WATCH, value, x, 6) != 6)
		meta_fail(j, META_WATCH, "six numbers", value);
	w->lowest = x[0], w->waited = x[1];
	w->level = x[2], w->bad = x[3], w->held = x[4];
	w->rate = x[5];
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
		m->sums = meta_numbers(j, field, value, s->sum, MAX_RESULTS);
		break;
	case META_WATCH:
		meta_watch(j, value, &s->watch);
		break;
	case META_GENERATION:
		if (strlen(value) >= sizeof(m->generation))
			meta_fail(j, field, "16 characters at most", value);
		memcpy(m->generation, value, strlen(value) + 1);
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
	for (int k = 0; k < META_WATCH; k++)	/* files of old lack that, those that are whole the next */
		if (!(m->seen >> k & 1))
			fail("%s: corrupt: metadata field \"%s\" is missing", path, meta_names[k]);
	if (s->position && m->sums != MAX_RESULTS)
		fail("%s: metadata field \"sums\": expected %d numbers, found %d", path, MAX_RESULTS,
		    m->sums);
}
