/*
 * Recording the forward pass, in two walks over it. The first asks each operator for its calls and
 * learns who reads a value last; the second can then say which storage each value has, since a call
 * may run in place only where nobody reads its input afterwards and no autograd node keeps it.
 *
 * Only nodes on the way to the loss are recorded: what metrics alone read is no part of the step.
 */
#include "calls/tape.h"

#include <string.h>

#include "ir/needed.h"
#include "ir/pass.h"

int64_t
tape_bytes(const struct tape *t, const struct tensor *x)
{
	return affine_at(tensor_bytes(x), t->batch);
}

int64_t
tape_bytes_as(const struct tape *t, const struct tensor *x, int element)
{
	int64_t bytes;

	return __builtin_mul_overflow(affine_at(tensor_elements(x), t->batch), element, &bytes) ?
	    INT64_MAX : bytes;
}

int
tape_value(const struct tape *t, const struct tensor *x)
{
	return x ? t->of_tensor[x->id] : TAPE_NONE;
}

void
tape_result(struct tape *t, const struct tensor *x, int value)
{
	t->of_tensor[x->id] = value;
	if (!t->values.v[value].tensor)
		t->values.v[value].tensor = x;
}

int
tape_call(struct tape *t, const struct tape_call *call)
{
	struct tape_call c = *call;
	struct tape_value out = { .bytes = c.bytes, .strided = c.strided, .shape = c.shape,
		.first = TAPE_ALWAYS };
	int *in = arena_array(t->arena, (size_t)c.nin + 1, sizeof(*in));
	int k;

	out.batched = c.nin == 0 && t->node->nout > 0 && t->node->out[0]->batched;
	for (k = 0; k < c.nin; k++) {
		struct tape_value *x;

		in[k] = c.in[k];
		if (in[k] == TAPE_NONE)
			continue;
		x = &t->values.v[in[k]];
		if (x->last != TAPE_ALWAYS)
			x->last = t->calls.n;
		if (x->first > t->calls.n)
			x->first = t->calls.n;
		c.records |= x->wants && t->mode != TAPE_EVALUATION && !c.stops && !(t->node->op->flags & OP_STOPS);
		out.batched |= x->batched;
	}
	c.in = in;
	c.node = t->node;
	c.out = t->values.n;
	out.last = t->calls.n;
	out.wants = c.records;
	vec_push_moving(t->arena, &t->values, out);
	vec_push_moving(t->arena, &t->calls, c);
	return c.out;
}

/* What an autograd node makes and keeps beside the output: our T_SAVED outputs, unless the
 * operator says otherwise. */
static int64_t
beside(const struct tape *t, const struct node *n)
{
	int64_t sum = 0;
	int k;

	if (n->op->torch.beside)
		return affine_at(n->op->torch.beside(n), t->batch);
	for (k = 1; k < n->nout; k++)
		if (n->out[k] && n->op->gradient.saves & SAVES_OUT(k) && !n->out[k]->alias_of &&
		    __builtin_add_overflow(sum, tape_bytes(t, n->out[k]), &sum))
			return INT64_MAX;
	return sum;
}

int
tape_elementwise(struct tape *t, const struct node *n, struct tape_call c)
{
	int k;

	for (k = 0; k < n->nin && k < c.nin && !(n->in[k] && tensor_same_shape(n->in[k], n->out[0])); k++)
		;
	if (k < n->nin && k < c.nin) {
		c.shape = tape_shape_like(t, c.in[k]);
		c.strided = c.shape && !tape_in_order(c.shape);
		c.alike = true;
	}
	return tape_call(t, &c);
}

