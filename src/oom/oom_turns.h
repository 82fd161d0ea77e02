/* What a loop in pasted code does in some of its rounds alone: "if (i + 1) % 8 == 0:". */
#ifndef STOWAGE_OOM_OOM_TURNS_H
#define STOWAGE_OOM_OOM_TURNS_H

#include "oom/oom_paste.h"

/* How far a line is set in. */
int	oom_turns_inset(struct talk);
/* Notes what line T of code tells of turns, and of sums that are begun. */
void	oom_turns_line(struct oom_paste *, struct talk);
/* Does what stands so far set in, behind a line that adds to p->addend, run in some rounds alone,
 * and is that sum begun anew in none of the others? */
bool	oom_turns_are_of_sum(const struct oom_paste *, int inset);

#endif
