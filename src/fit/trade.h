/* What bytes were given for: how long a step takes at least on the card that the spec names, and
 * with the least bytes. */
#ifndef STOWAGE_FIT_TRADE_H
#define STOWAGE_FIT_TRADE_H

#include "plan/estimate.h"

struct trade {
	const struct gpu *card;		/* NULL: none that is known runs these programs, and nothing else is said */
	struct card rates;
	struct estimate step;
	const struct plan *least;	/* of least bytes; NULL: that is the module's own, or too much to plan */
	struct estimate least_step;
	int least_longest;	/* calls of it that are one after the other */
};

/* Of a module that was planned, which stays as it is. */
struct trade	fit_trade(const struct module *);

#endif
