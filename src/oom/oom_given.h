/*
 * What a command, settings or code gives a run, by its numbers: devices and parts of weights among
 * them, a share of a device, layers that are on it.
 */
#ifndef STOWAGE_OOM_OOM_GIVEN_H
#define STOWAGE_OOM_OOM_GIVEN_H

#include "oom/oom_lexicon.h"
#include "oom/oom_measures.h"

/* What a setting whose name ends at S is set to; empty: nothing stands there. */
struct talk	oom_given_value(struct talk, const char *s);

void	oom_given_line(struct oom_measures *, struct talk, int line);

#endif
