/*
 * dense_cross_entropy: a dense layer and the cross-entropy of its outputs as one node, which makes
 * the logits some rows at a time, in its workspace (kernels/loss/dense_cross_entropy.cu).
 *
 *     in:   x, weight, bias or NULL, labels, weights of labels or NULL (ops/labels.h)
 *     out:  loss, accuracy, gradients of x, weight and bias, and what the labels weigh together; all but the loss
 *           may be absent
 *
 * The gradients are made in forward, as if the loss's own gradient were 1: making them in backward
 * would take the product of the logits a second time. They are linear in it, so grad() multiplies
 * them by the gradient that arrives, in place. Since a loss stands at the end of forward, they live
 * hardly longer than if backward had made them; and x need not be kept for it.
 */
#include "ops/dense_cross_entropy.h"

#include "ir/diff.h"

#include <limits.h>
#include <string.h>

#include "calls/emitter.h"
#include "ops/labels.h"
#include "ops/product.h"
#include "ops/shapes.h"
#include "ops/targets.h"

enum { LOSS, ACCURACY, DX, DWEIGHT, DBIAS, COUNT, OUTPUTS };
enum { X, WEIGHT, BIAS, LABELS, OF_LABEL, INPUTS };

/* the weights' first, so that they can be updated at once */
static const struct { int of, out; } gradients[] = {
	{ WEIGHT, DWEIGHT }, { BIAS, DBIAS }, { X, DX },
};

static const struct attr_spec attrs[] = {
	{ "rows", ATTR_INT, "rows of logits made at a time", .required = true, .min = 1,
	    .max = (double)LARGEST_BYTES },
	LABEL_ATTRS,
	ATTRS_END
};

static int64_t
last(const struct tensor *t)
{
	return t->dim[t->rank - 1];
}

/* ---- backward ---- */

static void
emit_scale(struct emitter *e, const struct node *n)
{
	emit_call(e, "scale_gradient", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_count(n->out[0]));
}

const struct op op_scale_gradient = {
	.name = "scale_gradient",
	.kind = OP_INTERNAL,
	.brief = "a gradient made for a loss whose own gradient is 1, times that gradient",
	.operands = "gradient dloss",
	.min_operands = 2, .max_operands = 2,
	.memory.inplace = 1u << 0,
	.calls.kernels = "loss/dense_cross_entropy.cu",
	.calls.emit = emit_scale,
};

static bool
grad(struct diff *d, struct node *n)
{
	struct tensor *dloss = diff_of(d, n->out[LOSS]);
	size_t i;

	for (i = 0; dloss && i < sizeof(gradients) / sizeof(gradients[0]); i++) {
		struct tensor *of = n->in[gradients[i].of];
		struct tensor *in[] = { n->out[gradients[i].out], dloss };

		if (diff_wants(d, of))
			diff_output(d, diff_node(d, n, &op_scale_gradient, 2, in), of);
	}
	return true;
}

/* ---- forward ---- */

static struct affine
macs(const struct node *n)
{
	const struct tensor *x = n->in[X];

	return product_macs(x, product_of(tensor_elements_per_sample(x), n->in[WEIGHT]->dim[0]),
	    1 + (n->out[DX] != NULL) + (n->out[DWEIGHT] != NULL));
}

static struct tensor
logits(const struct node *n)
{
	const struct tensor *x = n->in[X];
	struct tensor t = { .kind = T_ACTIVATION, .dtype = x->dtype, .batched = x->batched,
		.rank = x->rank, .name = n->path, .loc = n->loc, .def = (struct node *)n };

	memcpy(t.dim, x->dim, (size_t)x->rank * sizeof(*t.dim));
	t.dim[t.rank - 1] = n->in[WEIGHT]->dim[0];
	return t;
}

/* Rows, each so many times. */
static struct affine
rows_of(const struct node *n, int64_t times)
{
	const struct tensor *x = n->in[X];
	int64_t all = product_of(tensor_elements_per_sample(x) / last(x), times);

	return x->batched ? (struct affine){ 0, all } : (struct affine){ all, 0 };
}

