/*
 * A pass: one const struct pass in one file of this folder (or of plan/). passes.c holds the table,
 * and the table is the order. A pass reads and writes the module; after each one the IR verifier
 * runs in test builds, and --dump-after=NAME prints the module.
 */
#ifndef STOWAGE_IR_PASS_H
#define STOWAGE_IR_PASS_H

#include "ir/ir.h"

struct known_choices;
struct known_orders;
struct pointwise_reads;
struct placed;
struct target;

enum layout_choice { LAYOUTS_AUTO, LAYOUTS_CHANNELS_FIRST, LAYOUTS_CHANNELS_LAST };

struct pass_options {
	const struct target *target;	/* whose workspaces and alignment the plan is for */
	int threads;			/* C target: worker threads of the emitted program */
	enum layout_choice layout;	/* of images in memory: passes/layout.c */
	bool speed;			/* the plan is a program's, and its objective is speed: */
	int64_t most_bytes;		/* its arena may take so much; 0: whatever it takes */
	double seconds;			/* where places leave a gap to the lower bound, search on for so long, by the
					 * clock; and about as long for a budget, in steps, where those run out.
					 * 0: the same effort on every machine */
	bool input_gradients;		/* also differentiate with respect to float inputs */
	const char *dump_after;		/* a pass's name, or NULL */
	FILE *dump;
	const char *const *without;	/* names of optional passes to leave out */
	int nwithout;
	int64_t *search_work;	/* what searches for a budget may still do (schedule/recompute.c), for all
				 * plans that are made to answer for one network; NULL: as for one alone */
	int64_t *batch_work;	/* likewise, for the plans by which the largest batch is looked for (fit/largest.c) */
	bool any_that_fits;	/* it is asked whether a budget can be kept, not how cheaply: the first choice that does
				 * will do, and what is close is placed with more effort, in spite of search_work */
	int64_t *question_work;	/* what may still be planned to answer questions of one network, in
				 * nodes (passes/pipeline.c); NULL: this is no question */
	struct placed *placed;	/* packings of those plans, to be found again (plan/placed.h); NULL: none
				 * is kept */
	struct known_choices *choices;	/* of what to make again, likewise (schedule/known_choices.h) */
	struct known_orders *orders;	/* of windows, likewise (schedule/known_orders.h) */
	struct pointwise_reads *reads;	/* of backward, by the formula, likewise (ops/pointwise.h) */
	bool tight;		/* of several ranks, what waits takes no bytes (passes/updates_together.c) */
	bool bound_only;		/* stop at lifetimes: the plan is wanted for its lower bound */
	bool sketch;		/* leave out what is thorough: see passes_sketch() */
};

struct pass {
	const char *name;
	const char *doc;	/* one line for --help and HACKING.md */
	bool optional;		/* --without=NAME leaves it out: to see what it gains */
	bool in_bodies;		/* also for what nodes run many times: passes/bodies.c */
	bool thorough;		/* too expensive for a sketch: compares plans, proves one right, or
				 * only affects the program's speed */
	/* one of the two: */
	bool (*run)(struct module *, const struct pass_options *);
	void (*rewrite)(struct graph *);	/* of train, then of validate, where there are any */
};

extern const struct pass *const pass_table[];	/* ends with NULL */

/* Runs one pass; false if the module is broken after it. */
bool	pass_apply(const struct pass *, struct module *, const struct pass_options *);
/* Do the options leave it out? */
bool	pass_is_left_out(const struct pass *, const struct pass_options *);
/* Is there an optional pass of that name? */
bool	pass_is_optional(const char *name);

/* A copy of the module, with these settings, as it was before its passes ran. It shares the forward
 * graph and the network's own tensors, whose links to their gradients passes write anew. */
struct module	*passes_copy(struct module *, const struct settings *, struct diags *);
/* Those that come after one of the table (NULL: all) up to another (NULL: the last), over a module
 * that has been through those before. */
bool	passes_between(struct module *, const struct pass_options *, const char *after, const char *last);
/* All that come after it. */
bool	passes_finish(struct module *, const struct pass_options *, const char *after);
/* The names of the table's last, and of the one before another, which is not the first. */
const char	*pass_last(void);
const char	*pass_before(const char *name);

#endif
