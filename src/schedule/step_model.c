/*
 * Making the arrays: nodes and values in the order of the graph, how each node is repeated, which
 * values must be kept whatever is chosen, and the room for a trial; and what all that costs at a
 * batch.
 */
#include "schedule/step.h"

#include <string.h>

#include "target/target.h"
#include "ir/op.h"
#include "ir/pass.h"

/* ---- making the model ---- */

static int
value_of(struct model *m, int *index, struct tensor *t)
{
	struct model_value *v;

	if (!t)
		return -1;
	if (index[t->id])
		return index[t->id] - 1;
	v = &m->value[m->nvalues++];
	index[t->id] = m->nvalues;
	v->tensor = t;
	v->def = -1;
	v->batched = t->batched;
	v->size = t->batched ? tensor_bytes(t).per_sample : tensor_bytes(t).fixed;
	v->persistent = tensor_persistent(t);
	v->root = tensor_root(t) == t ? (int)(v - m->value) : value_of(m, index, tensor_root(t));
	return (int)(v - m->value);
}

static void
list_values(struct model *m, int *index, struct tensor *const *t, int n, int *list)
{
	int i;

	for (i = 0; i < n; i++)
		list[i] = value_of(m, index, t[i]);
}

/* Losses, nodes that change persistent tensors, and nodes with side effects run once. */
static bool
may_repeat(const struct model *m, const struct model_node *n)
{
	const struct op *op = n->node->op;
	int j;

	if (n->node->phase != PHASE_FORWARD || n->nout == 0 || n->out[0] < 0 ||
	    (op->kind != OP_LAYER && op->kind != OP_INTERNAL) || (op->flags & OP_SIDE_EFFECT))
		return false;
	for (j = 0; j < n->nout; j++)
		if (n->out[j] >= 0 && m->value[n->out[j]].persistent &&
		    !(op->memory.optional_out >> j & 1))
			return false;
	return true;
}

static struct overwriting
overwriting(const struct op *op)
{
	return (struct overwriting){ op->memory.inplace, op->flags & OP_ELEMENTWISE };
}

static void
find_remake(struct model *m, int *index, struct model_node *n)
{
	struct tensor *in[MAX_RANK];
	struct remake *r = ARENA_NEW(m->arena, struct remake);
	int *list;

	r->op = n->node->op;
	r->in = n->in;
	r->nin = n->nin;
	if (r->op->gradient.again) {
		if (!(r->op = r->op->gradient.again(n->node, in, &r->nin)))
			return;
		r->in = list = arena_array(m->arena, (size_t)r->nin, sizeof(*list));
		list_values(m, index, in, r->nin, list);
	}
	r->over = overwriting(r->op);
	step_list_uses_again(m, n, r);
	n->again = r;
	n->repeatable = true;
}

static bool
any_persists(const struct model *m, const int *list, int n)
{
	int k;

	for (k = 0; k < n; k++)
		if (list[k] >= 0 && m->value[list[k]].persistent)
			return true;
	return false;
}

/* Values of inputs, then of outputs. */
static int *
list_operands(struct model *m, int *index, struct model_node *n)
{
	int *list = arena_alloc(m->arena, ((size_t)n->nin + (size_t)n->nout) * sizeof(int));

	list_values(m, index, n->node->in, n->nin, list);
	list_values(m, index, n->node->out, n->nout, list + n->nin);
	n->updates = any_persists(m, list + n->nin, n->nout);
	return list;
}

/* What follows from where the node stands; those before it have been noted. */
static void
note_place(struct model *m, int i)
{
	struct model_node *n = &m->node[i], *last = i > 0 ? n - 1 : NULL;
	int j;

	n->stage = !last ? 0 : last->stage + (!n->node->forward || n->node->forward != last->node->forward);
	for (j = 0; j < n->nout; j++)
		if (n->out[j] >= 0)
			m->value[n->out[j]].def = i;
	if (n->node->phase == PHASE_FORWARD)
		m->forward = i + 1;
}

