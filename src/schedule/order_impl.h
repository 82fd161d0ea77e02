/*
 * What order.c (windows and sweeps), order_window.c (the best order of one window) and
 * order_merge.c share. Private to them.
 */
#ifndef STOWAGE_SCHEDULE_ORDER_IMPL_H
#define STOWAGE_SCHEDULE_ORDER_IMPL_H

#include "base/vec.h"
#include "ir/op.h"
#include "ir/pass.h"
#include "schedule/step.h"

#define ORDER_WINDOW	48	/* nodes at most; a set of them is a word */
#define ORDER_BEAM	1024	/* sets of one size that are kept, at first */
#define ORDER_WIDEST	(64 * ORDER_BEAM)
#define ORDER_USES	24	/* classes of one node; more, and its window is left as it is */

struct window {
	int beg, end;		/* nodes */
	int64_t peak;		/* of the order that stands, in the graph's bytes */
};

struct class {			/* the tensors that share some bytes, as one window uses them */
	uint64_t users;
	uint64_t makers;	/* of them, those that add to what is alive */
	int64_t bytes;
	bool dies;		/* nobody after the window reads it */
};

struct death {			/* of a class that nobody after the window reads: when all its users have run */
	uint64_t users;
	int64_t bytes;
};

struct job {			/* a node of the window */
	uint64_t before;	/* nodes of the window that must have run */
	uint64_t after;		/* that can only run later */
	uint64_t next;		/* of them, those with none of them between */
	int64_t made, work;	/* bytes */
	int64_t in_place;	/* of them, if an input may be overwritten */
	int over[4], nover;	/* classes that the first output could overwrite */
	int uses[ORDER_USES], nuses;	/* classes that it uses */
	uint64_t overwrites[4];	/* of those that the first output could overwrite and that die, the users */
	struct death death[ORDER_USES];	/* of classes that may die here */
	int noverwrites, ndeaths;
};

struct set {
	uint64_t done;
	uint64_t ready;		/* what may run next */
	int64_t live, peak;	/* after it, and on the way: beyond what lives throughout */
	int64_t area;		/* what was alive after each job so far, summed */
	int from;		/* the set before it, in the level below */
	int node;		/* run last */
};

struct level {			/* sets of one size */
	struct set *v;		/* room for 4 * beam */
	int n;
};

struct came {			/* how a set was come by: as of struct set */
	int from, node;
};

struct standing {		/* the order that stands */
	struct model *m;
	int64_t *live;		/* by node */
	int *first, *last;	/* by value, of roots: nodes that use it */
	bool *result;
	int *class_of;		/* by value: its class + 1, in the window being ordered */
};

struct order {
	struct arena *arena, *scratch;	/* of a graph, of a sweep */
	struct graph *g;
	struct known_orders *known;	/* NULL: none are kept */
	struct standing now;
	bool stale;		/* it is of an order that did not stand */
	/* of the window being ordered */
	struct job job[ORDER_WINDOW];
	struct class class[ORDER_WINDOW * (ORDER_USES + 1)];	/* with the one too many */
	int nclasses;
	struct level level[2];	/* the one being made, and the one below it */
	struct came *came[ORDER_WINDOW + 1];	/* by size and set: BEAM; NULL until it is needed */
	int beam;		/* sets of one size that are kept; a power of two */
	unsigned slots;		/* of the hash: 8 * beam */
	int *hash;		/* sets of the level being made, + 1 */
	unsigned *slot;		/* by set: where it is in the hash */
	bool cut;		/* some window had more sets than were kept */
	int64_t work;		/* sets that were grown */
};

/* Finds a better order of the window and puts the nodes into it; returns by how much the window's
 * peak falls. Below ENOUGH it need not. */
int64_t	order_window(struct order *, const struct window *, int64_t enough);

/* Puts all nodes into the order in which chains merge; false where that is not tried. */
bool	order_merge(struct order *);

#endif
