/*
 * The map of --map FILE, read the other way: what is one of our names called there? A line counts whose second column
 * fits, if the name that it makes comes back to ours by the whole map. The lines are read by what programs read them
 * with.
 */
#include "export/names.h"

#include <stdio.h>
#include <string.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "../../kernels/host/name_map.c"
#pragma GCC diagnostic pop

struct names {
	struct arena *arena;
	struct name_map map;
	bool whole;
	bool met[MOST_RULES];	/* has the line had a weight? */
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

struct names *
names_read(struct arena *a, char *text, bool whole, const char **why)
{
	struct names *m = ARENA_NEW(a, struct names);
	const char *wrong = NULL;
	char *next = text;
	int line, known = 0;

	m->arena = a;
	m->whole = whole;
	for (line = 1; next && !wrong; line++) {
		char *at = next;

		if ((next = strchr(at, '\n')))
			*next++ = '\0';
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

/* A table has a row for each distance of two places of a window, one way and the other: (2 side - 1)^2. */
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

/* Of lines that say the same of a weight the first counts; parts make it up, and it may have any number of other names. */
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

bool
names_met(const struct names *m, const char **why)
{
	int k;

	for (k = 0; k < m->map.n && m->whole; k++)
		if (m->map.rule[k].kind == MAP_TAKEN && !m->met[k]) {
			*why = arena_printf(m->arena, "%sno weight of it is %s, of which the map of names makes %s", not_that,
			    m->map.rule[k].here, m->map.rule[k].theirs);
			return false;
		}
	return true;
}
