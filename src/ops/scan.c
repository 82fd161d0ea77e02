/*
 * scan: a layer at each step of a sequence, with states that it hands on to the next. It is one
 * node, and a loop in the program: the layer is expanded once, planned by itself, and run for each
 * step in the same scratch memory.
 *
 * Backward goes from the last step to the first. Nothing within a step is kept for it: it makes the
 * step again from the state before, which is what is kept of each; or of one in so many, a segment,
 * whose other states it makes again first.
 */
#include "ops/scan.h"

#include "ir/diff.h"

#include "calls/emitter.h"
#include "ops/shapes.h"

static const struct attr_spec attrs[] = {
	{ "cell", ATTR_BODY, "the layer of one step: of what it gets of each sequence, then of the states",
	    .required = true },
	{ "sequences", ATTR_INT, "how many of the operands are sequences; the others are states before the first step",
	    .preset = "1", .min = 1, .max = MAX_ATTRS },
	{ "axis", ATTR_INT, "the axis of the steps: 0 is the first after the batch", .preset = "0", .min = 0,
	    .max = MAX_RANK - 1 },
	{ "reverse", ATTR_BOOL, "steps go from the last to the first", .preset = "false" },
	{ "segment", ATTR_INT, "states are kept for backward once in so many steps, and those between made again; 0: "
	    "about the root of their number, which needs least memory", .preset = "1", .min = 0,
	    .max = (double)LARGEST_EXTENT },
	ATTRS_END
};

/* With the fewest states kept, and made again of one segment, together. */
static int64_t
best_segment(int64_t steps)
{
	int64_t n = 1;

	while (n * n < steps)
		n++;
	return n;
}

struct scan
scan_of(const struct node *n)
{
	const struct graph *body = op_body(n)->body;
	struct scan s = { .body = body, .sequences = (int)op_int(n, "sequences"), .axis = (int)op_int(n, "axis"),
		.reverse = op_bool(n, "reverse") };
	struct tensor **param;
	int i;

	for (i = 0; i < body->inputs.n; i++)
		s.states += body->inputs.v[i]->kind == T_INPUT;
	s.states -= s.sequences;
	s.operands = body->inputs.n + body_params(body->module->arena, body, &param);
	s.made = body->results.n > s.states ? body->results.n - s.states : s.states;
	s.steps = n->in[0]->dim[s.axis];
	s.segment = op_int(n, "segment") ? op_int(n, "segment") : best_segment(s.steps);
	s.segment = s.segment < s.steps ? s.segment : s.steps;
	return s;
}

int64_t
scan_segments(const struct scan *s)
{
	return (s->steps + s->segment - 1) / s->segment;
}

int
scan_next(const struct scan *s, int j)
{
	return s->body->results.n - s->states + j;
}

int
scan_shown(const struct scan *s, int j)
{
	int k;

	for (k = 0; k < s->made && s->segment == 1; k++)
		if (s->body->results.v[k].tensor == s->body->results.v[scan_next(s, j)].tensor)
			return k;
	return -1;
}

/* ---- backward ---- */

static struct affine
times(struct affine a, int64_t n)
{
	struct affine sum = { 0, 0 };

	if (__builtin_mul_overflow(a.fixed, n, &sum.fixed))
		sum.fixed = INT64_MAX;
	if (__builtin_mul_overflow(a.per_sample, n, &sum.per_sample))
		sum.per_sample = INT64_MAX;
	return sum;
}

/* Each step once more, and twice that for its gradients. */
static struct affine
macs_of_grad(const struct node *n)
{
	struct scan s = scan_of(n);
	const struct rounds *r = rounds_of(n);

	struct affine step = r ? graph_macs(r->m->train) : times(graph_macs(s.body), 3);

	if (!r || !r->next)
		return times(step, s.steps);
	return affine_sum(times(step, s.steps), times(graph_macs(r->next->m->train), s.steps - scan_segments(&s)));
}

