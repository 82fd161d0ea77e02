/*
 * The IR as text, one line per tensor or node, for --dump-after and for tests of single passes.
 * ir/ir_parse.c reads it back. The form:
 *
 *     module lenet5
 *     set batch 64 accumulate 1 validate_batch 256 train 1 validate 1 clip 0 precision f32
 *     optimizer sgd {lr=0.01}
 *     parameter %1 f32[6, 1, 5, 5] "features.conv.weight" uniform 0.2 @6
 *     body 0
 *       input %3 f32[B, 8] "y.scan.x" @7	(and nodes and results, as of a graph)
 *     graph train batch 64 training
 *       input %0 f32[B, 1, 28, 28] "image" @4
 *       %7 f32[B, 6, 28, 28] activation "features.conv" = conv(%0, %1, _) {filters=6} forward
 *           "features.conv" using %77 u8[65536 + 9408 B] @9	(one line)
 *       result loss %20 "loss" @12	(or metric; predicted: for --predict, taken as soon as it is made)
 *
 *     B,               the shape is batched
 *     classes 10       labels below that; vocab 50257: tokens
 *     channels-last    after a shape: an image that lies [H, W, C], or weights that lie [F, KH, KW, C]
 *     _                an absent operand or output
 *     shared [64, 8]   a rank's piece of such a tensor
 *     over %3          an output that takes over the bytes of %3
 *     body 0           what a node runs many times (ir/rounds.h), which names it by that number
 *     keep 0.9         how much is kept of the operand that a node adds to; "first": only in the
 *                      first micro-batch of an update
 *     using %77        a workspace of that many bytes, fixed and per sample
 *     lands %80        where the next batch of an input arrives
 *     turn 2 adam {} "loss.g" every 5      one of several updates of a step; a parameter that it moves: turn 2
 *     @9               the spec's line, for people: it is not read back
 */
#include "ir/ir.h"

#include "formula/formula.h"
#include "ir/op.h"

static const char *const phase_names[] = {
	[PHASE_FORWARD] = "forward", [PHASE_BACKWARD] = "backward", [PHASE_UPDATE] = "update",
};

static const char *const init_names[] = {
	[INIT_ZEROS] = "zeros", [INIT_CONSTANT] = "constant", [INIT_UNIFORM] = "uniform",
	[INIT_NORMAL] = "normal",
};

static void
print_type(FILE *f, const struct tensor *t)
{
	const char *comma = "";
	int i;

	fprintf(f, "%%%d %s[", t->id, dtype_name(t->dtype));
	if (t->kind == T_WORKSPACE) {
		fprintf(f, "%lld + %lld B]", (long long)t->workspace.fixed,
		    (long long)t->workspace.per_sample);
		return;
	}
	if (t->batched) {
		fputs("B", f);
		comma = ", ";
	}
	for (i = 0; i < t->rank; i++, comma = ", ")
		fprintf(f, "%s%lld", comma, (long long)t->dim[i]);
	fputs("]", f);
	if (t->classes)
		fprintf(f, " %s %d", t->tokens ? "vocab" : "classes", t->classes);
	if (t->channels_last)
		fputs(" channels-last", f);
}

static void
print_ints(FILE *f, const struct attr *a)
{
	int i;

	fputs("(", f);
	for (i = 0; i < a->n; i++)
		fprintf(f, "%s%lld", i ? ", " : "", (long long)a->v[i]);
	fputs(")", f);
}

static void
print_reals(FILE *f, const struct attr *a)
{
	int i;

	fputs("(", f);
	for (i = 0; i < a->n; i++)
		fprintf(f, "%s%.17g", i ? ", " : "", a->real[i]);
	fputs(")", f);
}

static void
print_choice(FILE *f, const char *list, int64_t index)
{
	while (index-- > 0)
		while (*list && *list++ != ' ')
			;
	while (*list && *list != ' ')
		fputc(*list++, f);
}

static int
number_of_body(const struct graph *body)
{
	const struct module *m = body->module;
	int i = 0;

	while (i < m->bodies.n && m->bodies.v[i] != body)
		i++;
	return i;
}

/* In quotes, with what would end it as in a URL: a file may have any name. */
static void
print_text(FILE *f, const char *s)
{
	putc('"', f);
	for (; s && *s; s++)
		if (*s == '"' || *s == '%' || *s == '\n')
			fprintf(f, "%%%02X", (unsigned char)*s);
		else
			putc(*s, f);
	putc('"', f);
}

