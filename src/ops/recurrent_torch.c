/*
 * How PyTorch runs lstm, gru and rnn with batch_first=True on a card: as _cudnn_rnn, one call for
 * all layers and directions (aten/src/ATen/native/cudnn/RNN.cpp), of whose results the states of
 * all steps come first, time-major in memory. It copies the input to time-major, begins with zeros,
 * and keeps for backward input, first states, states and a reserve. All weights are views of one
 * storage, and so are their gradients; of layers without biases that storage has room for these,
 * and gradients are copies.
 *
 * What the reserve holds cuDNN does not say, and how large it is on a card alone. Here it is what
 * backward has to read: of an lstm four gates and the cell of each step, of a gru three gates and a
 * sum, and of all layers but the last their states. (cuDNN 6 says just that of an lstm: 736,000,000
 * bytes of 4 layers of 320, 25 samples and 1,000 steps; and 864,000,000 of a gru, two numbers more,
 * github.com/pytorch/pytorch/issues/2895.) At most it is taken to be twice all of a cell; and
 * scratch memory, two copies of the weights and the gates of all steps.
 *
 * Of sequences that end early the call reads packed ones, those steps alone that there are, the
 * longest sequence first: samples are put in that order by pack_padded_sequence(), and in their own
 * again by pad_packed_sequence(), which is given the number of steps. How many there are their
 * lengths say: at least one step of each, at most all.
 */
#include "ops/recurrent.h"

#include <string.h>

#include "calls/sizes.h"
#include "calls/tape.h"
#include "ops/product.h"
#include "ops/shapes.h"

#define DROPOUT_STATE	((int64_t)4 << 20)	/* "slightly over 2MB", says RNN.cpp */

extern const struct op op_concat;

enum { X, H0, C0, WEIGHTS };

struct layers {
	struct tape *t;
	const struct node *n;		/* the layer */
	const struct cell *cell;
	int64_t element, batch, steps, hidden, layers, directions;
	int64_t weights;		/* bytes of all, biases included */
	int64_t input, states, state;	/* bytes: x; all steps' states; one state of all layers and directions; */
	int64_t padded;			/* of packed ones the states of all steps, those too that there are not */
	const struct tensor *lengths;	/* NULL: all have all steps, */
	int sorted, own;		/* else where each sample is among the packed ones, and the reverse */
	VEC(int) in;			/* of the call */
	const struct tensor *y, *last, *carried;	/* results of the layer */
};

bool
recurrent_whole(const struct node *layer)
{
	(void)layer;
	return true;
}

static int64_t
bytes(const struct layers *s, int64_t a, int64_t b)
{
	return product_of(s->element, product_of(s->batch, product_of(a, b)));
}

/* ---- parts: parameters and results ---- */

/* The input's weights are the dense layer's. */
static void
take_weights(struct layers *s, const struct node *steps)
{
	const struct node *of[] = { steps->in[RECURRENT_X]->def, steps };
	int from[] = { 1, RECURRENT_OPERANDS }, k, i;

	for (i = 0; i < 2; i++)
		for (k = 0; k < 2; k++)
			if (from[k] + i < of[k]->nin)
				vec_push(s->t->arena, &s->in, tape_value(s->t, of[k]->in[from[k] + i]));
}

static void
take_result(struct layers *s, const struct node *join)
{
	const struct tensor *part = join->in[0];
	const struct node *steps = part->def;

	if (part == steps->out[RECURRENT_LAST])
		s->last = join->out[0];
	else if (part == steps->out[RECURRENT_CARRIED])
		s->carried = join->out[0];
	else
		s->y = join->out[0];	/* of the last layer in the end */
}

static void
take_parts(struct layers *s)
{
	const struct graph *g = s->t->graph;
	int i;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *part = g->nodes.v[i];

		if (part->part_of != s->t->node)
			continue;
		if (part->op == &op_recurrent)
			take_weights(s, part);
		else if (part->op == &op_concat)
			take_result(s, part);
	}
}

/* ---- operands ---- */

/* Samples in another order: index_select() along the axis that they are. */
static int
in_order_of(const struct layers *s, int value, int order, int64_t bytes)
{
	const int in[] = { value, order };

	return tape_call(s->t, &(struct tape_call){ .output = TORCH_NEW, .in = in, .nin = 2, .bytes = bytes,
	    .saves = SAVES_IN(1) });
}

/* 64 bits for each sample. */
static int
indices(const struct layers *s, int of)
{
	return tape_call(s->t, &(struct tape_call){ .output = TORCH_NEW, .in = &of, .nin = 1, .bytes = 8 * s->batch,
	    .stops = true });
}

