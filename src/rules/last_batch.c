/*
 * last-batch: an epoch's samples are no multiple of the batch, so that its last update is an
 * average over fewer samples, where the spec says how many samples there are; or no batch is full,
 * where the spec or the files do.
 */
#include "rulekit/data_look.h"
#include "rulekit/fix_edits.h"

#define FEW	8	/* the last update has less than one part in so many of a batch */

/* So many samples that all batches are full. */
static void
fix(struct lint *l, struct diag *g, int64_t samples)
{
	const char *text = arena_printf(l->module->arena, "%lld", (long long)samples);
	const struct setting *data;
	const struct expr *e;
	struct amend m;

	if (!fix_amend(l, &m) || !(data = amend_find(&m, SEC_TRAIN, "data")))
		return;
	e = data->value[0];
	if (e->kind == E_CALL && e->nargs == 1 &&
	    (e->arg[0].value->kind == E_NUM || e->arg[0].value->kind == E_NAME) &&
	    amend_value(&m, e->arg[0].value, text, false))
		fix_amended(l, g, false, &m, arena_printf(m.arena, "make %s samples", text));
}

/* Fewer samples than one batch. */
static void
tell_never_full(const struct rule *rule, struct lint *l, int64_t n, int64_t batch)
{
	struct diag *g = lint_report(l, rule, l->module->set.batch_loc, "no batch is full: the data have %lld sample%s, and a batch %lld",
	    (long long)n, n == 1 ? "" : "s", (long long)batch);

	diag_fact(l->diags, g, "an epoch is one update, over all of them; memory is planned for %lld", (long long)batch);
	diag_help(l->diags, g, "batch %lld or less; or more samples", (long long)n);
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	int64_t n = m->set.data.samples, batch = m->set.batch, rest;
	struct diag *g;

	if (!m->train)
		return;
	if (n == 0 && (n = data_samples(l, &m->set.data)) >= batch)
		return;		/* of files it is told of no more */
	if (n > 0 && n < batch)
		tell_never_full(rule, l, n, batch);
	if (n <= batch)
		return;
	rest = n % batch;
	if (rest == 0 || rest >= batch / FEW)
		return;
	g = lint_report(l, rule, m->set.batch_loc, "the last update of each epoch averages over "
	    "%lld sample%s, not %lld", (long long)rest, rest == 1 ? "" : "s", (long long)batch);
	diag_fact(l->diags, g, "%lld samples are %lld batch%s of %lld and %lld; each of those few "
	    "weighs %.3g times as much as another", (long long)n, (long long)(n / batch), n / batch == 1 ? "" : "es",
	    (long long)batch, (long long)rest, (double)batch / (double)rest);
	diag_fact(l->diags, g, "no byte more here: it runs in the same buffers. A caching "
	    "allocator gets a new size for every tensor");
	fix(l, g, n - rest);
}

const struct rule rule_last_batch = {
	.id = "SW301",
	.name = "last-batch",
	.family = FAMILY_TRAINING,
	.severity = SEV_NOTE,
	.brief = "the last batch of each epoch has only a few samples, or none is full",
	.doc = "When the samples are no multiple of the batch, the last update of each epoch is "
	    "an average over what is left. If that is little, its gradient is noisy, yet steps as "
	    "far as any other; batch normalisation over a handful of samples is noisier still. In "
	    "frameworks with caching allocators its new sizes also fragment memory (pytorch "
	    "#4864); here it runs in the same buffers.\n\n"
	    "Reported where less than an eighth of a batch is left, and where the spec says how "
	    "many samples there are. Choose a batch that divides them, or nearly. "
	    "Reported, too, where no batch is full, by the spec or the first part of the files.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
