/*
 * The memory plan: every byte the training program will use, as buffers with a size, a lifetime and
 * an offset in one arena.
 *
 * Time is counted in *instants*, one per node, over all graphs one after the other: train, update,
 * validate. A buffer is alive from its first to its last instant, both inclusive; persistent
 * buffers are alive throughout. Inputs come alive at the first instant of their graph; where the
 * next batch of them lands is alive throughout it.
 *
 *     offset
 *       ^   +--------------+  <- arena_bytes
 *       |   |  activation  |------------+
 *       |   +-----+--------+  workspace |
 *       |   | ... | parameters, state (all instants)
 *       +---+-----+---------------------+--> instant
 */
#ifndef STOWAGE_PLAN_PLAN_H
#define STOWAGE_PLAN_PLAN_H

#include "ir/op.h"

struct target;

struct buffer {			/* a deep network has half a million */
	const struct tensor *root;	/* the tensor that all others in it alias: its name, kind and place in the spec */
	int64_t bytes;		/* at the planned batch; plan_buffer_size() at any */
	int64_t offset;		/* in the arena */
	int first, last;	/* instants */
	/* Of a pipeline's stage (slots.c): places side by side, from each to the next, of which a
	 * micro-batch has one; 0: it is one */
	int64_t stride;
	int places;
	bool persistent;
	bool between;		/* a micro-batch's is that of its slot: its backward reads it */
	bool received;		/* it comes from another stage, so one place is the next micro-batch's, if there is one */
	bool kept;		/* its bytes are in use between runs of what it is of: it is one of these, or is sent */
};

#define BRANCHES	4	/* nodes that a GPU may run at the same time */

struct instant {		/* a deep network has a quarter of a million */
	const struct node *node;
	const struct graph *graph;
	int64_t live;		/* bytes of the buffers alive here */
	/* on a GPU (branches.c): */
	int after[BRANCHES];	/* by branch: one past an instant, 0 where it waits for none */
	int8_t meant;		/* for speed, where bytes are apart (place.c): the branch that they are apart for */
	int8_t branch;		/* that runs the node, after those before it there, and after these */
	bool awaited;		/* by one of another branch, or by the end of the graph */
	bool meets;		/* where one kernel does a step: it begins when all is over that is before (cooperative.c) */
};

struct recomputed {		/* what one micro-batch does twice */
	int nodes;
	int64_t macs, traffic;	/* multiply-adds; bytes read and written */
};

/*
 * What goes between ranks in one call. A sum is of all that lies in a range of the arena:
 * gradients, and less than the alignment between two of them. Of what is shared out in pieces
 * (BETWEEN_SCATTER, BETWEEN_GATHER) there is no range: these are the tensors of so many nodes that
 * stand in a row. It begins with its last node that begins, and is there from the first on that
 * waits.
 */
struct plan_sum {
	enum between between;
	const struct tensor *first;	/* its output at the range's beginning */
	const struct tensor *added;	/* what a rank itself adds there */
	bool in_place;		/* which is in the same place: so it is with all of several that are a range */
	int tensors;
	int64_t offset, bytes;	/* of the range; of pieces, of the first tensor, and of all */
	int64_t gradients;	/* bytes of the tensors alone */
	int begin, wait;	/* instants */
	unsigned due;		/* the updates that all of them are for (ir/due.h) */
	bool more;		/* another, for the same updates, begins right behind it */
};

enum apart_state {			/* for speed: what need not wait shares no bytes (apart.c) */
	APART_NOT_ASKED, APART, APART_NO_ROOM
};

struct plan {
	const struct target *target;
	int alignment;		/* of every offset, in bytes */
	int threads;
	int64_t batch;		/* the micro-batch B of train; 0 when there is nothing to train */
	int64_t validate_batch;
	/* Of a pipeline's stage (slots.c): so many micro-batches have been through forward and not
	 * through backward, at most; and the instant at which backward begins, a step of its own.
	 * 0: forward and backward are one. */
	int64_t slots;
	int turn;
	VEC(struct buffer) buffers;	/* persistent ones first */
	struct instant *at;
	int instants;
	int *of_tensor;		/* by tensor id: the number of its buffer, from 1 on; 0: none */
	int ntensors;
	int64_t arena_bytes;
	int64_t visits;		/* that it took to place the buffers */
	int64_t lower_bound_bytes;	/* the largest sum of live bytes: no plan can use less */
	int64_t proved_bytes;	/* the same, or more where the packer proved that */
	bool optimal;		/* arena_bytes == proved_bytes */
	enum apart_state apart;
	bool cooperative;	/* on a GPU one kernel does all of a step (cooperative.c) */
	bool sketch;		/* made without any search: a whole plan may take less */
	int64_t persistent_bytes, transient_bytes;	/* arena = persistent + transient */
	VEC(struct plan_sum) sums;	/* in the order in which they begin */
	int peak;		/* the instant with the most live bytes */
	int64_t step_macs;	/* of one micro-batch, forward and backward, what runs again left out */
	struct recomputed recomputed;
};

