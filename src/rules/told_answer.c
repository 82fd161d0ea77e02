/*
 * told-answer: the target that a loss compares an answer with is among what the answer is made of.
 * One walk over the forward graph for each target; whatever may hide the target, move it or make it
 * another task is left alone. Reads the forward graph.
 */
#include "rulekit/graph_query.h"

#include "ir/op.h"

#define MOST_TARGETS	8	/* of a network; those behind are not judged */

/* How a tensor has been made of the target. */
enum told {
	UNTOLD,
	TOLD,		/* of it, and of nothing else that samples have */
	JOINED,		/* beside what is made of inputs */
	READ,		/* joined, and a trained layer has read both */
	UNKNOWN,	/* part of it may be hidden, moved or drawn at random */
};

struct walk {
	const struct graph *g;
	const struct tensor *target;
	struct tensor_readers readers;
	unsigned char *told;		/* by tensor id */
	bool *of_input, *drawn, *learnt;	/* made of inputs; of random numbers; by a trained layer */
};

static bool
is_one_of(const struct node *n, const char *const *name)
{
	for (; *name; name++)
		if (node_is(n, *name))
			return true;
	return false;
}

static enum told
told_of(const struct walk *w, const struct tensor *t)
{
	return t ? (enum told)w->told[t->id] : UNTOLD;
}

/* Does it read parameters that are its own, trained, and used as they are? A mask may lie on
 * others, and a classifier that is used twice may judge what is generated. */
static bool
has_own_weights(const struct walk *w, const struct node *n, int from)
{
	bool any = false;
	int k;

	for (k = from; k < n->nin; k++) {
		const struct tensor *t = n->in[k];

		if (!t)
			continue;
		if (t->kind != T_PARAM || t->frozen || w->readers.count[t->id] != 1)
			return false;
		any = true;
	}
	return any;
}

/* Is each position of a convolution in the middle of what it reads? */
static bool
is_centred(const struct node *n)
{
	const struct attr *pad = op_attr(n, "pad");
	int i;

	for (i = 0; i + 1 < pad->n; i += 2)
		if (pad->v[i] != pad->v[i + 1])
			return false;
	return true;
}

/* A layer with weights; UNKNOWN if it is none, or its weights are not what they seem. */
static enum told
through_layer(const struct walk *w, const struct node *n)
{
	enum told x = told_of(w, n->in[0]);
	bool recurrent = node_is(n, "recurrent");
	int k;

	if (x == UNTOLD || (node_is(n, "conv") && !is_centred(n)))
		return UNKNOWN;
	for (k = 1; recurrent && k < 4 && k < n->nin; k++) {
		if (told_of(w, n->in[k]))
			return UNKNOWN;
		if (n->in[k] && w->of_input[n->in[k]->id] && x == TOLD)
			x = JOINED;
	}
	return !has_own_weights(w, n, recurrent ? 4 : 1) ? UNKNOWN : x == TOLD ? TOLD : READ;
}

/* A sum, or features side by side, of which one is told. */
static enum told
through_join(const struct walk *w, const struct node *n)
{
	bool concat = node_is(n, "concat");
	enum told most = UNTOLD;
	int k;

	for (k = 0; k < n->nin; k++)
		if (told_of(w, n->in[k]) > most)
			most = told_of(w, n->in[k]);
	for (k = 0; k < n->nin; k++) {
		const struct tensor *t = n->in[k];

		if (!t || told_of(w, t))
			continue;
		if (w->drawn[t->id] || (!concat && w->of_input[t->id] && !w->learnt[t->id]))
			return UNKNOWN;		/* it may be noise */
		if (w->of_input[t->id] && most == TOLD)
			most = JOINED;
	}
	if (concat && n->out[0]->rank > 1 && op_int(n, "axis") != (n->out[0]->rank == 2 ? 1 : 0) &&
	    !(op_int(n, "axis") == -1 && n->out[0]->rank == 2))
		return UNKNOWN;		/* positions in a row: they are moved */
	return most;
}

