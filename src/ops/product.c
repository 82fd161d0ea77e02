/* Helpers of the operators made of matrix products; see product.h. */
#include "ops/product.h"

#include <math.h>

#include "ir/diff.h"
#include "ops/shapes.h"
#include "ops/space.h"

struct conv
product_conv(const struct conv_attrs *a, const struct tensor *large, const struct tensor *small,
    const struct tensor *weight)
{
	bool deep = space_axes(large) == 3;

	return (struct conv){
		.c = (int)large->dim[0], .f = (int)small->dim[0],
		.h = (int)space_extent(large, HEIGHT), .w = (int)space_extent(large, WIDTH),
		.oh = (int)space_extent(small, HEIGHT), .ow = (int)space_extent(small, WIDTH),
		.kh = (int)a->kernel[HEIGHT], .kw = (int)a->kernel[WIDTH],
		.sy = (int)a->stride[HEIGHT], .sx = (int)a->stride[WIDTH],
		.top = (int)a->before[HEIGHT], .left = (int)a->before[WIDTH],
		.dy = (int)a->dilation[HEIGHT], .dx = (int)a->dilation[WIDTH],
		.groups = (int)a->groups,
		.last = large->channels_last || small->channels_last || weight->channels_last,
		.d = deep ? (int)space_extent(large, DEPTH) : 0,
		.od = deep ? (int)space_extent(small, DEPTH) : 0,
		.kd = deep ? (int)a->kernel[DEPTH] : 0,
		.sz = deep ? (int)a->stride[DEPTH] : 0,
		.front = deep ? (int)a->before[DEPTH] : 0,
		.dz = deep ? (int)a->dilation[DEPTH] : 0,
	};
}

enum op_layout
product_layout(const struct node *n)
{
	return space_axes(n->out[0]) == 2 ? LAYOUT_LAST : LAYOUT_FIRST;
}

const char *
product_conv_text(struct emitter *e, const struct conv *s)
{
	const char *padding = s->top || s->left ? arena_printf(e->module->arena,
	    ".top = %d, .left = %d, ", s->top, s->left) : "";
	const char *depth = s->d ? arena_printf(e->module->arena, ",\n\t    .d = %d, .od = %d, .kd = %d, "
	    ".sz = %d, .front = %d, .dz = %d", s->d, s->od, s->kd, s->sz, s->front, s->dz) : "";

	return arena_printf(e->module->arena,
	    "(struct conv){ .c = %d, .h = %d, .w = %d, .f = %d, .oh = %d, .ow = %d,\n\t    "
	    ".kh = %d, .kw = %d, .sy = %d, .sx = %d, %s.dy = %d, .dx = %d, .groups = %d%s%s }",
	    s->c, s->h, s->w, s->f, s->oh, s->ow, s->kh, s->kw, s->sy, s->sx, padding, s->dy, s->dx,
	    s->groups, s->last ? ", .last = 1" : "", depth);
}

int64_t
product_of(int64_t a, int64_t b)
{
	int64_t c;

	return __builtin_mul_overflow(a, b, &c) ? INT64_MAX : c;
}

struct affine
product_elements(const struct node *n, int64_t elements)
{
	return (struct affine){ product_of(elements, dtype_bytes(n->in[0]->dtype)), 0 };
}

bool
product_narrow(const struct node *n)
{
	return dtype_is_narrow(n->in[0]->dtype);
}

struct affine
product_reals(const struct node *n, int64_t reals)
{
	return (struct affine){ product_of(reals, dtype_bytes(n->in[0]->dtype->real)), 0 };
}

struct affine
product_work(const struct node *n, const struct room *room, int64_t depth, int64_t cols)
{
	if (room->target->splits_sums)
		return (struct affine){ 0, 0 };
	return product_reals(n, product_of(product_scratch(depth, cols, product_narrow(n)),
	    room->threads));
}

struct affine
product_work_depthwise(const struct node *n, const struct room *room, const struct conv *s)
{
	if (room->target->splits_sums || s->last)
		return (struct affine){ 0, 0 };
	return product_reals(n, product_of(depthwise_scratch(s), room->threads));
}

/* Multiply-adds of a product that is over before others would have helped: some microseconds. */
#define SMALL_PRODUCT	((int64_t)1 << 26)

bool
product_is_small(const struct node *n, int64_t batch)
{
	int64_t macs = n->op->macs ? affine_at(n->op->macs(n), batch) : 0;

	return macs > 0 && macs < SMALL_PRODUCT;
}

/* A small product needs no workspace to split its sums in, and without one runs beside others, on a
 * GPU, that would have had the same bytes (plan/branches.c). */
static int64_t
library_room(const struct node *n, const struct room *room)
{
	return product_is_small(n, room->batch) ? 0 : room->library;
}

struct affine
product_work_library(const struct node *n, const struct room *room, int64_t depth, int64_t cols)
{
	if (room->target->libraries)
		return (struct affine){ library_room(n, room), 0 };
	return product_work(n, room, depth, cols);
}

