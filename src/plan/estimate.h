/*
 * How long a step takes at least on a card: a roofline, of what is published for it. Nothing is
 * kept.
 */
#ifndef STOWAGE_PLAN_ESTIMATE_H
#define STOWAGE_PLAN_ESTIMATE_H

#include "plan/plan.h"

struct gpu;
struct playing;

#define CARD_SHARE	0.84	/* of the published bandwidth and arithmetic that kernels are taken to have */
#define KERNEL_NS	3000.0	/* that each takes beside: to be launched, to fill the card and to leave it */
#define MEETING_NS	1500.0	/* that all blocks of a kernel take to wait for one another, where one does all of a step */
#define CROSSING_NS	1500.0	/* from the end of a call to the beginning of one of another branch that waits for it */

struct card {			/* per nanosecond, of one that calls share */
	double bytes, macs;	/* macs 0: not known */
	double plain_macs;	/* in f32, without tensor cores; 0: not known, or numbers are larger */
};

/* The card that the module's device names, if programs can be built for it; else NULL. */
const struct gpu	*card_named(const struct module *);
/* What a program for the target is planned for where nothing but the spec says so. */
enum objective	objective_of(const struct module *, const struct target *);
/* Where it is not known, a large one. */
struct card	card_of(const struct module *);
/* Nanoseconds that a call would have the whole card for: the larger of traffic and arithmetic. */
double		card_work(const struct card *, const struct node *, int64_t batch);
/* Of what a call reads and writes, how much can be worth copying for the sake of a faster kernel:
 * no more than is copied, and read, in the time that is to be gained by it, which is what there is
 * between a slow kernel without tensor cores and one that only moves its operands. LARGEST_BYTES:
 * that is not known. */
int64_t		card_copies(const struct card *, const struct node *, int64_t batch);
/* And beside that. */
double		card_beside(const struct node *, int64_t batch);

struct estimate {		/* of the plan's first graph, a micro-batch */
	int64_t traffic, macs;	/* bytes, multiply-adds */
	int calls, kernels;	/* kernels: at least */
	double work;		/* nanoseconds of all calls' work, one after the other */
	double apart;		/* as branches have them, with KERNEL_NS for each kernel, and CROSSING_NS */
	double in_turn;		/* the same if there were one branch */
	double together;	/* the same if one kernel does all of it, as cooperative.c has it */
	int meetings;		/* then: so often do its blocks wait for one another, at least */
};

/* Of the graph that begins with that instant. */
struct estimate	plan_estimate(const struct plan *, const struct card *, struct arena *, int start);
/* Of a module that is planned: its first graph, on the card that its device is. */
struct estimate	plan_step_estimate(const struct module *);
/* Of that, the nanoseconds that it takes as it is planned: by one kernel, or by many. */
double		plan_step_takes(const struct module *);

struct beside {			/* of a call, from when it might begin but for waits to its end, in nanoseconds */
	double took;		/* that; and what the first branch waits for it */
	double in_turn;		/* what all branches do in that time would take one after the other */
};

/* The calls of the graph that begins with that instant, and how long they take: the same whatever
 * branches are. */
struct playing	*plan_calls(const struct plan *, const struct card *, struct arena *, int start);
/* Of those, as branches are now, by instant of the graph, where they begin; 0 elsewhere. */
void		plan_beside(struct playing *, struct beside *);

struct overlap {		/* of an update of several ranks, in nanoseconds */
	double alone;		/* a rank's own work, branches and all */
	double sent;		/* that the link is in use */
	double hidden;		/* of that, beside the work */
	double step;		/* both */
};

/* overlap.c: with a link of so many bytes a nanosecond each way, of which nothing but the rate is
 * counted. All zero where the card is not known, or ranks are stages of a pipeline, or one. */
struct overlap	plan_overlap(const struct module *, double link);

#define FEED_KERNELS	2	/* of a step beside those of its calls: its batch arrives, and its results are handed over */
#define TOGETHER_NS	1e6	/* one launch makes about as many updates as take so long, */
#define TOGETHER_MOST	16	/* and no more than that */

/* Bytes that the spec's device has beside the arena, where samples may stay; INT64_MAX: it does not
 * say how much it has. */
int64_t		plan_samples_room(const struct module *);
/* Is an update one graph, always the same, whose results are single numbers? */
bool		plan_is_one_graph(const struct module *);
/* Updates that one launch makes, 1 to TOGETHER_MOST, on a target that gathers batches; 1: each is
 * launched by itself, since it takes long, or since it is more than one graph. */
int		plan_steps_together(const struct module *);

#endif
