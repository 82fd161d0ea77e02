/*
 * argmaxpool and max_unpool: where in each window the largest element lies, a byte for each, and
 * what puts a map's elements there in one as large as that which had the windows, between zeros
 * (Zeiler and others: Adaptive deconvolutional networks, 2011; SegNet). Windows do not overlap, so
 * every element has a place of its own: forward and backward are copies.
 *
 *     x: 1 3 0 0    argmaxpool(2): 1 2    z: a b    z -> max_unpool(it): 0 a 0 0
 *        2 0 5 4                                                         0 0 b 0
 *
 * The bytes alone last from the one to the other; neither reads what it made.
 */
#include "ir/diff.h"

#include "calls/tape.h"
#include "ops/pool.h"
#include "ops/shapes.h"

#define MOST_CELLS	256	/* of a window, so that a byte says which */

static const struct attr_spec attrs[] = {
	{ "kernel", ATTR_AXES, "extents of the windows, which lie side by side: at most 256 cells", .required = true,
	    .min = 1, .max = MOST_CELLS },
	ATTRS_END
};

static const struct attr_spec unpool_attrs[] = {
	{ "kernel", ATTR_AXES, "extents of the windows, which are those of argmaxpool", .min = 1,
	    .max = MOST_CELLS },
	ATTRS_END
};

/* On IN lie the windows of which OUT has an element each. */
static struct window
windows(const struct node *n, const struct tensor *in, const struct tensor *out)
{
	struct window w = { .axes = space_axes(in) };
	int i;

	for (i = 0; i < SPACE_AXES; i++) {
		w.at[i].size = space_extent(in, i);
		w.at[i].out = space_extent(out, i);
		w.at[i].kernel = w.at[i].stride = space_of(op_attr(n, "kernel"), i, 1);
	}
	return w;
}

#define WINDOWS(in, w)	POOL_AXES_ARGS(in, w, (in)->channels_last, false)

/* ---- argmaxpool ---- */

static bool
places_shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	struct window w;
	int64_t dim[1 + SPACE_AXES] = { 0 };
	int i;

	if (!space_given(b, n, SPACE_AXES))
		return false;
	w = windows(n, x, x);
	if (window_cells(&w) > MOST_CELLS)
		return op_error(b, n, "argmaxpool: a window of %lld cells; it may have %d", (long long)window_cells(&w), MOST_CELLS);
	dim[0] = x->dim[0];
	for (i = 1; i < x->rank; i++)
		if ((dim[i] = x->dim[i] / op_attr(n, "kernel")->v[i - 1]) < 1)
			return op_error(b, n, "argmaxpool: input is %s, smaller than its windows", op_operand_text(b, x));
	return op_output(b, n, NULL, T_ACTIVATION, DT_U8, x->batched, x->rank, dim) != NULL;
}

static void
emit_places(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0];
	struct window w = windows(n, x, n->out[0]);

	emit_call(e, "argmaxpool", arg_tensor(n->out[0]), arg_tensor(x), WINDOWS(x, w));
}

/* max_pool2d(return_indices=True), whose maxima nobody need read: 8 bytes of each. */
static void
torch_places(struct tape *t, const struct node *n)
{
	int x = tape_value(t, n->in[0]);

	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = &x, .nin = 1,
	    .bytes = tape_bytes_as(t, n->out[0], 8), .stops = true }));
}

const struct op op_argmaxpool = {
	.name = "argmaxpool",
	.kind = OP_LAYER,
	.brief = "where in each window the largest element is",
	.doc = "Of windows that lie side by side, as those of maxpool(kernel), the place of the largest element, counted row by "
	    "row, for max_unpool: k = x -> argmaxpool(2) beside x -> maxpool(2) is what PyTorch's "
	    "MaxPool2d(2, return_indices=True) gives with it. A byte each, where PyTorch keeps eight. Of equal elements the "
	    "first wins; not-a-number wins over all. Last rows that fill no window are left out. Inputs [C, L] and [C, D, H, W] "
	    "have windows along one axis and along three. It has no gradient.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = places_shape,
	.memory.layout = op_layout_either,
	.torch = { .calls = torch_places },
	.calls.kernels = "pool/unpool.cu",
	.calls.emit = emit_places,
};

