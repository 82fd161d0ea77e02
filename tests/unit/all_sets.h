/*
 * What must be made again within a budget, by a program that shares nothing with the search; and
 * chains small enough for it.
 */
#ifndef STOWAGE_TESTS_ALL_SETS_H
#define STOWAGE_TESTS_ALL_SETS_H

#include <math.h>

#include "base/chance.h"
#include "recomputed.h"

/* The least cost, by dynamic programming over all sets of forward's tensors before each node,
 * without any bound or shortcut: from every set each tensor may be dropped, each that is missing
 * made again from what is there, and the next node run. A first output lies on an input that is
 * dropped with it. */
#define MOST_FREE	16

struct program {
	const struct model *m;
	int value[MOST_FREE], n;
	int64_t budget;
	double *now, *next;	/* by set */
};

/* A tensor of less than a 2000th of the peak is left as it is. */
static inline bool
is_free(const struct model *m, int v)
{
	return !m->value[v].fixed && m->value[v].root == v && !m->value[v].persistent &&
	    m->value[v].bytes > m->trial->peak / 2000;
}

static inline unsigned
set_of(const struct program *p, int v)
{
	int i;

	for (i = 0; i < p->n; i++)
		if (v >= 0 && p->value[i] == p->m->value[v].root)
			return 1u << i;
	return 0;
}

static inline bool
read_later(const struct model *m, int v, int node)
{
	int i, k;

	for (i = 0; i < m->nresults; i++)
		if (m->value[m->result[i]].root == v)
			return true;
	for (i = node; i < m->nnodes; i++)
		for (k = 0; k < m->node[i].nin; k++)
			if (m->node[i].in[k] >= 0 && m->value[m->node[i].in[k]].root == v)
				return true;
	return false;
}

/* Bytes alive before that node beside the set: of all else that was made and is read still. */
static inline int64_t
alive(const struct program *p, int node)
{
	const struct model *m = p->m;
	int64_t sum = 0;
	int v;

	for (v = 0; v < m->nvalues; v++)
		if (m->value[v].root == v && !m->value[v].persistent && !set_of(p, v) &&
		    m->value[v].def < node && read_later(m, v, node))
			sum += m->value[v].bytes;
	return sum;
}

static inline int64_t
bytes_of_set(const struct program *p, unsigned set)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < p->n; i++)
		sum += set >> i & 1 ? p->m->value[p->value[i]].bytes : 0;
	return sum;
}

static inline unsigned
reads_of(const struct program *p, int node)
{
	const struct model_node *n = &p->m->node[node];
	unsigned set = 0;
	int k;

	for (k = 0; k < n->nin; k++)
		set |= set_of(p, n->in[k]);
	return set;
}

/* Has a weight that N reads when it runs again been updated before that node? */
static inline bool
changed(const struct model *m, const struct model_node *n, int node)
{
	int i, k, j;

	for (i = m->forward; i < node; i++)
		for (k = 0; k < m->node[i].nout; k++)
			for (j = 0; j < n->again->nin; j++) {
				int v = m->node[i].out[k], in = n->again->in[j];

				if (v >= 0 && in >= 0 && m->value[v].persistent && m->value[v].root == m->value[in].root)
					return true;
			}
	return false;
}

/* Runs a node from SET, in its turn or again, and drops DROPPED with it: does it fit? */
static inline bool
runs(const struct program *p, unsigned set, int node, bool again, unsigned dropped, int64_t before)
{
	const struct model *m = p->m;
	const struct model_node *n = &m->node[node];
	const int *in = again ? n->again->in : n->in;
	struct overwriting over = again ? n->again->over : n->over;
	int64_t bytes = before + (again ? n->again->work : n->work);
	int nin = again ? n->again->nin : n->nin, out = n->nout ? n->out[0] : -1, k;
	bool lies = out < 0 || m->value[out].root != out || m->value[out].persistent;

	for (k = 0; k < nin; k++) {
		int v = in[k];
		unsigned bit = set_of(p, v);

		if (bit & ~set)
			return false;
		if (lies || v < 0 || m->value[v].persistent || !(over.inputs >> k & 1) ||
		    m->value[v].bytes != m->value[out].bytes ||
		    (bit ? !(dropped & bit) : again || read_later(m, m->value[v].root, node + 1)))
			continue;
		lies = true;
		bytes -= m->value[out].bytes;
	}
	for (k = 0; k < n->nout; k++)
		if (n->out[k] >= 0 && m->value[n->out[k]].root == n->out[k] &&
		    !m->value[n->out[k]].persistent)
			bytes += m->value[n->out[k]].bytes;
	return bytes <= p->budget;
}

