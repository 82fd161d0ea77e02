/*
 * wrong-mask: what is to hide positions from a softmax, and hides the wrong ones, or none: it is
 * multiplied with the scores, or added as 0 and 1, or stands where tokens are no padding. Reads
 * the forward graph, and the files of inputs that may be masks.
 */
#include "rulekit/data_look.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include <math.h>

#include "ir/op.h"
#include "readers/reader.h"

#define HIDES	(-50.0)	/* what such a number is added to weighs nothing */
#define SMALL	3.0	/* and such ones are no attempt to hide anything by adding it */
#define MOST_STEPS	64	/* operators that a mask is made of, and sums of scores */

/* What a mask is made of, which has one value where something is hidden and another elsewhere. */
struct mask {
	const struct tensor *source;	/* an input, or what tril or triu makes */
	const struct node *embedding;	/* that says which token is padding; NULL: none does */
	double hidden, kept;		/* of the mask itself, there */
	bool is_seen;			/* files, tokens or triangles show that its source has no other values than two */
	bool is_called;			/* a mask, by its name or by what it is made of */
};

/* ---- what it is made of ---- */

static const struct tensor *
source_of(const struct tensor *t, int *steps)
{
	const struct node *n = t->def;
	const struct tensor *found = NULL;
	int k;

	if (t->kind == T_INPUT || node_is(n, "tril") || node_is(n, "triu"))
		return t;
	if (!n || (*steps)-- <= 0 || !((n->op->flags & OP_ELEMENTWISE) || node_is(n, "cast") || node_is(n, "reshape") || node_is(n, "flatten") ||
	    node_is(n, "broadcast")))
		return NULL;
	for (k = 0; k < n->nin && !found; k++)
		found = n->in[k] ? source_of(n->in[k], steps) : NULL;
	return found;
}

static bool
compare(const struct node *n, double x, double *y)
{
	static const char *const name[] = { "less", "less_equal", "greater", "greater_equal", "equal", "not_equal" };
	size_t i;

	for (i = 0; i < sizeof(name) / sizeof(*name); i++)
		if (node_is(n, name[i])) {
			double than = op_real(n, "than");
			bool is[] = { x < than, x <= than, x > than, x >= than, x == than, x != than };

			*y = is[i];
			return true;
		}
	return false;
}

/* What T is where its source is VALUE; false: nobody knows. */
static bool
value_of(const struct tensor *t, const struct tensor *source, double value, int *steps, double *y)
{
	const struct node *n = t->def;
	double a, b;

	*y = value;
	if (t == source)
		return true;
	*y = node_is(n, "ones");
	if (node_is(n, "ones") || node_is(n, "zeros"))
		return true;
	if (!n || n->nin < 1 || !n->in[0] || (*steps)-- <= 0 || !value_of(n->in[0], source, value, steps, &a))
		return false;
	*y = a;
	if (node_is(n, "cast") || node_is(n, "reshape") || node_is(n, "flatten") || node_is(n, "broadcast"))
		return true;
	if (node_is(n, "scale")) {
		*y = op_real(n, "factor") * a + op_real(n, "offset");
		return true;
	}
	if (node_is(n, "where")) {
		const struct attr *number = op_attr(n, a != 0 ? "yes" : "no");

		*y = number->r;
		return n->nin == 1 && number->given;
	}
	if (n->nin == 1)
		return compare(n, a, y);
	if (n->nin != 2 || !n->in[1] || !value_of(n->in[1], source, value, steps, &b))
		return false;
	*y = node_is(n, "add") ? a + b : node_is(n, "sub") ? a - b : a * b;
	return node_is(n, "add") || node_is(n, "sub") || node_is(n, "mul");
}

/* Do the files hold 0 and 1 in it, and nothing else? -1: nobody knows. */
static int
holds_bits(const struct lint *l, const struct tensor *input)
{
	struct data_look look;
	int64_t row, i, ones = 0, all = 0;

	if (!reader_has_files(&l->module->set.data) || !data_look(l, &l->module->set.data, input, &look))
		return -1;
	for (row = 0; row < look.rows; row++)
		for (i = 0; i < look.width; i++, all++) {
			if (data_value(&look, row, i) != 0 && data_value(&look, row, i) != 1)
				return 0;
			ones += data_value(&look, row, i) == 1;
		}
	return ones > 0 && ones < all;
}

/* The embedding that says what padding is. */
static const struct node *
embedding_of(const struct graph *f, const struct tensor *ids)
{
	int i;

	for (i = 0; i < f->nodes.n; i++)
		if (node_is(f->nodes.v[i], "embedding") && f->nodes.v[i]->in[0] == ids && op_int(f->nodes.v[i], "padding") >= 0)
			return f->nodes.v[i];
	return NULL;
}

