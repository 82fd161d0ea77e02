/* Weights as safetensors under others' names, in f32: a header in JSON, then the numbers, a tensor
 * at a time. */
#include "export/export.h"

#include "base/text.h"
#include "import/import.h"
#include "import/model.h"

static bool
is_weight(const struct tensor *t)
{
	return t->kind == T_PARAM || t->kind == T_STATISTIC;
}

/* For places i, j of a window, row by row: which row of a table of (2 side - 1)^2 distances is
 * theirs. */
static void
window_index(int64_t *v, int64_t places)
{
	int64_t side = 1, i, j;

	while (side * side < places)
		side++;
	for (i = 0; i < places; i++)
		for (j = 0; j < places; j++)
			*v++ = (i / side - j / side + side - 1) * (2 * side - 1) + i % side - j % side + side - 1;
}

/* Numbers that stand beside a weight. */
static const struct numbers *
beside(struct arena *a, const struct name_there *n)
{
	struct numbers *made = ARENA_NEW(a, struct numbers);
	int64_t count = n->rank > 0 ? n->dim[0] : 1, places = 1, *v = arena_array(a, (size_t)count, sizeof(*v));

	while (places * places < count)
		places++;
	if (n->what == NAME_WINDOW_INDEX)
		window_index(v, places);
	*made = (struct numbers){ .name = n->path, .type = ELEMENT_I64, .rank = n->rank, .dim = { count }, .count = count,
		.data = (const unsigned char *)v };
	return made;
}

static void
weight_there(struct arena *a, const struct name_there *n, const struct numbers *numbers, struct import_weight *w)
{
	int d;

	w->path = n->path;
	w->whole = n->what != NAME_NUMBERS;
	w->numbers = w->whole ? beside(a, n) : numbers;
	w->view = n->view;
	w->rank = n->rank;
	for (d = 0; d < n->rank; d++)
		w->dim[d] = n->dim[d];
}

/* All that stands there for a weight of ours; false with *WHY. */
static bool
weights_there(struct module *m, const struct checkpoint *c, struct names *names, const struct tensor *t, struct map *taken,
    struct imported *all, const char **why)
{
	const struct numbers *numbers = checkpoint_weight(c, m, t, why);
	const struct names_there *there = numbers ? names_of(names, t, why) : NULL;
	int i;

	for (i = 0; there && i < there->list.n; i++) {
		struct import_weight w = { 0 };

		weight_there(m->arena, &there->list.v[i], numbers, &w);
		if (map_get(taken, w.path)) {
			*why = arena_printf(m->arena, "the map of names has %s for two weights", w.path);
			return false;
		}
		map_put(m->arena, taken, w.path, taken);
		vec_push(m->arena, &all->weights, w);
	}
	return there != NULL;
}

void
export_weights(FILE *f, struct module *m, const struct checkpoint *c, struct names *names, const char **why)
{
	struct imported all = { 0 };
	struct map taken = { 0 };
	int i;

	*why = NULL;
	for (i = 0; i < m->persistent.n; i++)
		if (is_weight(m->persistent.v[i]) &&
		    !weights_there(m, c, names, m->persistent.v[i], &taken, &all, why))
			return;
	if (names_met(names, why))
		import_weights(m->arena, f, &all, why);
}
