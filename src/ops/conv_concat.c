/*
 * conv_concat: a convolution whose input's channels lie in several tensors, of which it perhaps
 * sees a rectangle only: concat, and crops before it, that never happen
 * (kernels/conv/conv_concat.cu). The pass concat-in-place makes it.
 *
 *     in:   weight, bias or NULL, sources
 *     out:  y
 *
 * Backward is a product for each source that wants a gradient, so each can add onto others of its
 * tensor, and one for the weights, whose operands are dy, CONV_SOURCES sources (NULL past the last)
 * and what it adds onto.
 */
#include "ops/conv.h"

#include "ir/diff.h"

#include "calls/emitter.h"

#include <string.h>

enum { WEIGHT, BIAS, SOURCE };

#define EXTENT	.min = 0, .max = (double)LARGEST_PLANE

static const struct attr_spec attrs[] = {
	CONV_ATTRS,
	{ "size", ATTR_PAIR, "height and width of what is seen of each source", .required = true,
	    EXTENT },
	{ "top", ATTR_INTS, "first row seen of each source", .required = true, EXTENT },
	{ "left", ATTR_INTS, "first column seen of each source", .required = true, EXTENT },
	ATTRS_END
};

static const struct attr_spec attrs_of_input[] = {
	CONV_ATTRS,
	{ "size", ATTR_PAIR, "height and width of what is seen of the source", .required = true,
	    EXTENT },
	{ "corner", ATTR_PAIR, "first row and first column that are seen", .required = true,
	    EXTENT },
	{ "first", ATTR_INT, "its first channel among those of all sources", .required = true,
	    EXTENT },
	ATTRS_END
};

static int
nsources(const struct node *n)
{
	return op_attr(n, "top")->n;
}

static struct conv
geometry(const struct node *n, const struct tensor *weight, const struct tensor *y,
    struct tensor *const *source, int nsources)
{
	const struct attr *size = op_attr(n, "size");
	struct conv_attrs a = conv_attrs(n);
	struct tensor x = { .rank = 3, .dim = { weight->dim[1], size->v[0], size->v[1] } };
	int i;

	for (i = 0; i < nsources; i++)
		x.channels_last |= source[i]->channels_last;
	return product_conv(&a, &x, y, weight);
}

/* One convolution for each of the sources, from IN on; those after the first add to what that made,
 * if ADDED. */
static void
note_parts(struct emitter *e, const struct node *n, int kind, bool bias, bool added,
    const struct conv *s, struct tensor *const *in)
{
	const struct attr *top = op_attr(n, "top"), *left = op_attr(n, "left");
	int i;

	for (i = 0; i < nsources(n); i++)
		emit_convolution_part(e, n, kind, bias && i == 0, added && i > 0, s, in[i],
		    top->v[i], left->v[i]);
}

/* "beside(beside(no_sources(), F32(..), b, (struct part){ .channels = 64, .. }), ..)", of the
 * sources from IN on; with channels last "beside_last(..)". */
static const char *
sources_text(struct emitter *e, const struct node *n, struct tensor *const *in, bool last)
{
	const struct attr *top = op_attr(n, "top"), *left = op_attr(n, "left");
	const char *text = "no_sources()";
	int i;

	for (i = 0; i < nsources(n); i++)
		text = arena_printf(e->module->arena,
		    "%s(%s,\n\t    %s, %s, (struct part){ .channels = %lld, .h = %lld, .w = %lld, "
		    ".top = %lld, .left = %lld })",
		    last ? "beside_last" : "beside", text,
		    emit_pointer(e, in[i]), in[i]->batched ? "b" : "1", (long long)in[i]->dim[0],
		    (long long)in[i]->dim[1], (long long)in[i]->dim[2], (long long)top->v[i],
		    (long long)left->v[i]);
	return text;
}

/* WORK, and where it is for cuDNN, room for a copy of the weights of the source of IN that has
 * most, beside it (kernels/conv/conv_concat_cudnn.cu). Where that is much, the copy has to find
 * what is free (plan/spare.c). */
static struct affine
with_copies(const struct node *n, const struct room *room, const struct conv *s,
    struct tensor *const *in, int sources, struct affine work)
{
	int64_t bytes = 0;
	int i;

	for (i = 0; i < sources; i++) {
		struct conv part = conv_part(*s, (int)in[i]->dim[0]);

		bytes = most(bytes, conv_part_bytes(&part, dtype_bytes(n->in[0]->dtype)));
	}
	if (room->target->libraries && bytes <= room->library)
		work.fixed += bytes;
	return work;
}

/* ---- backward ---- */

