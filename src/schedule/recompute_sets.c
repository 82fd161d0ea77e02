/*
 * The step as events over sets of tensors, and a bound from below for what remains to be paid: each
 * tensor that is missing and needed is made again at least once, with what it is made from; and
 * where a node to come needs more than the budget with all that is there, so many bytes must go,
 * and come back, the cheapest first (the fractional knapsack: no choice of whole tensors is
 * cheaper).
 */
#include "schedule/recompute_exact.h"

#include <math.h>
#include <string.h>

#define SMALL		2000	/* a tensor below this part of the peak is left as it is */
#define MOST_LOOKS	64	/* for one bound, */
#define FEW_LOOKS	16	/* and where there are so many bits that the search will hardly end */

enum { NOBODY = -1, MANY = -2 };

struct making {
	struct sets *s;
	int *reader;		/* by value, of roots: the one node that reads it; or NOBODY or MANY do */
	int *bit;		/* by value, of roots; -1: none */
	int *first, *last;	/* by value, of roots: nodes that use it */
	bool *passed;		/* by value: is made again on the way to another alone */
	int *changes;		/* by value, of roots: the first node that changes it, if it persists */
};

static inline uint64_t
bit_of(const struct making *k, int v)
{
	int b = v < 0 ? -1 : k->bit[k->s->m->value[v].root];

	return b < 0 ? 0 : (uint64_t)1 << b;
}

static inline bool
own_bytes(const struct model *m, int v)
{
	return v >= 0 && !m->value[v].persistent && m->value[v].root == v;
}

/* ---- bits ---- */

static void
find_uses(struct making *k)
{
	memset(k->bit, -1, (size_t)k->s->m->nvalues * sizeof(*k->bit));
	step_lives(k->s->m, k->first, k->last);
}

/* Nodes that read a value in their turn, or when they run again. */
static void
note_readers(struct making *k)
{
	const struct model *m = k->s->m;
	int i, j, again;

	for (i = 0; i < m->nvalues; i++)
		k->reader[i] = NOBODY;
	for (i = 0; i < m->nnodes; i++)
		for (again = 0; again <= m->node[i].repeatable; again++) {
			const int *in = again ? m->node[i].again->in : m->node[i].in;

			for (j = 0; j < (again ? m->node[i].again->nin : m->node[i].nin); j++) {
				int root = in[j] < 0 ? -1 : m->value[in[j]].root;

				if (root >= 0)
					k->reader[root] = k->reader[root] == NOBODY || k->reader[root] == i ? i : MANY;
			}
		}
	for (i = 0; i < m->nresults; i++)
		k->reader[m->value[m->result[i]].root] = MANY;
}

static bool
is_free(const struct model *m, int v)
{
	const struct model_value *x = &m->value[v];

	return x->root == v && !x->persistent && !x->settled && !x->fixed && x->def >= 0 &&
	    x->def < m->forward && m->node[x->def].nout == 1;
}

/* The value that the node reads alone, in whose place it puts what it makes of it and of what
 * lasts; or -1. */
static int
made_in_place_of(const struct making *k, int node)
{
	const struct model *m = k->s->m;
	const struct model_node *n = &m->node[node];
	int j, at = -1;

	if (!n->repeatable || n->nout != 1 || !is_free(m, n->out[0]))
		return -1;
	for (j = 0; j < n->again->nin; j++) {
		int v = n->again->in[j];

		if (v < 0 || m->value[v].persistent)
			continue;
		if (at >= 0)
			return -1;
		at = j;
	}
	if (at < 0 || !is_free(m, n->again->in[at]) || k->reader[n->again->in[at]] != node ||
	    !step_may_lie_on(m, n->again->in, n->again->nin, n->again->over, at, n->out[0]))
		return -1;
	return n->again->in[at];
}

/* Such values are no question of their own: each is made again on the way to the other, and only
 * so. */
static void
find_ways(struct making *k)
{
	struct sets *s = k->s;
	const struct model *m = s->m;
	int i, x;

	for (i = 0; i < m->nvalues; i++)
		s->way[i] = -1;
	note_readers(k);
	for (i = 0; i < m->forward; i++)
		if ((x = made_in_place_of(k, i)) >= 0 && s->way[x] < 0)
			s->way[m->node[i].out[0]] = x;
	for (i = 0; i < m->nvalues; i++)
		if (s->way[i] >= 0)
			k->passed[s->way[i]] = true;
}

