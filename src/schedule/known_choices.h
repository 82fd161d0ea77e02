/*
 * What to make again, of steps for which that was searched before: stowage fit plans one network at
 * several batches, and the cheap choice is made at one fixed batch for all of them (recompute.c).
 * Nothing is taken over unless all that the search sees is the same, so the choice is the one that
 * would have been made.
 */
#ifndef STOWAGE_SCHEDULE_KNOWN_CHOICES_H
#define STOWAGE_SCHEDULE_KNOWN_CHOICES_H

#include "schedule/step.h"

struct known_choices;

/* None yet. They will lie in that arena. */
struct known_choices	*known_choices_new(struct arena *);
/* Identifies the model as it is priced, and the states that the search begins with. */
uint64_t	known_choices_key(const struct model *);
/* Was the same searched for? Then model->state is what was chosen. */
bool	known_choices_find(const struct known_choices *, uint64_t key, struct model *);
/* Keeps model->state, if there is room. */
void	known_choices_keep(struct known_choices *, uint64_t key, const struct model *);

#endif
