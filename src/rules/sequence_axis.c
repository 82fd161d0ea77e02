/*
 * sequence-axis: a layer that works along the other axis of a sequence than is meant. Embeddings,
 * recurrent layers and attention have [steps, features]; convolutions and pools read [channels,
 * positions], and softmax takes axis 0 unless it is told. Walks from layers whose axes are known
 * through those that keep them, and says something only where one is read that nobody means
 * otherwise. Reads the forward graph.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"

struct sequences {		/* by tensor id: what made its axes, or NULL */
	const struct node **steps;	/* [steps, features] */
	const struct node **features;	/* the same, where neighbouring features are no units of maxout */
	const struct node **channels;	/* [channels, positions] */
	struct tensor_readers readers;
};

static bool
is_table(const struct tensor *t)
{
	return t && t->rank == 2 && t->batched && t->dim[0] > 1 && t->dim[1] > 1;
}

/* Is something along its only axis of space wider than 1? */
static bool
is_wide(const struct node *n)
{
	const struct attr *kernel = op_attr(n, "kernel");

	return kernel && kernel->n > 0 && kernel->v[0] > 1;
}

static bool
makes_steps(const struct node *n)
{
	return node_is(n, "embedding") || node_is(n, "recurrent") || node_is(n, "attend");
}

/* Does it leave axes what they are? */
static bool
keeps_axes(const struct node *n)
{
	return (n->op->flags & OP_ELEMENTWISE) || node_is(n, "layernorm") || node_is(n, "rmsnorm") || node_is(n, "batchnorm") ||
	    node_is(n, "softmax") || (node_is(n, "concat") && op_int(n, "axis") != 0);
}

static const struct node *
first_of(const struct node *n, const struct node *const *of)
{
	int i;

	for (i = 0; i < n->nin; i++)
		if (n->in[i] && of[n->in[i]->id])
			return of[n->in[i]->id];
	return NULL;
}

/* What is known of N's results by its operands. */
static void
mark(struct sequences *s, const struct node *n)
{
	int i;

	for (i = 0; i < n->nout; i++) {
		const struct tensor *t = n->out[i];
		bool keeps = keeps_axes(n);

		if (!is_table(t))
			continue;
		if (makes_steps(n))
			s->steps[t->id] = s->features[t->id] = n;
		else if (keeps || node_is(n, "dense"))
			s->steps[t->id] = first_of(n, s->steps);
		if (keeps || (node_is(n, "dense") && n->part_of))
			s->features[t->id] = first_of(n, s->features);
		if (node_is(n, "conv") && is_wide(n) && !s->steps[n->in[0]->id])
			s->channels[t->id] = n;
		else if (keeps || node_is(n, "maxpool") || node_is(n, "avgpool"))
			s->channels[t->id] = first_of(n, s->channels);
	}
}

/* ---- windows along features ---- */

#define LOOKS	100	/* at who reads something: a bound, far above what occurs */

/* Does it make one thing of its operands without one weighing another? */
static bool
passes_on(const struct node *n)
{
	return n->op->max_operands == 1 || node_has_weights(n) || node_is(n, "concat") || node_is(n, "add") ||
	    node_is(n, "batchnorm") || node_is(n, "layernorm");
}

/* Does all that is made of it come to losses and metrics, and nothing be weighed by it? SENet
 * weighs channels by their means, and FiBiNet the embeddings of fields. */
static bool
is_answer(const struct sequences *s, int at, const struct tensor *t, int *looks)
{
	struct reader_walk w = readers_from(&s->readers, t, at);

	while (next_reader(&w))
		if (w.node->op->kind != OP_LOSS && w.node->op->kind != OP_METRIC &&
		    (!passes_on(w.node) || --*looks < 0 || !is_answer(s, w.at, w.node->out[0], looks)))
			return false;
	return true;
}

