/*
 * The training step as flat arrays, so that a choice of states can be tried in microseconds: the
 * search tries thousands.
 *
 * A trial has two halves. schedule() walks the nodes in order and, before a backward node that reads
 * a tensor which is not there, repeats the nodes that make it, inputs first. measure() finds who
 * overwrites whom and who is alive when, by the rules of passes/inplace.c and plan/lifetimes.c,
 * whose lower bound it must equal (tests/test_recompute.c holds it to that).
 */
#include "plan/recompute.h"

#include <string.h>

#include "emit/emit.h"
#include "ops/op.h"
#include "passes/pass.h"

#define MOST_REPEATS	8	/* times the step's own length; longer schedules are not tried */

/* ---- making the model ---- */

static int64_t
aligned(const struct pass_options *o, int64_t bytes)
{
	int64_t mask = o->target->alignment - 1;

	return bytes > INT64_MAX - mask ? INT64_MAX : (bytes + mask) & ~mask;
}

static int64_t
workspace(const struct model *m, const struct node *n)
{
	if (!n->op->workspace)
		return 0;
	return aligned(m->options, affine_at(n->op->workspace(n, m->options->target,
	    m->options->threads), m->g->batch));
}

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
	v->persistent = tensor_persistent(t);
	v->size = tensor_bytes(t);
	v->bytes = aligned(m->options, affine_at(tensor_bytes(t), m->g->batch));
	v->root = tensor_root(t) == t ? (int)(v - m->value) : value_of(m, index, tensor_root(t));
	return (int)(v - m->value);
}

static int *
values_of(struct model *m, int *index, struct tensor *const *t, int n)
{
	int *list = arena_array(m->arena, (size_t)n + 1, sizeof(*list)), i;

	for (i = 0; i < n; i++)
		list[i] = value_of(m, index, t[i]);
	return list;
}

static int64_t
traffic_of(const struct model *m, const int *in, int nin, const struct model_node *n)
{
	struct affine sum = { 0, 0 };
	int i;

	if (!n->node->op->emit)
		return 0;
	for (i = 0; i < nin; i++)
		if (in[i] >= 0)
			sum = affine_sum(sum, (struct affine){ m->value[in[i]].bytes, 0 });
	if (n->nout && n->out[0] >= 0)
		sum = affine_sum(sum, (struct affine){ m->value[n->out[0]].bytes, 0 });
	return sum.fixed;
}

/* Losses, and nodes that change what persists, run once; so does whatever has side effects. */
static bool
may_repeat(const struct model *m, const struct model_node *n)
{
	const struct op *op = n->node->op;
	int j;

	if (n->node->phase != PHASE_FORWARD || n->nout == 0 || n->out[0] < 0 ||
	    (op->kind != OP_LAYER && op->kind != OP_INTERNAL) || (op->flags & OP_SIDE_EFFECT))
		return false;
	for (j = 0; j < n->nout; j++)
		if (n->out[j] >= 0 && m->value[n->out[j]].persistent && !(op->optional_out >> j & 1))
			return false;
	return true;
}

static void
find_remake(struct model *m, int *index, struct model_node *n)
{
	struct tensor *in[MAX_RANK];
	struct remake *r = &n->again;
	struct node copy = *n->node;

	r->op = n->node->op;
	r->in = n->in;
	r->nin = n->nin;
	if (r->op->again) {
		if (!(r->op = r->op->again(n->node, in, &r->nin)))
			return;
		r->in = values_of(m, index, in, r->nin);
		copy.op = r->op;
		copy.in = in;
		copy.nin = r->nin;
	}
	copy.nout = 1;
	r->work = workspace(m, &copy);
	r->macs = r->op->macs ? affine_at(r->op->macs(&copy), m->g->batch) : 0;
	r->traffic = traffic_of(m, r->in, r->nin, n);
	n->repeatable = true;
}

