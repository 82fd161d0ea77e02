/* pass_gated: what of a gradient passes a relu, unless the convolution that made the gradient has
 * applied that already (passes/gated_gradients.c). A pointwise becomes one: the gradient of a relu
 * that nothing sums, as behind a residual block whose norms are frozen. */
#include "ops/conv.h"
#include "ops/pointwise.h"
#include "ops/then.h"

#include "calls/emitter.h"

static const struct attr_spec attrs[] = { THEN_ATTR, ATTRS_END };

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "conv_gated_pass", arg_tensor(n->out[0]), then_arg(e, n, n->in[1]), arg_count(n->out[0]),
	    arg_text(conv_gate_text(e, n->in[0]->def)));
}

const struct op op_pass_gated = {
	.name = "pass_gated",
	.kind = OP_INTERNAL,
	.brief = "what of a gradient passes a relu, unless conv_grad_gated made that",
	.attrs = attrs,
	.operands = "from beside",
	.min_operands = 2, .max_operands = 2,
	.memory.inplace = 1u << 0,
	.calls.kernels = "conv/conv_gated.cu",
	.calls.listed = true,
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.emit = emit,
};

struct tensor *
pass_gate(struct arena *a, const struct node *n)
{
	return n->nin == 2 && n->nout == 1 && pointwise_has_formula(n) && n->out[0]->alias_of == n->in[0] &&
	    tensor_alike(n->in[0], n->out[0]) && tensor_alike(n->in[1], n->out[0]) &&
	    pointwise_is_relu_grad(a, pointwise_formula(a, n)) ? n->in[1] : NULL;
}

void
pass_set_gated(struct module *m, struct node *n)
{
	const struct formula *f = pointwise_formula(m->arena, n);

	n->op = &op_pass_gated;
	n->attr = then_attrs(m->arena, n, f);
}
