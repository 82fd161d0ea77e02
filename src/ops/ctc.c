/*
 * ctc: connectionist temporal classification, the loss of a sequence of labels that nobody aligned
 * with the steps of the logits.
 *
 *     in   logits target lengths counts       [steps, K]  [most] of K classes; absent: all labels, all steps
 *     out  loss lse marks                     [steps], [marks, states]: what backward begins a stretch of steps with
 *
 * Forward keeps every stride-th row of its sums, about as many as a stretch has steps
 * (kernels/loss/ctc.cu).
 */
#include "ir/diff.h"

#include "calls/emitter.h"
#include "calls/sizes.h"
#include "calls/tape.h"
#include "ops/product.h"
#include "ops/shapes.h"

enum { LOGITS, TARGET, LENGTHS, COUNTS, OPERANDS };
enum { LOSS, LSE, MARKS };

static const struct attr_spec attrs[] = {
	{ "blank", ATTR_INT, "the class that stands for no label", .preset = "0", .min = 0, .max = 0x1p31 - 1 },
	{ "zero_infinity", ATTR_BOOL, "a sample whose labels no way through its steps can spell takes no part; else its "
	    "loss is infinite", .preset = "false" },
	{ "per_label", ATTR_BOOL, "the loss of a sample is divided by its labels", .preset = "true" },
	ATTRS_END
};

/* ---- calls ---- */

static int64_t
stride_of(const struct tensor *logits)
{
	return ctc_stride(logits->dim[0]);
}

static int64_t
marks_of(const struct tensor *logits)
{
	return (logits->dim[0] - 1) / stride_of(logits) + 1;
}

static const char *
terms(struct emitter *e, const struct node *n, struct tensor *const *in)
{
	const struct tensor *x = in[LOGITS];
	int64_t most = in[TARGET]->dim[0];

	return arena_printf(e->module->arena, "(struct ctc){ .label = %s, .lengths = %s, .counts = %s, .b = %s, "
	    ".t = %lld, .k = %lld, .most = %lld, .stride = %lld, .marks = %lld, .width = %lld, .blank = %lld, "
	    ".zero = %d, .each = %d }", emit_pointer(e, in[TARGET]), emit_pointer(e, in[LENGTHS]),
	    emit_pointer(e, in[COUNTS]), x->batched ? "b" : "1", (long long)x->dim[0], (long long)x->dim[1],
	    (long long)most, (long long)stride_of(x), (long long)marks_of(x), (long long)ctc_states(most),
	    (long long)op_int(n, "blank"), op_bool(n, "zero_infinity"), op_bool(n, "per_label"));
}

static struct affine
doubles(const struct tensor *logits, int64_t each)
{
	int64_t bytes = each * (int64_t)sizeof(double);

	return logits->batched ? (struct affine){ 0, bytes } : (struct affine){ bytes, 0 };
}

/* ---- backward: dloss, what forward had, lse marks ---- */

enum { B_LSE = 1 + OPERANDS, B_MARKS, BACK };

static struct affine
work_of_grad(const struct node *n, const struct room *room)
{
	const struct tensor *x = n->in[1 + LOGITS];

	(void)room;
	return doubles(x, (stride_of(x) + CTC_ROWS) * ctc_states(n->in[1 + TARGET]->dim[0]));
}

static void
emit_grad(struct emitter *e, const struct node *n)
{
	emit_call(e, "ctc_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]), arg_tensor(n->in[B_MARKS]),
	    arg_work(n), arg_tensor(n->in[B_LSE]), arg_tensor(n->in[1 + LOGITS]), arg_text(terms(e, n, n->in + 1)));
}

const struct op op_ctc_grad = {
	.name = "ctc_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of ctc: the softmax of each step without the share of ways that each class has",
	.attrs = attrs,
	.operands = "dloss logits target lengths counts lse marks",
	.min_operands = BACK, .max_operands = BACK,
	.memory.workspace = work_of_grad,
	.memory.inplace = 1u << (1 + LOGITS),
	.calls.kernels = "loss/ctc.cu",
	.calls.emit = emit_grad,
};

static bool
grad(struct diff *d, struct node *n)
{
	struct tensor *in[BACK] = { diff_of(d, n->out[LOSS]), n->in[LOGITS], n->in[TARGET], n->in[LENGTHS],
		n->in[COUNTS], n->out[LSE], n->out[MARKS] };

	if (diff_wants(d, n->in[LOGITS]))
		diff_output(d, diff_node(d, n, &op_ctc_grad, BACK, in), n->in[LOGITS]);
	return true;
}