static void
add_node(struct model *m, int *index, const struct node *n)
{
	struct model_node *made = &m->node[m->nnodes];

	made->node = n;
	made->nin = n->nin;
	made->nout = n->nout;
	made->in = list_operands(m, index, made);
	made->out = made->in + n->nin;
	made->over = overwriting(n->op);
	step_list_uses(m, made);
	made->again = m->once;
	note_place(m, m->nnodes++);
}

static void
fix_values(struct model *m)
{
	int i;

	for (i = 0; i < m->nvalues; i++) {
		struct model_value *v = &m->value[i];
		struct model_node *def = v->def >= 0 ? &m->node[v->def] : NULL;

		v->fixed = !def || v->def >= m->forward || !def->repeatable || def->out[0] != i;
	}
	for (i = 0; i < m->nresults; i++)
		m->value[m->value[m->result[i]].root].fixed = true;
	/* a view can be recomputed only from what it views; its state is that of its root */
	for (i = 0; i < m->nvalues; i++)
		if (m->value[i].fixed && m->value[i].def >= 0)
			m->value[m->value[i].root].fixed = true;
}

/* ---- what it costs ---- */

static int64_t
aligned(const struct pass_options *o, int64_t bytes)
{
	int64_t mask = o->target->alignment - 1;

	return bytes > INT64_MAX - mask ? INT64_MAX : (bytes + mask) & ~mask;
}

/* Is it a parameter of which ranks have but pieces there, or pieces of an average in its place? */
static bool
is_in_pieces(const struct model *m, const struct tensor *p)
{
	const struct module *of = m->g->module;

	return p->kind == T_PARAM && !p->shared && (module_shares_out(of, SHARD_PARAMETERS) ||
	    (module_averages_apart(of) && m->g == of->validate && tensor_gradient(p)));
}

/* Such parameters that the node reads: all of each is there then (passes/gather.c). */
static int64_t
gathered(const struct model *m, const struct node *n)
{
	int64_t bytes = 0;
	int i, k;

	if (module_shards(m->g->module) <= 1 || n->op->kind == OP_OPTIMIZER || op_is_view(n->op))
		return 0;
	for (i = 0; i < n->nin; i++) {
		const struct tensor *p = n->in[i] ? tensor_root(n->in[i]) : NULL;

		for (k = 0; k < i && p; k++)
			if (n->in[k] && tensor_root(n->in[k]) == p)
				p = NULL;
		if (p && is_in_pieces(m, p))
			bytes += aligned(m->options, affine_at(tensor_bytes(p), m->batch));
	}
	return bytes;
}

static int64_t
workspace(const struct model *m, const struct node *n)
{
	struct room room;

	if (!n->op->memory.workspace)
		return gathered(m, n);
	room = op_room(m->g->module, m->options->target, m->options->threads);
	if (m->g == m->g->module->train)
		room.batch = m->batch;
	return gathered(m, n) + aligned(m->options, affine_at(n->op->memory.workspace(n, &room), m->batch));
}

static int64_t
traffic_of(const struct model *m, const int *in, int nin, const struct model_node *n)
{
	struct affine sum = { 0, 0 };
	int i;

	if (op_is_view(n->node->op))
		return 0;
	for (i = 0; i < nin; i++)
		if (in[i] >= 0)
			sum = affine_sum(sum, (struct affine){ m->value[in[i]].bytes, 0 });
	if (n->nout && n->out[0] >= 0)
		sum = affine_sum(sum, (struct affine){ m->value[n->out[0]].bytes, 0 });
	return sum.fixed;
}

static void
price_remake(struct model *m, struct model_node *n)
{
	struct remake *r = n->again;
	struct tensor *in[64], **list = in;
	struct node copy = *n->node;
	int k;

	if (r->nin > (int)(sizeof(in) / sizeof(*in)))
		list = arena_array(m->arena, (size_t)r->nin, sizeof(*list));
	for (k = 0; k < r->nin; k++)
		list[k] = r->in[k] < 0 ? NULL : m->value[r->in[k]].tensor;
	copy.op = r->op;
	copy.in = list;
	copy.nin = r->nin;
	copy.nout = 1;
	r->work = workspace(m, &copy);
	r->macs = r->op->macs ? affine_at(r->op->macs(&copy), m->batch) : 0;
	r->traffic = traffic_of(m, r->in, r->nin, n);
}

