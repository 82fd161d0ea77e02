/*
 * Layers as training runs them, where that is not what inference does, in operators of which
 * gradients are written: normalisation by the batch's own mean and variance, dropout, and the steps
 * of recurrent layers as the body of a Scan.
 */
#include "export/training.h"

#include <string.h>

#include "ops/batchnorm.h"
#include "ops/recurrent.h"
#include "ops/shapes.h"

/* ---- normalisation ---- */

/* d / sqrt(mean of d d + eps), with d = v without its mean along axes. */
static const char *
normalised(struct exporter *x, const char *v, int n, const int64_t *axes, double eps)
{
	const char *d = two(x, "Sub", v, reduced(x, "ReduceMean", v, n, axes, true));
	const char *var = reduced(x, "ReduceMean", two(x, "Mul", d, d), n, axes, true);

	return two(x, "Div", d, one(x, "Sqrt", two(x, "Add", var, real_constant(x, eps))));
}

/* A number for each channel, before maps of that many axes. */
static const char *
channels(struct exporter *x, const struct tensor *t, int rank)
{
	int64_t dim[MAX_RANK] = { t->dim[0], 1, 1, 1, 1, 1, 1, 1 };

	return reshaped(x, value_of(x, t), false, rank, dim);
}

static const char *
scaled(struct exporter *x, const char *v, const struct tensor *weight, const struct tensor *bias, int rank)
{
	if (weight)
		v = two(x, "Mul", v, channels(x, weight, rank));
	return bias ? two(x, "Add", v, channels(x, bias, rank)) : v;
}

void
batchnorm_train(struct exporter *x, const struct node *n)
{
	const struct tensor *t = n->in[X];
	const char *v = value_of(x, t);
	int64_t axes[MAX_RANK + 1] = { 0 };
	int i;

	for (i = 1; i < t->rank; i++)
		axes[i] = i + 1;
	if (op_bool(n, "frozen") || tensor_root(n->in[RUNNING_MEAN])->frozen) {
		const char *var = two(x, "Add", channels(x, n->in[RUNNING_VAR], t->rank), real_constant(x, op_real(n, "eps")));

		v = two(x, "Div", two(x, "Sub", v, channels(x, n->in[RUNNING_MEAN], t->rank)), one(x, "Sqrt", var));
	} else {
		v = normalised(x, v, t->rank, axes, op_real(n, "eps"));
	}
	result(x, n->out[0], scaled(x, v, n->in[WEIGHT], n->in[BIAS], t->rank));
}

void
layernorm_train(struct exporter *x, const struct node *n)
{
	int64_t axes[MAX_RANK];
	int count = (int)op_int(n, "axes"), i;
	const char *v;

	for (i = 0; i < count; i++)
		axes[i] = i - count;
	v = normalised(x, value_of(x, n->in[0]), count, axes, op_real(n, "eps"));
	if (operand(n, 1))
		v = two(x, "Mul", v, value_of(x, n->in[1]));
	result(x, n->out[0], operand(n, 2) ? two(x, "Add", v, value_of(x, n->in[2])) : v);
}

/* Each group of channels is one row. */
static void
groups(struct exporter *x, const struct node *n, int64_t count)
{
	const struct tensor *t = n->in[0];
	int64_t dim[] = { count, 1 }, axis = 1 + t->batched;
	const char *v;
	int i;

	dim[1] = t->dim[0] / count;
	for (i = 1; i < t->rank; i++)
		dim[1] *= t->dim[i];
	v = normalised(x, reshaped(x, value_of(x, t), t->batched, 2, dim), 1, &axis, op_real(n, "eps"));
	result(x, n->out[0], scaled(x, reshaped_as(x, v, t), operand(n, 1), operand(n, 2), t->rank));
}

void
groupnorm_train(struct exporter *x, const struct node *n)
{
	groups(x, n, op_int(n, "groups"));
}

void
instancenorm_train(struct exporter *x, const struct node *n)
{
	groups(x, n, n->in[0]->dim[0]);
}

/* ---- what training alone does ---- */

