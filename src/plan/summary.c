/* Figures of a plan: parameters and multiply-adds by layer, bytes by kind, the peak by line. */
#include "plan/summary.h"

#include <stdlib.h>
#include <string.h>

#include "ir/needed.h"
#include "ir/op.h"

const char *
plan_kind_heading(enum tensor_kind k)
{
	static const char *const heading[TENSOR_KINDS] = {
		[T_INPUT] = "inputs, staged",
		[T_TARGET] = "targets, staged",
		[T_PARAM] = "parameters",
		[T_GATHERED] = "gathered parameters",
		[T_STATISTIC] = "running statistics",
		[T_TABLE] = "tables",
		[T_OPTIMIZER] = "optimizer state",
		[T_GRADIENT] = "parameter gradients",
		[T_ACTIVATION] = "activations",
		[T_SAVED] = "saved for backward",
		[T_DELTA] = "activation gradients",
		[T_SCALAR] = "losses and metrics",
		[T_WORKSPACE] = "workspaces",
		[T_POISON] = "poison",
	};

	return heading[k];
}

const char *
plan_phase_name(const struct instant *at)
{
	static const char *const name[] = {
		[PHASE_FORWARD] = "forward", [PHASE_BACKWARD] = "backward",
		[PHASE_UPDATE] = "update",
	};
	const struct module *m = at->graph->module;

	if (at->graph == m->validate)
		return m->train ? "validate" : "inference";
	return at->graph == m->update ? "update" : name[at->node->phase];
}

/* The tensors that training makes: all but what --predict alone writes. NULL: nothing is
 * trained. */
static bool *
made_in_training(const struct module *m, struct arena *a)
{
	const struct graph *g = m->forward;
	bool *made;
	int i;

	if (!m->train)
		return NULL;
	made = arena_array(a, (size_t)m->next_tensor + 1, sizeof(*made));
	for (i = 0; i < g->results.n; i++)
		if (!g->results.v[i].predicted)
			made[g->results.v[i].tensor->id] = true;
	needed_mark(g->nodes.v, g->nodes.n, made, NULL);
	return made;
}

/* What the graph of the spec costs; each shared parameter counts where it is first used. */
static void
count_layers(const struct module *m, struct plan_summary *s)
{
	struct arena *scratch = arena_child(m->arena);
	bool *seen = arena_array(scratch, (size_t)m->next_tensor + 1, sizeof(*seen)), *made = made_in_training(m, scratch);
	int i, j;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		struct layer_cost c = { .node = n };

		for (j = 0; j < n->nin; j++) {
			const struct tensor *t = n->in[j];

			if (!t || t->kind != T_PARAM || seen[t->id])
				continue;
			seen[t->id] = true;
			c.parameters += tensor_elements_per_sample(t);
			if (t->frozen)
				s->frozen += tensor_elements_per_sample(t);
		}
		if (n->op->macs && (!made || needed_of(n, made)))
			c.macs = n->op->macs(n);
		s->parameters += c.parameters;
		s->macs = affine_sum(s->macs, c.macs);
		if (n->nout && n->out[0] && (n->op->kind != OP_LOSS || c.parameters) && n->op->kind != OP_METRIC)
			vec_push_moving(m->arena, &s->layers, c);
	}
	arena_free(scratch);
}

struct by_line {
	const struct buffer *buffer;
	int line;
};

static const char *
path_of(const struct buffer *b)
{
	return b->root->loc.src ? b->root->loc.src->path : "";
}

