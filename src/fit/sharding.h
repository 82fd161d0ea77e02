/*
 * What several ranks are to share out so that each fits its device, where it does not as the spec
 * says it.
 */
#ifndef STOWAGE_FIT_SHARDING_H
#define STOWAGE_FIT_SHARDING_H

#include "ir/ir.h"

struct sharding {
	enum shard_kind what;
	const struct module *planned;	/* with that, by its own passes; NULL: there is nothing to be shared out, or no need */
	int64_t left;			/* bytes that a rank's arena may have: of its device's, what driver and libraries leave (an estimate) */
	bool fits;			/* else it is the form with the fewest bytes */
};

/* The first of optimizer, gradients and parameters, each of which sends or waits more than the one
 * before, whose plan fits. */
struct sharding	fit_sharding(const struct module *);

#endif
