/* What one step of a scan runs, forward and backward; see scan.h. */
#include "ops/scan.h"

#include "ir/diff.h"

#include "calls/emitter.h"

/* ---- nodes that only a step has ---- */

static void
emit_copy(struct emitter *e, const struct node *n)
{
	const struct tensor *y = n->out[0];

	emit_call(e, "steps_move", arg_tensor(y), arg_int(tensor_elements_per_sample(y)), arg_tensor(n->in[0]),
	    arg_int(tensor_elements_per_sample(y)), arg_batch(y), arg_int(tensor_elements_per_sample(y)));
}

const struct op op_step_copy = {
	.name = "step_copy",
	.kind = OP_INTERNAL,
	.brief = "what a step makes, where that is its operand",
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.calls.kernels = "copy/steps.cu",
	.calls.emit = emit_copy,
};

static int
alias_of_sum(const struct node *n, int k)
{
	(void)n;
	(void)k;
	return 0;
}

static void
emit_sum(struct emitter *e, const struct node *n)
{
	emit_call(e, "steps_sum", arg_tensor(n->out[0]), arg_tensor(n->in[1]), arg_count(n->out[0]));
}

const struct op op_step_sum = {
	.name = "step_sum",
	.kind = OP_INTERNAL,
	.brief = "adds a step's gradient to the sum of those before",
	.operands = "sum gradient",
	.min_operands = 2, .max_operands = 2,
	.memory.alias = alias_of_sum,
	.calls.kernels = "copy/steps.cu",
	.calls.emit = emit_sum,
};

/* ---- forward ---- */

static void
want(struct graph *g, struct tensor *t)
{
	vec_push(g->module->arena, &g->results, ((struct result){ .name = t->name, .tensor = t, .loc = t->loc }));
}

/* A graph has a node, and so has its plan. */
static struct tensor *
copied(struct graph *g, struct tensor *t)
{
	struct node *n = ir_node(g, &op_step_copy, t->name, t->loc, 1, &t);

	return ir_add_output(g->module, n, ir_tensor_like(g->module, T_ACTIVATION, t,
	    arena_join(g->module->arena, t->name, ".", "copy"), t->loc));
}

static void
make_room(struct rounds *r, int n)
{
	r->nmade = n;
	r->made = arena_array(r->m->arena, (size_t)n + 1, sizeof(*r->made));
}

/* The results of the copied body, as they are after the passes so far; it has none from then on. */
static struct tensor **
take_results(struct rounds *r)
{
	struct graph *g = r->m->train;
	struct tensor **t = arena_array(r->m->arena, (size_t)g->results.n + 1, sizeof(*t));
	int i;

	for (i = 0; i < g->results.n; i++)
		t[i] = g->results.v[i].tensor;
	g->results.n = 0;
	if (!g->nodes.n)
		t[0] = copied(g, t[0]);
	return t;
}

/* With what is made at the step where ALL has it. */
static bool
make_step(struct rounds *r, const struct node *n, struct tensor *const *all)
{
	struct scan s = scan_of(n);
	struct tensor **result = take_results(r);
	int i;

	make_room(r, s.made + s.states);
	for (i = 0; i < r->nmade; i++) {
		if (i < s.made && (!all || !all[i]))
			continue;
		r->made[i] = result[i < s.made ? i : scan_next(&s, i - s.made)];
		want(r->m->train, r->made[i]);
	}
	return true;
}

bool
scan_make(struct rounds *r, const struct node *n)
{
	return make_step(r, n, n->out);
}

/* ---- backward ---- */

int
scan_kinds(const struct node *n)
{
	return scan_of(n).segment > 1 ? 2 : 1;
}

/* A gradient that arrives at a result. */
static struct tensor *
arriving(struct rounds *r, struct diff *d, struct tensor *result, const char *suffix)
{
	struct module *m = r->m;
	struct tensor *t = ir_tensor_like(m, T_INPUT, result, arena_join(m->arena, result->name, ".", suffix),
	    result->loc);

	vec_push(m->arena, &m->train->inputs, t);
	diff_add(d, result, t);
	return t;
}

static int
count_reads(const struct graph *g, const struct tensor *t)
{
	int reads = 0, i, k;

	for (i = 0; i < g->nodes.n; i++)
		for (k = 0; k < g->nodes.v[i]->nin; k++)
			reads += g->nodes.v[i]->in[k] == t;
	for (i = 0; i < g->results.n; i++)
		reads += g->results.v[i].tensor == t;
	return reads;
}

/* Where the gradients G of OF, which all steps read, add up: a product adds its own there. */
static struct tensor *
summed(struct rounds *r, struct tensor *of, struct tensor *g)
{
	struct module *m = r->m;
	struct tensor *sum = ir_tensor_like(m, T_GRADIENT, of, arena_join(m->arena, of->name, ".", "sum"), of->loc);
	struct node *n = g->def;

	sum->dtype = of->dtype->real;	/* a sum of many needs more bits than each */
	sum->accumulates = true;
	sum->gradient_of = of;
	if (n && n->op->memory.onto && !op_base(n) && n->out[0] == g && !g->alias_of && g->dtype == sum->dtype &&
	    count_reads(m->train, g) == 0) {
		op_add_onto(m, n, sum, 1, false);
		return sum;
	}
	n = ir_node(m->train, &op_step_sum, of->name, of->loc, 2, (struct tensor *[]){ sum, g });
	n->phase = PHASE_BACKWARD;
	ir_add_output(m, n, ir_tensor_like(m, T_GRADIENT, sum, sum->name, of->loc));
	return sum;
}

/* The gradients of the operands, where they are wanted: those of states always are, by the step
 * before. */
static void
take_gradients(struct rounds *r, struct diff *d, const struct scan *s)
{
	int i;

	make_room(r, s->operands);
	for (i = 0; i < s->sequences + s->states; i++)
		if (diff_wants(d, r->given[i]) && (r->made[i] = diff_of(d, r->given[i])))
			want(r->m->train, r->made[i]);
	for (; i < s->operands; i++)
		if (diff_wants(d, r->given[i]) && diff_of(d, r->given[i]))
			r->made[i] = summed(r, r->given[i], diff_of(d, r->given[i]));
}

static bool
make_gradients(struct rounds *r, const struct node *n)
{
	struct scan s = scan_of(n);
	struct tensor **result = take_results(r), **given = arena_array(r->m->arena,
	    (size_t)(s.operands + s.made + s.states) + 1, sizeof(*given));
	int forward = r->m->train->nodes.n, i;
	struct diff d;

	diff_begin(&d, r->m->arena, r->m->train);
	for (i = 0; i < s.operands; i++) {
		given[i] = r->given[i];
		d.wants[given[i]->id] = n->out[i] || (i >= s.sequences && i < s.sequences + s.states);
	}
	diff_mark(&d);
	for (i = 0; i < s.made; i++)
		if (n->in[SCAN_BACK_MADE(&s) + i])
			given[s.operands + i] = arriving(r, &d, result[i], "all.grad");
	for (i = 0; i < s.states; i++)
		given[s.operands + s.made + i] = arriving(r, &d, result[scan_next(&s, i)], "next.grad");
	r->given = given;
	r->ngiven = s.operands + s.made + s.states;
	if (!diff_nodes(&d, forward))
		return false;
	take_gradients(r, &d, &s);
	return true;
}

bool
scan_make_grad(struct rounds *r, const struct node *n)
{
	return r->which == 0 ? make_gradients(r, n) : make_step(r, n, NULL);
}