static struct affine
macs_of_input(const struct node *n)
{
	const struct tensor *dy = n->in[0], *w = n->in[1];

	return product_macs(dy, product_of(n->out[0]->dim[0] * w->dim[0], w->dim[2] * w->dim[3]),
	    product_of(dy->dim[1], dy->dim[2]));
}

static struct affine
work_of_input(const struct node *n, const struct room *room)
{
	struct conv s = geometry(n, n->in[1], n->in[0], n->out, 1);

	return with_copies(n, room, &s, n->out, 1,
	    product_work_library(n, room, conv_backward_depth(&s), MANY_COLUMNS));
}

/* The part of the source that is seen, as an argument of a kernel. */
static const char *
part_text(struct emitter *e, const struct node *n)
{
	const struct tensor *dx = n->out[0];
	const struct attr *corner = op_attr(n, "corner");

	return arena_printf(e->module->arena,
	    "(struct part){ .first = %lld, .channels = %lld, .h = %lld, .w = %lld,\n\t    "
	    ".top = %lld, .left = %lld }", (long long)op_int(n, "first"),
	    (long long)dx->dim[0], (long long)dx->dim[1], (long long)dx->dim[2],
	    (long long)corner->v[0], (long long)corner->v[1]);
}

static void
emit_input(struct emitter *e, const struct node *n)
{
	const struct tensor *dx = n->out[0];
	const struct attr *corner = op_attr(n, "corner");
	struct conv s = geometry(n, n->in[1], n->in[0], n->out, 1);

	emit_convolution_part(e, n, DNN_INPUT, false, op_base(n) ? n->keep : 0, &s, dx,
	    corner->v[0], corner->v[1]);
	emit_call(e, "conv_concat_backward_input", arg_tensor(dx), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_onto(n), arg_work(n), arg_work_bytes(n), arg_batch(n->in[0]),
	    arg_text(product_conv_text(e, &s)), arg_text(part_text(e, n)));
}

const struct op op_conv_concat_grad_input = {
	.name = "conv_concat_grad_input",
	.kind = OP_INTERNAL,
	.flags = OP_LIBRARY,
	.brief = "gradient of conv_concat with respect to one of its sources",
	.attrs = attrs_of_input,
	.operands = "dy weight",
	.min_operands = 2, .max_operands = 2,
	.macs = macs_of_input,
	.memory.workspace = work_of_input,
	.memory.onto = 2,
	.calls.kernels = "conv/conv_concat.cu",
	.calls.emit = emit_input,
};

static struct affine
macs_of_weight(const struct node *n)
{
	const struct tensor *dy = n->in[0];

	return product_macs(dy, tensor_elements_per_sample(n->out[0]),
	    product_of(dy->dim[1], dy->dim[2]));
}

static struct affine
work_of_weight(const struct node *n, const struct room *room)
{
	struct conv s = geometry(n, n->out[0], n->in[0], n->in + 1, nsources(n));

	return with_copies(n, room, &s, n->in + 1, nsources(n),
	    product_work_weight(n, room, &s));
}

static void
emit_weight(struct emitter *e, const struct node *n)
{
	struct conv s = geometry(n, n->out[0], n->in[0], n->in + 1, nsources(n));

	note_parts(e, n, DNN_WEIGHT, false, false, &s, n->in + 1);
	emit_call(e, "conv_concat_backward_weight", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_text(sources_text(e, n, n->in + 1, s.last)), arg_onto(n), arg_work(n),
	    arg_work_bytes(n), arg_batch(n->in[0]), arg_text(product_conv_text(e, &s)));
}

const struct op op_conv_concat_grad_weight = {
	.name = "conv_concat_grad_weight",
	.kind = OP_INTERNAL,
	.flags = OP_LIBRARY,
	.brief = "gradient of conv_concat with respect to its weights",
	.attrs = attrs,
	.operands = "dy sources...",
	.min_operands = 2, .max_operands = 1 + CONV_SOURCES,
	.macs = macs_of_weight,
	.memory.workspace = work_of_weight,
	.memory.onto = 1 + CONV_SOURCES,
	.calls.kernels = "conv/conv_concat.cu",
	.calls.emit = emit_weight,
};

/* Of source K, the first of whose channels is FIRST. */
static void
grad_source(struct diff *d, struct node *n, int k, int64_t first)
{
	const struct attr *top = op_attr(n, "top"), *left = op_attr(n, "left");
	int nconv = op_nattrs(&op_conv);
	struct node *back = diff_node(d, n, &op_conv_concat_grad_input, 2,
	    (struct tensor *[]){ diff_of(d, n->out[0]), n->in[WEIGHT] });
	struct attr *a = diff_attrs(d, back);

	memcpy(a, n->attr, (size_t)(nconv + 1) * sizeof(*a));
	a[nconv + 1] = (struct attr){ .given = true, .n = 2, .v = { top->v[k], left->v[k] } };
	a[nconv + 2] = (struct attr){ .given = true, .i = first };
	diff_output(d, back, n->in[SOURCE + k]);
}

