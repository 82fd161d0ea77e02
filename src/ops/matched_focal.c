/*
 * matched_focal: the classification loss of a detector that scores every anchor (Lin and others,
 * 2017). With s = -1 where the score should be high and 1 where it should be low, an element's loss
 * is weight * sigmoid(s x)^gamma * softplus(s x), and weight is alpha or 1 - alpha. It is a layer
 * of others, whose formulas become one:
 *
 *     labels -> one_hot -> take(index) -> wanted      rows of zeros where nothing is matched
 *     scores, wanted -> focal [m, K] -> sum [m, 1] -> (but where the index is -2) -> sum
 *
 * PyTorch goes picture by picture, and torchvision's function keeps eight tensors of all scores of
 * each.
 */
#include "ops/losses.h"

#include "calls/tape.h"
#include "ops/shapes.h"

#define COUNT_BYTES	8	/* of a number of PyTorch's that counts */

enum { SCORES, CLASSES, INDEX };

static const struct attr_spec attrs[] = {
	{ "alpha", ATTR_REAL, "what a score weighs that should be high; others weigh 1 - alpha", .preset = "0.25", .min = 0, .max = 1 },
	{ "gamma", ATTR_REAL, "the power that makes little of what is right already", .preset = "2", .min = 0, .max = 100 },
	ATTRS_END
};

extern const struct op op_cast, op_mul, op_not_equal, op_one_hot, op_pow, op_reshape, op_scale, op_sigmoid, op_softplus,
    op_sum, op_take;

/* ---- its parts ---- */

static struct tensor *
made(struct build *b, const struct node *n, const struct op *op, struct attr *a, const char *suffix, struct tensor *x,
    struct tensor *y)
{
	struct tensor *in[] = { x, y };

	return op_part(b, n, op, a ? a : op_presets(b->module->arena, op), suffix, y ? 2 : 1, in)->out[0];
}

static struct tensor *
scaled(struct build *b, const struct node *n, const char *suffix, struct tensor *x, double factor, double offset)
{
	struct attr *a = op_presets(b->module->arena, &op_scale);

	op_preset(&op_scale, a, "factor")->r = factor;
	op_preset(&op_scale, a, "offset")->r = offset;
	return made(b, n, &op_scale, a, suffix, x, NULL);
}

/* The loss of each score. */
static struct tensor *
focal(struct build *b, const struct node *n, struct tensor *wanted)
{
	struct attr *power = op_presets(b->module->arena, &op_pow);
	double alpha = op_real(n, "alpha");
	struct tensor *wrong = made(b, n, &op_mul, NULL, "wrong", n->in[SCORES], scaled(b, n, "sign", wanted, -2, 1)), *y;

	op_preset(&op_pow, power, "exponent")->r = op_real(n, "gamma");
	op_preset(&op_pow, power, "exponent")->given = true;
	y = made(b, n, &op_pow, power, "pow", made(b, n, &op_sigmoid, NULL, "sigmoid", wrong, NULL), NULL);
	y = made(b, n, &op_mul, NULL, "lost", y, made(b, n, &op_softplus, NULL, "softplus", wrong, NULL));
	return made(b, n, &op_mul, NULL, "weighed", scaled(b, n, "weight", wanted, 2 * alpha - 1, 1 - alpha), y);
}

/* 1 for each row but those that are between, as a column. */
static struct tensor *
counting(struct build *b, const struct node *n)
{
	struct attr *a = op_presets(b->module->arena, &op_reshape), *shape = op_preset(&op_reshape, a, "shape");
	struct tensor *place = made(b, n, &op_cast, NULL, "cast", n->in[INDEX], NULL);

	shape->given = true;
	shape->n = 2;
	shape->v[0] = n->in[INDEX]->dim[0];
	shape->v[1] = 1;
	place = made(b, n, &op_reshape, a, "column", place, NULL);
	a = op_presets(b->module->arena, &op_not_equal);
	op_preset(&op_not_equal, a, "than")->given = true;
	op_preset(&op_not_equal, a, "than")->r = -2;
	return made(b, n, &op_not_equal, a, "counts", place, NULL);
}