static enum told
through_attention(const struct walk *w, const struct node *n)
{
	enum told most = UNTOLD;
	int k;

	if (n->nin > 3 && n->in[3] && (told_of(w, n->in[3]) || op_int(n, "relative") == 0))
		return UNKNOWN;		/* it may be a mask */
	for (k = 0; k < 3 && k < n->nin; k++)
		if (told_of(w, n->in[k]) > most)
			most = told_of(w, n->in[k]);
	for (k = 0; k < 3 && k < n->nin; k++)
		if (n->in[k] && w->drawn[n->in[k]->id])
			return UNKNOWN;
		else if (n->in[k] && !told_of(w, n->in[k]) && w->of_input[n->in[k]->id] && most == TOLD)
			most = JOINED;
	return most;
}

/* What a node that reads the target, or what is made of it, makes. */
static enum told
through(const struct walk *w, const struct node *n)
{
	static const char *const plain[] = { "cast", "one_hot", "reshape", "flatten", "broadcast", "relu", "leaky_relu", "gelu", "silu",
		"tanh", "sigmoid", "elu", "selu", "mish", "softplus", "hardswish", NULL };
	static const char *const norms[] = { "batchnorm", "layernorm", "rmsnorm", "groupnorm", NULL };
	static const char *const layers[] = { "dense", "conv", "embedding", "recurrent", NULL };
	static const char *const pools[] = { "maxpool", "avgpool", "global_avgpool", "mean", NULL };
	enum told x = told_of(w, n->in[0]);
	int k;

	for (k = 0; k < n->nin; k++)
		if (told_of(w, n->in[k]) == UNKNOWN)
			return UNKNOWN;
	if (is_one_of(n, plain))
		return x;
	if (is_one_of(n, norms))
		return x ? x : UNKNOWN;
	if (node_is(n, "scale"))
		return op_real(n, "factor") != 0 ? x : UNKNOWN;
	if (node_is(n, "dropout"))
		return w->learnt[n->in[0]->id] ? x : UNKNOWN;
	if (is_one_of(n, pools))
		return tensor_elements_per_sample(w->target) == 1 ? x : UNKNOWN;
	if (is_one_of(n, layers))
		return through_layer(w, n);
	if (node_is(n, "add") || node_is(n, "concat"))
		return through_join(w, n);
	return node_is(n, "attend") ? through_attention(w, n) : UNKNOWN;
}

/* What is narrower than the target cannot hold it: a code that is to be learnt, as of an
 * autoencoder. */
static void
mark(struct walk *w, const struct node *n)
{
	bool of_input = false, drawn = (n->op->flags & OP_RANDOM) && !node_is(n, "dropout") && !node_is(n, "attend"), told = false;
	bool learnt = node_is_trained(n);
	enum told how = UNTOLD;
	int k;

	for (k = 0; k < n->nin; k++) {
		const struct tensor *t = n->in[k];

		if (!t)
			continue;
		of_input |= w->of_input[t->id];
		drawn |= w->drawn[t->id];
		learnt |= w->learnt[t->id];
		told |= w->told[t->id] != UNTOLD;
	}
	if (told && n->op->kind != OP_LOSS && n->op->kind != OP_METRIC)
		how = through(w, n);
	for (k = 0; k < n->nout; k++) {
		const struct tensor *t = n->out[k];

		if (!t)
			continue;
		w->of_input[t->id] = of_input;
		w->drawn[t->id] = drawn;
		w->learnt[t->id] = learnt;
		w->told[t->id] = (unsigned char)(how && (t != node_value(n) ||
		    tensor_elements_per_sample(t) < tensor_elements_per_sample(w->target)) ? UNKNOWN : how);
	}
}

/* Does a loss compare an answer with the target itself? */
static bool
compares(const struct walk *w, const struct node *n)
{
	static const char *const name[] = { "cross_entropy", "focal", "bce", "bce_with_logits", "mse", "l1", "smooth_l1", "huber",
		"log_cosh", "hinge", "poisson_nll", NULL };
	const struct tensor *t = n->nin > 1 ? n->in[1] : NULL;

	while (t && t->def && (node_is(t->def, "cast") || node_is(t->def, "reshape") || node_is(t->def, "one_hot")))
		t = t->def->in[0];
	return is_one_of(n, name) && t == w->target;
}

/* The loss whose answer has read its target, if all else that is trained knows nothing of it; NULL:
 * there is none. */