static void
add_node(struct model *m, int *index, const struct node *n)
{
	struct model_node *made = &m->node[m->nnodes], *last = m->nnodes ? made - 1 : NULL;
	int j;

	made->node = n;
	made->nin = n->nin;
	made->nout = n->nout;
	made->in = values_of(m, index, n->in, n->nin);
	made->out = values_of(m, index, n->out, n->nout);
	made->work = workspace(m, n);
	made->stage = !last ? 0 : last->stage + (!n->forward || n->forward != last->node->forward);
	for (j = 0; j < n->nout; j++)
		if (made->out[j] >= 0)
			m->value[made->out[j]].def = m->nnodes;
	if (n->phase == PHASE_FORWARD)
		m->forward = m->nnodes + 1;
	m->nnodes++;
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
	/* a view can be made again only from what it views; its state is that of its root */
	for (i = 0; i < m->nvalues; i++)
		if (m->value[i].fixed && m->value[i].def >= 0)
			m->value[m->value[i].root].fixed = true;
}

static void
make_trial(struct model *m)
{
	struct trial *t = m->trial = ARENA_NEW(m->arena, struct trial);
	size_t operands = 0;
	int i;

	for (i = 0; i < m->nnodes; i++)
		operands += (size_t)(m->node[i].nin + m->node[i].nout) + MAX_RANK;
	t->most_events = MOST_REPEATS * m->nnodes;
	t->most_operands = (int)(operands < INT32_MAX / MOST_REPEATS ? MOST_REPEATS * operands :
	    INT32_MAX);
	t->most_values = MOST_REPEATS * m->nvalues;
	t->current = arena_array(m->arena, (size_t)m->nvalues + 1, sizeof(int));
	t->stamp = arena_array(m->arena, (size_t)m->nvalues + 1, sizeof(int));
	t->left = arena_array(m->arena, (size_t)m->nvalues + 1, sizeof(int));
	t->back = arena_array(m->arena, (size_t)m->nvalues + 1, sizeof(int));
	t->updated = arena_array(m->arena, (size_t)m->nvalues + 1, sizeof(bool));
	t->stack = arena_array(m->arena, (size_t)t->most_operands + 1, sizeof(int));
	t->event = arena_array(m->arena, (size_t)t->most_events + 1, sizeof(struct event));
	t->live = arena_array(m->arena, (size_t)t->most_events + 2, sizeof(int64_t));
	t->operand = arena_array(m->arena, (size_t)t->most_operands + 1, sizeof(int));
	t->origin = arena_array(m->arena, (size_t)t->most_values + 1, sizeof(int));
	t->root = arena_array(m->arena, (size_t)t->most_values + 1, sizeof(int));
	t->first = arena_array(m->arena, (size_t)t->most_values + 1, sizeof(int));
	t->last = arena_array(m->arena, (size_t)t->most_values + 1, sizeof(int));
	t->last_read = arena_array(m->arena, (size_t)t->most_values + 1, sizeof(int));
	t->overwrites = arena_array(m->arena, (size_t)t->most_values + 1, sizeof(int));
}

/* Can bytes and multiply-adds be summed over any trial? Where not, nothing is planned anyway. */
static bool
sums_fit(const struct model *m)
{
	int64_t bytes = 0, macs = 0, most = LARGEST_BYTES / MOST_REPEATS;
	int i, k;

	for (i = 0; i < m->nnodes; i++) {
		const struct model_node *n = &m->node[i];

		if (n->work > most - bytes || n->again.work > most || n->again.macs > most - macs)
			return false;
		bytes += n->work;
		macs += n->again.macs;
		for (k = 0; k < n->nin + n->nout; k++) {
			int v = k < n->nin ? n->in[k] : n->out[k - n->nin];

			if (v >= 0 && m->value[v].bytes > most - bytes)
				return false;
			bytes += v >= 0 ? m->value[v].bytes : 0;
		}
	}
	return true;
}

