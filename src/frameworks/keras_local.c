/*
 * Keras's locally-connected layers. All numbers are read from the network's own tensors: N and F
 * from the output, HWC from the input, K from the weight, S from the optimizer's node.
 */
#include "frameworks/keras_local.h"

#include <string.h>

#include "frameworks/bfc.h"
#include "ir/op.h"
#include "plan/plan.h"

/* What TensorFlow 1.4 and Keras 2.1.2 held beside the network: scratch of two streams; scalars of
 * the optimizer, of the loss and of the step, no more than 256 B each. */
#define SCRATCH_BYTES	1028
#define SCRATCHES	2
#define SCALARS		16

/* The operator whose costs these are. */
#define LOCAL	"local"

static int64_t
times(int64_t a, int64_t b)
{
	int64_t r;

	return __builtin_mul_overflow(a, b, &r) ? INT64_MAX : r;
}

static struct affine
per_sample(int64_t bytes)
{
	return (struct affine){ 0, bytes };
}

static struct affine
fixed(int64_t bytes)
{
	return (struct affine){ bytes, 0 };
}

/* Optimizer slots of a parameter. */
static int
slots_of(const struct module *m, const struct tensor *param)
{
	int i, n = 0;

	for (i = 0; i < m->persistent.n; i++)
		n += m->persistent.v[i]->kind == T_OPTIMIZER &&
		    m->persistent.v[i]->gradient_of == param;
	return n;
}

/* The backward node of N that makes the gradient of its input, and what it costs here. */
static void
find_backward(const struct module *m, const struct node *n, struct keras_local *k)
{
	int i, j;

	for (i = 0; i < m->train->nodes.n; i++) {
		const struct node *b = m->train->nodes.v[i];

		if (b->forward != n)
			continue;
		for (j = 0; j < b->nout; j++)
			if (b->out[j] && b->out[j]->kind == T_DELTA &&
			    b->out[j]->gradient_of == n->in[0]) {
				k->backward = b;
				k->ours_backward = affine_sum(k->ours_backward,
				    tensor_bytes(b->out[j]));
			}
		if (k->backward == b && b->work)
			k->ours_backward = affine_sum(k->ours_backward, tensor_bytes(b->work));
	}
}

bool
keras_local(const struct module *m, const struct node *n, struct keras_local *k)
{
	int64_t whole, wide, mask, e, nnz, outputs;

	memset(k, 0, sizeof(*k));
	if (strcmp(n->op->name, LOCAL) != 0 || n->phase != PHASE_FORWARD || n->nin < 2 ||
	    !n->in[0] || !n->in[1] || !n->out[0] || n->out[0]->rank != 3 || n->in[0]->rank != 3)
		return false;
	k->forward = n;
	e = dtype_bytes(n->in[0]->dtype);
	whole = tensor_elements_per_sample(n->in[0]);
	outputs = tensor_elements_per_sample(n->out[0]);
	k->filters = n->out[0]->dim[0];
	k->positions = outputs / k->filters;
	nnz = tensor_elements_per_sample(n->in[1]);
	k->field = nnz / outputs;
	k->slots = slots_of(m, n->in[1]);
	k->input = per_sample(times(e, whole));
	k->slice = per_sample(times(e, k->field));
	k->slices_forward = per_sample(times(2 * e, times(k->positions, k->field + k->filters)));
	find_backward(m, n, k);
	if (k->backward)
		k->slices_backward = per_sample(times(k->positions, times(e, whole)));
	wide = times(e, times(whole, outputs));
	mask = times(e, times(whole / n->in[0]->dim[0], k->positions));
	k->masked = affine_sum(fixed(times(wide, 4 + k->slots)), fixed(mask));
	k->masked_forward = affine_sum(fixed(times(wide, 2 + k->slots)), fixed(mask));
	k->sparse = (struct affine){ times(nnz, 16 + e * (2 + k->slots)), times(3 * e, nnz) };
	k->ours_forward = tensor_bytes(n->out[0]);
	return true;
}

static bool
ask_bytes(struct bfc *b, int64_t bytes)
{
	return bytes == 0 || bfc_alloc(b, bytes) >= 0;
}

static bool
ask(struct bfc *b, const struct tensor *t, int64_t batch)
{
	return ask_bytes(b, affine_at(tensor_bytes(t), batch));
}

static bool
makes(const struct node *n, const struct tensor *root)
{
	int i;

	for (i = 0; i < n->nout; i++)
		if (n->out[i] && tensor_root(n->out[i]) == root)
			return true;
	return n->work == root;
}

/* N slices of the input, put side by side; *ALL is the block of these. KEPT: others read the input
 * later. */
static bool
slice_input(struct bfc *b, const struct keras_local *k, int64_t batch, bool kept, int *all)
{
	int64_t bytes = affine_at(k->slice, batch);
	int input = kept ? -1 : bfc_alloc(b, affine_at(k->input, batch));
	struct bfc_run slices;

	if ((!kept && input < 0) || !bfc_alloc_run(b, bytes, k->positions, &slices))
		return false;
	if (!kept)
		bfc_free(b, input);
	if ((*all = bfc_alloc(b, times(k->positions, bytes))) < 0)
		return false;
	bfc_free_run(b, &slices);
	return true;
}

