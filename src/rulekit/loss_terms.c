/* Losses taken apart. */
#include "rulekit/loss_terms.h"

#include "rulekit/graph_query.h"

#define MOST_VISITS	1024	/* nodes on the way to terms, of which sums may read one again and again */

bool
node_is_average(const struct node *n)
{
	return node_is(n, "mean") || node_is(n, "sum") || node_is(n, "average") || node_is(n, "reshape");
}

static void
add(struct loss_terms *s, const struct result *in, const struct tensor *t, double factor)
{
	const struct node *n = t->def;
	bool sum = node_is(n, "add"), difference = node_is(n, "sub");

	if (s->visits++ >= MOST_VISITS || s->n == MOST_TERMS) {
		s->all = false;
	} else if (n && (node_is_average(n) || node_is(n, "neg"))) {
		add(s, in, n->in[0], node_is(n, "neg") ? -factor : factor);
	} else if (node_is(n, "scale")) {
		add(s, in, n->in[0], factor * op_real(n, "factor"));
	} else if ((sum || difference) && n->nin == 2) {
		add(s, in, n->in[0], factor);
		add(s, in, n->in[1], difference ? -factor : factor);
	} else if (factor != 0) {
		s->v[s->n++] = (struct loss_term){ t, factor, in };
	}
}

void
loss_terms_add(struct loss_terms *s, const struct result *loss)
{
	add(s, loss, loss->tensor, 1);
}
