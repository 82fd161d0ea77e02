/*
 * The steps of recurrent layers. Ours begin with sums of all inputs, which a dense layer makes of
 * x; ONNX's operators take x and that layer's weights themselves, with the gates in another order:
 * i o f g of LSTM's i f g o, and z r n of GRU's r z n. Both directions of a layer are one node
 * there, which is written where the second of ours stands.
 */
#include "export/training.h"

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

struct way {			/* a direction of a layer */
	const struct node *steps, *sums;
};

/* The one that reads the same from the other end; NULL. */
static const struct node *
other_way(const struct exporter *x, const struct node *n)
{
	const struct graph *g = x->module->forward;
	int i;

	for (i = 0; i < g->nodes.n && n->part_of; i++) {
		const struct node *m = g->nodes.v[i];

		if (m->op == n->op && m->part_of == n->part_of && op_bool(m, "reverse") != op_bool(n, "reverse") &&
		    m->in[RECURRENT_X]->def->in[0] == n->in[RECURRENT_X]->def->in[0])
			return m;
	}
	return NULL;
}

/* With an axis in front for the direction. */
static const char *
of_direction(struct exporter *x, const char *value)
{
	return two(x, "Unsqueeze", value, int_constant(x, 0));
}

/* Several along the first axis; of one, the same. */
static const char *
joined(struct exporter *x, int n, const char *const *part)
{
	const char *to[5] = { NULL };

	memcpy(to, part, (size_t)n * sizeof(*to));
	return n == 1 ? part[0] : make(x, "Concat", to, AS(attr_is_int("axis", 0)));
}

/* The same weights of each direction, such as both biases: rows are in the order of ONNX's
 * gates. */
struct kind {
	const char *name;
	int ways, parts;
	const struct tensor *of[2][2];	/* by direction and part */
};

/* What is trained is written so. */
static const char *
written(struct exporter *x, int cell, const struct kind *k)
{
	int gates = cells[cell].gates, i, p, g;
	const struct tensor *like = k->of[0][0];
	struct numbers *n = ARENA_NEW(x->arena, struct numbers);
	const struct numbers *from = weight_numbers(x, like);
	size_t bytes;
	unsigned char *to;

	if (!from)
		return "";
	*n = (struct numbers){ .type = from->type, .rank = 1 + like->rank, .count = k->ways * k->parts * from->count,
		.dim = { k->ways, k->parts * like->dim[0], like->rank > 1 ? like->dim[1] : 0 } };
	bytes = (size_t)from->count * element_bytes(from->type) / (size_t)gates;
	n->data = to = arena_alloc(x->arena, bytes * (size_t)(gates * k->ways * k->parts) + 1);
	for (i = 0; i < k->ways; i++)
		for (p = 0; p < k->parts; p++) {
			if (!(from = weight_numbers(x, k->of[i][p])))
				return "";
			for (g = 0; g < gates; g++, to += bytes)
				memcpy(to, from->data + bytes * (size_t)cells[cell].order[g], bytes);
		}
	return weight_made(x, arena_printf(x->arena, "%s.%s", x->node->part_of->path, k->name), n);
}

/* What the network computes is put in that order as it runs. */
static const char *
put_in_order(struct exporter *x, int cell, const struct tensor *t)
{
	const char *part[4], *to[4];
	int64_t size[4];
	int i, n = cells[cell].gates;

	if (n == 1)
		return value_of(x, t);
	for (i = 0; i < n; i++)
		size[i] = t->dim[0] / n;
	make_several(x, "Split", IN(value_of(x, t), ints_constant(x, n, size)), AS(attr_is_int("axis", 0)), n, part);
	for (i = 0; i < n; i++)
		to[i] = part[cells[cell].order[i]];
	return joined(x, n, to);
}

static const char *
in_order(struct exporter *x, int cell, const struct kind *k)
{
	const char *way[2], *part[2];
	bool trained = true;
	int i, p;

	for (i = 0; i < k->ways; i++)
		for (p = 0; p < k->parts; p++)
			trained &= k->of[i][p]->kind == T_PARAM;
	if (trained)
		return written(x, cell, k);
	for (i = 0; i < k->ways; i++) {
		for (p = 0; p < k->parts; p++)
			part[p] = put_in_order(x, cell, k->of[i][p]);
		way[i] = of_direction(x, joined(x, k->parts, part));
	}
	return joined(x, k->ways, way);
}

static void
weights(struct exporter *x, int cell, const struct way *way, int ways, const char **w, const char **r, const char **b)
{
	struct kind input = { "W", ways, 1, { { NULL } } }, state = { "R", ways, 1, { { NULL } } };
	struct kind bias = { "B", ways, 2, { { NULL } } };
	int i;

	for (i = 0; i < ways; i++) {
		input.of[i][0] = way[i].sums->in[1];
		state.of[i][0] = way[i].steps->in[WEIGHT];
		bias.of[i][0] = way[i].sums->nin > 2 ? way[i].sums->in[2] : NULL;
		bias.of[i][1] = way[i].steps->nin > BIAS ? way[i].steps->in[BIAS] : NULL;
	}
	*w = in_order(x, cell, &input);
	*r = in_order(x, cell, &state);
	*b = bias.of[0][0] && bias.of[0][1] ? in_order(x, cell, &bias) : "";
}

