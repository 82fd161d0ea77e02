/*
 * wide-flatten: a whole map flattened into a wide dense layer, whose weights, gradient and
 * optimizer state then take more than all activations. Reads the forward graph and, for what is
 * really there, the plan: sgd's momentum may hold the gradient. Cures are written into the spec and
 * planned.
 */
#include "rulekit/edited_spec.h"
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"
#include "rulekit/place_set.h"

/* By the id of a node: what flattened the map that is still whole, element for element, behind that
 * node; or NULL. One walk, since such a chain may be as long as the network. */
static const struct node **
flattened(const struct module *m)
{
	const struct node **by = arena_array(m->arena, (size_t)m->next_node + 1, sizeof(*by));
	int i;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		const struct tensor *x = n->nin > 0 && n->nout > 0 && n->out[0] ? n->in[0] : NULL;

		if (x && node_is(n, "flatten"))
			by[n->id] = x->rank > 1 ? n : NULL;
		else if (x && x->def && tensor_elements_per_sample(x) ==
		    tensor_elements_per_sample(n->out[0]))
			by[n->id] = by[x->def->id];
	}
	return by;
}

/* The help with the plan of the spec that has LAYER there; without one, the layer's own bytes. */
static void
tell_cure(struct lint *l, struct diag *g, const struct node *flatten, const char *layer,
    int64_t left, int64_t bytes)
{
	struct module *other = NULL;
	struct amend m;

	edited_begin(l, &m);
	if (edited_before(l, &m, flatten->loc, layer))
		other = edited_plan(l, &m);
	if (other)
		measure_saving(l, g, other, "%s before flatten (a layer of %s)", layer,
		    lint_human(l->module->arena, left));
	else
		diag_help(l->diags, g, "%s before flatten leaves a layer of %s, %s less", layer,
		    lint_human(l->module->arena, left),
		    lint_human(l->module->arena, bytes - left));
}

/* Tells the mildest pooling after which there is no finding, if there is one. */
static void
tell_pooling(struct lint *l, struct diag *g, const struct node *flatten, int64_t bytes)
{
	const struct tensor *map = flatten->in[0];
	int64_t high, wide, left, k;

	if (map->rank != 3)
		return;
	for (k = 2; (high = map->dim[1] / k) > 0 && (wide = map->dim[2] / k) > 0; k *= 2) {
		left = bytes / (map->dim[1] * map->dim[2]) * (high * wide);
		if (measure_may_be_hazard(l->module, left))
			continue;
		tell_cure(l, g, flatten, arena_printf(l->module->arena, "maxpool(%lld)",
		    (long long)k), left, bytes);
		return;
	}
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct node **update = measure_updates(m);
	const struct node **by = flattened(m);
	struct place_set reported = { NULL };
	int i;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		const struct node *flatten = node_is(n, "dense") && n->in[0] && n->in[0]->def ?
		    by[n->in[0]->def->id] : NULL;
		const struct tensor *map = flatten ? flatten->in[0] : NULL;
		int64_t bytes = map ? measure_trained_bytes(m, update, n->in[1]) : 0, weight, area;
		struct diag *g;

		if (!map || !measure_is_hazard(m, bytes) ||
		    !place_is_new(&reported, l, rule, n->loc))
			continue;
		weight = affine_at(tensor_bytes(n->in[1]), 1);
		g = lint_report(l, rule, n->loc, "'%s' flattens %s into a dense layer of %lld: %s, "
		    "%s", n->path, tensor_shape_text(m->arena, map), (long long)n->in[1]->dim[0],
		    lint_human(m->arena, bytes), measure_share(m, bytes));
		diag_fact(l->diags, g, "its weight %s is %s B; with gradient and optimizer state "
		    "%s B, whatever the batch; grows with H·W·D",
		    tensor_shape_text(m->arena, n->in[1]), lint_commas(m->arena, weight),
		    lint_commas(m->arena, bytes));
		area = tensor_elements_per_sample(map) / map->dim[0];
		if (area > 1)
			tell_cure(l, g, flatten, "global_avgpool", bytes / area, bytes);
		tell_pooling(l, g, flatten, bytes);
	}
}

static bool
may_find(const struct module *m)
{
	struct node **update = measure_updates(m);
	int i;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		if (node_is(n, "dense") && n->in[1] &&
		    measure_may_be_hazard(m, measure_trained_bytes(m, update, n->in[1])))
			return true;
	}
	return false;
}

const struct rule rule_wide_flatten = {
	.id = "SW102",
	.name = "wide-flatten",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "a large map is flattened into a wide dense layer",
	.doc = "A dense layer of D units after flatten has a weight for each unit and each "
	    "position and channel of the map. The weight, its gradient and the optimizer's state "
	    "take e HWC D (2 + S) bytes, with e bytes an element and S optimizer slots (0 for "
	    "sgd, 1 with momentum, 2 for adam), and no smaller batch helps.\n\n"
	    "Reported where that is 256 MiB or more, and a quarter of the device (without one, 1 "
	    "GiB and half of the arena). Where the gradient is added straight onto the momentum "
	    "it takes nothing of its own, and is not counted.\n\n"
	    "Pool first: global_avgpool leaves C features of a map, as ResNet does it; a further "
	    "maxpool(2) leaves a quarter of the weights, and the finding names the least that is "
	    "enough. Seen as a layer [173056, 4096] of 2.64 "
	    "GiB, 10.6 GiB with adam (Multi-Camera-Vision), and [320000, 512] (tensorflow #16768).",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