/* The weights' gradient comes first, as of any product (product.c). */
static bool
grad(struct diff *d, struct node *n)
{
	struct tensor *dy = diff_of(d, n->out[0]), *in[1 + CONV_SOURCES] = { dy };
	int64_t first = 0;
	int i;

	for (i = 0; i < nsources(n); i++)
		in[1 + i] = n->in[SOURCE + i];
	if (diff_wants(d, n->in[WEIGHT]))
		diff_output(d, diff_node(d, n, &op_conv_concat_grad_weight, 1 + nsources(n), in),
		    n->in[WEIGHT]);
	if (diff_wants(d, n->in[BIAS]))
		product_bias_gradient(d, n, dy, n->in[BIAS]);
	for (i = 0; i < nsources(n); i++) {
		if (diff_wants(d, n->in[SOURCE + i]))
			grad_source(d, n, i, first);
		first += n->in[SOURCE + i]->dim[0];
	}
	return true;
}

/* ---- forward ---- */

static struct affine
macs(const struct node *n)
{
	const struct tensor *y = n->out[0];

	return product_macs(y, tensor_elements_per_sample(n->in[WEIGHT]),
	    product_of(y->dim[1], y->dim[2]));
}

static struct affine
work(const struct node *n, const struct room *room)
{
	const struct tensor *w = n->in[WEIGHT];
	struct conv s = geometry(n, w, n->out[0], n->in + SOURCE, nsources(n));

	return with_copies(n, room, &s, n->in + SOURCE, nsources(n),
	    product_work_library(n, room, w->dim[1] * w->dim[2] * w->dim[3], MANY_COLUMNS));
}

static void
emit(struct emitter *e, const struct node *n)
{
	struct conv s = geometry(n, n->in[WEIGHT], n->out[0], n->in + SOURCE, nsources(n));

	note_parts(e, n, DNN_FORWARD, n->in[BIAS] != NULL, true, &s, n->in + SOURCE);
	emit_call(e, "conv_concat_forward", arg_tensor(n->out[0]),
	    arg_text(sources_text(e, n, n->in + SOURCE, s.last)), arg_tensor(n->in[WEIGHT]),
	    arg_tensor(n->in[BIAS]), arg_work(n), arg_work_bytes(n), arg_batch(n->out[0]),
	    arg_text(product_conv_text(e, &s)));
}

const struct op op_conv_concat = {
	.name = "conv_concat",
	.kind = OP_INTERNAL,
	.flags = OP_LIBRARY,
	.brief = "2-D convolution of channels that lie in several tensors",
	.attrs = attrs,
	.operands = "weight bias sources...",
	.min_operands = SOURCE + 2, .max_operands = SOURCE + CONV_SOURCES,
	.macs = macs,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(WEIGHT) | ((1u << CONV_SOURCES) - 1) * SAVES_IN(SOURCE),
	.memory.workspace = work,
	.memory.layout = product_layout,
	.calls.kernels = "conv/conv_concat.cu",
	.calls.emit = emit,
};

void
conv_join(struct module *m, struct node *conv, const struct conv_source *source, int n)
{
	int nconv = op_nattrs(&op_conv), i;
	struct attr *a = arena_array(m->arena, (size_t)op_nattrs(&op_conv_concat) + 1, sizeof(*a));
	struct attr *top = &a[nconv + 1], *left = &a[nconv + 2];
	struct tensor **in = arena_array(m->arena, (size_t)(SOURCE + n), sizeof(*in));
	const struct tensor *x = conv->in[0];

	memcpy(a, conv->attr, (size_t)nconv * sizeof(*a));
	a[nconv] = (struct attr){ .given = true, .n = 2, .v = { x->dim[1], x->dim[2] } };
	*top = *left = (struct attr){ .given = true, .n = n };
	in[WEIGHT] = conv->in[1];
	in[BIAS] = conv->nin > 2 ? conv->in[2] : NULL;
	for (i = 0; i < n; i++) {
		in[SOURCE + i] = source[i].tensor;
		top->v[i] = source[i].top;
		left->v[i] = source[i].left;
	}
	conv->op = &op_conv_concat;
	conv->attr = a;
	conv->in = in;
	conv->nin = conv->in_room = SOURCE + n;
}
