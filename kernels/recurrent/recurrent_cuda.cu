/*
 * recurrent/recurrent_cuda.cu - recurrent layers on CUDA: for each step a product of all samples'
 * states, which lie together in scratch memory, and a kernel with a thread for each unit.
 *
 *     work: what libraries may have | reals: c, or gradients that pass by | elements: state | sums of all gates
 */
#ifndef STOWAGE_RECURRENT_RECURRENT_CUDA_CU
#define STOWAGE_RECURRENT_RECURRENT_CUDA_CU

#include "product/dense_cuda.cu"

/* What lies in the scratch memory; SIZE becomes what libraries may have of it. */
struct recurrent_room {
	real *c, *past;		/* [b, h]: carried; backward: gradients that pass a step's sums by */
	elem *state, *sums;	/* [b, h], [b, gates, h] */
	size_t library;
};

static struct recurrent_room
recurrent_room(void *work, int64_t size, struct recurrent r)
{
	struct recurrent_room room;
	int64_t gates = recurrent_gates(r.cell);

	room.library = (size_t)(size - r.b * recurrent_gpu_scratch(r.h, gates, sizeof(elem), sizeof(real)));
	room.c = (real *)((char *)work + room.library);
	room.past = room.c + r.b * r.h;
	room.state = (elem *)(room.past + r.b * r.h);
	room.sums = room.state + r.b * r.h;
	return room;
}

/* What there is before the first step: states, or gradients. */
KERNEL(recurrent_start_kernel, (real *c, const elem *c0, elem *state, const elem *h0, real *past, const elem *past0,
    int64_t n))
{
	EACH (i, n) {
		c[i] = c0 ? VALUE(c0[i]) : 0;
		state[i] = ELEM(h0 ? VALUE(h0[i]) : (real)0);
		past[i] = past0 ? VALUE(past0[i]) : 0;
	}
}

/* ---- forward ---- */

struct recurrent_made {
	elem *y, *gate, *kept, *last, *carried;
};

/* The sums of the state, and what is added to them. */
DEVICE struct recurrent_gates
recurrent_sums(enum recurrent_cell cell, const elem *sums, const elem *bias, int64_t h, int64_t k)
{
	struct recurrent_gates s = recurrent_gates_at(cell, sums, h, k), more;

	if (!bias)
		return s;
	more = recurrent_gates_at(cell, bias, h, k);
	s.a += more.a;
	s.b += more.b;
	s.c += more.c;
	s.d += more.d;
	return s;
}

KERNEL(recurrent_step_kernel, (struct recurrent_made to, const elem *x, struct recurrent_room room,
    struct recurrent_states from, const elem *bias, int64_t t, bool ends, struct recurrent r))
{
	int gates = recurrent_gates(r.cell);

	EACH (i, r.b * r.h) {
		int64_t b = quotient(i, r.h), k = i - b * r.h, place = b * r.t + t;

		if (t >= recurrent_length(&r, &from, b)) {
			if (to.y)
				to.y[place * r.h + k] = ELEM((real)0);
		} else {
			struct recurrent_unit u = recurrent_unit_forward(r.cell,
			    recurrent_gates_at(r.cell, x + place * gates * r.h, r.h, k),
			    recurrent_sums(r.cell, room.sums + b * gates * r.h, bias, r.h, k), VALUE(room.state[i]),
			    room.c[i]);

			room.state[i] = ELEM(u.h);
			if (to.y)
				to.y[place * r.h + k] = room.state[i];
			room.c[i] = u.c;
			if (to.kept)
				to.kept[place * r.h + k] = ELEM(u.kept);
			if (to.gate)
				recurrent_gates_store(r.cell, to.gate + place * gates * r.h, r.h, k, u.gate);
		}
		if (ends && to.last)
			to.last[i] = room.state[i];
		if (ends && to.carried)
			to.carried[i] = ELEM(room.c[i]);
	}
}

/* Y, and what backward reads: GATE, which may lie where X does, and KEPT. LAST and CARRIED are the
 * states after the last step. */
