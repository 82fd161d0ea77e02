/*
 * lifetimes: finds the buffers, their sizes and lifetimes; and the lower bound that follows, the
 * largest sum of live bytes.
 *
 * Reads: the graphs after in-place. Writes: module->plan, without offsets. Tensors that alias share
 * one buffer: that of their root. Time runs over all graphs, one after the other (see plan.h).
 */
#include "plan/plan.h"

#include <string.h>

#include "target/target.h"
#include "ir/op.h"
#include "ir/pass.h"

struct scan {
	struct module *m;
	struct plan *p;
};

static int64_t
batch_of(const struct plan *p, const struct graph *g)
{
	return g == g->module->validate ? p->validate_batch : p->batch;
}

static struct buffer *
touch(struct scan *s, const struct tensor *t, int64_t batch, int instant)
{
	const struct tensor *root = tensor_root(t);
	struct buffer b = { .root = root }, *old = plan_buffer_of(s->p, root->id);

	if (old) {
		if (!old->persistent && instant > old->last)
			old->last = instant;
		return old;
	}
	b.persistent = tensor_persistent(root);
	b.bytes = affine_at(tensor_bytes(root), batch);
	b.first = b.persistent ? 0 : instant;
	b.last = b.persistent ? s->p->instants - 1 : instant;
	vec_push(s->m->arena, &s->p->buffers, b);
	s->p->of_tensor[root->id] = s->p->buffers.n;
	return &s->p->buffers.v[s->p->buffers.n - 1];
}

/* Persistent tensors and the others are visited apart: buffers of the former come first. */
static void
visit(struct scan *s, const struct tensor *t, int64_t batch, int instant, bool persistent)
{
	if (t && tensor_persistent(t) == persistent)
		touch(s, t, batch, instant);
}

static void
scan_node(struct scan *s, const struct node *n, int64_t batch, int instant, bool persistent)
{
	int j;

	for (j = 0; j < n->nin; j++)
		visit(s, n->in[j], batch, instant, persistent);
	for (j = 0; j < n->nout; j++)
		visit(s, n->out[j], batch, instant, persistent);
	visit(s, n->work, batch, instant, persistent);
}

/* The next batch of an input arrives at any time of the graph; of train's, of update's too. */
static void
touch_landing(struct scan *s, const struct graph *g, const struct tensor *t, int start)
{
	int end = start + g->nodes.n - 1;

	if (g == s->m->train && s->m->update)
		end += s->m->update->nodes.n;
	touch(s, t, batch_of(s->p, g), start);
	touch(s, t, batch_of(s->p, g), end);
}

static void
scan_graph(struct scan *s, const struct graph *g, int start, bool persistent)
{
	int64_t batch = batch_of(s->p, g);
	int i, end = start + g->nodes.n - 1;

	for (i = 0; i < g->inputs.n && !persistent; i++) {
		touch(s, g->inputs.v[i], batch, start);
		if (tensor_landing(g->inputs.v[i]))
			touch_landing(s, g, tensor_landing(g->inputs.v[i]), start);
	}
	for (i = 0; i < g->nodes.n; i++)
		scan_node(s, g->nodes.v[i], batch, start + i, persistent);
	for (i = 0; i < g->results.n && !persistent; i++)
		if (!g->results.v[i].predicted)
			touch(s, g->results.v[i].tensor, batch, end);
	if (g->loss && !persistent)
		touch(s, g->loss, batch, end);
}

static int64_t
aligned(const struct plan *p, int64_t bytes)
{
	int64_t r;

	if (__builtin_add_overflow(bytes, p->alignment - 1, &r))
		return INT64_MAX;
	return r & ~(int64_t)(p->alignment - 1);
}

/* As many buffers as the graphs can have: there are a million of a deep network, so they get no
 * more room than they need. */
static int
count_roots(const struct module *m, const struct graph *const *graph, int graphs)
{
	int i, j, k, n = m->persistent.n;

	for (i = 0; i < graphs; i++) {
		n += graph[i] ? 2 * graph[i]->inputs.n : 0;
		for (j = 0; graph[i] && j < graph[i]->nodes.n; j++) {
			const struct node *node = graph[i]->nodes.v[j];

			n += node->work != NULL;
			for (k = 0; k < node->nout; k++)
				n += node->out[k] && !node->out[k]->alias_of;
		}
	}
	return n;
}

/* Live bytes at each instant, by adding at birth and subtracting after death. */
static void
count_live(struct plan *p, struct arena *parent)
{
	struct arena *a = arena_child(parent);
	int64_t *change = arena_array(a, (size_t)p->instants + 2, sizeof(*change)), live = 0;
	int i;

	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *b = &p->buffers.v[i];
		int64_t bytes = aligned(p, b->bytes);

		change[b->first] += bytes;
		change[b->last + 1] -= bytes;
	}
	for (i = 0; i < p->instants; i++) {
		live += change[i];
		p->at[i].live = live;
		if (live > p->at[p->peak].live)
			p->peak = i;
	}
	p->lower_bound_bytes = p->instants ? p->at[p->peak].live : 0;
	arena_free(a);
}