void
tape_plain(struct tape *t, const struct node *n, int first)
{
	const struct torch_op *p = &n->op->torch;
	int *in = arena_array(t->arena, (size_t)n->nin + 1, sizeof(*in)), k;
	struct tape_call c = {
		.output = p->output,
		.in = in, .nin = n->nin,
		.bytes = tape_bytes(t, n->out[0]),
		.saves = p->saves ? p->saves : n->op->gradient.saves,
		.crosswise = p->crosswise,
		.beside = beside(t, n),
		.passes = p->passes,
		.views = p->views,
		.full = p->full,
		.scratch = p->scratch * tape_bytes(t, n->out[0]),
	};

	if (t->relu_keeps && c.output == TORCH_OVER && c.nin == 1) {
		c.output = TORCH_NEW;
		c.saves = SAVES_IN(0);
	}
	if (t->tensorflow && p->tf_saves) {
		c.saves = p->tf_saves == SAVES_NOTHING ? 0 : p->tf_saves;
		c.beside = 0;
	}
	if (t->tensorflow && c.nin == 1 && c.saves == SAVES_OUT(0))
		c.output = TORCH_OVER;
	for (k = 0; k < n->nin; k++)
		in[k] = k == 0 && first != TAPE_NONE ? first : tape_value(t, n->in[k]);
	tape_result(t, n->out[0], n->op->flags & OP_ELEMENTWISE || n->op->formula ? tape_elementwise(t, n, c) :
	    tape_call(t, &c));
}

/* ---- values that are there before the step ---- */

static void
add_constant(struct tape *t, const struct tensor *x, int64_t bytes)
{
	const struct pass_options *o = t->module->options;
	bool input = x->kind == T_INPUT && o && o->input_gradients && dtype_is_float(x->dtype);
	struct tape_value v = { .tensor = x, .storage = t->storages.n, .bytes = bytes,
		.batched = x->batched,
		.wants = input || (x->kind == T_PARAM && !x->frozen), .first = TAPE_ALWAYS,
		.last = TAPE_ALWAYS };
	struct tape_storage s = { .bytes = bytes, .kind = x->kind, .constant = true,
		.last = TAPE_ALWAYS };

	vec_push_moving(t->arena, &t->storages, s);
	t->of_tensor[x->id] = t->values.n;
	vec_push_moving(t->arena, &t->values, v);
}

/* PyTorch's labels and tokens are int64. */
static int64_t
staged_bytes(const struct tape *t, const struct tensor *x)
{
	return x->dtype == DT_I32 && x->classes ? tape_bytes_as(t, x, 8) : tape_bytes(t, x);
}

/* What it was made of, where that is one tensor, and so on. */
static const struct tensor *
first_of(const struct tensor *x)
{
	while (x->def && x->def->nin == 1)
		x = x->def->in[0];
	return x;
}

/* By tensor id: does the batch have as many rows of it as the data have? So it is with what is
 * taken by an index of such rows, as labels by that of boxes. */
static bool *
find_parts(const struct tape *t)
{
	const struct module *m = t->module;
	bool *parts = arena_array(t->arena, (size_t)m->next_tensor + 1, sizeof(*parts));
	int i, k;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		for (k = 0; k < n->nin && k < TAPE_BITS; k++)
			if (n->op->torch.parts >> k & 1)
				parts[n->in[k]->id] = true;
		if (n->nin == 2 && n->in[1] && n->in[1]->def && n->in[1]->def->op->torch.parts)
			parts[first_of(n->in[0])->id] = true;
	}
	return parts;
}

static void
add_persistent(struct tape *t, const struct tensor *x)
{
	if (!x->def && tensor_kind_declared(x->kind) && t->of_tensor[x->id] == TAPE_NONE)
		add_constant(t, x, tape_bytes(t, x));
}

/* Weights in the order in which they are first computed with, wherever the spec declares them: so a
 * framework makes them that builds its layers as it comes to them, and what is a name for one alone
 * does not compute. */
static void
add_weights(struct tape *t)
{
	const struct module *m = t->module;
	int i, k;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		for (k = 0; k < n->nin && n->op->memory.alias != op_alias_first; k++) {
			const struct tensor *x = n->in[k];

			while (x && x->def && x->def->nin == 1 && x->def->op->memory.alias == op_alias_first)
				x = x->def->in[0];
			if (x)
				add_persistent(t, x);
		}
	}
	for (i = 0; i < m->persistent.n; i++)
		add_persistent(t, m->persistent.v[i]);
}

