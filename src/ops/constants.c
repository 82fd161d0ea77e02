/*
 * Tensors that are known: zeros, ones and constant, which are formulas of nothing and have no bytes
 * of their own where another formula reads them; iota, tril and triu, and the places of a triangle
 * as indices. They are made where they are read first, so none is stored longer than an activation.
 * Their shape may be that of an operand, of which nothing is read.
 */
#include "ops/shapes.h"

#include <string.h>

#include "calls/emitter.h"
#include "calls/tape.h"

#define LIKE_OR_SHAPE									\
	" Its shape is given, as one number for each axis, or is that of x, of which no element is read. Without x, it "	\
	"does not depend on the batch. It has no gradient, and is not in checkpoints."

static bool
shape(struct build *b, struct node *n)
{
	return shape_like(b, n, false);
}

#define NUMBER(text)									\
	.kind = OP_LAYER, .flags = OP_ELEMENTWISE | OP_REALS, .formula = text, .operands = "x", .min_operands = 0,	\
	.max_operands = 1, .shape = shape

static const struct attr_spec shape_alone[] = { SHAPE_ATTR, ATTRS_END };
static const struct attr_spec value_and_shape[] = {
	{ "value", ATTR_REAL, "what all elements are", .required = true }, SHAPE_ATTR, ATTRS_END
};

const struct op op_zeros = {
	.name = "zeros",
	.brief = "a tensor of zeros",
	.doc = "All elements are 0: zeros(3, 4), zeros(x)." LIKE_OR_SHAPE,
	.attrs = shape_alone,
	NUMBER("0"),
};

const struct op op_ones = {
	.name = "ones",
	.brief = "a tensor of ones",
	.doc = "All elements are 1: ones(3, 4), ones(x)." LIKE_OR_SHAPE,
	.attrs = shape_alone,
	NUMBER("1"),
};

const struct op op_constant = {
	.name = "constant",
	.brief = "a tensor of one number",
	.doc = "All elements are the value: constant((3, 4), 0.5), constant(x, 0.5)." LIKE_OR_SHAPE
	    " Inside init=, constant(value) is how a parameter starts.",
	.attrs = value_and_shape,
	NUMBER("value"),
};

/* ---- iota ---- */

static bool
iota_shape(struct build *b, struct node *n)
{
	const struct tensor *y;
	int64_t axis = op_int(n, "axis");

	if (!shape_like(b, n, false))
		return false;
	y = n->out[0];
	return (axis >= -y->rank && axis < y->rank) ||
	    op_error(b, n, "iota: axis %lld does not exist in shape %s", (long long)axis,
	    tensor_shape_text(b->module->arena, y));
}

static void
emit_iota(struct emitter *e, const struct node *n)
{
	const struct tensor *y = n->out[0];
	int axis = shape_axis_of(n, y);

	emit_call(e, "iota", arg_tensor(y), arg_real(op_real(n, "start")), arg_real(op_real(n, "step")),
	    arg_count(y), arg_int(y->dim[axis]), arg_int(shape_product(y, axis + 1, y->rank)));
}

const struct op op_iota = {
	.name = "iota",
	.kind = OP_LAYER,
	.brief = "numbers that count along an axis",
	.doc = "y = start + step i, where i is the place along the axis, from 0: iota(4) is 0, 1, 2, 3, and iota((2, 3), "
	    "axis=0) is 0, 0, 0, 1, 1, 1." LIKE_OR_SHAPE,
	.attrs = (const struct attr_spec[]){
		SHAPE_ATTR,
		{ "axis", ATTR_INT, "the axis, counted without the batch; -1 is the last", .preset = "-1",
		    .min = -MAX_RANK, .max = MAX_RANK - 1 },
		{ "start", ATTR_REAL, "the first", .preset = "0" },
		{ "step", ATTR_REAL, "from one to the next", .preset = "1" },
		ATTRS_END
	},
	.operands = "x",
	.min_operands = 0, .max_operands = 1,
	.shape = iota_shape,
	.calls.kernels = "pointwise/iota.cu",
	.calls.emit = emit_iota,
};

/* ---- triangles ---- */

static bool
triangle_shape(struct build *b, struct node *n)
{
	const struct attr *a = op_attr(n, "shape");
	int64_t dim[MAX_RANK];

	memcpy(dim, a->v, sizeof(dim));
	if (a->n == 1)
		dim[1] = dim[0];
	return op_output(b, n, NULL, T_ACTIVATION, shape_real(b->module), false, a->n == 1 ? 2 : a->n, dim) != NULL;
}

extern const struct op op_triu;

static void
emit_triangle(struct emitter *e, const struct node *n)
{
	const struct tensor *y = n->out[0];

	emit_call(e, n->op == &op_triu ? "iota_upper" : "iota_lower", arg_tensor(y), arg_int(op_int(n, "diagonal")),
	    arg_count(y), arg_int(y->dim[y->rank - 2]), arg_int(y->dim[y->rank - 1]));
}

