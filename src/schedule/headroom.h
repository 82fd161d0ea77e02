/*
 * What passes after order may add to the bytes alive, and the step's peak stays: so the arena's
 * lower bound does not rise. What is taken counts for whoever asks after.
 */
#ifndef STOWAGE_SCHEDULE_HEADROOM_H
#define STOWAGE_SCHEDULE_HEADROOM_H

#include "ir/op.h"

struct model;
struct pass_options;

struct headroom {
	const struct graph *g;
	const struct pass_options *options;
	const struct model *model;
	int64_t *more;		/* bytes, by node as the graph was then: alive there beside what its trial says */
	bool roomy;		/* any number may be added: the plan is for speed, and there is room */
};

/* Of a model after step_try(), in the arena. ROOMY may be set by the caller, from
 * step_is_roomy(). */
struct headroom	headroom_new(struct arena *, const struct graph *, const struct pass_options *, const struct model *);
/* So many bytes, those of a tensor, and those of the scratch memory that the node would have if it
 * ran OP, as they are laid out (aligned), at the graph's batch. */
int64_t	headroom_aligned(const struct headroom *, struct affine bytes);
int64_t	headroom_bytes(const struct headroom *, const struct tensor *);
int64_t	headroom_scratch(const struct headroom *, const struct node *, const struct op *);
/* Is there room for BYTES more from node FROM to before node TO, and at FROM for AT_FROM beside
 * them? If so, it is taken. */
bool	headroom_take(struct headroom *, int from, int to, int64_t bytes, int64_t at_from);

#endif
