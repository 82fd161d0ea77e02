/* cast: bytes and integers as floating-point numbers. Integers have no gradient, so it has none. */
#include "ops/shapes.h"

#include "calls/emitter.h"

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];

	return op_output(b, n, NULL, T_ACTIVATION, dtype_is_float(x->dtype) ? x->dtype :
	    shape_real(b->module), x->batched, x->rank, x->dim) != NULL;
}

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	(void)g;
	return n->in[0]->dtype == n->out[0]->dtype ? n->in[0] : NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, n->in[0]->dtype == DT_U8 ? "cast_u8" : "cast_i32", arg_tensor(n->out[0]),
	    arg_tensor(n->in[0]), arg_count(n->out[0]));
}

const struct op op_cast = {
	.name = "cast",
	.kind = OP_LAYER,
	.brief = "integers as floating-point numbers",
	.doc = "Turns bytes, classes and tokens into the network's floating-point type, without scaling "
	    "them; floating-point input passes through. The output has the shape of the input, and no gradient. "
	    "Staging images as u8 and casting them takes a quarter of the memory of f32 images. Of classes, "
	    "(labels -> cast) > 0 is a mask; in 16 bits numbers above 256 (bf16) or 2048 (f16) are rounded.",
	.flags = OP_ELEMENTWISE,
	.operands = "numbers",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.simplify.identity = identity,
	.calls.kernels = "copy/cast.cu",
	.calls.listed = true,
	.calls.emit = emit,
};