static const char *
truth(struct exporter *x, bool holds)
{
	static const unsigned char byte[] = { 0, 1 };
	static const struct numbers of[] = { { .name = "", .type = ELEMENT_BOOL, .count = 1, .data = &byte[0] },
		{ .name = "", .type = ELEMENT_BOOL, .count = 1, .data = &byte[1] } };

	return make(x, "Constant", IN(NULL), AS({ .name = "value", .type = A_NUMBERS, .numbers = &of[holds] }));
}

/* ONNX's Dropout has a rate below 1; all that a rate of 1 leaves is zeros, of numbers that are not
 * finite, too. */
const char *
dropped(struct exporter *x, const char *v, double rate)
{
	const char *out[2];

	if (rate == 0)
		return v;
	if (rate == 1)
		return make(x, "Where", IN(truth(x, false), v, real_constant(x, 0)), AS_IS);
	if ((float)rate == 1)
		export_cannot(x, "ONNX's Dropout has its rate in f32, in which this one is 1: write 1, or 0.9999999 at most");
	make_several(x, "Dropout", IN(v, real_constant(x, rate), truth(x, true)), AS_IS, 2, out);
	return out[0];
}

void
dropout_train(struct exporter *x, const struct node *n)
{
	result(x, n->out[0], dropped(x, value_of(x, n->in[0]), op_real(n, "rate")));
}

const char *
stopped(struct exporter *x, const char *value)
{
	const char *v = one(x, "Identity", value);

	map_put(x->arena, &x->stopped, v, x);
	return v;
}

void
stop_gradient_train(struct exporter *x, const struct node *n)
{
	result(x, n->out[0], stopped(x, value_of(x, n->in[0])));
}

/* ---- recurrent layers ---- */

enum { CELL_TANH, CELL_RELU, CELL_GRU, CELL_LSTM };

struct cell_step {
	struct exporter *x;
	int64_t hidden;
	int cell, gates;
	const char *weight, *bias;	/* of the state: [hidden, gates hidden]; NULL: none */
	const char *h, *c;
};

static void
cut(struct cell_step *s, const char *v, const char **part)
{
	int64_t size[] = { s->hidden, s->hidden, s->hidden, s->hidden };

	make_several(s->x, "Split", IN(v, ints_constant(s->x, s->gates, size)), AS(attr_is_int("axis", 1)), s->gates, part);
}

/* i f g o */
static void
lstm_step(struct cell_step *s, const char *sums, const char *state)
{
	struct exporter *x = s->x;
	const char *part[4], *i, *f, *o;

	cut(s, two(x, "Add", sums, state), part);
	i = one(x, "Sigmoid", part[0]);
	f = one(x, "Sigmoid", part[1]);
	o = one(x, "Sigmoid", part[3]);
	s->c = two(x, "Add", two(x, "Mul", f, s->c), two(x, "Mul", i, one(x, "Tanh", part[2])));
	s->h = two(x, "Mul", o, one(x, "Tanh", s->c));
}

/* r z n */
static void
gru_step(struct cell_step *s, const char *sums, const char *state)
{
	struct exporter *x = s->x;
	const char *of_x[3], *of_h[3], *r, *z, *next;

	cut(s, sums, of_x);
	cut(s, state, of_h);
	r = one(x, "Sigmoid", two(x, "Add", of_x[0], of_h[0]));
	z = one(x, "Sigmoid", two(x, "Add", of_x[1], of_h[1]));
	next = one(x, "Tanh", two(x, "Add", of_x[2], two(x, "Mul", r, of_h[2])));
	s->h = two(x, "Add", two(x, "Mul", two(x, "Sub", real_constant(x, 1), z), next), two(x, "Mul", z, s->h));
}

static void
step(struct cell_step *s, const char *sums)
{
	const char *state = two(s->x, "MatMul", s->h, s->weight);

	if (s->bias)
		state = two(s->x, "Add", state, s->bias);
	if (s->cell == CELL_LSTM)
		lstm_step(s, sums, state);
	else if (s->cell == CELL_GRU)
		gru_step(s, sums, state);
	else
		s->h = one(s->x, s->cell == CELL_RELU ? "Relu" : "Tanh", two(s->x, "Add", sums, state));
}

