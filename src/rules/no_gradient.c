/*
 * no-gradient: layers that the losses read, but only through something that passes no gradient
 * back, so that they stay as they were initialised. One walk back over the forward graph carries
 * the gradient, and where it ends who ended it.
 */
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "base/map.h"
#include "base/text.h"
#include "ir/op.h"
#include "ops/pointwise.h"

struct walk {
	struct arena *arena;
	bool *gets;		/* by tensor id: a gradient comes to it */
	int *ended;		/* by tensor id: 1 + the node that ended it, where none comes; 0: none did */
};

/* What one node leaves untrained. */
struct untrained {
	const struct node *first;	/* the layer that comes first in the network */
	int layers;
	int64_t parameters;
	struct text paths;		/* what `freeze` is to name */
	const char *last;		/* of these */
	int names;
};

#define MOST_NAMES	6

/* Is the gradient of operand K 0 whatever arrives? */
static bool
ends_at(struct arena *scratch, const struct node *n, int k)
{
	bool wanted[FORMULA_OPERANDS] = { false };
	const struct formula *g;
	int i;

	if (n->op->flags & OP_STOPS || (n->nout > 0 && n->out[0] && !dtype_is_float(n->out[0]->dtype)))
		return true;
	if (!pointwise_has_formula(n) || k >= FORMULA_OPERANDS)
		return false;
	wanted[k] = true;
	if (!(g = formula_gradient(scratch, pointwise_formula(scratch, n), wanted, false)))
		return false;
	for (i = 0; i < g->operands && !formula_reads(g, i); i++)
		;
	return i == g->operands;
}

static void
walk_back(struct walk *w, const struct graph *g)
{
	int i, k;

	for (i = g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = g->nodes.v[i];
		struct arena *scratch;
		bool arrives = false;
		int ended = 0;

		for (k = 0; k < n->nout; k++) {
			arrives |= n->out[k] && w->gets[n->out[k]->id];
			ended = n->out[k] && !ended ? w->ended[n->out[k]->id] : ended;
		}
		if (!arrives && !ended)
			continue;
		scratch = arena_child(w->arena);
		for (k = 0; k < n->nin; k++) {
			int id = n->in[k] ? n->in[k]->id : -1;

			if (id < 0)
				continue;
			if (arrives && !ends_at(scratch, n, k))
				w->gets[id] = true;
			else if (!w->ended[id])
				w->ended[id] = arrives ? i + 1 : ended;
		}
		arena_free(scratch);
	}
}

/* What a path begins with, as the spec calls it. */
static const char *
first_name(struct arena *a, const char *path)
{
	return arena_strndup(a, path, strcspn(path, "."));
}

/* Names of which some parameter is trained: these cannot be frozen as a whole. */
static struct map
trained_names(const struct walk *w, const struct graph *g)
{
	struct map names = { NULL, 0, 0, NULL, 0 };
	int i, k;

	for (i = 0; i < g->nodes.n; i++)
		for (k = 0; k < g->nodes.v[i]->nin; k++) {
			const struct tensor *t = g->nodes.v[i]->in[k];
			const char *name = t && t->kind == T_PARAM && w->gets[t->id] ? first_name(w->arena, t->name) : NULL;

			if (name && !map_get(&names, name))
				map_put(w->arena, &names, name, w->arena);
		}
	return names;
}

/* Layers come in the graph's order, so that those of one name stand together, or nearly. */
static void
add_name(struct walk *w, struct untrained *u, const struct map *trained, const struct node *n, const struct tensor *t)
{
	const char *name = first_name(w->arena, t->name);

	if (map_get(trained, name))
		name = n->path;
	if (u->last && strcmp(u->last, name) == 0)
		return;
	if (!u->last)
		text_init(&u->paths, w->arena);
	u->last = name;
	if (++u->names <= MOST_NAMES)
		text_printf(&u->paths, "%s%s", u->names > 1 ? ", " : "", name);
	else if (u->names == MOST_NAMES + 1)
		text_puts(&u->paths, ", ...");
}

/* Layers by who ended their gradient. */
static struct untrained *
count(struct walk *w, const struct graph *g)
{
	struct untrained *by = arena_array(w->arena, (size_t)g->nodes.n + 1, sizeof(*by));
	bool *counted = arena_array(w->arena, (size_t)g->module->next_tensor + 1, sizeof(*counted));
	struct map trained = trained_names(w, g);
	int i, k;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];
		struct untrained *last = NULL;

		for (k = 0; k < n->nin; k++) {
			const struct tensor *t = n->in[k];

			if (!t || t->kind != T_PARAM || t->frozen || w->gets[t->id] || !w->ended[t->id] || counted[t->id])
				continue;
			counted[t->id] = true;
			last = &by[w->ended[t->id] - 1];
			last->first = last->first ? last->first : n;
			last->parameters += tensor_elements_per_sample(t);
			add_name(w, last, &trained, n, t);
		}
		if (last)
			last->layers++;
	}
	return by;
}

static void
report(const struct rule *rule, struct lint *l, const struct node *n, const struct untrained *u)
{
	struct arena *a = l->module->arena;
	const char *others = u->layers < 2 ? "" : u->layers == 2 ? " and another layer" :
	    arena_printf(a, " and %d other layers", u->layers - 1);
	struct diag *g = lint_report(l, rule, n->loc, "no gradient passes %s: '%s'%s before it %s not trained", n->op->name,
	    u->first->path, others, u->layers < 2 ? "is" : "are");

	diag_fact(l->diags, g, "no loss has a gradient for %s parameter%s there, which stay%s as initialised",
	    lint_commas(a, u->parameters), u->parameters == 1 ? "" : "s", u->parameters == 1 ? "s" : "");
	if (node_is(n, "stop_gradient"))
		diag_help(l->diags, g, "stop fewer of its readers; or say that it is meant: freeze %s", u->paths.s);
	else
		diag_help(l->diags, g, "put something smooth in its place, as softmax or sigmoid; pass the gradient around "
		    "what is made of it, x + stop_gradient(y - x); or say that it is meant: freeze %s", u->paths.s);
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct graph *g = m->forward;
	struct place_set reported = { NULL };
	const struct untrained *by;
	struct walk w = { .arena = m->arena };
	int i;

	if (!m->train || !g->loss)
		return;
	w.gets = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*w.gets));
	w.ended = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*w.ended));
	w.gets[g->loss->id] = true;
	walk_back(&w, g);
	by = count(&w, g);
	for (i = 0; i < g->nodes.n; i++)
		if (by[i].layers && place_is_new(&reported, l, rule, g->nodes.v[i]->loc))
			report(rule, l, g->nodes.v[i], &by[i]);
}

const struct rule rule_no_gradient = {
	.id = "SW333",
	.name = "no-gradient",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "layers behind something that passes no gradient back",
	.doc = "A comparison, a rounding, argmax or top_k has slope 0 wherever it has one, and "
	    "stop_gradient() ends what comes to it. Layers that the losses read through these alone get no "
	    "gradient and stay as they were initialised, while all behind them learns, so that the loss falls "
	    "and nothing fails. In PyTorch their weights have a grad that is None, or 0.\n\n"
	    "Reported where no loss has a gradient for a parameter that is not frozen and that a loss depends "
	    "on. Put something smooth in its place; or pass the gradient around it, x + "
	    "stop_gradient(y - x), the straight-through estimator (Bengio, Leonard and Courville: "
	    "Estimating or propagating gradients through stochastic neurons, 2013). Where it is meant, as of "
	    "features that are drawn at random or of a teacher, freeze says so.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
