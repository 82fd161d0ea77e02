/*
 * The whole program, from top to bottom: a header comment, constants, the target's prologue, the
 * kernels that the network calls, the plan's tables, the steps, and the host's part.
 */
#include <string.h>

#include "calls/epilogue.h"
#include "emit/program.h"
#include "ir/rounds.h"
#include "ops/shapes.h"
#include "plan/estimate.h"
#include "readers/reader.h"

static const char *const host_files[] = {
	"host/ranks.c", "host/data.c", "host/samples.c", "host/together_cuda.cu", "host/tables.c", "host/whole.c", "host/choices_file_cuda.cu",
	"host/checkpoint.c", "host/checkpoint_ranks.c", "host/checkpoint_read.c",
	"host/options.c", "host/name_map.c", "host/weights.c", "host/kept.c", "host/progress.c", "host/stages.c", "host/log.c", "host/rank_log.c",
	"host/plot.c", "host/profile.c",
	"host/watch.c", "host/predict.c", "host/rate.c", "host/run.c", "host/validate.c", "host/train.c", "host/main.c", "host/library.c",
	"host/stage_here.c", "host/listed_cuda.cu",
};

/* Of a program that only infers. */
static const char *const inference_files[] = {
	"host/safetensors.c", "host/name_map.c", "host/weights.c", "host/predict.c", "host/infer.c",
};

/* ---- what cannot be emitted ---- */

static bool
is_view(const struct node *n)
{
	int i;

	for (i = 0; i < n->nout; i++)
		if (n->out[i] && !n->out[i]->alias_of)
			return false;
	return true;
}

/* A layer on what a loss is, in a network whose elements have 16 bits. */
static bool
is_layer_on_loss(const struct module *m, const struct node *n)
{
	const struct precision *p = m->set.precision;

	return n->op->kind == OP_LAYER && n->nin > 0 && precision_is_narrow(p) &&
	    n->in[0]->dtype == p->element->real && !(n->op->flags & OP_REALS);
}

static bool
check_nodes(const struct module *m, const struct graph *g, const struct target *target)
{
	bool ok = true;
	int i;

	for (i = 0; g && i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];
		struct diag *d;

		if (op_is_view(n->op) && is_view(n))
			continue;
		if (op_is_view(n->op)) {
			diag_error(m->diags, "target", n->loc, "'%s' has no kernel for target %s",
			    n->op->name, target->name);
			ok = false;
		} else if (is_layer_on_loss(m, n)) {
			d = diag_error(m->diags, "target", n->loc, "'%s' has no kernel for a loss, "
			    "which is f32, in a network that computes in %s", n->op->name,
			    dtype_name(shape_real(m)));
			diag_help(m->diags, d, "losses can be added, subtracted, multiplied and "
			    "scaled; or use precision f32");
			ok = false;
		}
	}
	return ok;
}

static bool
check(struct emitter *e, const char *root)
{
	const struct module *m = e->module;
	bool ok = true;

	if (module_ranks(m) > 1 && !e->target->ranks_by) {
		diag_help(m->diags, diag_error(m->diags, "target", m->set.ranks_loc.src ? m->set.ranks_loc : m->loc,
		    "programs for target %s train on one rank: the memory of several can be planned, and no more",
		    e->target->name), "leave ranks out, or use --target c");
		return false;
	}
	if (module_parts(m) && e->target->is_gpu) {
		diag_help(m->diags, diag_error(m->diags, "target", m->set.parts_loc,
		    "programs for target %s are not deterministic in parts yet: with one rank the same program has the same bits "
		    "again anyway", e->target->name), "leave deterministic out, or use --target c");
		return false;
	}
	ok &= check_nodes(m, m->train, e->target);
	ok &= check_nodes(m, m->update, e->target);
	ok &= check_nodes(m, m->validate, e->target);
	if (m->inference)
		ok &= emit_tables_read(e, root);
	return ok && emit_data_check(e);
}

/* ---- the header ---- */

#define TITLE	"/* ======== "