/* Can bytes and multiply-adds be summed over any trial? Where not, nothing is planned anyway. */
static bool
sums_fit(const struct model *m)
{
	int64_t bytes = 0, macs = 0, most = LARGEST_BYTES / STEP_REPEATS;
	int i, k;

	for (i = 0; i < m->nnodes; i++) {
		const struct model_node *n = &m->node[i];

		if (n->work > most - bytes || n->again->work > most || n->again->macs > most - macs)
			return false;
		bytes += n->work;
		macs += n->again->macs;
		for (k = 0; k < n->nin + n->nout; k++) {
			int v = k < n->nin ? n->in[k] : n->out[k - n->nin];

			if (v >= 0 && m->value[v].bytes > most - bytes)
				return false;
			bytes += v >= 0 ? m->value[v].bytes : 0;
		}
	}
	return true;
}

static int64_t
at_batch(const struct model_value *v, int64_t batch)
{
	return affine_at(v->batched ? (struct affine){ 0, v->size } : (struct affine){ v->size, 0 }, batch);
}

bool
step_price(struct model *m, int64_t batch)
{
	int i;

	m->batch = batch;
	m->descents = NULL;
	m->of_order = (struct known_gain){ 0, 0 };
	for (i = 0; i < m->nvalues; i++)
		m->trial->bytes[i] = m->value[i].bytes = aligned(m->options, at_batch(&m->value[i], batch));
	for (i = 0; i < m->nnodes; i++) {
		m->node[i].work = workspace(m, m->node[i].node);
		if (m->node[i].repeatable)
			price_remake(m, &m->node[i]);
	}
	for (i = 0; i < m->forward; i++)	/* its events are there already */
		m->trial->event[i].work = m->node[i].work;
	return sums_fit(m);
}

/* ---- all ---- */

#define NEAR	24000	/* nodes of a step, whose arrays caches hold */

struct model *
step_model(struct arena *a, struct graph *g, const struct pass_options *o, int repeats)
{
	struct model *m = ARENA_NEW(a, struct model);
	struct arena *scratch = arena_child(a);
	int *index = arena_array(scratch, (size_t)g->module->next_tensor + 1, sizeof(*index));
	int i;

	m->arena = a;
	m->g = g;
	m->options = o;
	m->repeats = repeats;
	m->once = ARENA_NEW(a, struct remake);
	m->node = arena_array(a, (size_t)g->nodes.n + 1, sizeof(*m->node));
	m->value = arena_array(a, (size_t)g->module->next_tensor + 1, sizeof(*m->value));
	for (i = 0; i < g->inputs.n; i++)
		value_of(m, index, g->inputs.v[i]);
	for (i = 0; i < g->nodes.n; i++)
		add_node(m, index, g->nodes.v[i]);
	for (i = 0; i < m->nnodes; i++)
		if (may_repeat(m, &m->node[i]))
			find_remake(m, index, &m->node[i]);
	m->result = arena_array(a, (size_t)g->results.n + 2, sizeof(*m->result));
	for (i = 0; i < g->results.n; i++)
		m->result[m->nresults++] = value_of(m, index, g->results.v[i].tensor);
	if (g->loss)
		m->result[m->nresults++] = value_of(m, index, g->loss);
	arena_free(scratch);
	fix_values(m);
	m->heft = 1 + m->nnodes / NEAR;
	m->state = arena_array(a, (size_t)m->nvalues + 1, sizeof(*m->state));
	step_make_trial(m);
	step_keep_all(m);
	return step_price(m, g->batch) ? m : NULL;
}

