/*
 * no-gradient: layers that the losses read, but only through something that passes no gradient
 * back, so that they stay as they were initialised. One walk back over the forward graph carries
 * the gradient, and where it ends who ended it; one forward knows what begins at 0, so that a
 * product of two such things keeps both there.
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

/* ---- products of zeros ---- */

/* Is it 0 where its first operand is? */
static bool
keeps_zero(const struct node *n)
{
	static const char *const name[] = { "parameter", "reshape", "flatten", "transpose", "permute", "slice", "broadcast", "dropout",
		"neg", "relu", "leaky_relu", "tanh", "sum", "mean", "cast", NULL };
	int i;

	for (i = 0; name[i]; i++)
		if (node_is(n, name[i]))
			return true;
	return node_is(n, "scale") && op_real(n, "offset") == 0;
}

static bool
is_product(const struct node *n)
{
	return (node_is(n, "mul") || node_is(n, "matmul")) && n->nin == 2 && n->in[0] && n->in[1];
}

/* Is all that N makes 0 before the first step? ZERO, by tensor, says so of its operands. */
static bool
makes_zero(const struct node *n, const bool *zero)
{
	const struct tensor *x = n->nin > 0 ? n->in[0] : NULL, *weight = n->nin > 1 ? n->in[1] : NULL;
	const struct tensor *bias = n->nin > 2 ? n->in[2] : NULL;

	if (!x)
		return false;
	if (node_is(n, "embedding"))
		return weight && zero[weight->id];
	if (node_is(n, "dense") || node_is(n, "conv"))
		return weight && (zero[x->id] || zero[weight->id]) && (!bias || zero[bias->id]);
	if (is_product(n))
		return zero[x->id] || zero[weight->id];
	if (node_is(n, "add") || node_is(n, "sub"))
		return weight && zero[x->id] && zero[weight->id];
	return keeps_zero(n) && zero[x->id];
}

/* By tensor: what is 0 before the first step. */
static const bool *
find_zeros(const struct module *m)
{
	bool *zero = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*zero));
	int i, k;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		for (k = 0; k < n->nin; k++)
			if (n->in[k] && n->in[k]->kind == T_PARAM) {
				struct init init = tensor_init(n->in[k]);

				zero[n->in[k]->id] = init.kind == INIT_ZEROS || (init.kind == INIT_CONSTANT && init.value == 0);
			}
		if (n->nout == 1 && n->out[0])
			zero[n->out[0]->id] = makes_zero(n, zero);
	}
	return zero;
}

/* A square, whose gradient at 0 is 0, as that of a penalty. */
static bool
is_square(const struct node *n)
{
	return (node_is(n, "pow") && n->nin == 1 && op_real(n, "exponent") == 2) || (is_product(n) && n->in[0] == n->in[1]);
}

/* A layer whose weights it declares reads them past it. */
static bool
is_declaration(const struct tensor_readers *readers, const struct node *n)
{
	return node_is(n, "parameter") && readers->count[n->out[0]->id] == 0;
}

/* Does nothing but N give T, which is 0, a gradient, nor what makes it 0? The first parameter of it
 * that would be trained is *PARAMETER. */
static bool
is_held(const struct tensor_readers *readers, const bool *zero, const struct node *n, const struct tensor *t,
    const struct tensor **parameter)
{
	struct reader_walk w = readers_from(readers, t, 0);
	int k;

	while (next_reader(&w))
		if (w.node != n && !is_square(w.node) && !is_declaration(readers, w.node))
			return false;
	if (w.left > 0)
		return false;		/* it is a result, too */
	if (t->kind == T_PARAM) {
		*parameter = *parameter || t->frozen ? *parameter : t;
		return true;
	}
	for (k = 0; t->def && k < t->def->nin; k++)
		if (t->def->in[k] && zero[t->def->in[k]->id] && !is_held(readers, zero, t->def, t->def->in[k], parameter))
			return false;
	return t->def != NULL;
}

static void
check_product(const struct rule *rule, struct lint *l, const struct tensor_readers *readers, const bool *zero,
    struct place_set *reported, const struct node *n)
{
	const struct tensor *first = NULL, *second = NULL;
	struct diag *g;

	if (!is_product(n) || n->in[0] == n->in[1] || !zero[n->in[0]->id] || !zero[n->in[1]->id] ||
	    !is_held(readers, zero, n, n->in[0], &first) || !is_held(readers, zero, n, n->in[1], &second) || !first || !second ||
	    !place_is_new(reported, l, rule, n->loc))
		return;
	g = lint_report(l, rule, n->loc, "both factors of '%s' begin at 0, and stay there: '%s' and '%s'", n->path, first->name, second->name);
	diag_place(l->diags, g, first->loc, "'%s' begins at 0 here", first->name);
	diag_place(l->diags, g, second->loc, "and '%s' here", second->name);
	diag_fact(l->diags, g, "the gradient of a factor is the other times what arrives, which is 0 in each step");
	diag_help(l->diags, g, "leave init=zeros out of one of them, or of both; init=normal(0.01) is small, and no zero");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct tensor_readers readers;
	const bool *zero;
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
	readers = readers_of(l);
	zero = find_zeros(m);
	for (i = 0; i < g->nodes.n; i++)
		check_product(rule, l, &readers, zero, &reported, g->nodes.v[i]);
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
	    "features that are drawn at random or of a teacher, freeze says so.\n\n"
	    "Reported, too, of products both of whose factors begin at 0, as two tables with init=zeros: each is the other's "
	    "gradient, and both stay at 0. One factor at 0 is in use (Hu and others: LoRA, 2021), and learns in the first step. "
	    "Quiet where something else reads one of them, but for its square.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
