/*
 * lanes: under `objective speed`, where libraries get wider workspaces to work in. Of bytes that
 * are free at one moment, as spare.c takes them, some are another call's before and after, and each
 * would wait for the other. So wide workspaces lie above all else, in lanes that calls take one
 * after the other:
 *
 *     offset
 *       ^  arena_bytes ----------------------------
 *       |  dw3 |     |  dw2  |    |  dw1  |           lane 1
 *       |      | dx3 | dx2      | dx1       |         lane 0
 *       +--- where the arena ended before ---------> instant
 *
 * A call joins a lane if the longest chain of calls gets no longer by that, of which each depends
 * on the one before by its tensors, or is the next of its branch; else a lane is opened for it, as
 * long as there are fewer than branches. Lanes are as wide as is of use to any call in them, or as
 * there is room for. Unlike bytes that are free anyway, these make the arena larger; so they are
 * for copies that can pay (card_copies()): of a call that reads and writes more than it multiplies
 * there are none.
 *
 * Reads: offsets, lifetimes, what calls touch. Writes: size and place of workspaces, the arena's
 * size, what lives. Invariants after: those of place; no workspace is smaller than before; the
 * longest such chain, with lanes as tensors, is as long as it was.
 */
#include "plan/spare.h"

#include <string.h>

#include "ir/op.h"
#include "plan/calls.h"
#include "plan/estimate.h"

struct lane {
	int64_t bytes;
	int chain;		/* the longest that ends with a call in it, of this graph */
};

struct lanes {
	struct plan *p;
	const struct room *room;
	struct card card;
	struct lane lane[BRANCHES];
	int n;
	int *after;		/* by instant: calls of the longest chain that begins with it */
	int *in;		/* by instant: one more than its lane; 0: none */
	int longest;		/* of the graph */
	int chain[BRANCHES];	/* by branch: the longest that ends, or begins, with its call that was looked at last */
};

/* The chain that a call of a branch is to come after, or before; and with it. */
static int
chain_beside(const struct lanes *s, const struct chains *c, int first, int count)
{
	int chain = s->chain[s->p->at[first].meant], by_tensors = chains_before(c, first, count);

	return chain > by_tensors ? chain : by_tensors;
}

static void
end_chain(struct lanes *s, struct chains *c, int first, int count, int length)
{
	chains_over(c, first, count, length);
	s->chain[s->p->at[first].meant] = length;
}

/* From the end on: what comes after each. */
static void
look_back(struct lanes *s, struct arena *a, int start, int end)
{
	struct chains c;
	int i, first;

	chains_init(&c, s->p, a);
	s->longest = 0;
	memset(s->chain, 0, sizeof(s->chain));
	for (i = end - 1; i >= start; i = first - 1) {
		int count, length;

		for (first = i; first > start && plan_joins(s->p, first - 1, first);)
			first--;
		count = i + 1 - first;
		if (op_is_view(s->p->at[first].node->op))
			continue;
		length = s->after[first] = chain_beside(s, &c, first, count) + 1;
		end_chain(s, &c, first, count, length);
		if (length > s->longest)
			s->longest = length;
	}
}

/* For a call that comes after a chain of BEFORE and has AFTER behind it; -1: none may be joined, or
 * opened. */
static int
choose(struct lanes *s, int before, int after)
{
	int best = -1, k;

	for (k = 0; k < s->n; k++) {
		int chain = s->lane[k].chain;

		if ((chain > before ? chain : before) + after > s->longest)
			continue;
		/* the latest of those that are over, or else the first that will be */
		if (best < 0 || (chain <= before ? s->lane[best].chain > before || chain > s->lane[best].chain :
		    chain < s->lane[best].chain))
			best = k;
	}
	return best >= 0 ? best : s->n < BRANCHES ? s->n++ : -1;
}

static void
choose_all(struct lanes *s, struct arena *a, int start, int end)
{
	struct chains c;
	int i, k, count;

	chains_init(&c, s->p, a);
	memset(s->chain, 0, sizeof(s->chain));
	for (k = 0; k < s->n; k++)
		s->lane[k].chain = 0;
	for (i = start; i < end; i += count) {
		const struct instant *at = &s->p->at[i];
		int64_t bytes;
		int before;

		count = plan_together(s->p, i);
		if (op_is_view(at->node->op))
			continue;
		before = chain_beside(s, &c, i, count);
		if (spare_is_worth_it(s->p, at, s->room) &&
		    (bytes = spare_of_use(s->p, at, card_copies(&s->card, at->node, at->graph->batch))) > 0 &&
		    (k = choose(s, before, s->after[i])) >= 0) {
			if (s->lane[k].chain > before)
				before = s->lane[k].chain;
			s->lane[k].chain = before + 1;
			if (bytes > s->lane[k].bytes)
				s->lane[k].bytes = bytes;
			s->in[i] = k + 1;
		}
		end_chain(s, &c, i, count, before + 1);
	}
}

/* Lanes that are too wide for LEFT bytes together are narrowed to an equal share of them. */
static void
narrow(struct lanes *s, int64_t left)
{
	int64_t sum = 0;
	int k;

	for (k = 0; k < s->n; k++)
		sum += s->lane[k].bytes;
	for (k = 0; k < s->n && sum > left; k++)
		if (s->lane[k].bytes > left / s->n)
			s->lane[k].bytes = left / s->n & ~(int64_t)(s->p->alignment - 1);
}

/* Lanes above the arena, where any call is faster in them. */
static void
place(struct lanes *s)
{
	struct plan *p = s->p;
	int64_t end = p->arena_bytes, offset[BRANCHES];
	bool used[BRANCHES] = { false };
	int i, k;

	for (i = 0; i < p->instants; i++)
		if (s->in[i] && spare_of_use(p, &p->at[i], s->lane[s->in[i] - 1].bytes) > 0)
			used[s->in[i] - 1] = true;
	for (k = 0; k < s->n; k++) {
		offset[k] = end;
		end += used[k] ? s->lane[k].bytes : 0;
	}
	for (i = 0; i < p->instants; i++) {
		int64_t bytes;

		k = s->in[i] - 1;
		if (k >= 0 && (bytes = spare_of_use(p, &p->at[i], s->lane[k].bytes)) > 0)
			spare_move(p, &p->at[i], offset[k], bytes);
		if (p->at[i].live > p->at[p->peak].live)
			p->peak = i;
	}
	p->arena_bytes = end;
	p->transient_bytes = end - p->persistent_bytes;
	p->lower_bound_bytes = p->proved_bytes = p->at[p->peak].live;
}

void
spare_lanes(const struct module *m, struct arena *a, const struct room *room, int64_t most)
{
	struct plan *p = m->plan;
	struct lanes s = { .p = p, .room = room, .card = card_of(m) };
	int start, end;

	s.after = arena_array(a, (size_t)p->instants + 1, sizeof(*s.after));
	s.in = arena_array(a, (size_t)p->instants + 1, sizeof(*s.in));
	for (start = 0; start < p->instants; start = end) {
		end = plan_graph_end(p, start);
		look_back(&s, a, start, end);
		choose_all(&s, a, start, end);
	}
	narrow(&s, most ? most - p->arena_bytes : LARGEST_BYTES);
	place(&s);
}