const struct op op_scan_grad = {
	.name = "scan_grad",
	.kind = OP_INTERNAL,
	.brief = "gradients of scan, from the last step to the first",
	.attrs = attrs,
	.operands = "x ...",
	.min_operands = 1, .max_operands = -1,
	.macs = macs_of_grad,
	.memory.workspace = scan_work,
	.rounds.count = scan_kinds,
	.rounds.make = scan_make_grad,
	.calls.kernels = "copy/steps.cu",
	.calls.define = scan_define,
	.calls.emit = scan_emit_grad,
};

static bool
grad(struct diff *d, struct node *n)
{
	struct scan s = scan_of(n);
	int count = SCAN_BACK_LAST(&s) + s.states, i;
	struct tensor **in = arena_array(d->m->arena, (size_t)count + 1, sizeof(*in));
	struct node *back;

	for (i = 0; i < s.operands; i++)
		in[i] = n->in[i];
	for (i = 0; i < s.states; i++)
		in[SCAN_BACK_KEPT(&s) + i] = scan_shown(&s, i) < 0 ? n->out[SCAN_KEPT(&s) + i] :
		    n->out[scan_shown(&s, i)];
	for (i = 0; i < s.made; i++)
		in[SCAN_BACK_MADE(&s) + i] = diff_of(d, n->out[i]);
	for (i = 0; i < s.states; i++)
		in[SCAN_BACK_LAST(&s) + i] = diff_of(d, n->out[SCAN_LAST(&s) + i]);
	back = diff_node(d, n, &op_scan_grad, count, in);
	for (i = 0; i < s.operands; i++)
		if (diff_wants(d, n->in[i]))
			diff_output(d, back, n->in[i]);
		else
			ir_add_output(d->m, back, NULL);
	return true;
}

/* ---- the shape rule ---- */

/* Of a sequence a step; of a state what it is, for each sample if any sequence has samples. */
static bool
operand(struct build *b, const struct node *n, int k, struct tensor *x)
{
	int64_t sequences = op_int(n, "sequences"), axis = op_int(n, "axis");
	int i;

	*x = tensor_value(n->in[k]);
	if (sequences > n->nin)
		return op_error(b, n, "scan: sequences=%lld, but there %s %d operand%s", (long long)sequences,
		    n->nin == 1 ? "is" : "are", n->nin, n->nin == 1 ? "" : "s");
	if (!shape_float(b, n, k))
		return false;
	if (k >= sequences) {
		for (i = 0; i < sequences; i++)
			x->batched |= n->in[i]->batched;
		return true;
	}
	if (x->rank <= axis)
		return op_error(b, n, "scan: %s has no axis %lld for its steps; operands that are no sequences come "
		    "behind those that are, and sequences= says how many are", op_operand_text(b, x), (long long)axis);
	if (x->dim[axis] != n->in[0]->dim[axis])
		return op_error(b, n, "scan: the sequences have %lld and %lld steps: %s and %s",
		    (long long)n->in[0]->dim[axis], (long long)x->dim[axis], op_operand_text(b, n->in[0]),
		    op_operand_text(b, x));
	for (i = (int)axis; i + 1 < x->rank; i++)
		x->dim[i] = x->dim[i + 1];
	x->rank--;
	return true;
}

/* A state that looks like one more sequence. */
static const char *
advice(struct build *b, const struct node *n)
{
	int64_t sequences = op_int(n, "sequences"), axis = op_int(n, "axis");
	const struct tensor *x = n->in[0], *h = n->nin > sequences ? n->in[sequences] : NULL;

	if (!h || h->rank != x->rank || h->dim[axis] != x->dim[axis])
		return NULL;
	return arena_printf(b->module->arena, "%s is a state here, given whole to the first step; sequences=%lld makes it a sequence, of which "
	    "each step gets its own", op_operand_text(b, h), (long long)sequences + 1);
}