static int64_t
trainable(const struct module *m, int *tensors)
{
	int64_t n = 0;
	int i;

	for (*tensors = i = 0; i < m->persistent.n; i++) {
		const struct tensor *t = m->persistent.v[i];

		if (t->kind == T_PARAM && !t->frozen) {
			n += tensor_elements_per_sample(tensor_whole(t));
			(*tensors)++;
		}
	}
	return n;
}

static void
emit_sizes(struct emitter *e)
{
	const struct plan *p = e->plan;
	const struct { const char *what; int64_t bytes; } row[] = {
		{ "arena", p->arena_bytes }, { "lower bound", p->lower_bound_bytes },
		{ "persistent", p->persistent_bytes }, { "transient", p->transient_bytes },
	};
	char human[SIZE_TEXT], commas[SIZE_TEXT];
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		text_printf(e->out, " *     %-12s %20s bytes  %12s\n", row[i].what,
		    size_commas(commas, row[i].bytes), size_human(human, row[i].bytes));
}

/* Who is alive at the peak, the largest first; at most ten. */
static void
emit_peak(struct emitter *e)
{
	const struct plan *p = e->plan;
	char commas[SIZE_TEXT];
	int64_t below = INT64_MAX;
	int after = -1, shown, i;

	if (!p->instants)
		return;
	text_printf(e->out, " *\n * At the peak, instant %d (%s), these take the most:\n *\n", p->peak,
	    emit_safe(e->module->arena, p->at[p->peak].node->path));
	for (shown = 0; shown < 10; shown++) {
		int best = -1;

		for (i = 0; i < p->buffers.n; i++) {
			const struct buffer *b = &p->buffers.v[i];

			if (b->first > p->peak || b->last < p->peak || b->bytes > below ||
			    (b->bytes == below && i <= after))
				continue;
			if (best < 0 || b->bytes > p->buffers.v[best].bytes)
				best = i;
		}
		if (best < 0)
			break;
		below = p->buffers.v[best].bytes;
		after = best;
		text_printf(e->out, " *     %20s  %s (%s)\n", size_commas(commas, below),
		    emit_safe(e->module->arena, p->buffers.v[best].root->name),
		    tensor_kind_name(p->buffers.v[best].root->kind));
	}
}

/* Which library does the convolutions, and who chose its engines. */
static void
emit_libraries(struct emitter *e)
{
	const struct engines *g = &e->engines;
	struct arena *a = e->module->arena;

	if (!emit_calls_libraries(e) || !e->convolutions.n)
		return;
	text_puts(e->out, " *\n");
	emit_wrapped(e->out, " * ", " * ", !g->chosen ?
	    "Convolutions: cuDNN, where it is built with it, by engines that its heuristics propose "
	    "when the program starts; else kernels of its own." :
	    arena_printf(a, "Convolutions: cuDNN, where it is built with it; for %d of %d, cuDNN "
	    "%d.%d.%d chose engines for %s when this was written, which are checked when the program "
	    "starts. Without cuDNN, kernels of its own.", g->chosen, g->requested, g->version / 10000,
	    g->version / 100 % 100, g->version % 100, e->module->set.device.name));
	text_puts(e->out, "\n");
}

static const struct chapter {
	const char *title, *what;
} chapters[] = {
	{ "kernels", "those that this network calls" },
	{ "the plan", "buffers[]: offset, bytes and lifetime of each; tables" },
	{ "the steps", "one call a node, and what it reads and writes" },
	{ "the host", "memory, data, checkpoints, the training loop" },
};

static const char *
chapter_text(const struct emitter *e, size_t i)
{
	return i == 3 && e->module->inference ? "memory, weights, what programs call" : chapters[i].what;
}

