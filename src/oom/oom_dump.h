/*
 * What the chunks of a TensorFlow allocator's dump were: each size class by the tensors of the
 * network that take a chunk of that size. Where the network has a locally-connected layer, the step
 * of Keras is replayed by TensorFlow's rules from the network alone (frameworks/keras_local.h), and
 * its census of chunks is set beside the dump's.
 */
#ifndef STOWAGE_OOM_OOM_DUMP_H
#define STOWAGE_OOM_OOM_DUMP_H

#include "frameworks/keras_local.h"
#include "oom/oom_log.h"

struct dump_class {
	int64_t size, count;
	int64_t replayed;	/* chunks of that size in the replay */
	const char *what;	/* NULL: nothing of the network has that size */
};

struct dump_story {
	VEC(struct dump_class) classes;
	int64_t explained;	/* bytes of classes that have a name */
	bool tensors;		/* larger tensors of the network are among them */
	int64_t pool;		/* what the allocator could have; 0: unknown */
	bool local;		/* a layer that Keras unrolls is in the dump */
	struct keras_local layer;
	int64_t held;		/* gradients of slices that the replay could make */
	int64_t replayed_in_use;
	bool same;		/* all classes and the total as in the dump */
	int64_t largest;	/* the largest batch in that pool, by the same rules */
};

/* What the spec's optimizer keeps for a weight. */
enum dump_state { DUMP_NO_STATE, DUMP_OTHER_STATE, DUMP_STATE };	/* nothing; of other sizes; as large as it is */
enum dump_state	dump_state_of(const struct module *, const struct tensor *weight);

/* The module needs a plan; NULL: no network is known. POOL: 0 where unknown. */
void	dump_explain(struct arena *, const struct module *, const struct oom_dump *, int64_t batch,
	    int64_t pool, struct dump_story *);

#endif
