/*
 * A plan in figures, as its reports and the memory rules show them. Computed once, printed in
 * several ways.
 */
#ifndef STOWAGE_PLAN_SUMMARY_H
#define STOWAGE_PLAN_SUMMARY_H

#include "plan/plan.h"

struct layer_cost {		/* a forward node with parameters or multiply-adds */
	const struct node *node;
	int64_t parameters;	/* that no earlier layer has counted */
	struct affine macs;
};

struct line_bytes {		/* what one line of the spec holds at an instant */
	struct loc loc;		/* of its largest buffer, whose line this is */
	const struct buffer *largest;
	int buffers;
	int64_t bytes;
};

struct plan_summary {
	int64_t parameters;	/* elements, frozen ones included */
	int64_t frozen;
	struct affine macs;	/* of one forward run, in training if there is any: without what --predict alone writes */
	VEC(struct layer_cost) layers;
	int64_t persistent[TENSOR_KINDS];	/* bytes by kind */
	int64_t at_peak[TENSOR_KINDS];	/* transient bytes alive at the peak, by kind */
	/* with several ranks: bytes of gradients that they add up for an update, in how many
	 * pieces; and what each rank sends for it and for weights that are brought to all, and
	 * receives, around a ring, where any algorithm has it */
	int64_t reduced, sent;
	/* where they share out the optimizer's state: bytes of weights that they bring to all, and
	 * of the whole state, of which each has but a part; and of all weights, where each has but
	 * a part of these */
	int64_t gathered, whole_state, whole_weights;
	int64_t statistics;	/* bytes of sums that batch normalisation has over all ranks, beside gradients */
	int64_t split;		/* bytes of what layers that are split over ranks add up over them */
	int64_t meanwhile;	/* bytes of those that are on their way while backward goes on */
	int reductions;
	VEC(struct line_bytes) lines;	/* transient bytes at the peak by line, largest first */
};

struct plan_summary	*plan_summarise(const struct module *);

/* "parameters", "activations", ...: a kind as a heading */
const char	*plan_kind_heading(enum tensor_kind);

/* "forward", "backward" or "update" of train, "update", "validate" */
const char	*plan_phase_name(const struct instant *);

#endif
