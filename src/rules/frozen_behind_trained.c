/*
 * frozen-behind-trained: a frozen layer whose input depends on trained ones. It still passes
 * gradients back, so that all before it is kept: only a frozen prefix saves that. What freezing the
 * layers before it as well would save is planned.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"

#include "ir/dotted_path.h"
#include "fit/whatif.h"

#define WORTH_SHARE	20	/* of the arena that a frozen prefix must save */

static bool
has_params(const struct node *n, bool frozen)
{
	int i;

	for (i = 0; i < n->nin; i++)
		if (n->in[i] && n->in[i]->kind == T_PARAM && n->in[i]->frozen == frozen)
			return true;
	return false;
}

/* The last layer that is all frozen and reads what a trained one made; NULL: there is none. */
static const struct node *
last_frozen_behind(const struct module *m, bool *trained)
{
	const struct node *last = NULL;
	int i, j;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		bool behind = false;

		for (j = 0; j < n->nin; j++)
			behind |= n->in[j] && trained[n->in[j]->id];
		if (behind && has_params(n, true) && !has_params(n, false))
			last = n;
		for (j = 0; j < n->nout; j++)
			if (n->out[j])
				trained[n->out[j]->id] = behind || has_params(n, false);
	}
	return last;
}

static bool
reads_any(const struct node *n, const bool *of)
{
	int i;

	for (i = 0; i < n->nin; i++)
		if (n->in[i] && of[n->in[i]->id])
			return true;
	return false;
}

/* All that LAST reads, by the ids of tensors. */
static void
mark_before(const struct module *m, const struct node *last, bool *before)
{
	int i, j;

	for (j = 0; j < last->nin; j++)
		if (last->in[j])
			before[last->in[j]->id] = true;
	for (i = m->forward->nodes.n - 1; i >= 0; i--) {
		const struct node *n = m->forward->nodes.v[i];

		for (j = 0; n->nout && n->out[0] && before[n->out[0]->id] && j < n->nin; j++)
			if (n->in[j])
				before[n->in[j]->id] = true;
	}
}

/* Are the trained ones in front meant? They stand between frozen ones, as adapters, low-rank
 * additions and norms that are tuned do, or are nothing but vectors that are put in, as prompts. */
static bool
is_meant(const struct module *m, const struct node *last)
{
	bool *before = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*before));
	bool *frozen = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*frozen)), prompts = true;
	int i, j;

	mark_before(m, last, before);
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		bool behind = reads_any(n, frozen);
		bool trained = has_params(n, false) && n->nout && n->out[0] && before[n->out[0]->id];

		if (trained && behind)
			return true;
		prompts &= !trained || node_is(n, "parameter");
		for (j = 0; j < n->nout; j++)
			if (n->out[j])
				frozen[n->out[j]->id] = behind || has_params(n, true);
	}
	return prompts;
}

/* The module with all that LAST reads frozen too; how many layers that is, and their parameters. */
static struct module *
with_prefix(struct module *m, const struct node *last, int *layers, struct fix_names *names)
{
	bool *before = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*before));
	VEC(struct tensor *) frozen = { NULL, 0, 0 };
	struct module *other;
	int i, j;

	for (j = 0; j < last->nin; j++)
		if (last->in[j])
			before[last->in[j]->id] = true;
	for (i = m->forward->nodes.n - 1; i >= 0; i--) {
		struct node *n = m->forward->nodes.v[i];
		int was = frozen.n;

		if (n->nout == 0 || !n->out[0] || !before[n->out[0]->id])
			continue;
		for (j = 0; j < n->nin; j++) {
			struct tensor *t = n->in[j];

			if (!t)
				continue;
			before[t->id] = true;
			if (t->kind == T_PARAM && !t->frozen) {
				t->frozen = true;
				vec_push(m->arena, &frozen, t);
				vec_push(m->arena, names, t->name);
			}
		}
		*layers += frozen.n > was;
	}
	other = whatif(m, &m->set);
	for (i = 0; i < frozen.n; i++)
		frozen.v[i]->frozen = false;
	return other;
}

/* The pattern that froze it; a layer's path is a part of its parameters'. */
static struct loc
place_of(const struct module *m, const struct node *n)
{
	int i, j;

	for (i = 0; i < m->set.nfreeze; i++)
		for (j = 0; j < n->nin; j++)
			if (n->in[j] && n->in[j]->kind == T_PARAM &&
			    path_matches(m->set.freeze[i].text, n->in[j]->name))
				return m->set.freeze[i].loc;
	return m->loc;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module, *other;
	const struct node *last;
	struct diag *g;
	int64_t saved;
	struct fix_names names = { NULL, 0, 0 };
	int layers = 0;

	if (!m->train || m->set.nfreeze == 0 || m->plan->arena_bytes < SMALLEST_HAZARD)
		return;
	last = last_frozen_behind(m, arena_array(m->arena, (size_t)m->next_tensor + 1,
	    sizeof(bool)));
	other = last && !is_meant(m, last) ? with_prefix(m, last, &layers, &names) : NULL;
	saved = other ? m->plan->arena_bytes - other->plan->arena_bytes : 0;
	if (saved < SMALLEST_HAZARD || saved < m->plan->arena_bytes / WORTH_SHARE)
		return;
	g = lint_report(l, rule, place_of(m, last), "frozen '%s' lies behind trained "
	    "layers, so gradients still pass through it", last->path);
	diag_fact(l->diags, g, "%d trained layer%s before it keep%s what backward reads, and so do "
	    "the frozen ones between; grows with B", layers, layers == 1 ? "" : "s",
	    layers == 1 ? "s" : "");
	measure_saving(l, g, other, "to freeze those too, a prefix without backward,");
	fix_freeze(l, g, &names, NULL, "freeze those too");
}

static bool
may_find(const struct module *m)
{
	return m->train && m->set.nfreeze > 0;
}

const struct rule rule_frozen_behind_trained = {
	.id = "SW111",
	.name = "frozen-behind-trained",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "frozen layers behind trained ones still take part in backward",
	.doc = "freeze saves a layer's gradients and optimizer state. Only a frozen prefix, with "
	    "nothing trained before it, also spares what backward keeps: a frozen layer in the "
	    "middle passes gradients on to the trained ones before it, with all their "
	    "activations.\n\n"
	    "Reported where freezing everything before the last such layer saves 256 MiB or more, "
	    "and a twentieth of the arena, planned. Quiet where the trained layers in front are meant: "
	    "where they stand between frozen ones, as adapters, low-rank additions and norms that are tuned do, "
	    "or are vectors alone, as prompts. Advice to freeze the middle "
	    "of a network to save memory is common, and wrong.",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