/* lifetimes.c: buffers, lifetimes, lower bound for the module's graphs at their batches. */
struct plan	*plan_lifetimes(struct module *, const struct target *, int threads);
/* slots.c, within that, where ranks are stages: which buffers are several, and which lie until they
 * are sent. */
void		 plan_slots(const struct module *, struct plan *);
/* Bytes that a rank sends to the next, or to the one before, in an update. */
int64_t		 plan_sent_on(const struct module *, const struct plan *, bool back);
/* place.c: gives every buffer an offset and sets arena_bytes. */
void		 plan_place(struct module *, struct plan *, const struct pass_options *);
/* The same of what was placed, with so many times a network's steps, however long that took; as it
 * was where they find nothing lower. The visits that took. */
int64_t		 plan_place_on(struct module *, struct plan *, int times);
/* buckets.c, where several ranks train: gradients that are added up in one go side by side, in no
 * larger arena; and then exchanges.c: what goes between ranks in one call. */
void		 plan_place_buckets(struct module *, struct plan *);
void		 plan_find_sums(struct module *, struct plan *);
/* Bytes of what layers that are split over ranks add up over them in an update. */
int64_t		 plan_split_bytes(const struct module *);
/* Bytes that each rank sends for all of these sums in an update. */
int64_t		 plan_sent(const struct module *, const struct plan *);
/* How often it is made for an update; 0: for validation. */
int64_t		 plan_times(const struct module *, const struct plan_sum *);
/* Until a bucket has so many bytes of gradients, it is not added up. */
int64_t		 plan_bucket_bytes(const struct module *);
/* apart.c: by buffer, the last instant to which its bytes are kept, so that nothing waits for them
 * that does not wait for another branch, as these are now, anyway. */
int		*plan_apart(const struct plan *, struct arena *);
/* calls.c: one past the last instant of the graph that begins with instant START. */
int		 plan_graph_end(const struct plan *, int start);
/* The most bytes alive at an instant of that graph; 0 of NULL. */
int64_t		 plan_peak_of(const struct plan *, const struct graph *);
/* Is an instant, just behind what FIRST begins, of the same call? */
bool		 plan_joins(const struct plan *, int first, int instant);
/* How many instants from FIRST on are one call: updates that follow one another. */
int		 plan_together(const struct plan *, int first);
/* How many calls the longest chain has that the first graph's tensors alone make. */
int		 plan_chain(const struct plan *, struct arena *);
/* The same of what branches.c left, and how many calls there are. */
int		 plan_longest(const struct plan *, struct arena *, int *calls);
/* branches.c: which nodes need not wait for which, for a target that can make use of it. Where
 * bytes are apart, branches are those that they are apart for. */
void		 plan_branches(struct module *, struct plan *);
/* verify.c: independent of all three; reports to diags (rule "internal"); false if the plan is
 * wrong. */
bool		 plan_verify(struct module *, const struct plan *, struct diags *);
/* verify_slots.c: the plans of a pipeline's N stages, by rank: is all that one sends what another
 * receives? */
bool		 plan_verify_stages(struct module *const *stage, int64_t n, struct diags *);

/* Bytes that a node reads and writes at that batch, each as often as it does; its workspace left
 * out; INT64_MAX on overflow. */
int64_t	plan_traffic(const struct node *, int64_t batch);
/* Byte offset of a tensor in the arena; -1 when it has no buffer. */
int64_t	plan_offset(const struct plan *, const struct tensor *);
struct buffer	*plan_buffer(const struct plan *, const struct tensor *);
struct affine	plan_buffer_size(const struct buffer *);	/* in bytes, as a function of B */
struct buffer	*plan_buffer_of(const struct plan *, int id);	/* of the tensor with that id, NULL for one that is no root */

struct touch {			/* of a node's operand, result or workspace */
	struct buffer *buffer;	/* NULL: it has no bytes, or there is none */
	bool writes;
};

/* The K-th that the node touches, from 0: operands, results, then the workspace; false behind the
 * last. Nothing else of the arena is touched by it. */
bool	plan_touches(const struct plan *, const struct node *, int k, struct touch *);

#endif
