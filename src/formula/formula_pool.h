/*
 * Formulas that are the same, term by term and by name, kept once: a deep network has few, many
 * thousand times. What is kept is never changed.
 */
#ifndef STOWAGE_FORMULA_FORMULA_POOL_H
#define STOWAGE_FORMULA_FORMULA_POOL_H

#include "base/intern.h"
#include "formula/formula.h"

/* The one that is kept in that arena; F itself may be gone afterwards. */
const struct formula	*formula_pool_keep(struct intern *, struct arena *, const struct formula *f);
/* The place of what the pool's user knows of it; NULL lies there before it is set. */
void			**formula_pool_known(struct intern *, struct arena *, const struct formula *f);

#endif
