/*
 * rope: rotary position embedding. It turns pairs of numbers by angles, so its gradient is the same
 * turn back, reads neither input nor output, and both run in place.
 */
#include "ir/diff.h"

#include "calls/emitter.h"
#include "calls/tape.h"
#include "ops/attend.h"
#include "ops/product.h"
#include "ops/shapes.h"

static const struct attr_spec attrs[] = {
	{ "heads", ATTR_INT, "how many heads lie side by side in the last dimension", .required = true,
	    .min = 1, .max = MOST_HEADS },
	{ "base", ATTR_REAL, "the last pair of a head turns about so many times slower than the first",
	    .preset = "10000", .min = 1, .max = 1e12 },
	{ "interleaved", ATTR_BOOL, "pairs are neighbours, as in the paper; otherwise the second of a pair lies "
	    "half a head after the first, as in Hugging Face's models", .preset = "false" },
	{ "dims", ATTR_INT, "how many numbers of each head are turned, from its first on; 0: all",
	    .preset = "0", .min = 0, .max = (double)LARGEST_EXTENT },
	{ "rest", ATTR_INT, "how many numbers at the end of each row belong to no such head, and stay as they are",
	    .preset = "0", .min = 0, .max = (double)LARGEST_EXTENT },
	{ "first", ATTR_REAL, "the position of the first row", .preset = "0", .min = -1e9, .max = 1e9 },
	{ "stretch", ATTR_REAL, "what positions are divided by, as where a network is to see longer texts",
	    .preset = "1", .min = 1e-3, .max = 1e6 },
	ATTRS_END
};

/* Numbers of a head, and those of them that are turned. */
static int64_t
width_of(const struct node *n, const struct tensor *x)
{
	return (x->dim[x->rank - 1] - op_int(n, "rest")) / op_int(n, "heads");
}

static int64_t
dims_of(const struct node *n, const struct tensor *x)
{
	return op_int(n, "dims") ? op_int(n, "dims") : width_of(n, x);
}

static void
emit_turn(struct emitter *e, const struct node *n, int turn)
{
	const struct tensor *x = n->in[0];
	const char *first = op_real(n, "first") == 0 ? "" : arena_printf(e->module->arena, ".first = %s, ",
	    emit_double(e, op_real(n, "first")));

	emit_call(e, "rope", arg_tensor(n->out[0]), arg_tensor(x), arg_text(arena_printf(e->module->arena,
	    "(struct rope){ .b = %s, .t = %lld, .row = %lld, .heads = %lld, .d = %lld, .dims = %lld,\n\t    "
	    ".interleaved = %d, .turn = %d, %s.stretch = %s, .base = %s }", emit_rows(e, x, x->rank - 2),
	    (long long)x->dim[x->rank - 2], (long long)x->dim[x->rank - 1], (long long)op_int(n, "heads"),
	    (long long)width_of(n, x), (long long)dims_of(n, x), op_bool(n, "interleaved"), turn, first,
	    emit_double(e, op_real(n, "stretch")), emit_double(e, op_real(n, "base")))));
}

static void
emit_backward(struct emitter *e, const struct node *n)
{
	emit_turn(e, n, -1);
}

const struct op op_rope_grad = {
	.name = "rope_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of rope: the same turn, back",
	.attrs = attrs,
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.inplace = 1u << 0,
	.calls.kernels = "pointwise/rope.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_rope_grad, 0, NULL);
}

static bool
shape(struct build *b, struct node *n)
{
	int64_t heads = op_int(n, "heads"), rest = op_int(n, "rest"), features, dims;
	const struct tensor *x = n->in[0];

	if (!shape_float(b, n, 0) || !shape_needs_rank(b, n, 0, 2, "[..., positions, features]"))
		return false;
	features = x->dim[x->rank - 1];
	if (rest >= features)
		return op_error(b, n, "rope: rest is %lld, and the input is %s, whose rows have only %lld numbers",
		    (long long)rest, op_operand_text(b, x), (long long)features);
	if ((features - rest) % heads)
		return op_error(b, n, "rope: the %lld features of %s%s do not divide into %lld heads",
		    (long long)(features - rest), op_operand_text(b, x), rest ? ", without the rest," : "",
		    (long long)heads);
	dims = dims_of(n, x);
	if (dims > width_of(n, x))
		return op_error(b, n, "rope: dims is %lld, but each of %lld heads of %s has %lld numbers",
		    (long long)dims, (long long)heads, op_operand_text(b, x), (long long)width_of(n, x));
	if (dims % 2)
		return op_error(b, n, "rope: turns pairs, and %lld numbers of a head are not pairs: give an even "
		    "dims, or other heads", (long long)dims);
	return op_shape_same(b, n);
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_turn(e, n, 1);
}

