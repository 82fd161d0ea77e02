/*
 * What operators that only put elements elsewhere share; see move.h. A description goes by the axes
 * of tensors; here it becomes steps in memory, whichever way channels lie, with axes merged that
 * lie one within the other in both tensors.
 *
 * The gradient of most is the same move turned round. It is not where an element was read more than
 * once, and where elements between those read were not: then each element of dx looks for what was
 * made of it.
 */
#include "ops/move.h"

#include <assert.h>
#include <string.h>

#include "ir/diff.h"

#include "calls/emitter.h"
#include "ops/shapes.h"

struct axis {			/* of a move, in memory */
	bool batch;		/* N times the batch */
	int64_t n, of, to, from;
	int nruns;
	struct move_run run[MOVE_RUNS];
};

struct steps {
	int n;
	struct axis axis[MOVE_PARTS];
	int64_t to, from;	/* where it begins in y and in x */
};

/* ---- descriptions ---- */

struct move_part *
move_part(struct moving *m, int out, int in, int64_t n)
{
	struct move_part *p = &m->part[m->n++];

	assert(m->n <= MOVE_PARTS);
	*p = (struct move_part){ .out = out, .in = in, .out_step = 1, .in_step = in == MOVE_NOWHERE ? 0 : 1,
		.n = n, .of = in == MOVE_NOWHERE ? 0 : n };
	return p;
}

void
move_start(struct moving *m, const struct tensor *y, const struct tensor *x)
{
	memset(m, 0, sizeof(*m));
	if (y->batched)
		move_part(m, MOVE_BATCH, x->batched ? MOVE_BATCH : MOVE_NOWHERE, 1);
}

void
move_run(struct move_part *p, int64_t n, int64_t start, int64_t by)
{
	if (n == 0)
		return;
	assert(p->nruns < MOVE_RUNS);
	p->run[p->nruns++] = (struct move_run){ n, start, by };
}

/* ---- into memory ---- */

static int64_t
step_of(const struct tensor *t, int axis)
{
	struct tensor stored = tensor_stored(t);

	if (axis == MOVE_NOWHERE)
		return 0;
	if (axis == MOVE_BATCH)
		return tensor_elements_per_sample(t);
	return shape_product(&stored, tensor_stored_axis(t, axis) + 1, t->rank);
}

static void
lay_out(struct steps *s, const struct moving *m, const struct tensor *y, const struct tensor *x)
{
	int i;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < m->n; i++) {
		const struct move_part *p = &m->part[i];
		struct axis *a = &s->axis[s->n];
		int64_t out = step_of(y, p->out);

		s->to += p->out_start * out;
		if (p->out != MOVE_BATCH && p->n == 1 && p->of <= 1 && !p->nruns)
			continue;
		*a = (struct axis){ .batch = p->out == MOVE_BATCH, .n = p->n, .of = p->of, .to = out * p->out_step,
			.from = step_of(x, p->in) * p->in_step, .nruns = p->nruns };
		memcpy(a->run, p->run, sizeof(a->run));
		s->n++;
	}
	if (s->n == 0)
		s->axis[s->n++] = (struct axis){ .n = 1, .of = 1, .to = 1, .from = 1 };
}

/* Outermost first: in y, or in x, where what x does not have comes first. */
static void
sort(struct steps *s, bool by_x)
{
	int i, j;

	for (i = 1; i < s->n; i++)
		for (j = i; j > 0; j--) {
			struct axis *a = &s->axis[j - 1], *b = &s->axis[j], was = *a;
			bool after = by_x ? !b->of ? a->of > 0 : a->of > 0 && b->from > a->from : b->to > a->to;

			if (!after)
				break;
			*a = *b;
			*b = was;
		}
}

static bool
lies_within(const struct axis *outer, const struct axis *inner)
{
	int r;

	if (inner->batch || inner->nruns || outer->to != inner->n * inner->to ||
	    outer->from != inner->n * inner->from || !outer->of != !inner->of ||
	    (inner->of && inner->of != inner->n))
		return false;
	for (r = 0; r < outer->nruns; r++)
		if (outer->run[r].start >= 0 && outer->run[r].by != 1)
			return false;
	return true;
}