static void
print_attr(FILE *f, const struct attr_spec *spec, const struct attr *a)
{
	fprintf(f, "%s=", spec->name);
	switch (spec->type) {
	case ATTR_INT:
		fprintf(f, "%lld", (long long)a->i);
		break;
	case ATTR_BOOL:
		fputs(a->i ? "true" : "false", f);
		break;
	case ATTR_REAL:
		fprintf(f, "%.17g", a->r);
		break;
	case ATTR_PAIR:
	case ATTR_SIDES:
	case ATTR_INTS:
	case ATTR_AXES:
	case ATTR_FRAME:
		print_ints(f, a);
		break;
	case ATTR_ENUM:
		print_choice(f, spec->choices, a->i);
		break;
	case ATTR_INIT:
		fprintf(f, "%s %.17g", init_names[a->init.kind], a->init.value);
		break;
	case ATTR_REALS:
		if (a->i)
			print_text(f, a->text);
		else
			print_reals(f, a);
		break;
	case ATTR_TEXT:
		print_text(f, a->text);
		break;
	case ATTR_FORMULA:
		fprintf(f, "\"%s\"", formula_text(a->formula->arena, a->formula));
		break;
	case ATTR_BODY:
		fprintf(f, "%d", a->body ? number_of_body(a->body) : -1);
		break;
	case ATTR_TENSOR:
		fputs("_", f);
		break;
	}
}

static void
print_attrs(FILE *f, const struct op *op, const struct attr *attr)
{
	const char *comma = "";
	int i, n = op_nattrs(op);

	fputs("{", f);
	for (i = 0; i < n && attr; i++, comma = ", ") {
		if (op->attrs[i].silent && !attr[i].i)
			continue;
		fputs(comma, f);
		print_attr(f, &op->attrs[i], &attr[i]);
	}
	fputs("}", f);
}

/* That it is a rank's piece, and of what. */
static void
print_whole(FILE *f, const struct tensor *t)
{
	int i;

	fputs(" shared [", f);
	for (i = 0; i < t->gradient_of->rank; i++)
		fprintf(f, "%s%lld", i ? ", " : "", (long long)t->gradient_of->dim[i]);
	fputs("]", f);
}

static void
print_output(FILE *f, const struct tensor *t)
{
	if (!t) {
		fputs("_", f);
		return;
	}
	print_type(f, t);
	fprintf(f, " %s \"%s\"", tensor_kind_name(t->kind), t->name);
	if (t->shared)
		print_whole(f, t);
	if (t->alias_of)
		fprintf(f, " over %%%d", t->alias_of->id);
}

/* What a node reads, and "_" for what is absent, or where a number stands before what is not. */
static void
print_inputs(FILE *f, const struct node *n)
{
	const char *comma = "";
	int i, place = 0;

	for (i = 0; i < n->nin; i++, place++, comma = ", ") {
		for (; n->op->formula && n->attr; place++, comma = ", ") {
			int number = op_number_for(n->op, place);

			if (number < 0 || !n->attr[number].given)
				break;
			fprintf(f, "%s_", comma);
		}
		if (n->in[i])
			fprintf(f, "%s%%%d", comma, n->in[i]->id);
		else
			fprintf(f, "%s_", comma);
	}
}

static void
print_node(FILE *f, const struct node *n)
{
	int i;

	fputs("  ", f);
	for (i = 0; i < n->nout; i++) {
		fputs(i ? ", " : "", f);
		print_output(f, n->out[i]);
	}
	fprintf(f, " = %s(", n->op->name);
	print_inputs(f, n);
	fputs(") ", f);
	print_attrs(f, n->op, n->attr);
	fprintf(f, " %s \"%s\"", phase_names[n->phase], n->path);
	if (op_base(n))
		fprintf(f, " keep %.17g%s", n->keep, n->keep_first ? " first" : "");
	if (n->work) {
		fputs(" using ", f);
		print_type(f, n->work);
	}
	fprintf(f, " @%d\n", loc_line(n->loc));
}

static void
print_persistent(FILE *f, const struct tensor *t)
{
	fprintf(f, "%s ", tensor_kind_name(t->kind));
	print_type(f, t);
	fprintf(f, " \"%s\" %s %.17g%s%s", t->name, init_names[t->init_kind], t->init_value,
	    t->frozen ? " frozen" : "", t->accumulates ? " accumulates" : "");
	if (t->shared)
		print_whole(f, t);
	if (t->split_blocks)
		fprintf(f, " split %d %d", t->split_axis, t->split_blocks);
	if (t->turn)
		fprintf(f, " turn %d", t->turn);
	fprintf(f, " @%d\n", loc_line(t->loc));
}

