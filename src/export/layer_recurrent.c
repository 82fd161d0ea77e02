/*
 * The steps of recurrent layers. Ours begin with sums of all inputs, which a dense layer makes of x; ONNX's operators
 * take x and that layer's weights themselves, with the gates in another order: i o f g of LSTM's i f g o, and z r n
 * of GRU's r z n. Each direction of a layer is a node of its own.
 */
#include "export/exporter.h"

#include <string.h>

#include "ops/recurrent.h"

enum { WEIGHT = RECURRENT_OPERANDS, BIAS };	/* of the node's inputs */

static const struct {
	const char *onnx;
	int gates;
	int order[4];
} cells[] = {		/* as RECURRENT_CELLS has them */
	{ "RNN", 1, { 0 } }, { "RNN", 1, { 0 } }, { "GRU", 3, { 1, 0, 2 } }, { "LSTM", 4, { 0, 3, 1, 2 } },
};

enum { CELL_TANH, CELL_RELU, CELL_GRU, CELL_LSTM };

/* The rows of a weight or a bias in the order of ONNX's gates. */
static const char *
in_order(struct exporter *x, int cell, const struct tensor *t)
{
	const char *part[4], *to[5] = { NULL };
	int64_t size[4];
	int i, n = cells[cell].gates;

	if (n == 1)
		return value_of(x, t);
	for (i = 0; i < n; i++)
		size[i] = t->dim[0] / n;
	make_several(x, "Split", IN(value_of(x, t), ints_constant(x, n, size)), AS(attr_is_int("axis", 0)), n, part);
	for (i = 0; i < n; i++)
		to[i] = part[cells[cell].order[i]];
	return make(x, "Concat", to, AS(attr_is_int("axis", 0)));
}

/* With an axis in front for the one direction. */
static const char *
of_direction(struct exporter *x, const char *value)
{
	return make(x, "Unsqueeze", IN(value, int_constant(x, 0)), AS_IS);
}

static const char *
biases(struct exporter *x, int cell, const struct tensor *input, const struct tensor *state)
{
	if (!input || !state)
		return "";
	return of_direction(x, make(x, "Concat", IN(in_order(x, cell, input), in_order(x, cell, state)),
	    AS(attr_is_int("axis", 0))));
}

static const char *
first_state(struct exporter *x, const struct tensor *t)
{
	return t ? of_direction(x, value_of(x, t)) : "";
}

/* All states, the last, and of LSTM the last cell. */
static void
run(struct exporter *x, const struct node *n, const struct node *sums, const char **out)
{
	static const char *const relu[] = { "Relu" };
	int cell = (int)op_int(n, "cell"), count = 0;
	struct model_attr attr[6] = { { .name = NULL } };
	const char *in = transposed(x, value_of(x, sums->in[0]), 3, (int64_t[]){ 1, 0, 2 }), *lengths, *first;
	const char *weight = of_direction(x, in_order(x, cell, sums->in[1]));
	const char *state = of_direction(x, in_order(x, cell, n->in[WEIGHT]));
	const char *bias = biases(x, cell, sums->nin > 2 ? sums->in[2] : NULL, n->nin > BIAS ? n->in[BIAS] : NULL);

	attr[count++] = attr_is_int("hidden_size", n->in[WEIGHT]->dim[1]);
	attr[count++] = attr_is_text("direction", op_bool(n, "reverse") ? "reverse" : "forward");
	if (cell == CELL_GRU)
		attr[count++] = attr_is_int("linear_before_reset", 1);
	if (cell == CELL_RELU)
		attr[count++] = (struct model_attr){ .name = "activations", .type = A_TEXTS, .n = 1, .text = relu };
	lengths = n->in[RECURRENT_LENGTHS] ? value_of(x, n->in[RECURRENT_LENGTHS]) : "";
	first = first_state(x, n->in[RECURRENT_H0]);
	make_several(x, cells[cell].onnx, IN(in, weight, state, bias, lengths, first,
	    cell == CELL_LSTM ? first_state(x, n->in[RECURRENT_C0]) : NULL), attr, cell == CELL_LSTM ? 3 : 2, out);
}

/* Y is [T, 1, batch, hidden]; ours is [batch, T, hidden]. */
static void
recurrent(struct exporter *x, const struct node *n)
{
	const struct node *sums = n->in[RECURRENT_X]->def;
	const char *out[3] = { "", "", "" }, *zero, *y;

	if (!n->in[RECURRENT_X]->batched) {
		export_cannot(x, "it does not depend on the batch, which ONNX wants here");
		return;
	}
	if (!sums || strcmp(sums->op->name, "dense") != 0) {
		export_cannot(x, "its inputs are not summed by a dense layer");
		return;
	}
	run(x, n, sums, out);
	zero = int_constant(x, 0);
	y = make(x, "Squeeze", IN(out[0], int_constant(x, 1)), AS_IS);
	result(x, recurrent_states(n), transposed(x, y, 3, (int64_t[]){ 1, 0, 2 }));
	if (n->nout > RECURRENT_LAST)
		result(x, n->out[RECURRENT_LAST], make(x, "Squeeze", IN(out[1], zero), AS_IS));
	if (n->nout > RECURRENT_CARRIED && n->out[RECURRENT_CARRIED])
		result(x, n->out[RECURRENT_CARRIED], make(x, "Squeeze", IN(out[2], zero), AS_IS));
}

EXPORT_OP_ROW(recurrent, .write = recurrent);
