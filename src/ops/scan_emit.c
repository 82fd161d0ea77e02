/*
 * The loops of scan and scan_grad. A step's tensors lie in the node's scratch memory, where its plan has them; behind
 * them what goes from step to step, unless it is a result: states, their gradients, sums of gradients in f32.
 */
#include "ops/scan.h"

#include "calls/emitter.h"
#include "ops/shapes.h"

extern const struct op op_scan_grad;

#define ALIGNMENT	256	/* of every offset, on either target */

/* ---- what goes from step to step ---- */

struct store {
	const struct tensor *like;	/* of the step */
	const struct tensor *in;	/* the result that holds it, or NULL */
	int64_t at;		/* in scratch memory */
};

struct stores {
	struct store *v;
	int n;
	int64_t bytes;		/* of scratch memory in all */
};

static int64_t
aligned(int64_t bytes)
{
	return bytes > INT64_MAX - ALIGNMENT ? bytes : (bytes + ALIGNMENT - 1) & ~(int64_t)(ALIGNMENT - 1);
}

static void
store(struct stores *s, const struct rounds *r, const struct tensor *like, const struct tensor *in)
{
	bool own = like && (!in || in->dtype != like->dtype || in->batched != like->batched);

	s->v[s->n++] = (struct store){ like, own ? NULL : in, own ? s->bytes : 0 };
	if (own && __builtin_add_overflow(s->bytes, aligned(affine_at(tensor_bytes(like), r->m->train->batch)),
	    &s->bytes))
		s->bytes = INT64_MAX;
}

static struct tensor *
result(const struct node *n, int k)
{
	return k < n->nout ? n->out[k] : NULL;
}

/* Of scan each state; of scan_grad each operand's gradient that is not a sequence's. */
static struct stores
stores_of(const struct node *n, const struct scan *s, const struct rounds *r)
{
	int count = n->op == &op_scan_grad ? s->operands - s->sequences : s->states, i;
	struct stores made = { arena_array(r->m->arena, (size_t)count + 1, sizeof(*made.v)), 0, aligned(r->bytes) };

	for (i = 0; i < count; i++) {
		int k = s->sequences + i;
		bool state = i < s->states;

		if (n->op == &op_scan_grad)
			store(&made, r, state ? r->given[k] : r->made[k], n->out[k]);
		else
			store(&made, r, r->given[k], result(n, SCAN_LAST(s) + i));
	}
	return made;
}

/* As bytes that grow with the batch: exact at the batch of the plan. */
static struct affine
work(const struct node *n)
{
	const struct rounds *r = rounds_of(n);
	struct scan s = scan_of(n);
	struct affine sum = { 0, 0 };
	int64_t batch, bytes;
	int i, k;

	if (r) {
		batch = r->m->train->batch > 0 ? r->m->train->batch : 1;
		bytes = stores_of(n, &s, r).bytes;
		return (struct affine){ bytes - bytes / batch * batch, bytes / batch };
	}
	for (i = 0; i < s.body->nodes.n; i++)	/* not planned yet: all at once */
		for (k = 0; k < s.body->nodes.v[i]->nout; k++)
			if (s.body->nodes.v[i]->out[k])
				sum = affine_sum(sum, tensor_bytes(s.body->nodes.v[i]->out[k]));
	return sum;
}

struct affine
scan_work(const struct node *n, const struct room *room)
{
	(void)room;
	return work(n);
}

struct affine
scan_work_grad(const struct node *n, const struct room *room)
{
	(void)room;
	return work(n);
}

void
scan_define(struct emitter *e, const struct node *n)
{
	emit_round_kernels(e, rounds_of(n));
}

/* ---- a loop being written ---- */

struct loop {
	struct emitter *e;
	const struct node *n;
	struct scan s;
	const struct rounds *r;
	struct stores stores;
	int64_t base;		/* of the scratch memory */
	int64_t *place;		/* of the step's tensors */
	const char *t;		/* the loop's variable */
	bool down;		/* it goes from the last step to the first */
};

static int64_t
place_of_store(const struct loop *l, int i)
{
	const struct store *s = &l->stores.v[i];

	return s->in ? l->e->offset[tensor_root(s->in)->id] : l->base + s->at;
}

static struct loop
loop_of(struct emitter *e, const struct node *n)
{
	struct loop l = { .e = e, .n = n, .s = scan_of(n), .r = rounds_of(n), .t = "t" };
	int i;

	l.stores = stores_of(n, &l.s, l.r);
	l.base = n->work ? e->offset[n->work->id] : 0;
	l.place = emit_round_places(e, l.r, l.base);
	l.down = l.s.reverse != (n->op == &op_scan_grad);
	if (e->depth)
		l.t = arena_printf(e->module->arena, "t%d", e->depth + 1);
	for (i = l.s.sequences + l.s.states; i < l.s.operands; i++) {
		l.place[l.r->given[i]->id] = e->offset[tensor_root(n->in[i])->id];
		if (n->op == &op_scan_grad && l.r->made[i])
			l.place[l.r->made[i]->id] = place_of_store(&l, i - l.s.sequences);
	}
	return l;
}

