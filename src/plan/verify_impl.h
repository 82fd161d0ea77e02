/*
 * What the parts of the plan's verifier share: verify.c, which looks at where buffers lie,
 * verify_replay.c, which runs the schedule on a model of memory, verify_sums.c and verify_shards.c,
 * which look at what ranks add up, and at what they share out.
 */
#ifndef STOWAGE_PLAN_VERIFY_IMPL_H
#define STOWAGE_PLAN_VERIFY_IMPL_H

#include "plan/plan.h"

#include "base/marks.h"

struct range {			/* [beg, end) of the arena holds the value of `tensor` */
	int64_t beg, end;
	const struct tensor *tensor;
	int written, read[BRANCHES];	/* one past the instant; the last of each branch; 0: none */
};

/* Ranges begin and end where something that is written begins or ends: these places are gathered
 * first, and a range is at the number of the place where it begins. */
struct memory {
	struct range *range;	/* by place; disjoint */
	int places;
	struct marks begins;	/* the places where a range is */
};

struct check {
	struct arena *arena;	/* for scratch */
	struct module *m;
	const struct plan *p;
	struct diags *diags;
	const struct tensor **root;	/* by tensor id: whose bytes it has, once that was asked */
	const struct buffer **of_root;	/* by the root's id */
	struct memory mem;
	int (*over)[BRANCHES];	/* by instant: one past the last of each branch over when it is, too */
	int last[BRANCHES];	/* one past the last instant of each branch so far */
	int call, call_end;	/* where one kernel does a step: instants of the call that runs, */
	int met;		/* and of the last before it, or it, where all before were over; -1: none */
	bool ok;
};

/* The plan is wrong. */
void	verify_object(struct check *, struct loc, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));
/* Bytes of the tensor at the graph's batch. */
int64_t	verify_bytes(const struct check *, const struct graph *, const struct tensor *);
/* The buffer that holds it, as its aliases say; NULL where there is none. */
const struct buffer	*verify_buffer(struct check *, const struct tensor *);

/* Runs the graph, whose first node is at instant START, on a model of memory. */
void	verify_replay(struct check *, const struct graph *, int start);

/* What ranks add up is all there is where they do, and nobody else is there meanwhile. */
void	verify_sums(struct check *);
/* Of what each rank has but a piece, nobody reads more. */
void	verify_shards(struct check *);
/* Of what a stage's micro-batches keep each has its own, and what is sent stays. */
void	verify_slots(struct check *);

#endif
