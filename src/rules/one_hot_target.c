/*
 * one-hot-target: a target of zeros and ones in floating point, one for each class. What it takes
 * as u8, and as the numbers of the classes, is written into the spec, compiled and planned.
 */
#include "rulekit/edited_spec.h"
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"
#include "rulekit/place_set.h"

#include <string.h>

#include "ir/op.h"

#define VOCABULARY	1024	/* from here on an axis is one */

/* Zeros and ones are what bce_with_logits wants, and what probabilities are compared with. */
static const struct tensor *
target_of(const struct node *n)
{
	const struct tensor *t = n->nin > 1 ? n->in[1] : NULL;
	const struct node *last;

	if (!t || t->kind != T_TARGET || !dtype_is_float(t->dtype))
		return NULL;
	if (node_is(n, "bce_with_logits"))
		return t;
	last = node_is(n, "mse") ? tensor_maker(n->in[0]) : NULL;
	return node_is(last, "softmax") || node_is(last, "sigmoid") ? t : NULL;
}

static const struct stmt *
declaration(const struct amend *m, const char *name)
{
	int i;

	for (i = 0; m->network && i < m->network->nstmts; i++) {
		const struct stmt *st = &m->network->stmt[i];

		if (st->kind == S_TARGET && st->type && st->nnames == 1 &&
		    strcmp(st->name[0].text, name) == 0)
			return st;
	}
	return NULL;
}

static struct module *
as_bytes(struct lint *l, const struct tensor *t)
{
	struct amend m;

	edited_begin(l, &m);
	return edited_type(&m, t->name, "u8") ? edited_plan(l, &m) : NULL;
}

/* [T, V] as class[V, T], and the loss that takes such. */
static struct module *
as_classes(struct lint *l, const struct tensor *t, const struct node *loss)
{
	const struct stmt *st;
	struct amend m;

	if (!node_is(loss, "bce_with_logits") || t->rank < 1 || t->rank > 2 ||
	    t->dim[t->rank - 1] < VOCABULARY || loss->loc.src != l->file->src)
		return NULL;
	edited_begin(l, &m);
	st = declaration(&m, t->name);
	if (!st || !edits_add(&m.edits, st->type->loc.beg, st->type->loc.end, t->rank == 1 ?
	    arena_printf(m.arena, "class[%lld]", (long long)t->dim[0]) :
	    arena_printf(m.arena, "class[%lld, %lld]", (long long)t->dim[1],
	    (long long)t->dim[0])) || !edits_add(&m.edits, loss->loc.beg, loss->loc.beg +
	    (int)strlen(loss->op->name), "cross_entropy"))
		return NULL;
	return edited_plan(l, &m);
}

static void
report(const struct rule *rule, struct lint *l, const struct node *loss, const struct tensor *t,
    int64_t bytes)
{
	struct module *m = l->module;
	struct diag *g = lint_report(l, rule, t->loc, "target '%s' is %s of %s, which %s compares "
	    "with probabilities: %s, %s", t->name, tensor_shape_text(m->arena, t),
	    dtype_name(t->dtype), loss->op->name, lint_human(m->arena, bytes),
	    measure_share(m, bytes));
	struct module *classes = as_classes(l, t, loss);

	diag_place(l->diags, g, loss->loc, "the loss is here");
	diag_fact(l->diags, g, "%s B at micro-batch %lld, staged for each step; grows with B·T·V",
	    lint_commas(m->arena, bytes), (long long)m->plan->batch);
	measure_saving(l, g, as_bytes(l, t), "u8, which zeros and ones need no more than,");
	measure_saving(l, g, classes, "class[%lld%s] with cross_entropy, if exactly one is 1,",
	    (long long)t->dim[t->rank ? t->rank - 1 : 0], t->rank == 2 ?
	    arena_printf(m->arena, ", %lld", (long long)t->dim[0]) : "");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct place_set reported = { NULL };
	int i;

	for (i = 0; m->train && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		const struct tensor *t = target_of(n);
		int64_t bytes = t ? affine_at(tensor_bytes(t), m->plan->batch) : 0;

		if (t && measure_is_hazard(m, bytes) && place_is_new(&reported, l, rule, t->loc))
			report(rule, l, n, t, bytes);
	}
}

const struct rule rule_one_hot_target = {
	.id = "SW118",
	.name = "one-hot-target",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "a target of zeros and ones in floating point",
	.doc = "A label one-hot over V classes at each of T places is e B T V bytes, in f32 four "
	    "for each zero; as int64, which NumPy makes of it, eight. The number of the class says "
	    "the same in 4 B T bytes.\n\n"
	    "Reported for floating-point targets of bce_with_logits, and of mse after softmax or "
	    "sigmoid, that take 256 MiB or more, and a quarter of the device (without one, 1 GiB "
	    "and half of the arena).\n\n"
	    "u8 holds zeros and ones in a quarter, and the losses take it; where one class is "
	    "right, a target class[V, T] with cross_entropy needs no more than its number. Both "
	    "are planned; the data files must be made so. Seen in keras #9150, where 70,000 words "
	    "one-hot filled 8 GB with a single example, and keras #5287.",
	.check = check,
	.needs = NEEDS_SKETCH,
};
