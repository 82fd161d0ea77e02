/*
 * Moves and what they are worth, as estimated from the last trial: the excess that lies in the time
 * for which a tensor is idle, and the cost of recomputing the tensor.
 */
#include "schedule/recompute_impl.h"

#define DEEPEST		50	/* nodes looked at to estimate what a tensor costs */

double
search_cost(const struct state_search *s)
{
	const struct trial *t = s->m->trial;

	return (double)t->macs + s->traffic * (double)t->traffic;
}

bool
search_allowed(const struct state_search *s)
{
	const struct trial *t = s->m->trial;

	return t->valid && (s->limits->products || t->macs <= s->macs);
}

double
search_excess(const struct state_search *s)
{
	const struct trial *t = s->m->trial;
	double sum = 0;
	int i;

	for (i = 0; i < t->nevents; i++)
		if (t->live[i] > s->aim)
			sum += (double)(t->live[i] - s->aim);
	return sum;
}

/* ---- estimates ---- */

void
search_sum_excess(struct state_search *s)
{
	const struct trial *t = s->m->trial;
	int i;

	s->highest = 1;
	for (i = 0; i < t->nevents; i++) {
		int64_t above = t->live[i] > s->aim ? t->live[i] - s->aim : 0;

		s->above[i + 1] = s->above[i] + (double)above;
		if (above > s->highest)
			s->highest = above;
	}
}

double
search_relief(const struct state_search *s, int64_t bytes, int beg, int end)
{
	double share = bytes < s->highest ? (double)bytes / (double)s->highest : 1;

	return end > beg ? (s->above[end] - s->above[beg]) * share : 0;
}

/* Adds what it takes to make a value again, with all that is not there either. */
static void
add_remake(struct state_search *s, int v, struct remake_cost *c)
{
	const struct model *m = s->m;
	const struct model_node *n;
	int k;

	if (m->value[v].persistent || m->value[v].def < 0 || m->state[m->value[v].root] == KEEP)
		return;
	n = &m->node[m->value[v].def];
	if (s->seen[m->value[v].def] == s->seeing || ++c->nodes > DEEPEST)
		return;
	s->seen[m->value[v].def] = s->seeing;
	c->macs += (double)n->again->macs;
	c->traffic += (double)n->again->traffic;
	for (k = 0; k < n->again->nin; k++)
		if (n->again->in[k] >= 0 && (m->trial->current[n->again->in[k]] < 0 ||
		    m->state[m->value[n->again->in[k]].root] == EACH))
			add_remake(s, n->again->in[k], c);
}

struct remake_cost
search_remake_cost(struct state_search *s, int v)
{
	struct remake_cost c = { 0 };

	s->seeing++;
	add_remake(s, v, &c);
	s->m->effort += c.nodes;
	s->m->work += c.nodes;
	return c;
}

/* ---- moves ---- */

static void
change(struct state_search *s, int v, enum recompute_state to)
{
	s->change[s->nchanges++] = (struct change){ v, s->m->state[v] };
	tried_change(s, v, s->m->state[v], (int)to);
	s->m->state[v] = (unsigned char)to;
}

void
moves_take_back(struct state_search *s)
{
	while (s->nchanges > 0) {
		s->nchanges--;
		tried_change(s, s->change[s->nchanges].value,
		    s->m->state[s->change[s->nchanges].value], s->change[s->nchanges].old);
		s->m->state[s->change[s->nchanges].value] = s->change[s->nchanges].old;
	}
}

/* The root of the k-th input of what makes V, if keeping it would spare products; else -1. */
static int
dear_input(struct state_search *s, int v, int k)
{
	const struct model *m = s->m;
	int in = m->node[m->value[v].def].again->in[k], root = in < 0 ? -1 : m->value[in].root;

	if (root < 0 || m->state[root] == KEEP || m->value[root].fixed || m->value[root].settled ||
	    search_remake_cost(s, root).macs == 0)
		return -1;
	return root;
}

void
move_make(struct state_search *s, const struct move *move)
{
	const struct model *m = s->m;
	int v = move->value, n, k, in;

	if (move->kind != EXCHANGE) {
		change(s, v, (enum recompute_state)move->kind);
		return;
	}
	change(s, v, AGAIN);
	n = m->node[m->value[v].def].again->nin;
	for (k = 0; k < n && k < MOST_EXCHANGED; k++)
		if ((in = dear_input(s, v, k)) >= 0)
			change(s, in, KEEP);
}

/* Bytes that would have to be kept in exchange for V. */
static int64_t
exchanged(struct state_search *s, int v)
{
	const struct model *m = s->m;
	int n = m->node[m->value[v].def].again->nin, k, in;
	int64_t bytes = 0;

	for (k = 0; k < n && k < MOST_EXCHANGED; k++)
		if ((in = dear_input(s, v, k)) >= 0)
			bytes += m->value[in].bytes;
	return bytes;
}

static void
propose(struct state_search *s, int v, enum move_kind kind, double gain)
{
	struct move move = { .value = v, .kind = kind, .gain = gain };
	struct remake_cost c;

	if (gain <= 0 || s->until[MOVE_KINDS * v + (int)kind] > s->made)
		return;
	move_make(s, &move);
	c = search_remake_cost(s, v);
	moves_take_back(s);
	move.score = gain / (c.macs + s->traffic * c.traffic + 1);
	if (kind == TO_KEEP)
		move.untouched = vain_untouched(s, v);
	if (c.macs == 0 || s->limits->products)
		s->move[s->nmoves++] = move;
}

static void
propose_drop(struct state_search *s, int v)
{
	const struct trial *t = s->m->trial;
	int64_t bytes = s->m->value[v].bytes, other;

	if (t->times[v].back < 0)
		return;
	propose(s, v, TO_AGAIN, search_relief(s, bytes, t->left[v] + 1, t->times[v].back));
	other = exchanged(s, v);
	if (other > 0 && other < bytes)
		propose(s, v, EXCHANGE, search_relief(s, bytes - other, t->left[v] + 1, t->times[v].back));
}

void
moves_propose(struct state_search *s)
{
	const struct model *m = s->m;
	const struct trial *t = m->trial;
	int i;

	s->nmoves = 0;
	search_sum_excess(s);
	vain_note(s);
	for (i = 0; i < s->n; i++) {
		int v = s->candidate[i], copy = t->current[v];
		int64_t bytes = m->value[v].bytes;

		if (m->state[v] == KEEP) {
			propose_drop(s, v);
		} else if (copy >= 0) {
			int h = t->overwrites[t->root[copy]], beg = t->times[h].first, end = t->times[h].last;

			if (m->state[v] == AGAIN)
				propose(s, v, TO_EACH, search_relief(s, bytes, beg + 1, end));
			propose(s, v, TO_KEEP, search_relief(s, bytes, beg, end) / 64);
		}
	}
}

