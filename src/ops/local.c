/* local: a locally connected layer, a convolution whose every position has weights of its own. The
 * kernels are direct (kernels/conv/local.cu): beside the weights, which the layer is made of,
 * nothing grows with positions times kernel. */
#include "ops/product.h"

#include "calls/emitter.h"
#include "calls/tape.h"
#include "ops/shapes.h"

static const struct attr_spec attrs[] = {
	{ "filters", ATTR_INT, "number of output channels", .required = true,
	    .min = 1, .max = (double)LARGEST_PLANE },
	{ "kernel", ATTR_PAIR, "height and width of the kernel", .required = true,
	    .min = 1, .max = 32768 },
	{ "stride", ATTR_PAIR, "step from window to window, in rows and columns", .preset = "1",
	    .min = 1, .max = 32768 },
	{ "bias", ATTR_BOOL, "add a trained number to each element of the output; or the tensor that is added",
	    .preset = "true", .shares = true },
	ATTRS_END
};

static const char *
geometry(struct emitter *e, const struct node *n, const struct tensor *x, const struct tensor *y)
{
	const struct attr *kernel = op_attr(n, "kernel"), *stride = op_attr(n, "stride");

	return arena_printf(e->module->arena,
	    "(struct local){ .c = %d, .h = %d, .w = %d, .f = %d, .oh = %d, .ow = %d,\n\t    "
	    ".kh = %d, .kw = %d, .sy = %d, .sx = %d }",
	    (int)x->dim[0], (int)x->dim[1], (int)x->dim[2], (int)y->dim[0], (int)y->dim[1],
	    (int)y->dim[2], (int)kernel->v[0], (int)kernel->v[1], (int)stride->v[0],
	    (int)stride->v[1]);
}

/* ---- backward ---- */

static void
emit_input(struct emitter *e, const struct node *n)
{
	emit_call(e, "local_backward_input", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_onto(n), arg_work(n), arg_batch(n->in[0]),
	    arg_text(geometry(e, n, n->out[0], n->in[0])));
}

const struct op op_local_grad_input = {
	.name = "local_grad_input",
	.kind = OP_INTERNAL,
	.brief = "gradient of local with respect to its input",
	.attrs = attrs,
	.operands = "dy weight",
	.min_operands = 2, .max_operands = 2,
	.macs = product_macs_of_forward,
	.memory.onto = 2,
	.calls.kernels = "conv/local.cu",
	.calls.emit = emit_input,
};

/* The sum runs over samples, whose number is not known. */
static struct affine
work_of_weight(const struct node *n, const struct room *room)
{
	return product_work(n, room, n->in[0]->batched ? LONG_SUM : 1, n->out[0]->dim[2]);
}

static void
emit_weight(struct emitter *e, const struct node *n)
{
	emit_call(e, "local_backward_weight", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_onto(n), arg_work(n), arg_batch(n->in[0]),
	    arg_text(geometry(e, n, n->in[1], n->in[0])));
}

const struct op op_local_grad_weight = {
	.name = "local_grad_weight",
	.kind = OP_INTERNAL,
	.brief = "gradient of local with respect to its weights",
	.attrs = attrs,
	.operands = "dy x",
	.min_operands = 2, .max_operands = 2,
	.macs = product_macs_of_forward,
	.memory.workspace = work_of_weight,
	.memory.onto = 2,
	.calls.kernels = "conv/local.cu",
	.calls.emit = emit_weight,
};

static bool
grad(struct diff *d, struct node *n)
{
	return product_grad(d, n, &op_local_grad_weight, &op_local_grad_input, product_bias_gradient);
}