/* Whose keeping is a question: what can be made again, and what something is made from. */
static bool
add_bits(struct making *k)
{
	struct sets *s = k->s;
	const struct model *m = s->m;
	bool *source = arena_array(m->arena, (size_t)m->nvalues + 1, sizeof(*source));
	int i, j;

	for (i = 0; i < m->forward; i++)
		for (j = 0; m->node[i].repeatable && j < m->node[i].again->nin; j++)
			if (m->node[i].again->in[j] >= 0)
				source[m->value[m->node[i].again->in[j]].root] = true;
	for (i = 0; i < m->nvalues; i++) {
		const struct model_value *v = &m->value[i];

		if (k->passed[i] || v->root != i || v->persistent || v->settled || k->last[i] < 0 ||
		    v->def >= m->forward || (v->fixed && !source[i]) ||
		    v->bytes <= m->trial->peak / SMALL)
			continue;
		if (s->n == MOST_BITS)
			return false;
		s->bytes[s->n] = v->bytes;
		s->value[s->n] = i;
		k->bit[i] = s->n++;
		if (v->def < 0)
			s->first |= bit_of(k, i);
	}
	return true;
}

/* ---- events ---- */

static void
add_overwriting(const struct making *k, struct set_event *e, const struct model_node *n, int node, bool again)
{
	const struct model *m = k->s->m;
	const int *in = again ? n->again->in : n->in;
	struct overwriting over = again ? n->again->over : n->over;
	int nin = again ? n->again->nin : n->nin, out = n->nout ? n->out[0] : -1, j;

	for (j = 0; j < nin; j++) {
		if (!step_may_lie_on(m, in, nin, over, j, out))
			continue;
		if (!bit_of(k, in[j]) && !again && k->last[m->value[in[j]].root] == node) {
			e->bytes -= m->value[out].bytes;
			e->over = 0;
			return;
		}
		if (!e->over && (e->over = bit_of(k, in[j])))
			e->spared = m->value[out].bytes;
	}
}

static void
add_inputs(const struct making *k, struct set_event *e, const int *in, int nin)
{
	int j;

	for (j = 0; j < nin; j++)
		e->reads |= bit_of(k, in[j]);
}

static struct set_event
own_event(const struct making *k, int node)
{
	const struct model *m = k->s->m;
	const struct model_node *n = &m->node[node];
	struct set_event e = { .bytes = n->work };
	int j;

	add_inputs(k, &e, n->in, n->nin);
	for (j = 0; j < n->nout; j++)
		if (own_bytes(m, n->out[j]) && bit_of(k, n->out[j])) {
			e.makes |= bit_of(k, n->out[j]);
			e.bytes += m->value[n->out[j]].bytes;
		}
	add_overwriting(k, &e, n, node, false);
	return e;
}

/* A value is made again, from what is there. */
static struct set_event
make_event(const struct making *k, int v)
{
	const struct model *m = k->s->m;
	int def = m->value[v].def, j;
	struct set_event e = { .cost = HUGE_VAL, .before = m->nnodes };
	const struct model_node *n = &m->node[def < 0 ? 0 : def];

	if (def < 0 || m->value[v].fixed)
		return e;
	e.cost = (double)n->again->macs + TRAFFIC * (double)n->again->traffic;
	e.bytes = n->again->work;
	e.before = step_made_before(m, n, k->changes);
	add_inputs(k, &e, n->again->in, n->again->nin);
	for (j = 0; j < n->nout; j++)
		if (step_makes_again(m, n, j))
			e.bytes += m->value[n->out[j]].bytes;
	e.makes = bit_of(k, v);
	add_overwriting(k, &e, n, def, true);
	return e;
}

/* The same with what is made on the way. */
static struct set_event
again_event(const struct making *k, int v)
{
	struct set_event e = make_event(k, v), way;
	int x = k->s->way[v];

	if (x < 0)
		return e;
	way = make_event(k, x);
	e.reads |= way.reads;
	e.cost += way.cost;
	e.before = way.before < e.before ? way.before : e.before;
	e.over = way.over;
	e.spared = way.spared;
	e.bytes = way.bytes > e.bytes ? way.bytes : e.bytes;	/* it lies on X */
	return e;
}

