/*
 * The map of --map FILE, read the other way: what is one of our names called there? A line counts
 * whose second column fits, if the name that it makes comes back to ours by the whole map. The
 * lines are read by what programs read them with.
 */
#include "export/names.h"

#include <stdio.h>
#include <string.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "../../kernels/host/name_map.c"
#pragma GCC diagnostic pop

#define PARTS_SHOWN	6
#define MOST_PARTS	4096	/* that "@all" lines name */

struct part {			/* of the network there: "layer1.0" */
	const char *name;
	bool met;		/* has it had a weight? */
};

struct names {
	struct arena *arena;
	struct name_map map;
	bool whole;
	bool met[MOST_RULES];	/* has the line had a weight? */
	VEC(struct part) parts;	/* that the network has, and no others whose number a star stands for; none: it is not said */
};

/* What a name may be: it stands in quotes in a file of weights, whose metadata has a name there. */
static bool
is_name(const char *w)
{
	const char *p;

	for (p = w; *p; p++)
		if (*p == '"' || *p == '\\' || (unsigned char)*p < ' ')
			return false;
	return strcmp(w, "__metadata__") != 0;
}

/* ---- which parts there are ---- */

/* "layer{1..4}.{0..1}" is layer1.0, layer1.1, layer2.0 ...; false: it is no such word, or there are
 * too many. */
static bool
add_parts(struct names *m, const char *word)
{
	const char *open = strchr(word, '{'), *at = open + 1;
	struct part one = { 0 };
	int from, to;

	if (!open) {
		one.name = word;
		vec_push(m->arena, &m->parts, one);
		return m->parts.n <= MOST_PARTS;
	}
	from = map_number(&at);
	if (from < 0 || strncmp(at, "..", 2) != 0)
		return false;
	at += 2;
	to = map_number(&at);
	if (to < from || *at != '}')
		return false;
	for (; from <= to; from++)
		if (!add_parts(m, arena_printf(m->arena, "%.*s%d%s", (int)(open - word), word, from, at + 1)))
			return false;
	return true;
}

/* What is wrong with a line that is changed, "@all" and words; or NULL, and with *IS whether it is
 * one. */
static const char *
all_line(struct names *m, char *line, bool *is)
{
	char *at = line + strspn(line, " \t"), *word;

	*is = strncmp(at, MAP_ALL, strlen(MAP_ALL)) == 0 && strspn(at + strlen(MAP_ALL), " \t") > 0;
	if (!*is)
		return NULL;
	at += strlen(MAP_ALL);
	while ((word = map_word(&at)))
		if (!add_parts(m, word))
			return "parts of the network are words such as layer1.{0..2}, 4,096 of them at most";
	return NULL;
}

/* Is the name of that part, or of what is in it? */
static bool
is_in(const char *name, const char *part)
{
	size_t n = strlen(part);

	return strncmp(name, part, n) == 0 && !(name[n] >= '0' && name[n] <= '9');
}

/* Does the line number what it names? Then that is in a part that the network has. */
static bool
is_part(struct names *m, const struct map_rule *r, const char *path)
{
	struct stood_for star[MOST_STARS + 1];
	bool numbered = false, found = false;
	int i, stars = map_stars(r->theirs);

	if (m->parts.n == 0 || !map_fits(r->theirs, path, star))
		return true;
	for (i = 0; i < stars; i++)
		numbered |= star[i].length > 0 && star[i].text[strspn(star[i].text, "0123456789")] == '\0';
	for (i = 0; i < m->parts.n; i++)
		if (is_in(path, m->parts.v[i].name))
			found = m->parts.v[i].met = true;
	return found || !numbered;
}

struct names *
names_read(struct arena *a, char *text, bool whole, const char **why)
{
	struct names *m = ARENA_NEW(a, struct names);
	const char *wrong = NULL;
	char *next = text;
	int line, known = 0;
	bool all;

	m->arena = a;
	m->whole = whole;
	for (line = 1; next && !wrong; line++) {
		char *at = next;

		if ((next = strchr(at, '\n')))
			*next++ = '\0';
		wrong = all_line(m, at, &all);
		if (!all)
			wrong = map_line(&m->map, at);
		for (; known < m->map.n; known++)
			if (!is_name(m->map.rule[known].theirs))
				wrong = "no file of weights has such a name";
	}
	if (!wrong)
		return m;
	*why = arena_printf(a, "line %d: %s", line - 1, wrong);
	return NULL;
}

/* ---- what stands there ---- */

static const struct view *
view_of(struct arena *a, const struct map_view *v)
{
	struct view *made = ARENA_NEW(a, struct view);
	int i;

	made->first = v->first;
	made->rank = v->turned ? v->letters : 1;
	made->dim[0] = v->count;
	made->stride[0] = 1;
	for (i = 0; v->turned && i < v->letters; i++) {
		made->dim[i] = v->extent[i];
		made->stride[i] = v->stride[i];
	}
	return made;
}

/* False: what the line says does not suit the weight. */
static bool
numbers_there(struct arena *a, const struct map_rule *r, const struct tensor *t, struct name_there *n, int64_t *count)
{
	struct map_view v;
	int i;

	if (!map_view(r, t->rank, t->dim, &v))
		return false;
	n->rank = v.rank;
	for (i = 0; i < v.rank; i++)
		n->dim[i] = v.dim[i];
	n->view = v.turned || (r && r->parts) ? view_of(a, &v) : NULL;
	*count = v.count;
	return true;
}