struct model *
recompute_model(struct arena *a, struct graph *g, const struct pass_options *o)
{
	struct model *m = ARENA_NEW(a, struct model);
	int *index = arena_array(a, (size_t)g->module->next_tensor + 1, sizeof(*index));
	int i;

	m->arena = a;
	m->g = g;
	m->options = o;
	m->node = arena_array(a, (size_t)g->nodes.n + 1, sizeof(*m->node));
	m->value = arena_array(a, (size_t)g->module->next_tensor + 1, sizeof(*m->value));
	for (i = 0; i < g->inputs.n; i++)
		value_of(m, index, g->inputs.v[i]);
	for (i = 0; i < g->nodes.n; i++)
		add_node(m, index, g->nodes.v[i]);
	for (i = 0; i < m->nnodes; i++)
		if (may_repeat(m, &m->node[i]))
			find_remake(m, index, &m->node[i]);
	if (!sums_fit(m))
		return NULL;
	m->result = arena_array(a, (size_t)g->results.n + 2, sizeof(*m->result));
	for (i = 0; i < g->results.n; i++)
		m->result[m->nresults++] = value_of(m, index, g->results.v[i].tensor);
	if (g->loss)
		m->result[m->nresults++] = value_of(m, index, g->loss);
	fix_values(m);
	m->state = arena_array(a, (size_t)m->nvalues + 1, sizeof(*m->state));
	make_trial(m);
	recompute_keep_all(m);
	return m;
}

void
recompute_keep_all(struct model *m)
{
	int i, j;

	for (i = 0; i < m->nvalues; i++)
		m->state[i] = m->value[i].fixed ? KEEP : EACH;
	for (i = m->forward; i < m->nnodes; i++)
		for (j = 0; j < m->node[i].nin; j++)
			if (m->node[i].in[j] >= 0)
				m->state[m->value[m->node[i].in[j]].root] = KEEP;
}

/* What a node reads, writes and uses as workspace, at least: an output may lie on an input. */
static int64_t
needs(const struct model *m, const struct model_node *n)
{
	int64_t sum = n->work, in_place = 0;
	int k, j;

	for (k = 0; k < n->nin + n->nout; k++) {
		int v = k < n->nin ? n->in[k] : n->out[k - n->nin], root = v < 0 ? -1 : m->value[v].root;
		bool counted = root < 0 || m->value[root].persistent;

		for (j = 0; j < k && !counted; j++) {
			int other = j < n->nin ? n->in[j] : n->out[j - n->nin];

			counted = other >= 0 && m->value[other].root == root;
		}
		if (!counted)
			sum += m->value[root].bytes;
	}
	if (n->node->op->inplace && n->nout && n->out[0] >= 0)
		in_place = m->value[n->out[0]].bytes;
	return sum - in_place;
}

int64_t
recompute_least(const struct model *m)
{
	int64_t least = 0, bytes;
	int i;

	for (i = 0; i < m->nnodes; i++)
		if ((bytes = needs(m, &m->node[i])) > least)
			least = bytes;
	return least;
}

/* ---- the schedule ---- */

static int
new_value(struct model *m, int origin)
{
	struct trial *t = m->trial;

	t->origin[t->nvalues] = origin;
	t->root[t->nvalues] = t->nvalues;
	return t->nvalues++;
}

/* The value that stands for V now: itself, a copy, or -1 when it must be made. */
static int
present(const struct model *m, int v, int stage)
{
	const struct model_value *value = &m->value[v];
	const struct trial *t = m->trial;
	int state = m->state[value->root];

	if (value->persistent || value->def < 0 || value->def >= m->forward || state == KEEP)
		return v;
	if (t->current[v] >= 0 && (state == AGAIN || t->stamp[v] == stage))
		return t->current[v];
	return -1;
}

static bool
begin_event(struct trial *t, int node, bool again, unsigned inplace, int noperands, int nout)
{
	if (t->nevents == t->most_events || t->noperands > t->most_operands - noperands ||
	    t->nvalues > t->most_values - nout)
		return false;
	t->event[t->nevents++] = (struct event){ node, again, t->noperands, 0, 0, inplace };
	return true;
}

