/* conv: 2-D convolution, and conv_then, which does an activation to what it makes before that is stored
 * (the pass fuse-activation makes it). Forward and backward are matrix products over windows that are packed on
 * the fly (kernels/conv/conv.cu), so nothing is unrolled into memory and backward needs x alone. */
#include "ops/conv.h"

#include "ir/diff.h"

#include "calls/emitter.h"
#include "calls/tape.h"

static const struct attr_spec attrs[] = { CONV_ATTRS, ATTRS_END };
static const struct attr_spec attrs_then[] = { CONV_ATTRS, THEN_ATTR, ATTRS_END };

struct conv_attrs
conv_attrs(const struct node *n)
{
	const struct attr *kernel = op_attr(n, "kernel"), *stride = op_attr(n, "stride");
	const struct attr *dilation = op_attr(n, "dilation"), *pad = op_attr(n, "pad");
	struct conv_attrs a = { .filters = op_int(n, "filters"), .groups = op_int(n, "groups"),
		.bias = op_bool(n, "bias") };
	int i;

	for (i = 0; i < 2; i++) {
		a.kernel[i] = kernel->v[i];
		a.stride[i] = stride->v[i];
		a.dilation[i] = dilation->v[i];
		a.before[i] = pad->v[2 * i];
		a.after[i] = pad->v[2 * i + 1];
	}
	return a;
}

static struct conv
geometry(const struct node *n, const struct tensor *x, const struct tensor *y,
    const struct tensor *weight)
{
	struct conv_attrs a = conv_attrs(n);

	return product_conv(&a, x, y, weight);
}

/* ---- backward ---- */

static struct conv
geometry_of_input(const struct node *n)
{
	return geometry(n, n->out[0], n->in[0], n->in[1]);
}

static struct affine
work_of_input(const struct node *n, const struct room *room)
{
	struct conv s = geometry_of_input(n);

	if (conv_is_depthwise(&s))
		return product_work_depthwise(n, room, &s);
	return product_work_library(n, room, conv_backward_depth(&s), MANY_COLUMNS);
}

static struct affine
macs_of_backward(const struct node *n)
{
	return n->forward ? n->forward->op->macs(n->forward) : (struct affine){ 0, 0 };
}

static void
emit_input(struct emitter *e, const struct node *n)
{
	struct conv s = geometry_of_input(n);

	emit_convolution(e, n, DNN_INPUT, false, false, &s);
	emit_call(e, "conv_backward_input", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_text("NULL"), arg_onto(n), arg_work(n), arg_work_bytes(n),
	    arg_batch(n->in[0]), arg_text(product_conv_text(e, &s)));
}

const struct op op_conv_grad_input = {
	.name = "conv_grad_input",
	.kind = OP_INTERNAL,
	.flags = OP_LIBRARY,
	.brief = "gradient of conv with respect to its input",
	.attrs = attrs,
	.operands = "dy weight",
	.min_operands = 2, .max_operands = 2,
	.macs = macs_of_backward,
	.memory.workspace = work_of_input,
	.memory.onto = 2,
	.calls.kernels = "conv/conv.cu",
	.calls.emit = emit_input,
};

static struct conv
geometry_of_weight(const struct node *n)
{
	return geometry(n, n->in[1], n->in[0], n->out[0]);
}

static struct affine
work_of_weight(const struct node *n, const struct room *room)
{
	struct conv s = geometry_of_weight(n);

	if (room->target->libraries && !conv_is_depthwise(&s))
		return conv_weight_work(n, room, &s);
	return product_work_weight(n, room, &s);
}

static void
emit_weight(struct emitter *e, const struct node *n)
{
	struct conv s = geometry_of_weight(n);

	emit_convolution(e, n, DNN_WEIGHT, false, false, &s);
	emit_call(e, "conv_backward_weight", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_onto(n), arg_work(n), arg_work_bytes(n), arg_batch(n->in[0]),
	    arg_text(product_conv_text(e, &s)));
}