/* ---- in PyTorch ---- */

struct calls {
	struct tape *t;
	int64_t rows;		/* bytes that a number of each row takes */
};

static int
call(const struct calls *c, int64_t width, struct tape_call call)
{
	call.bytes = product_of(c->rows, width);
	return tape_call(c->t, &call);
}

static int
slice(const struct calls *c, int x, int64_t width)
{
	return call(c, width, (struct tape_call){ .output = TORCH_VIEW, .in = &x, .nin = 1, .strided = true });
}

static int
joined(const struct calls *c, int x, int y, int64_t width)
{
	return call(c, width, (struct tape_call){ .in = (int[]){ x, y }, .nin = 2, .pieces = true });
}

static int
times(const struct calls *c, int x, int table, int64_t width)
{
	return call(c, width, (struct tape_call){ .in = (int[]){ x, table }, .nin = 2, .crosswise = true,
	    .saves = SAVES_IN(0) | SAVES_IN(1) });
}

/* x cos + cat(-second, first) sin, as in Hugging Face's models, whose cosines and sines are tables;
 * what is not turned is cut off, and joined again. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	const struct tensor *x = n->in[0];
	int64_t row = x->dim[x->rank - 1], rest = op_int(n, "rest"), heads = op_int(n, "heads");
	int64_t width = row - rest, turned = product_of(dims_of(n, x), heads);
	int64_t table = product_of(dims_of(n, x), product_of(x->dim[x->rank - 2], dtype_bytes(x->dtype)));
	struct calls c = { t, tape_bytes(t, x) / row };
	int all = tape_value(t, x), kept = rest ? slice(&c, all, rest) : TAPE_NONE;
	int of_heads = rest ? slice(&c, all, width) : all, y = of_heads, half, sum;
	int cosines = tape_call(t, &(struct tape_call){ .bytes = table });
	int sines = tape_call(t, &(struct tape_call){ .bytes = table });

	if (turned < width)
		y = slice(&c, of_heads, turned);
	sum = times(&c, y, cosines, turned);
	half = slice(&c, y, turned / 2);
	half = call(&c, turned / 2, (struct tape_call){ .in = &half, .nin = 1 });
	y = joined(&c, half, slice(&c, y, turned / 2), turned);
	y = times(&c, y, sines, turned);
	y = call(&c, turned, (struct tape_call){ .in = (int[]){ sum, y }, .nin = 2, .passes = 1u << 0 | 1u << 1 });
	if (turned < width)
		y = joined(&c, y, slice(&c, of_heads, width - turned), width);
	if (rest)
		y = joined(&c, y, kept, row);
	tape_result(t, n->out[0], y);
}

const struct op op_rope = {
	.name = "rope",
	.kind = OP_LAYER,
	.brief = "rotary position embedding",
	.doc = "Queries and keys are turned by their position, so that their products depend on how far apart they "
	    "are (Su and others, RoFormer, 2021): q -> rope(12), k -> rope(12), then attend. Of [..., T, heads d], "
	    "pair j of each head at position p becomes (a cos t - b sin t, a sin t + b cos t), with t = p / base^(2 "
	    "j / d). The output has the shape of the input.\n\n"
	    "A pair is the numbers j and j + d / 2 of a head, as in Hugging Face's Llama and GPT-NeoX, or with "
	    "interleaved the numbers 2 j and 2 j + 1, as in the paper, GPT-J and Meta's Llama. dims=n turns only "
	    "the first n numbers of each head, whose n is then the d of the angle. With rest=n the last n numbers "
	    "of each row stay as they are: with qkv of one dense layer, qkv -> rope(2 * heads, rest=C) turns "
	    "queries and keys alone, and attention(heads, rope=10000) does so. stretch divides positions (Chen and "
	    "others, Position Interpolation, 2023); a larger base slows all but the first pair.\n\n"
	    "There is no table: angles are made in double precision and brought within half a turn before sine and "
	    "cosine, so that f32 is as exact at position 100,000 as at 1. It runs in place, and backward, the turn "
	    "back, reads neither input nor output.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.memory.inplace = 1u << 0,
	.torch.calls = torch_calls,
	.calls.kernels = "pointwise/rope.cu",
	.calls.emit = emit,
};
