/*
 * far-start: weights that begin so large that what comes to the loss is many times what was read.
 * Multiplies how much each layer makes of its input's deviation, from layer to layer. Reads the
 * forward graph.
 */
#include "rulekit/graph_query.h"

#include <math.h>

#include "ir/op.h"

#define MOST	20	/* times the inputs' deviation, that may come to a loss */
#define LARGE	2.5	/* of one layer; the usual is 0.6 to 1.5 */
#define FEWEST	2	/* layers that are as large */

struct growth {			/* of a tensor */
	double gain;		/* 0: not known */
	int large;		/* layers of such weights before it */
	const struct node *first;	/* of these */
};

/* What a layer makes of numbers with a deviation of 1; 0: not known. */
static double
gain_of(const struct node *n)
{
	const struct tensor *w = n->nin > 1 ? n->in[1] : NULL;
	struct init init;
	double inputs;

	if (!w || w->kind != T_PARAM || w->rank < 2 || node_is(n, "local") || node_is(n, "conv_transpose"))
		return 0;
	init = tensor_init(w);
	inputs = (double)tensor_elements_per_sample(w) / (double)w->dim[0];
	if (init.kind == INIT_NORMAL)
		return init.value * sqrt(inputs);
	return init.kind == INIT_UNIFORM ? init.value / sqrt(3) * sqrt(inputs) : 0;
}

/* Those that leave about a half of the squares. */
static bool
is_rectifier(const struct node *n)
{
	static const char *const name[] = { "relu", "leaky_relu", "gelu", "silu", "elu", "mish", NULL };
	int i;

	for (i = 0; name[i]; i++)
		if (node_is(n, name[i]))
			return true;
	return false;
}

static struct growth
growth_of(const struct node *n, const struct growth *at)
{
	struct growth g = at[n->in[0]->id];
	double gain;

	if (n->in[0]->kind == T_INPUT && !n->in[0]->classes)
		g = (struct growth){ .gain = 1 };
	if (node_has_weights(n)) {
		gain = gain_of(n);
		g.gain *= gain;
		if (g.gain > 0 && gain >= LARGE)
			g.first = g.large++ ? g.first : n;
	} else if (is_rectifier(n)) {
		g.gain *= sqrt(0.5);
	} else if (node_is(n, "scale")) {
		g.gain *= fabs(op_real(n, "factor"));
	} else if (!node_is(n, "flatten") && !node_is(n, "reshape") && !node_is(n, "dropout") && !node_is(n, "maxpool")) {
		g.gain = 0;
	}
	return g.gain > 0 ? g : (struct growth){ 0 };
}

static void
report(const struct rule *rule, struct lint *l, const struct growth *g, const struct node *loss)
{
	const struct tensor *w = g->first->in[1];
	double inputs = (double)tensor_elements_per_sample(w) / (double)w->dim[0];
	struct diag *d = lint_report(l, rule, g->first->loc, "weights begin far too large: what comes to the loss is about %.3g times as "
	    "large as the inputs", g->gain);

	diag_place(l->diags, d, loss->loc, "the loss is here");
	diag_fact(l->diags, d, "'%s' makes %.3g times its input of it, sums of %.0f products each, and %d such layers are behind one "
	    "another", g->first->path, gain_of(g->first), inputs, g->large);
	diag_help(l->diags, d, "init=normal(sqrt(2 / inputs)), here %.2g; or leave weight= out", sqrt(2 / inputs));
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	struct growth *at;
	int i;

	if (!m->set.train)
		return;
	at = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*at));
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		if (n->nin == 0 || !n->in[0] || n->nout == 0 || !n->out[0])
			continue;
		if (n->op->kind != OP_LOSS) {
			at[n->out[0]->id] = growth_of(n, at);
		} else if (at[n->in[0]->id].gain > MOST && at[n->in[0]->id].large >= FEWEST) {
			report(rule, l, &at[n->in[0]->id], n);
			return;
		}
	}
}

const struct rule rule_far_start = {
	.id = "SW350",
	.name = "far-start",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "weights that begin so large that the first answers are far off",
	.doc = "A unit adds up as many products as it has inputs, so weights of deviation s make sqrt(inputs) s times the size of what they "
	    "read: normal(1) of 784 inputs makes 28, and of 256 behind that 16 times as much again. The first losses are "
	    "then in the thousands, and training is busy with making weights small. Deviations of sqrt(2 / inputs) keep sizes as "
	    "they are behind relu (He and others: Delving deep into rectifiers, 2015), 1 / sqrt(inputs) behind tanh.\n\n"
	    "Reported where two layers or more in a row make 2.5 times their input or more, by init=normal or uniform of "
	    "weight=, and 20 times the inputs come to a loss, if these have a deviation of 1. Quiet where a norm, a sum or another "
	    "activation than a rectifier comes between, and where numbers are scaled down again.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