static const struct attr_spec triangle_attrs[] = {
	{ "shape", ATTR_INTS, "its extents, of which the last two are rows and columns; one number is both", .required = true,
	    .min = 1, .max = LARGEST_EXTENT },
	{ "diagonal", ATTR_INT, "how far the last diagonal of ones is to the right of the main one; to the left where it is "
	    "negative", .preset = "0", .min = -0x1p40, .max = 0x1p40 },
	ATTRS_END
};

#define TRIANGLE									\
	.kind = OP_LAYER, .attrs = triangle_attrs, .operands = "", .min_operands = 0, .max_operands = 0,			\
	.shape = triangle_shape, .calls.kernels = "pointwise/iota.cu", .calls.emit = emit_triangle

const struct op op_tril = {
	.name = "tril",
	.brief = "a mask: ones below the diagonal",
	.doc = "y[i, j] = 1 where j - i is at most `diagonal`, else 0: tril(8) lets each of 8 positions see itself and those "
	    "before it. x * tril(8) is what PyTorch calls tril(x). It has no gradient.",
	TRIANGLE,
};

const struct op op_triu = {
	.name = "triu",
	.brief = "a mask: ones above the diagonal",
	.doc = "y[i, j] = 1 where j - i is at least `diagonal`, else 0. x * triu(8) is what PyTorch calls triu(x). It has no "
	    "gradient.",
	TRIANGLE,
};

/* ---- the places of a triangle ---- */

extern const struct op op_triu_index;

/* How many of [rows, columns] have column - row of at most D. */
static int64_t
lower_places(int64_t rows, int64_t columns, int64_t d)
{
	int64_t first = d < 0 ? -d : 0, full = columns - 1 - d > first ? columns - 1 - d : first, sloped;

	if (first >= rows)
		return 0;
	full = full < rows ? full : rows;
	sloped = full - first;		/* rows of first + d + 1 places, one more in each */
	return sloped * (first + d + 1) + sloped * (sloped - 1) / 2 + (rows - full) * columns;
}

static bool
index_shape(struct build *b, struct node *n)
{
	const struct attr *a = op_attr(n, "shape");
	int64_t rows = a->v[0], columns = a->n > 1 ? a->v[1] : rows, d = op_int(n, "diagonal"), places;
	struct tensor *y;

	if (a->n > 2)
		return op_error(b, n, "%s: rows and columns are two numbers, or one if they are equal", n->op->name);
	if (rows > INT32_MAX / columns)
		return op_error(b, n, "%s: %lld x %lld places are too many for indices of 32 bits", n->op->name,
		    (long long)rows, (long long)columns);
	places = n->op == &op_triu_index ? rows * columns - lower_places(rows, columns, d - 1) :
	    lower_places(rows, columns, d);
	if (places == 0)
		return op_error(b, n, "%s: with diagonal=%lld nothing of %lld x %lld is left", n->op->name, (long long)d,
		    (long long)rows, (long long)columns);
	y = op_output(b, n, NULL, T_ACTIVATION, DT_I32, false, 1, &places);
	if (y)
		y->classes = (int)(rows * columns);
	return y != NULL;
}

static void
emit_index(struct emitter *e, const struct node *n)
{
	const struct attr *a = op_attr(n, "shape");

	emit_call(e, n->op == &op_triu_index ? "iota_upper_index" : "iota_lower_index", arg_tensor(n->out[0]),
	    arg_int(op_int(n, "diagonal")), arg_int(a->v[0]), arg_int(a->v[a->n > 1]));
}

/* A buffer of int64 that its module makes beforehand. */
static void
torch_index(struct tape *t, const struct node *n)
{
	t->layers_bytes += tape_bytes_as(t, n->out[0], 8);
	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .output = TORCH_NEW }));
}

#define TRIANGLE_INDEX									\
	.kind = OP_LAYER, .attrs = triangle_attrs, .operands = "", .min_operands = 0, .max_operands = 0,			\
	.shape = index_shape, .calls.kernels = "pointwise/iota.cu", .calls.emit = emit_index, .torch.calls = torch_index

const struct op op_tril_index = {
	.name = "tril_index",
	.brief = "indices of the places below a diagonal",
	.doc = "The places i columns + j of a matrix with j - i of at most `diagonal`, row by row, as a class for take: x [27, 27] "
	    "-> flatten -> take(tril_index(27, diagonal=-1)) gives the 351 numbers below the diagonal, what PyTorch writes "
	    "x[:, i, j] with i, j = tril_indices(27, 27, -1). It does not depend on the batch.",
	TRIANGLE_INDEX,
};

const struct op op_triu_index = {
	.name = "triu_index",
	.brief = "indices of the places above a diagonal",
	.doc = "The places i columns + j of a matrix with j - i of at least `diagonal`, row by row, as a class for take. See "
	    "tril_index.",
	TRIANGLE_INDEX,
};
