/*
 * dead-layer: layers that reach no loss and no metric. The planner drops their work, and their
 * parameters with it: no arena and no checkpoint has them, but another framework would. One walk
 * back over the forward graph; only the last layer of a dead chain is reported, with the bytes of
 * all of it counted in the module's total.
 */
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include <string.h>

#include "amend/cut.h"
#include "base/map.h"
#include "ir/op.h"

static void
mark_live(const struct graph *g, bool *live)
{
	int i, j;

	for (i = 0; i < g->results.n; i++)
		live[g->results.v[i].tensor->id] = true;
	if (g->loss)
		live[g->loss->id] = true;
	for (i = g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = g->nodes.v[i];
		bool any = (n->op->flags & OP_SIDE_EFFECT) != 0;

		for (j = 0; j < n->nout; j++)
			any |= n->out[j] && live[n->out[j]->id];
		for (j = 0; any && j < n->nin; j++)
			if (n->in[j])
				live[n->in[j]->id] = true;
	}
}

/* Bytes of the parameters that only dead layers have, running statistics included. */
static int64_t
dead_bytes(const struct module *m, const bool *live, int *layers)
{
	struct affine sum = { 0, 0 };
	bool *counted = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*counted));
	int i, j;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		bool held = false;

		for (j = 0; j < n->nin; j++) {
			const struct tensor *t = n->in[j];

			if (!t || live[t->id] || counted[t->id] || !tensor_kind_persistent(t->kind))
				continue;
			counted[t->id] = held = true;
			sum = affine_sum(sum, tensor_bytes(t));
		}
		*layers += held;
	}
	return affine_at(sum, 1);
}

struct mentions {		/* of names in a network's body, and in its settings */
	struct arena *arena;
	struct map names;
};

static void
mention(void *context, const struct expr *e)
{
	struct mentions *u = context;
	const char *first = e->name;

	if (!first || (e->kind != E_NAME && e->kind != E_CALL && e->kind != E_PATH))
		return;
	if (first[strcspn(first, ".")])
		first = arena_strndup(u->arena, first, strcspn(first, "."));
	if (!map_get(&u->names, first))
		map_put(u->arena, &u->names, first, u);
}

/* Removes the whole definition if nothing mentions it. */
static void
fix(struct lint *l, struct diag *d, struct loc loc, struct mentions *u)
{
	struct edits *e = edits_new(l->diags->arena, loc.src);
	struct cut_place p;

	if (!loc.src || !cut_find(&p, l->diags->arena, l->file, loc) || !p.network ||
	    p.stmt->kind != S_DEF)
		return;
	if (u->names.n == 0)
		cut_walk_stmts(p.network->stmt, p.network->nstmts, mention, u);
	if (!map_get(&u->names, p.stmt->name[0].text) && cut_lines(e, p.stmt->loc))
		diag_fix(l->diags, d, false, e, "remove '%s'", p.stmt->name[0].text);
}

/* A parameter that layers tie (weight=code) is used, though nobody reads the node. */
static bool
is_tied(const struct node *n, const bool *live)
{
	return node_is(n, "parameter") && n->in[0] && live[n->in[0]->id];
}

/* The layer that a node is, or is a part of: the length of its path. */
static int
layer_path(const struct node *n)
{
	const char *end = n->part_of ? strrchr(n->path, '.') : NULL;

	return (int)(end ? (size_t)(end - n->path) : strlen(n->path));
}

static bool
same_layer(const struct node *a, const struct node *b)
{
	int len = layer_path(a);

	return a->part_of && a->part_of == b->part_of && len == layer_path(b) &&
	    strncmp(a->path, b->path, (size_t)len) == 0;
}

static bool
is_live(const struct node *n, const bool *live)
{
	int j;

	for (j = 0; j < n->nout; j++)
		if (n->out[j] && live[n->out[j]->id])
			return true;
	return false;
}

/* Is node I's layer used, if by another of its results? Its parts stand together. */
static bool
layer_is_live(const struct graph *g, int i, const bool *live)
{
	const struct node *n = g->nodes.v[i];
	int from = i, to = i;

	while (from > 0 && same_layer(n, g->nodes.v[from - 1]))
		from--;
	while (to + 1 < g->nodes.n && same_layer(n, g->nodes.v[to + 1]))
		to++;
	for (; from <= to; from++)
		if (is_live(g->nodes.v[from], live))
			return true;
	return false;
}

/* Places of layers that are used, so that of a block some use reads them. */
static struct place_set
places_used(struct lint *l, const struct graph *g, const bool *live)
{
	struct place_set used = { NULL };
	int i;

	for (i = 0; i < g->nodes.n; i++)
		if (is_live(g->nodes.v[i], live))
			place_add(&used, l, g->nodes.v[i]->loc);
	return used;
}

/* By the id of a tensor: is it made, by layers that are dead themselves, out of parameters? */
static bool *
trained_in_vain(const struct graph *g, const bool *live)
{
	bool *vain = arena_array(g->module->arena, (size_t)g->module->next_tensor + 1, sizeof(*vain));
	int i, k;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];
		bool any = false;

		for (k = 0; k < n->nin; k++)
			any |= n->in[k] && (tensor_kind_persistent(n->in[k]->kind) || vain[n->in[k]->id]);
		for (k = 0; k < n->nout; k++)
			if (n->out[k])
				vain[n->out[k]->id] = any && !is_live(n, live);
	}
	return vain;
}

