/*
 * What a spec names is made again from what comes into it: the states of values in those regions,
 * and of what they are made from, are settled before any search.
 */
#include "schedule/recompute_impl.h"

#include <string.h>

#include "ir/dotted_path.h"
#include "ir/op.h"

/* By forward node, how much of its path a pattern of the spec names, or 0: nodes with the same part
 * are one region, which is recomputed from its inputs. */
static size_t *
regions_of(const struct module *m, const struct model *model)
{
	const struct pattern *pattern = m->set.recompute_pattern;
	struct path_set *set = path_set_new(model->arena, pattern, m->set.nrecompute);
	size_t *length = arena_array(model->arena, (size_t)model->forward + 1, sizeof(*length));
	int i, k;

	for (i = 0; i < model->forward; i++) {
		const char *path = model->node[i].node->path;

		if ((k = path_set_first(set, path)) >= 0)
			length[i] = path_match(pattern[k].text, path);
	}
	return length;
}

static bool
same_region(const struct model *model, const size_t *region, int a, int b)
{
	return region[a] && region[a] == region[b] && strncmp(model->node[a].node->path,
	    model->node[b].node->path, region[a]) == 0;
}

/* What only its own region reads is recomputed; the inputs of a region are kept. */
void
recompute_settle(const struct module *m, struct model *model)
{
	const size_t *region = regions_of(m, model);
	int i, k;

	for (i = 0; i < model->nvalues; i++) {
		struct model_value *v = &model->value[i];

		if (v->def >= 0 && v->def < model->forward && !v->fixed && v->root == i &&
		    region[v->def]) {
			v->settled = true;
			model->state[i] = AGAIN;
		}
	}
	for (i = 0; i < model->forward; i++)
		for (k = 0; k < model->node[i].nin; k++) {
			int in = model->node[i].in[k], root = in < 0 ? -1 : model->value[in].root;
			int def = in < 0 ? -1 : model->value[root].def;

			if (def < 0 || same_region(model, region, def, i))
				continue;
			if (region[i] || model->value[root].settled) {
				model->state[root] = KEEP;
				model->value[root].settled = true;
			}
		}
}