static const struct node *
find_loss(const struct walk *w)
{
	const struct node *found = NULL;
	int i;

	for (i = 0; i < w->g->nodes.n; i++) {
		const struct node *n = w->g->nodes.v[i];

		if (n->op->kind != OP_LOSS || !told_of(w, n->in[0]))
			continue;
		if (found || told_of(w, n->in[0]) != READ || !compares(w, n))
			return NULL;
		found = n;
	}
	for (i = 0; i < w->g->results.n; i++)
		if (w->g->results.v[i].is_loss && told_of(w, w->g->results.v[i].tensor))
			return NULL;
	return found;
}

/* The first node of those that make the answer which reads the target. */
static const struct node *
entry_of(const struct walk *w, struct arena *a, int most, const struct node *loss)
{
	bool *needed = arena_array(a, (size_t)most, sizeof(*needed));
	const struct node *entry = NULL;
	int i, k;

	needed[loss->in[0]->id] = true;
	for (i = w->g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = w->g->nodes.v[i];
		bool any = false;

		for (k = 0; k < n->nout; k++)
			any |= n->out[k] && needed[n->out[k]->id];
		for (k = 0; any && k < n->nin; k++)
			if (n->in[k]) {
				needed[n->in[k]->id] = true;
				entry = n->in[k] == w->target ? n : entry;
			}
	}
	return entry;
}

static void
report(const struct rule *rule, struct lint *l, const struct walk *w, const struct node *loss)
{
	const struct node *entry = entry_of(w, l->module->arena, l->module->next_tensor + 1, loss);
	const char *name = w->target->name;
	struct diag *g;

	if (!entry)
		return;
	g = lint_report(l, rule, entry->loc, "'%s' reads '%s', and of it the answer is made that is compared with '%s'",
	    entry->path, name, name);
	diag_place(l->diags, g, loss->loc, "the loss is here");
	diag_fact(l->diags, g, "a copy is all there is to learn, and what is to be answered is not known where the network is used");
	if (w->target->rank == 1 && w->target->classes)
		diag_help(l->diags, g, "a decoder reads what stands before each position: (%s -> embedding(...))[:-1] -> pad((1, 0), axis=0) "
		    "moves them on", name);
	else
		diag_help(l->diags, g, "make the answer of inputs alone");
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	size_t most = (size_t)m->next_tensor + 1;
	struct walk w = { .g = m->forward };
	int i, k, targets = 0;

	if (!m->set.train || m->set.nturns)
		return;
	w.readers = readers_of(l);
	for (i = 0; i < w.g->inputs.n && targets < MOST_TARGETS; i++) {
		const struct node *loss;

		w.target = w.g->inputs.v[i];
		if (w.target->kind != T_TARGET || w.readers.count[w.target->id] < 2)
			continue;
		targets++;
		w.told = arena_array(m->arena, most, sizeof(*w.told));
		w.of_input = arena_array(m->arena, most, sizeof(bool));
		w.drawn = arena_array(m->arena, most, sizeof(bool));
		w.learnt = arena_array(m->arena, most, sizeof(bool));
		w.told[w.target->id] = TOLD;
		for (k = 0; k < w.g->inputs.n; k++)
			w.of_input[w.g->inputs.v[k]->id] = w.g->inputs.v[k]->kind == T_INPUT;
		for (k = 0; k < w.g->nodes.n; k++)
			mark(&w, w.g->nodes.v[k]);
		if ((loss = find_loss(&w)))
			report(rule, l, &w, loss);
	}
}

const struct rule rule_told_answer = {
	.id = "SW352",
	.name = "told-answer",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "an answer is made of the target that it is compared with",
	.doc = "A network that reads the target beside its inputs learns to copy it: the loss falls as never before, in validation, too, "
	    "and when the network is used there is no target to read. It happens where all columns are joined, and in decoders that read "
	    "what they are to say without moving it one place on, which causal attention does not do by itself: position i sees "
	    "position i.\n\n"
	    "Reported where a target goes, at its own place and whole, through layers that are trained, together with what is made of inputs, to the "
	    "answer of a loss of that very target. Quiet wherever part of it may be hidden or moved, as by slice, pad, roll, a product, where, random "
	    "numbers or a bias of attention; where a layer on the way has fewer numbers than the target, as the code of an autoencoder; "
	    "where weights there are frozen, computed or used elsewhere, or other losses read what is made of it, as of generators that are told a class; and "
	    "with turns. What is added to logits by their label, as a margin, is none: no layer reads it.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