/* Is T a mask, of which it is known what it is where it hides and where not? */
static bool
is_mask(const struct lint *l, const struct tensor *t, struct mask *m)
{
	int steps = MOST_STEPS, bits;
	double hidden = 0, other;

	m->source = source_of(t, &steps);
	m->embedding = NULL;
	m->is_seen = m->is_called = true;
	if (!m->source)
		return false;
	if (m->source->kind == T_INPUT && m->source->classes) {
		m->embedding = embedding_of(l->module->forward, m->source);
		hidden = m->embedding ? (double)op_int(m->embedding, "padding") : 0;
	} else if (m->source->kind == T_INPUT) {
		bits = holds_bits(l, m->source);
		m->is_seen = bits > 0;
		m->is_called = strstr(m->source->name, "mask") != NULL;
		if (bits == 0 || (bits < 0 && !m->is_called))
			return false;
	}
	steps = MOST_STEPS;
	return value_of(t, m->source, hidden, &steps, &m->hidden) && value_of(t, m->source, hidden + 1, &steps, &m->kept) &&
	    (!m->source->classes || (value_of(t, m->source, hidden + 2, &steps, &other) && other == m->kept)) &&
	    m->hidden != m->kept;
}

/* ---- what it is done to ---- */

/* Is it made of products of what layers give, or, if those need not be PAIRS, by a layer? */
static bool
are_scores(const struct tensor *t, bool pairs)
{
	int left = MOST_STEPS;

	while (t && t->def && left-- > 0) {
		const struct node *n = t->def;

		if (node_is(n, "dense"))
			return !pairs;
		if (node_is(n, "matmul"))
			return n->in[0]->def && n->in[1]->def && n->in[0]->batched && n->in[1]->batched;
		if (!(n->op->flags & OP_ELEMENTWISE) && !node_is(n, "reshape") && !node_is(n, "flatten"))
			return false;
		t = n->nin > 0 ? n->in[0] : NULL;
	}
	return false;
}

/* Is it another one from place to place along the last axis but FROM_END? */
static bool
varies_along(const struct tensor *t, int from_end)
{
	while (node_is(t->def, "broadcast") && t->def->in[0]->rank == t->rank)
		t = t->def->in[0];
	return t->rank > from_end && t->dim[t->rank - 1 - from_end] > 1;
}

/* Is what softmax N gives multiplied by the mask again, which takes away what had no business
 * there? */
static bool
is_masked_again(const struct tensor_readers *readers, const struct node *n, const struct mask *m)
{
	struct reader_walk w = readers_from(readers, n->out[0], 0);

	while (next_reader(&w)) {
		int steps = MOST_STEPS;

		if ((node_is(w.node, "dropout") || node_is(w.node, "reshape")) && is_masked_again(readers, w.node, m))
			return true;
		if (node_is(w.node, "mul") && w.node->nin == 2 && source_of(w.node->in[1 - w.operand], &steps) == m->source)
			return true;
	}
	return false;
}

struct search {
	struct lint *l;
	const struct rule *rule;
	struct tensor_readers readers;
	struct place_set reported;
};

static void
help(struct search *s, struct diag *g)
{
	diag_help(s->l->diags, g, "scores + -1e4 * (1 - mask), of a mask that is 1 where something is to be seen; or where(mask, scores, -1e4)");
}

static void
report_product(struct search *s, const struct node *n, const struct node *softmax)
{
	struct diag *g;

	if (!place_is_new(&s->reported, s->l, s->rule, n->loc))
		return;
	g = lint_report(s->l, s->rule, n->loc, "'%s' makes scores 0 where they are masked, which weigh exp(0) in the softmax", n->path);
	diag_place(s->l->diags, g, softmax->loc, "the softmax is here");
	diag_fact(s->l->diags, g, "what is hidden so weighs as much as what has a score of 0, and more than all below that");
	help(s, g);
}

static void
report_small(struct search *s, const struct node *n, const struct mask *m, double sign)
{
	double step = fabs(m->kept - m->hidden);
	struct diag *g;

	if (!place_is_new(&s->reported, s->l, s->rule, n->loc))
		return;
	g = lint_report(s->l, s->rule, n->loc, "'%s' adds %g and %g to scores, which hides nothing", n->path, sign * m->hidden, sign * m->kept);
	diag_place(s->l->diags, g, m->source->loc, "the mask is of this");
	diag_fact(s->l->diags, g, "of two with the same score, softmax gives one exp(%g) = %.3g times what it gives the other", step, exp(step));
	help(s, g);
}

static void
report_inverted(struct search *s, const struct node *n, const struct mask *m, double sign)
{
	struct diag *g;

	if (!place_is_new(&s->reported, s->l, s->rule, n->loc))
		return;
	g = lint_report(s->l, s->rule, n->loc, "'%s' hides all of '%s' but its padding", n->path, m->source->name);
	diag_place(s->l->diags, g, m->embedding->loc, "that %lld is padding is said here", (long long)op_int(m->embedding, "padding"));
	diag_fact(s->l->diags, g, "it is %g where a token is no padding, and %g where it is", sign * m->kept,
	    m->hidden == 0 ? 0 : sign * m->hidden);
	diag_help(s->l->diags, g, node_is(n, "where") ? "the other way round: == in place of !=, or no= in place of yes=" :
	    "the other way round: -1e4 times what is 1 where a token is padding");
}

