/*
 * Numbers drawn at random for each element: normal and uniform. The generator is dropout's, so they
 * are a function of the seed, the step, this node and the element, and nothing is kept of them but
 * themselves; what backward reads may be drawn again. Their shape may be that of an operand, of
 * which nothing is read: shape() lets go of it. Nothing has a gradient.
 */
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "calls/tape.h"

#define LIKE_OR_SHAPE									\
	" x says the shape, and whether there is one for each sample; its elements are not read. Where there is no x, "	\
	"`shape` says it, and each sample has its own: z = normal((64,))."
#define DRAWN										\
	" Numbers come from Philox-4x32-7, a function of the seed, the step, this operator and the element, as for "	\
	"dropout: the same on both targets, whatever the number of threads, and after a resume. In validation they "	\
	"are drawn too, the same in every epoch. They have no gradient."

static bool
shape(struct build *b, struct node *n)
{
	return shape_like(b, n, true);
}

static void
emit_normal(struct emitter *e, const struct node *n)
{
	emit_call(e, "noise_normal", arg_tensor(n->out[0]), arg_step(e, n->out[0]), arg_stream(n), arg_real(op_real(n, "mean")),
	    arg_real(op_real(n, "std")), arg_count(n->out[0]));
}

static void
emit_uniform(struct emitter *e, const struct node *n)
{
	double low = op_real(n, "low");

	emit_call(e, "noise_uniform", arg_tensor(n->out[0]), arg_step(e, n->out[0]), arg_stream(n), arg_real(low),
	    arg_real(op_real(n, "high") - low), arg_count(n->out[0]));
}

const struct op op_normal = {
	.name = "normal",
	.kind = OP_LAYER,
	.brief = "random numbers, normally distributed",
	.doc = "Each element is drawn from the normal distribution of that mean and standard deviation." LIKE_OR_SHAPE
	    DRAWN " Inside init=, normal(deviation) is how a parameter starts.",
	.flags = OP_RANDOM,
	.attrs = (const struct attr_spec[]){
		{ "mean", ATTR_REAL, "the mean", .preset = "0" },
		{ "std", ATTR_REAL, "the standard deviation", .preset = "1", .min = 0, .max = 1e30 },
		SHAPE_ATTR, ATTRS_END
	},
	.operands = "x",
	.min_operands = 0, .max_operands = 1,
	.shape = shape,
	.calls.kernels = "pointwise/noise.cu",
	.calls.emit = emit_normal,
};

const struct op op_uniform = {
	.name = "uniform",
	.kind = OP_LAYER,
	.brief = "random numbers, uniformly distributed",
	.doc = "Each element is drawn from low to high, all numbers being equally likely." LIKE_OR_SHAPE DRAWN
	    " Inside init=, uniform(bound) is how a parameter starts.",
	.flags = OP_RANDOM,
	.attrs = (const struct attr_spec[]){
		{ "low", ATTR_REAL, "the least", .preset = "0" },
		{ "high", ATTR_REAL, "the most", .preset = "1" },
		SHAPE_ATTR, ATTRS_END
	},
	.operands = "x",
	.min_operands = 0, .max_operands = 1,
	.shape = shape,
	.calls.kernels = "pointwise/noise.cu",
	.calls.emit = emit_uniform,
};