/* ---- forward ---- */

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	const struct attr *kernel = op_attr(n, "kernel"), *stride = op_attr(n, "stride");
	int64_t dim[1 + SPACE_AXES] = { op_int(n, "filters") }, depth;
	struct init init;
	int i;

	if (!shape_image(b, n, 0) || !product_space(b, n, 2))
		return false;
	for (i = 0; i < 2; i++) {
		if (x->dim[1 + i] < kernel->v[i])
			return op_error(b, n, "local: input is %s, smaller than the %lldx%lld kernel",
			    op_operand_text(b, x), (long long)kernel->v[0],
			    (long long)kernel->v[1]);
		dim[1 + i] = (x->dim[1 + i] - kernel->v[i]) / stride->v[i] + 1;
	}
	depth = product_of(x->dim[0], kernel->v[0] * kernel->v[1]);
	init = product_init(depth);
	if (!op_param(b, n, "weight", T_PARAM, init, 3,
	    (int64_t[]){ dim[1] * dim[2], dim[0], depth }) ||
	    (op_bool(n, "bias") && !op_param(b, n, "bias", T_PARAM, init, 3, dim)))
		return false;
	return product_output(b, n, dim);
}

static struct affine
macs(const struct node *n)
{
	return product_macs(n->out[0], tensor_elements_per_sample(n->in[1]), 1);
}

static struct affine
work(const struct node *n, const struct room *room)
{
	return product_work(n, room, n->in[1]->dim[2], MANY_COLUMNS);
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "local_forward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_tensor(n->nin > 2 ? n->in[2] : NULL), arg_work(n),
	    arg_batch(n->in[0]), arg_text(geometry(e, n, n->in[0], n->out[0])));
}

/* PyTorch has no such layer. Written with what it has, it is unfold, a product for each position (a
 * batched matrix product, which keeps both operands) with positions first, a view that puts them
 * last, and the sum with the bias, in the order of that view. unfold's output, and its gradient,
 * lie in storages that were made as large as what they come from. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	const struct tensor *w = n->in[1], *y = n->out[0];
	struct tensor unfolded = tensor_value(n->in[0]);
	int x = tape_value(t, n->in[0]), in[2];

	unfolded.rank = 2;
	unfolded.dim[0] = w->dim[0];	/* positions */
	unfolded.dim[1] = w->dim[2];	/* what each sees */
	in[0] = tape_call(t, &(struct tape_call){ .in = &x, .nin = 1,
	    .bytes = tape_bytes(t, &unfolded), .room = tape_bytes(t, n->in[0]),
	    .gradient_room = tape_bytes(t, &unfolded) });
	in[1] = tape_value(t, w);
	in[0] = tape_call(t, &(struct tape_call){ .in = in, .nin = 2,
	    .bytes = tape_bytes(t, y), .saves = SAVES_IN(0) | SAVES_IN(1), .crosswise = true,
	    .views = 1u << 0 });
	in[0] = tape_call(t, &(struct tape_call){ .output = TORCH_VIEW, .in = in, .nin = 1,
	    .bytes = tape_bytes(t, y), .strided = true, .passes = 1u << 0, .views = 1u << 0 });
	if (n->nin > 2) {
		in[1] = tape_value(t, n->in[2]);
		in[0] = tape_call(t, &(struct tape_call){ .in = in, .nin = 2,
		    .bytes = tape_bytes(t, y), .strided = true, .passes = 1u << 0 | 1u << 1 });
	}
	tape_result(t, y, in[0]);
}

const struct op op_local = {
	.name = "local",
	.kind = OP_LAYER,
	.brief = "locally connected layer: a convolution with weights of its own at every position",
	.doc = "y[f, i, j] = bias[f, i, j] + sum over c, u, v of weight[(i, j), f, (c, u, v)] "
	    "x[c, i * stride + u, j * stride + v]. Input [C, H, W] gives [filters, H', W'] with "
	    "H' = (H - height) / stride + 1, rounded down, and W' alike.\n\n"
	    "Parameters: weight [H' * W', filters, C * height * width] and bias [filters, H', W'], both "
	    "started uniformly in +-1/sqrt(C * height * width). They grow with the size of the image.\n\n"
	    "Keras' LocallyConnected2D slices the input at each position, and its backward pass holds "
	    "a zero-filled copy of the whole input for every one of them. Here each position is a small "
	    "product with the windows of all samples: backward holds the gradients alone, and reads the "
	    "input and the weights. Multiply-adds: H' * W' * filters * C * height * width a sample.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.macs = macs,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(0) | SAVES_IN(1),
	.memory.workspace = work,
	.torch = { .blas = true, .calls = torch_calls },
	.calls.kernels = "conv/local.cu",
	.calls.emit = emit,
};
