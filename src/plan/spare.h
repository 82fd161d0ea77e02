/* Workspaces that are made wider: in bytes that are free anyway (spare.c), or beside the arena's
 * others (lanes.c). */
#ifndef STOWAGE_PLAN_SPARE_H
#define STOWAGE_PLAN_SPARE_H

#include "plan/plan.h"

struct room;

/* May a library be faster there with a wider workspace? */
bool	spare_is_worth_it(const struct plan *, const struct instant *, const struct room *);
/* How much of MOST bytes it could make use of; 0: of no more than it has. */
int64_t	spare_of_use(const struct plan *, const struct instant *, int64_t most);
/* The workspace of that instant gets other bytes. */
void	spare_move(const struct plan *, struct instant *, int64_t offset, int64_t bytes);

/* lanes.c: for a plan whose independent calls share no bytes, within MOST bytes of arena; 0:
 * whatever it takes. */
void	spare_lanes(const struct module *, struct arena *, const struct room *, int64_t most);

#endif
