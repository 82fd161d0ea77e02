/* conv_transpose: transposed convolution, which is the gradient of conv with respect to its
 * input, run as a layer. So its kernels are conv's with input and output exchanged. */
#include "ops/product.h"
#include "ops/shapes.h"
#include "ops/space.h"

#include "calls/emitter.h"

static const struct attr_spec attrs[] = {
	{ "filters", ATTR_INT, "number of output channels", .required = true,
	    .min = 1, .max = (double)LARGEST_PLANE },
	{ "kernel", ATTR_AXES, "extents of the kernel", .required = true, .min = 1, .max = 32768 },
	{ "stride", ATTR_AXES, "places of the output for each of the input", .preset = "1",
	    .min = 1, .max = 32768 },
	{ "pad", ATTR_AXES, "places cut from either side of the output", .preset = "0",
	    .min = 0, .max = 32768 },
	{ "output_pad", ATTR_AXES, "places added to the output at the end of each axis, to choose "
	    "among the extents that stride makes possible; less than stride or dilation",
	    .preset = "0", .min = 0, .max = 32768 },
	{ "dilation", ATTR_AXES, "distance between the kernel's elements", .preset = "1",
	    .min = 1, .max = 32768 },
	{ "groups", ATTR_INT, "input and output channels are cut into so many groups, each convolved "
	    "by itself", .preset = "1", .min = 1, .max = (double)LARGEST_PLANE },
	BIAS_ATTR("add a trained number to each filter's output"),
	ATTRS_END
};

static struct conv_attrs
read_attrs(const struct node *n)
{
	const struct attr *kernel = op_attr(n, "kernel"), *stride = op_attr(n, "stride");
	const struct attr *dilation = op_attr(n, "dilation"), *pad = op_attr(n, "pad");
	struct conv_attrs a = { .filters = op_int(n, "filters"), .groups = op_int(n, "groups") };
	int i;

	for (i = 0; i < SPACE_AXES; i++) {
		a.kernel[i] = space_of(kernel, i, 1);
		a.stride[i] = space_of(stride, i, 1);
		a.dilation[i] = space_of(dilation, i, 1);
		a.before[i] = a.after[i] = space_of(pad, i, 0);
	}
	return a;
}

/* As a convolution from the output Y to the input X. */
static struct conv
geometry(const struct node *n, const struct tensor *x, const struct tensor *y,
    const struct tensor *weight)
{
	struct conv_attrs a = read_attrs(n);

	return product_conv(&a, y, x, weight);
}

/* ---- backward ---- */

static struct affine
work_of_input(const struct node *n, const struct room *room)
{
	struct conv s = geometry(n, n->out[0], n->in[0], n->in[1]);

	if (conv_is_depthwise(&s))
		return product_work_depthwise(n, room, &s);
	return product_work_library(n, room, conv_planes(&s) * s.kh * s.kw,
	    MANY_COLUMNS);
}

static void
emit_input(struct emitter *e, const struct node *n)
{
	struct conv s = geometry(n, n->out[0], n->in[0], n->in[1]);

	emit_convolution(e, n, DNN_FORWARD, false, false, &s);
	emit_call(e, "conv_forward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_text("NULL"), arg_onto(n), arg_text("AS_IS"), arg_work(n),
	    arg_work_bytes(n), arg_batch(n->in[0]), arg_text(product_conv_text(e, &s)));
}

const struct op op_conv_transpose_grad_input = {
	.name = "conv_transpose_grad_input",
	.kind = OP_INTERNAL,
	.flags = OP_LIBRARY,
	.brief = "gradient of conv_transpose with respect to its input",
	.attrs = attrs,
	.operands = "dy weight",
	.min_operands = 2, .max_operands = 2,
	.macs = product_macs_of_forward,
	.memory.workspace = work_of_input,
	.memory.onto = 2,
	.calls.kernels = "conv/conv.cu",
	.calls.emit = emit_input,
};

static struct affine
work_of_weight(const struct node *n, const struct room *room)
{
	struct conv s = geometry(n, n->in[1], n->in[0], n->out[0]);

	return product_work_weight(n, room, &s);
}

static void
emit_weight(struct emitter *e, const struct node *n)
{
	struct conv s = geometry(n, n->in[1], n->in[0], n->out[0]);

	emit_convolution(e, n, DNN_WEIGHT, false, false, &s);
	emit_call(e, "conv_backward_weight", arg_tensor(n->out[0]), arg_tensor(n->in[1]),
	    arg_tensor(n->in[0]), arg_onto(n), arg_work(n), arg_work_bytes(n), arg_batch(n->in[0]),
	    arg_text(product_conv_text(e, &s)));
}

const struct op op_conv_transpose_grad_weight = {
	.name = "conv_transpose_grad_weight",
	.kind = OP_INTERNAL,
	.flags = OP_LIBRARY,
	.brief = "gradient of conv_transpose with respect to its weights",
	.attrs = attrs,
	.operands = "dy x",
	.min_operands = 2, .max_operands = 2,
	.macs = product_macs_of_forward,
	.memory.workspace = work_of_weight,
	.memory.onto = 2,
	.calls.kernels = "conv/conv.cu",
	.calls.emit = emit_weight,
};

