/*
 * cooperative: whether one kernel does all of a step, and which of its calls need not wait for what
 * is right before them. A launch takes microseconds however little it does. In a small network they
 * are most of a step, even where branches.c has them side by side; that all blocks of one kernel
 * wait for one another takes less (kernels/cooperative.h).
 *
 *     conv | maxpool | conv | ... | dense_weight dense_input | dense_weight dense_input | ...
 *          meets     meets                       beside
 *
 * So, for speed, where such a kernel can do every call (op->calls.listed), which are not too many,
 * where the work of all of them is less than half of what the step takes with a launch for each, as
 * libraries are worth more to large ones, and where waiting by meetings takes less than by
 * launches. Whether it does on the card is measured by the program, which can do either.
 *
 * A call waits for all before it if it depends on any since the last that did: on what wrote what
 * it reads, and on all that touched what it writes. As for branches.c, all that a call touches is
 * an operand, a result or the workspace of its node.
 *
 * Reads: offsets, branches, estimates. Writes: cooperative of the plan, meets of each instant.
 * Invariant after, proved by plan/verify.c: of two calls that touch the same byte, one of which
 * writes it, the later one meets, or one between them does.
 */
#include "plan/plan.h"

#include "target/target.h"
#include "ir/op.h"
#include "ir/pass.h"
#include "plan/estimate.h"

#define MOST_INSTANTS	1024	/* the list of their calls is some MB beside the arena, in what is reserved for code */

struct touched {		/* bytes of the arena, since the last meeting */
	int64_t at, end;
	bool written;
};

struct meetings {
	const struct plan *p;
	struct arena *arena;
	VEC(struct touched) since;
};

static bool
is_touched(const struct meetings *s, const struct touch *t)
{
	int i;

	for (i = 0; t->buffer && i < s->since.n; i++) {
		const struct touched *k = &s->since.v[i];

		if ((t->writes || k->written) && t->buffer->offset < k->end && k->at < t->buffer->offset + t->buffer->bytes)
			return true;
	}
	return false;
}

static bool
depends(const struct meetings *s, const struct node *n)
{
	struct touch t;
	int k;

	for (k = 0; plan_touches(s->p, n, k, &t); k++)
		if (is_touched(s, &t))
			return true;
	return false;
}

static void
note_touched(struct meetings *s, const struct node *n)
{
	struct touch t;
	int k;

	for (k = 0; plan_touches(s->p, n, k, &t); k++)
		if (t.buffer)
			vec_push(s->arena, &s->since,
			    ((struct touched){ t.buffer->offset, t.buffer->offset + t.buffer->bytes, t.writes }));
}

/* In all graphs, each of which begins with a meeting. */
static void
find_meetings(struct plan *p, struct arena *parent)
{
	struct meetings s = { .p = p, .arena = arena_child(parent) };
	int i, k, count;

	for (i = 0; i < p->instants; i += count) {
		bool meets;

		count = plan_together(p, i);
		if (i == 0 || p->at[i].graph != p->at[i - 1].graph)
			s.since.n = 0;
		if (op_is_view(p->at[i].node->op))
			continue;
		meets = !s.since.n;
		for (k = i; k < i + count; k++)
			meets |= depends(&s, p->at[k].node);
		p->at[i].meets = meets;
		if (meets)
			s.since.n = 0;
		for (k = i; k < i + count; k++)
			note_touched(&s, p->at[k].node);
	}
	arena_free(s.arena);
}

/* Can one kernel do all calls? */
static bool
are_listed(const struct plan *p)
{
	int i;

	for (i = 0; i < p->instants; i++)
		if (!op_is_view(p->at[i].node->op) && !p->at[i].node->op->calls.listed)
			return false;
	return p->instants <= MOST_INSTANTS;
}

static bool
is_worth_it(const struct module *m)
{
	struct estimate e = plan_step_estimate(m);

	return e.work < 0.5 * e.apart && e.together < e.apart;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	if (!o->speed || !o->target->lists_calls || m->inference || !plan_is_one_graph(m) || !are_listed(m->plan))
		return true;
	find_meetings(m->plan, m->arena);
	m->plan->cooperative = is_worth_it(m);
	return true;
}

const struct pass pass_cooperative = {
	.name = "cooperative",
	.doc = "let one kernel do all of a small step on a GPU",
	.optional = true,
	.thorough = true,
	.run = run,
};
