/*
 * Consecutive weight updates become one call over rows of a table (op->calls.row()): which parameter, where
 * it lies, and what it is updated with. kernels/update/updates.cu cuts the rows into chunks, so that one
 * launch handles many small tensors as well as a large one. The gradients of micro-batches that are
 * added to their sums (ops/accumulate.c) are rows of the same table.
 *
 *	TABLE struct update updates[] = {
 *		{ 0, ABSENT, 9216, { 4608, ABSENT, ABSENT }, 1e-4, 1, 1152, 0 },	/ * 0: conv.weight * /
 *		{ ABSENT, ABSENT, 9216, { 512, ABSENT, ABSENT }, 0, 1, 64, 0 },	/ * 1: conv.bias.gradient * /
 *
 * The plan has a node for each parameter. Gradients may die one by one during the run, but the call
 * reads all of them at its end. That is safe because a run ends where a buffer is born (plan/calls.c), so
 * nothing can overwrite them before. passes/updates_together.c moves updates so that runs form.
 */
#include "emit/program.h"
#include "ir/op.h"
#include "ops/optimizers.h"

/* Of a gradient alone, those that are there: of a piece, its own. */
static int64_t
elements_of(const struct update_row *r)
{
	return tensor_elements_per_sample(r->weight ? tensor_whole(r->weight) : r->gradient);
}

/* That a rank updates at most. */
static int64_t
updated_of(const struct module *m, const struct update_row *r)
{
	return r->weight && module_shards(m) > 1 ? shard_elements(m, elements_of(r)) : elements_of(r);
}

void
emit_updates(struct emitter *e, struct node *const *n, int count)
{
	struct arena *a = e->module->arena;
	int64_t chunks = 0;
	int first = e->updates.n, i;

	for (i = 0; i < count; i++) {
		struct update_row r = { 0 };

		n[i]->op->calls.row(n[i], &r);
		r.rate = optimizer_rate(e->module, n[i]);
		r.before = chunks;
		chunks += parts(updated_of(e->module, &r), UPDATE_CHUNK);
		vec_push(a, &e->updates, r);
	}
	e->together = arena_printf(a, "TOGETHER(%d, %d, %lld)", first, count, (long long)chunks);
	n[0]->op->calls.emit(e, n[0]);
	e->together = NULL;
}

/* ---- the tables ---- */

static const char *
place(const struct emitter *e, const struct tensor *t)
{
	return t ? arena_printf(e->module->arena, "%lld", (long long)plan_offset(e->plan, t)) :
	    "ABSENT";
}

static void
put_updates(struct emitter *e)
{
	char decay[SIZE_TEXT], rate[SIZE_TEXT];
	int i;

	text_printf(e->out, "\n/* What is updated: weight, master copy, gradient, three states (their "
	    "places), decay, of the rate, elements,\n * chunks before it%s. Without a weight: a gradient, and its "
	    "sum over micro-batches. */\n"
	    "TABLE struct update updates[] = {\n", e->module->set.ema > 0 ? ", running average" : "");
	for (i = 0; i < e->updates.n; i++) {
		const struct update_row *r = &e->updates.v[i];

		text_printf(e->out, "\t{ %s, %s, %s, { %s, %s, %s }, %s, %s, %lld, %lld%s%s },\t/* %d: %s */\n",
		    place(e, r->weight), place(e, r->master), place(e, r->gradient),
		    place(e, r->state[0]), place(e, r->state[1]), place(e, r->state[2]),
		    emit_real(decay, r->decay, false), emit_real(rate, r->rate, false),
		    (long long)elements_of(r), (long long)r->before,
		    e->module->set.ema > 0 ? ", " : "", e->module->set.ema > 0 ? place(e, r->average) : "", i,
		    emit_safe(e->module->arena, r->name));
	}
	text_puts(e->out, "};\n\nDEVICE const struct update *\nupdate_table(void)\n{\n"
	    "\treturn updates;\n}\n");
}

static void
put_clipped(struct emitter *e)
{
	int i;

	text_puts(e->out, "\n/* Gradients whose norm is taken: their places and elements. */\n"
	    "TABLE struct clipped clipped[] = {\n");
	for (i = 0; i < e->clipped.n; i++) {
		const struct tensor *t = e->clipped.v[i];

		text_printf(e->out, "\t{ %s, %lld%s },\t/* %d: %s */\n", place(e, t),
		    (long long)tensor_elements_per_sample(tensor_whole(t)),
		    !module_splits(e->module) ? "" : tensor_split(t) ? ", false" : ", true", i,
		    emit_safe(e->module->arena, t->name));
	}
	text_puts(e->out, "};\n\nDEVICE const struct clipped *\nclipped_table(void)\n{\n"
	    "\treturn clipped;\n}\n");
}

static void
put_spans(struct emitter *e)
{
	int i;

	text_puts(e->out, "\n/* What ranks share out in pieces: where it lies, what a rank adds there, and its piece; elements. "
	    "*/\nstatic const struct ring_span ring_spans[] = {\n");
	for (i = 0; i < e->spans.n; i++) {
		const struct node *n = e->spans.v[i];
		const struct tensor *own = n->in[0]->shared ? n->out[0] : n->in[0];

		text_printf(e->out, "\t{ %s, %s, %s, %lld },\t/* %d: %s */\n", place(e, n->out[0]), place(e, own),
		    place(e, n->in[0]->shared ? n->in[0] : n->nout > 1 ? n->out[1] : NULL),
		    (long long)tensor_elements_per_sample(n->out[0]), i, emit_safe(e->module->arena, n->out[0]->name));
	}
	text_puts(e->out, "};\n");
}

static void
put_numbers(struct emitter *e)
{
	const struct update_numbers *last = &e->numbers.v[e->numbers.n - 1];
	int i;

	text_printf(e->out, "\n#define UPDATE_NUMBERS\t%d\n\n/* What updates have alike for all weights, worked out once a step. */\n"
	    "UPDATE_NUMBERS_LIE(UPDATE_NUMBERS);\n\nDEVICE void\n"
	    "update_numbers(real *to, unsigned char *arena, const struct step *s)\n{\n\t(void)arena;\n",
	    last->at + last->count);
	for (i = 0; i < e->numbers.n; i++) {
		const struct update_numbers *n = &e->numbers.v[i];

		text_printf(e->out, "\t%s(to + %d, %s);\n", n->function, n->at, n->arguments);
	}
	text_puts(e->out, "}\n");
}

void
emit_update_tables(struct emitter *e)
{
	if (e->numbers.n)
		put_numbers(e);
	if (e->spans.n)
		put_spans(e);
	if (e->updates.n)
		put_updates(e);
	if (e->clipped.n)
		put_clipped(e);
	else if (e->clips)	/* a network without parameters */
		text_puts(e->out, "\nDEVICE const struct clipped *\nclipped_table(void)\n{\n"
		    "\treturn NULL;\n}\n");
}
