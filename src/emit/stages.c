/*
 * Programs of the stages of a pipeline: one source, in which each rank's whole program stands
 * between #if STAGE == its number and #endif, as its own plan has it. It is compiled once for each
 * stage, and once without STAGE, which makes the main() that asks for its rank and goes on as that
 * stage. So all ranks run one file, and each has but its own steps and tables.
 *
 * What the host must know of all stages is in each one's tables: the inputs that are read from the
 * data, the tensors of a checkpoint and who has them, and the results, which are on the last.
 */
#include <limits.h>
#include <string.h>

#include "emit/program.h"
#include "ops/shapes.h"
#include "readers/reader.h"

const struct module *
emit_last_stage(const struct module *m)
{
	return m->stage ? m->stage[module_stages(m) - 1] : m;
}

const struct module *
emit_stage(const struct module *m, int64_t k)
{
	return m->stage ? m->stage[k] : m;
}

/* ---- inputs ---- */

static const struct graph *
same_graph(const struct module *of, const struct graph *g)
{
	return strcmp(g->name, "validate") == 0 ? of->validate : of->train;
}

static const struct tensor *
find_input(const struct graph *g, const char *name)
{
	int i;

	for (i = 0; g && i < g->inputs.n; i++)
		if (strcmp(g->inputs.v[i]->name, name) == 0)
			return g->inputs.v[i];
	return NULL;
}

int
emit_staged_list(const struct module *m, const struct graph *g, struct staged_input **list)
{
	struct staged_input *s = *list = arena_array(m->arena, (size_t)(m->stage ? m->forward : g)->inputs.n + 1, sizeof(*s));
	int64_t k;
	int i, n = 0;

	for (i = 0; !m->stage && i < g->inputs.n; i++)
		s[n++] = (struct staged_input){ m, g->inputs.v[i], true };
	for (i = 0; m->stage && i < m->forward->inputs.n; i++) {
		const char *name = m->forward->inputs.v[i]->name;
		const struct tensor *own = find_input(g, name), *t = own;
		const struct module *of = m;

		for (k = module_stages(m) - 1; !t && k >= 0; k--)
			t = find_input(same_graph(of = m->stage[k], g), name);
		if (t)
			s[n++] = (struct staged_input){ of, t, own != NULL };
	}
	return n;
}

/* ---- what goes between them ---- */

/* Of those nodes that send, or receive: how many are of forward, or backward. */
static int
count_between(const struct graph *g, unsigned does, bool back)
{
	int i, n = 0;

	for (i = 0; g && i < g->nodes.n; i++)
		n += g->nodes.v[i]->op->flags & does && (g->nodes.v[i]->phase == PHASE_BACKWARD) == back;
	return n;
}

static int
most_between(const struct module *m, unsigned does)
{
	return (int)most(count_between(m->train, does, true), most(count_between(m->train, does, false),
	    count_between(m->validate, does, false)));
}

void
emit_stage_constants(struct emitter *e)
{
	const struct module *m = e->module;

	if (!m->stage)
		return;
	text_printf(e->out, "#define STAGES\t\t%lld\t/* of a pipeline, a rank each; this is STAGE */\n"
	    "#define PIPE_MOST\t%d\t/* tensors that go on, or back, or come from there, at most, and one */\n"
	    "#define RESULTS_HERE\t%s\t/* losses and metrics are the last one's */\n",
	    (long long)module_stages(m), (int)most(most_between(m, OP_SENDS), most_between(m, OP_RECEIVES)) + 1,
	    emit_truth(m == emit_last_stage(m)));
	if (e->plan->turn)
		text_printf(e->out, "#define BACK_APART\t1\t/* backward is a step of its own, */\n"
		    "#define SLOTS\t\t%lld\t/* and so many micro-batches are between forward and that */\n", (long long)e->plan->slots);
}