/* What node AT, which reads [steps, features], does with features; NULL: nothing that is wrong. */
static const char *
along_features(const struct sequences *s, int at)
{
	const struct node *n = s->readers.of->nodes.v[at];
	const struct tensor *x = n->nin ? n->in[0] : NULL;
	int looks = LOOKS;

	if (!is_table(x) || !s->steps[x->id])
		return NULL;
	if (node_is(n, "conv") && is_wide(n))
		return "slides along";
	if (!s->features[x->id])
		return NULL;
	if ((node_is(n, "maxpool") || node_is(n, "avgpool")) && is_wide(n))
		return "pools";
	if ((node_is(n, "global_avgpool") || node_is(n, "global_maxpool")) && is_answer(s, at, n->out[0], &looks))
		return node_is(n, "global_avgpool") ? "averages" : "takes the largest of";
	return NULL;
}

static void
report_windows(const struct rule *rule, struct lint *l, const struct sequences *s, const struct node *n,
    const char *does)
{
	const struct tensor *x = n->in[0];
	const struct node *from = s->steps[x->id];
	struct diag *g = lint_report(l, rule, n->loc, "'%s' %s the %lld features of each of %lld steps", n->path, does,
	    (long long)x->dim[1], (long long)x->dim[0]);

	diag_place(l->diags, g, from->loc, "steps and features come from here");
	if (node_is(n, "global_avgpool") || node_is(n, "global_maxpool")) {
		diag_fact(l->diags, g, "of [%lld, %lld] one number a step is left", (long long)x->dim[0], (long long)x->dim[1]);
		diag_help(l->diags, g, "%s(axis=0) is that of all steps, [%lld]", node_is(n, "global_avgpool") ? "mean" : "max",
		    (long long)x->dim[1]);
		return;
	}
	diag_fact(l->diags, g, "it reads [channels, positions], and [%lld, %lld] is [steps, features]", (long long)x->dim[0],
	    (long long)x->dim[1]);
	diag_help(l->diags, g, "transpose -> %s(...) works along the steps, and leaves [channels, steps]", n->op->name);
}

/* ---- normalisation of steps ---- */

static bool
is_recurrent(const struct node *layer)
{
	return node_is(layer, "lstm") || node_is(layer, "gru") || node_is(layer, "rnn");
}

/* Is what N makes, perhaps past activations, what a recurrent layer reads step by step? */
static bool
feeds_recurrent(const struct sequences *s, const struct node *n)
{
	while ((n = only_reader(&s->readers, n)) && (n->op->flags & OP_ELEMENTWISE) && n->op->max_operands == 1)
		;
	return node_is(n, "dense") && is_recurrent(n->part_of);
}

/* Does batch normalisation take steps for channels? Of embeddings these may be fields of a table,
 * which have statistics of their own. */
static bool
normalises_steps(const struct sequences *s, const struct node *n)
{
	const struct tensor *x = n->nin ? n->in[0] : NULL;

	if (!node_is(n, "batchnorm") || !is_table(x) || s->channels[x->id])
		return false;
	return s->steps[x->id] ? !node_is(s->steps[x->id], "embedding") : feeds_recurrent(s, n);
}

static void
report_batchnorm(const struct rule *rule, struct lint *l, const struct node *n)
{
	const struct tensor *x = n->in[0];
	struct diag *g = lint_report(l, rule, n->loc, "'%s' normalises each of %lld steps, and not each of %lld features", n->path,
	    (long long)x->dim[0], (long long)x->dim[1]);

	diag_fact(l->diags, g, "it reads [channels, positions], and of [%lld, %lld] has a mean and a weight for each step",
	    (long long)x->dim[0], (long long)x->dim[1]);
	diag_help(l->diags, g, "transpose -> batchnorm -> transpose; or layernorm, of the features of each step");
}

/* ---- steps that are channels ---- */

/* The convolution whose channels a recurrent layer takes for steps; NULL: it does not. */
static const struct node *
channels_of(const struct sequences *s, const struct node *n)
{
	if (!node_is(n, "dense") || !is_recurrent(n->part_of))
		return NULL;
	return is_table(n->in[0]) ? s->channels[n->in[0]->id] : NULL;
}

