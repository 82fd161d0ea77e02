/*
 * How PyTorch users write scan: a loop over x.unbind(), whose steps keep for backward what the
 * cell's own calls keep, and torch.stack() of what is made. There, too, a state that does not
 * depend on the batch is expanded for it; states are not made again, whatever segment= says.
 */
#include "ops/scan.h"

#include "calls/tape.h"

struct loop {
	struct tape *t;
	const struct node *n;
	struct scan s;
	int *step;		/* of each sequence: its steps, one after another */
	int *made;		/* likewise of each result of a step */
	int *state;		/* before the step, or after it */
};

/* Views, which one autograd node makes: it stacks their gradients. */
static void
unbind(struct loop *l, int k)
{
	const struct tensor *x = l->n->in[k];
	int value = tape_value(l->t, x), all;
	struct tape_shape shape;
	int64_t i;

	if (!tape_shape(l->t, value, &shape))
		tape_shape_of_tensor(l->t, x, &shape);
	all = tape_view(l->t, value, &shape, true);
	l->t->calls.v[l->t->calls.n - 1].joins = true;
	for (i = 0; i < l->s.steps; i++) {
		l->step[k * l->s.steps + i] = tape_narrow(l->t, all, l->s.axis + x->batched, 1, 1, true);
		l->t->calls.v[l->t->calls.n - 1].part = true;
	}
}

static void
begin(struct loop *l)
{
	const struct scan *s = &l->s;
	int i;

	for (i = 0; i < s->sequences; i++)
		unbind(l, i);
	for (i = s->sequences; i < s->body->inputs.n; i++) {
		struct tensor *inner = s->body->inputs.v[i];
		int value = tape_value(l->t, l->n->in[i]);
		struct tape_shape sizes;

		if (inner->batched && !l->n->in[i]->batched) {
			tape_shape_of_tensor(l->t, inner, &sizes);
			value = tape_expand(l->t, value, &sizes);
		}
		if (i < s->sequences + s->states)
			l->state[i - s->sequences] = value;
		else
			tape_result(l->t, inner, value);
	}
}

static void
run_step(struct loop *l, int64_t at)
{
	const struct scan *s = &l->s;
	int i;

	for (i = 0; i < s->sequences; i++)
		tape_result(l->t, s->body->inputs.v[i], l->step[i * s->steps + at]);
	for (i = 0; i < s->states; i++)
		tape_result(l->t, s->body->inputs.v[s->sequences + i], l->state[i]);
	tape_body(l->t, s->body);
	for (i = 0; i < s->made; i++)
		l->made[i * s->steps + at] = tape_value(l->t, s->body->results.v[i].tensor);
	for (i = 0; i < s->states; i++)
		l->state[i] = tape_value(l->t, s->body->results.v[scan_next(s, i)].tensor);
}

static void
end(struct loop *l)
{
	const struct scan *s = &l->s;
	int i;

	for (i = 0; i < s->made; i++)
		if (l->n->out[i] && l->t->needed[l->n->out[i]->id])
			tape_result(l->t, l->n->out[i], tape_call(l->t, &(struct tape_call){
			    .in = l->made + i * s->steps, .nin = (int)s->steps, .pieces = true,
			    .bytes = tape_bytes(l->t, l->n->out[i]) }));
	for (i = 0; i < s->states; i++)
		if (l->n->out[SCAN_LAST(s) + i])
			tape_result(l->t, l->n->out[SCAN_LAST(s) + i], l->state[i]);
}

void
scan_torch(struct tape *t, const struct node *n)
{
	struct loop l = { .t = t, .n = n, .s = scan_of(n) };
	int64_t i;

	l.step = arena_array(t->arena, (size_t)(l.s.sequences * l.s.steps) + 1, sizeof(*l.step));
	l.made = arena_array(t->arena, (size_t)(l.s.made * l.s.steps) + 1, sizeof(*l.made));
	l.state = arena_array(t->arena, (size_t)l.s.states + 1, sizeof(*l.state));
	begin(&l);
	for (i = 0; i < l.s.steps; i++)
		run_step(&l, l.s.reverse ? l.s.steps - 1 - i : i);
	end(&l);
}

int64_t
scan_torch_rounds(const struct node *n)
{
	return scan_of(n).steps;
}