/* Accumulated gradients persist but belong to no list: they are found where they are read. */
static void
print_accumulated(FILE *f, const struct module *m)
{
	int i, j;

	for (i = 0; m->train && i < m->train->nodes.n; i++)
		for (j = 0; j < m->train->nodes.v[i]->nin; j++) {
			const struct tensor *t = m->train->nodes.v[i]->in[j];

			if (t && t->accumulates)
				print_persistent(f, t);
		}
}

static const char *
result_kind(const struct result *r)
{
	return r->predicted ? "predicted" : r->is_loss ? "loss" : "metric";
}

static void
print_contents(FILE *f, const struct graph *g)
{
	int i;

	for (i = 0; i < g->inputs.n; i++) {
		const struct tensor *t = g->inputs.v[i];

		fprintf(f, "  %s ", tensor_kind_name(t->kind));
		print_type(f, t);
		fprintf(f, " \"%s\"", t->name);
		if (tensor_landing(t))
			fprintf(f, " lands %%%d", tensor_landing(t)->id);
		fprintf(f, " @%d\n", loc_line(t->loc));
	}
	for (i = 0; i < g->nodes.n; i++)
		print_node(f, g->nodes.v[i]);
	for (i = 0; i < g->results.n; i++)
		fprintf(f, "  result %s %%%d \"%s\" @%d\n", result_kind(&g->results.v[i]),
		    g->results.v[i].tensor->id, g->results.v[i].name, loc_line(g->results.v[i].loc));
	if (g->loss)
		fprintf(f, "  loss %%%d\n", g->loss->id);
}

static void
print_turn(FILE *f, int number, const struct turn *t)
{
	int i;

	fprintf(f, "turn %d %s ", number, t->optimizer->name);
	print_attrs(f, t->optimizer, t->optimizer_attr);
	for (i = 0; i < t->nlosses; i++)
		fprintf(f, "%s \"%s\"", i ? "," : "", t->loss[i]);
	if (t->every > 1)
		fprintf(f, " every %lld", (long long)t->every);
	fputs("\n", f);
}

void
ir_print_graph(FILE *f, const struct graph *g)
{
	fprintf(f, "graph %s batch %lld%s\n", g->name, (long long)g->batch,
	    g->training ? " training" : "");
	print_contents(f, g);
}

void
ir_print(FILE *f, const struct module *m)
{
	const struct graph *const graph[] = { m->forward, m->train, m->update, m->validate };
	bool derived = m->train || m->validate;
	int i;

	fprintf(f, "module %s\n", m->name);
	fprintf(f, "set batch %lld accumulate %lld validate_batch %lld train %d validate %d clip %.17g "
	    "precision %s", (long long)m->set.batch, (long long)m->set.accumulate,
	    (long long)m->set.validate_batch, m->set.train, m->set.validate, m->set.clip,
	    m->set.precision->name);
	if (m->set.chunk_loss == CHUNK_SPLIT)
		fprintf(f, " chunks %lld", (long long)m->set.chunks);
	if (m->set.workspace != DEFAULT_WORKSPACE)
		fprintf(f, " workspace %lld", (long long)m->set.workspace);
	if (m->set.ema > 0)
		fprintf(f, " ema %.17g", m->set.ema);
	if (m->set.ranks > 1)
		fprintf(f, " ranks %lld%s", (long long)m->set.ranks, m->set.splits ? " split" : "");
	if (m->set.parts)
		fprintf(f, " parts %lld", (long long)m->set.parts);
	if (m->set.shard != SHARD_NONE)
		fprintf(f, " shard %s", shard_name(m->set.shard));
	fputs("\n", f);
	if (m->set.optimizer) {
		fprintf(f, "optimizer %s ", m->set.optimizer->name);
		print_attrs(f, m->set.optimizer, m->set.optimizer_attr);
		fputs("\n", f);
	}
	for (i = 0; i < m->set.nturns; i++)
		print_turn(f, i + 1, &m->set.turn[i]);
	for (i = 0; i < m->persistent.n; i++)
		print_persistent(f, m->persistent.v[i]);
	print_accumulated(f, m);
	for (i = 0; i < m->bodies.n; i++) {
		fprintf(f, "body %d\n", i);
		print_contents(f, m->bodies.v[i]);
	}
	for (i = derived ? 1 : 0; i < 4; i++)	/* forward has served its turn once others exist */
		if (graph[i])
			ir_print_graph(f, graph[i]);
}