/* ---- forward ---- */

static bool
target_fits(struct build *b, const struct node *n)
{
	const struct tensor *x = n->in[LOGITS], *t = n->in[TARGET];

	if (!shape_float(b, n, LOGITS))
		return false;
	if (!t->classes || t->dtype != DT_I32 || t->rank != 1)
		return op_error(b, n, "ctc: target must be the labels of a sample, class[K, most], but it is %s of %s",
		    op_operand_text(b, t), dtype_name(t->dtype));
	if (x->rank != 2 || x->dim[1] != t->classes)
		return op_error(b, n, "ctc: logits are %s, but target '%s' is %s and needs logits of shape [steps, %d]: "
		    "the blank is one of these", op_operand_text(b, x), t->name, tensor_type_text(b->module->arena, t), t->classes);
	if (x->batched != t->batched)
		return op_error(b, n, "ctc: of logits %s and target '%s' only one depends on the batch",
		    op_operand_text(b, x), t->name);
	if (op_int(n, "blank") >= t->classes)
		return op_error(b, n, "ctc: blank is class %lld, but '%s' has classes 0 to %d",
		    (long long)op_int(n, "blank"), t->name, t->classes - 1);
	return true;
}

/* One number for each sample of at most MOST. */
static bool
lengths_fit(struct build *b, const struct node *n, int k, const char *of, int64_t most)
{
	const struct tensor *t = n->in[k];

	if (t->dtype == DT_I32 && t->classes && t->classes <= most + 1 && t->rank == 0 &&
	    t->batched == n->in[LOGITS]->batched)
		return true;
	return op_error(b, n, "ctc: how many %s a sample has is a number of 0 to %lld: class[%lld]; but the operand is "
	    "%s%s", of, (long long)most, (long long)most + 1, t->classes ? tensor_type_text(b->module->arena, t) : "",
	    t->classes ? "" : op_operand_text(b, t));
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[LOGITS];

	if (!target_fits(b, n) ||
	    (n->nin > LENGTHS && !lengths_fit(b, n, LENGTHS, "labels", n->in[TARGET]->dim[0])) ||
	    (n->nin > COUNTS && !lengths_fit(b, n, COUNTS, "steps", x->dim[0])))
		return false;
	while (n->nin < OPERANDS)
		ir_add_input(b->module, n, NULL);
	return shape_result(b, n) &&
	    op_output(b, n, "lse", T_SAVED, x->dtype->real, x->batched, 1, &x->dim[0]) &&
	    op_output(b, n, "marks", T_SAVED, DT_F64, x->batched, 2,
	    (int64_t[]){ marks_of(x), ctc_states(n->in[TARGET]->dim[0]) });
}

/* The losses of all samples, and two rows of each. */
static struct affine
work(const struct node *n, const struct room *room)
{
	(void)room;
	return doubles(n->in[LOGITS], 1 + 2 * ctc_states(n->in[TARGET]->dim[0]));
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "ctc_forward", arg_tensor(n->out[LOSS]), arg_tensor(n->out[LSE]), arg_tensor(n->out[MARKS]),
	    arg_work(n), arg_tensor(n->in[LOGITS]), arg_text(terms(e, n, n->in)));
}

/* ---- how PyTorch makes it: F.ctc_loss(F.log_softmax(x, -1).transpose(0, 1), ...), in f32 at least ---- */

/* Bytes of so many reals for each sample. */
static int64_t
torch_reals(const struct tape *t, const struct node *n, int64_t each)
{
	return product_of(tape_bytes_as(t, n->out[LSE], dtype_bytes(n->out[LSE]->dtype)) / n->out[LSE]->dim[0], each);
}

/* Its kernels for many classes or samples make the share of blanks from sums of every other state
 * (LossCTC.cu): counted from above. */
static int64_t
torch_blanks(const struct tape *t, const struct node *n)
{
	int64_t steps = n->in[LOGITS]->dim[0], most = n->in[TARGET]->dim[0];

	return 2 * steps + 24 * t->batch / 10 + 2 * n->in[LOGITS]->dim[1] / 10 > 450 ?
	    torch_reals(t, n, product_of(steps, 2 * most + 5)) : 0;
}

/* A number of each sample, of other numbers. */
static int
torch_number(struct tape *t, int x, int y, int64_t bytes, unsigned saves)
{
	return tape_call(t, &(struct tape_call){ .in = (int[]){ x, y }, .nin = y == TAPE_NONE ? 1 : 2, .bytes = bytes,
	    .saves = saves });
}