const char *const *
emit_stage_places(const struct emitter *e)
{
	const struct plan *p = e->plan;
	struct arena *a = e->module->arena;
	const char **place = arena_array(a, (size_t)p->ntensors + 1, sizeof(*place));
	int i;

	for (i = 0; i < p->ntensors; i++) {
		const struct buffer *b = plan_buffer_of(p, i);

		if (!b || !b->stride)
			continue;
		if (b->received && !e->target->is_gpu)
			place[i] = arena_printf(a, "s->micro %% %d * %lld", b->places, (long long)b->stride);
		else if (b->between)
			place[i] = arena_printf(a, "SLOT(s) * %lld", (long long)b->stride);
	}
	return place;
}

/* Where what is received lands on a GPU, by tensor id: the last of its places. */
static const char *const *
landings(const struct emitter *e)
{
	const struct plan *p = e->plan;
	struct arena *a = e->module->arena;
	const char **place = arena_array(a, (size_t)p->ntensors + 1, sizeof(*place));
	int i;

	for (i = 0; i < p->ntensors; i++) {
		const struct buffer *b = plan_buffer_of(p, i);

		if (b && b->received && b->stride)
			place[i] = arena_printf(a, "%lld", (long long)((b->places - 1) * b->stride));
	}
	return place;
}

/* A GPU's graphs have nothing between ranks: what is sent follows them. */
bool
emit_is_beside(const struct emitter *e, const struct node *n)
{
	return n->op->flags & OP_RECEIVES || (n->op->flags & OP_SENDS && e->target->is_gpu);
}

static void
begin_function(struct emitter *e, const char *what, const char *name, const char *of)
{
	text_printf(e->out, "\n/* %s */\nstatic void\n%s_%s(int64_t b, const struct step *s)\n{\n", what, name, of);
}

/* What the host must know of a buffer that is received comes to life with the first that does. */
static void
put_alive(struct emitter *e, const struct graph *g, int from, int end)
{
	int i, n = 0;

	for (i = from; i < end; i++)
		if (g->nodes.v[i]->op->flags & OP_RECEIVES)
			text_printf(e->out, "%s\t\tLIVE(%d);\n", n++ ? "" : "\tif (s->micro == 0) {\n",
			    emit_buffer_number(e, g->nodes.v[i]->out[0]));
	text_puts(e->out, n ? "\t}\n" : "");
}

/* The calls of those nodes that do so; how many there are. */
static int
put_calls(struct emitter *e, const struct graph *g, unsigned does, int from, int end)
{
	int i, n = 0;

	for (i = from; i < end; i++)
		if (g->nodes.v[i]->op->flags & does) {
			g->nodes.v[i]->op->calls.emit(e, g->nodes.v[i]);
			n++;
		}
	return n;
}

/* What has landed is moved. */
static void
put_moves(struct emitter *e, const struct graph *g, const char *const *landing, int from, int end)
{
	const char *const *place = e->place;
	int i;

	for (i = from; i < end; i++) {
		const struct tensor *x = g->nodes.v[i]->op->flags & OP_RECEIVES ? g->nodes.v[i]->out[0] : NULL;
		const char *lands;

		if (!x || !landing[tensor_root(x)->id])
			continue;
		e->place = landing;
		lands = emit_pointer(e, x);
		e->place = place;
		emit_call(e, "pipe_move", arg_tensor(x), arg_text(lands), arg_text(arena_printf(e->module->arena, "(%s) * %d",
		    emit_rows(e, x, x->rank), dtype_bytes(x->dtype))));
	}
}

void
emit_stage_between(struct emitter *e, const struct graph *g, const char *function, int from, int end)
{
	const char *const *place = e->place, *const *landing = e->target->is_gpu ? landings(e) : place;

	begin_function(e, "What that step receives begins to come.", function, "expect");
	put_alive(e, g, from, end);
	e->place = landing;
	put_calls(e, g, OP_RECEIVES, from, end);
	e->place = place;
	text_puts(e->out, "\t(void)b, (void)s;\n}\n");
	if (!e->target->is_gpu)
		return;
	begin_function(e, "It has come, to where the step reads it.", function, "move");
	put_moves(e, g, landing, from, end);
	text_puts(e->out, "\t(void)b, (void)s;\n}\n");
	begin_function(e, "What that step has made for others begins to go.", function, "send");
	put_calls(e, g, OP_SENDS, from, end);
	text_puts(e->out, "\t(void)b, (void)s;\n}\n");
}