/* Where the chapters of the body are, which begins after so many lines. */
static void
emit_contents(struct emitter *e, const struct text *body, int line)
{
	const char *p = body->s, *next;
	size_t i = 0;

	text_puts(e->out, " *\n * What follows, after constants:\n *\n");
	for (; i < sizeof(chapters) / sizeof(chapters[0]) && *p; p = next) {
		size_t n = strlen(chapters[i].title);

		line++;
		next = p + strcspn(p, "\n");
		next += *next == '\n';
		if (strncmp(p, TITLE, strlen(TITLE)) || strncmp(p + strlen(TITLE), chapters[i].title, n))
			continue;
		text_printf(e->out, " *     line %6d  %-9s  %s\n", line, chapters[i].title,
		    chapter_text(e, i));
		i++;
	}
}

/* LINE: how many lines this takes. */
static void
emit_header(struct emitter *e, const char *program, const struct text *body, int line)
{
	const struct module *m = e->module;
	const struct reader *reader = emit_libraries_of(m);
	char commas[SIZE_TEXT];
	int tensors;
	int64_t parameters = trainable(m, &tensors);

	text_printf(e->out, "/*\n * %s%s - %s the network %s, as %s says.\n"
	    " * Written by stowage, as a whole: it needs nothing but %s%s%s%s%s.\n"
	    " * SPDX-License-Identifier: MIT\n *\n"
	    " *     make            builds it (the Makefile beside this file says how else)\n"
	    " *     ./%s%s\n *\n", program, e->target->suffix,
	    m->train ? "trains" : "runs", m->name, emit_safe(m->arena, emit_spec_path(m)),
	    module_ranks(m) > 1 ? e->target->ranks_by : "", module_ranks(m) > 1 ? " and " : "", e->target->needs, reader ? ", " : "",
	    reader ? reader->packages : "", program,
	    m->inference ? " WEIGHTS < SAMPLES > OUTPUTS" : " --help");
	text_printf(e->out, " * %s trainable parameters in %d tensors. Memory, in %s at a micro-batch of "
	    "%lld:\n *\n", size_commas(commas, parameters), tensors,
	    m->set.precision->name,
	    (long long)(e->plan->batch ? e->plan->batch : e->plan->validate_batch));
	emit_sizes(e);
	emit_peak(e);
	emit_libraries(e);
	emit_contents(e, body, line);
	text_puts(e->out, " */\n");
}

/* ---- kernels ---- */

static void
emit_graph_kernels(struct emitter *e, const struct graph *g, bool *done)
{
	int i;

	for (i = 0; g && i < g->nodes.n; i++) {
		const struct rounds *r;

		if (g->nodes.v[i]->op->calls.kernels && g->nodes.v[i]->op->calls.emit)
			emit_file(e, g->nodes.v[i]->op->calls.kernels, done);
		for (r = rounds_of(g->nodes.v[i]); r; r = r->next)
			emit_graph_kernels(e, r->m->train, done);
	}
	for (i = 0; g && i < g->nodes.n; i++)
		if (g->nodes.v[i]->op->calls.define)
			g->nodes.v[i]->op->calls.define(e, g->nodes.v[i]);
}

/* What kernels must know of the nodes of a graph before them. */
static void
note_graph(struct emitter *e, const struct graph *g)
{
	int i;

	for (i = 0; g && i < g->nodes.n; i++)
		if (g->nodes.v[i]->op->calls.note)
			g->nodes.v[i]->op->calls.note(e, g->nodes.v[i]);
}

static void
emit_notes(struct emitter *e)
{
	note_graph(e, e->module->train);
	note_graph(e, e->module->update);
	note_graph(e, e->module->validate);
	parts_own(e->parts, "EPILOGUES");
	epilogue_list(e);
	parts_own(e->parts, NULL);
}

static void
title(struct emitter *e, const char *what)
{
	text_printf(e->out, "\n" TITLE "%s ======== */\n", what);
}

int
emit_count_lines(const struct text *t)
{
	int lines = 0;
	size_t i;

	for (i = 0; i < t->n; i++)
		lines += t->s[i] == '\n';
	return lines;
}

bool
emit_calls_libraries(const struct emitter *e)
{
	return e->target->libraries && !(e->module->plan && e->module->plan->cooperative);
}

