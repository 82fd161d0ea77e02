/*
 * The steps: one function a graph, one commented call a node, in the order of the plan.
 *
 *	/ * 14  features.conv_2: conv, lenet5.nn:7
 *	 *     features.maxpool [6, 14, 14], features.conv_2.weight [16, 6, 5, 5]
 *	 *     -> features.conv_2 [16, 10, 10], alive 14 to 29 * /
 *	AT(14); LIVE(22);
 *	conv_forward(...);
 *	MADE(31); DEAD(21);
 *
 * Inputs come alive where the host fills them and results die where it reads them (host/train.c),
 * so neither is marked here. On a GPU (host/branches_cuda.cu), BRANCH(1) says that what follows is on
 * another branch of the step's graph, AFTER(15) that it waits for that call, and OVER(16) that
 * another branch waits for this one.
 */
#include <ctype.h>
#include <string.h>

#include "emit/program.h"
#include "ir/due.h"
#include "ir/op.h"
#include "ir/prediction.h"

struct marks {			/* buffers by instant, as lists */
	int *born, *dead;	/* by instant: the first buffer, or -1 */
	int *next_born, *next_dead;	/* by buffer */
};

struct steps {
	struct emitter *e;
	struct marks marks;
	int *number;		/* of MADE(), by tensor id */
	const unsigned *due;	/* by node of the graph being written; NULL: each runs in every step */
	struct result *prediction;	/* of the graph being written, for --predict */
	int npredictions;
	int branch;		/* of the last call */
	int turn;		/* the instant where the function being written begins, if its graph does before that; 0: it does not */
	unsigned begun;		/* a bit for each branch that has begun since */
	struct arena *scratch;	/* of what is said of the node */
};

static bool
read_by_host(const struct emitter *e, const struct buffer *b)
{
	const struct graph *g = e->plan->at[b->last].graph;
	int i;

	for (i = 0; i < g->results.n; i++)
		if (!g->results.v[i].predicted && plan_buffer(e->plan, g->results.v[i].tensor) == b)
			return true;
	return g->loss && plan_buffer(e->plan, g->loss) == b;
}

static void
find_marks(struct steps *s)
{
	const struct plan *p = s->e->plan;
	struct arena *a = s->e->module->arena;
	struct marks *m = &s->marks;
	int i;

	m->born = arena_array(a, (size_t)p->instants + 1, sizeof(int));
	m->dead = arena_array(a, (size_t)p->instants + 1, sizeof(int));
	m->next_born = arena_array(a, (size_t)p->buffers.n + 1, sizeof(int));
	m->next_dead = arena_array(a, (size_t)p->buffers.n + 1, sizeof(int));
	for (i = 0; i < p->instants; i++)
		m->born[i] = m->dead[i] = -1;
	for (i = p->buffers.n - 1; i >= 0; i--) {
		const struct buffer *b = &p->buffers.v[i];

		if (b->persistent || b->kept)
			continue;
		if (b->root->kind != T_INPUT && b->root->kind != T_TARGET) {
			m->next_born[i] = m->born[b->first];
			m->born[b->first] = i;
		}
		if (!read_by_host(s->e, b) && !tensor_lands(p->at[b->first].graph, b->root)) {	/* which has no instant */
			m->next_dead[i] = m->dead[b->last];
			m->dead[b->last] = i;
		}
	}
}

/* ---- MADE's numbers ---- */

static void
number_one(int *number, int *count, const struct tensor *t)
{
	if (t && t->kind != T_WORKSPACE && t->kind != T_POISON && number[t->id] < 0)
		number[t->id] = (*count)++;
}

int *
emit_tensor_numbers(const struct module *m, int *count)
{
	const struct graph *const graph[] = { m->train, m->update, m->validate };
	int *number = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(int));
	int i, j, k;

	*count = 0;
	for (i = 0; i < m->next_tensor; i++)
		number[i] = -1;
	for (i = 0; i < m->persistent.n; i++)
		number_one(number, count, m->persistent.v[i]);
	for (k = 0; k < 3; k++) {
		const struct graph *g = graph[k];

		for (i = 0; g && i < g->inputs.n; i++)
			number_one(number, count, g->inputs.v[i]);
		for (i = 0; g && i < g->nodes.n; i++)
			for (j = 0; j < g->nodes.v[i]->nout; j++)
				number_one(number, count, g->nodes.v[i]->out[j]);
	}
	return number;
}

/* ---- comments ---- */

static void
describe_operands(struct steps *s, const struct node *n)
{
	struct arena *a = s->scratch;
	struct text words;
	int i;

	text_init(&words, a);
	for (i = 0; i < n->nin; i++)
		if (n->in[i])
			text_printf(&words, "%s%s %s", words.n ? ", " : "", n->in[i]->name,
			    tensor_shape_text(a, n->in[i]));
	text_puts(s->e->out, "\n");
	emit_wrapped(s->e->out, "\t *     ", "\t *     ", words.s);
}