/* pack_padded_sequence(), which sorts lengths on the host. */
static int
pack(struct layers *s, int x)
{
	struct tape_shape rows = { .rank = 2, .size = { s->batch * s->steps, s->n->in[0]->dim[1] },
		.step = { s->n->in[0]->dim[1], 1 } };
	int in[2];

	s->sorted = indices(s, tape_value(s->t, s->lengths));
	x = in_order_of(s, x, s->sorted, tape_bytes(s->t, s->n->in[0]));
	x = tape_call(s->t, &(struct tape_call){ .output = TORCH_NEW, .in = &x, .nin = 1, .bytes = s->input });
	tape_shaped(s->t, x, &rows);
	in[0] = s->sorted;
	in[1] = indices(s, s->sorted);	/* arange() */
	s->own = tape_call(s->t, &(struct tape_call){ .output = TORCH_NEW, .in = in, .nin = 2, .bytes = 8 * s->batch,
	    .stops = true });
	return x;
}

/*
 * pad_packed_sequence(): zeros, into which samples of one length after the other are copied.
 * Backward of such a copy has two, of all steps' gradient and of what was copied; of many lengths
 * there is one more, of what is being added up.
 */
static int
pad(const struct layers *s, int y)
{
	y = tape_call(s->t, &(struct tape_call){ .output = TORCH_VIEW, .in = &y, .nin = 1, .bytes = s->states });
	y = tape_call(s->t, &(struct tape_call){ .output = TORCH_NEW, .in = &y, .nin = 1, .bytes = s->padded,
	    .scratch = s->padded + s->states, .most = 2 * s->padded });
	return in_order_of(s, y, s->own, s->padded);
}

/* [batch, layers hidden] as [layers, batch, hidden]; or zeros. */
static int
first_state(const struct layers *s, const struct tensor *h)
{
	const int axis[] = { 1, 0, 2 };
	int64_t all = s->layers * s->directions;
	struct tape_shape sizes = { .rank = 3, .size = { s->batch, all, s->hidden } };
	struct tape_call c = { .output = TORCH_NEW, .nin = h != NULL, .bytes = s->state, .passes = 1u << 0 };
	struct tape_shape lies = { .rank = 3, .size = { all, s->batch, s->hidden },
		.step = { s->batch * s->hidden, s->hidden, 1 } };
	int value = TAPE_NONE;

	if (h) {
		value = tape_permute(s->t, tape_reshape(s->t, tape_value(s->t, h), &sizes), axis);
		if (s->t->values.v[value].strided) {
			c.in = &value;
			value = tape_call(s->t, &c);
		}
	} else {
		value = tape_call(s->t, &c);
	}
	if (h && s->lengths)
		value = in_order_of(s, value, s->sorted, s->state);
	else if (h && c.in != &value)
		return value;
	tape_shaped(s->t, value, &lies);
	return value;
}

/* With its first two axes exchanged: [steps, batch, ...] */
static bool
lies_by_steps(const struct layers *s, int value)
{
	struct tape_shape x, turned;

	if (!s->n->in[0]->batched || s->lengths)
		return true;
	if (!tape_shape(s->t, value, &x))
		return false;
	turned = x;
	turned.size[0] = x.size[1], turned.size[1] = x.size[0];
	turned.step[0] = x.step[1], turned.step[1] = x.step[0];
	return tape_in_order(&turned);
}

/* ---- the call ---- */

/* Numbers a step, of every layer and direction. */
static int64_t
reserve(const struct layers *s)
{
	int64_t gates = s->cell->gates, each = gates > 1 ? gates + 1 : 0;

	return each * s->layers + s->layers - 1;
}

static int64_t
most_reserve(const struct layers *s)
{
	return 2 * (s->cell->gates + 2) * s->layers + 2 * (s->layers - 1);
}

static const struct tape_shape *
by_steps(const struct layers *s, int64_t width)
{
	struct tape_shape *lies = ARENA_NEW(s->t->arena, struct tape_shape);

	*lies = (struct tape_shape){ .rank = 3, .size = { s->batch, s->steps, width },
		.step = { width, s->batch * width, 1 } };
	return s->n->in[0]->batched && !s->lengths && !tape_in_order(lies) ? lies : NULL;
}

static const struct tape_library *
library(const struct layers *s)
{
	struct tape_library *l = ARENA_NEW(s->t->arena, struct tape_library);
	int64_t copy = lies_by_steps(s, s->in.v[X]) ? 0 : s->input, carried = s->cell->carries ? s->state : 0;
	bool bias = op_bool(s->n, "bias");

	l->forward = (copy + s->state + carried) * (s->lengths ? 2 : 1);	/* in their own order again */
	l->data = copy + s->input + 2 * (s->state + carried);
	l->parameters = l->data + (bias ? s->weights : 2 * s->weights);
	if (!bias)	/* room for them, and copies of the rest */
		l->parameters += 2 * s->cell->gates * s->hidden * s->layers * s->directions * s->element;
	l->first = WEIGHTS;
	l->buffer = bias ? s->weights : 0;
	l->gradient = by_steps(s, s->n->in[0]->dim[1]);
	l->most_lent = 2 * s->weights + product_of(s->states, s->cell->gates);
	if (s->t->mode == TAPE_TRAINING)
		l->most_beside = product_of(s->states, most_reserve(s) - reserve(s)) +
		    (op_real(s->n, "dropout") > 0 ? DROPOUT_STATE : 0);
	return l;
}