static void
report_channels(const struct rule *rule, struct lint *l, const struct node *n, const struct node *conv)
{
	const struct tensor *x = n->in[0];
	struct diag *g = lint_report(l, rule, n->loc, "'%s' takes the %lld channels of '%s' for steps", n->part_of->path,
	    (long long)x->dim[0], conv->path);

	diag_place(l->diags, g, conv->loc, "that is here");
	diag_fact(l->diags, g, "it reads [steps, features], and [%lld, %lld] is [channels, positions]", (long long)x->dim[0],
	    (long long)x->dim[1]);
	diag_help(l->diags, g, "transpose before it makes positions its steps");
}

/* ---- softmax ---- */

static int
axis_of(const struct node *softmax)
{
	int axis = (int)op_int(softmax, "axis");

	return axis < 0 ? axis + softmax->in[0]->rank : axis;
}

/* Are they products of two tensors, each step with each of one sequence, perhaps scaled and
 * masked? */
static bool
are_scores(const struct tensor *t)
{
	const struct node *n = t->def;

	while (n && (node_is(n, "scale") || node_is(n, "add") || node_is(n, "sub") || node_is(n, "div") || node_is(n, "mul") ||
	    node_is(n, "clamp")))
		n = n->in[0] ? n->in[0]->def : NULL;
	return node_is(n, "matmul") && n->in[0]->def && n->in[1]->def && n->in[0]->batched && n->in[1]->batched &&
	    t->rank >= 2 && t->dim[t->rank - 1] == t->dim[t->rank - 2] && t->dim[t->rank - 1] > 1;
}

/* The axis of T along which a product sums; -1: it is no operand of one. */
static int
summed_axis(const struct node *product, const struct tensor *t)
{
	if (!node_is(product, "matmul") || product->in[0] == product->in[1] ||
	    (product->in[0] != t && product->in[1] != t))
		return -1;
	if (product->in[0] == t)
		return op_bool(product, "transpose_a") ? t->rank - 2 : t->rank - 1;
	return op_bool(product, "transpose_b") ? t->rank - 1 : t->rank - 2;
}

/* The product that weighs positions by a softmax of scores, and the axis along which it sums; NULL:
 * there is none. */
static const struct node *
weighing(const struct sequences *s, const struct node *softmax, int *summed)
{
	const struct node *n = softmax, *next;

	while ((next = only_reader(&s->readers, n)) && node_is(next, "dropout"))
		n = next;
	*summed = next ? summed_axis(next, n->out[0]) : -1;
	return *summed >= 0 && are_scores(softmax->in[0]) ? next : NULL;
}

/* Is it an answer of each step, compared with a target of its own shape? Nobody who means shares of
 * steps leaves the axis out there; three classes at least, for two may be where something begins
 * and ends. */
static bool
answers_steps(const struct sequences *s, const struct node *softmax)
{
	const struct tensor *x = softmax->in[0], *y = softmax->out[0];
	const struct node *loss = only_reader(&s->readers, softmax);

	return is_table(x) && s->steps[x->id] && axis_of(softmax) == 0 && !op_attr_loc(softmax, "axis").src && x->dim[1] > 2 &&
	    node_is(x->def, "dense") && loss && loss->op->kind == OP_LOSS && loss->in[0] == y && loss->nin > 1 && loss->in[1] &&
	    loss->in[1]->kind == T_TARGET && !loss->in[1]->classes;
}

