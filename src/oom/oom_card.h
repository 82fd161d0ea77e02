/* A device that has little, as people say it (oom_card.c). */
#ifndef STOWAGE_OOM_OOM_CARD_H
#define STOWAGE_OOM_OOM_CARD_H

#include "oom/oom_lexicon.h"

/* Where T tells of one; or NULL. */
const char	*oom_card_small(struct talk t);
/* And that it was asked for more than that? */
bool		oom_card_asked(struct talk t);
/* Does T tell that one of GIB was asked for more? */
bool		oom_card_asks_more(struct talk t, int64_t gib);
/* Where it tells how many GB a card has on which something failed, however many, and that number;
 * or NULL. */
const char	*oom_card_told(struct talk t, int64_t *gib);

#endif
