/*
 * A step's tensors lie in the node's scratch memory, where its plan has them; behind them what goes
 * from step to step, unless it is a result: states, their gradients, sums of gradients in f32; and
 * the states of one segment.
 */
#include "ops/scan_loop.h"

#include "ops/shapes.h"

extern const struct op op_scan_grad;

#define ALIGNMENT	256	/* of every offset, on either target */

/* ---- what goes from step to step ---- */

static int64_t
aligned(int64_t bytes)
{
	return bytes > INT64_MAX - ALIGNMENT ? bytes : (bytes + ALIGNMENT - 1) & ~(int64_t)(ALIGNMENT - 1);
}

static void
store(struct scan_stores *s, const struct rounds *r, const struct tensor *like, int64_t count, const struct tensor *in)
{
	bool own = like && (!in || in->dtype != like->dtype || in->batched != like->batched);
	int64_t bytes = like ? affine_at(tensor_bytes(like), r->m->train->batch) : 0;

	s->v[s->n++] = (struct scan_store){ like, own ? NULL : in, own ? s->bytes : 0 };
	if (own && (__builtin_mul_overflow(bytes, count, &bytes) ||
	    __builtin_add_overflow(s->bytes, aligned(bytes), &s->bytes)))
		s->bytes = INT64_MAX;
}

struct tensor *
scan_result(const struct node *n, int k)
{
	return k < n->nout ? n->out[k] : NULL;
}

/* Of scan each state; of scan_grad each operand's gradient that is not a sequence's, then the
 * states of a segment after all its steps but the last. */
static struct scan_stores
stores_of(const struct node *n, const struct scan *s, const struct rounds *r)
{
	bool back = n->op == &op_scan_grad;
	int count = back ? s->operands - s->sequences : s->states, i;
	int64_t steps = r->next && r->next->bytes > r->bytes ? r->next->bytes : r->bytes;
	struct scan_stores made = { arena_array(r->m->arena, (size_t)(count + s->states) + 1, sizeof(*made.v)), 0,
		aligned(steps) };

	for (i = 0; i < count; i++) {
		int k = s->sequences + i;
		bool state = i < s->states;

		if (back)
			store(&made, r, state ? r->given[k] : r->made[k], 1, n->out[k]);
		else
			store(&made, r, r->given[k], 1, scan_result(n, SCAN_LAST(s) + i));
	}
	for (i = 0; i < s->states && back && s->segment > 1; i++)
		store(&made, r, r->given[s->sequences + i], s->segment - 1, NULL);
	return made;
}

/* As bytes that grow with the batch: exact at the batch of the plan. */
struct affine
scan_work(const struct node *n, const struct room *room)
{
	const struct rounds *r = rounds_of(n);
	struct scan s = scan_of(n);
	struct affine sum = { 0, 0 };
	int64_t batch, bytes;
	int i, k;

	(void)room;
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

void
scan_define(struct emitter *e, const struct node *n)
{
	const struct rounds *r;

	for (r = rounds_of(n); r; r = r->next)
		emit_round_kernels(e, r);
}

/* ---- a loop being written ---- */

static int64_t
place_of_store(const struct scan_loop *l, int i)
{
	const struct scan_store *s = &l->stores.v[i];

	return s->in ? l->e->offset[tensor_root(s->in)->id] : l->base + s->at;
}

void
scan_find_places(struct scan_loop *l)
{
	bool gradients = l->n->op == &op_scan_grad && l->r->which == 0;
	int i;

	l->place = emit_round_places(l->e, l->r, l->base);
	for (i = l->s.sequences + l->s.states; i < l->s.operands; i++) {
		l->place[l->r->given[i]->id] = l->e->offset[tensor_root(l->n->in[i])->id];
		if (gradients && l->r->made[i])
			l->place[l->r->made[i]->id] = place_of_store(l, i - l->s.sequences);
	}
}

struct scan_loop
scan_loop(struct emitter *e, const struct node *n)
{
	struct arena *a = e->module->arena;
	struct scan_loop l = { .e = e, .n = n, .s = scan_of(n), .r = rounds_of(n) };

	l.stores = stores_of(n, &l.s, l.r);
	l.base = n->work ? e->offset[n->work->id] : 0;
	l.t = e->depth ? arena_printf(a, "t%d", e->depth + 1) : "t";
	l.nth = l.s.reverse ? arena_printf(a, "(%lld - %s)", (long long)l.s.steps - 1, l.t) : l.t;
	scan_find_places(&l);
	return l;
}

const char *
scan_inside(const struct scan_loop *l, const struct tensor *t)
{
	int64_t at = t ? l->place[tensor_root(t)->id] : -1;

	return at < 0 ? NULL : emit_address(l->e, t->dtype, at);
}

const char *
scan_stored(const struct scan_loop *l, int i)
{
	return emit_address(l->e, l->stores.v[i].like->dtype, place_of_store(l, i));
}

void
scan_move(const struct scan_loop *l, const char *y, int64_t to, const char *x, int64_t from, const char *rows, int64_t n)
{
	emit_call(l->e, "steps_move", arg_text(y), arg_int(to), arg_text(x), arg_int(from), arg_text(rows), arg_int(n));
}

const char *
scan_at_step(const struct scan_loop *l, const struct tensor *all, int axis, const char *step)
{
	int64_t n = shape_product(all, axis + 1, all->rank);

	return arena_printf(l->e->module->arena, n == 1 ? "%s + %s" : "%s + %s * %lld", emit_pointer(l->e, all), step,
	    (long long)n);
}

void
scan_take_step(const struct scan_loop *l, const struct tensor *t, const struct tensor *all)
{
	int64_t n = shape_product(all, l->s.axis + 1, all->rank);

	if (scan_inside(l, t))
		scan_move(l, scan_inside(l, t), n, scan_at_step(l, all, l->s.axis, l->t), n * l->s.steps, emit_rows(l->e, all, l->s.axis), n);
}

void
scan_put_step(const struct scan_loop *l, const struct tensor *all, const struct tensor *t)
{
	int64_t n = shape_product(all, l->s.axis + 1, all->rank);

	scan_move(l, scan_at_step(l, all, l->s.axis, l->t), n * l->s.steps, scan_inside(l, t), n, emit_rows(l->e, all, l->s.axis), n);
}

void
scan_move_state(const struct scan_loop *l, const char *y, const char *x, const struct tensor *state)
{
	int64_t n = tensor_elements_per_sample(state);

	scan_move(l, y, n, x, n, state->batched ? "b" : "1", n);
}

void
scan_begin_state(const struct scan_loop *l, const char *y, int j)
{
	const struct tensor *h = l->n->in[l->s.sequences + j], *state = l->r->given[l->s.sequences + j];
	int64_t n = tensor_elements_per_sample(state);

	scan_move(l, y, n, emit_pointer(l->e, h), h->batched ? n : 0, state->batched ? "b" : "1", n);
}

void
scan_clear(const struct scan_loop *l, const char *y, const struct tensor *t)
{
	emit_call(l->e, emit_kernel(l->e, "steps_clear", t), arg_text(y), arg_count(t));
}

void
scan_open(struct scan_loop *l, bool down)
{
	if (down)
		emit_line(l->e, "for (int64_t %s = %lld; %s >= 0; %s--) {", l->t, (long long)l->s.steps - 1, l->t, l->t);
	else
		emit_line(l->e, "for (int64_t %s = 0; %s < %lld; %s++) {", l->t, l->t, (long long)l->s.steps, l->t);
	l->e->depth++;
}

void
scan_close(struct scan_loop *l)
{
	l->e->depth--;
	emit_line(l->e, "}");
}
