/*
 * apart: under `objective speed`, for how long the bytes of a buffer are left alone after its last
 * use, so that what follows in them on another branch does not wait for what need not be over by
 * then.
 *
 *     dy --> dx --> dx'     branch 0     dw reads x and dy. Were their bytes taken by dx', that would wait for dw,
 *        \--> dw                   1     which nothing else there does.
 *
 * Branches are those of a placement in which no two buffers share bytes (place.c): there nodes
 * depend on one another by their tensors alone. What a branch has is done in turn anyway, so its
 * buffers may share bytes with one another; where nothing is gained side by side all may. A buffer
 * is kept to the last node of another branch that does not depend, through its own branch and what
 * that waits for, on all that touched it. So wherever buffers lie that are kept for so long,
 * nothing waits for more than it does in that placement.
 *
 * What is over is a number for each branch: one past the last instant of it that is. It never falls
 * along a branch.
 */
#include "plan/plan.h"

#include <string.h>

#include "ir/op.h"

struct apart {
	const struct plan *p;
	int (*over)[BRANCHES];		/* by instant: what is over when it is */
	int (*touched)[BRANCHES];	/* by buffer: by whom last */
	int *on[BRANCHES], n[BRANCHES];	/* instants of each branch */
};

static void
note_touched(struct apart *s, const struct node *n, int i)
{
	struct touch t;
	int k;

	for (k = 0; plan_touches(s->p, n, k, &t); k++)
		if (t.buffer)
			s->touched[t.buffer - s->p->buffers.v][s->p->at[i].branch] = i + 1;
}

/* NOW: by branch, what is over when its last node so far is. */
static void
follow(struct apart *s, int (*now)[BRANCHES], int i)
{
	const struct instant *at = &s->p->at[i];
	int *over = now[at->branch], j, k;

	for (k = 0; k < BRANCHES; k++)
		for (j = 0; j < BRANCHES && at->after[k]; j++)
			if (s->over[at->after[k] - 1][j] > over[j])
				over[j] = s->over[at->after[k] - 1][j];
	over[at->branch] = i + 1;
	memcpy(s->over[i], over, sizeof(s->over[i]));
	s->on[at->branch][s->n[at->branch]++] = i;
	note_touched(s, at->node, i);
}

/* When a graph begins, all that was before it is over. */
static void
follow_all(struct apart *s)
{
	const struct plan *p = s->p;
	int now[BRANCHES][BRANCHES] = { { 0 } }, i, j, k;

	for (i = 0; i < p->instants; i++) {
		for (k = 0; k < BRANCHES && i > 0 && p->at[i].graph != p->at[i - 1].graph; k++)
			for (j = 0; j < BRANCHES; j++)
				now[k][j] = i;
		if (!op_is_view(p->at[i].node->op))
			follow(s, now, i);
	}
}

static bool
is_over(const int *touched, const int *over)
{
	int k;

	for (k = 0; k < BRANCHES; k++)
		if (touched[k] > over[k])
			return false;
	return true;
}

/* The last instant of branch K that does not depend on all of TOUCHED; -1: each does. */
static int
last_beside(const struct apart *s, int k, const int *touched)
{
	int lo = 0, hi = s->n[k], mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (is_over(touched, s->over[s->on[k][mid]]))
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo > 0 ? s->on[k][lo - 1] : -1;
}

int *
plan_apart(const struct plan *p, struct arena *a)
{
	struct apart s = { .p = p };
	int *last = arena_array(a, (size_t)p->buffers.n + 1, sizeof(*last)), b, k;

	s.over = arena_array(a, (size_t)p->instants + 1, sizeof(*s.over));
	s.touched = arena_array(a, (size_t)p->buffers.n + 1, sizeof(*s.touched));
	for (k = 0; k < BRANCHES; k++)
		s.on[k] = arena_array(a, (size_t)p->instants + 1, sizeof(*s.on[k]));
	follow_all(&s);
	for (b = 0; b < p->buffers.n; b++) {
		last[b] = p->buffers.v[b].last;
		for (k = 0; k < BRANCHES && !p->buffers.v[b].persistent; k++) {
			int beside = last_beside(&s, k, s.touched[b]);

			if (beside > last[b])
				last[b] = beside;
		}
	}
	return last;
}
