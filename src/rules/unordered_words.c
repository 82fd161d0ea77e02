/*
 * unordered-words: attention among embedded tokens that nothing tells the order of. Follows what is
 * made of the tokens through the forward graph as long as each position is treated alike.
 */
#include "rulekit/data_look.h"
#include "rulekit/graph_query.h"

#include "ir/op.h"
#include "ops/shapes.h"
#include "readers/reader.h"

#define LARGEST_VOCABULARY	(1 << 22)	/* of which places of tokens are remembered */

/* Of a tensor: whose tokens stand along its first axis; NULL: nobody's. */
struct words {
	const struct tensor **of;	/* by tensor id */
	const struct node *blind;	/* the first attention among them */
	const struct tensor *input;	/* whose these are */
	bool told;		/* something reads or adds an order */
};

/* Those that do the same to each position of the first axis, whatever its place. */
static bool
is_alike(const struct node *n)
{
	static const char *const name[] = { "dense", "dropout", "softmax", "prelu", "stop_gradient", "cast", "gated", NULL };
	int i;

	if (node_is(n, "layernorm") || node_is(n, "rmsnorm"))
		return n->in[0]->rank > 1 && op_int(n, "axes") < n->in[0]->rank;
	for (i = 0; name[i]; i++)
		if (node_is(n, name[i]))
			return true;
	return n->op->flags & OP_ELEMENTWISE;
}

/* Does an operand that is not made of the words differ from one position to the next? */
static bool
tells_positions(const struct node *n, const struct tensor *t, int64_t length)
{
	const struct tensor *y = n->out[0];

	if (node_is(t->def, "ones") || node_is(t->def, "zeros") || node_is(t->def, "constant"))
		return false;
	return t->rank == y->rank && t->dim[0] == length;
}

/* Is it attention that treats all pairs of positions alike? */
static bool
is_blind(const struct node *n)
{
	return node_is(n, "attend") && !op_bool(n, "causal") && !op_bool(n, "alibi") && op_int(n, "window") == 0 &&
	    op_int(n, "relative") == 0 && op_attr(n, "grid")->v[0] == 0 && (n->nin < 4 || !n->in[3]);
}

static const struct tensor *
words_of(const struct words *w, const struct node *n, int k)
{
	return k < n->nin && n->in[k] ? w->of[n->in[k]->id] : NULL;
}

static void
attend(struct words *w, const struct node *n)
{
	const struct tensor *q = words_of(w, n, 0), *k = words_of(w, n, 1);

	if (!is_blind(n) || n->out[0]->rank != 2) {
		w->told = true;
		return;
	}
	if (!w->blind && (k || (q && !n->in[1]))) {	/* not of words to another thing */
		w->blind = n;
		w->input = k ? k : q;
	}
	w->of[n->out[0]->id] = q;
}

/* Sums of what several words are, and one of them, as that of the whole sequence, have no order. */
static bool
is_taken_together(const struct node *n)
{
	static const char *const name[] = { "sum", "mean", "max", "min", "var", "std", NULL };
	const struct attr *a;
	int i;

	if (n->op->kind == OP_LOSS || n->op->kind == OP_METRIC)
		return true;
	if (node_is(n, "slice"))
		return op_attr(n, "axis")->n == 1 && shape_axis_at(op_attr(n, "axis")->v[0], n->in[0]) == 0;
	for (i = 0; name[i] && !node_is(n, name[i]); i++)
		;
	if (!name[i])
		return false;
	a = op_attr(n, "axis");
	for (i = 0; i < a->n; i++)
		if (shape_axis_at(a->v[i], n->in[0]) == 0)
			return true;
	return a->n == 0;
}

static void
pass_alike(struct words *w, const struct node *n)
{
	const struct tensor *of = NULL;
	int k;

	for (k = 0; k < n->nin; k++) {
		const struct tensor *t = n->in[k], *its = words_of(w, n, k);

		if (!t || t->kind == T_PARAM)
			continue;
		if ((of && its && its != of) || (!its && tells_positions(n, t, n->out[0]->dim[0])))
			w->told = true;
		of = its ? its : of;
	}
	w->of[n->out[0]->id] = of;
}

/* A token of its own before the words leaves them as they are. */
static bool
is_put_before(const struct words *w, const struct node *n)
{
	int k, all = 0;

	for (k = 0; k < n->nin; k++)
		all += words_of(w, n, k) != NULL;
	return node_is(n, "concat") && all == 1 && op_int(n, "axis") == 0;
}

