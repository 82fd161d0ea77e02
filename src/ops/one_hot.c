/* one_hot: a class as a row of zeros with a one. It is written whole, and has no gradient. */
#include "ops/shapes.h"

#include "calls/tape.h"

static const struct attr_spec attrs[] = {
	{ "classes", ATTR_INT, "numbers in a row; 0: as many as the type of the input has classes", .preset = "0", .min = 0,
	    .max = INT32_MAX },
	ATTRS_END
};

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	long long classes = op_int(n, "classes");
	int64_t dim[MAX_RANK];
	int i;

	if (!x->classes || x->dtype != DT_I32)
		return op_error(b, n, "one_hot: takes class[K] or tokens[T, vocab=K], but its input is %s of %s",
		    op_operand_text(b, x), dtype_name(x->dtype));
	if (classes && classes < x->classes)
		return op_error(b, n, "one_hot: '%s' is %s, with numbers up to %d, but rows have %lld", x->name,
		    tensor_type_text(b->module->arena, x), x->classes - 1, classes);
	if (x->rank == MAX_RANK)
		return op_error(b, n, "one_hot: input is %s, and a tensor has at most %d extents besides the batch",
		    op_operand_text(b, x), MAX_RANK);
	for (i = 0; i < x->rank; i++)
		dim[i] = x->dim[i];
	dim[i] = classes ? classes : x->classes;
	return op_output(b, n, NULL, T_ACTIVATION, shape_real(b->module), x->batched, x->rank + 1, dim) != NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0], *y = n->out[0];

	emit_call(e, "one_hot", arg_tensor(y), arg_tensor(x), arg_text(emit_rows(e, x, x->rank)),
	    arg_int(y->dim[y->rank - 1]));
}

/* F.one_hot() makes int64, and to() of that what can be computed with. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	const struct tensor *y = n->out[0];
	int x = tape_value(t, n->in[0]);

	x = tape_call(t, &(struct tape_call){ .in = &x, .nin = 1, .bytes = tape_bytes_as(t, y, 8), .stops = true });
	tape_result(t, y, tape_call(t, &(struct tape_call){ .in = &x, .nin = 1, .bytes = tape_bytes(t, y), .stops = true }));
}

const struct op op_one_hot = {
	.name = "one_hot",
	.kind = OP_LAYER,
	.brief = "a class as zeros and a one",
	.doc = "y[..., k] = 1 where k is the class, else 0: class[K] gives [K], tokens[T, vocab=V] gives [T, V], as PyTorch's "
	    "one_hot, in the type that the network computes in. A number that is no class, such as -1, gives zeros. It has no "
	    "gradient. Before a dense layer without bias it is what embedding does without it.",
	.attrs = attrs,
	.operands = "ids",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.torch = { .calls = torch_calls },
	.calls.kernels = "copy/one_hot.cu",
	.calls.emit = emit,
};