static void
merge(struct steps *s)
{
	int i, kept = 0, r;

	for (i = 1; i < s->n; i++) {
		struct axis *outer = &s->axis[kept], *inner = &s->axis[i];

		if (!lies_within(outer, inner)) {
			s->axis[++kept] = *inner;
			continue;
		}
		for (r = 0; r < outer->nruns; r++) {
			outer->run[r].n *= inner->n;
			outer->run[r].start *= outer->run[r].start < 0 ? 1 : inner->n;
		}
		outer->n *= inner->n;
		outer->of *= inner->n;
		outer->to = inner->to;
		outer->from = inner->from;
	}
	s->n = kept + 1;
	assert(s->n <= MOVE_AXES);
}

/* One run is a place to begin at, and a step; an axis of one index is none. For a move of elements
 * alone: what x has beside those is forgotten. */
static void
straighten(struct steps *s)
{
	int i, kept = 0;

	for (i = 0; i < s->n; i++) {
		struct axis a = s->axis[i];

		if (a.nruns == 1 && a.run[0].start >= 0) {
			s->from += a.run[0].start * a.from;
			a.from *= a.run[0].by;
			a.nruns = 0;
			a.of = a.n;
		}
		if (a.batch || a.n > 1 || a.nruns)
			s->axis[kept++] = a;
	}
	s->n = kept;
	if (kept == 0)
		s->axis[s->n++] = (struct axis){ .n = 1, .of = 1, .to = 1, .from = 1 };
}

/* ---- turned round ---- */

/* Runs of x in y; false where x has more than a few, or an element of it is read twice. */
static bool
turn_runs(struct axis *a)
{
	struct move_run turned[MOVE_RUNS];
	int64_t done = 0, begin, first = 0;
	int n = 0, r, next;

	if (!a->nruns)
		return a->of == a->n;
	while (done < a->of) {	/* the next run of x, from DONE on */
		int64_t at = a->of;

		next = -1;
		for (r = 0, begin = 0; r < a->nruns; begin += a->run[r++].n) {
			const struct move_run *u = &a->run[r];
			int64_t low = u->by < 0 ? u->start - (u->n - 1) : u->start;

			if (u->start < 0)
				continue;
			if (u->n > 1 && u->by != 1 && u->by != -1)
				return false;
			if (low < done && low + u->n > done)
				return false;
			if (low >= done && low < at) {
				at = low;
				next = r;
				first = u->by < 0 ? begin + u->n - 1 : begin;
			}
		}
		if (at > done && n < MOVE_RUNS)
			turned[n++] = (struct move_run){ at - done, -1, 1 };
		else if (at > done)
			return false;
		done = at;
		if (next < 0)
			break;
		if (n == MOVE_RUNS)
			return false;
		turned[n++] = (struct move_run){ a->run[next].n, first, a->run[next].by < 0 ? -1 : 1 };
		done += a->run[next].n;
	}
	memcpy(a->run, turned, sizeof(turned));
	a->nruns = n;
	return true;
}

/* Is any element read by two runs? Then turn_runs() may have seen only one of them. */
static bool
reads_twice(const struct axis *a)
{
	int r, q;

	for (r = 0; r < a->nruns; r++)
		for (q = 0; q < r; q++) {
			const struct move_run *u = &a->run[r], *v = &a->run[q];
			int64_t low_u = u->by < 0 ? u->start - (u->n - 1) : u->start;
			int64_t low_v = v->by < 0 ? v->start - (v->n - 1) : v->start;

			if (u->start >= 0 && v->start >= 0 && low_u < low_v + v->n && low_v < low_u + u->n)
				return true;
		}
	return false;
}

static bool
turn(struct steps *s)
{
	struct steps t = *s;
	int i;

	for (i = 0; i < t.n; i++) {
		struct axis *a = &t.axis[i], was = *a;

		if (!a->of || reads_twice(a) || !turn_runs(a))
			return false;
		a->n = was.of;
		a->of = was.n;
		a->to = was.from;
		a->from = was.to;
	}
	t.to = s->from;
	t.from = s->to;
	*s = t;
	return true;
}

bool
move_is_nothing(const struct moving *m, const struct tensor *y, const struct tensor *x)
{
	struct steps s;

	lay_out(&s, m, y, x);
	sort(&s, false);
	merge(&s);
	return s.n == 1 && s.axis[0].to == 1 && s.axis[0].from == 1 && !s.axis[0].nruns &&
	    s.axis[0].n == s.axis[0].of;
}