/* A sum of buffers that passes 2^62 could overflow what follows; such a plan is refused. */
static bool
sizes_fit(struct module *m, const struct plan *p)
{
	int64_t total = 0;
	int i;

	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *b = &p->buffers.v[i];

		if (b->bytes > LARGEST_BYTES ||
		    __builtin_add_overflow(total, aligned(p, b->bytes), &total) ||
		    total > LARGEST_BYTES) {
			struct diag *g = diag_error(m->diags, "shape", b->root->loc,
			    "'%s' brings the network above 2^60 bytes at batch %lld", b->root->name,
			    (long long)p->batch);

			diag_help(m->diags, g, "no device has that much memory: check the extents "
			    "and the batch");
			return false;
		}
	}
	return true;
}

static int64_t
added(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t
plan_traffic(const struct node *n, int64_t batch)
{
	return affine_at(n->op->traffic ? n->op->traffic(n) : op_bytes(n), batch);
}

static void
count_work(struct plan *p, const struct graph *g)
{
	int i;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];
		int64_t macs = n->op->macs ? affine_at(n->op->macs(n), g->batch) : 0;

		if (!n->again) {
			p->step_macs = added(p->step_macs, macs);
			continue;
		}
		if (op_is_view(n->op))
			continue;
		p->recomputed.nodes++;
		p->recomputed.macs = added(p->recomputed.macs, macs);
		p->recomputed.traffic = added(p->recomputed.traffic, plan_traffic(n, g->batch));
	}
}

struct plan *
plan_lifetimes(struct module *m, const struct target *target, int threads)
{
	const struct graph *const graph[] = { m->train, m->update, m->validate };
	struct plan *p = ARENA_NEW(m->arena, struct plan);
	struct scan s = { m, p };
	int i, j, at = 0, persistent;

	p->target = target;
	p->alignment = target->alignment;
	p->threads = threads;
	p->batch = m->train ? m->train->batch : 0;
	p->validate_batch = m->validate ? m->validate->batch : 0;
	for (i = 0; i < 3; i++)
		p->instants += graph[i] ? graph[i]->nodes.n : 0;
	p->at = arena_array(m->arena, (size_t)p->instants + 1, sizeof(*p->at));
	p->ntensors = m->next_tensor;
	p->of_tensor = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*p->of_tensor));
	p->buffers.cap = count_roots(m, graph, 3) + 1;
	p->buffers.v = arena_array(m->arena, (size_t)p->buffers.cap, sizeof(*p->buffers.v));
	for (persistent = 1; persistent >= 0; persistent--)	/* persistent buffers first */
		for (i = 0, at = 0; i < 3; i++) {
			if (!graph[i])
				continue;
			for (j = 0; j < graph[i]->nodes.n; j++)
				p->at[at + j] = (struct instant){ .node = graph[i]->nodes.v[j],
					.graph = graph[i] };
			if (graph[i]->nodes.n)
				scan_graph(&s, graph[i], at, persistent);
			at += graph[i]->nodes.n;
		}
	plan_slots(m, p);
	if (!sizes_fit(m, p))
		return NULL;
	count_live(p, m->arena);
	if (m->train)
		count_work(p, m->train);
	return p;
}

struct affine
plan_buffer_size(const struct buffer *b)
{
	struct affine size = tensor_bytes(b->root);
	int places = b->places ? b->places : 1;

	return (struct affine){ size.fixed * places, size.per_sample * places };
}

struct buffer *
plan_buffer_of(const struct plan *p, int id)
{
	int at = id < p->ntensors ? p->of_tensor[id] : 0;

	return at ? &p->buffers.v[at - 1] : NULL;
}

struct buffer *
plan_buffer(const struct plan *p, const struct tensor *t)
{
	return plan_buffer_of(p, tensor_root(t)->id);
}

bool
plan_touches(const struct plan *p, const struct node *n, int k, struct touch *touch)
{
	const struct tensor *t;

	if (k > n->nin + n->nout)
		return false;
	t = k < n->nin ? n->in[k] : k < n->nin + n->nout ? n->out[k - n->nin] : n->work;
	*touch = (struct touch){ t ? plan_buffer(p, t) : NULL, k >= n->nin };
	return true;
}

int64_t
plan_offset(const struct plan *p, const struct tensor *t)
{
	const struct buffer *b = plan_buffer(p, t);

	return b ? b->offset : -1;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	m->plan = plan_lifetimes(m, o->target, o->threads);
	return m->plan != NULL;
}

const struct pass pass_lifetimes = {
	.name = "lifetimes",
	.doc = "find the buffers and when each is alive",
	.in_bodies = true,
	.run = run,
};
