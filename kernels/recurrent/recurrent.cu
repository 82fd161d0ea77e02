/*
 * recurrent/recurrent.cu - a recurrent layer's steps: state [b, h] after state, from sums of the
 * inputs [b, t, gates, h] that one product of all steps has made before.
 *
 *     x[b, t] --> + <-- W h[b, t - 1]        W [gates, h, h], in rows as PyTorch has them
 *                 |
 *               cell --> h[b, t] --> y
 *
 * Samples lie first, so a state of all samples has a step of t h from one to the next. Backward
 * goes from the last step to the first and writes the gradients of the sums over the gates; those
 * of the weights are then one product of all steps, in which each gradient meets the state before
 * it. Of an lstm backward makes those states again, in the place of what was carried, and the
 * product is a dense layer's; of the others recurrent_backward_weight finds them among the states.
 *
 * With LENGTHS, a sample ends before step lengths[b]: its state stays what it was, y is 0 and so
 * are the gradients of the sums. In reverse, steps go from the last to the first, so that such a
 * sample begins with its last step.
 */
#ifndef STOWAGE_RECURRENT_RECURRENT_CU
#define STOWAGE_RECURRENT_RECURRENT_CU

#include "product/bias.cu"
#include "recurrent/cell.cu"

struct recurrent {
	int64_t b, t, h;
	enum recurrent_cell cell;
	int reverse;
};

/* Of each call: what there is not is NULL. */
struct recurrent_states {
	const elem *h0, *c0;		/* before the first step, [b, h] */
	const int32_t *lengths;		/* [b] */
};

DEVICE_TOO struct recurrent_states
recurrent_begin(const elem *h0, const elem *c0, const int32_t *lengths)
{
	struct recurrent_states s;

	s.h0 = h0;
	s.c0 = c0;
	s.lengths = lengths;
	return s;
}

/* How many steps sample B has. */
DEVICE int64_t
recurrent_length(const struct recurrent *r, const struct recurrent_states *from, int64_t b)
{
	int64_t n = from->lengths ? from->lengths[b] : r->t;

	return n < 0 ? 0 : n > r->t ? r->t : n;
}

/* Where the state before step T lies among [b, t, h]; -1: it is the first. */
DEVICE int64_t
recurrent_before(const struct recurrent *r, int64_t b, int64_t t, int64_t length)
{
	int64_t before = r->reverse ? t + 1 : t - 1;

	return before < 0 || before >= length ? -1 : (b * r->t + before) * r->h;
}

/* Where what step T leaves is the state before one; -1: it is the last. */
DEVICE int64_t
recurrent_after(const struct recurrent *r, int64_t b, int64_t t, int64_t length)
{
	int64_t after = r->reverse ? t - 1 : t + 1;

	return after < 0 || after >= length ? -1 : (b * r->t + after) * r->h;
}

#ifdef __CUDACC__
#include "recurrent/recurrent_cuda.cu"
#else
#include "recurrent/recurrent_c.cu"
#endif

/* db [gates, h] of the biases beside the state: of the last gate from DKEPT, where there is one. */
static void
recurrent_backward_bias(elem *db, void *work, const elem *dx, const elem *dkept, struct recurrent r)
{
	int64_t gates = recurrent_gates(r.cell);

	bias_rows_backward(db, work, dx, r.b * r.t, gates * r.h);
	if (dkept)
		bias_rows_backward(db + (gates - 1) * r.h, work, dkept, r.b * r.t, r.h);
}

#endif
