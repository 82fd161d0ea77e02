/* What rules ask of the forward graph. */
#include "rulekit/graph_query.h"

struct tensor_readers
readers_of(struct lint *l)
{
	const struct graph *g = l->module->forward;
	struct arena *a = g->module->arena;
	size_t most = (size_t)g->module->next_tensor + 1;
	struct tensor_readers r = { .of = g };
	int i, j;

	if (l->readers.of == g)
		return l->readers;
	r.count = arena_array(a, most, sizeof(*r.count));
	r.last = arena_array(a, most, sizeof(*r.last));
	for (i = 0; i < g->nodes.n; i++)
		for (j = 0; j < g->nodes.v[i]->nin; j++)
			if (g->nodes.v[i]->in[j]) {
				r.count[g->nodes.v[i]->in[j]->id]++;
				r.last[g->nodes.v[i]->in[j]->id] = g->nodes.v[i];
			}
	for (i = 0; i < g->results.n; i++)
		r.count[g->results.v[i].tensor->id]++;
	return l->readers = r;
}

struct node *
only_reader(const struct tensor_readers *r, const struct node *n)
{
	return n->out[0] && r->count[n->out[0]->id] == 1 ? r->last[n->out[0]->id] : NULL;
}

struct reader_walk
readers_from(const struct tensor_readers *r, const struct tensor *t, int at)
{
	return (struct reader_walk){ NULL, at, -1, r, t, r->count[t->id] };
}

bool
next_reader(struct reader_walk *w)
{
	const struct graph *g = w->readers->of;

	for (; w->left > 0 && w->at < g->nodes.n; w->at++, w->operand = -1) {
		w->node = g->nodes.v[w->at];
		while (++w->operand < w->node->nin)
			if (w->node->in[w->operand] == w->of) {
				w->left--;
				return true;
			}
	}
	return false;
}

bool
node_is_guarded(const struct tensor_readers *r, const struct node *n, bool infinite)
{
	while ((n = only_reader(r, n))) {
		if (node_is(n, "where") || (infinite && (node_is(n, "clamp") || node_is(n, "maximum") || node_is(n, "minimum"))))
			return true;
		if (!(n->op->flags & OP_ELEMENTWISE) || n->op->max_operands != 1)
			return false;
	}
	return false;
}

struct node *
tensor_maker(const struct tensor *t)
{
	struct node *n = t ? t->def : NULL;

	while (n && n->in[0] && (node_is(n, "dropout") || node_is(n, "flatten") ||
	    node_is(n, "reshape")))
		n = n->in[0]->def;
	return n;
}

bool
node_has_weights(const struct node *n)
{
	return node_is(n, "conv") || node_is(n, "dense") || node_is(n, "local") ||
	    node_is(n, "conv_transpose");
}

bool
node_is_trained(const struct node *n)
{
	int i;

	for (i = 0; i < n->nin; i++)
		if (n->in[i] && n->in[i]->kind == T_PARAM && !n->in[i]->frozen)
			return true;
	return false;
}

int
trained_layers(const struct module *m)
{
	int i, found = 0;

	for (i = 0; i < m->forward->nodes.n; i++)
		found += node_has_weights(m->forward->nodes.v[i]) && node_is_trained(m->forward->nodes.v[i]);
	return found;
}

double
optimizer_real(const struct settings *set, const char *name)
{
	int i = op_attr_at(set->optimizer, name);

	return i >= 0 ? set->optimizer_attr[i].r : 0;
}

static void
each_group_number(const struct rule *rule, struct lint *l, const char *name, judge_number *judge)
{
	const struct settings *set = &l->module->set;
	const struct pattern *first = set->group_pattern;
	bool decay = strcmp(name, "weight_decay") == 0;
	int i;

	for (i = 0; i < set->ngroups; first += set->group[i++].patterns) {
		const struct param_group *g = &set->group[i];

		if (decay ? g->has_decay : g->has_lr)
			judge(rule, l, &(struct optimizer_number){ decay ? g->decay : g->lr, set->optimizer,
			    set->optimizer_attr, first->loc, .part = true });
	}
}

