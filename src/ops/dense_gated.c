/*
 * dense_gated: a dense layer and relu, of whose result backward reads nothing but what passes: that
 * is kept as bits, in place of the result. The gradient applies the bits, alone or as it is made.
 * The pass relu-bits makes them. How bits lie: kernels/product/dense_gated.cu.
 */
#include "ops/dense.h"

#include "calls/emitter.h"
#include "calls/sizes.h"
#include "ops/pointwise.h"
#include "ops/shapes.h"
#include "ops/then.h"

static const struct attr_spec attrs[] = { DENSE_ATTRS, ATTRS_END };
static const struct attr_spec attrs_then[] = { DENSE_ATTRS, THEN_ATTR, ATTRS_END };
static const struct attr_spec no_attrs[] = { ATTRS_END };

static int64_t
last(const struct tensor *t)
{
	return t->dim[t->rank - 1];
}

/* ---- forward ---- */

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "dense_gated_forward", arg_tensor(n->out[0]), arg_tensor(n->out[1]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_tensor(n->nin > 2 ? n->in[2] : NULL), then_arg(e, n, NULL), arg_work(n),
	    arg_work_bytes(n), arg_text(dense_rows(e, n->in[0])), arg_int(last(n->in[0])), arg_int(last(n->out[0])));
}

const struct op op_dense_gated = {
	.name = "dense_gated",
	.kind = OP_INTERNAL,
	.brief = "dense and relu, and which elements pass that",
	.attrs = attrs_then,
	.operands = "x weight bias",
	.min_operands = 2, .max_operands = 3,
	.macs = dense_macs,
	.memory.workspace = dense_work,
	.calls.kernels = "product/dense_gated.cu",
	.calls.listed = true,
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.emit = emit,
};

/* ---- backward ---- */

static void
emit_input(struct emitter *e, const struct node *n)
{
	emit_call(e, "dense_gated_backward_input", arg_tensor(n->out[0]), arg_tensor(n->in[0]), arg_tensor(n->in[1]),
	    arg_tensor(n->in[2]), arg_work(n), arg_work_bytes(n), arg_text(dense_rows(e, n->in[0])),
	    arg_int(last(n->out[0])), arg_int(last(n->in[0])));
}

const struct op op_dense_grad_input_gated = {
	.name = "dense_grad_input_gated",
	.kind = OP_INTERNAL,
	.brief = "what passes the relu before it of dense's gradient with respect to its input",
	.attrs = attrs,
	.operands = "dy weight bits",
	.min_operands = 3, .max_operands = 3,
	.macs = product_macs_of_forward,
	.memory.workspace = dense_work_of_input,
	.calls.kernels = "product/dense_gated.cu",
	.calls.listed = true,
	.calls.emit = emit_input,
};

static void
emit_pass(struct emitter *e, const struct node *n)
{
	emit_call(e, "dense_gated_pass", arg_tensor(n->out[0]), arg_tensor(n->in[0]), arg_tensor(n->in[1]),
	    arg_text(dense_rows(e, n->out[0])), arg_int(last(n->out[0])));
}

const struct op op_dense_gated_grad = {
	.name = "dense_gated_grad",
	.kind = OP_INTERNAL,
	.brief = "what of a gradient passes the relu of dense_gated",
	.attrs = no_attrs,
	.operands = "dy bits",
	.min_operands = 2, .max_operands = 2,
	.memory.inplace = 1u << 0,
	.calls.kernels = "product/dense_gated.cu",
	.calls.listed = true,
	.calls.emit = emit_pass,
};

/* ---- what others become ---- */

/* Does a dense layer make it, and then relu alone? */
static bool
is_rectified(struct arena *a, const struct tensor *y)
{
	const struct node *n = y->def;

	return n->out[0] == y && !y->alias_of && !then_beside(n) &&
	    formula_same(then_of(n), formula_parse(a, "x0: relu(x0)"));
}

struct tensor *
dense_gate(struct arena *a, const struct node *grad)
{
	bool product = grad->op == &op_dense_grad_input_then;
	struct tensor *y = grad->nin == (product ? 3 : 2) && grad->nout == 1 ? grad->in[grad->nin - 1] : NULL;
	const struct formula *f;

	if (!y || !y->def || y->def->op != &op_dense_then || (!product && !pointwise_has_formula(grad)) ||
	    !tensor_alike(grad->out[0], y) || grad->out[0]->alias_of || grad->in[0] == y ||
	    (!product && !tensor_alike(grad->in[0], y)))
		return NULL;
	f = product ? then_of(grad) : pointwise_formula(a, grad);
	return pointwise_is_relu_grad(a, f) && is_rectified(a, y) ? y : NULL;
}

/* Bytes of the bits of Y; of a sample, if it is batched. */
static int64_t
gate_bytes(const struct tensor *y)
{
	return tensor_elements_per_sample(y) / last(y) * GATED_ROW(last(y));
}

struct affine
dense_gate_bytes(const struct tensor *y)
{
	int64_t bytes = gate_bytes(y);

	return y->batched ? (struct affine){ 0, bytes } : (struct affine){ bytes, 0 };
}

void
dense_gate_apply(struct module *m, struct node *n, struct node *grad)
{
	const struct tensor *y = n->out[0];
	int64_t bytes = gate_bytes(y);
	struct tensor *bits = ir_tensor(m, T_SAVED, DT_U8, y->batched, 1, &bytes, arena_printf(m->arena, "%s.passes", y->name), y->loc);

	n->op = &op_dense_gated;
	ir_add_output(m, n, bits);
	grad->in[grad->nin - 1] = bits;
	grad->op = grad->op == &op_dense_grad_input_then ? &op_dense_grad_input_gated : &op_dense_gated_grad;
}
