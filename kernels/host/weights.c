/*
 * weights.c - --weights FILE: parameters and running statistics by their names, out of a
 * safetensors file that any program wrote, or out of several, given by their index. What the file
 * lacks, or has in another shape, keeps its starting value, so that a new head may stand on an old
 * body; a list says what that is. The optimizer's state is not taken: training begins anew.
 *
 * --map FILE says what the file's names are called here, and how weights lie there (name_map.c).
 *
 * teacher=FILE says that all its names, after the map, are under that one here.
 */
#include "checkpoint_index.c"

#define MOST_NAMED	6	/* in a list, before it counts the rest */

/* ---- the map ---- */

static void
map_read(struct name_map *m, const char *path)
{
	int64_t bytes;
	char *text = file_text(path, "a map of names: a file of lines", &bytes), *next = text;
	const char *wrong;

	for (int line = 1; next; line++) {
		char *at = next;

		if ((next = strchr(at, '\n')))
			*next++ = '\0';
		if ((wrong = map_line(m, at)))
			fail("%s:%d: %s", path, line, wrong);
	}
	free(text);
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
stored_index(const struct persistent *p, const struct map_view *v, int64_t i)
{
	int64_t at = turned(i, p->taps, p->channels) - v->first, index = 0;

	if (!v->turned)
		return at;
	for (int k = 0; k < v->letters; k++)
		index = index * v->extent[k] + (v->stride[k] ? at / v->stride[k] % v->extent[k] : 0);
	return index;
}

/* FROM holds all values of the file's tensor, which is P or rows of it. */
static void
weights_put(const char *path, const struct persistent *p, int type, const unsigned char *from, const struct map_view *v)
{
	int64_t size = type_table[p->type].bytes, most = (int64_t)sizeof(chunk) / size;

	for (int64_t at = 0; at < v->count; at += most) {
		int64_t n = v->count - at < most ? v->count - at : most;

		for (int64_t i = 0; i < n; i++) {
			double x = stored_value(type, from + stored_index(p, v, v->first + at + i) * stored_types[type].bytes);

			if (!isfinite(x))
				fail("%s: %s holds a number that is not finite", path, p->name);
			value_put(p->type, chunk, i, x);
		}
		persistent_put(p, (v->first + at) * size, chunk, n * size);
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
	int64_t *found;		/* of persistent[]: how many of its elements */
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

/* Extents of 1, which put no element elsewhere, may be there or not: a convolution of 1 x 1 is a
 * dense layer. */
static bool
same_shape(const struct map_view *v, const struct stored *t)
{
	int i = 0, k = 0;

	for (;; i++, k++) {
		while (i < v->rank && v->dim[i] == 1)
			i++;
		while (k < t->rank && t->dim[k] == 1)
			k++;
		if (i == v->rank || k == t->rank)
			return i == v->rank && k == t->rank;
		if (v->dim[i] != t->dim[k])
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
	const struct map_rule *rule;
	struct map_view v;

	memcpy(name, w->under, (size_t)w->under_length);
	rule = map_theirs(w->map, t->name, name + w->under_length, sizeof(name) - (size_t)w->under_length);
	if (rule && rule->kind != MAP_TAKEN)
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
		if (type == STORED_OTHER || !map_view(rule, p->rank, p->dim, &v) || !same_shape(&v, t)) {
			if (!strcmp(p->name, name))
				say_shape(w, p, t);
			continue;
		}
		if (t->end - t->begin != v.count * stored_types[type].bytes)
			fail("%s: corrupt: tensor %s has %lld bytes for %lld elements", w->path, t->name,
			    (long long)(t->end - t->begin), (long long)v.count);
		if (!all && !(all = (unsigned char *)malloc((size_t)(t->end - t->begin) + 1)))
			fail("%s: no memory for tensor %s", w->path, t->name);
		read_all(w->fd, w->path, all, t->end - t->begin, w->data + t->begin);
		weights_put(w->path, p, type, all, &v);
		w->found[k] += v.count;
		fit = 1;
	}
	free(all);
	w->taken += fit;
	if (!seen)
		list_add(w->not_used, sizeof(w->not_used), &w->unused, "%s", t->name);
}

/* All of a file; of one of an index, the N tensors that it says are there, and nothing else. */
static void
weights_parse(struct weights *w, const char *path, struct indexed *of, int n)
{
	static struct stored t;
	struct json j;
	int64_t data_bytes;

	w->path = path;
	w->data = header_open(path, &w->fd, &j, &data_bytes);
	while (header_next(&j, data_bytes, &t)) {
		struct indexed *here = of ? index_find(of, n, t.name) : NULL;

		if (here)
			here->seen = true;
		if (here || !of)
			weights_take(w, &t);
	}
	for (int k = 0; k < n; k++)
		if (!of[k].seen)
			fail("%s: has no tensor %s, which its index says is there", path, of[k].name);
	header_close(w->fd, &j);
}

static void
weights_parse_all(struct weights *w, const char *path)
{
	char file[PATH_MAX];
	struct index x;

	index_read(&x, path);
	for (int k = 0, n; k < x.n; k += n) {
		n = index_run(&x, k);
		weights_parse(w, index_path(&x, x.tensor[k].file, file, sizeof(file)), &x.tensor[k], n);
	}
	index_free(&x);
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
		if (p->weight && !copy && w->found[k] < p->elements)
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

/* Of "teacher=FILE" the file, its names to be under the other; unless there is a file that is
 * called so. */
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
weights_load(const char *path, const char *map, int64_t *found, bool last, bool strict)
{
	static struct name_map names;
	struct weights w = {NULL, "", 0, -1, 0, &names, found, 0, 0, 0, "", ""};

	path = weights_under(&w, path);
	names.n = names.members = names.layouts = 0;
	if (map)
		map_read(&names, map);
	if (is_index(path))
		weights_parse_all(&w, path);
	else
		weights_parse(&w, path, NULL, 0);
	w.path = path;
	weights_report(&w, last, strict);
}

/* All that the options name, over starting values. */
static void
weights_load_all(const struct options *o)
{
	int64_t *found = (int64_t *)calloc(PERSISTENT + 1, sizeof(*found));

	if (!found)
		fail("no memory for the weights' names");
	for (int i = 0; i < o->weights; i++)
		weights_load(o->weight[i], o->map[i], found, i == o->weights - 1, o->strict);
	free(found);
}