static void
recurrent_forward(elem *y, elem *gate, elem *kept, elem *last, elem *carried, const elem *x,
    struct recurrent_states from, const elem *w, const elem *bias, void *work, int64_t size, struct recurrent r)
{
	struct recurrent_room room = recurrent_room(work, size, r);
	struct recurrent_made to = { y, gate, kept, last, carried };
	int64_t n = r.b * r.h, gates = recurrent_gates(r.cell);

	LAUNCH(recurrent_start_kernel, n, (room.c, from.c0, room.state, from.h0, room.past, (const elem *)NULL, n));
	for (int64_t s = 0; s < r.t; s++) {
		dense_product(room.sums, room.state, false, w, true, NULL, ANEW, AS_IS, r.b, gates * r.h, r.h, work,
		    room.library);
		LAUNCH(recurrent_step_kernel, n, (to, x, room, from, bias, r.reverse ? r.t - 1 - s : s,
		    s == r.t - 1, r));
	}
}

/* ---- backward ---- */

struct recurrent_read {
	const elem *dy, *gate, *y, *kept;
};

struct recurrent_returned {
	elem *dx, *dkept, *before;
};

/* The states before step T are those of the step before, or the first. */
DEVICE struct recurrent_back
recurrent_return_at(const struct recurrent_read *read, const struct recurrent_states *from,
    const struct recurrent *r, int64_t b, int64_t k, int64_t t, int64_t length, real dh, real dc)
{
	int64_t before = recurrent_before(r, b, t, length), place = (b * r->t + t) * r->h + k;
	const elem *h = r->cell != GRU ? NULL : before >= 0 ? read->y + before + k :
	    from->h0 ? from->h0 + b * r->h + k : NULL;
	const elem *c = r->cell != LSTM ? NULL : before >= 0 ? read->kept + before + k :
	    from->c0 ? from->c0 + b * r->h + k : NULL;
	int gates = recurrent_gates(r->cell);
	struct recurrent_gates g = recurrent_gates_at(r->cell, read->gate + (b * r->t + t) * gates * r->h, r->h, k);

	return recurrent_unit_backward(r->cell, g, read->kept ? VALUE(read->kept[place]) : 0, h ? VALUE(*h) : 0,
	    c ? VALUE(*c) : 0, dh, dc);
}

/* H, which step T leaves, goes to where it is the state before a step; before the first there is
 * what was given. */
DEVICE void
recurrent_before_store(elem *before, const struct recurrent_states *from, const struct recurrent *r, int64_t b,
    int64_t k, int64_t t, int64_t length, real h)
{
	int64_t after = recurrent_after(r, b, t, length), place = (b * r->t + t) * r->h + k;

	if (t >= length)
		before[place] = ELEM((real)0);
	else if (after >= 0)
		before[after + k] = ELEM(h);
	if (t < length && recurrent_before(r, b, t, length) < 0)
		before[place] = ELEM(from->h0 ? VALUE(from->h0[b * r->h + k]) : (real)0);
}

/* The gradient of a state is what the product of the step after made of its sums' gradients, and
 * what passed them by. */
KERNEL(recurrent_return_kernel, (struct recurrent_returned to, struct recurrent_read read, struct recurrent_room room,
    struct recurrent_states from, int64_t t, struct recurrent r))
{
	int gates = recurrent_gates(r.cell);