/* A tensor of the step; NULL where it has no bytes, since nobody reads it. */
static const char *
inside(const struct loop *l, const struct tensor *t)
{
	int64_t at = t ? l->place[tensor_root(t)->id] : -1;

	return at < 0 ? NULL : emit_address(l->e, t->dtype, at);
}

static const char *
stored(const struct loop *l, int i)
{
	return emit_address(l->e, l->stores.v[i].like->dtype, place_of_store(l, i));
}

/* Rows of N elements, so far apart. */
static void
move(const struct loop *l, const char *y, int64_t to, const char *x, int64_t from, const char *rows, int64_t n)
{
	emit_call(l->e, "steps_move", arg_text(y), arg_int(to), arg_text(x), arg_int(from), arg_text(rows), arg_int(n));
}

/* "b * 3", "b" or "3" */
static const char *
rows_of(const struct loop *l, const struct tensor *t, int axis)
{
	return emit_rows(l->e, t, axis);
}

/* The step T + BY of a sequence, or of what is made of all steps. */
static const char *
at_step(const struct loop *l, const struct tensor *all, int axis, int by)
{
	int64_t n = shape_product(all, axis + 1, all->rank);
	const char *t = by ? arena_printf(l->e->module->arena, "(%s %c 1)", l->t, by < 0 ? '-' : '+') : l->t;

	return arena_printf(l->e->module->arena, n == 1 ? "%s + %s" : "%s + %s * %lld", emit_pointer(l->e, all), t,
	    (long long)n);
}

static void
take_step(const struct loop *l, const struct tensor *t, const struct tensor *all)
{
	int64_t n = shape_product(all, l->s.axis + 1, all->rank);

	if (inside(l, t))
		move(l, inside(l, t), n, at_step(l, all, l->s.axis, 0), n * l->s.steps, rows_of(l, all, l->s.axis), n);
}

static void
put_step(const struct loop *l, const struct tensor *all, const struct tensor *t)
{
	int64_t n = shape_product(all, l->s.axis + 1, all->rank);

	move(l, at_step(l, all, l->s.axis, 0), n * l->s.steps, inside(l, t), n, rows_of(l, all, l->s.axis), n);
}

/* All of a state, to where it lies whole. */
static void
move_state(const struct loop *l, const char *y, const char *x, const struct tensor *state)
{
	int64_t n = tensor_elements_per_sample(state);

	move(l, y, n, x, n, state->batched ? "b" : "1", n);
}

/* The state before the first step, which all samples may begin with. */
static void
begin_state(const struct loop *l, const char *y, int j)
{
	const struct tensor *h = l->n->in[l->s.sequences + j], *state = l->r->given[l->s.sequences + j];
	int64_t n = tensor_elements_per_sample(state);

	move(l, y, n, emit_pointer(l->e, h), h->batched ? n : 0, state->batched ? "b" : "1", n);
}

static void
clear(const struct loop *l, const char *y, const struct tensor *t)
{
	emit_call(l->e, emit_kernel(l->e, "steps_clear", t), arg_text(y), arg_count(t));
}

static void
open_loop(struct loop *l)
{
	if (l->down)
		emit_line(l->e, "for (int64_t %s = %lld; %s >= 0; %s--) {", l->t, (long long)l->s.steps - 1, l->t, l->t);
	else
		emit_line(l->e, "for (int64_t %s = 0; %s < %lld; %s++) {", l->t, l->t, (long long)l->s.steps, l->t);
	l->e->depth++;
}

static void
close_loop(struct loop *l)
{
	l->e->depth--;
	emit_line(l->e, "}");
}

/* ---- forward ---- */

/* The state after a step, but after the last, as backward reads it; kept[t] is that between t and t + 1. */
static void
keep_state(const struct loop *l, int j)
{
	const struct tensor *kept = result(l->n, SCAN_KEPT(&l->s) + j), *state = l->r->made[l->s.made + j];
	int64_t n;

	if (!kept)
		return;
	n = shape_product(kept, 1, kept->rank);
	emit_line(l->e, l->s.reverse ? "if (%s > 0)" : "if (%s < %lld)", l->t, (long long)l->s.steps - 1);
	l->e->depth++;
	move(l, at_step(l, kept, 0, l->s.reverse ? -1 : 0), n * (l->s.steps - 1), inside(l, state), n,
	    rows_of(l, kept, 0), n);
	l->e->depth--;
}