static void
check_softmax(const struct rule *rule, struct lint *l, const struct sequences *s, const struct node *n)
{
	int summed, last = n->in[0]->rank - 1;
	const struct node *product = weighing(s, n, &summed);
	struct diag *g;

	if (product && summed == axis_of(n))
		return;
	if (product) {
		g = lint_report(l, rule, n->loc, "softmax of scores along axis %d, and '%s' sums along axis %d", axis_of(n),
		    product->path, summed);
		diag_place(l->diags, g, product->loc, "that is here");
		diag_fact(l->diags, g, "what a position weighs the %lld others with does not sum to 1",
		    (long long)n->in[0]->dim[summed]);
	} else if (answers_steps(s, n)) {
		g = lint_report(l, rule, n->loc, "softmax over the %lld steps of a sequence, and not over %lld classes",
		    (long long)n->in[0]->dim[0], (long long)n->in[0]->dim[1]);
		diag_fact(l->diags, g, "axis 0, which it takes by default, is steps of [steps, classes]: what is answered in a "
		    "step does not sum to 1");
	} else {
		return;
	}
	if (!product || summed == last)
		summed = -1;
	diag_help(l->diags, g, "softmax(axis=%d)", summed);
	if (summed == -1 && !op_attr_loc(n, "axis").src)
		fix_argument(l, g, n->loc, "axis", "-1", "take the last axis");
}

/* ---- channels and positions that a reshape was to swap ---- */

#define COLOURS	3	/* of an input that is a picture */

/* Is it a map whose first axis is channels: made by a convolution, perhaps past what keeps axes, or
 * a picture in colours? */
static bool
is_map(const struct tensor *t)
{
	const struct node *n = t->def;

	while (n && n->nin > 0 && n->in[0] && ((n->op->flags & OP_ELEMENTWISE && n->op->max_operands == 1) || node_is(n, "dropout") ||
	    node_is(n, "batchnorm") || node_is(n, "groupnorm") || node_is(n, "instancenorm") || node_is(n, "maxpool") ||
	    node_is(n, "avgpool"))) {
		t = n->in[0];
		n = t->def;
	}
	return n ? node_is(n, "conv") || node_is(n, "conv_transpose") :
	    t->kind == T_INPUT && t->rank == 3 && t->dim[0] == COLOURS && t->dim[1] > COLOURS && t->dim[2] > COLOURS;
}

/*
 * Does the reshape N make [positions, channels] of [channels, positions], or rows with all their
 * channels of [channels, rows, columns]? It moves nothing: what was meant is permute. Quiet where
 * the shape is that of rows or channels in their order, too.
 */
static bool
swaps(const struct node *n)
{
	const struct tensor *x = n->in[0], *y = n->out[0];
	int64_t positions, last;

	if (!node_is(n, "reshape") || !x->batched || x->rank < 2 || x->rank > 3 || !is_table(y) || !is_map(x))
		return false;
	last = x->dim[x->rank - 1];
	positions = x->rank == 3 ? x->dim[1] * last : last;
	if (x->dim[0] < 2 || positions < 2 || y->dim[0] == x->dim[0] || y->dim[1] == last)
		return false;
	return (y->dim[0] == positions && y->dim[1] == x->dim[0]) ||
	    (x->rank == 3 && (y->dim[0] == x->dim[1] || y->dim[0] == last) && y->dim[0] % x->dim[0] != 0);
}

/* Does it leave rows what they are: a norm of each, or a table of positions that is added? */
static bool
keeps_rows(const struct node *n)
{
	bool table = node_is(n, "add") && n->nin == 2 && n->in[0] && n->in[1] && n->in[0]->batched != n->in[1]->batched;

	return table || node_is(n, "layernorm") || node_is(n, "rmsnorm") || node_is(n, "dropout");
}

/* Does a layer with weights read T row by row, and nothing give it another shape? A residual sum
 * may read it beside. */
static bool
reads_rows(const struct sequences *s, int at, const struct tensor *t, int *looks)
{
	struct reader_walk w = readers_from(&s->readers, t, at);
	bool read = false;

	while (next_reader(&w)) {
		const struct node *n = w.node;

		if (--*looks < 0 || node_is(n, "reshape") || node_is(n, "permute") || node_is(n, "transpose"))
			return false;
		read = read || node_is(n, "dense") || (keeps_rows(n) && reads_rows(s, w.at, n->out[0], looks));
	}
	return read;
}

