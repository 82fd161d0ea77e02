/* Do people say in another language than English that memory ended, and whose? */
#ifndef STOWAGE_OOM_OOM_ELSEWHERE_H
#define STOWAGE_OOM_OOM_ELSEWHERE_H

#include "oom/oom_told.h"

/* Does T say that memory ended, and, as far as it tells, whose? */
bool	oom_elsewhere_says(struct oom_told *, struct talk);
/* Does it name the machine's memory, or a card's, which both are called 内存? */
bool	oom_elsewhere_is_machines(struct talk);
bool	oom_elsewhere_is_cards(struct talk);
/* Is the 内存 of which it speaks at AT told apart from 显存? */
bool	oom_elsewhere_is_apart(struct talk, const char *at);
/* Does it name 显存 that is not said to have room? */
bool	oom_elsewhere_names_cards(struct talk);

#endif