/* ---- what cannot be emitted ---- */

static bool
refuse(const struct module *m, struct loc loc, const char *what, const char *help)
{
	diag_help(m->diags, diag_error(m->diags, "target", loc, "%s", what), "%s", help);
	return false;
}

/* MPI counts bytes by an int. */
static bool
sends_fit(const struct module *m, const struct graph *g)
{
	int i;

	for (i = 0; g && i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		if (n->op->flags & OP_SENDS && affine_at(tensor_bytes(n->in[0]), g->batch) > INT_MAX)
			return refuse(m, n->loc, arena_printf(m->arena, "'%s' goes to another rank in one message, which has 2^31 bytes or more",
			    n->path), "smaller micro-batches: accumulate");
	}
	return true;
}

static bool
reads_parts(const struct data_source *d)
{
	return d->reader && d->reader->parts;
}

bool
emit_stages_check(const struct module *m, const struct target *target)
{
	struct loc loc = m->set.place[0].loc;
	int64_t k;

	if (emit_keeps(emit_last_stage(m)))
		return refuse(m, loc, "a metric that keeps what it says of each sample does not go with layers that are placed on ranks yet",
		    "leave that metric out, or place");
	if (reads_parts(&m->set.data) || reads_parts(&m->set.validate_data))
		return refuse(m, loc, "pictures with boxes or masks, whose parts are read together, do not go with layers that are placed "
		    "on ranks yet", "leave place out, or build it with --ranks 1, which has all layers");
	for (k = 0; k < module_stages(m) && !target->is_gpu; k++)
		if (!sends_fit(m, m->stage[k]->train) || !sends_fit(m, m->stage[k]->validate))
			return false;
	return true;
}

/* ---- the whole ---- */

static void
put_main(struct text *source, int64_t n)
{
	int64_t k;

	text_puts(source, "\n/* Without STAGE: what the programs of all stages are linked with. */\n#ifndef STAGE\n\n");
	for (k = 0; k < n; k++)
		text_printf(source, "int\tstage_%lld(int, char **);\n", (long long)k);
	text_puts(source, "int\tstowage_stage(void);\n\nint\nmain(int argc, char **argv)\n{\n\tstatic int (*const stage[])(int, char **) = {\n");
	for (k = 0; k < n; k++)
		text_printf(source, "\t\tstage_%lld,\n", (long long)k);
	text_printf(source, "\t};\n\tint rank = stowage_stage();\n\n"
	    "\treturn stage[rank < %lld ? rank : %lld](argc, argv);\t/* with another number of ranks, it says so */\n}\n\n#endif\n",
	    (long long)n, (long long)(n - 1));
}

void
emit_stages(struct module *m, void (*write)(struct module *, const struct target *, const char *, int, struct text *),
    const struct target *target, const char *program, struct text *source)
{
	int64_t n = module_stages(m), k;
	struct text one;

	text_printf(source, "/*\n * %s%s - trains the network %s as the stages of a pipeline: the programs of its %lld ranks, one after the "
	    "other.\n */\n", program, target->suffix, m->name, (long long)n);
	for (k = 0; k < n; k++) {
		text_printf(source, "\n#if defined STAGE && STAGE == %lld\n#define main stage_%lld\n\n", (long long)k, (long long)k);
		text_init(&one, m->arena);
		write(m->stage[k], target, program, emit_count_lines(source), &one);
		text_puts(source, one.s);
		text_puts(source, "\n#endif\n");
	}
	put_main(source, n);
}