void
each_optimizer_number(const struct rule *rule, struct lint *l, const char *name, judge_number *judge)
{
	const struct settings *set = &l->module->set;
	int i, at;

	if (!l->module->train || !set->optimizer)
		return;
	if (set->optimizer_loc.src && op_attr_at(set->optimizer, name) >= 0)
		judge(rule, l, &(struct optimizer_number){ optimizer_real(set, name), set->optimizer,
		    set->optimizer_attr, set->optimizer_loc, .part = false });
	each_group_number(rule, l, name, judge);
	for (i = 0; i < set->nturns; i++) {
		const struct turn *t = &set->turn[i];

		at = t->optimizer && t->optimizer_attr != set->optimizer_attr ? op_attr_at(t->optimizer, name) : -1;
		if (at >= 0)
			judge(rule, l, &(struct optimizer_number){ t->optimizer_attr[at].r, t->optimizer,
			    t->optimizer_attr, t->loc, .part = false });
	}
}

/* What an operand was before it was repeated. */
static const struct tensor *
unrepeated(const struct tensor *t)
{
	while (t && t->def && t->def->in[0] &&
	    (node_is(t->def, "broadcast") || node_is(t->def, "reshape")))
		t = t->def->in[0];
	return t;
}

bool
node_repeats(const struct node *n, int64_t growth, const struct tensor **x,
    const struct tensor **y)
{
	int64_t out, most;

	if (n->nin < 2 || !(node_is(n, "add") || node_is(n, "sub") || node_is(n, "mul")))
		return false;
	*x = unrepeated(n->in[0]);
	*y = unrepeated(n->in[1]);
	if (!*x || !*y)
		return false;
	out = tensor_elements_per_sample(n->out[0]);
	most = tensor_elements_per_sample(*x);
	if (tensor_elements_per_sample(*y) > most)
		most = tensor_elements_per_sample(*y);
	return out / growth >= most && (n->out[0]->batched == (*x)->batched ||
	    n->out[0]->batched == (*y)->batched);
}

bool
node_pairs_vectors(const struct node *n, const struct tensor *x, const struct tensor *y)
{
	int64_t both;

	return !__builtin_mul_overflow(tensor_elements_per_sample(x), tensor_elements_per_sample(y),
	    &both) && both / tensor_elements_per_sample(n->out[0]) > 1;
}

/* Does it take its statistics from the batch? A frozen one does not, nor what reads nothing but
 * statistics. */
static bool
normalises_batch(const struct node *n)
{
	bool normalises = false;
	int j;

	if (n->nin > 0 && n->in[0] && tensor_root(n->in[0])->kind == T_STATISTIC)
		return false;
	for (j = 1; j < n->nin && n->phase == PHASE_FORWARD; j++)
		if (n->in[j] && tensor_root(n->in[j])->kind == T_STATISTIC) {
			normalises = true;
			if (tensor_root(n->in[j])->frozen)
				return false;
		}
	return normalises;
}

/* Of all ranks' samples? Of a part of the batch one rank has all. */
static bool
is_synced(const struct module *m, const struct node *n)
{
	return settings_data_ranks(&m->set) > 1 && !m->set.parts && op_bool(n, "sync");
}

static const struct node *
first_of(const struct module *m, bool vectors)
{
	const struct node *first = NULL;
	int i;

	for (i = 0; m->train && i < m->train->nodes.n; i++) {
		const struct node *n = m->train->nodes.v[i];

		if (!normalises_batch(n) || (vectors && batchnorm_positions(n) != 1))
			continue;
		if (!is_synced(m, n))
			return n;
		first = first ? first : n;
	}
	return first;
}

const struct node *
first_batchnorm(const struct module *m)
{
	return first_of(m, false);
}

const struct node *
first_batchnorm_of_vectors(const struct module *m)
{
	return first_of(m, true);
}

int64_t
batchnorm_samples(const struct module *m, const struct node *n, int64_t b)
{
	return is_synced(m, n) ? b * m->set.ranks : b;
}

int64_t
batchnorm_positions(const struct node *n)
{
	return n->in[0]->dim[0] ? tensor_elements_per_sample(n->in[0]) / n->in[0]->dim[0] : 0;
}