/* What is no bit, by node: while it runs, and before. */
static void
add_lives(struct making *k)
{
	struct sets *s = k->s;
	const struct model *m = s->m;
	int64_t *at = arena_array(m->arena, (size_t)m->nnodes + 2, sizeof(*at));
	int i;

	for (i = 0; i < m->nvalues; i++)
		if (own_bytes(m, i) && k->bit[i] < 0 && k->first[i] >= 0) {
			int end = k->last[i] < m->nnodes ? k->last[i] + 1 : m->nnodes;

			at[k->first[i]] += m->value[i].bytes;
			at[end] -= m->value[i].bytes;
			s->between[k->first[i] + 1] += m->value[i].bytes;
			s->between[end] -= m->value[i].bytes;
		}
	for (i = 0; i < m->nnodes; i++) {
		s->own[i].bytes += at[i];
		at[i + 1] += at[i];
		s->between[i + 1] += s->between[i];
	}
}

static void
add_events(struct making *k)
{
	struct sets *s = k->s;
	const struct model *m = s->m;
	int i;

	for (i = 0; i < m->nnodes; i++)
		s->own[i] = own_event(k, i);
	for (i = 0; i < s->n; i++)
		s->again[i] = again_event(k, s->value[i]);
	add_lives(k);
	for (i = 0; i < m->nresults; i++)
		s->needed[m->nnodes] |= bit_of(k, m->result[i]);
	for (i = m->nnodes - 1; i >= 0; i--)
		s->needed[i] = (s->needed[i + 1] & ~s->own[i].makes) | s->own[i].reads;
}

static void
find_useful(struct sets *s)
{
	int i;

	for (i = 0; i < s->n; i++)
		s->makeable |= isinf(s->again[i].cost) ? 0 : (uint64_t)1 << i;
	for (i = 0; i <= s->m->nnodes; i++)
		s->useful[i] = sets_wanted(s, 0, i);
}

/* ---- bounds ---- */

int64_t
sets_bytes(const struct sets *s, uint64_t set)
{
	int64_t sum = 0;

	for (; set; set &= set - 1)
		sum += s->bytes[__builtin_ctzll(set)];
	return sum;
}

/* Keeps the tightest nodes. */
static void
add_tight(struct sets *s, struct tight t)
{
	int i, least = 0;

	if (s->ntight < MOST_TIGHT) {
		s->tight[s->ntight++] = t;
		return;
	}
	for (i = 1; i < s->ntight; i++)
		if (s->tight[i].above < s->tight[least].above)
			least = i;
	if (t.above > s->tight[least].above)
		s->tight[least] = t;
}

void
sets_set_budget(struct sets *s, int64_t budget)
{
	int i;

	s->ntight = 0;
	memset(s->room, 0, ROOMS * sizeof(*s->room));
	for (i = 0; i < s->m->nnodes; i++) {
		const struct set_event *e = &s->own[i];
		uint64_t idle = s->needed[i + 1] & ~(e->reads | e->makes);
		int64_t above = e->bytes - e->spared + sets_bytes(s, e->reads | idle) - budget;

		if (above > 0)
			add_tight(s, (struct tight){ i, idle, above });
	}
}

uint64_t
sets_wanted(const struct sets *s, uint64_t set, int node)
{
	uint64_t todo = s->needed[node] & ~set, wanted = 0;

	while (todo) {
		int b = __builtin_ctzll(todo);

		wanted |= (uint64_t)1 << b;
		todo = (todo | (s->again[b].reads & ~set)) & ~wanted;
	}
	return wanted;
}

/* Of some tensors, by price, so many bytes must go: what it costs at least to bring those back. */
struct cover {
	int n;
	int64_t bytes[64], ahead[65];	/* of each, and of all ahead of it */
	double again[64], price[65];	/* likewise */
	double best;
	int looks;		/* that may still be taken; then fractions are good enough */
};

/* Branch and bound: the cheapest goes, or stays. Of those from place I on all that are ahead of
 * place J go where parts of tensors may, and a part of J itself: where the tensor at I stays, that
 * place is further on, and else the same. */
static void
cover_from(struct cover *c, int i, int j, int64_t above, double cost)
{
	double least = cost;

	if (above > 0) {
		int64_t end = c->ahead[i] + above;

		while (j < c->n && c->ahead[j + 1] < end)
			j++;
		if (j == c->n)
			return;
		least += c->price[j] - c->price[i] + c->again[j] * (double)(end - c->ahead[j]) / (double)c->bytes[j];
	}
	if (least >= c->best)
		return;
	if (above <= 0 || c->looks-- <= 0) {
		c->best = least;
		return;
	}
	cover_from(c, i + 1, j, above - c->bytes[i], cost + c->again[i]);
	cover_from(c, i + 1, j, above, cost);
}

