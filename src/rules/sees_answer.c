/*
 * sees-answer: a language model that reads what it is to foresee. Of windows of a text the target
 * is the same window one further on, so that what stands behind a position is its answer: attention
 * that is not causal, a recurrent layer that comes back from the end, and a convolution that
 * reaches ahead copy it. Reads the forward graph, the data setting, and of other readers the
 * files.
 */
#include "rulekit/data_look.h"
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/known_mask.h"
#include "rulekit/place_set.h"

#include "ir/op.h"
#include "readers/reader.h"

struct windows {
	const struct tensor *input;
	int64_t length, by;	/* of a window; how far the next one is ahead */
	bool *of_input;		/* by tensor id: made of it */
	bool *ahead;		/* each position of which has seen what comes behind it */
	bool *aligned;		/* [positions, width], each made of the input at that place */
	bool *looks;		/* by place in the graph: it reads the input, and ahead */
};

/* Does a convolution of [channels, positions] reach ahead? */
static bool
reaches_ahead(const struct node *n, int64_t length)
{
	const struct attr *kernel, *pad;

	if (!node_is(n, "conv") || n->in[0]->rank != 2 || n->in[0]->dim[1] != length || n->out[0]->dim[1] != length)
		return false;
	kernel = op_attr(n, "kernel");
	pad = op_attr(n, "pad");
	return (kernel->v[0] - 1) * op_attr(n, "dilation")->v[0] > pad->v[0];
}

/* Attention among all positions. A bias may be a mask, unless it is a table of distances, or one
 * that is known and hides none of what is behind. */
static bool
looks_around(const struct windows *w, const struct node *n)
{
	int64_t length = w->length;
	bool masked = n->nin > 3 && n->in[3] && op_int(n, "relative") == 0 &&
	    !known_mask_shows(n->in[3], NULL, length, w->by);

	return node_is(n, "attend") && !op_bool(n, "causal") && !masked && n->in[0]->rank == 2 && n->in[0]->dim[0] == length &&
	    (n->nin < 2 || !n->in[1] || n->in[1]->dim[0] == length);
}

static bool
comes_back(const struct node *n, int64_t length)
{
	return node_is(n, "recurrent") && op_bool(n, "reverse") && n->in[0]->rank == 2 && n->in[0]->dim[0] == length;
}

/* Attention that is written out, softmax(q k^T) v, in which each position weighs what is behind it,
 * by a mask that is known or without one. */
static bool
weighs_ahead(const struct windows *w, const struct node *n)
{
	const struct node *weights;

	if (!node_is(n, "matmul") || op_bool(n, "transpose_a") || op_bool(n, "transpose_b") || !w->aligned[n->in[1]->id])
		return false;
	weights = n->in[0]->def;
	while (node_is(weights, "dropout"))
		weights = weights->in[0]->def;
	return node_is(weights, "softmax") && weights->in[0]->rank == 2 &&
	    (op_int(weights, "axis") == -1 || op_int(weights, "axis") == 1) &&
	    known_mask_shows(weights->in[0], w->aligned, w->length, w->by);
}

static bool
sees_ahead(const struct windows *w, const struct node *n)
{
	return reaches_ahead(n, w->length) || looks_around(w, n) || comes_back(n, w->length) || weighs_ahead(w, n);
}

/* What moves positions; behind it nothing is known. */
static bool
moves(const struct node *n)
{
	return node_is(n, "slice") || node_is(n, "pad") || node_is(n, "crop") || node_is(n, "roll") || node_is(n, "flip") ||
	    node_is(n, "scan");
}

/* Does a layer of a language model leave positions where they are, and look at none behind? */
static bool
keeps_place(const struct node *n)
{
	static const char *const name[] = { "dense", "dropout", "layernorm", "rmsnorm", "prelu", NULL };
	int i;

	for (i = 0; name[i]; i++)
		if (node_is(n, name[i]))
			return true;
	return (node_is(n, "concat") && n->nin == 1) || (node_is(n, "attend") && op_bool(n, "causal")) ||
	    (node_is(n, "recurrent") && !op_bool(n, "reverse")) ||
	    ((n->op->flags & OP_ELEMENTWISE) && !(n->op->flags & OP_RANDOM));
}