/* Repeats the node that makes V, whose inputs are all present. */
static bool
repeat(struct model *m, int v, int stage)
{
	struct trial *t = m->trial;
	const struct model_value *value = &m->value[v];
	const struct model_node *n = &m->node[value->def];
	int k, copy, from;

	if (!begin_event(t, value->def, true, n->again.op->inplace, n->again.nin + n->nout, n->nout))
		return false;
	for (k = 0; k < n->again.nin; k++) {
		int in = n->again.in[k];

		if (in >= 0 && m->value[in].persistent && t->updated[m->value[in].root])
			return false;
		t->operand[t->noperands++] = in < 0 || m->value[in].persistent ? -1 :
		    present(m, in, stage);
	}
	t->event[t->nevents - 1].out = t->noperands;
	t->event[t->nevents - 1].end = t->noperands + n->nout;
	for (k = 0; k < n->nout; k++) {
		bool wanted = n->out[k] >= 0 && (k == 0 || (n->again.op == n->node->op &&
		    !(n->node->op->optional_out >> k & 1)));

		copy = wanted ? new_value(m, n->out[k]) : -1;
		t->operand[t->noperands++] = copy;
		if (!wanted)
			continue;
		if (m->value[n->out[k]].root != n->out[k]) {	/* a view of one of its inputs */
			from = n->node->op->alias(n->node, k);
			t->root[copy] = t->root[t->operand[t->event[t->nevents - 1].in + from]];
		}
		t->current[n->out[k]] = copy;
		t->stamp[n->out[k]] = stage;
	}
	t->macs += n->again.macs;
	t->traffic += n->again.traffic;
	return true;
}

/* Makes V present, after whatever it is made from. The way down is kept on a stack of our own:
 * networks are deeper than ours. */
static bool
ensure(struct model *m, int v, int stage)
{
	struct trial *t = m->trial;
	int depth = 0, k;

	if (present(m, v, stage) >= 0)
		return true;
	t->stack[depth++] = v;
	while (depth > 0) {
		const struct model_node *n;
		int before = depth;

		v = t->stack[depth - 1];
		if (present(m, v, stage) >= 0) {
			depth--;
			continue;
		}
		n = &m->node[m->value[v].def];
		for (k = 0; k < n->again.nin; k++)
			if (n->again.in[k] >= 0 && present(m, n->again.in[k], stage) < 0) {
				if (depth == t->most_operands)
					return false;
				t->stack[depth++] = n->again.in[k];
			}
		if (depth == before) {
			if (!repeat(m, v, stage))
				return false;
			depth--;
		}
	}
	return true;
}

static bool
run_node(struct model *m, int i)
{
	struct trial *t = m->trial;
	const struct model_node *n = &m->node[i];
	bool backward = i >= m->forward;
	int k;

	for (k = 0; backward && k < n->nin; k++)
		if (n->in[k] >= 0 && !ensure(m, n->in[k], n->stage))
			return false;
	if (!begin_event(t, i, false, n->node->op->inplace, n->nin + n->nout, 0))
		return false;
	for (k = 0; k < n->nin; k++) {
		int in = n->in[k];

		t->operand[t->noperands++] = in < 0 || m->value[in].persistent ? -1 :
		    backward ? present(m, in, n->stage) : in;
	}
	t->event[t->nevents - 1].out = t->noperands;
	t->event[t->nevents - 1].end = t->noperands + n->nout;
	for (k = 0; k < n->nout; k++) {
		bool persistent = n->out[k] >= 0 && m->value[n->out[k]].persistent;

		t->operand[t->noperands++] = persistent ? -1 : n->out[k];
		if (persistent && backward)
			t->updated[m->value[n->out[k]].root] = true;
	}
	return true;
}

static bool
schedule(struct model *m)
{
	struct trial *t = m->trial;
	int i;

	t->nevents = t->noperands = 0;
	t->nvalues = m->nvalues;
	t->macs = t->traffic = 0;
	for (i = 0; i < m->nvalues; i++) {
		t->origin[i] = i;
		t->root[i] = m->value[i].root;
		t->current[i] = -1;
		t->updated[i] = false;
	}
	for (i = 0; i < m->nnodes; i++)
		if (!run_node(m, i))
			return false;
	return true;
}

/* ---- who is alive when ---- */

/* Whose bytes V has, overwriting counted. */
static int
holder(const struct trial *t, int v)
{
	return t->overwrites[t->root[v]];
}

static void
find_last_reads(struct model *m)
{
	struct trial *t = m->trial;
	int i, k;

	for (i = 0; i < t->nvalues; i++) {
		t->last_read[i] = 0;
		t->overwrites[i] = i;
	}
	for (i = 0; i < t->nevents; i++) {
		const struct event *e = &t->event[i];

		for (k = e->in; k < e->out; k++)
			if (t->operand[k] >= 0)
				t->last_read[t->root[t->operand[k]]] = i;
	}
	for (i = 0; i < m->nresults; i++)
		t->last_read[t->root[m->result[i]]] = t->nevents;
}

