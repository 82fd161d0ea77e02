/*
 * weights.c - --weights FILE: parameters and running statistics by their names, out of a safetensors file that any
 * program wrote. What the file lacks, or has in another shape, keeps its starting value, so that a new head may
 * stand on an old body; a list says what that is. The optimizer's state is not taken: training begins anew.
 *
 * --map FILE says what the file's names are called here. The first line that fits a name counts; * stands for any
 * characters but dots, ** for any, and each in the second column for what the same one in the first stood for:
 *
 *     # theirs                            here
 *     layer*.*.conv1.weight               layer*.*.main.conv.weight
 *     transformer.h.*.mlp.c_fc.weight     blocks.*.dense.weight       transposed
 *     **.attn.bias                        -
 *
 * teacher=FILE says that all its names, after the map, are under that one here.
 *
 * A name that no line fits is the same here; "-" is left out.
 */
#define MOST_RULES	4096	/* lines of a map */
#define MOST_STARS	8	/* in a pattern */
#define MOST_NAMED	6	/* in a list, before it counts the rest */

struct map_rule {
	char *theirs, *here;
	bool transposed;
};

struct name_map {
	struct map_rule rule[MOST_RULES];
	int n;
};

/* ---- the map ---- */

static char *
map_text(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text;

	if (fd < 0 || fstat(fd, &st))
		fail("%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size > HEADER_LIMIT)
		fail("%s: expected a map of names: a file of lines", path);
	text = (char *)malloc((size_t)st.st_size + 1);
	if (!text)
		fail("%s: no memory for it", path);
	read_all(fd, path, text, st.st_size, 0);
	text[st.st_size] = '\0';
	close(fd);
	return text;
}

/* The next word of a line, or NULL. */
static char *
map_word(char **at)
{
	char *word = *at + strspn(*at, " \t\r");

	if (!*word || *word == '#')
		return NULL;
	*at = word + strcspn(word, " \t\r");
	if (**at)
		*(*at)++ = '\0';
	return word;
}

static int
map_stars(const char *pattern)
{
	int n = 0;

	for (; *pattern; pattern += pattern[0] == '*' && pattern[1] == '*' ? 2 : 1)
		n += *pattern == '*';
	return n;
}

static void
map_read(struct name_map *m, const char *path)
{
	char *text = map_text(path), *next;	/* kept as long as the rules */

	for (int line = 1; text; text = next, line++) {
		struct map_rule r = {NULL, NULL, false};
		char *at = text, *third;

		if ((next = strchr(text, '\n')))
			*next++ = '\0';
		if (!(r.theirs = map_word(&at)))
			continue;
		r.here = map_word(&at);
		third = r.here ? map_word(&at) : NULL;
		r.transposed = third && !strcmp(third, "transposed");
		if (!r.here || (third && !r.transposed) || map_word(&at))
			fail("%s:%d: expected a name of the file, a name here or \"-\", and perhaps "
			    "\"transposed\"", path, line);
		if (map_stars(r.theirs) > MOST_STARS || (strcmp(r.here, "-") &&
		    map_stars(r.here) != map_stars(r.theirs)))
			fail("%s:%d: as many * in the name here as in the other, at most %d", path, line, MOST_STARS);
		if (m->n == MOST_RULES)
			fail("%s:%d: more than %d lines", path, line, MOST_RULES);
		m->rule[m->n++] = r;
	}
}

struct stood_for {		/* by a star */
	const char *text;
	int length;
};

static bool
map_fits(const char *pattern, const char *name, struct stood_for *star)
{
	bool dots;
	int n = 0;

	for (; *pattern && *pattern != '*'; pattern++, name++)
		if (*pattern != *name)
			return false;
	if (!*pattern)
		return !*name;
	dots = pattern[1] == '*';
	for (;; n++) {
		star->text = name;
		star->length = n;
		if (map_fits(pattern + 1 + dots, name + n, star + 1))
			return true;
		if (!name[n] || (name[n] == '.' && !dots))
			return false;
	}
}

/* What NAME of the file is called here, into OUT; false: it is left out. */
static bool
map_name(const struct name_map *m, const char *name, char *out, size_t room, bool *transposed)
{
	struct stood_for star[MOST_STARS + 1];
	size_t n = 0;
	int k = 0, next = 0;

	*transposed = false;
	while (k < m->n && !map_fits(m->rule[k].theirs, name, star))
		k++;
	if (k == m->n) {
		snprintf(out, room, "%s", name);
		return true;
	}
	*transposed = m->rule[k].transposed;
	for (const char *p = m->rule[k].here; *p && n + 1 < room; p++)
		if (*p == '*') {
			n += (size_t)snprintf(out + n, room - n, "%.*s", star[next].length, star[next].text);
			n = n < room ? n : room - 1;
			p += p[1] == '*';
			next++;
		} else {
			out[n++] = *p;
		}
	out[n] = '\0';
	return strcmp(m->rule[k].here, "-") != 0;
}

/* ---- values ---- */

enum { STORED_F32, STORED_F64, STORED_F16, STORED_BF16, STORED_OTHER };

static const struct {
	const char *name;
	int bytes;
} stored_types[] = { {"F32", 4}, {"F64", 8}, {"F16", 2}, {"BF16", 2} };

static int
stored_type(const struct stored *t)
{
	int k = 0;

	while (k < STORED_OTHER && strcmp(t->dtype, stored_types[k].name))
		k++;
	return k;
}

static double
half_value(uint16_t h)
{
	int exponent = h >> 10 & 31;
	double x = exponent == 31 ? (h & 1023 ? NAN : INFINITY) :
	    exponent ? ldexp(1024 + (h & 1023), exponent - 25) : ldexp(h & 1023, -24);

	return h >> 15 ? -x : x;
}

/* Files are little-endian, as the machines are for which this is built. */
static double
stored_value(int type, const unsigned char *from)
{
	uint32_t bits;
	uint16_t half;
	float f;
	double d;

	switch (type) {
	case STORED_F32:
		memcpy(&f, from, sizeof(f));
		return f;
	case STORED_F64:
		memcpy(&d, from, sizeof(d));
		return d;
	case STORED_F16:
		memcpy(&half, from, sizeof(half));
		return half_value(half);
	default:
		memcpy(&half, from, sizeof(half));
		bits = (uint32_t)half << 16;
		memcpy(&f, &bits, sizeof(f));
		return f;
	}
}

/* Element I of P, in the order in which it lies, is which of the file's? */
static int64_t
stored_index(const struct persistent *p, bool transposed, int64_t i)
{
	if (!transposed)
		return turned(i, p->taps, p->channels);
	return i % p->dim[1] * p->dim[0] + i / p->dim[1];
}

/* FROM holds all values of the file's tensor. */
static void
weights_put(const char *path, const struct persistent *p, int type, const unsigned char *from, bool transposed)
{
	int64_t size = type_table[p->type].bytes, most = (int64_t)sizeof(chunk) / size;

	for (int64_t at = 0; at < p->elements; at += most) {
		int64_t n = p->elements - at < most ? p->elements - at : most;

		for (int64_t i = 0; i < n; i++) {
			double x = stored_value(type, from + stored_index(p, transposed, at + i) *
			    stored_types[type].bytes);

			if (!isfinite(x))
				fail("%s: %s holds a number that is not finite", path, p->name);
			value_put(p->type, chunk, i, x);
		}
		persistent_put(p, at * size, chunk, n * size);
	}
}

/* ---- files ---- */

struct weights {		/* a file while it is read */
	const char *path;
	char under[256];	/* what its names stand behind here: "teacher.", or nothing */
	int under_length;
	int fd;
	int64_t data;		/* where its data begin */
	const struct name_map *map;
	bool *found;		/* of persistent[] */
	int taken, unused, other;	/* tensors: put here, with no name here, of another shape */
	char not_used[512], shapes[1024];
};

/* ", NAME", unless there are enough in the list. */
__attribute__((format(printf, 4, 5))) static void
list_add(char *list, size_t room, int *n, const char *format, ...)
{
	size_t at = strlen(list);
	va_list args;

	if ((*n)++ >= MOST_NAMED || at + 4 >= room)
		return;
	if (at)
		at += (size_t)snprintf(list + at, room - at, ", ");
	va_start(args, format);
	vsnprintf(list + at, room - at, format, args);
	va_end(args);
}

/* Extents of 1, which put no element elsewhere, may be there or not: a convolution of 1 x 1 is a dense layer. */
static bool
same_shape(const struct persistent *p, const struct stored *t, bool transposed)
{
	int i = 0, k = 0;

	if (transposed)
		return p->rank == 2 && t->rank == 2 && t->dim[0] == p->dim[1] && t->dim[1] == p->dim[0];
	for (;; i++, k++) {
		while (i < p->rank && p->dim[i] == 1)
			i++;
		while (k < t->rank && t->dim[k] == 1)
			k++;
		if (i == p->rank || k == t->rank)
			return i == p->rank && k == t->rank;
		if (p->dim[i] != t->dim[k])
			return false;
	}
}

static void
say_shape(struct weights *w, const struct persistent *p, const struct stored *t)
{
	char here[160], there[160];

	list_add(w->shapes, sizeof(w->shapes), &w->other, "%s %s here, %s there", p->name,
	    shape_text(here, sizeof(here), p->rank ? p->dim[0] : 1, p->rank - 1, p->dim + 1),
	    shape_text(there, sizeof(there), t->rank ? t->dim[0] : 1, t->rank - 1, t->dim + 1));
}

/* Puts one tensor of the file where it belongs: the parameter, and copies of it in other types. */
static void
weights_take(struct weights *w, const struct stored *t)
{
	int type = stored_type(t), seen = 0, fit = 0;
	char name[sizeof(t->name)];
	unsigned char *all = NULL;
	bool transposed;

	memcpy(name, w->under, (size_t)w->under_length);
	if (!map_name(w->map, t->name, name + w->under_length, sizeof(name) - (size_t)w->under_length, &transposed))
		return;
	for (int k = 0; k < PERSISTENT; k++) {
		const struct persistent *p = &persistent[k];

		if (!p->weight) {
			seen += !strcmp(p->name, name);	/* state of an optimizer, of our own files */
			continue;
		}
		if (strcmp(p->drawn_for, name))
			continue;
		seen++;
		if (type == STORED_OTHER || !same_shape(p, t, transposed)) {
			if (!strcmp(p->name, name))
				say_shape(w, p, t);
			continue;
		}
		if (t->end - t->begin != p->elements * stored_types[type].bytes)
			fail("%s: corrupt: tensor %s has %lld bytes for %lld elements", w->path, t->name,
			    (long long)(t->end - t->begin), (long long)p->elements);
		if (!all && !(all = (unsigned char *)malloc((size_t)(t->end - t->begin) + 1)))
			fail("%s: no memory for tensor %s", w->path, t->name);
		read_all(w->fd, w->path, all, t->end - t->begin, w->data + t->begin);
		weights_put(w->path, p, type, all, transposed);
		w->found[k] = true;
		fit = 1;
	}
	free(all);
	w->taken += fit;
	if (!seen)
		list_add(w->not_used, sizeof(w->not_used), &w->unused, "%s", t->name);
}

static void
weights_parse(struct weights *w, struct json *j, int64_t data_bytes)
{
	static struct stored t;

	while (header_next(j, data_bytes, &t))
		weights_take(w, &t);
}

static void
say_list(const char *what, const char *list, int n)
{
	if (!n)
		return;
	fprintf(stderr, "  %s: %s", what, list);
	if (n > MOST_NAMED)
		fprintf(stderr, " and %d more", n - MOST_NAMED);
	fputc('\n', stderr);
}

/* What of the file was not taken, and behind the LAST one which of our weights none had. */
static void
weights_report(const struct weights *w, bool last, bool strict)
{
	char missing[1024] = "";
	int lacking = 0, all = 0;

	for (int k = 0; k < PERSISTENT; k++) {
		const struct persistent *p = &persistent[k];
		bool copy = p->weight && strcmp(p->name, p->drawn_for);

		all += p->weight && !copy;
		if (p->weight && !copy && !w->found[k])
			list_add(missing, sizeof(missing), &lacking, "%s", p->name);
	}
	fprintf(stderr, "%s: %d of %d weights, with those from %s\n", PROGRAM, all - lacking, all, w->path);
	if (last)
		say_list("begun anew", missing, lacking);
	say_list("of another shape", w->shapes, w->other);
	say_list("there, but of no use here", w->not_used, w->unused);
	if (!w->taken)
		fail("%s: none of its names is one of %s; --map FILE says what they are called here", w->path,
		    NETWORK);
	if (strict && ((last && lacking) || w->other || w->unused))
		fail("%s: --strict: not every weight is there and used", w->path);
}

/* Of "teacher=FILE" the file, its names to be under the other; unless there is a file that is called so. */
static const char *
weights_under(struct weights *w, const char *given)
{
	const char *equals = strchr(given, '=');
	size_t n = equals ? (size_t)(equals - given) : 0;

	if (n == 0 || n + 2 > sizeof(w->under) || !access(given, F_OK) ||
	    strspn(given, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") != n)
		return given;
	w->under_length = snprintf(w->under, sizeof(w->under), "%.*s.", (int)n, given);
	return equals + 1;
}

static void
weights_load(const char *path, const char *map, bool *found, bool last, bool strict)
{
	static struct name_map names;
	struct weights w = {NULL, "", 0, -1, 0, &names, found, 0, 0, 0, "", ""};
	struct json j;
	int64_t data_bytes;

	w.path = path = weights_under(&w, path);
	names.n = 0;
	if (map)
		map_read(&names, map);
	w.data = header_open(path, &w.fd, &j, &data_bytes);
	weights_parse(&w, &j, data_bytes);
	weights_report(&w, last, strict);
	header_close(w.fd, &j);
}

/* All that the options name, over starting values. */
static void
weights_load_all(const struct options *o)
{
	bool *found = (bool *)calloc(PERSISTENT + 1, sizeof(bool));

	if (!found)
		fail("no memory for the weights' names");
	for (int i = 0; i < o->weights; i++)
		weights_load(o->weight[i], o->map[i], found, i == o->weights - 1, o->strict);
	free(found);
}
