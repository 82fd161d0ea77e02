/*
 * anchors: boxes of some sizes and shapes about each place of a map, from which detectors measure.
 * They are known: as iota's, their numbers are made where they are read first.
 */
#include "ops/anchors.h"

#include "ops/shapes.h"

#include <math.h>

#include "calls/emitter.h"
#include "calls/sizes.h"

static const struct attr_spec attrs[] = {
	{ "sizes", ATTR_REALS, "the root of a box's area, in pixels of the picture", .required = true, .min = 1, .max = 1e6 },
	{ "stride", ATTR_PAIR, "pixels of the picture from one place of the map to the next", .required = true, .min = 1,
	    .max = 1 << 20 },
	{ "ratios", ATTR_REALS, "height by width; 1 by default", .min = 0.001, .max = 1000 },
	{ "map", ATTR_PAIR, "height and width of the map, where there is no x", .min = 1, .max = 1 << 24 },
	ATTRS_END
};

/* The attribute's numbers; where it is not given, a 1. */
static int
numbers(const struct node *n, const char *name, const double **v)
{
	static const double one[] = { 1 };
	const struct attr *a = op_attr(n, name);

	*v = a->n ? a->real : one;
	return a->n ? a->n : 1;
}

/* The extents of the map, which is then no operand any more. */
static bool
take_map(struct build *b, struct node *n)
{
	struct attr *size = (struct attr *)op_attr(n, "map");
	const struct tensor *x = n->nin ? n->in[0] : NULL;

	if ((x != NULL) == size->given)
		return op_error(b, n, "anchors: say either a map, anchors(x, ...), or its height and width, map=(50, 84)");
	if (x && !shape_image(b, n, 0))
		return false;
	if (x) {
		size->given = true;
		size->n = 2;
		size->v[0] = x->dim[1];
		size->v[1] = x->dim[2];
	}
	n->nin = 0;
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct attr *size = op_attr(n, "map");
	const double *v;
	int each = numbers(n, "sizes", &v) * numbers(n, "ratios", &v);
	int64_t dim[] = { 0, 4 };

	if (each > ANCHOR_SHAPES)
		return op_error(b, n, "anchors: %d boxes at each place, as many as sizes times ratios, are more than %d", each,
		    ANCHOR_SHAPES);
	if (!take_map(b, n))
		return false;
	if (__builtin_mul_overflow(size->v[0], size->v[1], &dim[0]) || dim[0] > INT32_MAX / each)
		return op_error(b, n, "anchors: %lld x %lld places with %d boxes each are too many for indices of 32 bits",
		    (long long)size->v[0], (long long)size->v[1], each);
	dim[0] *= each;
	return op_output(b, n, NULL, T_ACTIVATION, shape_real(b->module), false, 2, dim) != NULL;
}

int
anchor_shapes(const struct node *n, double *across, double *down)
{
	const double *size, *ratio;
	int sizes = numbers(n, "sizes", &size), ratios = numbers(n, "ratios", &ratio), i, k;

	for (i = 0; i < ratios; i++)
		for (k = 0; k < sizes; k++) {
			float high = sqrtf((float)ratio[i]), side = (float)size[k];

			across[i * sizes + k] = (double)rintf(1 / high * side / 2);
			down[i * sizes + k] = (double)rintf(high * side / 2);
		}
	return sizes * ratios;
}

static const char *
shapes_text(struct emitter *e, const double *half, int count)
{
	struct text t;
	int i;

	text_init(&t, e->module->arena);
	for (i = 0; i < count; i++)
		text_printf(&t, "%s%.0f", i ? ", " : "", half[i]);
	return t.s;
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct attr *size = op_attr(n, "map"), *stride = op_attr(n, "stride");
	double across[ANCHOR_SHAPES], down[ANCHOR_SHAPES];
	int each = anchor_shapes(n, across, down);

	emit_call(e, "anchors", arg_tensor(n->out[0]), arg_text(arena_printf(e->module->arena,
	    "(struct anchors){ %lld, %lld, %d, %lld, %lld,\n\t    .x = { %s },\n\t    .y = { %s } }", (long long)size->v[0],
	    (long long)size->v[1], each, (long long)stride->v[0], (long long)stride->v[1], shapes_text(e, across, each),
	    shapes_text(e, down, each))));
}

const struct op op_anchors = {
	.name = "anchors",
	.kind = OP_LAYER,
	.brief = "boxes of some sizes and shapes about each place of a map",
	.doc = "Boxes [n, 4] of two corners, x1, y1, x2, y2, in pixels of the picture: at each place of the map, row by row, one "
	    "of each size for each ratio; as torchvision's AnchorGenerator, with the same rounding: c3 -> anchors((32, 40, 50), 8, "
	    "(0.5, 1, 2)) of [C, H, W] makes H W 9 of them. About place (i, j) they have the middle (j * stride, i * stride), the "
	    "width size / sqrt(ratio) and the height size * sqrt(ratio), of each the half rounded to a whole number.\n\n"
	    "Of the map no element is read. They do not depend on the batch and have no gradient.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 0, .max_operands = 1,
	.shape = shape,
	.calls.kernels = "boxes/anchors.cu",
	.calls.emit = emit,
};