static inline bool
lower(struct program *p, unsigned set, double cost)
{
	if (cost >= p->now[set])
		return false;
	p->now[set] = cost;
	return true;
}

/* What may happen before that node, until nothing gets cheaper; then the node. */
static inline void
advance(struct program *p, int node)
{
	unsigned all = 1u << p->n, set, drop, reads = reads_of(p, node);
	unsigned made = set_of(p, p->m->node[node].nout ? p->m->node[node].out[0] : -1);
	const struct model_node *n;
	int64_t others = alive(p, node);
	bool cheaper = true, may[MOST_FREE];
	int i, k;

	for (i = 0; i < p->n; i++)
		may[i] = node >= p->m->forward && !changed(p->m, &p->m->node[p->m->value[p->value[i]].def], node);
	while (cheaper)
		for (cheaper = false, set = all; set-- > 0;) {
			int64_t before = p->now[set] < HUGE_VAL ? others + bytes_of_set(p, set) : 0;

			for (i = 0; p->now[set] < HUGE_VAL && i < p->n; i++) {
				n = &p->m->node[p->m->value[p->value[i]].def];
				cheaper |= lower(p, set & ~(1u << i), p->now[set]);
				for (k = -1; may[i] && k < n->again->nin; k++) {	/* beside all, or in the place of one */
					drop = k < 0 ? 0 : set_of(p, n->again->in[k]) & set;
					if (runs(p, set, (int)(n - p->m->node), true, drop, before))
						cheaper |= lower(p, (set & ~drop) | 1u << i, p->now[set] +
						    (double)n->again->macs + 0.25 * (double)n->again->traffic);
				}
			}
			if (p->now[set] == HUGE_VAL)
				continue;
			for (drop = set & reads;; drop = (drop - 1) & set & reads) {	/* beside those above */
				if (p->now[set] < p->next[(set & ~drop) | made] && runs(p, set, node, false, drop, before))
					p->next[(set & ~drop) | made] = p->now[set];
				if (!drop)
					break;
			}
		}
}

static inline double
cheapest(const struct model *m, int64_t budget)
{
	struct program p = { .m = m, .budget = budget };
	double best = HUGE_VAL;
	unsigned i;
	int node;

	for (node = 0; node < m->nvalues; node++)
		if (is_free(m, node)) {
			cr_assert_lt(p.n, MOST_FREE);
			p.value[p.n++] = node;
		}
	p.now = arena_array(arena, (size_t)1 << p.n, sizeof(double));
	p.next = arena_array(arena, (size_t)1 << p.n, sizeof(double));
	for (i = 0; i < 1u << p.n; i++)
		p.now[i] = i ? HUGE_VAL : 0;
	for (node = 0; node < m->nnodes; node++) {
		double *old = p.now;

		for (i = 0; i < 1u << p.n; i++)
			p.next[i] = HUGE_VAL;
		advance(&p, node);
		p.now = p.next;
		p.next = old;
	}
	for (i = 0; i < 1u << p.n; i++)
		best = p.now[i] < best ? p.now[i] : best;
	return best;
}

static inline unsigned
chance(uint64_t *seed, unsigned n)
{
	return (unsigned)(chance_bits(seed) >> 40) % n;
}

/* Convolutions whose outputs their activations alone read, as many as all sets of can be looked
 * at. */
static inline char *
activated_chain(uint64_t *seed, int layers, int side)
{
	static const char *const active[] = { "relu", "sigmoid", "tanh" };
	char *text = arena_printf(arena, "network n { input x : f32[4, %d, %d] target t : class[10] y = x",
	    side, side);
	int i;

	for (i = 0; i < layers; i++) {
		unsigned kernel = 1 + 2 * chance(seed, 3);

		text = arena_printf(arena, "%s -> conv(%u, %u, pad=%u, bias=false) -> %s", text, 4 * (1 + chance(seed, 6)),
		    kernel, kernel / 2, active[chance(seed, 3)]);
	}
	return arena_printf(arena, "%s -> flatten -> dense(10) loss cross_entropy(y, t) } "
	    "train { batch 64 optimizer sgd(lr=0.1) }", text);
}

#endif
