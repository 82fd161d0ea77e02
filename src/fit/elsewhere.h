/* The largest batch that a memory holds in another framework, as that framework's model has it. */
#ifndef STOWAGE_FIT_ELSEWHERE_H
#define STOWAGE_FIT_ELSEWHERE_H

#include "frameworks/forecast.h"

enum elsewhere_fits { ELSEWHERE_NO, ELSEWHERE_PERHAPS, ELSEWHERE_YES };

struct elsewhere {
	const struct framework *framework;
	int64_t memory;
	struct forecast wanted;	/* of the spec's micro-batch; unknown: nothing below is known either */
	int64_t least, most;	/* bytes of the card that it needs */
	int64_t low, high;	/* the largest micro-batch lies between; 0: none fits */
	enum elsewhere_fits fits;	/* the wanted one */
};

/* RESERVE: bytes set aside; -1: what a context takes, by the forecast. M has a plan. */
void	fit_elsewhere(const struct module *, const struct framework *, int64_t memory,
	    int64_t reserve, struct elsewhere *);

/* "no", "perhaps", "yes" */
const char	*elsewhere_word(enum elsewhere_fits);

#endif
