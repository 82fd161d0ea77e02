/*
 * Sums made in place; see sums.h.
 *
 *     a = conv_grad_input(da, wa)                     a = conv_grad_input(da, wa)
 *     b = conv_grad_input(db, wb)           -->       s = conv_grad_input(db, wb, a) over a
 *     s = sum(a, b)
 *
 * b never exists. That requires that a has no reader but the sum when b is made: tensors that share
 * bytes form a class, known by its root, and of each class the two last nodes that read it are
 * known. The walk is in the order of execution, so that s may be the first operand of the next sum.
 */
#include "passes/sums.h"

#include "ir/op.h"

struct folding {
	struct graph *g;
	int *reads;		/* by the id of a tensor */
	int *place;		/* the node that defines it; -1: none */
	struct last_reads read;
};

int *
sums_reads(const struct graph *g, struct arena *a)
{
	int *reads = arena_array(a, (size_t)g->module->next_tensor + 1, sizeof(*reads));
	int i, j;

	for (i = 0; i < g->nodes.n; i++)
		for (j = 0; j < g->nodes.v[i]->nin; j++)
			if (g->nodes.v[i]->in[j])
				reads[g->nodes.v[i]->in[j]->id]++;
	for (i = 0; i < g->results.n; i++)
		reads[g->results.v[i].tensor->id]++;
	if (g->loss)
		reads[g->loss->id]++;
	return reads;
}

static void
note_read(struct last_reads *r, const struct tensor *t, int at)
{
	int root = tensor_root(t)->id;

	if (r->last[root] == at)
		return;
	r->before[root] = r->last[root];
	r->last[root] = at;
}

struct last_reads
sums_last_reads(const struct graph *g, struct arena *a)
{
	size_t all = (size_t)g->module->next_tensor + 1, k;
	struct last_reads r = { arena_array(a, all, sizeof(*r.last)), arena_array(a, all, sizeof(*r.before)) };
	int i, j;

	for (k = 0; k < all; k++)
		r.last[k] = r.before[k] = -1;
	for (i = 0; i < g->nodes.n; i++)
		for (j = 0; j < g->nodes.v[i]->nin; j++)
			if (g->nodes.v[i]->in[j])
				note_read(&r, g->nodes.v[i]->in[j], i);
	for (i = 0; i < g->results.n; i++)
		note_read(&r, g->results.v[i].tensor, g->nodes.n);
	return r;
}

static struct folding
survey(struct graph *g, struct arena *a)
{
	size_t all = (size_t)g->module->next_tensor + 1, k;
	struct folding f = { g, sums_reads(g, a), arena_array(a, all, sizeof(*f.place)), sums_last_reads(g, a) };
	int i, j;

	for (k = 0; k < all; k++)
		f.place[k] = -1;
	for (i = 0; i < g->nodes.n; i++)
		for (j = 0; j < g->nodes.v[i]->nout; j++)
			if (g->nodes.v[i]->out[j])
				f.place[g->nodes.v[i]->out[j]->id] = i;
	return f;
}

/* Can the node that makes B, where nothing else lies, add onto A? The sum is the AT-th node. */
static bool
can_add(const struct folding *f, const struct tensor *a, const struct tensor *b, int at)
{
	const struct node *n = b->def;
	const struct tensor *root = tensor_root(a);
	struct affine x = tensor_bytes(a), y = tensor_bytes(b);

	if (!n || !n->op->memory.onto || op_base(n) || n->out[0] != b || b->alias_of ||
	    f->reads[b->id] != 1)
		return false;
	if (x.fixed != y.fixed || x.per_sample != y.per_sample || a->dtype != b->dtype)
		return false;
	return root->def && f->read.last[root->id] == at && f->read.before[root->id] < f->place[b->id];
}

static bool
fold(struct folding *f, int at)
{
	struct node *sum = f->g->nodes.v[at];
	struct tensor *s = sum->out[0], *a = sum->in[0], *b = sum->in[1];
	struct node *n;
	int root, place;

	if (f->place[a->id] > f->place[b->id]) {
		a = sum->in[1];
		b = sum->in[0];
	}
	if (s->alias_of || !can_add(f, a, b, at))
		return false;
	n = b->def;
	place = f->place[b->id];
	n->out[0] = s;
	s->def = n;
	op_add_onto(f->g->module, n, a, 1, false);
	root = tensor_root(a)->id;
	f->place[s->id] = place;
	f->read.before[root] = f->read.before[s->id] >= 0 ? f->read.before[s->id] : place;
	f->read.last[root] = f->read.last[s->id] >= 0 ? f->read.last[s->id] : place;
	return true;
}

void
sums_fold(struct graph *g, enum tensor_kind kind)
{
	struct arena *scratch = arena_child(g->module->arena);
	struct folding f = survey(g, scratch);
	const struct op *sum = op_find("grad_sum");
	int i, kept = 0;

	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i]->op == sum && g->nodes.v[i]->out[0]->kind == kind && fold(&f, i))
			g->nodes.v[i] = NULL;
	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i])
			g->nodes.v[kept++] = g->nodes.v[i];
	g->nodes.n = kept;
	arena_free(scratch);
}

int
sums_reader_after(const struct graph *g, const int *reads, const struct tensor *t, int i)
{
	int k;

	if (reads[t->id] != 1)
		return 0;
	for (i++; i < g->nodes.n; i++)
		for (k = 0; k < g->nodes.v[i]->nin; k++)
			if (g->nodes.v[i]->in[k] == t)
				return i;
	return 0;
}