/* ---- max_unpool ---- */

static void
emit_backward(struct emitter *e, const struct node *n)
{
	const struct tensor *dy = n->in[0], *dx = n->out[0];
	struct window w = windows(n, dy, dx);

	emit_call(e, "max_unpool_backward", arg_tensor(dx), arg_tensor(dy), arg_tensor(n->in[1]), WINDOWS(dy, w));
}

const struct op op_max_unpool_grad = {
	.name = "max_unpool_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of max_unpool: that of each element's place",
	.attrs = unpool_attrs,
	.operands = "dy places",
	.min_operands = 2, .max_operands = 2,
	.calls.kernels = "pool/unpool.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_max_unpool_grad, 1, &n->in[1]);
}

/* Says which windows they are, and on what they lie. */
static const struct node *
pooled_by(struct build *b, struct node *n)
{
	const struct node *k = n->in[1]->def;
	struct attr *own = op_preset(n->op, n->attr, "kernel");
	const struct attr *theirs;
	int i;

	if (!k || k->op != &op_argmaxpool) {
		op_error(b, n, "max_unpool: places are what argmaxpool makes, but operand 2 is %s", op_operand_text(b, n->in[1]));
		return NULL;
	}
	theirs = op_attr(k, "kernel");
	for (i = 0; i < theirs->n && own->n > 0; i++)
		if ((own->n > 1 && own->n != theirs->n) || own->v[own->n == 1 ? 0 : i] != theirs->v[i]) {
			op_error(b, n, "max_unpool: kernel is not that of %s; leave it out", op_operand_text(b, n->in[1]));
			return NULL;
		}
	*own = *theirs;
	return k;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0], *places = n->in[1];
	const struct node *k;

	if (!shape_float(b, n, 0) || !(k = pooled_by(b, n)))
		return false;
	if (!tensor_same_shape(x, places))
		return op_error(b, n, "max_unpool: input is %s, but the places are those of %s%s", op_operand_text(b, x),
		    op_operand_text(b, places), x->batched != places->batched ? ", and only one depends on the batch" : "");
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, k->in[0]->dim) != NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0], *y = n->out[0];
	struct window w = windows(n, y, x);

	emit_call(e, "max_unpool_forward", arg_tensor(y), arg_tensor(x), arg_tensor(n->in[1]), WINDOWS(y, w));
}

const struct op op_max_unpool = {
	.name = "max_unpool",
	.kind = OP_LAYER,
	.brief = "elements back to where the largest of each window was",
	.doc = "Undoes a maxpool as far as it can be: of k = x -> argmaxpool(2), z -> max_unpool(k) is as large as x, has "
	    "z's elements where the largest of x's windows were, and is 0 elsewhere. As PyTorch's MaxUnpool2d with the indices of "
	    "MaxPool2d and, where windows do not fill it, x's size as output_size. It is how SegNet's decoder makes maps larger:\n\n"
	    "    p = x -> maxpool(2)\n"
	    "    k = x -> argmaxpool(2)\n"
	    "    y = p -> conv(64, 3, pad=1) -> max_unpool(k)\n\n"
	    "Training keeps k alone, a byte an element of z.",
	.attrs = unpool_attrs,
	.operands = "x places",
	.min_operands = 2, .max_operands = 2,
	.shape = shape,
	.gradient = { .build = grad, .saves = SAVES_IN(1) },
	.memory.layout = op_layout_either,
	.torch = { .saves = SAVES_IN(1) },
	.calls.kernels = "pool/unpool.cu",
	.calls.emit = emit,
};