/* A state before the first step, which each sample has. */
static const char *
begins_with(struct exporter *x, const struct tensor *t, int64_t hidden)
{
	if (t && t->batched)
		return value_of(x, t);
	return for_each_sample(x, t ? value_of(x, t) : real_constant(x, 0), 1, &hidden);
}

static struct cell_step
step_of(struct exporter *x, const struct node *n)
{
	const struct tensor *weight = n->in[RECURRENT_OPERANDS];
	struct cell_step s = { .x = x, .cell = (int)op_int(n, "cell"), .hidden = weight->dim[1], .gates = (int)(weight->dim[0] / weight->dim[1]) };

	s.weight = transposed(x, value_of(x, weight), 2, (int64_t[]){ 1, 0 });
	s.bias = operand(n, RECURRENT_OPERANDS + 1) ? value_of(x, n->in[RECURRENT_OPERANDS + 1]) : NULL;
	return s;
}

/* Which steps each sample has: [B, T, 1] */
static const char *
steps_there(struct exporter *x, const struct tensor *lengths, int64_t count)
{
	const char *before = two(x, "Less", counted(x, 1, &count), two(x, "Unsqueeze", value_of(x, lengths), int_constant(x, 1)));

	return two(x, "Unsqueeze", before, int_constant(x, 2));
}

/* One step: where a sample has none, its state stays, and there is 0 in place of what it makes. */
static struct model *
step_body(struct exporter *x, const struct node *n, struct cell_step *s)
{
	struct model *body = ARENA_NEW(x->arena, struct model), *around = steps_begin(x, body);
	bool carries = s->cell == CELL_LSTM;
	int64_t sums = s->gates * s->hidden;
	const char *h, *c = NULL, *in, *there = NULL, *made;

	h = s->h = steps_input(x, body, n->path, ELEMENT_F32, true, 1, &s->hidden);
	if (carries)
		c = s->c = steps_input(x, body, n->path, ELEMENT_F32, true, 1, &s->hidden);
	in = steps_input(x, body, n->path, ELEMENT_F32, true, 1, &sums);
	if (n->in[RECURRENT_LENGTHS])
		there = steps_input(x, body, n->path, ELEMENT_BOOL, true, 1, &(const int64_t){ 1 });
	step(s, in);
	made = s->h;
	if (there) {
		made = make(x, "Where", IN(there, s->h, real_constant(x, 0)), AS_IS);
		s->h = make(x, "Where", IN(there, s->h, h), AS_IS);
		s->c = carries ? make(x, "Where", IN(there, s->c, c), AS_IS) : NULL;
	}
	steps_output(x, body, body->inputs.v[0], s->h);
	if (carries)
		steps_output(x, body, body->inputs.v[1], s->c);
	steps_output(x, body, body->inputs.v[0], made);
	steps_remember(x, body, 1 + carries);
	x->body = around;
	return body;
}

void
recurrent_train(struct exporter *x, const struct node *n)
{
	static const int64_t axes[] = { 1, 1, 1, 0, 0 };
	const struct tensor *sums = n->in[RECURRENT_X], *lengths = n->in[RECURRENT_LENGTHS];
	const char *in[5] = { NULL }, *out[5];
	int states = op_int(n, "cell") == CELL_LSTM ? 2 : 1;
	struct cell_step s;
	struct steps all;

	if (!sums->batched || (lengths && !lengths->batched)) {
		export_cannot(x, "its steps, or how many there are, do not depend on the batch, which is not written");
		return;
	}
	s = step_of(x, n);
	in[0] = begins_with(x, n->in[RECURRENT_H0], s.hidden);
	if (states == 2)
		in[1] = begins_with(x, n->in[RECURRENT_C0], s.hidden);
	in[states] = value_of(x, sums);
	if (lengths)
		in[states + 1] = steps_there(x, lengths, sums->dim[0]);
	all = (struct steps){ step_body(x, n, &s), states, op_bool(n, "reverse"), lengths ? axes : axes + 1 };
	steps_make(x, &all, in, out);
	result(x, recurrent_states(n), out[states]);
	if (n->nout > RECURRENT_LAST)
		result(x, n->out[RECURRENT_LAST], out[0]);
	if (n->nout > RECURRENT_CARRIED && states == 2)
		result(x, n->out[RECURRENT_CARRIED], out[1]);
}