static void
describe_result(struct steps *s, const struct node *n, const struct tensor *t)
{
	const struct buffer *b = plan_buffer(s->e->plan, t);
	struct arena *a = s->scratch;
	const char *where = "";

	if (b && !b->persistent)
		where = arena_printf(a, ", alive %d to %d", b->first, b->last);
	if (b && b->persistent)
		where = arena_printf(a, ": updates %s", b->root->name);
	else if (t->alias_of)
		where = arena_printf(a, ", %s %s%s", n->op->calls.emit ? "over" : "a view of",
		    t->alias_of->name, where);
	text_puts(s->e->out, "\n");
	emit_wrapped(s->e->out, "\t *     -> ", "\t *        ",
	    arena_printf(a, "%s %s%s", t->name, tensor_shape_text(a, t), where));
}

static void
describe(struct steps *s, const struct node *n, int instant)
{
	const struct module *m = s->e->module;
	const char *spec = strrchr(emit_spec_path(m), '/');
	struct arena *a = s->scratch = arena_child(m->arena);
	int i;

	text_printf(s->e->out, "\n\t/* %d  %s: %s", instant, emit_safe(a, n->path), n->op->name);
	if (loc_has_line(n->loc))
		text_printf(s->e->out, ", %s:%d", emit_safe(a, spec ? spec + 1 :
		    emit_spec_path(m)), loc_line(n->loc));
	if (n->nin)
		describe_operands(s, n);
	for (i = 0; i < n->nout; i++)
		if (n->out[i])
			describe_result(s, n, n->out[i]);
	text_puts(s->e->out, " */\n");
	arena_free(a);
}

/* ---- calls ---- */

/* Marks on one line, or more where they are many. */
struct line {
	struct text *out;
	int column;		/* 0: nothing written yet */
};

static void
put_mark(struct line *l, const char *mark, int number)
{
	char text[48];
	int n = snprintf(text, sizeof(text), "%s(%d);", mark, number);

	if (l->column && l->column + 1 + n <= LINE_WIDTH) {
		text_printf(l->out, " %s", text);
		l->column += 1 + n;
	} else {
		text_printf(l->out, "%s\t%s", l->column ? "\n" : "", text);
		l->column = TAB_WIDTH + n;
	}
}

static void
end_marks(struct line *l)
{
	if (l->column)
		text_puts(l->out, "\n");
}

static void
put_branch(struct steps *s, struct line *l, int branch)
{
	if (branch != s->branch)
		put_mark(l, "BRANCH", branch);
	s->branch = branch;
	if (s->turn && branch && !(s->begun >> branch & 1))
		put_mark(l, "AFTER", s->turn);
	s->begun |= 1u << branch;
}

/* Of COUNT nodes that one call does. */
static void
put_before(struct steps *s, const struct node *n, int count, int instant)
{
	const struct instant *at = &s->e->plan->at[instant];
	struct line l = { s->e->out, 0 };
	int b, i, k;

	if (n->op->calls.emit)
		put_mark(&l, "AT", instant);
	for (b = s->marks.born[instant]; b >= 0; b = s->marks.next_born[b])
		put_mark(&l, "LIVE", b);
	if (n->op->calls.emit && s->e->plan->cooperative)
		put_mark(&l, "MEETS", at->meets);
	if (n->op->calls.emit)
		put_branch(s, &l, at->branch);
	for (i = 0; i < count; i++)
		for (k = 0; k < BRANCHES; k++)
			if (at[i].after[k] > s->turn)	/* what is before that is over */
				put_mark(&l, "AFTER", at[i].after[k] - 1);
	end_marks(&l);
}

static void
put_made(struct steps *s, struct line *l, struct node *const *n, int count)
{
	int i, k;

	for (k = 0; k < count; k++)
		for (i = 0; i < n[k]->nout; i++)
			if (n[k]->out[i] && s->number[n[k]->out[i]->id] >= 0)
				put_mark(l, "MADE", s->number[n[k]->out[i]->id]);
}

static void
put_after(struct steps *s, struct node *const *n, int count, int instant, bool made)
{
	struct line l = { s->e->out, 0 };
	int k, b;

	for (k = 0; k < count; k++)
		if (s->e->plan->at[instant + k].awaited)
			put_mark(&l, "OVER", instant + k);
	if (!made)
		put_made(s, &l, n, count);
	for (k = 0; k < count; k++)
		for (b = s->marks.dead[instant + k]; b >= 0; b = s->marks.next_dead[b])
			put_mark(&l, "DEAD", b);
	end_marks(&l);
}

/* Where the call, which is for these updates, is written to: beside the text, if not every step
 * runs it. */
