/*
 * recurrent: the steps of a recurrent layer, from the sums of their inputs, which a dense layer has
 * made for all steps at once (kernels/recurrent/recurrent.cu).
 *
 *     in  x h0 c0 lengths weight bias         x: [steps, gates hidden]
 *     out gates y kept last carried           last, carried: [hidden], after the last step
 *
 * The gates take over the bytes of the sums, and their gradients those of the gates. So a layer
 * keeps for backward its gates, and of an lstm what it carries, of a gru its states; a cell with
 * one gate keeps its states alone, which stand first then, over the sums. Gradients of weights are
 * no step's, but one product of all steps with the states before them. Of an lstm backward makes
 * these, where the carried numbers were, so that its states need not be kept, and the product is a
 * dense layer's; of the others it finds them among the states.
 *
 * A cell is a row of the table below and a case in each function of kernels/recurrent/cell.cu.
 */
#include "ops/recurrent.h"

#include "ir/diff.h"

#include "calls/emitter.h"
#include "calls/sizes.h"
#include "ops/dense.h"
#include "ops/product.h"
#include "ops/shapes.h"

enum { X = RECURRENT_X, H0, C0, LENGTHS, WEIGHT, BIAS, OPERANDS };
enum { GATES = RECURRENT_GATES, Y, KEPT, LAST, CARRIED, RESULTS };

static const struct attr_spec attrs[] = {
	{ "cell", ATTR_ENUM, "what is done to the sums", .required = true, .choices = RECURRENT_CELLS },
	{ "reverse", ATTR_BOOL, "steps go from the last to the first", .preset = "false" },
	{ "bias", ATTR_BOOL, "a trained number is added to each sum of the state", .preset = "true" },
	ATTRS_END
};

const struct cell *
recurrent_cell(int64_t i)
{
	static const struct cell cell[] = {
		[RNN_TANH] = { "RNN_TANH", 1, NULL },
		[RNN_RELU] = { "RNN_RELU", 1, NULL },
		[GRU] = { "GRU", 3, "sum", .apart = true },
		[LSTM] = { "LSTM", 4, "cells", .carries = true },
	};

	return &cell[i];
}

static const struct cell *
cell_of(const struct node *n)
{
	return recurrent_cell(op_int(n, "cell"));
}

struct tensor *
recurrent_states(const struct node *n)
{
	return n->nout == RESULTS && cell_of(n)->keeps ? n->out[Y] : n->out[GATES];
}

static int64_t
hidden(const struct node *n, const struct tensor *x)
{
	return x->dim[1] / cell_of(n)->gates;
}

/* ---- emission ---- */

static const char *
geometry(struct emitter *e, const struct node *n, const struct tensor *x)
{
	return arena_printf(e->module->arena, "(struct recurrent){ .b = %s, .t = %lld, .h = %lld, .cell = %s, "
	    ".reverse = %d }", x->batched ? "b" : "1", (long long)x->dim[0], (long long)hidden(n, x),
	    cell_of(n)->constant, op_bool(n, "reverse"));
}

static const char *
from(struct emitter *e, const struct tensor *h0, const struct tensor *c0, const struct tensor *lengths)
{
	return arena_printf(e->module->arena, "recurrent_begin(%s, %s, %s)", emit_pointer(e, h0),
	    emit_pointer(e, c0), emit_pointer(e, lengths));
}

/* Bytes for N products of the steps' gates with the weights, and what is carried between them. */
static struct affine
work_of_steps(const struct node *n, const struct room *room, const struct tensor *x)
{
	int64_t h = hidden(n, x), gates = cell_of(n)->gates, each;
	struct affine library;

	if (!room->target->splits_sums)
		return product_reals(n, recurrent_packed(h, gates) + room->threads * recurrent_scratch(h, gates));
	library = room->target->libraries ? product_work_library(n, room, h, h) : (struct affine){ 0, 0 };
	each = recurrent_gpu_scratch(h, gates, dtype_bytes(x->dtype), dtype_bytes(x->dtype->real));
	return affine_sum(library, x->batched ? (struct affine){ 0, each } : (struct affine){ each, 0 });
}

