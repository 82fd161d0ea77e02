/* The loops of scan and scan_grad, in the step of a program; see scan_loop.h. */
#include "ops/scan_loop.h"

#include "ops/shapes.h"

/* ---- forward ---- */

/* The state after a segment, but after the last, as backward reads it. */
static void
keep_state(const struct scan_loop *l, int j)
{
	const struct tensor *kept = scan_result(l->n, SCAN_KEPT(&l->s) + j), *state = l->r->made[l->s.made + j];
	long long last = l->s.steps - 1, segment = l->s.segment;
	const char *at = l->nth;
	int64_t n;

	if (!kept)
		return;
	n = shape_product(kept, 1, kept->rank);
	if (segment == 1) {
		emit_line(l->e, "if (%s < %lld)", l->nth, last);
	} else {
		emit_line(l->e, "if (%s < %lld && %s %% %lld == %lld)", l->nth, last, l->nth, segment, segment - 1);
		at = arena_printf(l->e->module->arena, "%s / %lld", l->nth, segment);
	}
	l->e->depth++;
	scan_move(l, scan_at_step(l, kept, 0, at), n * kept->dim[0], scan_inside(l, state), n, emit_rows(l->e, kept, 0), n);
	l->e->depth--;
}

void
scan_emit(struct emitter *e, const struct node *n)
{
	struct scan_loop l = scan_loop(e, n);
	const struct scan *s = &l.s;
	int i;

	for (i = 0; i < s->states; i++)
		scan_begin_state(&l, scan_stored(&l, i), i);
	scan_open(&l, s->reverse);
	for (i = 0; i < s->sequences; i++)
		scan_take_step(&l, l.r->given[i], n->in[i]);
	for (i = 0; i < s->states; i++)
		if (scan_inside(&l, l.r->given[s->sequences + i]))
			scan_move_state(&l, scan_inside(&l, l.r->given[s->sequences + i]), scan_stored(&l, i), l.r->given[s->sequences + i]);
	emit_round(e, l.r, l.place);
	for (i = 0; i < s->made; i++)
		if (scan_result(n, i))
			scan_put_step(&l, n->out[i], l.r->made[i]);
	for (i = 0; i < s->states; i++) {
		keep_state(&l, i);
		scan_move_state(&l, scan_stored(&l, i), scan_inside(&l, l.r->made[s->made + i]), l.r->given[s->sequences + i]);
	}
	scan_close(&l);
}

/* ---- backward ---- */

/* What is added up, or handed from step to step, before the last step. */
static void
begin_gradients(const struct scan_loop *l)
{
	const struct node *n = l->n;
	int i;

	for (i = 0; i < l->s.sequences; i++)
		if (n->out[i] && !l->r->made[i])
			scan_clear(l, emit_pointer(l->e, n->out[i]), n->out[i]);
	for (; i < l->s.sequences + l->s.states; i++) {
		const struct tensor *last = n->in[SCAN_BACK_LAST(&l->s) + i - l->s.sequences];

		if (last)
			scan_move_state(l, scan_stored(l, i - l->s.sequences), emit_pointer(l->e, last), l->r->given[i]);
		else
			scan_clear(l, scan_stored(l, i - l->s.sequences), l->r->given[i]);
	}
	for (; i < l->s.operands; i++)
		if (n->out[i] && l->r->made[i])
			scan_clear(l, scan_stored(l, i - l->s.sequences), l->r->made[i]);
		else if (n->out[i])
			scan_clear(l, emit_pointer(l->e, n->out[i]), n->out[i]);
}

/* The state before the first step, or that which was kept, where there was a step before. */
static void
take_kept(const struct scan_loop *l, int j, const char *some, const char *step)
{
	const struct tensor *kept = l->n->in[SCAN_BACK_KEPT(&l->s) + j], *state = l->r->given[l->s.sequences + j];
	int axis = scan_shown(&l->s, j) < 0 ? 0 : l->s.axis;
	int64_t n;

	if (!kept) {
		scan_begin_state(l, scan_inside(l, state), j);
		return;
	}
	n = shape_product(kept, axis + 1, kept->rank);
	emit_line(l->e, "if (%s > 0)", some);
	l->e->depth++;
	scan_move(l, scan_inside(l, state), n, scan_at_step(l, kept, axis, step), n * kept->dim[axis], emit_rows(l->e, kept, axis), n);
	l->e->depth--;
	emit_line(l->e, "else");
	l->e->depth++;
	scan_begin_state(l, scan_inside(l, state), j);
	l->e->depth--;
}

/* The state before a step, of which all are kept. */
static void
take_state(const struct scan_loop *l, int j)
{
	struct arena *a = l->e->module->arena;

	if (scan_shown(&l->s, j) < 0)
		take_kept(l, j, l->nth, arena_printf(a, "(%s - 1)", l->nth));
	else
		take_kept(l, j, l->nth, arena_printf(a, "(%s %c 1)", l->t, l->s.reverse ? '+' : '-'));
}

static void
end_gradients(const struct scan_loop *l)
{
	int i;

	for (i = 0; i < l->s.operands - l->s.sequences; i++) {
		const struct scan_store *s = &l->stores.v[i];
		const struct tensor *y = l->n->out[l->s.sequences + i];

		if (!y || !s->like || s->in)
			continue;
		if (i < l->s.states)
			emit_call(l->e, "steps_samples", arg_tensor(y), arg_text(scan_stored(l, i)), arg_batch(s->like),
			    arg_int(tensor_elements_per_sample(y)));
		else
			emit_call(l->e, "steps_round", arg_tensor(y), arg_text(scan_stored(l, i)), arg_count(y));
	}
}