static struct text *
begin_call(struct steps *s, unsigned due, struct text *call)
{
	struct text *out = s->e->out;

	if (due != EVERY_STEP) {
		text_init(call, s->e->module->arena);
		s->e->out = call;
	}
	return out;
}

/* The text of a call, run only on that condition. */
static void
put_if(struct text *out, const char *condition, const char *call)
{
	const char *p, *end;

	text_printf(out, "\tif (%s) {\n", condition);
	for (p = call; *p; p = end) {
		end = strchr(p, '\n') ? strchr(p, '\n') + 1 : p + strlen(p);
		text_puts(out, "\t");
		text_add(out, p, (size_t)(end - p));
	}
	text_puts(out, "\t}\n");
}

static void
end_call(struct steps *s, unsigned due, struct text *out, struct node *const *n, int count, int instant)
{
	struct text *call = s->e->out;
	struct line l = { call, 0 };
	bool left_out = due != EVERY_STEP && call->n > 0;

	if (left_out) {
		put_made(s, &l, n, count);
		end_marks(&l);
		put_if(out, arena_printf(s->e->module->arena, "due & 0x%x", due), call->s);	/* those updates are made */
	}
	s->e->out = out;
	put_after(s, n, count, instant, left_out);
}

static unsigned
due_of(const struct steps *s, int instant)
{
	return s->due ? s->due[instant] : EVERY_STEP;
}

static void
put_updates(struct steps *s, struct node *const *n, int count, int instant)
{
	struct text call, *out;
	int i;

	for (i = 0; i < count; i++)
		describe(s, n[i], instant + i);
	put_before(s, n[0], count, instant);
	out = begin_call(s, due_of(s, instant), &call);
	emit_updates(s->e, n, count);
	end_call(s, due_of(s, instant), out, n, count, instant);
}

/* Of what the node makes, --predict writes this. */
static void
put_kept(struct steps *s, const struct node *n)
{
	struct emitter *e = s->e;
	int i, k;

	for (k = 0; k < s->npredictions; k++)
		for (i = 0; i < n->nout; i++) {
			const struct tensor *t = n->out[i];

			if (!t || t != s->prediction[k].tensor)
				continue;
			emit_call(e, "keep_predictions", arg_int(k), arg_tensor(t), arg_text(arena_printf(e->module->arena,
			    "b * %lld", (long long)(tensor_elements_per_sample(t) * dtype_bytes(t->dtype)))));
		}
}

static void
put_node(struct steps *s, struct node *const *at, int instant)
{
	const struct node *n = *at;
	struct emitter *e = s->e;
	struct text call, *out;

	describe(s, n, instant);
	put_before(s, n, 1, instant);
	out = begin_call(s, due_of(s, instant), &call);
	if (n->op->calls.emit && !emit_is_beside(e, n))
		n->op->calls.emit(e, n);
	put_kept(s, n);
	end_call(s, due_of(s, instant), out, at, 1, instant);
}

/* Back where the graph began, when all its branches are over. */
static void
put_end(struct steps *s, const struct graph *g, int start, int from, int end)
{
	const struct instant *at = &s->e->plan->at[start];
	struct line l = { s->e->out, 0 };
	int last[BRANCHES] = { 0 }, i, k;

	if (g->nodes.n)
		text_puts(s->e->out, "\n");
	for (i = from; i < end; i++)
		if (g->nodes.v[i]->op->calls.emit)
			last[at[i].branch] = i + 1;
	put_mark(&l, "AT", -1);
	put_branch(s, &l, 0);
	for (k = 1; k < BRANCHES; k++)
		if (last[k])
			put_mark(&l, "AFTER", start + last[k] - 1);
	end_marks(&l);
}

static const char *const phase_titles[] = {
	[PHASE_FORWARD] = "forward", [PHASE_BACKWARD] = "backward", [PHASE_UPDATE] = "update",
};

