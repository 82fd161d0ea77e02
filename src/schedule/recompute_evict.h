/*
 * What passes that let values go share (recompute_evict.c) with what is known of the step before
 * them (recompute_evict_facts.c), and with the search among passes (recompute_climb.c).
 */
#ifndef STOWAGE_SCHEDULE_RECOMPUTE_EVICT_H
#define STOWAGE_SCHEDULE_RECOMPUTE_EVICT_H

#include "base/vec.h"
#include "schedule/recompute_impl.h"

#define EVICT_NEIGHBOURS	256	/* of a value, that are told when it comes or goes; then all are */

struct evicted_use {		/* lists by value or node: [beg[v], beg[v + 1]) */
	int *beg, *at;
};

struct evicted_price {		/* of a value, while its neighbours stay as they are */
	bool known;
	double cost;		/* HUGE_VAL: it must not go */
	int needed;		/* by that node */
};

struct evicting {
	struct model *m;
	struct arena *a;
	struct steps *out;
	int64_t aim;
	double reach;		/* power of the time to the next reader */
	const double *weight;	/* by value: of its price */
	struct evicted_use uses;	/* nodes that read a value, in their turn */
	struct evicted_use makes;	/* values that are made again from it */
	struct evicted_use reads;	/* by node: those that may go and that it reads, each once */
	struct evicted_use sources;	/* by value: those from which it is made again */
	int *over, *over_again;	/* by node, by value: of those, which its output may lie on, or -1 */
	int64_t *making;	/* by value: bytes of what making it again makes, and its workspace */
	struct evicted_price *price;	/* by value */
	double *power;		/* of the time until a reader, by nodes */
	int *next;		/* by value: of its uses, the first not behind the node at hand */
	int *before;		/* by value: the node before which it can still be made again */
	double *cost;		/* by value: of making it again, and the bytes that takes beside what is no candidate */
	int64_t *room;
	bool *may_go;
	bool *there;
	int *held;		/* by value: events at hand that read it */
	VEC(int) present;	/* of those that may go */
	int64_t bytes;		/* of those */
	int64_t *during, *between;	/* by node: bytes of all others while it runs, and before */
	int node;		/* at hand */
	int *stamp, stamps;	/* by value */
	int *queue;
	int lies_on;		/* what the event at hand may overwrite, or -1 */
	int64_t looks, most_looks;
};

/* ---- recompute_evict_facts.c ---- */

/* What all passes know: with the model and an arena set. */
void	evict_begin(struct evicting *);

/* ---- recompute_evict.c ---- */

/* Powers of the time to the next reader that serve; the first takes the fewest looks. */
extern const double evict_reach[3];

/* One pass, which writes a list. REACH: the power of the time to the next reader in a price;
 * WEIGHT: times that, by value. False where something can't be made again any more, or it takes too
 * long. */
bool	evict_pass(struct evicting *, double reach, const double *weight, struct steps *);

#endif
