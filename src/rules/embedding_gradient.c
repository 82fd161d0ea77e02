/*
 * embedding-gradient: the gradient of an embedding's table, and the state of an optimizer, are as
 * large as the table, though a batch names few of its rows. Reads the forward graph, and the plan
 * for what is really there: momentum may hold the gradient, and sgd without it needs none
 * (passes/table_rows.c). What that would take is planned, with the same learning rate; it must be
 * tuned anew.
 */
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"
#include "rulekit/place_set.h"

#include "fit/whatif.h"

#define NARROWER	4	/* times, in the help */

/* Bytes of a table that is trained as a whole, with all that its training takes; else 0. */
static int64_t
trained_bytes(const struct module *m, struct node *const *update, const struct node *n)
{
	const struct node *u = node_is(n, "embedding") && n->in[1] ? update[n->in[1]->id] : NULL;

	return u && !node_is(u, "embedding_sgd") ? measure_trained_bytes(m, update, n->in[1]) : 0;
}

/* The module with the plainest optimizer, and no factor of all gradients; NULL where it has no
 * plan. */
static struct module *
with_plain_sgd(struct module *m)
{
	struct settings set = m->set;
	const struct op *sgd = op_find("sgd");
	int i;

	set.optimizer = sgd;
	set.optimizer_attr = arena_array(m->arena, MAX_ATTRS, sizeof(*set.optimizer_attr));
	for (i = 0; i < op_nattrs(sgd); i++)
		op_attr_preset(&sgd->attrs[i], &set.optimizer_attr[i]);
	set.clip = 0;
	return whatif(m, &set);
}

static void
tell(struct lint *l, struct diag *g, const struct node *n, int64_t bytes)
{
	struct module *m = l->module;
	const struct tensor *w = n->in[1];
	int64_t tokens = affine_at(tensor_elements(n->in[0]), m->plan->batch);

	diag_fact(l->diags, g, "its weight %s is %s B; with gradient and optimizer state %s B, whatever the "
	    "batch, which names at most %s of %s rows", tensor_shape_text(m->arena, w),
	    lint_commas(m->arena, affine_at(tensor_bytes(w), 1)), lint_commas(m->arena, bytes),
	    lint_commas(m->arena, tokens < w->dim[0] ? tokens : w->dim[0]),
	    lint_commas(m->arena, w->dim[0]));
	measure_saving(l, g, with_plain_sgd(m), "sgd without momentum, weight_decay and clip (its learning "
	    "rate is another)");
	if (w->dim[1] >= 64 * NARROWER)
		diag_help(l->diags, g, "embedding(%lld, %lld) -> dense(%lld) trains a table of %s in place "
		    "of %s", (long long)w->dim[0], (long long)w->dim[1] / NARROWER, (long long)w->dim[1],
		    lint_human(m->arena, bytes / NARROWER), lint_human(m->arena, bytes));
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct node **update = measure_updates(m);
	struct place_set reported = { NULL };
	int i;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		int64_t bytes = trained_bytes(m, update, n);
		struct diag *g;

		if (!measure_is_hazard(m, bytes) || !place_is_new(&reported, l, rule, n->loc))
			continue;
		update[n->in[1]->id] = NULL;	/* a shared table is reported once */
		g = lint_report(l, rule, n->loc, "'%s' trains a table of %s rows as a whole: %s, %s", n->path,
		    lint_commas(m->arena, n->in[1]->dim[0]), lint_human(m->arena, bytes),
		    measure_share(m, bytes));
		tell(l, g, n, bytes);
	}
}

static bool
may_find(const struct module *m)
{
	struct node **update = measure_updates(m);
	int i;

	for (i = 0; i < m->forward->nodes.n; i++)
		if (measure_may_be_hazard(m, trained_bytes(m, update, m->forward->nodes.v[i])))
			return true;
	return false;
}

const struct rule rule_embedding_gradient = {
	.id = "SW121",
	.name = "embedding-gradient",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "a large embedding is trained as a whole, though a batch names few of its rows",
	.doc = "A batch of B texts of T tokens names at most B T rows of a table of V. But an optimizer with "
	    "momentum, moments or decay changes every row in every step, and so the weight, its gradient and "
	    "the state take e V D (2 + S) bytes, with rows of D numbers of e bytes and S optimizer slots (0 "
	    "for sgd, 1 with momentum, 2 for adam); no smaller batch helps.\n\n"
	    "Reported where that is 256 MiB or more, and a quarter of the device (without one, 1 GiB and half "
	    "of the arena). Where the gradient is added straight onto the momentum it takes nothing of its "
	    "own, and is not counted.\n\n"
	    "sgd without momentum, weight_decay and clip updates the rows of the tokens alone, without a "
	    "gradient; the finding says what it would take, planned. Else make the table smaller: fewer rows, with "
	    "one for all rare words, or narrower ones and a dense layer behind them, as ALBERT has it. Seen "
	    "in bilm-tf #53, where the gradient of 5.5 million rows of 512 is 11.2 GB.",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
