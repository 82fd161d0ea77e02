/* A device that has little, as people say it (oom_card.c). */
#ifndef STOWAGE_OOM_OOM_CARD_H
#define STOWAGE_OOM_OOM_CARD_H

#include "oom/oom_lexicon.h"

#define OOM_CARD_NUMBERS	"3060 3070 3080 3090 4060 4070 4080 4090 5070 5080 5090 2060 2070 2080 2080ti 1050 1060 1070 1080 1080ti 1650 1660 a6000 a5000 a4000 a40 a30 a10 a10g l4 l40 l40s h100 h200 h800 h20 a800"	/* by which cards are called */

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