static bool
host_needs(const struct emitter *e, const char *file)
{
	if (strcmp(file, "host/tables.c") == 0)
		return emit_file_table_count(e->module) > 0;
	if (strcmp(file, "host/choices_file_cuda.cu") == 0)
		return emit_calls_libraries(e);
	if (strcmp(file, "host/listed_cuda.cu") == 0)
		return e->plan->cooperative;
	if (strcmp(file, "host/ranks.c") == 0 || strcmp(file, "host/rank_log.c") == 0 || strcmp(file, "host/checkpoint_ranks.c") == 0)
		return module_ranks(e->module) > 1;
	if (strcmp(file, "host/stage_here.c") == 0)
		return e->module->stage != NULL && e->module->set.stage == 0;
	if (strcmp(file, "host/stages.c") == 0)
		return e->module->stage != NULL;
	if (strcmp(file, "host/together_cuda.cu") == 0)
		return e->steps_together > 1;
	if (strcmp(file, "host/samples.c") == 0)
		return e->target->lands_batches && e->module->train;
	return true;
}

/* Memory, and the data with the readers of their formats. */
static void
emit_host(struct emitter *e, bool *done)
{
	size_t i;

	emit_file(e, "host/memory.c", done);
	emit_file(e, "host/random.c", done);
	for (i = 0; e->module->inference && i < sizeof(inference_files) / sizeof(inference_files[0]); i++)
		emit_file(e, inference_files[i], done);
	if (e->module->inference)
		return;
	emit_file(e, "host/data_file.c", done);
	emit_readers(e, done);
	for (i = 0; i < sizeof(host_files) / sizeof(host_files[0]); i++)
		if (host_needs(e, host_files[i]))
			emit_file(e, host_files[i], done);
}

static const int64_t *
offsets(const struct module *m)
{
	const struct plan *p = m->plan;
	int64_t *offset = arena_array(m->arena, (size_t)p->ntensors + 1, sizeof(*offset));
	int i;

	for (i = 0; i < p->ntensors; i++) {
		const struct buffer *b = plan_buffer_of(p, i);

		offset[i] = b ? b->offset : -1;
	}
	return offset;
}

/* Where another stage has the results, what makes metrics of their counts. */
static void
emit_result_kernels(struct emitter *e, const struct graph *g, bool *done)
{
	int i;

	for (i = 0; g && e->module != emit_last_stage(e->module) && i < g->results.n; i++) {
		const struct node *def = g->results.v[i].tensor->def;

		if (def && def->op->counts.of && def->op->calls.kernels)
			emit_file(e, def->op->calls.kernels, done);
	}
}

/* All parts, and of them what is wanted, in SOURCE, which is empty. */
static void
emit_body(struct emitter *e, const char *program, struct text *source, struct text *header)
{
	const struct module *m = e->module;
	const struct target *target = e->target;
	struct arena *a = arena_child(m->arena);
	bool *done = arena_array(a, (size_t)emit_embedded_count() + 1, sizeof(*done));

	e->out = source;
	e->parts = parts_new(a, source);
	emit_constants(e, program);
	emit_notes(e);
	emit_file(e, target->prologue, done);
	title(e, "kernels");
	emit_file(e, "kernel.h", done);
	emit_graph_kernels(e, m->train, done);
	emit_graph_kernels(e, m->update, done);
	emit_graph_kernels(e, m->validate, done);
	emit_result_kernels(e, emit_last_stage(m)->validate, done);
	title(e, "the plan");
	emit_file(e, "host/host.h", done);
	if (m->inference)
		emit_inference(e, program, header);
	else
		emit_tables(e);
	title(e, "the steps");
	if (target->steps)
		emit_file(e, target->steps, done);
	emit_steps(e);
	emit_engines(e);
	title(e, "the host");
	if (target->feed)
		emit_file(e, target->feed, done);
	emit_file(e, target->device, done);
	emit_host(e, done);
	parts_write(e->parts);
	arena_free(a);
}

/* It reports on the whole, so it is written last; its first draft says how many lines it has. So
 * many stand before it. */