/* A table has a row for each distance of two places of a window, one way and the other: (2 side -
 * 1)^2. */
static bool
window_there(const struct tensor *table, struct name_there *n)
{
	int64_t side = 1;

	while (table->rank == 2 && side < 64 && (2 * side - 1) * (2 * side - 1) < table->dim[0])
		side++;
	n->what = NAME_WINDOW_INDEX;
	n->rank = 1;
	n->dim[0] = side * side * side * side;
	return table->rank == 2 && (2 * side - 1) * (2 * side - 1) == table->dim[0];
}

static bool
is_there(struct arena *a, const struct map_rule *r, const struct tensor *t, struct name_there *n, int64_t *count)
{
	*count = 0;
	if (r->kind == MAP_WINDOW_INDEX)
		return window_there(t, n);
	if (r->kind == MAP_COUNTER)
		n->what = NAME_COUNTER;
	return r->kind == MAP_COUNTER || numbers_there(a, r, t, n, count);
}

/* Of lines that say the same of a weight the first counts; parts make it up, and it may have any
 * number of other names. */
static bool
says_more(const struct map_rule *r, int64_t known, int64_t all, unsigned said)
{
	return r->kind == MAP_TAKEN ? known < (r->parts ? all : 1) : r->kind == MAP_ALSO || !(said & 1u << r->kind);
}

static int64_t
elements(const struct tensor *t)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < t->rank; i++)
		n *= t->dim[i];
	return n;
}

static const char not_that[] = "the spec is not that network: ";
static const char by_file[] = "; for one of its kind with more or fewer parts --names is the map's file";

struct span {			/* numbers of a weight */
	int64_t first, end;
};

struct spans {
	VEC(struct span) list;
};

/* False: another line has said what some of them are called. */
static bool
add_span(struct arena *a, struct spans *s, int64_t first, int64_t count)
{
	struct span one = { first, first + count };
	int i;

	for (i = 0; i < s->list.n; i++)
		if (one.first < s->list.v[i].end && s->list.v[i].first < one.end)
			return false;
	vec_push(a, &s->list, one);
	return true;
}

const struct names_there *
names_of(struct names *m, const struct tensor *t, const char **why)
{
	struct names_there *all = ARENA_NEW(m->arena, struct names_there);
	struct spans spans = { 0 };
	int64_t known = 0, count;
	unsigned said = 0;	/* kinds of lines that count */
	char path[MAP_NAME];
	int k;

	for (k = 0; k < m->map.n; k++) {
		const struct map_rule *r = &m->map.rule[k];
		struct name_there n = { 0 };

		if (!map_ours(&m->map, r, t->name, path, sizeof(path)))
			continue;
		m->met[k] = true;
		if (!says_more(r, known, elements(t), said))
			continue;
		if (m->whole && !is_part(m, r, path)) {
			*why = arena_printf(m->arena, "%s%s is %s there, which it does not have%s", not_that, t->name, path, by_file);
			return NULL;
		}
		n.path = arena_strdup(m->arena, path);
		if (!is_there(m->arena, r, t, &n, &count)) {
			*why = arena_printf(m->arena, "what the map of names says of %s does not suit %s, which has another shape", path,
			    t->name);
			return NULL;
		}
		if (r->kind == MAP_TAKEN && !add_span(m->arena, &spans, n.view ? n.view->first : 0, count))
			continue;
		known += r->kind == MAP_TAKEN ? count : 0;
		said |= 1u << r->kind;
		vec_push(m->arena, &all->list, n);
	}
	if (known == 0 && !m->whole && !map_theirs(&m->map, t->name, path, sizeof(path))) {
		struct name_there same = { .path = t->name };

		numbers_there(m->arena, NULL, t, &same, &known);
		vec_push(m->arena, &all->list, same);
	}
	if (known == elements(t))
		return all;
	*why = arena_printf(m->arena, "%sthe map of names has none for %s%s", m->whole ? not_that : "", known > 0 ? "all of " : "",
	    t->name);
	return NULL;
}

/* "layer1.1, layer2.1 and 3 more": parts of the network that had no weight; NULL: all had one. */
static const char *
parts_missing(const struct names *m)
{
	struct text t;
	int i, n = 0;

	text_init(&t, m->arena);
	for (i = 0; i < m->parts.n; i++)
		if (!m->parts.v[i].met && n++ < PARTS_SHOWN)
			text_printf(&t, "%s%s", n > 1 ? ", " : "", m->parts.v[i].name);
	if (n > PARTS_SHOWN)
		text_printf(&t, " and %d more", n - PARTS_SHOWN);
	return n > 0 ? t.s : NULL;
}

bool
names_met(const struct names *m, const char **why)
{
	const char *missing;
	int k;

	for (k = 0; k < m->map.n && m->whole; k++)
		if (m->map.rule[k].kind == MAP_TAKEN && !m->met[k]) {
			*why = arena_printf(m->arena, "%sno weight of it is %s, of which the map of names makes %s", not_that,
			    m->map.rule[k].here, m->map.rule[k].theirs);
			return false;
		}
	missing = m->whole ? parts_missing(m) : NULL;
	if (missing)
		*why = arena_printf(m->arena, "%sthere it also has %s%s", not_that, missing, by_file);
	return !missing;
}
