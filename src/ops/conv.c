/* conv: convolution, and conv_then, which does a formula to what it makes, such as an activation,
 * before that is stored (the pass fuse-activation makes it). Forward and backward are matrix
 * products over windows that are packed on the fly (kernels/conv/conv.cu), so nothing is unrolled
 * into memory and backward needs x alone. */
#include "ops/conv.h"

#include "calls/epilogue.h"
#include "ops/shapes.h"
#include "ops/then.h"

static const struct attr_spec attrs[] = { CONV_ATTRS, ATTRS_END };
static const struct attr_spec attrs_then[] = { CONV_ATTRS, THEN_ATTR, ATTRS_END };

struct conv_attrs
conv_attrs(const struct node *n)
{
	const struct attr *kernel = op_attr(n, "kernel"), *stride = op_attr(n, "stride");
	const struct attr *dilation = op_attr(n, "dilation"), *pad = op_attr(n, "pad");
	struct conv_attrs a = { .filters = op_int(n, "filters"), .groups = op_int(n, "groups") };
	int i;

	for (i = 0; i < SPACE_AXES; i++) {
		a.kernel[i] = space_of(kernel, i, 1);
		a.stride[i] = space_of(stride, i, 1);
		a.dilation[i] = space_of(dilation, i, 1);
		a.before[i] = space_frame(pad, i, false);
		a.after[i] = space_frame(pad, i, true);
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

/* Without what lies between the elements of X that a kernel of one element reads with a stride: of
 * an image [rows, columns, channels], or of planes, in which neighbours arrive together. */
static struct affine
traffic_of(const struct node *n, const struct tensor *x, const struct conv *s)
{
	int64_t rows = s->kh == 1 && s->oh < s->h ? s->oh : s->h;
	int64_t columns = s->kw == 1 && s->ow < s->w && s->last ? s->ow : s->w;
	struct affine bytes = op_bytes(n);

	bytes.per_sample -= tensor_bytes(x).per_sample / ((int64_t)s->h * s->w) * ((int64_t)s->h * s->w - rows * columns);
	return bytes;
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

/* A kernel for each channel goes over all of it. */
static bool
adds_little(const struct node *n)
{
	struct conv s = geometry_of_input(n);

	return conv_skips(&s) && !conv_is_depthwise(&s);
}

/* What is added to is neither read nor written where the convolution did not see it. */
static struct affine
traffic_of_input(const struct node *n)
{
	struct conv s = geometry_of_input(n);
	struct affine bytes = op_bytes(n);

	if (op_base(n) && n->keep == 1 && adds_little(n))
		bytes.per_sample -= 2 * (bytes.per_sample - traffic_of(n, n->out[0], &s).per_sample);
	return bytes;
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
	.macs = product_macs_of_forward,
	.traffic = traffic_of_input,
	.memory.workspace = work_of_input,
	.memory.onto = 2,
	.memory.adds_little = adds_little,
	.calls.kernels = "conv/conv.cu",
	.calls.listed = true,
	.calls.emit = emit_input,
};

/* ---- of which a relu passes some ---- */

/* Whether it reads the gate, or what reads the gradient does, shows when the program starts. (It is
 * added only onto what it sees all of.) */
static struct affine
traffic_gated(const struct node *n)
{
	struct affine bytes = traffic_of_input(n);

	bytes.fixed -= tensor_bytes(n->in[GATE]).fixed;
	bytes.per_sample -= tensor_bytes(n->in[GATE]).per_sample;
	return bytes;
}

static void
emit_gated(struct emitter *e, const struct node *n)
{
	struct conv s = geometry_of_input(n);

	emit_convolution(e, n, DNN_INPUT, false, false, &s);
	emit_call(e, "conv_gated_backward_input", arg_tensor(n->out[0]), arg_tensor(n->in[0]), arg_tensor(n->in[1]),
	    arg_tensor(n->in[GATE]), arg_onto(n), arg_work(n), arg_work_bytes(n), arg_batch(n->in[0]),
	    arg_text(product_conv_text(e, &s)));
}

const struct op op_conv_grad_gated = {
	.name = "conv_grad_gated",
	.kind = OP_INTERNAL,
	.flags = OP_LIBRARY,
	.brief = "gradient of conv with respect to its input, or what of it passes the relu before",
	.attrs = attrs,
	.operands = "dy weight gate",
	.min_operands = 3, .max_operands = 3,
	.macs = product_macs_of_forward,
	.traffic = traffic_gated,
	.memory.workspace = work_of_input,
	.memory.onto = GATED_ONTO,
	.calls.kernels = "conv/conv_gated.cu",
	.calls.listed = true,
	.calls.emit = emit_gated,
};

bool
conv_can_gate(const struct node *n, int64_t batch)
{
	struct conv s;

	if (n->op != &op_conv_grad_input || (op_base(n) && (n->keep != 1 || n->keep_first)) || !n->work ||
	    product_is_small(n, batch))
		return false;
	s = geometry_of_input(n);
	return !conv_is_depthwise(&s) && !(op_base(n) && conv_skips(&s));
}

void
conv_gate(struct module *m, struct node *n, struct tensor *gate)
{
	struct tensor *base = op_base(n);

	if (base)
		n->in[GATE] = gate;
	ir_add_input(m, n, base ? base : gate);
	n->op = &op_conv_grad_gated;
}

const char *
conv_gate_text(struct emitter *e, const struct node *n)
{
	struct conv s = geometry_of_input(n);

	return arena_printf(e->module->arena, "conv_gate(%s, b, %s, %s)", emit_work_bytes(e, n->work), product_conv_text(e, &s),
	    op_base(n) ? "ONTO(1)" : "ANEW");
}

static struct conv
geometry_of_weight(const struct node *n)
{
	return geometry(n, n->in[1], n->in[0], n->out[0]);
}

static struct affine
traffic_of_weight(const struct node *n)
{
	struct conv s = geometry_of_weight(n);

	return traffic_of(n, n->in[1], &s);
}

static struct affine
work_of_weight(const struct node *n, const struct room *room)
{
	struct conv s = geometry_of_weight(n);

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
	.macs = product_macs_of_forward,
	.traffic = traffic_of_weight,
	.memory.workspace = work_of_weight,
	.memory.onto = 2,
	.calls.kernels = "conv/conv.cu",
	.calls.listed = true,
	.calls.emit = emit_weight,
};

static bool
grad(struct diff *d, struct node *n)
{
	return product_grad(d, n, &op_conv_grad_weight, &op_conv_grad_input, product_bias_gradient);
}

/* ---- forward ---- */

/* The input's extents, padded. */
static void
padded(const struct tensor *x, const struct conv_attrs *a, int64_t extent[SPACE_AXES])
{
	int i;

	for (i = 0; i < SPACE_AXES; i++)
		extent[i] = space_extent(x, i) + a->before[i] + a->after[i];
}

/* In PyTorch a convolution is told the channels of its input first, as in Conv2d(6, 16, 5). */
static void
tell_order(struct build *b)
{
	struct diags *d = b->module->diags;

	diag_help(d, d->all.v[d->all.n - 1], "in order, conv takes filters, kernel, stride; it knows the "
	    "channels of its input");
}

#define HARDLY_KERNEL	8	/* as large a one is more often PyTorch's channels out */

static bool
too_small(struct build *b, const struct node *n, const struct conv_attrs *a)
{
	struct arena *arena = b->module->arena;
	int axes = space_axes(n->in[0]), i;
	const char *spread = "", *framed = "";
	int64_t reach[SPACE_AXES], extent[SPACE_AXES];
	bool dilated = false, frame = false;

	padded(n->in[0], a, extent);
	for (i = 0; i < SPACE_AXES; i++) {
		reach[i] = (a->kernel[i] - 1) * a->dilation[i] + 1;
		dilated |= a->dilation[i] > 1;
		frame |= a->before[i] || a->after[i];
	}
	if (dilated)
		spread = arena_printf(arena, ", which spans %s with its dilation",
		    space_text(arena, reach, axes));
	if (frame)
		framed = arena_printf(arena, ", even padded to %s", space_text(arena, extent, axes));
	op_error(b, n, "conv: input is %s, smaller than the %s%s%s",
	    op_operand_text(b, n->in[0]), space_kernel(arena, a->kernel, axes), spread, framed);
	if (op_attr(n, "stride")->given && (a->filters == n->in[0]->dim[0] || a->kernel[SPACE_AXES - 1] >= HARDLY_KERNEL))
		tell_order(b);
	return false;
}

/* The output's extents. */
static bool
extents(struct build *b, const struct node *n, const struct conv_attrs *a, int64_t *dim)
{
	int axes = space_axes(n->in[0]), i;
	int64_t extent[SPACE_AXES], positions = 1;

	padded(n->in[0], a, extent);
	for (i = SPACE_AXES - axes; i < SPACE_AXES; i++) {
		int64_t room = extent[i] - (a->kernel[i] - 1) * a->dilation[i] - 1;

		if (room < 0)
			return too_small(b, n, a);
		dim[1 + i - (SPACE_AXES - axes)] = room / a->stride[i] + 1;
		positions = product_of(positions, extent[i]);
	}
	if (positions <= LARGEST_PLANE)
		return true;
	return op_error(b, n, "conv: padded, the input is %s, too large: the product of its extents "
	    "but for channels is limited to 2^30", space_text(b->module->arena, extent, axes));
}

static bool
shape(struct build *b, struct node *n)
{
	int64_t dim[1 + SPACE_AXES] = { op_int(n, "filters") };
	struct conv_attrs a;

	if (!product_space(b, n, SPACE_AXES))
		return false;
	space_same(n, "pad", op_attr(n, "kernel"), op_attr(n, "stride"), op_attr(n, "dilation"));
	a = conv_attrs(n);
	if (!product_groups(b, n, &a) || !extents(b, n, &a, dim))
		return false;
	return product_params(b, n, a.filters, n->in[0]->dim[0] / a.groups, a.filters) && product_output(b, n, dim);
}

static struct affine
macs(const struct node *n)
{
	const struct tensor *w = n->in[1], *y = n->out[0];

	return product_macs(y, tensor_elements_per_sample(w), shape_product(y, 1, y->rank));
}

static struct affine
work(const struct node *n, const struct room *room)
{
	struct conv s = geometry(n, n->in[0], n->out[0], n->in[1]);

	if (conv_is_depthwise(&s))
		return product_work_depthwise(n, room, &s);
	return product_work_library(n, room, conv_planes(&s) * s.kh * s.kw,
	    MANY_COLUMNS);
}

static struct affine
traffic(const struct node *n)
{
	struct conv s = geometry(n, n->in[0], n->out[0], n->in[1]);

	return traffic_of(n, n->in[0], &s);
}

static void
emit(struct emitter *e, const struct node *n)
{
	struct conv s = geometry(n, n->in[0], n->out[0], n->in[1]);
	bool relu = then_of(n) && epilogue_is_relu(e, then_of(n));
	struct tensor *bias = then_operands(n) > 2 ? n->in[2] : NULL;

	emit_convolution(e, n, DNN_FORWARD, bias, relu, &s);
	emit_call(e, "conv_forward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_tensor(bias), arg_onto(n), then_arg(e, n, then_beside(n)),
	    arg_work(n), arg_work_bytes(n), arg_batch(n->in[0]),
	    arg_text(product_conv_text(e, &s)));
}

const struct op op_conv = {
	.name = "conv",
	.kind = OP_LAYER,
	.brief = "convolution",
	.doc = "y[f, i, j] = bias[f] + sum over c, u, v of weight[f, c, u, v] "
	    "x[c, i * stride + u * dilation - top, j * stride + v * dilation - left], where x is 0 "
	    "outside the input. Input [C, H, W] gives [filters, H', W'] with "
	    "H' = (H + top + bottom - dilation * (kernel - 1) - 1) / stride + 1, rounded down, and W' "
	    "alike. With groups, filter f sees only its group's C / groups channels. Inputs [C, L] and "
	    "[C, D, H, W] have one axis and three, and their kernels as many extents: conv(16, 3, "
	    "pad=(2, 0)) of a line sees nothing that comes later.\n\n"
	    "Parameters, as PyTorch's Conv1d, Conv2d and Conv3d: weight [filters, C / groups, the "
	    "kernel's extents] and bias [filters], both started uniformly in +-1/sqrt(fan_in). "
	    "pad=same is that of TensorFlow, for any stride.\n\n"
	    "It is a product of the weights with windows of the input, which are packed block by "
	    "block and never written out (kernels/conv/conv.cu). Backward reads the input and the weights. "
	    "Multiply-adds: filters * H' * W' * C / groups * height * width a sample.",
	.flags = OP_LIBRARY,
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.macs = macs,
	.traffic = traffic,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(0) | SAVES_IN(1),
	.memory.workspace = work,
	.torch = { .calls = space_torch_calls },
	.memory.layout = product_layout,
	.then = { &op_conv_then, 2 },
	.calls.kernels = "conv/conv.cu",
	.calls.listed = true,
	.calls.emit = emit,
};

/* ---- with the sums of its channels ---- */

static void
emit_summed(struct emitter *e, const struct node *n)
{
	struct conv s = geometry(n, n->in[0], n->out[SUMMED], n->in[1]);

	emit_convolution_sums(e, n, &s);
	emit_call(e, "conv_summed_forward", arg_tensor(n->out[SUMMED]), arg_tensor(n->out[SUMS]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_work(n), arg_work_bytes(n), arg_batch(n->in[0]),
	    arg_text(product_conv_text(e, &s)));
}

const struct op op_conv_summed = {
	.name = "conv_summed",
	.kind = OP_INTERNAL,
	.flags = OP_LIBRARY,
	.brief = "conv, and the sums of its channels and of their squares",
	.attrs = attrs,
	.operands = "x weight",
	.min_operands = 2, .max_operands = 2,
	.macs = macs,
	.traffic = traffic,
	.memory.workspace = work,
	.calls.kernels = "conv/conv.cu",
	.calls.listed = true,
	.calls.emit = emit_summed,
};

bool
conv_can_sum(const struct node *n, int64_t batch)
{
	const struct tensor *y = n->out[0];
	struct conv s;

	if (n->op != &op_conv || n->nin != 2 || op_base(n) || !y->channels_last || !y->dtype->cudnn_sums ||
	    product_is_small(n, batch))
		return false;
	s = geometry(n, n->in[0], y, n->in[1]);
	return s.last && !s.d && s.groups == 1 && s.c % 8 == 0 && s.f % 8 == 0;
}

struct tensor *
conv_sum(struct module *m, struct node *n)
{
	int64_t dim[2] = { 2, n->out[SUMMED]->dim[0] };

	n->op = &op_conv_summed;
	return ir_add_output(m, n, ir_tensor(m, T_SAVED, n->out[SUMMED]->dtype->real, false, 2, dim,
	    arena_printf(m->arena, "%s.sums", n->path), n->loc));
}

struct tensor *
conv_sums_of(const struct node *n, const struct tensor *x)
{
	int k;

	for (k = 0; k < n->nin; k++)
		if (n->in[k] && n->in[k]->def && n->in[k]->def->op == &op_conv_summed && n->in[k]->def->out[SUMMED] == x &&
		    n->in[k]->def->out[SUMS] == n->in[k])
			return n->in[k];
	return NULL;
}

const char *
conv_sums_text(struct emitter *e, const struct tensor *sums)
{
	const struct node *n = sums ? sums->def : NULL;
	struct conv s;

	if (!n)
		return "NULL";
	s = geometry(n, n->in[0], n->out[SUMMED], n->in[1]);
	return arena_printf(e->module->arena, "conv_sums(%s, %s, b, %s)", emit_pointer(e, sums), emit_work_bytes(e, n->work),
	    product_conv_text(e, &s));
}

const struct op op_conv_then = {
	.name = "conv_then",
	.kind = OP_INTERNAL,
	.flags = OP_LIBRARY,
	.brief = "conv, and a formula of what it makes",
	.attrs = attrs_then,
	.operands = "x weight bias beside",
	.min_operands = 2, .max_operands = 4,
	.macs = macs,
	.traffic = traffic,
	.gradient.saves = SAVES_IN(0) | SAVES_IN(1) | SAVES_OUT(0),
	.memory.workspace = work,
	.then = { &op_conv_then, 2 },
	.calls.kernels = "conv/conv.cu",
	.calls.listed = true,
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.emit = emit,
};
