/* What people say the run was: each where T says so, or NULL. */
#ifndef STOWAGE_OOM_OOM_RUNS_H
#define STOWAGE_OOM_OOM_RUNS_H

#include "oom/oom_lexicon.h"

/* Once more, in one process; one of several, as a search makes. */
const char	*oom_runs_again(struct talk);
const char	*oom_runs_restarted(struct talk);
const char	*oom_runs_trials(struct talk);
/* Is what AT names what they say they do, in whatever sentence? */
bool	oom_runs_done(struct talk, const char *at);
/* With a large vocabulary. */
const char	*oom_runs_words(struct talk);
/* The machine has memory that is free. */
const char	*oom_runs_spare(struct talk);
/* It fails where the loss is computed. */
const char	*oom_runs_loss(struct talk);

/* "The first one runs fine, but then" another does not. */
const char	*oom_runs_well_once(struct talk);
/* "after about 28 replies", of a conversation with a model of language. */
const char	*oom_runs_talk(struct talk);

#endif