static bool
is_well_formed(struct build *b, const struct node *n)
{
	const struct tensor *x = n->in[SCORES], *labels = n->in[CLASSES], *index = n->in[INDEX];

	if (!shape_float(b, n, SCORES))
		return false;
	if (x->rank != 2 || !x->batched)
		return op_error(b, n, "matched_focal: scores are [anchors, classes] of each sample, but the first operand is %s",
		    op_operand_text(b, x));
	if (!labels->classes || labels->rank != 1 || labels->classes != x->dim[1])
		return op_error(b, n, "matched_focal: labels are class[%lld, n], as there are scores of %lld classes, but the second "
		    "operand is %s", (long long)x->dim[1], (long long)x->dim[1], op_operand_text(b, labels));
	if (index->classes != labels->dim[0] || index->rank != 1 || index->dim[0] != x->dim[0])
		return op_error(b, n, "matched_focal: an index of %lld labels is class[%lld, %lld], as match makes it, but the third "
		    "operand is %s", (long long)labels->dim[0], (long long)labels->dim[0], (long long)x->dim[0],
		    op_operand_text(b, index));
	return true;
}

static struct node *
expand(struct build *b, const struct node *n)
{
	struct attr *rows = op_presets(b->module->arena, &op_sum);
	struct tensor *y;

	if (!is_well_formed(b, n))
		return NULL;
	y = made(b, n, &op_one_hot, NULL, "one_hot", n->in[CLASSES], NULL);
	y = focal(b, n, made(b, n, &op_take, NULL, "wanted", y, n->in[INDEX]));
	op_preset(&op_sum, rows, "axis")->n = 1;
	op_preset(&op_sum, rows, "axis")->v[0] = 1;
	op_preset(&op_sum, rows, "axis")->given = true;
	op_preset(&op_sum, rows, "keep")->i = true;
	y = made(b, n, &op_sum, rows, "rows", y, NULL);
	y = made(b, n, &op_mul, NULL, "counted", y, counting(b, n));
	return op_part(b, n, &op_sum, op_presets(b->module->arena, &op_sum), "sum", 1, &y);
}

/* ---- as torchvision has it ---- */

/* A call of so many bytes, of one value or two. */
static int
call(struct tape *t, int64_t bytes, int x, int y, unsigned saves)
{
	return tape_call(t, &(struct tape_call){ .in = (int[]){ x, y }, .nin = y == TAPE_NONE ? 1 : 2, .bytes = bytes,
	    .saves = saves });
}

static int
product(struct tape *t, int64_t bytes, int x, int y)
{
	return tape_call(t, &(struct tape_call){ .in = (int[]){ x, y }, .nin = 2, .bytes = bytes,
	    .saves = SAVES_IN(0) | SAVES_IN(1), .crosswise = true });
}

static int
sum(struct tape *t, int64_t bytes, int x, int y)
{
	return tape_call(t, &(struct tape_call){ .in = (int[]){ x, y }, .nin = 2, .bytes = bytes, .passes = 1u << 0 | 1u << 1 });
}

int
focal_torch(struct tape *t, int x, int y, int64_t bytes, bool weighs, int *known)
{
	int p, e, a;

	p = call(t, bytes, x, TAPE_NONE, SAVES_OUT(0));
	e = call(t, bytes, x, y, SAVES_IN(0) | SAVES_IN(1));
	*known = product(t, bytes, p, y);
	a = call(t, bytes, p, TAPE_NONE, 0);
	*known = sum(t, bytes, *known, product(t, bytes, a, call(t, bytes, y, TAPE_NONE, 0)));
	a = call(t, bytes, call(t, bytes, *known, TAPE_NONE, 0), TAPE_NONE, SAVES_IN(0));
	e = product(t, bytes, e, a);
	if (weighs) {
		a = call(t, bytes, y, TAPE_NONE, 0);
		a = sum(t, bytes, a, call(t, bytes, call(t, bytes, y, TAPE_NONE, 0), TAPE_NONE, 0));
		e = product(t, bytes, a, e);
	}
	return e;
}

