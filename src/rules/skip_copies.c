/*
 * skip-copies: concatenations that copy both of their sides, which are alive as well. Where a
 * convolution reads what is joined, nothing is copied (passes/concat_in_place.c); an activation or
 * a normalisation between makes it a third tensor. By default such copies are recomputed in
 * backward where that lowers the peak; what it saves is planned where the spec says otherwise. Long
 * chains are concat-growth's.
 */
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"

#include "fit/whatif.h"

#define LONGEST_CHAIN	3

struct skips {
	int n;
	int64_t bytes, most;
	const struct node *largest;
};

static bool
side_is_alive(const struct module *m, const struct node *n)
{
	int i;

	for (i = 0; i < n->nin; i++)
		if (measure_at_peak(m, n->in[i]) && plan_buffer(m->plan, n->in[i]) !=
		    plan_buffer(m->plan, n->out[0]))
			return true;
	return false;
}

static struct skips
find(const struct module *m)
{
	int *chain = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*chain));
	struct skips s = { 0 };
	int i, j;

	for (i = 0; i < m->train->nodes.n; i++) {
		const struct node *n = m->train->nodes.v[i];
		int64_t bytes;

		if (n->phase != PHASE_FORWARD || n->again || !node_is(n, "concat"))
			continue;
		for (j = 0; j < n->nin; j++)
			if (chain[n->in[j]->id] > chain[n->out[0]->id])
				chain[n->out[0]->id] = chain[n->in[j]->id];
		if (++chain[n->out[0]->id] > LONGEST_CHAIN || !measure_at_peak(m, n->out[0]) ||
		    !side_is_alive(m, n))
			continue;
		bytes = affine_at(tensor_bytes(n->out[0]), m->plan->batch);
		s.n++;
		s.bytes += bytes;
		if (bytes > s.most) {
			s.most = bytes;
			s.largest = n;
		}
	}
	return s;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct settings set = m->set;
	struct skips s = { 0 };
	struct diag *g;

	if (m->train)
		s = find(m);
	if (s.n == 0 || !measure_is_hazard(m, s.bytes))
		return;
	g = lint_report(l, rule, s.largest->loc, "%d concatenation%s cop%s what is alive already: "
	    "%s at the peak, %s", s.n, s.n == 1 ? "" : "s", s.n == 1 ? "ies" : "y",
	    lint_human(m->arena, s.bytes), measure_share(m, s.bytes));
	diag_fact(l->diags, g, "the largest, '%s', is %s, %s B at micro-batch %lld, and so are its "
	    "sides together; grows with B·C·H·W", s.largest->path,
	    tensor_shape_text(m->arena, s.largest->out[0]), lint_commas(m->arena, s.most),
	    (long long)m->plan->batch);
	set.recompute = RECOMPUTE_CHEAP;
	if (m->set.recompute != RECOMPUTE_CHEAP)
		measure_saving(l, g, whatif(m, &set), "recompute as it is by default, for no more "
		    "multiply-adds,");
	diag_help(l->diags, g, "a convolution that is the only one to read a concat reads its "
	    "sides where they lie: an activation between may come before the concat, on each side");
}

const struct rule rule_skip_copies = {
	.id = "SW117",
	.name = "skip-copies",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "concatenations of skips copy both sides, which are kept as well",
	.doc = "concat makes a tensor of e B (C1 + C2) H W bytes out of two that together are as "
	    "large. In a U-Net one of them is the skip, which its own layers keep, and at the "
	    "highest resolution these are the largest tensors of all; frameworks copy always. "
	    "Here a convolution that alone reads a concat reads the sides where they lie; with "
	    "relu or batchnorm between, as pix2pix has them, the copy is made and kept.\n\n"
	    "Reported where copies whose sides are alive too take, at the peak, 256 MiB or more, "
	    "and a quarter of the device (without one, 1 GiB and half of the arena).\n\n"
	    "To make them again in backward costs copying and no arithmetic, and is done by "
	    "default; what that takes is planned where recompute says otherwise. An activation "
	    "gives the same before the concat, on each side, as behind it, and then nothing is "
	    "copied. Volumes are worst: 3-D U-Nets fit batches of 1 or 2 for it.",
	.check = check,
	.needs = NEEDS_SKETCH,
};