/* The layer's own steps, as the header has them. */
static bool
unrolls(struct bfc *b, const struct keras_local *k, int64_t batch, bool kept)
{
	int all;

	if (!slice_input(b, k, batch, kept, &all) ||
	    bfc_alloc(b, times(k->positions, affine_at(k->slice, batch))) < 0 || !ask(b, k->forward->in[1], batch))
		return false;
	bfc_free(b, all);
	return bfc_alloc_many(b, affine_at(k->input, batch), k->positions) == k->positions;
}

/* What the plan holds alive where the layer needs most. */
struct held {
	VEC(struct affine) bytes;
	struct affine all;
	bool input;	/* others read the layer's input later */
};

static void
hold(struct held *h, struct arena *a, const struct buffer *u)
{
	struct affine bytes = tensor_bytes(u->root);

	vec_push(a, &h->bytes, bytes);
	h->all = affine_sum(h->all, bytes);
}

static struct held
held_beside(struct arena *a, const struct plan *p, const struct keras_local *k)
{
	const struct node *peak = k->backward ? k->backward : k->forward;
	const struct tensor *input = tensor_root(k->forward->in[0]);
	struct held h = { .input = !k->backward };
	int i, at = 0;

	for (i = 0; i < p->buffers.n; i++)
		if (p->buffers.v[i].persistent && p->buffers.v[i].root->kind != T_GRADIENT)
			hold(&h, a, &p->buffers.v[i]);
	while (at < p->instants - 1 && p->at[at].node != peak)
		at++;
	for (i = 0; i < p->buffers.n; i++)
		h.input |= p->buffers.v[i].root == input && p->buffers.v[i].last > at;
	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *u = &p->buffers.v[i];

		if (!u->persistent && u->first <= at && at <= u->last && !makes(peak, u->root) &&
		    (h.input || u->root != input))
			hold(&h, a, u);
	}
	return h;
}

/* First all that is beside the layer, then its own. */
static bool
replays(struct bfc *b, const struct keras_local *k, const struct held *h, int64_t batch)
{
	int i;

	for (i = 0; i < h->bytes.n; i++)
		if (!ask_bytes(b, affine_at(h->bytes.v[i], batch)))
			return false;
	if (!k->backward)
		return bfc_alloc(b, affine_at(k->slices_forward, batch)) >= 0;
	return unrolls(b, k, batch, h->input);
}

/* What lies there at the end, without holes, tells of most batches that are too large. */
static bool
fits(struct arena *parent, const struct keras_local *k, const struct held *h, int64_t batch, int64_t pool)
{
	int64_t own = k->backward ? times(k->positions, affine_at(k->input, batch)) : affine_at(k->slices_forward, batch);
	struct arena *a;
	struct bfc b;
	bool there;

	if (own > pool || affine_at(h->all, batch) > pool - own)
		return false;
	a = arena_child(parent);
	bfc_init(&b, a, pool);
	there = replays(&b, k, h, batch);
	arena_free(a);
	return there;
}

int64_t
keras_local_replay(const struct module *m, const struct keras_local *k, int64_t batch,
    int64_t pool, struct bfc *b)
{
	const struct graph *g = m->train;
	int i;

	bfc_init(b, m->arena, pool);
	bfc_alloc_many(b, 4, SCALARS);
	bfc_alloc_many(b, SCRATCH_BYTES, SCRATCHES);
	for (i = 0; i < m->persistent.n; i++) {
		enum tensor_kind kind = m->persistent.v[i]->kind;

		if ((kind == T_PARAM || kind == T_OPTIMIZER) && !ask(b, m->persistent.v[i], batch))
			return 0;
	}
	for (i = 0; i < g->inputs.n; i++)
		if (!ask(b, g->inputs.v[i], batch))
			return 0;
	if (!ask(b, k->forward->in[1], batch))	/* as large as its gradient */
		return 0;
	return bfc_alloc_many(b, affine_at(k->input, batch), k->positions);
}

int64_t
keras_local_largest(const struct module *m, const struct keras_local *k, int64_t most,
    int64_t pool)
{
	struct arena *a = arena_child(m->arena);
	struct held h = held_beside(a, m->plan, k);
	int64_t lo = 0, hi = most > 0 ? most - 1 : 0, mid;

	if (most > 0 && fits(a, k, &h, most, pool))
		lo = hi = most;
	while (lo < hi) {
		mid = lo + (hi - lo + 1) / 2;
		if (fits(a, k, &h, mid, pool))
			lo = mid;
		else
			hi = mid - 1;
	}
	arena_free(a);
	return lo;
}

int64_t
keras_local_unrolled(const struct module *m, int64_t batch, bool forward, bool masked)
{
	int64_t most = 0, bytes;
	struct keras_local k;
	int i;

	for (i = 0; m->train && i < m->train->nodes.n; i++) {
		if (!keras_local(m, m->train->nodes.v[i], &k))
			continue;
		if (masked)
			bytes = affine_at(forward ? k.masked_forward : k.masked, batch);
		else
			bytes = affine_at(forward ? k.slices_forward :
			    affine_sum(k.slices_forward, k.slices_backward), batch);
		if (__builtin_add_overflow(bytes, k.positions * BFC_GRAIN, &bytes))
			return INT64_MAX;	/* each slice may be rounded up */
		most = bytes > most ? bytes : most;
	}
	return most;
}