/* The mean of the samples' losses. */
static int
torch_mean(struct tape *t, const struct node *n, int loss)
{
	int64_t each = torch_reals(t, n, 1);
	int lengths;

	if (op_bool(n, "zero_infinity")) {
		int known = tape_call(t, &(struct tape_call){ .nin = 0, .bytes = t->batch });

		loss = torch_number(t, known, loss, each, SAVES_IN(0));
	}
	if (op_bool(n, "per_label")) {
		lengths = tape_call(t, &(struct tape_call){ .nin = 0, .bytes = each });
		lengths = tape_call(t, &(struct tape_call){ .in = &lengths, .nin = 1, .bytes = each });
		loss = torch_number(t, loss, lengths, each, SAVES_IN(1));
	}
	return tape_call(t, &(struct tape_call){ .in = &loss, .nin = 1, .bytes = tape_bytes(t, n->out[LOSS]) });
}

static void
torch_calls(struct tape *t, const struct node *n)
{
	int64_t logits = tape_bytes_as(t, n->in[LOGITS], dtype_bytes(n->out[LSE]->dtype)), steps =
	    n->in[LOGITS]->dim[0], ways = torch_reals(t, n, product_of(steps, ctc_states(n->in[TARGET]->dim[0])));
	int x = tape_value(t, n->in[LOGITS]), in[5], i;

	x = tape_call(t, &(struct tape_call){ .in = &x, .nin = 1, .bytes = logits, .saves = SAVES_OUT(0),
	    .scratch = 2 * logits });
	in[0] = tape_permute(t, x, (int[]){ 1, 0, 2 });
	if (in[0] == TAPE_NONE)
		in[0] = x;
	in[1] = tape_value(t, n->in[TARGET]);
	for (i = 2; i < 5; i++)		/* lengths and places of samples */
		in[i] = tape_call(t, &(struct tape_call){ .nin = 0, .bytes = 8 * t->batch });
	tape_result(t, n->out[LOSS], torch_mean(t, n, tape_call(t, &(struct tape_call){ .in = in, .nin = 5,
	    .bytes = torch_reals(t, n, 1), .saves = SAVES_IN(0) | SAVES_IN(1) | SAVES_OUT(0), .beside = ways,
	    .scratch = ways + logits + 24 * t->batch + torch_blanks(t, n) })));
}

const struct op op_ctc = {
	.name = "ctc",
	.kind = OP_LOSS,
	.brief = "loss of labels that nobody aligned with the steps",
	.doc = "loss = mean over samples of -log p(labels), where p is the probability that steps, each of which is one "
	    "class by the softmax of its logits, spell the labels: repeated classes are one label, and blanks are none, "
	    "so that two equal labels have a blank between them (connectionist temporal classification; Graves and "
	    "others, 2006). The logits are [steps, K], and log-probabilities may stand for them. The labels are "
	    "class[K, most], or tokens[most, vocab=K], of which a sample has as many as the third operand says, class[most "
	    "+ 1]; the fourth, class[steps + 1], says how many steps it has. Without them all count. What lies behind "
	    "them is not read, and its gradient is 0.\n\n"
	    "As with PyTorch's ctc_loss and reduction mean, the loss of a sample is divided by its labels, by 1 if there "
	    "are none; with per_label=false it is not, which is the sum of reduction sum over the batch. Where there "
	    "are too few steps for the labels the loss is infinite and has no gradient (NaN), or with zero_infinity=true "
	    "it is 0, and so is its gradient.\n\n"
	    "ctc(lines, text, letters, blank=28, zero_infinity=true)\n\n"
	    "Sums are logarithms in double. Of T steps forward keeps about sqrt(T) rows of 2 most + 1 numbers, and "
	    "backward makes the others again, a stretch at a time, where PyTorch keeps all T.",
	.attrs = attrs,
	.operands = "logits target lengths steps",
	.min_operands = 2, .max_operands = OPERANDS,
	.shape = shape,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(LOGITS) | SAVES_IN(TARGET) | SAVES_IN(LENGTHS) | SAVES_IN(COUNTS) | SAVES_OUT(LSE) |
	    SAVES_OUT(MARKS),
	.memory.workspace = work,
	.memory.optional_out = 1u << MARKS,
	.torch.calls = torch_calls,
	.calls.kernels = "loss/ctc.cu",
	.calls.emit = emit,
};
