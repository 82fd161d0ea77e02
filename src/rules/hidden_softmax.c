/*
 * hidden-softmax: softmax as the activation between layers with weights. What weighs something by a
 * softmax (attention, memories, which have no bias) is not meant. Reads the forward graph.
 */
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "amend/cut.h"
#include "ir/op.h"

/* The layer with weights and a bias that alone reads N's output, past what only moves numbers. */
static const struct node *
next_weighted(const struct tensor_readers *r, const struct node *n)
{
	const struct node *next = only_reader(r, n);

	while (node_is(next, "dropout") || node_is(next, "flatten") || node_is(next, "maxpool") ||
	    node_is(next, "batchnorm"))
		next = only_reader(r, next);
	return next && node_has_weights(next) && op_bool(next, "bias") ? next : NULL;
}

static bool
is_hidden(const struct tensor_readers *r, const struct node *n)
{
	const struct node *maker = tensor_maker(n->in[0]);

	return (node_has_weights(maker) || node_is(maker, "batchnorm")) && next_weighted(r, n);
}

struct uses {
	const char *name;
	const struct expr *first;	/* that says it */
};

static void
count_use(void *context, const struct expr *e)
{
	struct uses *u = context;

	if ((e->kind != E_CALL && e->kind != E_NAME) || !e->name || strcmp(e->name, u->name) != 0)
		return;
	u->first = u->first ? u->first : e;
}

/* Of a softmax that a block was given, as layer(64, act=softmax): where the definition that the
 * path begins with says it. */
static void
tell_given(struct lint *l, struct diag *g, const struct node *n)
{
	struct uses u = { .name = n->op->name };
	struct cut_place p;
	int i;

	if (!l->file || l->file->networks.n != 1 || n->loc.src != l->file->src || !cut_find(&p, l->diags->arena, l->file, n->loc) ||
	    !p.block || !cut_layer(&p)->name || strcmp(cut_layer(&p)->name, u.name) == 0)
		return;
	for (i = 0; i < l->file->networks.v[0]->nstmts; i++) {
		const struct stmt *s = &l->file->networks.v[0]->stmt[i];
		const char *name = s->kind == S_DEF ? s->name[0].text : "";

		if (*name && strncmp(n->path, name, strlen(name)) == 0 && n->path[strlen(name)] == '.')
			cut_walk_stmts(s, 1, count_use, &u);
	}
	if (u.first)
		diag_place(l->diags, g, u.first->loc, "the softmax is given here");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct tensor_readers r = readers_of(l);
	struct place_set reported = { NULL };
	int i;

	for (i = 0; m->set.train && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		const struct tensor *t;
		int64_t axis, k;
		struct diag *g;

		if (!node_is(n, "softmax") || !is_hidden(&r, n) ||
		    !place_is_new(&reported, l, rule, n->loc))
			continue;
		t = n->out[0];
		axis = op_int(n, "axis");
		k = t->dim[axis < 0 ? axis + t->rank : axis];
		g = lint_report(l, rule, n->loc, "softmax as an activation: '%s' reads numbers that "
		    "sum to 1", next_weighted(&r, n)->path);
		diag_place(l->diags, g, next_weighted(&r, n)->loc, "it is read here");
		tell_given(l, g, n);
		diag_fact(l->diags, g, "%s numbers share 1: they are %.3g on average, and none can "
		    "grow but at the cost of all others", lint_commas(m->arena, k), 1 / (double)k);
		diag_help(l->diags, g, "relu between layers; softmax is for answers, and for weights "
		    "that something is multiplied by");
	}
}

const struct rule rule_hidden_softmax = {
	.id = "SW322",
	.name = "hidden-softmax",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "softmax as the activation of a hidden layer",
	.doc = "Softmax makes of K numbers K shares of 1: 1/K each on average, small where K is "
	    "large, and tied to one another. The layer behind starts from nearly the same input for "
	    "every sample, and gradients shrink by about K. It is for probabilities, at the end, and "
	    "for shares by which something else is weighed.\n\n"
	    "Reported where a layer with weights and a bias reads the softmax of another such "
	    "layer. Quiet where it is multiplied by something (attention), and where the next "
	    "layer has no bias, whose weights may be a memory that is read by shares. Write relu. "
	    "A question of Stack Overflow (37588632, \"Why use softmax only in the output layer "
	    "and not in hidden layers?\").",
	.check = check,
	.needs = NEEDS_GRAPH,
};
