/* Bytes for rules: those of a plan, and what a hazard is. */
#include "rulekit/measure.h"

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
	const int most = sizeof(seen) / sizeof(*seen);
	int64_t sum = 0;
	int i, k, nseen = 0;

	for (i = 0; i < n->nin + n->nout; i++) {
		const struct tensor *t = i < n->nin ? n->in[i] : n->out[i - n->nin];
		const struct buffer *b = t ? plan_buffer(m->plan, t) : NULL;

		for (k = 0; k < nseen && seen[k] != b; k++)
			;
		if (!b || b->persistent || k < nseen || nseen == most)
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
measure_saving(struct lint *l, struct diag *g, const struct module *other, const char *what, ...)
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
		    n->in[i]->kind != T_SCALAR && !n->in[i]->batched)
			sum = affine_sum(sum, tensor_bytes(tensor_root(n->in[i])));
	return affine_at(sum, m->plan->batch);
}
