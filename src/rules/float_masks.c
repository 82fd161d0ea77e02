/*
 * float-masks: masks of whole pictures in floating point, which roi_masks reads as bytes as well.
 * What they take as u8 is written into the spec, compiled and planned.
 */
#include "rulekit/edited_spec.h"
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"
#include "rulekit/place_set.h"

enum { MASKS = 1 };	/* its operand */

static int64_t
bytes_of(const struct module *m, const struct node *n)
{
	const struct tensor *t = node_is(n, "roi_masks") ? n->in[MASKS] : NULL;

	if (!t || (t->kind != T_TARGET && t->kind != T_INPUT) || !dtype_is_float(t->dtype))
		return 0;
	return affine_at(tensor_bytes(t), m->train ? m->plan->batch : m->plan->validate_batch);
}

static void
report(const struct rule *rule, struct lint *l, const struct node *n, int64_t bytes)
{
	const struct tensor *t = n->in[MASKS];
	struct module *m = l->module, *other;
	struct amend edited, fixed;
	struct diag *g;

	edited_begin(l, &edited);
	other = edited_type(&edited, t->name, "u8") ? edited_plan(l, &edited) : NULL;
	if (!other || m->plan->arena_bytes - other->plan->arena_bytes < bytes / 2)
		return;
	g = lint_report(l, rule, t->loc, "masks '%s' are %s of %s, which roi_masks reads as bytes, too: %s, %s", t->name,
	    tensor_shape_text(m->arena, t), dtype_name(t->dtype), lint_human(m->arena, bytes), measure_share(m, bytes));
	diag_place(l->diags, g, n->loc, "they are read here");
	diag_fact(l->diags, g, "%s B at micro-batch %lld, staged for each step; grows with B·n·H·W, for n "
	    "masks of each picture", lint_commas(m->arena, bytes), (long long)m->plan->batch);
	measure_saving(l, g, other, "u8");
	if (fix_amend(l, &fixed) && edited_type(&fixed, t->name, "u8"))
		fix_amended(l, g, false, &fixed, "stage masks as bytes");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct place_set reported = { NULL };
	int i;

	for (i = 0; m->train && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		int64_t bytes = bytes_of(m, n);

		if (bytes >= SMALLEST_HAZARD && place_is_new(&reported, l, rule, n->in[MASKS]->loc))
			report(rule, l, n, bytes);
	}
}

static bool
may_find(const struct module *m)
{
	int i;

	for (i = 0; m->train && i < m->forward->nodes.n; i++)
		if (bytes_of(m, m->forward->nodes.v[i]) >= SMALLEST_HAZARD)
			return true;
	return false;
}

const struct rule rule_float_masks = {
	.id = "SW122",
	.name = "float-masks",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "masks of whole pictures in floating point",
	.doc = "The masks of n objects of a picture are n H W numbers of zero and one, for each picture of a batch, and lie on the "
	    "device for the whole step: 40 of 800 x 1344 are 172 MB a picture in f32. roi_masks reads bytes as well, and makes "
	    "numbers only of what a box sees.\n\n"
	    "Reported where masks that roi_masks reads take 256 MiB or more in floating point, and as u8 spare half of that or "
	    "more, planned. Cure: declare them as u8; the data must have 0 and 1, or be scaled. Seen as 1,239 masks of 800 x 800 of one "
	    "picture (iSAID_Devkit #27).",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