static int
call(struct layers *s)
{
	int64_t width = s->directions * s->hidden;
	const struct tape_shape *lies = by_steps(s, width);
	struct tape_shape rows = { .rank = 2, .size = { s->batch * s->steps, width }, .step = { width, 1 } };
	int y = tape_call(s->t, &(struct tape_call){ .output = TORCH_NEW, .in = s->in.v, .nin = s->in.n,
	    .bytes = s->states, .saves = SAVES_IN(X) | SAVES_IN(H0) | SAVES_IN(C0) | SAVES_OUT(0), .library = library(s),
	    .beside = s->t->mode == TAPE_TRAINING ? product_of(s->states, reserve(s)) : 0, .shape = lies,
	    .strided = lies != NULL });

	if (s->lengths)
		tape_shaped(s->t, y, &rows);
	return y;
}

/* Another result of it, [layers, batch, hidden], as the language has it. */
static void
result(struct layers *s, const struct tensor *to, int y)
{
	const int axis[] = { 1, 0, 2 };
	struct tape_shape lies = { .rank = 3, .size = { s->layers * s->directions, s->batch, s->hidden },
		.step = { s->batch * s->hidden, s->hidden, 1 } };
	int value;

	if (!to || !s->t->needed[to->id])
		return;
	value = tape_call(s->t, &(struct tape_call){ .output = TORCH_NEW, .in = &y, .nin = 1, .bytes = s->state,
	    .result = true });
	tape_shaped(s->t, value, &lies);
	if (s->lengths) {
		value = in_order_of(s, value, s->own, s->state);
		tape_shaped(s->t, value, &lies);
	}
	tape_result(s->t, to, tape_reshape_to(s->t, tape_permute(s->t, value, axis), to));
}

/* ---- the layer ---- */

/* Its last operand, if it is no state. */
static const struct tensor *
lengths(const struct node *n)
{
	const struct tensor *t = n->in[n->nin - 1];

	return n->nin > 1 && t->dtype == DT_I32 ? t : NULL;
}

static void
take_operands(struct layers *s)
{
	const struct node *n = s->n;
	int x = tape_value(s->t, n->in[0]), states = n->nin - 1 - (s->lengths != NULL);

	vec_push(s->t->arena, &s->in, s->lengths ? pack(s, x) : x);
	vec_push(s->t->arena, &s->in, first_state(s, states > 0 ? n->in[1] : NULL));
	vec_push(s->t->arena, &s->in, s->cell->carries ? first_state(s, states > 1 ? n->in[2] : NULL) : TAPE_NONE);
}

void
recurrent_torch(struct tape *t, const struct node *n)
{
	const struct tensor *x = n->in[0];
	struct layers s = { .t = t, .n = n, .cell = recurrent_cell(recurrent_kind(n)), .steps = x->dim[0],
		.element = dtype_bytes(x->dtype), .batch = x->batched ? t->batch : 1, .hidden = op_int(n, "hidden"),
		.layers = op_int(n, "layers"), .directions = op_bool(n, "bidirectional") ? 2 : 1, .lengths = lengths(n) };
	int i, y;

	s.padded = bytes(&s, s.steps, s.directions * s.hidden);
	if (s.lengths && !t->most)
		s.steps = 1;
	s.input = bytes(&s, s.steps, x->dim[1]);
	s.states = bytes(&s, s.steps, s.directions * s.hidden);
	s.state = bytes(&s, s.layers * s.directions, s.hidden);
	take_operands(&s);
	take_parts(&s);
	for (i = WEIGHTS; i < s.in.n; i++)
		s.weights += t->values.v[s.in.v[i]].bytes;
	if (!op_bool(n, "bias") && t->values.v[s.in.v[WEIGHTS]].first == TAPE_ALWAYS)
		t->layers_bytes += 2 * s.cell->gates * s.hidden * s.layers * s.directions * s.element;
	y = call(&s);
	if (!s.lengths)
		tape_result(t, s.y, y);
	result(&s, s.last, y);
	result(&s, s.carried, y);
	if (s.lengths && t->needed[s.y->id])
		tape_result(t, s.y, pad(&s, y));
}
