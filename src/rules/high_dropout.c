/*
 * high-dropout: a rate that leaves next to nothing, most often a share to keep written as one to
 * drop. Reads the forward graph.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"

#define HIGH	0.8
#define HIGHEST	0.9	/* that published networks have */
#define ENOUGH	200	/* numbers left of a vector: that much was found to be best of wide ones */

/* The numbers that are left, on average, of a sample. */
static double
left(const struct node *n)
{
	return (double)tensor_elements_per_sample(n->in[0]) * (1 - op_real(n, "rate"));
}

/* And of a vector, of which a sample may have several; of a map there is none. */
static double
left_of_vector(const struct node *n)
{
	const struct tensor *x = n->in[0];

	return x->rank < 1 || x->rank > 2 ? 0 : (double)x->dim[x->rank - 1] * (1 - op_real(n, "rate"));
}

/* The argument that says the share; NULL: it drops nothing. */
static const char *
share_of(const struct node *n)
{
	return node_is(n, "dropout") ? "rate" : node_is(n, "attend") ? "dropout" : NULL;
}

/* Do features that are not dropped stand beside it? */
static bool
is_beside(const struct tensor_readers *r, const struct node *n)
{
	const struct node *reader = only_reader(r, n);
	int i;

	for (i = 0; node_is(reader, "concat") && i < reader->nin; i++)
		if (reader->in[i] != n->out[0] && !node_is(reader->in[i]->def, "dropout"))
			return true;
	return false;
}

/* Attention drops some of what each position weighs the others with, however many there are. */
static bool
is_high(const struct tensor_readers *r, const struct node *n)
{
	const char *share = share_of(n);
	double rate = share ? op_real(n, share) : 0;

	return rate >= HIGH && (rate > HIGHEST || node_is(n, "attend") || (left_of_vector(n) < ENOUGH && !is_beside(r, n)));
}

/* What it makes. */
static const struct tensor *
found(const struct node *n, const void *readers)
{
	return is_high(readers, n) ? n->out[0] : NULL;
}

static const char *
amount(struct arena *a, double n)
{
	return n < 1000 ? arena_printf(a, "%.4g", n) : lint_commas(a, (int64_t)n);
}

static void
tell_left(struct lint *l, struct diag *g, const struct node *n)
{
	struct arena *a = l->module->arena;

	if (node_is(n, "attend"))
		diag_fact(l->diags, g, "of what a position weighs the others with %.4g %% is left, on average",
		    100 * (1 - op_real(n, "dropout")));
	else
		diag_fact(l->diags, g, "of %s numbers of a sample %s are left, on average",
		    lint_commas(a, tensor_elements_per_sample(n->in[0])), amount(a, left(n)));
}

/* FIXABLE: all uses of that text drop as much. */
static void
report(const struct rule *rule, struct lint *l, const struct node *n, bool fixable)
{
	struct arena *a = l->module->arena;
	double rate = op_real(n, share_of(n));
	const char *keep = arena_printf(a, "%.4g", 1 - rate);
	struct diag *g = lint_report(l, rule, n->loc, "'%s' drops %g %% of what it %s", n->path, 100 * rate,
	    node_is(n, "attend") ? "pays attention to" : "is given");

	tell_left(l, g, n);
	if (rate == 1)
		return;
	diag_help(l->diags, g, "the number is the share that is dropped, not the one that is kept: perhaps %s%s%s",
	    node_is(n, "attend") ? "dropout=" : "dropout(", keep, node_is(n, "attend") ? "" : ")");
	if (fixable)
		fix_number(l, g, n->loc, op_attr_loc(n, share_of(n)), keep, arena_printf(a, "write %s", keep));
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct place_set reported = { NULL }, needed = { NULL };
	struct tensor_readers r = readers_of(l);
	int i;

	if (!m->set.train)
		return;
	place_add_unfound(&needed, l, found, &r);
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		if (is_high(&r, n) && place_is_new(&reported, l, rule, n->loc))
			report(rule, l, n, !place_has(&needed, n->loc));
	}
}

const struct rule rule_high_dropout = {
	.id = "SW325",
	.name = "high-dropout",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "dropout of four fifths or more",
	.doc = "dropout(p) sets a share p to 0. TensorFlow 1 took keep_prob, the share that stays, "
	    "and so do many programs that were written then: their 0.8 is 0.2 here. A network "
	    "that loses four numbers of five in training learns slowly or not at all, and nothing "
	    "fails.\n\n"
	    "Reported from 0.8 on, but not up to 0.9 of vectors of each of which 200 numbers or more are "
	    "left: Kuchaiev and Ginsburg (Training deep autoencoders for collaborative filtering, "
	    "2017) do well with 0.8, Simonyan and Zisserman (Two-stream convolutional networks, 2014) with 0.9; nor where features "
	    "that are not dropped stand beside it, as in LSTM-FCN (Karim and others, 2018). The dropout= of attention "
	    "counts whatever its size: graph attention networks have 0.6. Write 1 less the number. TensorFlow 2 prints \"Large dropout "
	    "rate: 0.8 (>0.5). In TensorFlow 2.x, dropout() uses dropout rate instead of "
	    "keep_prob. Please ensure that this is intended\"; seen in DeepLearningZeroToAll "
	    "#204.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