/* ---- calls ---- */

static void
put_axis(struct text *t, const struct axis *a, bool backward)
{
	int64_t end = 0;
	int r;

	text_puts(t, "{ ");
	if (!a->batch || a->n > 1)
		text_printf(t, a->batch ? "b * %lld" : "%lld", (long long)a->n);
	else
		text_puts(t, "b");
	text_printf(t, ", %lld, %lld", (long long)(backward ? 0 : a->to), (long long)(backward ? a->to : a->from));
	if (a->nruns || backward)
		text_puts(t, a->nruns ? ", { " : ", { { 0 } }");
	for (r = 0; r < a->nruns; r++) {
		end += a->run[r].n;
		text_printf(t, "%s{ %lld, %lld, %lld }", r ? ", " : "", (long long)end,
		    (long long)a->run[r].start, (long long)a->run[r].by);
	}
	text_puts(t, a->nruns ? " }" : "");
	if (backward && a->batch && a->of)
		text_printf(t, a->of > 1 ? ", b * %lld" : ", b", (long long)a->of);
	else if (backward)
		text_printf(t, ", %lld", (long long)a->of);
	text_puts(t, " }");
}

/* "(struct move){ 2, { { b * 3, 5, 1 }, { 5, 1, 15 } } }", as an argument of a kernel */
static struct call_arg
arg_move(struct emitter *e, const struct steps *s, bool backward)
{
	struct text t;
	int i;

	text_init(&t, e->module->arena);
	text_printf(&t, "(struct move){ %d, {", s->n);
	for (i = 0; i < s->n; i++) {
		text_puts(&t, i && i % 2 == 0 ? ",\n\t    " : i ? ", " : " ");
		put_axis(&t, &s->axis[i], backward);
	}
	text_puts(&t, " } }");
	return arg_text(t.s);
}

static struct call_arg
arg_from(struct emitter *e, const struct tensor *t, int64_t offset)
{
	const char *at = emit_pointer(e, t);

	return arg_text(offset ? arena_printf(e->module->arena, "%s + %lld", at, (long long)offset) : at);
}

void
move_emit_forward(struct emitter *e, const struct tensor *y, const struct tensor *x, const struct moving *m)
{
	struct steps s;

	lay_out(&s, m, y, x);
	sort(&s, false);
	straighten(&s);
	merge(&s);
	emit_call(e, "move_forward", arg_from(e, y, s.to), arg_from(e, x, s.from), arg_real(m->value),
	    arg_move(e, &s, false));
}

void
move_emit_backward(struct emitter *e, const struct node *n, const struct tensor *dx, const struct tensor *dy,
    const struct moving *m)
{
	struct steps s;

	lay_out(&s, m, dy, dx);
	if (!turn(&s)) {
		sort(&s, true);
		merge(&s);
		emit_call(e, "move_backward", arg_tensor(dx), arg_from(e, dy, s.to), arg_onto(n), arg_count(dx),
		    arg_move(e, &s, true));
		return;
	}
	sort(&s, false);
	straighten(&s);
	merge(&s);
	if (op_base(n))
		emit_call(e, "move_onto", arg_from(e, dx, s.to), arg_from(e, dy, s.from), arg_onto(n),
		    arg_move(e, &s, false));
	else
		emit_call(e, "move_forward", arg_from(e, dx, s.to), arg_from(e, dy, s.from), arg_real(0),
		    arg_move(e, &s, false));
}

/* ---- operators that make one tensor of one ---- */

void
move_emit(struct emitter *e, const struct node *n)
{
	struct moving m;

	n->op->calls.moves(n, &m);
	move_emit_forward(e, n->out[0], n->in[0], &m);
}

static void
emit_gradient(struct emitter *e, const struct node *n)
{
	struct moving m;

	n->forward->op->calls.moves(n->forward, &m);
	move_emit_backward(e, n, n->out[0], n->in[0], &m);
}

const struct op op_move_grad = {
	.name = "move_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of what puts elements elsewhere: dy put back, and summed where one was read several times",
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.onto = 1,
	.calls.kernels = "copy/move.cu",
	.calls.emit = emit_gradient,
};

bool
move_gradient(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_move_grad, 0, NULL);
}
