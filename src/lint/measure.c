/* What memory and training rules share. */
#include "lint/measure.h"

#include <string.h>

#include "ir/op.h"

#define SHARE_OF_DEVICE	4	/* a hazard takes at least one part in so many */
#define SHARE_OF_ARENA	2
#define NO_DEVICE	((int64_t)1 << 30)	/* and so much, where the device is not known */

static bool
has_device(const struct module *m)
{
	return m->set.device.given && m->set.device.memory > 0;
}

bool
measure_may_be_hazard(const struct module *m, int64_t bytes)
{
	if (has_device(m))
		return bytes >= SMALLEST_HAZARD &&
		    bytes >= m->set.device.memory / SHARE_OF_DEVICE;
	return bytes >= NO_DEVICE;
}

bool
measure_is_hazard(const struct module *m, int64_t bytes)
{
	return measure_may_be_hazard(m, bytes) &&
	    (has_device(m) || m->plan->sketch || bytes >= m->plan->arena_bytes / SHARE_OF_ARENA);
}

/* Bytes of the tensors of one node that do not persist, each buffer once. */
static int64_t
bytes_at(const struct module *m, const struct node *n)
{
	const struct buffer *seen[8];
	int64_t sum = 0;
	int i, k, nseen = 0;

	for (i = 0; i < n->nin + n->nout; i++) {
		const struct tensor *t = i < n->nin ? n->in[i] : n->out[i - n->nin];
		const struct buffer *b = t ? plan_buffer(m->plan, t) : NULL;

		for (k = 0; k < nseen && seen[k] != b; k++)
			;
		if (!b || b->persistent || k < nseen || nseen == (int)(sizeof(seen) / sizeof(*seen)))
			continue;
		seen[nseen++] = b;
		sum += b->bytes;
	}
	return sum;
}

/* A product that backward reads is kept from its making to the loss, since making it again is not
 * cheap; backward begins at the loss, so all of these are alive together there. */
static int64_t
products_kept(const struct module *m)
{
	bool *counted = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*counted));
	const struct graph *g = m->train;
	int64_t sum = 0;
	int i, k;

	for (i = 0; i < g->nodes.n; i++)
		for (k = 0; g->nodes.v[i]->phase == PHASE_BACKWARD && k < g->nodes.v[i]->nin; k++) {
			const struct tensor *t = g->nodes.v[i]->in[k];

			if (!t || counted[t->id] || !t->def || t->def->phase != PHASE_FORWARD ||
			    !t->def->op->macs || affine_at(t->def->op->macs(t->def), 1) == 0)
				continue;
			counted[t->id] = true;
			sum += affine_at(tensor_bytes(t), m->plan->batch);
		}
	return sum;
}

int64_t
measure_least_training(const struct module *m)
{
	int64_t most = m->set.recompute == RECOMPUTE_AUTO ? 0 : products_kept(m), bytes;
	int i;

	for (i = 0; i < m->train->nodes.n; i++) {
		bytes = bytes_at(m, m->train->nodes.v[i]);
		most = bytes > most ? bytes : most;
	}
	return m->plan->persistent_bytes + most;
}

const char *
measure_share(const struct module *m, int64_t bytes)
{
	int64_t whole = has_device(m) ? m->set.device.memory : m->plan->arena_bytes;

	return arena_printf(m->arena, "%.0f %% of the %s", 100 * (double)bytes / (double)whole,
	    has_device(m) ? "device" : "arena");
}

void
measure_cure(struct lint *l, struct diag *g, const struct module *other, const char *what, ...)
{
	const struct module *m = l->module;
	const char *text;
	va_list ap;

	if (!other || other->plan->arena_bytes >= m->plan->arena_bytes)
		return;
	va_start(ap, what);
	text = arena_vprintf(m->arena, what, ap);
	va_end(ap);
	diag_help(l->diags, g, "%s needs %s, %s less", text,
	    lint_human(m->arena, other->plan->arena_bytes),
	    lint_human(m->arena, m->plan->arena_bytes - other->plan->arena_bytes));
}

bool
measure_at_peak(const struct module *m, const struct tensor *t)
{
	const struct plan *p = m->plan;
	const struct buffer *b = t ? plan_buffer(p, t) : NULL;

	return b && (p->sketch || (b->first <= p->peak && p->peak <= b->last));
}