/* Is NAME a word of the program text, outside comments? */
static bool
mentions(const char *text, char name)
{
	const char find[] = { name, '/', '\0' }, *p, *end;

	for (p = text; (p = strpbrk(p, find)); p++) {
		if (p[0] == '/' && p[1] == '*' && (end = strstr(p + 2, "*/")))
			p = end + 1;
		if (*p != name || isalnum((unsigned char)p[1]) || p[1] == '_')
			continue;
		if (p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_'))
			return true;
	}
	return false;
}

/* The body of a function, which begins there, may leave its parameter alone. */
static void
put_unused(struct text *out, size_t body, char parameter)
{
	const char line[] = { '\t', '(', 'v', 'o', 'i', 'd', ')', parameter, ';', '\n' };

	if (!mentions(out->s + body, parameter))
		text_insert(out, body, line, sizeof(line));
}

/* Of a pipeline's stage: what is alive from one run to the next comes to life, but for inputs and
 * what is received: where an update has several runs, in the first. Where a graph begins elsewhere,
 * all branches begin here. */
static void
put_begin(struct steps *s, const struct graph *g, int start, int nodes)
{
	const struct plan *p = s->e->plan;
	bool backward = p->turn && start == p->turn, branches = false;
	struct text marks;
	struct line l = { &marks, 0 };
	int i;

	s->turn = backward ? start : 0;
	s->begun = 1;
	text_init(&marks, s->e->module->arena);
	for (i = start; i < start + nodes && backward; i++)
		branches |= p->at[i].branch > 0;
	if (branches)
		put_mark(&l, "OVER", start);
	for (i = 0; i < p->buffers.n && !backward; i++) {
		const struct buffer *b = &p->buffers.v[i];

		if (b->kept && !b->received && b->first == start && p->at[start].graph == g && b->root->kind != T_INPUT &&
		    b->root->kind != T_TARGET)
			put_mark(&l, "LIVE", i);
	}
	end_marks(&l);
	if (marks.n && p->turn && g == s->e->module->train && !backward)
		put_if(s->e->out, "UPDATE_BEGINS(s)", marks.s);
	else
		text_puts(s->e->out, marks.n ? marks.s : "");
}

/* Nodes FROM to END of the graph, whose first is at instant START. */
static void
put_part(struct steps *s, const struct graph *g, const char *function, int start, int from, int end)
{
	struct text *out = s->e->out;
	unsigned seen = 0;
	size_t body;
	int i, count;

	s->e->graph = g;
	s->turn = 0;
	s->npredictions = g == s->e->module->validate ? graph_predictions(g, &s->prediction) : 0;
	s->e->prediction = s->npredictions ? s->prediction[0].tensor : NULL;
	text_printf(out, "\nstatic void\n%s(int64_t b, const struct step *s)\n{\n", function);
	body = out->n;
	if (s->e->module->stage)
		put_begin(s, g, start + from, end - from);
	for (i = from; i < end; i += count) {
		const struct node *n = g->nodes.v[i];

		count = plan_together(s->e->plan, start + i);
		if (!(seen >> n->phase & 1))
			text_printf(out, "%s\t/* ---- %s ---- */\n", out->n > body ? "\n" : "",
			    phase_titles[n->phase]);
		seen |= 1u << n->phase;
		if (n->op->calls.row)
			put_updates(s, &g->nodes.v[i], count, start + i);
		else
			put_node(s, &g->nodes.v[i], start + i);
	}
	put_end(s, g, start, from, end);
	s->e->prediction = NULL;
	put_unused(out, body, 's');
	put_unused(out, body, 'b');
	text_puts(out, "}\n");
	if (s->e->module->stage && g != s->e->module->update)
		emit_stage_between(s->e, g, function, from, end);
	s->e->graph = NULL;
}

static void
put_graph(struct steps *s, const struct graph *g, const char *function, int start)
{
	put_part(s, g, function, start, 0, g->nodes.n);
}

/* One micro-batch: forward, loss, backward. Of a stage whose backward is for another one, both are
 * functions. */
static void
put_train(struct steps *s, const struct graph *g)
{
	int turn = s->e->plan->turn;

	if (!turn) {
		text_puts(s->e->out, "\n/* One micro-batch of b samples: forward, loss, backward, and "
		    "whatever can be updated. */");
		put_graph(s, g, "train_step", 0);
		return;
	}
	text_puts(s->e->out, "\n/* One micro-batch of b samples, forward: what its backward reads lies in its slot. */");
	put_part(s, g, "forward_step", 0, 0, turn);
	text_puts(s->e->out, "\n/* One micro-batch of b samples, backward, when its gradient arrives. */");
	put_part(s, g, "backward_step", 0, turn, g->nodes.n);
}

void
emit_steps(struct emitter *e)
{
	const struct module *m = e->module;
	struct steps s = { .e = e };
	struct text *out = e->out, tables;	/* they come first, which the steps fill */
	struct arena *a = arena_child(m->arena);
	size_t steps = out->n;
	int count, at = 0;

	s.number = emit_tensor_numbers(m, &count);
	find_marks(&s);
	if (m->train) {
		s.due = module_due(m);	/* which begins at instant 0 */
		put_train(&s, m->train);
		s.due = NULL;
		at += m->train->nodes.n;
	}
	if (m->update) {
		text_puts(e->out, "\n/* After the last micro-batch of an update. */");
		put_graph(&s, m->update, "update_step", at);
		at += m->update->nodes.n;
	}
	if (m->validate) {
		text_puts(e->out, "\n/* One batch of b samples, forward only: losses and metrics. */");
		put_graph(&s, m->validate, "validate_step", at);
	}
	text_init(&tables, a);
	e->out = &tables;
	emit_update_tables(e);
	e->out = out;
	text_insert(out, steps, tables.s, tables.n);
	arena_free(a);
}