static struct affine
macs_of_steps(const struct node *n, const struct tensor *x)
{
	return product_macs(x, product_of(x->dim[0], x->dim[1]), hidden(n, x));
}

/* ---- backward: gates y kept h0 c0 lengths weight dy dlast dcarried ---- */

enum { B_GATES, B_Y, B_KEPT, B_H0, B_C0, B_LENGTHS, B_WEIGHT, DY, DLAST, DCARRIED, BACK };
enum { DX, DKEPT, DH0, DC0, BEFORE };

static struct affine
macs_of_grad(const struct node *n)
{
	return macs_of_steps(n, n->in[B_GATES]);
}

static struct affine
work_of_grad(const struct node *n, const struct room *room)
{
	return work_of_steps(n, room, n->in[B_GATES]);
}

/* What is kept of a gate's sum becomes its gradient, even if all weights are frozen and nobody
 * reads it. */
static int
alias_of_grad(const struct node *n, int k)
{
	(void)n;
	return k == DKEPT ? B_KEPT : -1;
}

static void
emit_grad(struct emitter *e, const struct node *n)
{
	struct tensor *const *in = n->in, *const *out = n->out;

	emit_call(e, "recurrent_backward", arg_tensor(out[DX]), arg_tensor(out[DKEPT]), arg_tensor(out[DH0]),
	    arg_tensor(out[DC0]), arg_tensor(out[BEFORE]), arg_tensor(in[DY]), arg_tensor(in[DLAST]), arg_tensor(in[DCARRIED]),
	    arg_tensor(in[B_GATES]), arg_tensor(in[B_Y]), arg_tensor(in[B_KEPT]),
	    arg_text(from(e, in[B_H0], in[B_C0], in[B_LENGTHS])), arg_tensor(in[B_WEIGHT]), arg_work(n),
	    arg_work_bytes(n), arg_text(geometry(e, n, in[B_GATES])));
}

const struct op op_recurrent_grad = {
	.name = "recurrent_grad",
	.kind = OP_INTERNAL,
	.brief = "gradients of recurrent with respect to its sums and its first states",
	.attrs = attrs,
	.operands = "gates y kept h0 c0 lengths weight dy dlast dcarried",
	.min_operands = BACK, .max_operands = BACK,
	.macs = macs_of_grad,
	.memory.workspace = work_of_grad,
	.memory.inplace = 1u << B_GATES | 1u << DY,
	.memory.inplace_last = 1u << B_KEPT,
	.memory.alias = alias_of_grad,
	.memory.optional_out = 1u << DH0 | 1u << DC0,
	.calls.kernels = "recurrent/recurrent.cu",
	.calls.emit = emit_grad,
};

/* Of parameters: dx dkept y h0 lengths */
enum { P_DX, P_DKEPT, P_Y, P_H0, P_LENGTHS, PARAMETERS };

static struct affine
macs_of_weight(const struct node *n)
{
	return macs_of_steps(n, n->in[P_DX]);
}

/* A GPU has a copy of the states, each where the next step's gradients are. */
static struct affine
work_of_weight(const struct node *n, const struct room *room)
{
	const struct tensor *y = n->in[P_Y];

	if (!room->target->splits_sums)
		return product_work(n, room, LONG_SUM, hidden(n, n->in[P_DX]));
	return affine_sum(tensor_bytes(y), room->target->libraries ?
	    product_work_library(n, room, LONG_SUM, y->dim[1]) : (struct affine){ 0, 0 });
}

static void
emit_weight(struct emitter *e, const struct node *n)
{
	struct tensor *const *in = n->in;

	emit_call(e, "recurrent_backward_weight", arg_tensor(n->out[0]), arg_tensor(in[P_DX]),
	    arg_tensor(in[P_DKEPT]), arg_tensor(in[P_Y]), arg_text(from(e, in[P_H0], NULL, in[P_LENGTHS])),
	    arg_work(n), arg_work_bytes(n), arg_text(geometry(e, n, in[P_DX])));
}

