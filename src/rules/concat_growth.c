/*
 * concat-growth: a chain of concatenations each of which copies all before it, as in DenseNet. What
 * counts is how many of them backward keeps: those alive at the plan's peak. The cure, making them
 * again in backward, is planned.
 */
#include "rules/measure.h"

#include "model/whatif.h"

#define SHORTEST_CHAIN	4

struct chain {			/* of concatenations, up to and including one */
	int length, alive;
	int64_t bytes;		/* of those alive at the peak */
	int64_t all;
	const struct node *before;
};

/* Extends the longest chain among the operands. */
static struct chain
extend(struct module *m, const struct chain *of, const struct node *n)
{
	struct chain c = { .length = 0 };
	int64_t bytes = affine_at(tensor_bytes(n->out[0]), m->plan->batch);
	int i;

	for (i = 0; i < n->nin; i++) {
		const struct tensor *t = n->in[i];

		if (t && t->def && of[t->id].length > c.length) {
			c = of[t->id];
			c.before = t->def;
		}
	}
	c.length++;
	c.all += bytes;
	if (measure_at_peak(m, n->out[0])) {
		c.alive++;
		c.bytes += bytes;
	}
	return c;
}

/* The settings with recompute naming each of the chain, besides what is named already. */
static void
name_chain(struct module *m, struct settings *set, const struct chain *of,
    const struct node *last)
{
	const struct node *n;
	int k = 0, old = m->set.recompute == RECOMPUTE_PATTERN ? m->set.nrecompute : 0;

	set->recompute_pattern = arena_array(m->arena, (size_t)(of[last->out[0]->id].length + old),
	    sizeof(*set->recompute_pattern));
	for (; k < old; k++)
		set->recompute_pattern[k] = m->set.recompute_pattern[k];
	for (n = last; n; n = of[n->out[0]->id].before)
		set->recompute_pattern[k++] = (struct pattern){ n->path, n->loc };
	set->nrecompute = k;
	set->recompute = RECOMPUTE_PATTERN;
}

static void
report(const struct rule *rule, struct lint *l, const struct chain *of, const struct node *last)
{
	struct module *m = l->module;
	const struct chain *c = &of[last->out[0]->id];
	struct settings set = m->set;
	struct diag *g;

	g = lint_report(l, rule, last->loc, "%d concatenations in a row hold %s at the peak: %s",
	    c->length, lint_human(m->arena, c->bytes), measure_share(m, c->bytes));
	diag_fact(l->diags, g, "%d of them are kept for backward; the last, '%s', is %s B and has "
	    "all that the others hold", c->alive, last->path,
	    lint_commas(m->arena, affine_at(tensor_bytes(last->out[0]), m->plan->batch)));
	diag_fact(l->diags, g, "all together %s B at micro-batch %lld; grows with B·L²",
	    lint_commas(m->arena, c->all), (long long)m->plan->batch);
	name_chain(m, &set, of, last);
	measure_cure(l, g, whatif(m, &set), "recompute, naming these layers,");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct graph *g = m->train;
	struct once once = { NULL };
	struct chain *of;
	bool *inner;
	int i, j;

	if (!g)
		return;
	of = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*of));
	inner = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*inner));
	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		if (n->phase != PHASE_FORWARD || n->again || !measure_is(n, "concat"))
			continue;
		of[n->out[0]->id] = extend(m, of, n);
		for (j = 0; j < n->nin; j++)
			inner[n->in[j]->id] = true;
	}
	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];
		const struct chain *c = n->nout && n->out[0] ? &of[n->out[0]->id] : NULL;

		if (!c || c->length < SHORTEST_CHAIN || inner[n->out[0]->id] || c->alive < 2 ||
		    !measure_is_hazard(m, c->bytes) || !once_more(&once, l, rule, n->loc))
			continue;
		report(rule, l, of, n);
	}
}

static bool
may_find(const struct module *m)
{
	int64_t bytes = 0;
	int i, n = 0;

	for (i = 0; m->train && i < m->train->nodes.n; i++) {
		const struct node *node = m->train->nodes.v[i];

		if (node->phase == PHASE_FORWARD && measure_is(node, "concat")) {
			bytes += affine_at(tensor_bytes(node->out[0]), m->plan->batch);
			n++;
		}
	}
	return n >= SHORTEST_CHAIN && measure_may_be_hazard(m, bytes);
}

const struct rule rule_concat_growth = {
	.id = "SW105",
	.name = "concat-growth",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "concatenations that each copy all before them grow as the square of their number",
	.doc = "In a dense block each layer appends g channels to all before it. As copies these "
	    "are the sum of k + l g over l = 1..L, each times e B H W bytes: they grow with the "
	    "square of the depth L, though all numbers there are fit in the last one.\n\n"
	    "Reported for four or more concatenations in a row, where those that backward keeps "
	    "are 256 MiB or more, and a quarter of the device (without one, 1 GiB and half of the "
	    "arena).\n\n"
	    "To make them again in backward costs copying and no arithmetic: recompute with the "
	    "names of these layers, or recompute auto. The finding says what that takes, planned. "
	    "Seen in torchvision #797, where a DenseNet went from 1668 to 1115 MB.",
	.check = check,
	.may_find = may_find,
};
