/*
 * recurrent/cell.cu - what the cells of recurrent layers do to one unit in one step, and its
 * gradient.
 *
 * A unit has a sum of the inputs x and a sum of the state h for each gate, in the order of PyTorch
 * and of cuDNN, and adds the two wherever it can:
 *
 *     rnn     h' = tanh(x + h), or relu
 *     gru     r, z = sigmoid(x + h); n = tanh(x + r h); h' = (1 - z) n + z h
 *     lstm    i, f, o = sigmoid(x + h); g = tanh(x + h); c' = f c + i g; h' = o tanh(c')
 *
 * What backward reads is the gates after their functions and one more number: of the lstm c', of
 * the gru its last sum of the state, before r. Of the rnn h' is all. A cell is a case in each of
 * two functions; the callers give it as a constant.
 */
#ifndef STOWAGE_RECURRENT_CELL_CU
#define STOWAGE_RECURRENT_CELL_CU

#include "pointwise/formula.cu"
#include "pointwise/exp.cu"
#include "sizes.h"

struct recurrent_gates {	/* numbers of each; of fewer gates the first */
	real a, b, c, d;
};

struct recurrent_unit {
	struct recurrent_gates gate;
	real kept;		/* what backward reads beside the gates */
	real h, c;		/* the state, and what an lstm carries beside it */
};

DEVICE_TOO int
recurrent_gates(enum recurrent_cell cell)
{
	return cell == LSTM ? 4 : cell == GRU ? 3 : 1;
}

/* Number K of each gate, whose rows lie STEP apart. */
DEVICE struct recurrent_gates
recurrent_gates_at(enum recurrent_cell cell, const elem *at, int64_t step, int64_t k)
{
	struct recurrent_gates g = { 0, 0, 0, 0 };

	g.a = VALUE(at[k]);
	if (cell == LSTM || cell == GRU) {
		g.b = VALUE(at[step + k]);
		g.c = VALUE(at[2 * step + k]);
	}
	if (cell == LSTM)
		g.d = VALUE(at[3 * step + k]);
	return g;
}

DEVICE void
recurrent_gates_store(enum recurrent_cell cell, elem *at, int64_t step, int64_t k, struct recurrent_gates g)
{
	at[k] = ELEM(g.a);
	if (cell == LSTM || cell == GRU) {
		at[step + k] = ELEM(g.b);
		at[2 * step + k] = ELEM(g.c);
	}
	if (cell == LSTM)
		at[3 * step + k] = ELEM(g.d);
}

/* From the sums X of the inputs and S of the state, and the state before. */
DEVICE struct recurrent_unit
recurrent_unit_forward(enum recurrent_cell cell, struct recurrent_gates x, struct recurrent_gates s, real h, real c)
{
	struct recurrent_unit u = { x, 0, 0, c };

	switch (cell) {
	case RNN_TANH:
		u.h = u.gate.a = tanh_of(x.a + s.a);
		break;
	case RNN_RELU:
		u.h = u.gate.a = rectified(x.a + s.a);
		break;
	case GRU:
		u.kept = s.c;
		u.gate.a = logistic(x.a + s.a);
		u.gate.b = logistic(x.b + s.b);
		u.gate.c = tanh_of(x.c + u.gate.a * s.c);
		u.h = u.gate.c + u.gate.b * (h - u.gate.c);
		break;
	case LSTM:
		u.gate.a = logistic(x.a + s.a);
		u.gate.b = logistic(x.b + s.b);
		u.gate.c = tanh_of(x.c + s.c);
		u.gate.d = logistic(x.d + s.d);
		u.kept = u.c = u.gate.b * c + u.gate.a * u.gate.c;
		u.h = u.gate.d * tanh_of(u.c);
		break;
	}
	return u;
}

struct recurrent_back {		/* of a unit in one step */
	struct recurrent_unit d;	/* gradients of the sums of the inputs; of the last gate's sum of the state, where
					 * it differs, as what was kept; of the state and what is carried before the step,
					 * as far as they pass the sums by */
	real h;			/* of an lstm the state after the step, made again */
};

/* From the gates G, what was kept, the state H and the carried C before the step, and the gradients
 * of those after it. */
DEVICE struct recurrent_back
recurrent_unit_backward(enum recurrent_cell cell, struct recurrent_gates g, real kept, real h, real c, real dh,
    real dc)
{
	struct recurrent_unit d = { { 0, 0, 0, 0 }, 0, 0, 0 };
	struct recurrent_back back;
	real t;

	back.h = 0;
	switch (cell) {
	case RNN_TANH:
		d.gate.a = dh * (1 - g.a * g.a);
		break;
	case RNN_RELU:
		d.gate.a = g.a <= 0 ? 0 : dh;
		break;
	case GRU:
		d.gate.c = dh * (1 - g.b) * (1 - g.c * g.c);
		d.gate.b = dh * (h - g.c) * g.b * (1 - g.b);
		d.gate.a = d.gate.c * kept * g.a * (1 - g.a);
		d.kept = d.gate.c * g.a;
		d.h = dh * g.b;
		break;
	case LSTM:
		t = tanh_of(kept);
		back.h = g.d * t;
		dc += dh * g.d * (1 - t * t);
		d.gate.a = dc * g.c * g.a * (1 - g.a);
		d.gate.b = dc * c * g.b * (1 - g.b);
		d.gate.c = dc * g.a * (1 - g.c * g.c);
		d.gate.d = dh * t * g.d * (1 - g.d);
		d.c = dc * g.b;
		break;
	}
	back.d = d;
	return back;
}

/* CALL(cell) with a constant, so that the loop in it is made for that one. */
#define RECURRENT_CASES(cell, CALL)								\
	switch (cell) {										\
	case RNN_TANH: CALL(RNN_TANH); break;							\
	case RNN_RELU: CALL(RNN_RELU); break;							\
	case GRU: CALL(GRU); break;								\
	case LSTM: CALL(LSTM); break;								\
	}

#endif