/* So many bytes for each chunk; part of one counts as such. */
static struct affine
in_chunks(const struct node *n, int64_t bytes)
{
	struct affine all = rows_of(n, bytes);
	int64_t rows = op_int(n, "rows");

	return (struct affine){ all.fixed / rows, all.per_sample / rows };
}

/* Logits are written, read with their labels, then written as gradients, which each product of
 * them reads, and the sums of their columns. Each chunk reads the weights, and adds onto their
 * gradient. */
static struct affine
traffic(const struct node *n)
{
	struct tensor whole = logits(n);
	int64_t weight = tensor_bytes(n->in[WEIGHT]).fixed, dw = n->out[DWEIGHT] ? weight : 0;
	struct affine sum = op_bytes(n), made = tensor_bytes(&whole);
	int times = 2, k;

	for (k = DX; k <= DBIAS; k++)
		times += n->out[k] != NULL;
	times += times > 2;
	for (k = 0; k < times; k++)
		sum = affine_sum(sum, made);
	if (dw)
		sum = affine_sum(sum, tensor_bytes(n->in[X]));
	sum = affine_sum(sum, in_chunks(n, product_of(weight, 1 + (n->out[DX] != NULL) + 2 * (dw != 0))));
	return affine_sum(sum, (struct affine){ -weight - 2 * dw, 0 });	/* once in op_bytes(); the first has nothing to add onto */
}

static int
launches_of(const struct node *n, int64_t batch)
{
	int64_t rows = affine_at(rows_of(n, 1), batch), chunks = (rows + op_int(n, "rows") - 1) / op_int(n, "rows");
	int each = 3, k;

	for (k = ACCURACY; k <= DBIAS; k++)
		each += n->out[k] != NULL;
	return (int)least(chunks, INT_MAX / 16) * each + 1 + (n->out[ACCURACY] != NULL);
}

/* Scratch of the largest of its products. */
static int64_t
products(const struct node *n, const struct room *room)
{
	int64_t in = last(n->in[X]), units = n->in[WEIGHT]->dim[0], rows = op_int(n, "rows");
	const struct {
		int64_t depth, cols;
	} product[] = { { in, most(rows, units) }, { units, in }, { rows, in } };
	int64_t bytes = 0;
	size_t i;

	for (i = 0; i < sizeof(product) / sizeof(product[0]); i++) {
		struct affine a = product_work_library(n, room, product[i].depth, product[i].cols);

		bytes = most(bytes, a.fixed);
	}
	return bytes;
}

static struct affine
workspace(const struct node *n, const struct room *room)
{
	int64_t rows = op_int(n, "rows");
	struct affine logits = product_elements(n, product_of(rows, n->in[WEIGHT]->dim[0]));
	struct affine rest = { products(n, room), 0 };

	if (rows > LARGEST_BYTES / (int64_t)sizeof(double) / 4)
		return (struct affine){ INT64_MAX, 0 };
	rest.fixed += head_sums(rows);
	return affine_sum(logits, rest);
}

/* It makes gradients too, and a loss is not needed twice. */
static const struct op *
again(const struct node *n, struct tensor **in, int *nin)
{
	(void)n;
	(void)in;
	(void)nin;
	return NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	struct room room = op_room(e->module, e->target, e->threads);
	bool predicts = e->prediction && e->prediction->def == n;
	const struct tensor *count = n->nout > COUNT ? n->out[COUNT] : NULL;
	const char *rows = emit_rows(e, n->in[X], n->in[X]->rank - 1);
	int64_t classes = n->in[WEIGHT]->dim[0];
	const char *terms = labels_text(e, n, n->in[LABELS], NULL, n->in[OF_LABEL], count, classes);

	labels_emit_count(e, n, count, terms, emit_pointer(e, n->work), rows, classes);

	emit_call(e, "dense_cross_entropy_forward", arg_tensor(n->out[LOSS]),
	    arg_tensor(n->out[ACCURACY]), arg_tensor(n->out[DX]), arg_tensor(n->out[DWEIGHT]),
	    arg_tensor(n->out[DBIAS]), arg_tensor(n->in[X]), arg_tensor(n->in[WEIGHT]),
	    arg_tensor(n->in[BIAS]), arg_text(terms), arg_work(n), arg_int(products(n, &room)),
	    arg_text(rows), arg_int(last(n->in[X])), arg_int(classes), arg_int(op_int(n, "rows")),
	    arg_text(predicts ? "keep_predictions_at" : "NULL"));
}

