/*
 * Formulas that are the same, term by term and by name, kept once: a deep network has few, many thousand times. What is
 * kept is never changed.
 *
 * A pool that is all zero is empty. It lives as long as what asks it, its formulas as long as their arena.
 */
#ifndef STOWAGE_FORMULA_FORMULA_POOL_H
#define STOWAGE_FORMULA_FORMULA_POOL_H

#include <stdint.h>

#include "formula/formula.h"

struct pooled_formula {
	const struct formula *f;
	uint64_t hash;
	void *known;		/* what the pool's user knows of it; NULL: nothing yet */
};

struct formula_pool {		/* open addressing, at most half full */
	struct pooled_formula *v;
	size_t room, n;		/* a power of two; of it in use */
};

/* The one that is kept in that arena; F itself may be gone afterwards. */
const struct formula	*formula_pool_keep(struct formula_pool *, struct arena *, const struct formula *f);
/* The place of what is known of it, until the pool is next asked. */
void			**formula_pool_known(struct formula_pool *, struct arena *, const struct formula *f);

#endif