static void
report_reshape(const struct rule *rule, struct lint *l, const struct node *n)
{
	struct arena *a = l->module->arena;
	const struct tensor *x = n->in[0], *y = n->out[0];
	bool rows = y->dim[1] != x->dim[0];
	struct diag *g = lint_report(l, rule, n->loc, "'%s' moves nothing: of %s it makes %s, whose rows are no %s", n->path,
	    tensor_shape_text(a, x), tensor_shape_text(a, y), rows ? "rows of all channels" : "positions with their channels");

	diag_fact(l->diags, g, "each has %lld numbers that follow one another, channel after channel and row after row", (long long)y->dim[1]);
	if (x->rank == 2)
		diag_help(l->diags, g, "transpose in its place");
	else
		diag_help(l->diags, g, "permute(%s) before it", !rows ? "1, 2, 0" : y->dim[0] == x->dim[1] ? "1, 0, 2" : "2, 0, 1");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct graph *f = m->forward;
	size_t n = (size_t)m->next_tensor + 1;
	struct sequences s = { arena_array(m->arena, n, sizeof(*s.steps)), arena_array(m->arena, n, sizeof(*s.steps)),
		arena_array(m->arena, n, sizeof(*s.steps)), readers_of(l) };
	struct place_set reported = { NULL };
	const struct node *conv;
	const char *does;
	int looks, i;

	for (i = 0; m->set.train && i < f->nodes.n; i++) {
		const struct node *node = f->nodes.v[i];

		looks = LOOKS;
		if ((does = along_features(&s, i)) && place_is_new(&reported, l, rule, node->loc))
			report_windows(rule, l, &s, node, does);
		else if ((conv = channels_of(&s, node)) && place_is_new(&reported, l, rule, node->loc))
			report_channels(rule, l, node, conv);
		else if (normalises_steps(&s, node) && place_is_new(&reported, l, rule, node->loc))
			report_batchnorm(rule, l, node);
		else if (swaps(node) && reads_rows(&s, i, node->out[0], &looks) && place_is_new(&reported, l, rule, node->loc))
			report_reshape(rule, l, node);
		else if (node_is(node, "softmax") && place_is_new(&reported, l, rule, node->loc))
			check_softmax(rule, l, &s, node);
		mark(&s, node);
	}
}

const struct rule rule_sequence_axis = {
	.id = "SW336",
	.name = "sequence-axis",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a layer works along the wrong axis of a sequence",
	.doc = "Embeddings, recurrent layers and attention have sequences as [steps, features], as Keras has them; convolutions, "
	    "pools and batch normalisation read [channels, positions], as PyTorch does, where nn.Conv1d behind nn.Embedding "
	    "wants a transpose. Without one a convolution slides along the features, of which neighbours have nothing to do with each "
	    "other, and has weights for each step. All shapes agree, and the loss falls, only less far.\n\n"
	    "Reported of convolutions wider than 1 and pools behind embeddings, recurrent layers and attention, and layers "
	    "that keep their axes; of recurrent layers that take a convolution's channels for steps; of batch normalisation of what recurrent layers or "
	    "attention make, or a recurrent layer reads; of a softmax of scores "
	    "along another axis than that along which the product behind it sums, in self-attention; and of one without axis=, "
	    "which takes axis 0, whose [steps, classes] a loss compares with a target; and of a reshape that makes [positions, channels] of a "
	    "convolution's [channels, positions], or rows of all channels of a picture, which takes a permute: it leaves all "
	    "numbers in their order. Quiet for 1x1 convolutions, which mix "
	    "steps in MLP-Mixer; for pools of what a dense layer makes, which are maxout; and where means of features weigh "
	    "something (Hu, Shen and Sun: Squeeze-and-excitation networks, 2018).",
	.check = check,
	.needs = NEEDS_GRAPH,
};
