/*
 * vocabulary-logits: the logits of a large vocabulary are all in memory at once, and their gradient
 * with them. What making them in chunks would save is planned, not estimated.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"

#include "fit/whatif.h"
#include "ops/losses.h"

#define FEWEST_CLASSES	1024	/* from here on it is a vocabulary */

/* The classes of a loss over logits, which are the last axis or (maps) the first. */
static int64_t
classes_of(const struct node *loss)
{
	return loss->nin > 1 && loss->in[1] ? loss->in[1]->classes : 0;
}

/* Those of the logits and of their gradient, which may lie in the same ones. */
static int64_t
planned_bytes(const struct module *m, const struct node *loss)
{
	const struct buffer *logits = plan_buffer(m->plan, loss->in[0]), *b;
	int64_t sum = logits ? logits->bytes : 0;
	int i;

	for (i = 0; i < m->train->nodes.n; i++) {
		const struct node *n = m->train->nodes.v[i];

		if ((n->forward != loss && (n != loss || n->op != &op_cross_entropy_with_grad)) ||
		    n->nout == 0 || !n->out[0])
			continue;
		b = plan_buffer(m->plan, n->out[0]);
		if (b && b != logits)
			sum += b->bytes;
	}
	return sum;
}

/* By itself, or with the gradient of its logits. */
static bool
is_cross_entropy(const struct node *n)
{
	return n->op == &op_cross_entropy || n->op == &op_cross_entropy_with_grad;
}

static void
tell_why_whole(struct lint *l, struct diag *g, const struct node *loss)
{
	struct module *m = l->module;
	struct settings set = m->set;

	if (m->set.chunk_loss != CHUNK_AUTO) {
		set.chunk_loss = CHUNK_AUTO;
		set.chunks = 0;
		measure_saving(l, g, whatif(m, &set), "chunk_loss auto, which gives the same "
		    "results,");
		fix_setting(l, g, true, SEC_TRAIN, "chunk_loss", "auto", NULL,
		    "set chunk_loss auto");
	} else if (!node_is(loss->in[0]->def, "dense"))
		diag_help(l->diags, g, "logits straight out of a dense layer would be made some "
		    "rows at a time (chunk_loss)");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	int i;

	for (i = 0; m->train && i < m->train->nodes.n; i++) {
		const struct node *n = m->train->nodes.v[i];
		const struct tensor *t = n->in && n->nin ? n->in[0] : NULL;
		int64_t bytes, one;
		struct diag *g;

		if (n->phase != PHASE_FORWARD || !is_cross_entropy(n) || n->again ||
		    classes_of(n) < FEWEST_CLASSES)
			continue;
		bytes = planned_bytes(m, n);
		if (!measure_is_hazard(m, bytes))
			continue;
		g = lint_report(l, rule, n->loc, "the logits of %s classes take %s with their "
		    "gradient: %s", lint_commas(m->arena, classes_of(n)),
		    lint_human(m->arena, bytes), measure_share(m, bytes));
		one = affine_at(tensor_bytes(t), m->plan->batch);
		diag_fact(l->diags, g, "%s at micro-batch %lld: %s B; the gradient %s; grows with "
		    "B·T·V", tensor_shape_text(m->arena, t), (long long)m->plan->batch,
		    lint_commas(m->arena, one), bytes > one ? "takes as much again" :
		    "overwrites them here, and elsewhere takes as much again");
		tell_why_whole(l, g, n);
	}
}

static bool
may_find(const struct module *m)
{
	int i;

	for (i = 0; m->train && i < m->train->nodes.n; i++) {
		const struct node *n = m->train->nodes.v[i];

		if (is_cross_entropy(n) && classes_of(n) >= FEWEST_CLASSES)
			return true;
	}
	return false;
}

const struct rule rule_vocabulary_logits = {
	.id = "SW103",
	.name = "vocabulary-logits",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "the logits of a large vocabulary are in memory all at once",
	.doc = "Cross-entropy over V classes at each of T places reads e B T V bytes of logits, "
	    "and backward makes as many again; frameworks keep one or two further copies. With V "
	    "= 151,936 and T = 4096 each is 2.32 GiB in f32, three of them alive: more than the "
	    "network that made them.\n\n"
	    "Reported from 1024 classes on, where logits and gradient together are 256 MiB or "
	    "more, and a quarter of the device (without one, 1 GiB and half of the arena).\n\n"
	    "chunk_loss auto, the default, makes the logits of a dense layer some rows at a time, "
	    "so that they never exist together. It cannot where something else reads them, or "
	    "where they do not come straight out of a dense layer. The finding says what it would "
	    "save, planned.",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
