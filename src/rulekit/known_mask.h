/*
 * Masks of attention that are known before any sample is: sums, products and choices of tril, triu
 * and numbers.
 */
#ifndef STOWAGE_RULEKIT_KNOWN_MASK_H
#define STOWAGE_RULEKIT_KNOWN_MASK_H

#include "ir/ir.h"

/*
 * Is all that is added to the scores of LENGTH positions with one another, or takes their place,
 * known, and is the position that is BY behind another weighed as if nothing were, at each of them?
 * SCORES is either what is added alone, or, with PLACED, which by tensor id says what is made
 * position by position, the scores themselves with it: a product of such tensors, as q k^T.
 */
bool	known_mask_shows(const struct tensor *scores, const bool *placed, int64_t length, int64_t by);

#endif
