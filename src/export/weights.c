/* Weights as safetensors under others' names, in f32: a header in JSON, then the numbers, a tensor at a time. */
#include "export/export.h"

#include <inttypes.h>

#include "base/text.h"
#include "import/import.h"
#include "import/model.h"

static bool
is_weight(const struct tensor *t)
{
	return t->kind == T_PARAM || t->kind == T_STATISTIC;
}

/* The weight under its name there; false, with *WHY, where it is not there or has no name. */
static bool
named(const struct module *m, const struct checkpoint *c, const struct names *names, const struct tensor *t,
    struct import_weight *w, const char **why)
{
	bool transposed;
	int d;

	w->numbers = checkpoint_weight(c, m, t, why);
	if (!w->numbers)
		return false;
	w->path = names_of(names, t->name, &transposed);
	if (!w->path) {
		*why = arena_printf(m->arena, "the map of names has none for %s", t->name);
		return false;
	}
	if (transposed && t->rank != 2) {
		*why = arena_printf(m->arena, "the map of names has %s transposed, and it has %d axes", t->name, t->rank);
		return false;
	}
	w->rank = t->rank;
	for (d = 0; d < t->rank; d++)
		w->dim[d] = t->dim[transposed ? 1 - d : d];
	w->view = transposed ? view_transposed(m->arena, t->dim[0], t->dim[1]) : NULL;
	return true;
}

void
export_weights(FILE *f, struct module *m, const struct checkpoint *c, const struct names *names, const char **why)
{
	struct imported all = { 0 };
	struct map taken = { 0 };
	int i;

	*why = NULL;
	for (i = 0; i < m->persistent.n; i++) {
		struct import_weight w = { 0 };

		if (!is_weight(m->persistent.v[i]))
			continue;
		if (!named(m, c, names, m->persistent.v[i], &w, why))
			return;
		if (map_get(&taken, w.path)) {
			*why = arena_printf(m->arena, "the map of names has %s for two weights", w.path);
			return;
		}
		map_put(m->arena, &taken, w.path, &taken);
		vec_push(m->arena, &all.weights, w);
	}
	import_weights(m->arena, f, &all, why);
}