	EACH (i, r.b * r.h) {
		int64_t b = quotient(i, r.h), k = i - b * r.h, place = b * r.t + t;
		int64_t length = recurrent_length(&r, &from, b);
		struct recurrent_back back = { { { 0, 0, 0, 0 }, 0, 0, 0 }, 0 };
		struct recurrent_gates of_state;
		real dh = VALUE(room.state[i]) + room.past[i];

		if (t < length) {
			dh += read.dy ? VALUE(read.dy[place * r.h + k]) : 0;
			back = recurrent_return_at(&read, &from, &r, b, k, t, length, dh, room.c[i]);
			room.c[i] = back.d.c;
			dh = back.d.h;
		}
		room.past[i] = dh;
		if (to.dkept)
			to.dkept[place * r.h + k] = ELEM(back.d.kept);
		if (to.before)
			recurrent_before_store(to.before, &from, &r, b, k, t, length, back.h);
		recurrent_gates_store(r.cell, to.dx + place * gates * r.h, r.h, k, back.d.gate);
		of_state = back.d.gate;
		of_state.c = to.dkept ? back.d.kept : of_state.c;
		recurrent_gates_store(r.cell, room.sums + b * gates * r.h, r.h, k, of_state);
	}
}

KERNEL(recurrent_finish_kernel, (elem *dh0, elem *dc0, struct recurrent_room room, int64_t n))
{
	EACH (i, n) {
		if (dh0)
			dh0[i] = ELEM(VALUE(room.state[i]) + room.past[i]);
		if (dc0)
			dc0[i] = ELEM(room.c[i]);
	}
}

/* DX may lie where GATE does; BEFORE, of an lstm the states before the steps, where KEPT does. */
static void
recurrent_backward(elem *dx, elem *dkept, elem *dh0, elem *dc0, elem *before, const elem *dy, const elem *dlast,
    const elem *dcarried, const elem *gate, const elem *y, const elem *kept, struct recurrent_states from,
    const elem *w, void *work, int64_t size, struct recurrent r)
{
	struct recurrent_room room = recurrent_room(work, size, r);
	struct recurrent_read read = { dy, gate, y, kept };
	struct recurrent_returned to = { dx, dkept, before };
	int64_t n = r.b * r.h, gates = recurrent_gates(r.cell);

	LAUNCH(recurrent_start_kernel, n, (room.c, dcarried, room.state, (const elem *)NULL, room.past, dlast, n));
	for (int64_t s = 0; s < r.t; s++) {
		LAUNCH(recurrent_return_kernel, n, (to, read, room, from, r.reverse ? s : r.t - 1 - s, r));
		if (s < r.t - 1 || dh0)
			dense_product(room.state, room.sums, false, w, false, NULL, ANEW, AS_IS, r.b, r.h,
			    gates * r.h, work, room.library);
	}
	if (dh0 || dc0)
		LAUNCH(recurrent_finish_kernel, n, (dh0, dc0, room, n));
}

/* ---- the gradient of the weights ---- */

KERNEL(recurrent_before_kernel, (elem *to, const elem *y, struct recurrent_states from, struct recurrent r))
{
	EACH (i, r.b * r.t * r.h) {
		int64_t place = quotient(i, r.h), k = i - place * r.h, b = quotient(place, r.t);
		int64_t before = recurrent_before(&r, b, place - b * r.t, recurrent_length(&r, &from, b));

		to[i] = before >= 0 ? y[before + k] : ELEM(from.h0 ? VALUE(from.h0[b * r.h + k]) : (real)0);
	}
}

/* dw [gates, h, h] = the sum over all steps of dx and the state before, of which WORK has a copy
 * for each step; of the last gate from DKEPT, where there is one. */
static void
recurrent_backward_weight(elem *dw, const elem *dx, const elem *dkept, const elem *y,
    struct recurrent_states from, void *work, int64_t size, struct recurrent r)
{
	int64_t gates = recurrent_gates(r.cell), n = r.b * r.t * r.h;
	size_t library = (size_t)(size - n * (int64_t)sizeof(elem));
	elem *before = (elem *)((char *)work + library);

	LAUNCH(recurrent_before_kernel, n, (before, y, from, r));
	dense_product(dw, dx, true, before, false, NULL, ANEW, AS_IS, gates * r.h, r.h, r.b * r.t, work, library);
	if (dkept)
		dense_product(dw + (gates - 1) * r.h * r.h, dkept, true, before, false, NULL, ANEW, AS_IS, r.h, r.h,
		    r.b * r.t, work, library);
}

#endif