/* A step, once its states are there. */
static void
emit_step_back(const struct scan_loop *l)
{
	const struct scan *s = &l->s;
	const struct node *n = l->n;
	struct tensor *const *made = l->r->given + s->operands, *const *next = made + s->made;
	int i;

	for (i = 0; i < s->sequences; i++)
		scan_take_step(l, l->r->given[i], n->in[i]);
	for (i = 0; i < s->states; i++)
		if (scan_inside(l, next[i]))
			scan_move_state(l, scan_inside(l, next[i]), scan_stored(l, i), next[i]);
	for (i = 0; i < s->made; i++)
		if (made[i])
			scan_take_step(l, made[i], n->in[SCAN_BACK_MADE(s) + i]);
	emit_round(l->e, l->r, l->place);
	for (i = 0; i < s->sequences; i++)
		if (n->out[i] && l->r->made[i])
			scan_put_step(l, n->out[i], l->r->made[i]);
	for (i = 0; i < s->states; i++)
		if (l->r->made[s->sequences + i])
			scan_move_state(l, scan_stored(l, i), scan_inside(l, l->r->made[s->sequences + i]), next[i]);
		else
			scan_clear(l, scan_stored(l, i), next[i]);
}

/* ---- segments ---- */

/* Of state J after the K-th step of the segment. */
static const char *
in_segment(const struct scan_loop *l, int j, const char *k)
{
	const struct tensor *state = l->r->given[l->s.sequences + j];

	return arena_printf(l->e->module->arena, "%s + %s * %s%lld", scan_stored(l, l->s.operands - l->s.sequences + j), k,
	    state->batched ? "b * " : "", (long long)tensor_elements_per_sample(state));
}

/* The state before the K-th step of the segment. */
static void
take_state_of_segment(const struct scan_loop *l, int j, const char *k, const char *g)
{
	const struct tensor *state = l->r->given[l->s.sequences + j];
	struct arena *a = l->e->module->arena;

	if (!scan_inside(l, state))
		return;
	emit_line(l->e, "if (%s > 0)", k);
	l->e->depth++;
	scan_move_state(l, scan_inside(l, state), in_segment(l, j, arena_printf(a, "(%s - 1)", k)), state);
	l->e->depth--;
	if (l->n->in[SCAN_BACK_KEPT(&l->s) + j]) {
		emit_line(l->e, "else");
		l->e->depth++;
		take_kept(l, j, g, arena_printf(a, "(%s - 1)", g));
		l->e->depth--;
	} else {
		emit_line(l->e, "else");
		l->e->depth++;
		scan_begin_state(l, scan_inside(l, state), j);
		l->e->depth--;
	}
}

/* The line that says which step it is. */
static void
say_step(const struct scan_loop *l, const char *g, const char *k)
{
	if (l->s.reverse)
		emit_line(l->e, "int64_t %s = %lld - %s * %lld - %s;\n", l->t, (long long)l->s.steps - 1, g,
		    (long long)l->s.segment, k);
	else
		emit_line(l->e, "int64_t %s = %s * %lld + %s;\n", l->t, g, (long long)l->s.segment, k);
}

/* The states of segment G after its steps but the last. */
static void
make_segment(struct scan_loop l, const char *g, const char *k, const char *steps)
{
	int i;

	l.r = l.r->next;
	scan_find_places(&l);
	emit_line(l.e, "for (int64_t %s = 0; %s < %s - 1; %s++) {", k, k, steps, k);
	l.e->depth++;
	say_step(&l, g, k);
	for (i = 0; i < l.s.sequences; i++)
		scan_take_step(&l, l.r->given[i], l.n->in[i]);
	for (i = 0; i < l.s.states; i++)
		take_state_of_segment(&l, i, k, g);
	emit_round(l.e, l.r, l.place);
	for (i = 0; i < l.s.states; i++)
		scan_move_state(&l, in_segment(&l, i, k), scan_inside(&l, l.r->made[l.s.made + i]), l.r->given[l.s.sequences + i]);
	scan_close(&l);
}

static void
emit_segments(struct scan_loop *l)
{
	struct arena *a = l->e->module->arena;
	long long segment = l->s.segment, rest = l->s.steps % segment, last = scan_segments(&l->s) - 1;
	int level = l->e->depth + 1, i;
	const char *g = arena_printf(a, "g%d", level), *k = arena_printf(a, "k%d", level);
	const char *steps = !rest ? arena_printf(a, "%lld", segment) :
	    arena_printf(a, "(%s < %lld ? %lld : %lld)", g, last, segment, rest);

	emit_line(l->e, "for (int64_t %s = %lld; %s >= 0; %s--) {", g, last, g, g);
	l->e->depth++;
	make_segment(*l, g, k, steps);
	emit_line(l->e, "for (int64_t %s = %s - 1; %s >= 0; %s--) {", k, steps, k, k);
	l->e->depth++;
	say_step(l, g, k);
	for (i = 0; i < l->s.states; i++)
		take_state_of_segment(l, i, k, g);
	emit_step_back(l);
	scan_close(l);
	scan_close(l);
}

void
scan_emit_grad(struct emitter *e, const struct node *n)
{
	struct scan_loop l = scan_loop(e, n);
	int i;

	begin_gradients(&l);
	if (l.s.segment > 1) {
		emit_segments(&l);
	} else {
		scan_open(&l, !l.s.reverse);
		for (i = 0; i < l.s.states; i++)
			if (scan_inside(&l, l.r->given[l.s.sequences + i]))
				take_state(&l, i);
		emit_step_back(&l);
		scan_close(&l);
	}
	end_gradients(&l);
}
