/*
 * What is done against too little memory, and what people say of it: whether a report shows that a
 * measure is in use already, at its least, or was tried and did not help. What proposes it to a
 * reader who has it is no help, so that it is decided here, once, for all that is proposed.
 *
 * What is asked, planned, or said to have helped is none of that.
 */
#ifndef STOWAGE_OOM_OOM_MEASURES_H
#define STOWAGE_OOM_OOM_MEASURES_H

#include <stdbool.h>
#include <stdint.h>

#include "oom/oom_lexicon.h"
#include "oom/oom_source.h"
#include "oom/oom_world.h"

/* Measures are known by the signs of oom_world.h (BY_BATCH), one for each of these bytes. */
#define MEASURES		('_' - 'A' + 1)
#define MEASURE(sign)		((sign)[0] - BY_ANYTHING[0])
#define MEASURE_BIT(measure)	((uint32_t)1 << (measure))

struct oom_measures {
	int line[MEASURES];	/* the first that shows it, from 1; 0: none does */
	int one, several;	/* a line of code or settings with a batch of one, and of more */
	int devices;		/* that a run is given, by the longest list of them, */
	int64_t parts;		/* and into how many parts its weights are split */
	int share, share_line;	/* of a device that a server is told to take, in thousandths; -1: several */
	uint32_t less;		/* of these measures a sentence said last that it was made less, */
	int less_line;		/* there, and not what became of it */
	int list;		/* the line of a sentence that a list of what was tried follows, or of the last item of it */
};

/* Does the clause at AT of T say that what it names was tried, and its sentence that it did not
 * help? "I reduced the batch, but it fails in validation still" does not say it of validation. */
bool	oom_measures_in_vain(struct talk, const char *at);

/* Line LINE of the log. */
void	oom_measures_line(struct oom_measures *, struct talk, int line, enum oom_source, bool traced);

#endif
