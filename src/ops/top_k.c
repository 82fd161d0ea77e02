/* top_k: where the largest numbers lie. What lies there is gathered by take and gather, which have
 * its gradient. */
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "calls/sizes.h"
#include "calls/tape.h"

static const struct attr_spec attrs[] = {
	{ "k", ATTR_INT, "how many", .required = true, .min = 1, .max = INT32_MAX }, ATTRS_END
};

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	int64_t dim[MAX_RANK], k = op_int(n, "k");
	struct tensor *y;
	int i;

	if (!shape_float(b, n, 0) || !shape_needs_rank(b, n, 0, 1, "[..., n]"))
		return false;
	for (i = 0; i < x->rank; i++)
		dim[i] = x->dim[i];
	if (k > dim[i - 1] || dim[i - 1] > INT32_MAX)
		return op_error(b, n, "top_k: the last axis of %s has not %lld numbers%s", op_operand_text(b, x), (long long)k,
		    k > dim[i - 1] ? "" : " that indices of 32 bits can tell apart");
	dim[i - 1] = k;
	y = op_output(b, n, NULL, T_ACTIVATION, DT_I32, x->batched, x->rank, dim);
	if (y)
		y->classes = (int)x->dim[i - 1];
	return y != NULL;
}

/* kernels/pointwise/top_k.cu */
static struct affine
work(const struct node *n, const struct room *room)
{
	const struct tensor *x = n->in[0];
	int64_t rows = shape_product(x, 0, x->rank - 1), bytes = rows * top_bytes(op_int(n, "k"));

	(void)room;
	return x->batched ? (struct affine){ 0, bytes } : (struct affine){ bytes, 0 };
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0];

	emit_call(e, "top_k", arg_tensor(n->out[0]), arg_work(n), arg_tensor(x), arg_text(emit_rows(e, x, x->rank - 1)),
	    arg_int(x->dim[x->rank - 1]), arg_int(op_int(n, "k")));
}

/* topk(): values beside the indices, which are int64. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	int in[] = { tape_value(t, n->in[0]), 0 };

	in[1] = tape_call(t, &(struct tape_call){ .in = in, .nin = 1, .stops = true,
	    .bytes = tape_bytes_as(t, n->out[0], dtype_bytes(n->in[0]->dtype)) });
	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = in, .nin = 2, .stops = true,
	    .bytes = tape_bytes_as(t, n->out[0], 8) }));
}

const struct op op_top_k = {
	.name = "top_k",
	.kind = OP_LAYER,
	.brief = "places of the largest numbers along the last axis",
	.doc = "Of x [..., n] the places of the k largest numbers in each row, the largest first, as class[n, ..., k]: of scores "
	    "[1000] top_k(scores, 100) is class[1000, 100], and scores -> take(top_k(scores, 100)) are the numbers themselves, "
	    "boxes -> take(top_k(scores, 100)) the boxes with these scores. Of equals the first is first; what is no number is "
	    "last. It has no gradient; what is gathered by it has.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.memory.workspace = work,
	.torch.calls = torch_calls,
	.calls.kernels = "pointwise/top_k.cu",
	.calls.emit = emit,
};
