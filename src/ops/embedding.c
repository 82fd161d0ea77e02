/*
 * embedding: a row of a trained table for each token. The gradient of the table is the sum of dy
 * over the tokens of each row, which is 0 but in the rows of the batch's tokens: it is added in
 * place onto whatever else becomes part of it (the gradient of a layer that shares the table,
 * momentum, earlier micro-batches), and then only those rows are touched.
 *
 * embedding_sgd, which the pass table-rows makes, has no gradient at all: it updates those rows.
 */
#include "ops/embedding.h"

#include "ir/diff.h"
#include "ir/split.h"

#include "calls/emitter.h"
#include "calls/tape.h"
#include "ops/optimizers.h"
#include "ops/shapes.h"

#define NO_PADDING	(-1)

static const struct attr_spec attrs[] = {
	{ "vocab", ATTR_INT, "rows of the table: tokens are numbers from 0 to vocab - 1",
	    .required = true, .min = 1, .max = INT32_MAX },
	{ "width", ATTR_INT, "numbers in a row", .required = true, .min = 1,
	    .max = (double)LARGEST_EXTENT },
	{ "padding", ATTR_INT, "the token that stands for none: it gives zeros, and trains no row; "
	    "-1: there is no such token", .preset = "-1", .min = NO_PADDING, .max = INT32_MAX },
	{ "init", ATTR_INIT, "how the table starts", .preset = "normal(1)" },
	{ "weight", ATTR_TENSOR, "a layer whose weight, of shape [vocab, width], is used instead of "
	    "one of its own: weight=tok", .required = false },
	SPLIT_ATTR("ranks: where several train together, each has its share of the rows"),
	ATTRS_END
};

/* The token of the table's first row here. */
static const char *
first_row(struct emitter *e, const struct tensor *w)
{
	return tensor_split(tensor_root(w)) ? arena_printf(e->module->arena, "ranks.rank * %lld", (long long)w->dim[0]) : "0";
}

static const char *
tokens(struct emitter *e, const struct tensor *ids)
{
	return emit_rows(e, ids, ids->rank);
}

/* ---- backward ---- */

/* The keys by which tokens are sorted, twice (kernels/copy/embedding.cu). */
static struct affine
keys(const struct tensor *ids)
{
	struct affine n = tensor_elements(ids);

	return (struct affine){ 16 * n.fixed, 16 * n.per_sample };
}

static struct affine
work(const struct node *n, const struct room *room)
{
	(void)room;
	return keys(n->in[1]);
}

/* A row of the table for each row of ROWS, read and written or only read, and what else there is of
 * each. */
static struct affine
rows_traffic(const struct tensor *rows, int times, const struct tensor *ids)
{
	struct affine sum = tensor_bytes(ids);

	while (times-- > 0)
		sum = affine_sum(sum, tensor_bytes(rows));
	return sum;
}

/* Added onto another, it touches the rows of tokens; else all of it is written first. */
static struct affine
backward_traffic(const struct node *n)
{
	struct affine sum = rows_traffic(n->in[0], 3, n->in[1]);

	return n->nin > 2 ? sum : affine_sum(sum, tensor_bytes(n->out[0]));
}

static void
emit_backward(struct emitter *e, const struct node *n)
{
	const struct tensor *dw = n->out[0], *ids = n->in[1];

	emit_call(e, "embedding_backward", arg_tensor(dw), arg_tensor(n->in[0]), arg_tensor(ids),
	    arg_onto(n), arg_work(n), arg_text(tokens(e, ids)), arg_text(first_row(e, n->forward->in[1])), arg_int(dw->dim[0]), arg_int(dw->dim[1]),
	    arg_int(op_int(n, "padding")));
}

const struct op op_embedding_grad = {
	.name = "embedding_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of embedding with respect to its table: each row the sum of its tokens' dy",
	.attrs = attrs,
	.operands = "dy ids",
	.min_operands = 2, .max_operands = 2,
	.traffic = backward_traffic,
	.memory.workspace = work,
	.memory.onto = 2,
	.calls.kernels = "copy/embedding.cu",
	.calls.emit = emit_backward,
};

static struct affine
work_of_rows(const struct node *n, const struct room *room)
{
	(void)room;
	return keys(n->in[2]);
}

static struct affine
update_traffic(const struct node *n)
{
	return rows_traffic(n->in[1], 1 + 2 * n->nout, n->in[2]);
}

/* The table, or its master copy. */
static int
alias_of_rows(const struct node *n, int k)
{
	(void)n;
	return k == 0 ? 0 : FIRST_STATE;
}

static void
emit_rows_update(struct emitter *e, const struct node *n)
{
	const struct tensor *w = n->out[0], *ids = n->in[2];

	emit_call(e, "embedding_sgd", arg_tensor(w), arg_tensor(n->nout > 1 ? n->out[1] : NULL),
	    arg_tensor(n->in[1]), arg_tensor(ids), arg_text("s"), arg_work(n),
	    arg_text(tokens(e, ids)), arg_text(first_row(e, w)), arg_int(w->dim[0]), arg_int(w->dim[1]),
	    arg_int(op_int(n, "padding")));
}