static bool
grad(struct diff *d, struct node *n)
{
	return product_grad(d, n, &op_conv_transpose_grad_weight, &op_conv_transpose_grad_input, product_bias_gradient);
}

/* ---- forward ---- */

static bool
check_output_pad(struct build *b, const struct node *n, const struct conv_attrs *a)
{
	const struct tensor *x = n->in[0];
	int axes = space_axes(x), i;

	for (i = SPACE_AXES - axes; i < SPACE_AXES; i++) {
		int64_t more = space_of(op_attr(n, "output_pad"), i, 0);

		if (more >= a->stride[i] && more >= a->dilation[i])
			return op_error(b, n, "conv_transpose: output_pad %lld of the %s must be less "
			    "than the stride (%lld) or the dilation (%lld): rows further out see no "
			    "input", (long long)more, space_name(i, axes), (long long)a->stride[i],
			    (long long)a->dilation[i]);
	}
	return true;
}

/* The output's extents. */
static bool
extents(struct build *b, const struct node *n, const struct conv_attrs *a, int64_t *dim)
{
	const struct tensor *x = n->in[0];
	int axes = space_axes(x), i;
	int64_t whole[SPACE_AXES], positions = 1;

	for (i = SPACE_AXES - axes; i < SPACE_AXES; i++) {
		whole[i] = (space_extent(x, i) - 1) * a->stride[i] + (a->kernel[i] - 1) * a->dilation[i] +
		    space_of(op_attr(n, "output_pad"), i, 0) + 1;
		positions = product_of(positions, whole[i]);
		if (whole[i] <= 2 * a->before[i])
			return op_error(b, n, "conv_transpose: pad %lld cuts away the whole %s of the "
			    "output: input is %s", (long long)a->before[i], space_name(i, axes),
			    op_operand_text(b, x));
		dim[1 + i - (SPACE_AXES - axes)] = whole[i] - 2 * a->before[i];
	}
	if (positions <= LARGEST_PLANE)
		return true;
	return op_error(b, n, "conv_transpose: the output, with what pad cuts away, is %s, too large: "
	    "the product of its extents but for channels is limited to 2^30",
	    space_text(b->module->arena, whole, axes));
}

static bool
shape(struct build *b, struct node *n)
{
	int64_t dim[1 + SPACE_AXES] = { op_int(n, "filters") };
	struct conv_attrs a;

	if (!product_space(b, n, SPACE_AXES))
		return false;
	a = read_attrs(n);
	if (!product_groups(b, n, &a) || !check_output_pad(b, n, &a) || !extents(b, n, &a, dim))
		return false;
	return product_params(b, n, n->in[0]->dim[0], a.filters / a.groups, a.filters) && product_output(b, n, dim);
}

static struct affine
macs(const struct node *n)
{
	const struct tensor *x = n->in[0], *w = n->in[1];

	return product_macs(x, tensor_elements_per_sample(w), shape_product(x, 1, x->rank));
}

static struct affine
work(const struct node *n, const struct room *room)
{
	struct conv s = geometry(n, n->in[0], n->out[0], n->in[1]);

	if (conv_is_depthwise(&s))
		return product_work_depthwise(n, room, &s);
	return product_work_library(n, room, conv_backward_depth(&s), MANY_COLUMNS);
}

static void
emit(struct emitter *e, const struct node *n)
{
	struct conv s = geometry(n, n->in[0], n->out[0], n->in[1]);

	emit_convolution(e, n, DNN_INPUT, n->nin > 2 && n->in[2], false, &s);
	emit_call(e, "conv_backward_input", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_tensor(n->nin > 2 ? n->in[2] : NULL), arg_onto(n),
	    arg_work(n), arg_work_bytes(n), arg_batch(n->in[0]),
	    arg_text(product_conv_text(e, &s)));
}

const struct op op_conv_transpose = {
	.name = "conv_transpose",
	.kind = OP_LAYER,
	.brief = "transposed convolution, which enlarges its input",
	.doc = "Each input element adds a copy of the kernel, times its value, to the output: "
	    "y[f, i * stride + u * dilation - pad, j * stride + v * dilation - pad] += "
	    "weight[c, f, u, v] x[c, i, j], starting from bias[f]. Input [C, H, W] gives "
	    "[filters, H', W'] with H' = (H - 1) * stride - 2 pad + dilation * (kernel - 1) + "
	    "output_pad + 1, and W' alike; [C, L] and [C, D, H, W] have one axis and three.\n\n"
	    "Parameters, as PyTorch's ConvTranspose1d to 3d: weight [C, filters / groups, height, width] and "
	    "bias [filters], both started uniformly in +-1/sqrt(filters / groups * height * width).\n\n"
	    "It runs as stride * stride convolutions of stride 1, one for each phase of the output, so "
	    "no zero is multiplied. Backward reads the input and the weights. Multiply-adds: "
	    "C * H * W * filters / groups * height * width a sample.",
	.flags = OP_LIBRARY,
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.macs = macs,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(0) | SAVES_IN(1),
	.memory.workspace = work,
	.memory.layout = product_layout,
	.calls.kernels = "conv/conv.cu",
	.calls.emit = emit,
};
