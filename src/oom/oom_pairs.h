/*
 * Lines of code that make a number, or several, for each pair of the rows of two sets.
 */
#ifndef STOWAGE_OOM_OOM_PAIRS_H
#define STOWAGE_OOM_OOM_PAIRS_H

#include <stdbool.h>

#include "oom/oom_piece.h"

/* Attention's scores are told by their names (oom_signs.c). */
bool	pairs_all(struct piece line);

#endif