const struct op op_conv_grad_weight = {
	.name = "conv_grad_weight",
	.kind = OP_INTERNAL,
	.flags = OP_LIBRARY,
	.brief = "gradient of conv with respect to its weights",
	.attrs = attrs,
	.operands = "dy x",
	.min_operands = 2, .max_operands = 2,
	.macs = macs_of_backward,
	.memory.workspace = work_of_weight,
	.memory.onto = 2,
	.calls.kernels = "conv/conv.cu",
	.calls.emit = emit_weight,
};

/* The weights' gradient comes first: x may be dead after it, before dx needs room. */
static bool
grad(struct diff *d, struct node *n)
{
	struct tensor *dy = diff_of(d, n->out[0]), *x = n->in[0], *w = n->in[1];

	if (diff_wants(d, w))
		diff_output(d, diff_node(d, n, &op_conv_grad_weight, 2,
		    (struct tensor *[]){ dy, x }), w);
	if (n->nin > 2 && diff_wants(d, n->in[2]))
		diff_output(d, diff_node(d, n, &op_bias_grad, 1, &dy), n->in[2]);
	if (diff_wants(d, x))
		diff_output(d, diff_node(d, n, &op_conv_grad_input, 2,
		    (struct tensor *[]){ dy, w }), x);
	return true;
}

/* ---- forward ---- */

static bool
check_groups(struct build *b, const struct node *n, const struct conv_attrs *a)
{
	const struct tensor *x = n->in[0];

	if (x->dim[0] % a->groups)
		return op_error(b, n, "conv: %lld input channels cannot be cut into %lld groups: input "
		    "is %s", (long long)x->dim[0], (long long)a->groups, op_operand_text(b, x));
	if (a->filters % a->groups)
		return op_error(b, n, "conv: %lld filters cannot be cut into %lld groups",
		    (long long)a->filters, (long long)a->groups);
	return true;
}

static bool
too_small(struct build *b, const struct node *n, const struct conv_attrs *a)
{
	struct arena *arena = b->module->arena;
	const char *spread = "", *padded = "";

	if (a->dilation[0] > 1 || a->dilation[1] > 1)
		spread = arena_printf(arena, ", which spans %lldx%lld with its dilation",
		    (long long)((a->kernel[0] - 1) * a->dilation[0] + 1),
		    (long long)((a->kernel[1] - 1) * a->dilation[1] + 1));
	if (a->before[0] + a->before[1] + a->after[0] + a->after[1])
		padded = arena_printf(arena, ", even padded to %lldx%lld",
		    (long long)(n->in[0]->dim[1] + a->before[0] + a->after[0]),
		    (long long)(n->in[0]->dim[2] + a->before[1] + a->after[1]));
	return op_error(b, n, "conv: input is %s, smaller than the %lldx%lld kernel%s%s",
	    op_operand_text(b, n->in[0]), (long long)a->kernel[0], (long long)a->kernel[1], spread,
	    padded);
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	struct conv_attrs a = conv_attrs(n);
	int64_t dim[3] = { a.filters }, channels;
	struct init init;
	int i;

	if (!product_image(b, n) || !check_groups(b, n, &a))
		return false;
	for (i = 0; i < 2; i++) {
		int64_t room = x->dim[1 + i] + a.before[i] + a.after[i] -
		    (a.kernel[i] - 1) * a.dilation[i] - 1;

		if (room < 0)
			return too_small(b, n, &a);
		dim[1 + i] = room / a.stride[i] + 1;
	}
	if (product_of(x->dim[1] + a.before[0] + a.after[0],
	    x->dim[2] + a.before[1] + a.after[1]) > LARGEST_PLANE)
		return op_error(b, n, "conv: padded, the input is %lldx%lld, too large: height times "
		    "width is limited to 2^30", (long long)(x->dim[1] + a.before[0] + a.after[0]),
		    (long long)(x->dim[2] + a.before[1] + a.after[1]));
	channels = x->dim[0] / a.groups;
	init = product_init(channels * a.kernel[0] * a.kernel[1]);
	if (!op_param(b, n, "weight", T_PARAM, init, 4,
	    (int64_t[]){ a.filters, channels, a.kernel[0], a.kernel[1] }) ||
	    (a.bias && !op_param(b, n, "bias", T_PARAM, init, 1, dim)))
		return false;
	return product_output(b, n, dim);
}

