/* sinusoid: the positions of a sequence as sines and cosines. Nothing is trained, and nothing kept:
 * it is made again in every step. */
#include "calls/emitter.h"
#include "calls/tape.h"
#include "ops/shapes.h"

static const struct attr_spec attrs[] = {
	{ "positions", ATTR_INT, "how many there are", .required = true, .min = 1,
	    .max = (double)LARGEST_EXTENT },
	{ "width", ATTR_INT, "numbers of each, an even count", .required = true, .min = 2,
	    .max = (double)LARGEST_EXTENT },
	{ "base", ATTR_REAL, "the last pair is about so many times slower than the first", .preset = "10000",
	    .min = 1, .max = 1e12 },
	{ "interleaved", ATTR_BOOL, "sine and cosine are neighbours, as in the paper; otherwise all sines come first",
	    .preset = "true" },
	{ "first", ATTR_REAL, "the position of the first row", .preset = "0", .min = -1e9, .max = 1e9 },
	ATTRS_END
};

static bool
shape(struct build *b, struct node *n)
{
	if (op_int(n, "width") % 2)
		return op_error(b, n, "sinusoid: width is %lld, and a sine and a cosine take two: give an even one",
		    (long long)op_int(n, "width"));
	return op_output(b, n, NULL, T_ACTIVATION, shape_real(b->module), false, 2,
	    (int64_t[]){ op_int(n, "positions"), op_int(n, "width") }) != NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *y = n->out[0];

	emit_call(e, "sinusoid", arg_tensor(y), arg_text(arena_printf(e->module->arena, "(struct sinusoid){ .t = %lld, "
	    ".d = %lld, .interleaved = %d, .first = %s, .base = %s }", (long long)y->dim[0], (long long)y->dim[1],
	    op_bool(n, "interleaved"), emit_double(e, op_real(n, "first")), emit_double(e, op_real(n, "base")))));
}

/* A buffer of its layer, which is there before the step. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	t->layers_bytes += tape_bytes(t, n->out[0]);
	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .output = TORCH_NEW }));
}

const struct op op_sinusoid = {
	.name = "sinusoid",
	.kind = OP_LAYER,
	.brief = "positions as sines and cosines",
	.doc = "Of position p, number 2 i is sin(p / base^(2 i / width)) and number 2 i + 1 the cosine of the same "
	    "(Vaswani and others, 2017): x + sinusoid(128, 512) of x [128, 512]. With interleaved=false the sines of all "
	    "pairs come before their cosines, as in fairseq. Angles are made in double precision. It does not depend "
	    "on the batch and is not trained; it is made in every step, and takes memory only while it is read. For "
	    "trained positions see parameter, for rotary ones rope.",
	.attrs = attrs,
	.operands = "",
	.min_operands = 0, .max_operands = 0,
	.shape = shape,
	.torch.calls = torch_calls,
	.calls.kernels = "pointwise/sinusoid.cu",
	.calls.emit = emit,
};