/* False where positions are moved on the way. */
static bool
mark(struct windows *w, const struct graph *g)
{
	int i, k;

	w->of_input[w->input->id] = true;
	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];
		bool of_input = false, ahead = false, aligned = node_is(n, "embedding") && n->in[0] == w->input;
		const struct tensor *y = n->nout && n->out[0] ? node_value(n) : NULL;

		for (k = 0; k < n->nin; k++) {
			of_input |= n->in[k] && w->of_input[n->in[k]->id];
			ahead |= n->in[k] && w->ahead[n->in[k]->id];
			aligned |= n->in[k] && w->aligned[n->in[k]->id] && keeps_place(n);
		}
		if (of_input && moves(n))
			return false;
		w->looks[i] = n->nin && n->in[0] && w->of_input[n->in[0]->id] && sees_ahead(w, n);
		ahead |= w->looks[i];
		if (aligned && y && y->rank == 2 && y->dim[0] == w->length)
			w->aligned[y->id] = true;
		for (k = 0; k < n->nout; k++)
			if (n->out[k]) {
				w->of_input[n->out[k]->id] = of_input;
				w->ahead[n->out[k]->id] = ahead;
			}
	}
	return true;
}

/* The loss that compares each position with the one ahead, though that has been seen; NULL: there
 * is none. */
static const struct node *
told_loss(const struct windows *w, const struct graph *g)
{
	int i;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		if (node_is(n, "cross_entropy") && n->in[1] && n->in[1]->kind == T_TARGET && n->in[1]->rank == 1 &&
		    n->in[1]->dim[0] == w->length && w->ahead[n->in[0]->id])
			return n;
	}
	return NULL;
}

static void
report(const struct rule *rule, struct lint *l, const struct windows *w, const struct node *n, const struct node *loss)
{
	const struct node *layer = n->part_of ? n->part_of : n;
	struct diag *g = lint_report(l, rule, n->loc, "'%s' sees at each position what stands behind it, which is the answer",
	    layer->path);

	diag_place(l->diags, g, loss->loc, "the loss is here");
	diag_fact(l->diags, g, "%s '%s' is the window that is %lld further on than '%s': what position i is to foresee "
	    "is the input at i + %lld", reader_has(l->module->set.data.reader, "ahead") ? "of a text" : "in the files",
	    loss->in[1]->name, (long long)w->by, w->input->name, (long long)w->by);
	if (node_is(n, "matmul") || (node_is(n, "attend") && n->nin > 3 && n->in[3] && op_int(n, "relative") == 0)) {
		diag_place(l->diags, g, node_is(n, "matmul") ? n->in[0]->def->loc : n->in[3]->def->loc, "what it sees is weighed here");
		diag_help(l->diags, g, "-1e4 * triu(%lld, diagonal=1), added to the scores, hides all that is behind a position, and no "
		    "more; attend(q, k, v, causal=true) needs no mask", (long long)w->length);
	} else if (node_is(n, "attend")) {
		diag_help(l->diags, g, "%s(..., causal=true); of std/, gpt or llama in place of encoder", layer->op->name);
		if (!op_attr_loc(n, "causal").src)
			fix_argument(l, g, n->loc, "causal", "true", "let positions see none behind them");
	} else if (node_is(n, "recurrent")) {
		diag_help(l->diags, g, "leave bidirectional out");
	} else {
		diag_help(l->diags, g, "pad=(%lld, 0): all of the frame before the first position",
		    (long long)((op_attr(n, "kernel")->v[0] - 1) * op_attr(n, "dilation")->v[0]));
	}
}

#define FEWEST	8	/* samples that say that the target is the next window */

/* How far is the target ahead of the input, by the files, in each sample? 0: it is another
 * thing. */
static int64_t
shown_ahead(const struct lint *l, const struct tensor *input)
{
	const struct graph *f = l->module->forward;
	bool same = true, next = true;
	struct data_look x, y;
	int64_t row, i;
	int k;

	for (k = 0; k < f->inputs.n; k++) {
		const struct tensor *t = f->inputs.v[k];

		if (t->kind != T_TARGET || t->rank != 1 || t->dim[0] != input->dim[0])
			continue;
		if (!data_look(l, &l->module->set.data, input, &x) || !data_look(l, &l->module->set.data, t, &y) ||
		    x.rows < FEWEST || y.rows < FEWEST)
			return -1;
		for (row = 0; row < x.rows && row < y.rows && (same || next); row++)
			for (i = 0; i < x.width; i++) {
				same &= data_value(&x, row, i) == data_value(&y, row, i);
				next &= i == 0 || data_value(&x, row, i) == data_value(&y, row, i - 1);
			}
		return same ? 0 : next ? 1 : -1;
	}
	return -1;
}