static struct affine
macs(const struct node *n)
{
	const struct tensor *w = n->in[1], *y = n->out[0];

	return product_macs(y, tensor_elements_per_sample(w), product_of(y->dim[1], y->dim[2]));
}

static struct affine
work(const struct node *n, const struct room *room)
{
	struct conv s = geometry(n, n->in[0], n->out[0], n->in[1]);

	if (conv_is_depthwise(&s))
		return product_work_depthwise(n, room, &s);
	return product_work_library(n, room, (int64_t)(s.c / s.groups) * s.kh * s.kw,
	    MANY_COLUMNS);
}

static void
emit_forward(struct emitter *e, const struct node *n, const char *then, bool relu)
{
	struct conv s = geometry(n, n->in[0], n->out[0], n->in[1]);

	emit_convolution(e, n, DNN_FORWARD, n->nin > 2 && n->in[2], relu, &s);
	emit_call(e, "conv_forward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_tensor(n->nin > 2 ? n->in[2] : NULL), arg_onto(n),
	    arg_text(then), arg_work(n), arg_work_bytes(n), arg_batch(n->in[0]),
	    arg_text(product_conv_text(e, &s)));
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_forward(e, n, "AS_IS", false);
}

static void
emit_then(struct emitter *e, const struct node *n)
{
	static const char *const then[] = { "THEN(RELU)", "THEN(GELU)", "THEN(GELU_TANH)" };

	emit_forward(e, n, then[op_int(n, "then")], op_int(n, "then") == THEN_RELU);
}

/* Where the sides differ, PyTorch pads first. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	struct conv_attrs a = conv_attrs(n);
	struct tensor padded = *n->in[0];
	int x = TAPE_NONE, i;

	if (a.before[0] != a.after[0] || a.before[1] != a.after[1]) {
		for (i = 0; i < 2; i++)
			padded.dim[1 + i] += a.before[i] + a.after[i];
		x = tape_value(t, n->in[0]);
		x = tape_call(t, &(struct tape_call){ .in = &x, .nin = 1,
		    .bytes = tape_bytes(t, &padded) });
	}
	tape_plain(t, n, x);
}

const struct op op_conv = {
	.name = "conv",
	.kind = OP_LAYER,
	.brief = "2-D convolution",
	.doc = "y[f, i, j] = bias[f] + sum over c, u, v of weight[f, c, u, v] "
	    "x[c, i * stride + u * dilation - top, j * stride + v * dilation - left], where x is 0 "
	    "outside the input. Input [C, H, W] gives [filters, H', W'] with "
	    "H' = (H + top + bottom - dilation * (kernel - 1) - 1) / stride + 1, rounded down, and W' "
	    "alike. With groups, filter f sees only its group's C / groups channels.\n\n"
	    "Parameters, as PyTorch's Conv2d: weight [filters, C / groups, height, width] and bias "
	    "[filters], both started uniformly in +-1/sqrt(fan_in).\n\n"
	    "It is a product of the weights with windows of the input, which are packed block by "
	    "block and never written out (kernels/conv/conv.cu). Backward reads the input and the weights. "
	    "Multiply-adds: filters * H' * W' * C / groups * height * width a sample.",
	.flags = OP_LIBRARY,
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.macs = macs,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(0) | SAVES_IN(1),
	.memory.workspace = work,
	.torch = { .calls = torch_calls },
	.memory.layout = product_layout,
	.calls.kernels = "conv/conv.cu",
	.calls.emit = emit,
};

const struct op op_conv_then = {
	.name = "conv_then",
	.kind = OP_INTERNAL,
	.flags = OP_LIBRARY,
	.brief = "conv, and an activation of what it makes",
	.attrs = attrs_then,
	.operands = "x weight bias",
	.min_operands = 2, .max_operands = 3,
	.macs = macs,
	.gradient.saves = SAVES_IN(0) | SAVES_IN(1) | SAVES_OUT(0),
	.memory.workspace = work,
	.calls.kernels = "conv/conv.cu",
	.calls.emit = emit_then,
};