/* The layer's result is that of its last part. */
static const struct tensor *
result_of(const struct tape *t)
{
	const struct tensor *y = NULL;
	int i;

	for (i = 0; i < t->graph->nodes.n; i++)
		if (t->graph->nodes.v[i]->part_of == t->node && t->graph->nodes.v[i]->op == &op_sum)
			y = t->graph->nodes.v[i]->out[0];
	return y;
}

/* A value of a picture that no gradient reaches, which has a name: the one of the picture before it
 * goes when this is there. */
static int
named(struct tape *t, int of, int before, int64_t bytes)
{
	return tape_call(t, &(struct tape_call){ .in = (int[]){ of, before }, .nin = before == TAPE_NONE ? 1 : 2, .bytes = bytes,
	    .stops = true });
}

/*
 * A loop over pictures: which anchors are matched, a byte each, and how many; what is wanted of the
 * scores, zeros as large as they are; and which rows count, a byte each. Rows that do not are left
 * out, which are few: all are counted.
 */
static void
torch_calls(struct tape *t, const struct node *n)
{
	const int64_t rows = n->in[SCORES]->dim[0], each = tape_bytes(t, n->in[SCORES]) / t->batch;
	const int64_t number = dtype_bytes(n->in[SCORES]->dtype);
	int scores = tape_value(t, n->in[SCORES]), index = tape_value(t, n->in[INDEX]), joined, known, k;
	int found = TAPE_NONE, count = TAPE_NONE, wanted = TAPE_NONE, counts = TAPE_NONE;
	int *loss = arena_array(t->arena, (size_t)t->batch + 4, sizeof(*loss));
	struct tape_shape s;

	tape_shape_of_tensor(t, n->in[SCORES], &s);
	joined = tape_view(t, tape_reshape(t, scores, &s), &s, true);
	t->calls.v[t->calls.n - 1].joins = true;
	for (k = 0; k < t->batch; k++) {
		int picture = tape_narrow(t, joined, 0, 1, 1, true), x;

		t->calls.v[t->calls.n - 1].part = true;
		found = named(t, index, found, rows);
		count = named(t, found, count, COUNT_BYTES);
		wanted = named(t, found, wanted, each);
		counts = named(t, index, counts, rows);
		x = call(t, each, picture, counts, SAVES_IN(1));
		x = focal_torch(t, x, call(t, each, wanted, counts, 0), each, true, &known);
		loss[k] = call(t, number, call(t, number, x, known, 0), count, SAVES_IN(1));
	}
	/* scores are a variable of the function that asks for the loss */
	named(t, scores, TAPE_NONE, 0);
	loss[k] = found;
	loss[k + 1] = count;
	loss[k + 2] = wanted;
	loss[k + 3] = counts;
	tape_result(t, result_of(t), tape_call(t, &(struct tape_call){ .in = loss, .nin = k + 4,
	    .bytes = t->batch * number }));
}

static bool
torch_whole(const struct node *n)
{
	return n->in[SCORES]->batched;
}

const struct op op_matched_focal = {
	.name = "matched_focal",
	.kind = OP_LAYER,
	.brief = "focal loss of scores of classes, by what anchors are matched with",
	.doc = "Of scores [m, K], logits of each of K classes for each of m anchors, the labels class[K, n] of a picture's boxes, and "
	    "the index class[n, m] that match makes of these, the sum of sigmoid_focal_loss (Lin and others, 2017), a number for "
	    "each sample: 1 is wanted for the class of the box that an anchor is matched with, 0 for all others, and for all of an "
	    "anchor that is background (-1); one that is between (-2) is left out. With p the probability of what is wanted, "
	    "a score's loss is -(1 - p)^gamma log p, times alpha where 1 is wanted and 1 - alpha else. Scores have a "
	    "gradient, classes and index have none.\n\n"
	    "It is one_hot, take and a formula of the graph, of which backward keeps the scores and what is wanted; torchvision's function "
	    "keeps eight tensors as large, and PyTorch's forecasts have these. They count all anchors, as no more than a few "
	    "are between.",
	.attrs = attrs,
	.operands = "scores classes index",
	.min_operands = 3, .max_operands = 3,
	.expand = expand,
	.torch = { .calls = torch_calls, .whole = torch_whole },
};
