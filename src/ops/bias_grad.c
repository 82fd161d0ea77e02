/* bias_grad: the gradient of a bias added to a convolution's filters, or to each element: dy summed
 * over the batch and, where the bias has one value a filter, over positions. bias_grad_of makes dy
 * by a formula while it adds it up (passes/formula_in_bias.c); bias_grad_pooled adds up what a pool
 * passes back, of the pool's own gradient (passes/pooled_biases.c); bias_grad_gated is bias_grad_of
 * a convolution that may have applied the formula itself (passes/gated_gradients.c). */
#include "ops/conv.h"
#include "ops/pointwise.h"
#include "ops/shapes.h"
#include "ops/then.h"

#include "calls/emitter.h"

/* Are there rows of as many neighbours as the bias has values? */
static bool
in_rows(const struct node *n)
{
	return n->in[0]->channels_last ||
	    tensor_elements_per_sample(n->in[0]) == tensor_elements_per_sample(n->out[0]);
}

static struct affine
workspace(const struct node *n, const struct room *room)
{
	int64_t channels = tensor_elements_per_sample(n->out[0]);

	return product_work_bias(channels, in_rows(n) ? bias_parts(channels) : bias_plane_parts(channels),
	    room);
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *dy = n->in[0], *db = n->out[0];
	int64_t channels = tensor_elements_per_sample(db);
	int64_t positions = tensor_elements_per_sample(dy) / channels;

	if (in_rows(n))
		emit_call(e, "bias_rows_backward", arg_tensor(db), arg_work(n), arg_tensor(dy),
		    arg_text(dy->channels_last ? emit_channels(e, dy).rows : emit_rows(e, dy, 0)),
		    arg_int(channels));
	else
		emit_call(e, "bias_backward", arg_tensor(db), arg_work(n), arg_tensor(dy),
		    arg_batch(dy), arg_int(channels), arg_int(positions));
}

const struct op op_bias_grad = {
	.name = "bias_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of a bias: dy summed over the batch and over positions",
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.workspace = workspace,
	.calls.kernels = "product/bias.cu",
	.calls.listed = true,
	.calls.emit = emit,
};

/* ---- behind a pool ---- */

static void
emit_pooled(struct emitter *e, const struct node *n)
{
	const struct tensor *dy = n->in[0], *db = n->out[0];
	int64_t channels = tensor_elements_per_sample(db);
	int64_t positions = tensor_elements_per_sample(dy) / channels;

	if (in_rows(n))
		emit_call(e, "bias_rows_backward_pooled", arg_tensor(db), arg_work(n), arg_tensor(dy), arg_tensor(n->in[1]),
		    arg_text(dy->channels_last ? emit_channels(e, dy).rows : emit_rows(e, dy, 0)), arg_int(channels));
	else
		emit_call(e, "bias_backward_pooled", arg_tensor(db), arg_work(n), arg_tensor(dy), arg_tensor(n->in[1]),
		    arg_batch(dy), arg_int(channels), arg_int(positions));
}

const struct op op_bias_grad_pooled = {
	.name = "bias_grad_pooled",
	.kind = OP_INTERNAL,
	.brief = "gradient of a bias: what of dy passes to the places of maxima, summed",
	.operands = "dy index",
	.min_operands = 2, .max_operands = 2,
	.memory.workspace = workspace,
	.calls.kernels = "product/bias.cu",
	.calls.listed = true,
	.calls.emit = emit_pooled,
};

/* ---- of what a formula makes ---- */

static const struct attr_spec attrs_of[] = { THEN_ATTR, ATTRS_END };

static void
emit_of(struct emitter *e, const struct node *n)
{
	const struct tensor *dy = n->in[0], *db = n->out[0], *made = n->out[1];
	int64_t channels = tensor_elements_per_sample(db);
	int64_t positions = tensor_elements_per_sample(dy) / channels;

	if (in_rows(n))
		emit_call(e, "bias_rows_backward_of", arg_tensor(db), arg_tensor(made), arg_work(n), arg_tensor(dy),
		    then_arg(e, n, n->in[1]), arg_text(dy->channels_last ? emit_channels(e, dy).rows : emit_rows(e, dy, 0)),
		    arg_int(channels));
	else
		emit_call(e, "bias_backward_of", arg_tensor(db), arg_tensor(made), arg_work(n), arg_tensor(dy),
		    then_arg(e, n, n->in[1]), arg_batch(dy), arg_int(channels), arg_int(positions));
}

const struct op op_bias_grad_of = {
	.name = "bias_grad_of",
	.kind = OP_INTERNAL,
	.brief = "a formula of two tensors, and its sum over the batch and over positions, the gradient of a bias",
	.attrs = attrs_of,
	.operands = "from beside",
	.min_operands = 2, .max_operands = 2,
	.memory.workspace = workspace,
	.memory.inplace_last = 1u << 0 | 1u << 1,
	.calls.kernels = "product/bias.cu",
	.calls.listed = true,
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.emit = emit_of,
};

bool
bias_takes(const struct node *n, const struct node *grad)
{
	return grad->op == &op_bias_grad && pointwise_makes(n, grad->in[0]);
}

void
bias_give(struct module *m, const struct node *n, struct node *grad)
{
	struct tensor **in = arena_array(m->arena, 2, sizeof(*in));

	in[0] = n->in[0];
	in[1] = n->in[1];
	grad->in = in;
	grad->nin = grad->in_room = 2;
	grad->attr = then_attrs(m->arena, grad, pointwise_formula(m->arena, n));
	grad->op = &op_bias_grad_of;
	ir_add_output(m, grad, n->out[0]);
}

/* ---- of what a convolution may have let pass ---- */

static void
emit_gated(struct emitter *e, const struct node *n)
{
	const struct tensor *dy = n->in[0], *db = n->out[0];
	int64_t channels = tensor_elements_per_sample(db);
	const char *gate = conv_gate_text(e, dy->def);

	if (in_rows(n))
		emit_call(e, "conv_gated_bias_rows", arg_tensor(db), arg_tensor(n->out[1]), arg_work(n),
		    then_arg(e, n, n->in[1]), arg_text(dy->channels_last ? emit_channels(e, dy).rows : emit_rows(e, dy, 0)),
		    arg_int(channels), arg_text(gate));
	else
		emit_call(e, "conv_gated_bias", arg_tensor(db), arg_tensor(n->out[1]), arg_work(n), then_arg(e, n, n->in[1]),
		    arg_batch(dy), arg_int(channels), arg_int(tensor_elements_per_sample(dy) / channels), arg_text(gate));
}

const struct op op_bias_grad_gated = {
	.name = "bias_grad_gated",
	.kind = OP_INTERNAL,
	.brief = "what of a gradient passes a relu, unless conv_grad_gated made that, and its sum, the gradient of a bias",
	.attrs = attrs_of,
	.operands = "from beside",
	.min_operands = 2, .max_operands = 2,
	.memory.workspace = workspace,
	.memory.inplace_last = 1u << 0,
	.calls.kernels = "conv/conv_gated.cu",
	.calls.listed = true,
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.emit = emit_gated,
};

struct tensor *
bias_gate(struct arena *a, const struct node *n)
{
	return n->op == &op_bias_grad_of && n->out[1]->alias_of == n->in[0] && pointwise_is_relu_grad(a, then_of(n)) ?
	    n->in[1] : NULL;
}