const struct op op_recurrent_grad_weight = {
	.name = "recurrent_grad_weight",
	.kind = OP_INTERNAL,
	.brief = "gradient of recurrent with respect to its weights: all steps' gradients and states before",
	.attrs = attrs,
	.operands = "dx dkept y h0 lengths",
	.min_operands = PARAMETERS, .max_operands = PARAMETERS,
	.macs = macs_of_weight,
	.memory.workspace = work_of_weight,
	.calls.kernels = "recurrent/recurrent.cu",
	.calls.emit = emit_weight,
};

static struct affine
work_of_bias(const struct node *n, const struct room *room)
{
	int64_t channels = n->in[P_DX]->dim[1];

	return product_work_bias(channels, bias_parts(hidden(n, n->in[P_DX])), room);
}

static void
emit_bias(struct emitter *e, const struct node *n)
{
	emit_call(e, "recurrent_backward_bias", arg_tensor(n->out[0]), arg_work(n), arg_tensor(n->in[P_DX]),
	    arg_tensor(n->in[P_DKEPT]), arg_text(geometry(e, n, n->in[P_DX])));
}

const struct op op_recurrent_grad_bias = {
	.name = "recurrent_grad_bias",
	.kind = OP_INTERNAL,
	.brief = "gradient of recurrent with respect to its bias, where a gate's sum of the state stays apart: the sum "
	    "of all steps' gradients",
	.attrs = attrs,
	.operands = "dx dkept",
	.min_operands = 2, .max_operands = 2,
	.memory.workspace = work_of_bias,
	.calls.kernels = "recurrent/recurrent.cu",
	.calls.emit = emit_bias,
};

static void
result(struct diff *d, struct node *back, struct tensor *like)
{
	if (diff_wants(d, like))
		diff_output(d, back, like);
	else
		ir_add_output(d->m, back, NULL);
}

/* The states before the steps, which BACK makes in the place of KEPT. */
static struct tensor *
states_before(struct diff *d, struct node *back, const struct tensor *kept)
{
	return ir_add_output(d->m, back, ir_tensor_like(d->m, T_SAVED, kept,
	    arena_join(d->m->arena, kept->name, ".", "before"), back->loc));
}

/* Of the weights, by the states before the steps. */
static void
grad_weight(struct diff *d, struct node *n, struct tensor *dx, struct tensor *before)
{
	struct node *back = diff_node(d, n, &op_dense_grad_weight, 2, (struct tensor *[]){ dx, before });

	back->attr = op_presets(d->m->arena, &op_dense);
	op_preset(&op_dense, back->attr, "units")->i = dx->dim[1];
	diff_output(d, back, n->in[WEIGHT]);
}

static bool
grad(struct diff *d, struct node *n)
{
	const struct cell *cell = cell_of(n);
	struct tensor *y = recurrent_states(n), *const *in = n->in, *kept = n->out[KEPT];
	struct tensor *read[BACK] = { n->out[GATES], cell->carries ? NULL : y, kept, in[H0], in[C0], in[LENGTHS],
		in[WEIGHT], diff_of(d, y), diff_of(d, n->out[LAST]), diff_of(d, n->out[CARRIED]) };
	struct node *back = diff_node(d, n, &op_recurrent_grad, BACK, read);
	struct tensor *of[PARAMETERS] = { NULL, NULL, y, in[H0], in[LENGTHS] };
	bool weight = diff_wants(d, in[WEIGHT]);

	of[P_DX] = diff_wants(d, in[X]) ? diff_output(d, back, in[X]) : diff_between(d, back, in[X], "grad");
	if (cell->apart)
		of[P_DKEPT] = diff_between(d, back, kept, "grad");
	else
		ir_add_output(d->m, back, NULL);
	result(d, back, in[H0]);
	result(d, back, in[C0]);
	if (weight && cell->carries) {
		grad_weight(d, n, of[P_DX], states_before(d, back, kept));
	} else {
		ir_add_output(d->m, back, NULL);
		if (weight)
			diff_output(d, diff_node(d, n, &op_recurrent_grad_weight, PARAMETERS, of), in[WEIGHT]);
	}
	if (n->nin > BIAS && diff_wants(d, in[BIAS])) {
		if (cell->apart)
			diff_output(d, diff_node(d, n, &op_recurrent_grad_bias, 2, of), in[BIAS]);
		else
			dense_bias_gradient(d, n, of[P_DX], in[BIAS]);
	}
	return true;
}