/* Of both directions, or of the one; "": zeros. */
static const char *
first_state(struct exporter *x, const struct way *way, int ways, int operand)
{
	const char *part[2];
	int i;

	if (!way[0].steps->in[operand])
		return "";
	for (i = 0; i < ways; i++)
		part[i] = of_direction(x, value_of(x, way[i].steps->in[operand]));
	return joined(x, ways, part);
}

/* All states, the last, and of LSTM the last cell. */
static void
run(struct exporter *x, const struct way *way, int ways, const char **out)
{
	static const char *const relu[] = { "Relu", "Relu" };
	const struct node *n = way[0].steps;
	int cell = (int)op_int(n, "cell"), count = 0;
	struct model_attr attr[6] = { { .name = NULL } };
	const char *in = transposed(x, value_of(x, way[0].sums->in[0]), 3, (int64_t[]){ 1, 0, 2 }), *w, *r, *b, *lengths, *first;

	weights(x, cell, way, ways, &w, &r, &b);
	attr[count++] = attr_is_int("hidden_size", n->in[WEIGHT]->dim[1]);
	attr[count++] = attr_is_text("direction", ways == 2 ? "bidirectional" : op_bool(n, "reverse") ? "reverse" : "forward");
	if (cell == CELL_GRU)
		attr[count++] = attr_is_int("linear_before_reset", 1);
	if (cell == CELL_RELU)
		attr[count++] = (struct model_attr){ .name = "activations", .type = A_TEXTS, .n = ways, .text = relu };
	lengths = n->in[RECURRENT_LENGTHS] ? value_of(x, n->in[RECURRENT_LENGTHS]) : "";
	first = first_state(x, way, ways, RECURRENT_H0);
	make_several(x, cells[cell].onnx, IN(in, w, r, b, lengths, first,
	    cell == CELL_LSTM ? first_state(x, way, ways, RECURRENT_C0) : NULL), attr, cell == CELL_LSTM ? 3 : 2, out);
}

/* A state of each direction, [ways, batch, hidden], is a row of ours. */
static void
states(struct exporter *x, const struct way *way, int ways, int result_at, const char *value)
{
	const struct tensor *t = way[0].steps->nout > result_at ? way[0].steps->out[result_at] : NULL;
	int64_t hidden, i;

	if (!t)
		return;
	if (ways == 1) {
		result(x, t, two(x, "Squeeze", value, int_constant(x, 0)));
		return;
	}
	hidden = t->dim[0];
	value = reshaped(x, transposed(x, value, 3, (int64_t[]){ 1, 0, 2 }), true, 1, (int64_t[]){ 2 * hidden });
	for (i = 0; i < 2; i++)
		result(x, way[i].steps->out[result_at], sliced(x, value, 1, i * hidden, (i + 1) * hidden));
}

/* Y is [T, ways, batch, hidden]; ours is [batch, T, hidden]. */
static void
all_states(struct exporter *x, const struct way *way, int ways, const char *y)
{
	const struct tensor *t = recurrent_states(way[0].steps);
	int64_t steps = t->dim[0], hidden = t->dim[1], i;

	if (ways == 1) {
		y = two(x, "Squeeze", y, int_constant(x, 1));
		result(x, t, transposed(x, y, 3, (int64_t[]){ 1, 0, 2 }));
		return;
	}
	y = reshaped(x, transposed(x, y, 4, (int64_t[]){ 2, 0, 1, 3 }), true, 2, (int64_t[]){ steps, 2 * hidden });
	for (i = 0; i < 2; i++)
		result(x, recurrent_states(way[i].steps), sliced(x, y, 2, i * hidden, (i + 1) * hidden));
}

static void
recurrent(struct exporter *x, const struct node *n)
{
	const struct node *sums = n->in[RECURRENT_X]->def, *other;
	struct way way[2] = { { n, sums } };
	const char *out[3] = { "", "", "" };
	int ways = 1;

	if (!n->in[RECURRENT_X]->batched) {
		export_cannot(x, "it does not depend on the batch, which ONNX wants here");
		return;
	}
	if (!sums || strcmp(sums->op->name, "dense") != 0 || !n->part_of) {
		export_cannot(x, "its inputs are not summed by a dense layer");
		return;
	}
	if ((other = other_way(x, n))) {
		if (!op_bool(n, "reverse"))
			return;		/* the other one writes both */
		way[0] = (struct way){ other, other->in[RECURRENT_X]->def };
		way[1] = (struct way){ n, sums };
		ways = 2;
	}
	run(x, way, ways, out);
	all_states(x, way, ways, out[0]);
	states(x, way, ways, RECURRENT_LAST, out[1]);
	states(x, way, ways, RECURRENT_CARRIED, out[2]);
}

EXPORT_OP_ROW(recurrent, .write = recurrent, .train = recurrent_train);