static int
compare_place(const void *a, const void *b)
{
	const struct by_line *x = a, *y = b;

	int c = strcmp(path_of(x->buffer), path_of(y->buffer));

	if (c)
		return c;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

static int
compare_bytes(const void *a, const void *b)
{
	const struct line_bytes *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x->loc.beg < y->loc.beg ? -1 : x->loc.beg > y->loc.beg;
}

/* What bytes are counted by: the line of a spec; in a model, the words that say a node. */
static int
line_of(struct loc l)
{
	const struct origin *o = loc_origin(l);

	return o ? (int)(o - l.src->origins->v) : loc_has_line(l) ? loc_line(l) : -1;
}

static bool
alive(const struct buffer *b, int instant)
{
	return b->first <= instant && instant <= b->last;
}

static void
count_lines(const struct module *m, struct plan_summary *s)
{
	const struct plan *p = m->plan;
	struct arena *scratch = arena_child(m->arena);
	struct by_line *held = arena_array(scratch, (size_t)p->buffers.n + 1, sizeof(*held));
	struct line_bytes *l;
	int i, n = 0;

	for (i = 0; i < p->buffers.n; i++)
		if (!p->buffers.v[i].persistent && alive(&p->buffers.v[i], p->peak))
			held[n++] = (struct by_line){ &p->buffers.v[i],
			    line_of(p->buffers.v[i].root->loc) };
	qsort(held, (size_t)n, sizeof(*held), compare_place);
	for (i = 0; i < n; i++) {
		const struct buffer *b = held[i].buffer;

		if (i == 0 || held[i].line != held[i - 1].line ||
		    b->root->loc.src != held[i - 1].buffer->root->loc.src)
			vec_push_moving(m->arena, &s->lines, ((struct line_bytes){ b->root->loc, b, 0, 0 }));
		l = &s->lines.v[s->lines.n - 1];
		l->buffers++;
		l->bytes += b->bytes;
		if (b->bytes > l->largest->bytes) {
			l->largest = b;
			l->loc = b->root->loc;
		}
	}
	if (s->lines.n > 0)
		qsort(s->lines.v, (size_t)s->lines.n, sizeof(*s->lines.v), compare_bytes);
	arena_free(scratch);
}

/* Does backward go on while the sum is on its way? */
static bool
is_beside_backward(const struct plan *p, const struct plan_sum *s)
{
	int i;

	for (i = s->begin; i < s->wait; i++)
		if (p->at[i].node->phase == PHASE_BACKWARD)
			return true;
	return false;
}

static void
count_traffic(const struct module *m, struct plan_summary *s)
{
	const struct plan *p = m->plan;
	int i;

	for (i = 0; i < p->sums.n; i++) {
		const struct plan_sum *sum = &p->sums.v[i];
		int64_t times = plan_times(m, sum), bytes = times * sum->gradients;

		if (sum->between == BETWEEN_GATHER) {
			s->gathered += bytes;
			continue;
		}
		if (sum->first->def->phase != PHASE_UPDATE) {	/* of batch normalisation; what is summed there is no gradient */
			s->statistics += bytes;
			continue;
		}
		s->reduced += bytes;
		s->meanwhile += is_beside_backward(p, sum) ? bytes : 0;
		s->reductions += (int)times;
	}
	for (i = 0; i < m->persistent.n; i++) {
		const struct tensor *t = m->persistent.v[i];

		int64_t bytes = tensor_elements_per_sample(tensor_whole(t)) * dtype_bytes(t->dtype);

		if (t->shared && t->kind == T_OPTIMIZER)
			s->whole_state += bytes;
		if (t->shared && t->kind == T_PARAM)
			s->whole_weights += bytes;
	}
	s->split = plan_split_bytes(m);
	s->sent = plan_sent(m, p);
}

struct plan_summary *
plan_summarise(const struct module *m)
{
	struct plan_summary *s = ARENA_NEW(m->arena, struct plan_summary);
	const struct plan *p = m->plan;
	int i;

	count_layers(m, s);
	count_lines(m, s);
	count_traffic(m, s);
	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *b = &p->buffers.v[i];

		if (b->persistent)
			s->persistent[b->root->kind] += b->bytes;
		else if (alive(b, p->peak))
			s->at_peak[b->root->kind] += b->bytes;
	}
	return s;
}