/* ---- forward ---- */

/* The layer around it has checked the operands. */
static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[X];
	const struct cell *cell = cell_of(n);
	int64_t h = hidden(n, x), state[] = { x->dim[0], h }, all[] = { x->dim[0], x->dim[1] };
	int64_t weight[] = { x->dim[1], h };
	struct init init = product_init(h);

	while (n->nin < RECURRENT_OPERANDS)
		ir_add_input(b->module, n, NULL);
	if (!op_param(b, n, "weight", T_PARAM, init, 2, weight) ||
	    (op_bool(n, "bias") && !op_param(b, n, "bias", T_PARAM, init, 1, &x->dim[1])))
		return false;
	if (cell->keeps) {
		op_output(b, n, "gates", T_SAVED, x->dtype, x->batched, 2, all);
		op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, 2, state);
		op_output(b, n, cell->keeps, T_SAVED, x->dtype, x->batched, 2, state);
	} else {
		op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, 2, state);
		ir_add_output(b->module, n, NULL);
		ir_add_output(b->module, n, NULL);
	}
	op_output(b, n, "last", T_ACTIVATION, x->dtype, x->batched, 1, &h);
	if (cell->carries)
		op_output(b, n, "cell", T_ACTIVATION, x->dtype, x->batched, 1, &h);
	else
		ir_add_output(b->module, n, NULL);
	return true;
}

static struct affine
macs(const struct node *n)
{
	return macs_of_steps(n, n->in[X]);
}

static struct affine
work(const struct node *n, const struct room *room)
{
	return work_of_steps(n, room, n->in[X]);
}

static void
emit(struct emitter *e, const struct node *n)
{
	struct tensor *const *in = n->in, *const *out = n->out;

	emit_call(e, "recurrent_forward", arg_tensor(recurrent_states(n)),
	    arg_tensor(cell_of(n)->keeps ? out[GATES] : NULL), arg_tensor(out[KEPT]), arg_tensor(out[LAST]),
	    arg_tensor(out[CARRIED]), arg_tensor(in[X]), arg_text(from(e, in[H0], in[C0], in[LENGTHS])),
	    arg_tensor(in[WEIGHT]), arg_tensor(n->nin > BIAS ? in[BIAS] : NULL), arg_work(n), arg_work_bytes(n),
	    arg_text(geometry(e, n, in[X])));
}

const struct op op_recurrent = {
	.name = "recurrent",
	.kind = OP_INTERNAL,
	.brief = "the steps of a recurrent layer, from the sums of their inputs",
	.attrs = attrs,
	.operands = "x h0 c0 lengths",
	.min_operands = 1, .max_operands = RECURRENT_OPERANDS,
	.shape = shape,
	.macs = macs,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(H0) | SAVES_IN(C0) | SAVES_IN(LENGTHS) | SAVES_IN(WEIGHT) | SAVES_OUT(GATES) |
	    SAVES_OUT(Y) | SAVES_OUT(KEPT),
	.memory.workspace = work,
	.memory.inplace = 1u << X,
	.memory.optional_out = 1u << Y | 1u << KEPT | 1u << LAST | 1u << CARRIED,
	/* pack_padded_sequence(), by itself: of a layer see recurrent_torch.c */
	.torch.unknown = "how much of sequences that end early PyTorch keeps, their lengths say",
	.calls.kernels = "recurrent/recurrent.cu",
	.calls.emit = emit,
};