/* What would need numbers that are another step's, or of all steps. */
static bool
node_may_repeat(struct build *b, const struct node *n)
{
	int k;

	if (n->op->flags & OP_RANDOM)
		return op_error(b, n, "%s: in a step of scan it would draw the same numbers at every step; put it before "
		    "scan, or behind it", n->op->name);
	if (n->op->kind == OP_LOSS || n->op->kind == OP_METRIC || n->op->flags & OP_SIDE_EFFECT)
		return op_error(b, n, "%s: a step of scan cannot have it; apply it to what scan makes", n->op->name);
	for (k = 0; k < n->nin; k++)
		if (n->in[k] && n->in[k]->kind == T_STATISTIC)
			return op_error(b, n, "%s: in a step of scan its running statistics would be those of the last "
			    "step alone; layernorm, rmsnorm and groupnorm have none", n->op->name);
	return true;
}

static bool
nodes_may_repeat(struct build *b, const struct node *n, const struct scan *s)
{
	int i;

	for (i = 0; i < s->body->nodes.n; i++)
		if (!node_may_repeat(b, s->body->nodes.v[i])) {
			op_error_place(b, n->loc, "the scan is here");
			return false;
		}
	return true;
}

/* A state is the same kind of thing after a step as before. */
static bool
state_stays(struct build *b, const struct node *n, const struct scan *s, int j)
{
	const struct tensor *is = s->body->inputs.v[s->sequences + j];
	const struct tensor *next = s->body->results.v[scan_next(s, j)].tensor;
	struct arena *a = b->module->arena;

	if (is->dtype != next->dtype || !tensor_same_shape(is, next)) {
		if (is->batched != next->batched && is->rank == next->rank)
			return op_error(b, n, "scan: state %d %s before the first step, but %s after it; begin with "
			    "one for each sample: broadcast(..., samples=true)", j, is->batched ? "is each sample's own" :
			    "does not depend on the batch", next->batched ? "does" : "is not");
		return op_error(b, n, "scan: state %d is %s before a step and %s after it; of what its cell makes the "
		    "last must be the next state%s, of the same shape", j, tensor_shape_text(a, is),
		    tensor_shape_text(a, next), s->states == 1 ? "" : "s, one for each");
	}
	return true;
}

static bool
body_fits(struct build *b, const struct node *n, const struct scan *s)
{
	int i;

	if (!nodes_may_repeat(b, n, s))
		return false;
	if (s->body->results.n < s->states)
		return op_error(b, n, "scan: there are %d states, and its cell makes %d tensor%s: it must make the next "
		    "states, as `out = (y, h)`", s->states, s->body->results.n, s->body->results.n == 1 ? "" : "s");
	for (i = 0; i < s->states; i++)
		if (!state_stays(b, n, s, i))
			return false;
	for (i = 0; i < s->made; i++) {
		const struct tensor *t = s->body->results.v[i].tensor;

		if (!dtype_is_float(t->dtype) || t->dtype != shape_real(b->module))
			return op_error(b, n, "scan: its cell makes %s, which is not of the network's numbers",
			    op_operand_text(b, t));
		if (t->rank < s->axis || t->rank == MAX_RANK)
			return op_error(b, n, "scan: what its cell makes is %s, which has no place for the steps as axis %d",
			    op_operand_text(b, t), s->axis);
	}
	return true;
}

static const char *
numbered(struct build *b, const char *name, int i)
{
	return i ? arena_printf(b->module->arena, "%s%s%d", name ? name : "", name ? "_" : "", i) : name;
}

static void
make_results(struct build *b, struct node *n, const struct scan *s)
{
	int64_t dim[MAX_RANK];
	int i, k;

	for (i = 0; i < s->made; i++) {
		const struct tensor *t = s->body->results.v[i].tensor;

		for (k = 0; k <= t->rank; k++)
			dim[k] = k < s->axis ? t->dim[k] : k == s->axis ? s->steps : t->dim[k - 1];
		op_output(b, n, numbered(b, NULL, i), T_ACTIVATION, t->dtype, t->batched, t->rank + 1, dim);
	}
	for (i = 0; i < 2 * s->states; i++) {
		bool kept = i >= s->states;
		const struct tensor *t = s->body->inputs.v[s->sequences + i % s->states];

		dim[0] = scan_segments(s) - 1;
		for (k = 0; k < t->rank; k++)
			dim[k + kept] = t->dim[k];
		if (kept && (dim[0] == 0 || scan_shown(s, i - s->states) >= 0))
			ir_add_output(b->module, n, NULL);
		else
			op_output(b, n, numbered(b, kept ? "kept" : "last", i % s->states), kept ? T_SAVED : T_ACTIVATION,
			    t->dtype, t->batched, t->rank + kept, dim);
	}
}