/* Are they sums or choices, which may have been masked already? */
static bool
are_mixed(const struct tensor *scores)
{
	while (node_is(scores->def, "scale"))
		scores = scores->def->in[0];
	return node_is(scores->def, "add") || node_is(scores->def, "sub") || node_is(scores->def, "where");
}

/* What is added to scores, which are inside of N where they are NULL. */
static void
check_sum(struct search *s, const struct node *n, const struct tensor *mask, const struct tensor *scores, double sign, int from_end)
{
	struct mask m;

	if (!is_mask(s->l, mask, &m))
		return;
	if (m.embedding && sign * m.kept <= HIDES && sign * m.hidden > -SMALL)
		report_inverted(s, n, &m, sign);
	else if (fabs(m.kept) <= SMALL && fabs(m.hidden) <= SMALL && m.is_seen &&
	    m.source->kind == T_INPUT && (!scores || (!are_mixed(scores) && (m.is_called || are_scores(scores, true)))) &&
	    varies_along(mask, from_end))
		report_small(s, n, &m, sign);
}

static void
check_product(struct search *s, const struct node *n, int k, const struct node *softmax, int from_end)
{
	struct mask m;

	if (is_mask(s->l, n->in[k], &m) && (m.kept == 0 || m.hidden == 0) && fabs(m.kept + m.hidden) == 1 &&
	    varies_along(n->in[k], from_end) && (m.is_called || are_scores(n->in[1 - k], true)) && !is_masked_again(&s->readers, softmax, &m))
		report_product(s, n, softmax);
}

/* Where one of the two that where() chooses from is a number that hides. */
static void
check_choice(struct search *s, const struct node *n)
{
	const struct attr *yes = op_attr(n, "yes"), *no = op_attr(n, "no"), *number;
	struct mask m;

	if (yes->given == no->given || n->nin != 2 || !are_scores(n->in[1], false) || !is_mask(s->l, n->in[0], &m) || !m.embedding)
		return;
	number = yes->given ? yes : no;
	if (number->r > HIDES || (m.kept != 0) != yes->given || (m.hidden != 0) == yes->given)
		return;
	m.kept = number->r;
	m.hidden = 0;
	report_inverted(s, n, &m, 1);
}

static void
check_softmax(struct search *s, const struct node *softmax)
{
	const struct node *n = softmax->in[0]->def;
	int axis = (int)op_int(softmax, "axis"), rank = softmax->in[0]->rank, left = MOST_STEPS, k;
	int from_end = axis < 0 ? -1 - axis : rank - 1 - axis;

	while (n && left-- > 0) {
		bool sum = node_is(n, "add") || node_is(n, "sub");

		if (node_is(n, "where")) {
			check_choice(s, n);
			return;
		}
		for (k = 0; (sum || node_is(n, "mul")) && n->nin == 2 && k < 2; k++) {
			if (!are_scores(n->in[1 - k], false) || (node_is(n, "sub") && k == 0))
				continue;
			if (sum)
				check_sum(s, n, n->in[k], n->in[1 - k], node_is(n, "sub") ? -1 : 1, from_end);
			else
				check_product(s, n, k, softmax, from_end);
		}
		if (!node_is(n, "scale") || op_real(n, "factor") <= 0)
			return;
		n = n->in[0]->def;
	}
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	struct search s = { l, rule, { NULL, NULL, NULL }, { NULL } };
	int i;

	if (!m->set.train)
		return;
	s.readers = readers_of(l);
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		if (node_is(n, "softmax"))
			check_softmax(&s, n);
		else if (node_is(n, "attend") && n->nin > 3 && n->in[3] && op_int(n, "relative") == 0)
			check_sum(&s, n, n->in[3], NULL, 1, 0);
	}
}

const struct rule rule_wrong_mask = {
	.id = "SW355",
	.name = "wrong-mask",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a mask before softmax that hides nothing, or all but the padding",
	.doc = "A softmax passes over what has a score far below the others: -1e4 is added where something is to be hidden, and 0 "
	    "elsewhere. A mask of 0 and 1 that is multiplied with the scores makes them 0, and exp(0) is 1, as of any score near 0; one that is added "
	    "makes what is to be seen exp(1) = 2.72 times as heavy. And where it is "
	    "upside down nothing is seen but padding. The loss falls all the same, for layers behind find their way around it.\n\n"
	    "Reported of masks that are made of tokens by comparing them, of inputs that hold 0 and 1 by their files or, where they are "
	    "multiplied, are called a mask, and of tril and triu: multiplied with scores and given to softmax; added as they are, to these or by attend(q, k, v, mask); and "
	    "hiding all tokens but those that an embedding's padding= names. Quiet where the result of softmax is masked again, where the mask "
	    "is one for all that is weighed, and of sums with anything else beside.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
