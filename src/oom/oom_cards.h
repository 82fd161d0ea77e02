/* Cards by their names (oom_cards.c). */
#ifndef STOWAGE_OOM_OOM_CARDS_H
#define STOWAGE_OOM_OOM_CARDS_H

#include "oom/oom_lexicon.h"

/* The first name in T of a card that has little in all of its kinds, N bytes; NULL: there is
 * none. */
const char	*oom_cards_small(struct talk t, size_t *n);
/* Does a word for a card, with a colon or an "is" behind it, lead to the name at AT, "GPU:
 * GTX 1060", "my graphics card is a GTX 660"? */
bool		oom_cards_labelled(struct talk t, const char *at);

#endif
