/*
 * concat-growth: a chain of concatenations each of which copies all before it, as in DenseNet. What
 * counts is how many of them backward keeps: those alive at the plan's peak. The cure is to
 * recompute them in backward, by default or by name. Both are planned; advised is the one whose
 * plan this rule finds nothing in, or else the one that takes less.
 */
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"
#include "rulekit/place_set.h"

#include "fit/whatif.h"

#define SHORTEST_CHAIN	4

struct concat_chain {			/* a chain of concatenations, up to and including one */
	int length, alive;
	int64_t bytes;		/* of those alive at the peak */
	int64_t all;
	const struct node *before;
};

struct concat_chains {			/* of a graph */
	struct concat_chain *of;	/* by tensor id: that which ends there */
	bool *inner;		/* by tensor id: another concatenation goes on from there */
};

/* Extends the longest chain among the operands. */
static struct concat_chain
extend(struct module *m, const struct concat_chain *of, const struct node *n)
{
	struct concat_chain c = { .length = 0 };
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
name_chain(struct module *m, struct settings *set, const struct concat_chain *of,
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

/* Is the chain that ends with N a finding? */
static bool
is_found(const struct module *m, const struct concat_chains *c, const struct node *n)
{
	const struct concat_chain *one = n->nout && n->out[0] ? &c->of[n->out[0]->id] : NULL;

	return one && one->length >= SHORTEST_CHAIN && !c->inner[n->out[0]->id] && one->alive > 1 &&
	    measure_is_hazard(m, one->bytes);
}

static struct concat_chains
chains_of(struct module *m)
{
	const struct graph *g = m->train;
	struct concat_chains c = {
		arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*c.of)),
		arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*c.inner)),
	};
	int i, j;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		if (n->phase != PHASE_FORWARD || n->again || !node_is(n, "concat"))
			continue;
		c.of[n->out[0]->id] = extend(m, c.of, n);
		for (j = 0; j < n->nin; j++)
			c.inner[n->in[j]->id] = true;
	}
	return c;
}

/* Would the rule still find something in that plan? */
static bool
is_left(struct module *m)
{
	struct concat_chains c = chains_of(m);
	int i;

	for (i = 0; i < m->train->nodes.n; i++)
		if (is_found(m, &c, m->train->nodes.v[i]))
			return true;
	return false;
}

static void
advise(struct lint *l, struct diag *g, const struct concat_chain *of, const struct node *last)
{
	struct module *m = l->module, *named, *preset = NULL;
	struct settings set = m->set;
	bool cured;

	name_chain(m, &set, of, last);
	named = whatif(m, &set);
	set.recompute = RECOMPUTE_CHEAP;
	if (m->set.recompute != RECOMPUTE_CHEAP)
		preset = whatif(m, &set);
	if (named && preset && is_left(named) == is_left(preset))
		*(named->plan->arena_bytes < preset->plan->arena_bytes ? &preset : &named) = NULL;
	else if (named && preset)
		*(is_left(named) ? &named : &preset) = NULL;
	cured = !is_left(named ? named : preset ? preset : m);
	measure_saving(l, g, preset, "recompute as it is by default");
	measure_saving(l, g, named, "recompute, naming these layers,");
	if (!cured)
		diag_help(l->diags, g, "such a chain stays large: fewer layers in a row, fewer "
		    "channels a layer, or a smaller batch");
}

static void
report(const struct rule *rule, struct lint *l, const struct concat_chain *of,
    const struct node *last)
{
	struct module *m = l->module;
	const struct concat_chain *c = &of[last->out[0]->id];
	struct diag *g;

	g = lint_report(l, rule, last->loc, "%d concatenations in a row hold %s at the peak: %s",
	    c->length, lint_human(m->arena, c->bytes), measure_share(m, c->bytes));
	diag_fact(l->diags, g, "%d of them are kept for backward; the last, '%s', is %s B and has "
	    "all that the others hold", c->alive, last->path,
	    lint_commas(m->arena, affine_at(tensor_bytes(last->out[0]), m->plan->batch)));
	diag_fact(l->diags, g, "all together %s B at micro-batch %lld; grows with B·L²",
	    lint_commas(m->arena, c->all), (long long)m->plan->batch);
	advise(l, g, of, last);
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct graph *g = m->train;
	struct place_set reported = { NULL };
	struct concat_chains c;
	int i;

	if (!g)
		return;
	c = chains_of(m);
	for (i = 0; i < g->nodes.n; i++)
		if (is_found(m, &c, g->nodes.v[i]) &&
		    place_is_new(&reported, l, rule, g->nodes.v[i]->loc))
			report(rule, l, c.of, g->nodes.v[i]);
}

static bool
may_find(const struct module *m)
{
	int64_t bytes = 0;
	int i, n = 0;

	for (i = 0; m->train && i < m->train->nodes.n; i++) {
		const struct node *node = m->train->nodes.v[i];

		if (node->phase == PHASE_FORWARD && node_is(node, "concat")) {
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
	    "To make them again in backward costs copying and no arithmetic. That is what "
	    "recompute does by default; where it is not enough, name these layers. The finding "
	    "advises what leaves nothing to find, and says what that takes, planned. Seen in "
	    "torchvision #797, where a DenseNet went from 1668 to 1115 MB.",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