static void
put_header(struct emitter *e, const char *program, int before, struct text *source)
{
	struct text draft, header;

	text_init(&draft, e->module->arena);
	text_init(&header, e->module->arena);
	e->out = &draft;
	emit_header(e, program, source, 0);
	e->out = &header;
	emit_header(e, program, source, before + emit_count_lines(&draft));
	text_insert(source, 0, header.s, header.n);
}

/* The calls for what goes between ranks. */
static void
note_sums(struct emitter *e)
{
	const struct plan *p = e->plan;
	struct arena *a = e->module->arena;
	int i, k;

	for (i = 0; i < p->sums.n; i++) {
		const struct plan_sum *s = &p->sums.v[i];
		struct sum_call call = { .begins = p->at[s->begin].node, .waits = p->at[s->wait].node, .first = s->first,
			.added = s->added, .elements = s->bytes / dtype_bytes(s->first->dtype), .more = s->more, .span = e->spans.n };

		if (s->between != BETWEEN_SUM) {
			call.spans = s->tensors;
			for (k = s->begin - s->tensors + 1; k <= s->begin; k++)
				vec_push(a, &e->spans, p->at[k].node);
		}
		vec_push(a, &e->sums, call);
	}
}

/* A program as one plan has it; so many lines stand before it. */
static void
write_program(struct emitter *e, const char *program, int before, struct text *source, struct text *header)
{
	e->threads = e->plan->threads;
	e->offset = offsets(e->module);
	e->place = emit_stage_places(e);
	e->steps_together = plan_steps_together(e->module);
	note_sums(e);
	emit_body(e, program, source, header);
	put_header(e, program, before, source);
}

static void
write_stage(struct module *m, const struct target *target, const char *program, int before, struct text *source)
{
	struct emitter e = { .module = m, .plan = m->plan, .target = target };
	struct text none;

	text_init(&none, m->arena);
	write_program(&e, program, before, source, &none);
}

/* Those of all stages, where there are such; what checks find out about the one program stays with
 * E. */
static bool
can_be_written(struct emitter *e, const char *root)
{
	const struct module *m = e->module;
	int64_t k;

	if (!m->stage)
		return e->plan && check(e, root);
	if (!emit_stages_check(m, e->target))
		return false;
	for (k = 0; k < module_stages(m); k++) {
		struct emitter of = { .module = emit_stage(m, k), .plan = emit_stage(m, k)->plan, .target = e->target };

		if (!of.plan || !check(&of, root))
			return false;
	}
	return true;
}

bool
emit_program(struct module *m, const struct target *target, const char *root, struct text *source,
    struct text *makefile, struct text *header, const char *program)
{
	const struct reader *reader = emit_libraries_of(m);
	struct emitter e = { .module = m, .plan = m->plan, .target = target };

	if (!can_be_written(&e, root))
		return false;
	if (m->stage)
		emit_stages(m, write_stage, target, program, source);
	else
		write_program(&e, program, 0, source, header);
	text_puts(makefile, "# Written by stowage.\n");
	target->makefile(makefile, &(struct recipe){ .program = program,
		.spec = emit_safe(m->arena, emit_spec_path(m)),
		.ranks = module_ranks(m), .stages = module_stages(m), .arch = m->set.device.arch,
		.libraries = emit_calls_libraries(&e), .convolves = emit_calls_libraries(&e) && e.convolutions.n > 0 });
	if (reader)
		text_printf(makefile, "\n# what data %s needs\n"
		    "FLAGS += $(shell pkg-config --cflags %s 2>/dev/null)\n"
		    "LIBS  += $(shell pkg-config --libs %s 2>/dev/null || echo %s)\n", reader->name,
		    reader->packages, reader->packages, reader->links);
	text_printf(makefile, "\n# There are no other rules: no other file here has a say in these.\n"
	    "MAKEFLAGS += -r\n.SUFFIXES:\nMakefile %s%s: ;\n", program, target->suffix);
	return true;
}