const struct op op_dense_cross_entropy = {
	.name = "dense_cross_entropy",
	.kind = OP_INTERNAL,
	.brief = "dense and cross_entropy, whose logits are made some rows at a time",
	.attrs = attrs,
	.operands = "x weight bias labels weights",
	.min_operands = INPUTS, .max_operands = INPUTS,
	.macs = macs,
	.traffic = traffic,
	.gradient.build = grad,
	.gradient.saves = SAVES_OUT(DX) | SAVES_OUT(DWEIGHT) | SAVES_OUT(DBIAS),
	.memory.optional_out = 1u << ACCURACY | 1u << DX | 1u << DWEIGHT | 1u << DBIAS,
	.memory.workspace = workspace,
	.gradient.again = again,
	.memory.pieces = logits,
	.calls.kernels = "loss/dense_cross_entropy.cu",
	.calls.launches_of = launches_of,
	.calls.emit = emit,
};

/* ---- joining ---- */

bool
head_suits(const struct head *h)
{
	const struct tensor *logits = h->dense->out[0], *labels = h->loss->in[1];

	if (labels_vary(h->loss) && (h->loss->in[LABELS_OF_CLASS] ||
	    (h->loss->in[LABELS_OF_LABEL] && h->loss->in[LABELS_OF_LABEL]->def)))
		return false;	/* which are made after the layer */
	return !labels->def && labels != logits &&
	    target_axis(logits, labels) == logits->rank - 1 &&
	    (!h->accuracy || (h->accuracy->in[0] == logits && h->accuracy->in[1] == labels));
}

/* The gradient of an input; as such it counts only once it is scaled. */
static void
add_gradient(struct module *m, struct node *n, int input, int output)
{
	const struct tensor *of = n->in[input];
	struct tensor *t;

	if (!of)
		return;
	t = ir_tensor_like(m, of->kind == T_PARAM ? T_GRADIENT : T_DELTA, of,
	    arena_printf(m->arena, "%s.grad.unscaled", of->name), n->loc);
	t->def = n;
	n->out[output] = t;
}

struct node *
head_join(struct graph *g, const struct head *h, int64_t rows)
{
	struct module *m = g->module;
	const struct node *dense = h->dense;
	struct tensor *in[INPUTS] = { dense->in[0], dense->in[1],
		dense->nin > 2 ? dense->in[2] : NULL, h->loss->in[1],
		labels_vary(h->loss) ? h->loss->in[LABELS_OF_LABEL] : NULL };
	struct node *n = ir_node(g, &op_dense_cross_entropy, dense->path, dense->loc, INPUTS, in);
	struct tensor *accuracy = h->accuracy ? h->accuracy->out[0] : NULL;
	size_t i;

	n->attr = arena_array(m->arena, 1 + (size_t)op_nattrs(h->loss->op), sizeof(*n->attr));
	n->attr[0] = (struct attr){ .given = true, .i = rows };
	memcpy(n->attr + 1, h->loss->attr, (size_t)op_nattrs(h->loss->op) * sizeof(*n->attr));
	n->phase = PHASE_FORWARD;
	n->out = arena_array(m->arena, OUTPUTS, sizeof(struct tensor *));
	n->nout = h->loss->nout > 2 ? OUTPUTS : COUNT;
	n->out_room = OUTPUTS;
	n->out[LOSS] = h->loss->out[0];
	n->out[LOSS]->def = n;
	if (h->loss->nout > 2) {
		n->out[COUNT] = h->loss->out[2];
		n->out[COUNT]->def = n;
	}
	if (accuracy) {
		n->out[ACCURACY] = accuracy;
		accuracy->def = n;
	}
	if (!g->training)
		return n;
	for (i = 0; i < sizeof(gradients) / sizeof(gradients[0]); i++)
		add_gradient(m, n, gradients[i].of, gradients[i].out);
	return n;
}