static void
add_constants(struct tape *t, const bool *needed)
{
	const struct module *m = t->module;
	const bool *parts = find_parts(t);
	int i;

	add_weights(t);
	for (i = 0; i < m->forward->inputs.n; i++) {
		const struct tensor *x = m->forward->inputs.v[i];

		if (needed[x->id])
			add_constant(t, x, parts[x->id] && !t->most ? 0 : staged_bytes(t, x));
	}
}

/* ---- the first walk ---- */

/* By tensor id: does the loss depend on it, or a result of a body? */
static bool *
find_needed(const struct tape *t, struct arena *a, const struct graph *g)
{
	bool *needed = arena_array(a, (size_t)t->module->next_tensor + 1, sizeof(*needed));
	int i;

	if (g->loss)
		needed[g->loss->id] = true;
	for (i = 0; i < g->results.n && !g->loss; i++)
		needed[g->results.v[i].tensor->id] = true;
	needed_mark(g->nodes.v, g->nodes.n, needed, NULL);
	return needed;
}

/* What layers hold of their own, once, however often each is applied: then its statistics are what
 * its last application left. */
static void
count_layers(struct tape *t)
{
	const struct graph *g = t->module->forward;
	int i, k;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];
		bool first = n->op->torch.layer_bytes != NULL;

		for (k = 0; k < n->nin; k++)
			first &= !n->in[k] || n->in[k]->kind != T_SAVED;
		if (first)
			t->layers_bytes += n->op->torch.layer_bytes(n);
	}
}

const struct node *
tape_layer(const struct node *n)
{
	const struct node *layer = n->part_of;

	return layer && layer->op->torch.whole && layer->op->torch.whole(layer) ? layer : NULL;
}

static void
record_node(struct tape *t, const struct node *n)
{
	struct node run = *n;
	int k;

	t->node = n;
	run.training = t->mode == TAPE_TRAINING;
	if (n->op->torch.calls)
		n->op->torch.calls(t, &run);
	else
		tape_plain(t, &run, TAPE_NONE);
	/* what a model returns for its loss has a name until the step ends; what is weighed was
	 * made for it */
	for (k = 0; n->op->kind == OP_LOSS && !(n->op->flags & OP_WEIGHS) && k < n->nin; k++)
		if (tape_value(t, n->in[k]) != TAPE_NONE)
			t->values.v[tape_value(t, n->in[k])].last = TAPE_ALWAYS;
}

static void
record(struct tape *t)
{
	const struct node *layer = NULL;	/* whose parts have been seen to */
	struct graph training = *t->graph;
	int i;

	training.training = t->mode == TAPE_TRAINING;
	for (i = 0; i < t->graph->nodes.n; i++) {
		const struct node *n = t->graph->nodes.v[i], *whole = tape_layer(n);
		const struct tensor *same = n->op->simplify.identity && !n->op->torch.copies ?
		    n->op->simplify.identity(&training, n) : NULL;

		if (!needed_of(n, t->needed) || (whole && whole == layer))
			continue;
		layer = whole;
		if (whole)
			record_node(t, whole);
		else if (same)
			t->of_tensor[n->out[0]->id] = tape_value(t, same);
		else
			record_node(t, n);
	}
}

void
tape_body(struct tape *t, const struct graph *body)
{
	const struct graph *graph = t->graph;
	const struct node *node = t->node;
	const bool *needed = t->needed;
	struct arena *scratch = arena_child(t->arena);	/* a loop records its body many times */

	t->graph = body;
	t->needed = find_needed(t, scratch, body);
	record(t);
	t->graph = graph;
	t->needed = needed;
	t->node = node;
	arena_free(scratch);
}

/* ---- what no gradient reaches ---- */

/* An autograd node lives as long as a variable of its output, and as a node that was made of it:
 * those to which the loss leads until backward, the others, as of what an argmax is of, until the
 * last of these is dropped. */
static void
bury(struct tape *t)
{
	int *until = arena_array(t->arena, (size_t)t->values.n + 1, sizeof(*until)), i, k;

	for (i = 0; i < t->values.n; i++)
		until[i] = t->values.v[i].last;
	for (i = t->calls.n - 1; i >= 0; i--) {
		struct tape_call *c = &t->calls.v[i];

		c->until = until[c->out];
		c->buries = c->next = TAPE_NONE;
		for (k = 0; c->records && k < c->nin; k++)
			if (c->in[k] != TAPE_NONE && until[c->in[k]] < c->until)
				until[c->in[k]] = c->until;
	}
	for (i = 0; i < t->calls.n; i++) {
		struct tape_call *c = &t->calls.v[i];

		if (!c->records || c->until == TAPE_ALWAYS)
			continue;
		c->next = t->calls.v[c->until].buries;
		t->calls.v[c->until].buries = i;
	}
}