/* What it costs at least to bring back what must go for a tight node. */
static double
cost_of_room(const struct sets *s, int tight, uint64_t set, uint64_t made)
{
	const struct tight *t = &s->tight[tight];
	uint64_t have = (set | ~made) & t->idle;
	uint64_t h = (have + (uint64_t)tight) * 0x9e3779b97f4a7c15u;
	struct known_room *known = &s->room[(h ^ h >> 32) & (ROOMS - 1)];
	struct cover c;
	int i, b;

	if (known->tight == tight + 1 && known->have == have)
		return known->cost;
	c.best = HUGE_VAL;
	c.looks = s->n <= RECOMPUTE_FEW ? MOST_LOOKS : FEW_LOOKS;
	c.ahead[0] = 0;
	c.price[0] = 0;
	for (c.n = i = 0; i < s->n; i++)
		if ((have & s->makeable) >> (b = s->by_price[i]) & 1) {
			c.bytes[c.n] = s->bytes[b];
			c.again[c.n] = s->again[b].cost;
			c.ahead[c.n + 1] = c.ahead[c.n] + c.bytes[c.n];
			c.price[c.n + 1] = c.price[c.n] + c.again[c.n];
			c.n++;
		}
	cover_from(&c, 0, 0, t->above - sets_bytes(s, t->idle & ~have), 0);
	*known = (struct known_room){ have, tight + 1, c.best };
	return c.best;
}

double
sets_least_cost(const struct sets *s, uint64_t set, int node)
{
	double cost = 0, room = 0, c;
	uint64_t wanted = sets_wanted(s, set, node), made = s->first, w;
	int i;

	for (w = wanted; w; w &= w - 1) {
		const struct set_event *e = &s->again[__builtin_ctzll(w)];

		if (isinf(e->cost))
			return HUGE_VAL;
		cost += e->cost;
	}
	for (i = 0; i < s->n; i++)
		if (s->m->value[s->value[i]].def < node)
			made |= (uint64_t)1 << i;
	for (i = 0; i < s->ntight; i++)
		if (s->tight[i].node >= node &&
		    (c = cost_of_room(s, i, set, made)) > room)
			room = c;
	return cost + room;
}

/* ---- all ---- */

static void
sort_by_price(struct sets *s)
{
	int i, k;

	for (i = 0; i < s->n; i++) {
		double price = s->again[i].cost / (double)s->bytes[i];

		for (k = i; k > 0; k--) {
			int b = s->by_price[k - 1];

			if (s->again[b].cost / (double)s->bytes[b] <= price)
				break;
			s->by_price[k] = b;
		}
		s->by_price[k] = i;
	}
}

static int *
ints(struct model *m)
{
	return arena_array(m->arena, (size_t)m->nvalues + 1, sizeof(int));
}

/* The sets' bits alone; false where a word has too few. */
static bool
begin(struct making *k, struct model *m)
{
	*k = (struct making){ .s = ARENA_NEW(m->arena, struct sets), .reader = ints(m), .bit = ints(m), .first = ints(m),
	    .last = ints(m), .passed = arena_array(m->arena, (size_t)m->nvalues + 1, sizeof(bool)), .changes = ints(m) };
	k->s->m = m;
	k->s->way = ints(m);
	find_uses(k);
	find_ways(k);
	return add_bits(k);
}

int
recompute_questions(struct model *m)
{
	struct making k;

	return begin(&k, m) ? k.s->n : 0;
}

struct sets *
sets_new(struct model *m)
{
	struct making k;
	struct sets *s;
	size_t nodes = (size_t)m->nnodes + 2;

	if (!begin(&k, m))
		return NULL;
	s = k.s;
	step_changes(m, k.changes);
	s->own = arena_array(m->arena, nodes, sizeof(*s->own));
	s->again = arena_array(m->arena, (size_t)s->n + 1, sizeof(*s->again));
	s->between = arena_array(m->arena, nodes, sizeof(*s->between));
	s->needed = arena_array(m->arena, nodes, sizeof(*s->needed));
	s->useful = arena_array(m->arena, nodes, sizeof(*s->useful));
	s->room = arena_array(m->arena, ROOMS, sizeof(*s->room));
	add_events(&k);
	find_useful(s);
	sort_by_price(s);
	return s;
}