static const struct op *
op_of(const struct model *m, const struct event *e)
{
	return e->again ? m->node[e->node].again.op : m->node[e->node].node->op;
}

/* As may_overwrite() of passes/inplace.c. */
static bool
may_overwrite(const struct model *m, const struct event *e, int i, int k)
{
	const struct trial *t = m->trial;
	int j, in = t->operand[k];
	struct affine a, b;

	if (in < 0 || t->last_read[holder(t, in)] != i)
		return false;
	a = m->value[t->origin[in]].size;
	b = m->value[t->origin[t->operand[e->out]]].size;
	if (a.fixed != b.fixed || a.per_sample != b.per_sample)
		return false;
	if (op_of(m, e)->flags & OP_ELEMENTWISE)
		return true;
	for (j = e->in; j < e->out; j++)
		if (j != k && t->operand[j] >= 0 && holder(t, t->operand[j]) == holder(t, in))
			return false;
	return true;
}

static void
overwrite(struct model *m, int i)
{
	struct trial *t = m->trial;
	const struct event *e = &t->event[i];
	int out = e->out < e->end ? t->operand[e->out] : -1, k, h;

	if (out < 0 || t->root[out] != out)
		return;
	for (k = e->in; k < e->out; k++) {
		if (!(e->inplace >> (k - e->in) & 1) || !may_overwrite(m, e, i, k))
			continue;
		h = holder(t, t->operand[k]);
		t->overwrites[out] = h;
		t->last_read[h] = t->last_read[out] > i ? t->last_read[out] : i;
		return;
	}
}

static void
touch(struct trial *t, int v, int i)
{
	int h = holder(t, v);

	if (t->first[h] < 0)
		t->first[h] = i;
	t->last[h] = i;
}

/* Lives; and between which events a value of the model is idle: from its last use in forward to the
 * next. */
static void
find_lives(struct model *m)
{
	struct trial *t = m->trial;
	int i, k;

	memset(t->first, -1, (size_t)t->nvalues * sizeof(int));
	memset(t->left, -1, (size_t)m->nvalues * sizeof(int));
	memset(t->back, -1, (size_t)m->nvalues * sizeof(int));
	for (i = 0; i < m->g->inputs.n; i++)
		touch(t, i, 0);		/* inputs are the model's first values */
	for (i = 0; i < t->nevents; i++) {
		const struct event *e = &t->event[i];

		for (k = e->in; k < e->end; k++) {
			int v = t->operand[k], root;

			if (v < 0)
				continue;
			touch(t, v, i);
			if ((root = t->root[v]) >= m->nvalues)
				continue;
			if (i < m->forward)
				t->left[root] = i;
			else if (t->back[root] < 0)
				t->back[root] = i;
		}
	}
	for (i = 0; i < m->nresults; i++)
		touch(t, m->result[i], t->nevents - 1);
}

static void
measure(struct model *m)
{
	struct trial *t = m->trial;
	int64_t sum = 0;
	int i;

	find_last_reads(m);
	for (i = 0; i < t->nevents; i++)
		if (t->event[i].inplace)
			overwrite(m, i);
	find_lives(m);
	memset(t->live, 0, ((size_t)t->nevents + 1) * sizeof(*t->live));
	for (i = 0; i < t->nvalues; i++)
		if (t->first[i] >= 0) {
			t->live[t->first[i]] += m->value[t->origin[i]].bytes;
			t->live[t->last[i] + 1] -= m->value[t->origin[i]].bytes;
		}
	for (i = 0, t->peak = 0; i < t->nevents; i++) {
		const struct event *e = &t->event[i];
		const struct model_node *n = &m->node[e->node];

		sum += t->live[i];
		t->live[i] = sum + (e->again ? n->again.work : n->work);
		if (t->live[i] > t->peak)
			t->peak = t->live[i];
	}
}

bool
recompute_try(struct model *m)
{
	struct trial *t = m->trial;

	t->valid = schedule(m);
	m->effort += t->nevents;
	if (!t->valid) {
		t->peak = INT64_MAX;
		return false;
	}
	measure(m);
	return true;
}