/* Puts each node where it stands now. */
static void
move_nodes(struct model *m)
{
	struct arena *a = arena_child(m->arena);
	int *at = arena_array(a, (size_t)m->g->module->next_node + 1, sizeof(*at)), i;

	for (i = 0; i < m->nnodes; i++)
		at[m->node[i].node->id] = i;
	for (i = 0; i < m->nnodes; i++) {
		int from = at[m->g->nodes.v[i]->id];
		struct model_node other = m->node[i];

		m->node[i] = m->node[from];
		m->node[from] = other;
		at[other.node->id] = from;
	}
	arena_free(a);
}

void
step_reorder(struct model *m)
{
	int i;

	move_nodes(m);
	m->descents = NULL;
	m->of_order = (struct known_gain){ 0, 0 };
	m->forward = 0;
	for (i = 0; i < m->nnodes; i++)
		note_place(m, i);
	fix_values(m);
	step_start_trial(m);
	step_keep_all(m);
}

void
step_keep_all(struct model *m)
{
	int i, j;

	for (i = 0; i < m->nvalues; i++)
		m->state[i] = m->value[i].fixed ? KEEP : EACH;
	for (i = m->forward; i < m->nnodes; i++)
		for (j = 0; j < m->node[i].nin; j++)
			if (m->node[i].in[j] >= 0)
				m->state[m->value[m->node[i].in[j]].root] = KEEP;
}

/* What a node reads, writes and uses as workspace, at least: an output may lie on an input. LASTS
 * has what is there in any case; what can be made again counts only where the node uses it. */
static int64_t
needs(const struct model *m, const struct model_node *n, int64_t lasts)
{
	int64_t sum = n->work + lasts, in_place = 0;
	int k, j;

	for (k = 0; k < n->nin + n->nout; k++) {
		int v = k < n->nin ? n->in[k] : n->out[k - n->nin];
		int root = v < 0 ? -1 : m->value[v].root;
		bool counted = root < 0 || m->value[root].persistent || m->value[root].fixed;

		for (j = 0; j < k && !counted; j++) {
			int other = j < n->nin ? n->in[j] : n->out[j - n->nin];

			counted = other >= 0 && m->value[other].root == root;
		}
		if (!counted)
			sum += m->value[root].bytes;
	}
	if (n->node->op->memory.inplace && n->nout && n->out[0] >= 0)
		in_place = m->value[n->out[0]].bytes;
	return sum - in_place;
}

/* Adds the bytes of what cannot be made again, from where it is first used to where it is last. */
static void
add_lasting(const struct model *m, int64_t *lasts, int *first, int *last)
{
	int i, k;

	memset(first, -1, (size_t)m->nvalues * sizeof(*first));
	for (i = 0; i < m->nnodes; i++)
		for (k = 0; k < m->node[i].nin + m->node[i].nout; k++) {
			const struct model_node *n = &m->node[i];
			int v = k < n->nin ? n->in[k] : n->out[k - n->nin];
			int root = v < 0 ? -1 : m->value[v].root;

			if (root < 0)
				continue;
			if (first[root] < 0)
				first[root] = m->value[root].def < 0 ? 0 : i;
			last[root] = i;
		}
	for (i = 0; i < m->nvalues; i++)
		if (m->value[i].fixed && m->value[i].root == i && !m->value[i].persistent &&
		    first[i] >= 0) {
			lasts[first[i]] += m->value[i].bytes;
			lasts[last[i] + 1] -= m->value[i].bytes;
		}
	for (i = 0; i < m->nnodes; i++)
		lasts[i + 1] += lasts[i];
}

int64_t
step_least(const struct model *m)
{
	struct arena *scratch = arena_child(m->arena);
	size_t values = (size_t)m->nvalues + 1;
	int64_t *lasts = arena_array(scratch, (size_t)m->nnodes + 2, sizeof(*lasts));
	int64_t least = 0, bytes;
	int i;

	add_lasting(m, lasts, arena_array(scratch, values, sizeof(int)),
	    arena_array(scratch, values, sizeof(int)));
	for (i = 0; i < m->nnodes; i++)
		if ((bytes = needs(m, &m->node[i], lasts[i])) > least)
			least = bytes;
	arena_free(scratch);
	return least;
}