static void
follow(struct words *w, const struct node *n)
{
	const struct tensor *of = NULL;
	int k;

	if (node_is(n, "embedding") && n->in[0]->kind == T_INPUT && n->in[0]->tokens && n->in[0]->rank == 1 &&
	    n->in[0]->dim[0] > 2) {
		w->of[n->out[0]->id] = n->in[0];
		return;
	}
	for (k = 0; k < n->nin; k++)
		of = words_of(w, n, k) ? words_of(w, n, k) : of;
	if (!of || is_taken_together(n))
		return;
	if (node_is(n, "attend"))
		attend(w, n);
	else if (is_alike(n) && n->out[0]->rank == n->in[0]->rank)
		pass_alike(w, n);
	else if (is_put_before(w, n))
		w->of[n->out[0]->id] = of;
	else if (node_is(n, "split") && n->out[0]->dim[0] == n->in[0]->dim[0])
		for (k = 0; k < n->nout; k++)
			w->of[n->out[k]->id] = of;
	else
		w->told = true;
}

/*
 * Columns of kinds, each with numbers of its own, need no order: the number says which column it
 * is. So of most tokens that come more than once do the files show them at several places?
 */
static bool
has_places(struct lint *l, const struct tensor *input)
{
	const struct data_source *source = &l->module->set.data;
	int32_t *place, repeated = 0, moved = 0;
	struct data_look look;
	int64_t row, i;

	if (input->classes > LARGEST_VOCABULARY || !reader_has_files(source) || !data_look(l, source, input, &look))
		return false;
	place = arena_array(l->module->arena, (size_t)input->classes, sizeof(*place));
	for (row = 0; row < look.rows; row++)
		for (i = 0; i < look.width; i++) {
			double x = data_value(&look, row, i);
			int32_t *p = x >= 0 && x < input->classes ? &place[(int64_t)x] : NULL;

			if (p && *p > 0) {
				bool elsewhere = *p != (int32_t)i + 1;

				repeated++;
				moved += elsewhere;
				*p = -1;	/* counted */
			} else if (p && *p == 0) {
				*p = (int32_t)i + 1;
			}
		}
	return repeated > 0 && moved <= repeated / 2;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct words w = { .told = false };
	struct diag *g;
	int i;

	if (!m->set.train)
		return;
	w.of = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*w.of));
	for (i = 0; i < m->forward->nodes.n && !w.told; i++)
		if (m->forward->nodes.v[i]->nout > 0 && m->forward->nodes.v[i]->out[0])
			follow(&w, m->forward->nodes.v[i]);
	if (w.told || !w.blind || has_places(l, w.input))
		return;
	g = lint_report(l, rule, w.blind->loc, "nothing tells '%s' the order of '%s': it sees a set of tokens",
	    (w.blind->part_of ? w.blind->part_of : w.blind)->path, w.input->name);
	diag_place(l->diags, g, w.input->loc, "'%s' is declared here", w.input->name);
	diag_fact(l->diags, g, "attention weighs all pairs of positions alike, and so is every layer before it: the same %lld tokens "
	    "in another order give the same answers", (long long)w.input->dim[0]);
	diag_help(l->diags, g, "add positions to what is embedded, parameter((%lld, %lld), init=normal(0.02)) or sinusoid(%lld, %lld); "
	    "or rope=10000 in attention", (long long)w.input->dim[0], (long long)w.blind->out[0]->dim[1],
	    (long long)w.input->dim[0], (long long)w.blind->out[0]->dim[1]);
}

const struct rule rule_unordered_words = {
	.id = "SW341",
	.name = "unordered-words",
	.family = FAMILY_TRAINING,
	.severity = SEV_NOTE,
	.brief = "attention among tokens that nothing tells the order of",
	.doc = "An embedding gives a token the same vector wherever it stands, attention weighs pairs of them by these alone, and "
	    "layers of one position do not know which it is. So without positions the network answers the same for the same "
	    "tokens in any order: \"dog bites man\" is \"man bites dog\". \"Since our model contains no recurrence and no "
	    "convolution, in order for the model to make use of the order of the sequence, we must inject some information "
	    "about the relative or absolute position of the tokens\" (Vaswani and others: Attention is all you need, 2017).\n\n"
	    "Reported of attention that is not causal, has no window, no bias and none of rope, alibi, relative and grid, where "
	    "all that lies between it and an embedding of tokens[T, vocab=V] does the same at each position, and nothing "
	    "behind reads the order: no recurrent layer, convolution, flatten. Quiet for causal attention, which "
	    "learns to count (Haviv and others: Transformer language models without positional encodings still learn positional "
	    "information, 2022), where anything is added that differs between positions, for several inputs that are "
	    "embedded and added, for class[K, T], and where the files show that tokens keep to a "
	    "position, as columns of kinds do that share a table. A set may be what is meant: then suppress it.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