struct affine
product_work_weight(const struct node *n, const struct room *room, const struct conv *s)
{
	int splits = conv_gpu_splits(s);
	struct affine parts;

	if (conv_is_depthwise(s) && s->last)
		return product_reals(n, depthwise_last_sums(s));
	if (conv_is_depthwise(s))
		return product_work_depthwise(n, room, s);
	if (!room->target->splits_sums)
		return product_reals(n, conv_weight_scratch(s, room->threads, product_narrow(n)));
	parts = product_reals(n, splits > 1 ? product_of(conv_weights(s), splits) : 0);
	if (room->target->libraries)
		parts.fixed = most(parts.fixed, library_room(n, room));
	return parts;
}

struct affine
product_work_bias(int64_t channels, int64_t parts, const struct room *room)
{
	if (!room->target->splits_sums || parts == 1)
		return (struct affine){ 0, 0 };
	return (struct affine){ channels * parts * (int64_t)sizeof(double), 0 };
}

struct affine
product_macs(const struct tensor *t, int64_t a, int64_t b)
{
	int64_t n = product_of(a, b);

	return t->batched ? (struct affine){ 0, n } : (struct affine){ n, 0 };
}

struct init
product_init(int64_t fan_in)
{
	return (struct init){ INIT_UNIFORM, 1 / sqrt((double)fan_in) };
}

bool
product_params(struct build *b, struct node *n, int64_t outer, int64_t inner, int64_t filters)
{
	int64_t weight[2 + SPACE_AXES] = { outer, inner }, depth = inner;
	int axes = space_axes(n->in[0]), i;
	struct init init;

	for (i = 0; i < axes; i++) {
		weight[2 + i] = op_attr(n, "kernel")->v[i];
		depth = product_of(depth, weight[2 + i]);
	}
	init = product_init(depth);
	return op_param(b, n, "weight", T_PARAM, init, 2 + axes, weight) &&
	    (!op_bool(n, "bias") || op_param(b, n, "bias", T_PARAM, init, 1, &filters));
}

static bool
too_large(const int64_t *dim, int axes)
{
	int64_t positions = 1;
	int i;

	for (i = 1; i <= axes; i++)
		positions = product_of(positions, dim[i]);
	return dim[0] > LARGEST_PLANE || positions > LARGEST_PLANE;
}

#define TOO_LARGE	"too large: channels, and the product of the other extents, are limited to 2^30"

bool
product_space(struct build *b, struct node *n, int most)
{
	if (!space_given(b, n, most))
		return false;
	if (too_large(n->in[0]->dim, space_axes(n->in[0])))
		return op_error(b, n, "%s: input is %s, " TOO_LARGE, n->op->name,
		    op_operand_text(b, n->in[0]));
	return true;
}

bool
product_groups(struct build *b, const struct node *n, const struct conv_attrs *a)
{
	const struct tensor *x = n->in[0];

	if (x->dim[0] % a->groups)
		return op_error(b, n, "%s: %lld input channels cannot be cut into %lld groups: input is %s",
		    n->op->name, (long long)x->dim[0], (long long)a->groups, op_operand_text(b, x));
	if (a->filters % a->groups)
		return op_error(b, n, "%s: %lld filters cannot be cut into %lld groups", n->op->name,
		    (long long)a->filters, (long long)a->groups);
	return true;
}

bool
product_output(struct build *b, struct node *n, const int64_t dim[1 + SPACE_AXES])
{
	const struct tensor *x = n->in[0];
	struct tensor y = { .rank = x->rank };
	int i;

	for (i = 0; i < y.rank; i++)
		y.dim[i] = dim[i];
	if (too_large(dim, space_axes(x)))
		return op_error(b, n, "%s: its output, %s, is " TOO_LARGE, n->op->name,
		    tensor_shape_text(b->module->arena, &y));
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, dim) != NULL;
}

struct affine
product_macs_of_forward(const struct node *n)
{
	return n->forward ? n->forward->op->macs(n->forward) : (struct affine){ 0, 0 };
}

bool
product_grad(struct diff *d, struct node *n, const struct op *of_weight, const struct op *of_input,
    void (*of_bias)(struct diff *, struct node *, struct tensor *dy, struct tensor *bias))
{
	struct tensor *dy = diff_of(d, n->out[0]), *x = n->in[0], *w = n->in[1];

	if (diff_wants(d, w))
		diff_output(d, diff_node(d, n, of_weight, 2, (struct tensor *[]){ dy, x }), w);
	if (n->nin > 2 && diff_wants(d, n->in[2]))
		of_bias(d, n, dy, n->in[2]);
	if (diff_wants(d, x))
		diff_output(d, diff_node(d, n, of_input, 2, (struct tensor *[]){ dy, w }), x);
	return true;
}

void
product_bias_gradient(struct diff *d, struct node *n, struct tensor *dy, struct tensor *bias)
{
	diff_output(d, diff_node(d, n, &op_bias_grad, 1, &dy), bias);
}