/* A parameter of which only a comparison is read, say, gets no gradient. It is the same in
 * evaluation, where nothing is recorded. */
static void
reach(struct tape *t)
{
	int i, k;

	t->values.v[t->loss].reached = true;
	for (i = t->calls.n - 1; i >= 0; i--) {
		const struct tape_call *c = &t->calls.v[i];

		if (!t->values.v[c->out].reached || c->stops || c->node->op->flags & OP_STOPS)
			continue;
		for (k = 0; k < c->nin; k++)
			if (c->in[k] != TAPE_NONE)
				t->values.v[c->in[k]].reached = true;
	}
}

/* ---- the second walk ---- */

/* May call I write its output over its first input, and would autograd let it? */
static bool
may_run_in_place(const struct tape *t, const struct tape_call *c, int i)
{
	const struct tape_value *x = &t->values.v[c->in[0]];
	const struct tape_storage *s = &t->storages.v[x->storage];

	return !s->constant && !s->saved && !x->view && s->last <= i && x->bytes == c->bytes;
}

bool
tape_keeps(const struct tape *t, const struct tape_call *c, int k)
{
	if (!c->records || k >= TAPE_BITS || !(c->saves >> k & 1) || c->in[k] == TAPE_NONE)
		return false;
	return !c->crosswise || k > 1 || c->nin < 2 || t->values.v[c->in[1 - k]].wants;
}

static void
place(struct tape *t, const struct tape_call *c, int i)
{
	struct tape_value *y = &t->values.v[c->out];
	const struct tape_value *x = c->nin ? &t->values.v[c->in[0]] : NULL;
	struct tape_storage *s;
	int k;

	/* a view of what has gaps, under another shape, is a copy */
	y->view = c->output == TORCH_VIEW && (c->viewable || c->strided || !x->strided);
	if (y->view || (c->output == TORCH_OVER && may_run_in_place(t, c, i))) {
		y->storage = x->storage;
	} else {
		struct tape_storage made = { .bytes = c->room > y->bytes ? c->room :
		    y->bytes, .node = c->node,
			.kind = y->tensor && y->tensor->kind == T_SCALAR ? T_SCALAR :
			T_ACTIVATION };

		y->storage = t->storages.n;
		vec_push_moving(t->arena, &t->storages, made);
	}
	s = &t->storages.v[y->storage];
	s->last = y->last > s->last ? y->last : s->last;
	s->saved |= c->records && c->saves & SAVES_OUT(0);
	for (k = 0; k < c->nin; k++)
		if (tape_keeps(t, c, k))
			t->storages.v[t->values.v[c->in[k]].storage].saved = true;
}

struct tape *
tape_make(const struct module *m, const struct tape_run *run)
{
	struct tape *t = ARENA_NEW(m->arena, struct tape);
	int i;

	t->arena = m->arena;
	t->module = m;
	t->batch = run->batch;
	t->mode = run->mode;
	t->relu_keeps = run->relu_keeps;
	t->tensorflow = run->tensorflow;
	t->most = run->most;
	t->of_tensor = arena_array(t->arena, (size_t)m->next_tensor + 1, sizeof(*t->of_tensor));
	for (i = 0; i < m->next_tensor; i++)
		t->of_tensor[i] = TAPE_NONE;
	t->graph = m->forward;
	t->needed = find_needed(t, t->arena, m->forward);
	add_constants(t, t->needed);
	count_layers(t);
	record(t);
	t->loss = tape_value(t, m->forward->loss);
	t->values.v[t->loss].last = TAPE_ALWAYS;
	bury(t);
	reach(t);
	for (i = 0; i < t->calls.n; i++)
		place(t, &t->calls.v[i], i);
	return t;
}