static void
note_updates(const struct graph *g, struct node **update)
{
	int i;

	for (i = 0; g && i < g->nodes.n; i++) {
		struct node *n = g->nodes.v[i];

		if (n->phase == PHASE_UPDATE && n->nin > 0 && n->in[0] &&
		    tensor_root(n->in[0])->kind == T_PARAM)
			update[tensor_root(n->in[0])->id] = n;
	}
}

struct node **
measure_updates(const struct module *m)
{
	struct node **update = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*update));

	note_updates(m->train, update);
	note_updates(m->update, update);
	return update;
}

int64_t
measure_trained_bytes(const struct module *m, struct node *const *update,
    const struct tensor *param)
{
	const struct node *n = update[param->id];
	struct affine sum = tensor_bytes(param);
	int i;

	for (i = 1; n && i < n->nin; i++)
		if (n->in[i] && plan_buffer(m->plan, n->in[i]) &&
		    n->in[i]->kind != T_SCALAR)
			sum = affine_sum(sum, tensor_bytes(tensor_root(n->in[i])));
	return affine_at(sum, m->plan->batch);
}

struct readers
readers_of(struct lint *l)
{
	const struct graph *g = l->module->forward;
	struct arena *a = g->module->arena;
	size_t most = (size_t)g->module->next_tensor + 1;
	struct readers r = { .of = g };
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
only_reader(const struct readers *r, const struct node *n)
{
	return n->out[0] && r->count[n->out[0]->id] == 1 ? r->last[n->out[0]->id] : NULL;
}

struct node *
measure_maker(const struct tensor *t)
{
	struct node *n = t ? t->def : NULL;

	while (n && n->in[0] && (measure_is(n, "dropout") || measure_is(n, "flatten") ||
	    measure_is(n, "reshape")))
		n = n->in[0]->def;
	return n;
}

/* What an operand was before it was repeated. */
static const struct tensor *
unrepeated(const struct tensor *t)
{
	while (t && t->def && t->def->in[0] &&
	    (measure_is(t->def, "broadcast") || measure_is(t->def, "reshape")))
		t = t->def->in[0];
	return t;
}

bool
measure_repeats(const struct node *n, int64_t growth, const struct tensor **x,
    const struct tensor **y)
{
	int64_t out, most;

	if (n->nin < 2 || !(measure_is(n, "add") || measure_is(n, "sub") || measure_is(n, "mul")))
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
measure_of_vectors(const struct node *n, const struct tensor *x, const struct tensor *y)
{
	int64_t both;

	return !__builtin_mul_overflow(tensor_elements_per_sample(x), tensor_elements_per_sample(y),
	    &both) && both / tensor_elements_per_sample(n->out[0]) > 1;
}

bool
once_more(struct once *o, struct lint *l, const struct rule *rule, struct loc loc)
{
	const struct source *src = l->module->src;
	int i;

	if (!loc.src)
		return true;
	if (loc.src != src) {
		for (i = 0; i < l->diags->all.n; i++)
			if (l->diags->all.v[i]->rule == rule->name &&
			    l->diags->all.v[i]->loc.src == loc.src &&
			    l->diags->all.v[i]->loc.beg == loc.beg)
				return false;
		return true;
	}
	if (!o->seen)
		o->seen = arena_array(l->module->arena, (size_t)src->size + 1, sizeof(*o->seen));
	if (o->seen[loc.beg])
		return false;
	return o->seen[loc.beg] = true;
}

const struct node *
measure_batchnorm(const struct module *m)
{
	int i, j;

	for (i = 0; m->train && i < m->train->nodes.n; i++) {
		const struct node *n = m->train->nodes.v[i];
		bool normalises = false, frozen = false;

		for (j = 1; j < n->nin && n->phase == PHASE_FORWARD; j++)
			if (n->in[j] && tensor_root(n->in[j])->kind == T_STATISTIC) {
				normalises = true;
				frozen |= tensor_root(n->in[j])->frozen;
			}
		if (normalises && !frozen)
			return n;
	}
	return NULL;
}

int64_t
measure_positions(const struct node *n)
{
	return n->in[0]->dim[0] ? tensor_elements_per_sample(n->in[0]) / n->in[0]->dim[0] : 0;
}