void
scan_emit(struct emitter *e, const struct node *n)
{
	struct loop l = loop_of(e, n);
	const struct scan *s = &l.s;
	int i;

	for (i = 0; i < s->states; i++)
		begin_state(&l, stored(&l, i), i);
	open_loop(&l);
	for (i = 0; i < s->sequences; i++)
		take_step(&l, l.r->given[i], n->in[i]);
	for (i = 0; i < s->states; i++)
		if (inside(&l, l.r->given[s->sequences + i]))
			move_state(&l, inside(&l, l.r->given[s->sequences + i]), stored(&l, i), l.r->given[s->sequences + i]);
	emit_round(e, l.r, l.place);
	for (i = 0; i < s->made; i++)
		if (result(n, i))
			put_step(&l, n->out[i], l.r->made[i]);
	for (i = 0; i < s->states; i++) {
		keep_state(&l, i);
		move_state(&l, stored(&l, i), inside(&l, l.r->made[s->made + i]), l.r->given[s->sequences + i]);
	}
	close_loop(&l);
}

/* ---- backward ---- */

/* What is added up, or handed from step to step, before the last step. */
static void
begin_gradients(const struct loop *l)
{
	const struct node *n = l->n;
	int i;

	for (i = 0; i < l->s.sequences; i++)
		if (n->out[i] && !l->r->made[i])
			clear(l, emit_pointer(l->e, n->out[i]), n->out[i]);
	for (; i < l->s.sequences + l->s.states; i++) {
		const struct tensor *last = n->in[SCAN_BACK_LAST(&l->s) + i - l->s.sequences];

		if (last)
			move_state(l, stored(l, i - l->s.sequences), emit_pointer(l->e, last), l->r->given[i]);
		else
			clear(l, stored(l, i - l->s.sequences), l->r->given[i]);
	}
	for (; i < l->s.operands; i++)
		if (n->out[i] && l->r->made[i])
			clear(l, stored(l, i - l->s.sequences), l->r->made[i]);
		else if (n->out[i])
			clear(l, emit_pointer(l->e, n->out[i]), n->out[i]);
}

/* The state before step t: that after the step before it. */
static void
take_state(const struct loop *l, int j)
{
	const struct tensor *kept = l->n->in[SCAN_BACK_KEPT(&l->s) + j], *state = l->r->given[l->s.sequences + j];
	int shown = scan_shown(&l->s, j), axis = shown < 0 ? 0 : l->s.axis, by = l->s.reverse ? shown >= 0 : -1;
	int64_t n;

	if (!inside(l, state))
		return;
	if (kept) {
		n = shape_product(kept, axis + 1, kept->rank);
		emit_line(l->e, l->s.reverse ? "if (%s < %lld)" : "if (%s > 0)", l->t, (long long)l->s.steps - 1);
		l->e->depth++;
		move(l, inside(l, state), n, at_step(l, kept, axis, by), n * kept->dim[axis], rows_of(l, kept, axis), n);
		l->e->depth--;
		emit_line(l->e, "else");
		l->e->depth++;
	}
	begin_state(l, inside(l, state), j);
	l->e->depth -= kept != NULL;
}

static void
end_gradients(const struct loop *l)
{
	int i;

	for (i = 0; i < l->stores.n; i++) {
		const struct store *s = &l->stores.v[i];
		const struct tensor *y = l->n->out[l->s.sequences + i];

		if (!y || !s->like || s->in)
			continue;
		if (i < l->s.states)
			emit_call(l->e, "steps_samples", arg_tensor(y), arg_text(stored(l, i)), arg_batch(s->like),
			    arg_int(tensor_elements_per_sample(y)));
		else
			emit_call(l->e, "steps_round", arg_tensor(y), arg_text(stored(l, i)), arg_count(y));
	}
}

void
scan_emit_grad(struct emitter *e, const struct node *n)
{
	struct loop l = loop_of(e, n);
	const struct scan *s = &l.s;
	struct tensor *const *made = l.r->given + s->operands, *const *next = made + s->made;
	int i;

	begin_gradients(&l);
	open_loop(&l);
	for (i = 0; i < s->sequences; i++)
		take_step(&l, l.r->given[i], n->in[i]);
	for (i = 0; i < s->states; i++) {
		take_state(&l, i);
		if (inside(&l, next[i]))
			move_state(&l, inside(&l, next[i]), stored(&l, i), next[i]);
	}
	for (i = 0; i < s->made; i++)
		if (made[i])
			take_step(&l, made[i], n->in[SCAN_BACK_MADE(s) + i]);
	emit_round(e, l.r, l.place);
	for (i = 0; i < s->sequences; i++)
		if (n->out[i] && l.r->made[i])
			put_step(&l, n->out[i], l.r->made[i]);
	for (i = 0; i < s->states; i++)
		if (l.r->made[s->sequences + i])
			move_state(&l, stored(&l, i), inside(&l, l.r->made[s->sequences + i]), next[i]);
		else
			clear(&l, stored(&l, i), next[i]);
	close_loop(&l);
	end_gradients(&l);
}