/* The window that is read; NULL: there is none, or there are several. */
static const struct tensor *
window_of(const struct module *m)
{
	const struct tensor *found = NULL;
	int i;

	if (!reader_has_files(&m->set.data))
		return NULL;
	for (i = 0; i < m->forward->inputs.n; i++) {
		const struct tensor *t = m->forward->inputs.v[i];

		if (t->kind != T_INPUT)
			continue;
		if (found || t->rank != 1 || !t->tokens)
			return NULL;
		found = t;
	}
	return found;
}

/* ---- the same window ---- */

/* A language model whose target is what it reads at the same place: it copies. */
static void
check_same(const struct rule *rule, struct lint *l, const struct windows *w)
{
	const struct graph *f = l->module->forward;
	bool *aligned = arena_array(l->module->arena, (size_t)l->module->next_tensor + 1, sizeof(*aligned)), mixes = false;
	struct diag *g;
	int i, k;

	for (i = 0; i < f->nodes.n; i++) {
		const struct node *n = f->nodes.v[i];
		bool of = node_is(n, "embedding") && n->in[0] == w->input;
		const struct tensor *y = n->nout && n->out[0] ? node_value(n) : NULL;

		for (k = 0; k < n->nin; k++)
			of |= n->in[k] && aligned[n->in[k]->id] && keeps_place(n);
		if (node_is(n, "cross_entropy") && aligned[n->in[0]->id] && mixes && n->in[1] && n->in[1]->kind == T_TARGET &&
		    n->in[1]->rank == 1 && n->in[1]->dim[0] == w->length) {
			g = lint_report(l, rule, n->loc, "'%s' is '%s' itself: each position is asked what it is told", n->in[1]->name,
			    w->input->name);
			diag_place(l->diags, g, n->in[1]->loc, "'%s' is declared here", n->in[1]->name);
			diag_fact(l->diags, g, "in the files they are the same in every sample, and no layer sees what stands behind: a copy "
			    "is all there is to learn");
			diag_help(l->diags, g, "as target of a language model the same text one place further on");
			return;
		}
		if (of && y && y->rank == 2 && y->dim[0] == w->length) {
			aligned[y->id] = true;
			mixes |= node_is(n, "attend") || node_is(n, "recurrent");
		}
	}
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	size_t n = (size_t)m->next_tensor + 1;
	struct windows w = { .input = m->set.train ? window_of(m) : NULL };
	struct place_set reported = { NULL };
	const struct node *loss;
	int i;

	if (!w.input)
		return;
	w.length = w.input->dim[0];
	w.by = reader_has(m->set.data.reader, "ahead") ? reader_int(&m->set.data, "ahead", 1) : shown_ahead(l, w.input);
	if (w.by == 0 && !reader_has(m->set.data.reader, "ahead"))
		check_same(rule, l, &w);
	if (w.by < 1 || w.by >= w.input->dim[0])
		return;
	w.of_input = arena_array(m->arena, n, sizeof(*w.of_input));
	w.ahead = arena_array(m->arena, n, sizeof(*w.ahead));
	w.aligned = arena_array(m->arena, n, sizeof(*w.aligned));
	w.looks = arena_array(m->arena, (size_t)m->forward->nodes.n + 1, sizeof(*w.looks));
	if (!mark(&w, m->forward) || !(loss = told_loss(&w, m->forward)))
		return;
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *node = m->forward->nodes.v[i];

		if (w.looks[i] && place_is_new(&reported, l, rule, node->loc))
			report(rule, l, &w, node, loss);
	}
}

const struct rule rule_sees_answer = {
	.id = "SW337",
	.name = "sees-answer",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a language model reads what it is to foresee",
	.doc = "data text and data tokens give windows of one long text, and as target the same window one further on. So what a "
	    "position is to foresee stands behind it in the input, and a layer that looks there copies it: the loss falls to almost "
	    "0 within an epoch, in validation, too, and the model can write nothing, for then nothing stands behind.\n\n"
	    "Reported where a cross_entropy compares all positions of such a window, of attention without causal=true and "
	    "without a bias that may be a mask, with one, of triu or tril, that leaves what is behind as it is, being upside down or off "
	    "by one, and of the same written out as softmax(q k^T) v, of recurrent layers with bidirectional=true, and of convolutions that reach "
	    "ahead. Quiet where positions are moved on the way, with ahead=0, and of data that other readers read, unless their files show each input again one place on in the target, or, of layers that see none behind, in its place: they may be of another "
	    "kind, tags of words, or words that are masked (Devlin and others: BERT, 2018).",
	.check = check,
	.needs = NEEDS_GRAPH,
};