const struct op op_embedding_sgd = {
	.name = "embedding_sgd",
	.kind = OP_INTERNAL,
	.brief = "sgd of the rows of a table that tokens name: each less lr times the sum of its tokens' dy",
	.attrs = attrs,
	.operands = "parameter dy ids master",
	.min_operands = 3, .max_operands = 4,
	.traffic = update_traffic,
	.memory.workspace = work_of_rows,
	.memory.alias = alias_of_rows,
	.calls.kernels = "copy/embedding.cu",
	.calls.emit = emit_rows_update,
};

static bool
grad(struct diff *d, struct node *n)
{
	struct tensor *in[] = { diff_of(d, n->out[0]), n->in[0] };

	if (diff_wants(d, n->in[1]))
		diff_output(d, diff_node(d, n, &op_embedding_grad, 2, in), n->in[1]);
	return true;
}

/* ---- forward ---- */

static bool
takes(struct build *b, const struct node *n)
{
	const struct tensor *ids = n->in[0];
	long long vocab = op_int(n, "vocab"), padding = op_int(n, "padding");

	if (!ids->classes || ids->dtype != DT_I32)
		return op_error(b, n, "embedding: looks up numbers of tokens, tokens[T, vocab=V] or "
		    "class[V], but its input is %s of %s", op_operand_text(b, ids),
		    dtype_name(ids->dtype));
	if (ids->classes > vocab)
		return op_error(b, n, "embedding: '%s' is %s, with numbers up to %d, but the table has "
		    "%lld row%s", ids->name, tensor_type_text(b->module->arena, ids),
		    ids->classes - 1, vocab, vocab == 1 ? "" : "s");
	if (padding >= vocab)
		return op_error(b, n, "embedding: padding is %lld, but the tokens are numbers from 0 to "
		    "%lld", padding, vocab - 1);
	if (ids->rank == MAX_RANK)
		return op_error(b, n, "embedding: input is %s, and a tensor has at most %d extents "
		    "besides the batch", op_operand_text(b, ids), MAX_RANK);
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *ids = n->in[0], *w;
	int64_t table[] = { op_int(n, "vocab"), op_int(n, "width") }, dim[MAX_RANK];
	int i;

	if (!takes(b, n))
		return false;
	w = op_param(b, n, "weight", T_PARAM, op_attr(n, "init")->init, 2, table);
	if (!w)
		return false;
	for (i = 0; i < ids->rank; i++)
		dim[i] = ids->dim[i];
	dim[i] = table[1];
	return op_output(b, n, NULL, T_ACTIVATION, w->dtype, ids->batched, ids->rank + 1, dim) != NULL;
}

/* A token whose row another rank has gives zeros, and the sum over ranks that row. */
static bool
split(struct split *s, struct node *n)
{
	if (n->in[1]->dim[0] % s->ranks != 0)
		return split_uneven(s, n, n->in[1]->dim[0], "rows");
	if (split_parameter(s, n, 1, 0, 1))
		split_append_sum(s, n, NULL);
	return true;
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *ids = n->in[0], *w = n->in[1];

	emit_call(e, "embedding_forward", arg_tensor(n->out[0]), arg_tensor(w), arg_tensor(ids),
	    arg_text(tokens(e, ids)), arg_text(first_row(e, w)), arg_int(w->dim[0]), arg_int(w->dim[1]),
	    arg_int(op_int(n, "padding")));
}

static struct affine
traffic(const struct node *n)
{
	return rows_traffic(n->out[0], 2, n->in[0]);
}

const struct op op_embedding = {
	.name = "embedding",
	.kind = OP_LAYER,
	.brief = "a trained vector for each token",
	.doc = "y[t] = weight[ids[t]]: tokens[T, vocab=V] gives [T, width], and class[K, d...] gives [d..., width]. "
	    "The table may have more rows than the input has numbers, as many as suit the hardware.\n\n"
	    "Parameter, as PyTorch's Embedding: weight [vocab, width], started by a normal distribution of "
	    "deviation 1. weight=name shares the weight of another layer; and a dense layer whose units are the "
	    "vocabulary can share this one, dense(V, bias=false, weight=tok): then the gradients of both add up "
	    "in one place. With padding=0 a token 0 gives zeros and trains nothing, as in PyTorch, "
	    "where that row starts at 0; a dense layer that shares the table still trains the row.\n\n"
	    "The data are looked through when they are read: a number that is no token of the input's "
	    "vocabulary stops the program, which names the sample. Where a number is put in otherwise, such as -1, "
	    "it gives zeros and trains nothing.\n\n"
	    "Backward reads the tokens alone, sorts them, and adds up each row in their order. The gradient of the "
	    "table is as large as the table, whatever the batch; added onto momentum, or onto those of earlier "
	    "micro-batches, it takes nothing of its own. With sgd without momentum, weight_decay and clip, "
	    "and without micro-batches, only the rows of the batch's tokens are updated, and no gradient is "
	    "made, unless a dense layer shares the table.\n\n"
	    "Optimizers treat it as any weight: a row without a token in the batch has a gradient of 0, and its "
	    "momentum, its moments and its decay go on, as with PyTorch's Embedding but for sparse=True and "
	    "SparseAdam, which leave such rows and their moments as they are.",
	.attrs = attrs,
	.operands = "ids",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.traffic = traffic,
	.ranks.split = split,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(0),
	.calls.kernels = "copy/embedding.cu",
	.calls.emit = emit,
};