#define MOST_RESULTS	32	/* bits of memory.optional_out */

static bool
shape(struct build *b, struct node *n)
{
	struct scan s = scan_of(n);
	struct tensor **param;
	int count = body_params(b->module->arena, s.body, &param), i;

	if (!body_fits(b, n, &s))
		return false;
	if (s.made + 2 * s.states > MOST_RESULTS)
		return op_error(b, n, "scan: %d results of a step and %d states are too many", s.made, s.states);
	for (i = 0; i < count; i++)
		ir_add_input(b->module, n, param[i]);
	make_results(b, n, &s);
	return true;
}

static struct affine
macs(const struct node *n)
{
	struct scan s = scan_of(n);

	return times(graph_macs(s.body), s.steps);
}

const struct op op_scan = {
	.name = "scan",
	.kind = OP_LAYER,
	.brief = "a layer at each step of a sequence, with states",
	.doc = "(x, h) -> scan(cell) applies a layer to each step of x, [T, ...], and to a state, which it makes anew for "
	    "the next step; h is the state before the first. So any recurrence can be said that is not lstm, gru or rnn:\n\n"
	    "block leaky(size) { input x, h  out = tanh((x -> dense(size)) + 0.9 * h) }\n\n"
	    "y = (x, zeros(64)) -> scan(leaky(64))\n\n"
	    "The cell may also be a pipe that begins with a layer of several operands, scan(concat -> dense(64) -> tanh), "
	    "or a label, whose weights it then shares. All steps have the same weights.\n\n"
	    "Its operands: with sequences=2 the first two are sequences, of as many steps; then as many states as there "
	    "are, none for a layer that sees each step by itself. A state that does not depend on the batch is that of "
	    "each sample. What else the cell reads of tensors around it, given to a block by name, as cell(memory=m), all "
	    "steps read as it is. Its results: `out = h` is the next state, or `out = (y, h)` what is made at the step and "
	    "then the next states, one for each, of their shapes.\n\n"
	    "scan's value is what is made at all steps, [T, ...], in their order also with reverse=true; where the cell "
	    "makes states alone, it is those. Of several, .1, .2, ... are the others. .last, .last_1, ... are the states "
	    "after the last step.\n\n"
	    "In a plan it is one line, and in the program a loop. A step's tensors are its scratch memory, the same for "
	    "all steps. Backward keeps the state before each step, which is nothing more where scan's value is the states, "
	    "and makes the rest of a step again before its gradients; those of weights are added up over the steps. With "
	    "segment=n it keeps the state before one step in n, and makes those between again, which takes each step a "
	    "third time. A cell has no dropout, and no batchnorm.",
	.attrs = attrs,
	.operands = "x ... h ...",
	.min_operands = 1, .max_operands = -1,
	.shape = shape,
	.macs = macs,
	.gradient.build = grad,
	.gradient.again = op_never_again,
	.gradient.saves = ~0u,	/* all that it reads, so that a step can be made again, and states */
	.memory.workspace = scan_work,
	.memory.optional_out = ~0u,
	.rounds.operand = operand,
	.rounds.advice = advice,
	.rounds.make = scan_make,
	.torch.calls = scan_torch,
	.torch.rounds = scan_torch_rounds,
	.torch.elsewhere = "loops over steps run in several ways there, which keep more or less of each step",
	.calls.kernels = "copy/steps.cu",
	.calls.define = scan_define,
	.calls.emit = scan_emit,
};