/* Is anything of the use of a block read that node I is of? Its nodes stand together. */
static bool
use_is_live(const struct graph *g, int i, const bool *live)
{
	const struct node *n = g->nodes.v[i];
	int len = layer_path(n), k, step;

	while (len > 0 && n->path[len - 1] != '.')
		len--;
	for (step = -1; len > 0 && step <= 1; step += 2)
		for (k = i; k >= 0 && k < g->nodes.n && strncmp(g->nodes.v[k]->path, n->path, (size_t)len) == 0; k += step)
			if (is_live(g->nodes.v[k], live))
				return true;
	return false;
}

/* Of a block with several definitions, those that one use leaves aside and another reads, as what
 * the last of many has left for the next (Oreshkin and others: N-BEATS, 2020). Without parameters
 * they cost nothing, even if all of a use is left aside. */
static bool
is_left_aside(const struct graph *g, int i, const struct place_set *used, const bool *live, const bool *vain)
{
	const struct node *n = g->nodes.v[i];

	return place_has(used, n->loc) && (!vain[n->out[0]->id] || use_is_live(g, i, live));
}

/* By tensor: the live layer with weights that alone of all live nodes reads it, as its operand. */
static const struct node **
live_layers(struct arena *a, const struct module *m, const bool *live)
{
	size_t n = (size_t)m->next_tensor + 1;
	const struct node **layer = arena_array(a, n, sizeof(*layer));
	bool *read = arena_array(a, n, sizeof(*read));
	int i, k;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *o = m->forward->nodes.v[i];

		for (k = 0; k < o->nin && is_live(o, live); k++) {
			const struct tensor *t = o->in[k];

			if (!t)
				continue;
			layer[t->id] = !read[t->id] && k == 0 && node_has_weights(o) ? o : NULL;
			read[t->id] = true;
		}
	}
	return layer;
}

/*
 * h1 -> dense, a1 = h1 -> relu: the layer that reads what the dead activation N does, past it, of
 * those found by live_layers(). NULL: there is none, or several. Then the use is the mistake, more
 * likely than the activation.
 */
static const struct node *
passed_by(const struct node *n, const struct node *const *layer)
{
	if (!(n->op->flags & OP_ELEMENTWISE) || n->op->max_operands != 1 || n->nin == 0 || !node_has_weights(tensor_maker(n->in[0])))
		return NULL;
	return layer[n->in[0]->id];
}

static void
tell_passed(struct lint *l, struct diag *d, const struct node *n, const struct node *reader)
{
	diag_place(l->diags, d, reader->loc, "'%s' reads what comes before it", reader->path);
	diag_help(l->diags, d, "if '%s' is to read '%.*s', name that there", reader->path,
	    (int)strcspn(n->path, "."), n->path);
}

/* Only a network that is trained or measured has dead layers; in others, what nobody reads is the
 * output. */
static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct graph *g = m->forward;
	struct place_set reported = { NULL }, used;
	struct mentions u = { .arena = m->arena };
	const struct node **layer;
	bool *live, *vain;
	struct tensor_readers r;
	int i, layers = 0;
	int64_t bytes;

	if (g->results.n == 0)
		return;
	live = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*live));
	mark_live(g, live);
	bytes = dead_bytes(m, live, &layers);
	r = readers_of(l);
	used = places_used(l, g, live);
	vain = trained_in_vain(g, live);
	layer = live_layers(m->arena, m, live);
	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];
		const struct node *reader;
		struct diag *d;

		if (n->nout == 0 || !n->out[0] || r.count[n->out[0]->id] || layer_is_live(g, i, live) ||
		    (n->op->flags & OP_SIDE_EFFECT) || is_tied(n, live) || is_left_aside(g, i, &used, live, vain) ||
		    !place_is_new(&reported, l, rule, n->loc))
			continue;
		d = lint_report(l, rule, n->loc, "nothing uses '%.*s': it reaches no loss and no "
		    "metric", layer_path(n), n->path);
		if (bytes)
			diag_fact(l->diags, d, "dead layers of '%s' with parameters: %d, of %s; they "
			    "are neither computed nor planned, and no checkpoint has them", m->name, layers,
			    lint_human(m->arena, bytes));
		if ((reader = passed_by(n, layer)))
			tell_passed(l, d, n, reader);
		else
			fix(l, d, n->loc, &u);
	}
}

const struct rule rule_dead_layer = {
	.id = "SW201",
	.name = "dead-layer",
	.family = FAMILY_HYGIENE,
	.severity = SEV_WARNING,
	.brief = "a layer that reaches no loss and no metric",
	.doc = "What nobody reads is not computed: the planner drops it with its parameters, of which "
	    "neither the arena nor a checkpoint has any. Most often a definition was "
	    "renamed, and one use of it was not.\n\n"
	    "Reported at the last layer of each dead chain, in networks with a loss or a metric "
	    "(in others the unread tensors are the answer); quiet where a use of a block, of which something is read, leaves "
	    "layers aside that another use reads, as what N-BEATS' last block leaves for the next; without parameters, of any use. Delete it, or use it. In PyTorch such "
	    "layers take part in forward and their parameters take memory, and DistributedDataParallel stops with \"Expected to "
	    "have finished reduction in the prior iteration\".",
	.check = check,
	.needs = NEEDS_GRAPH,
};
