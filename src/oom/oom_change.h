/* What people say differs between a run that works and the one that failed: each where T says so,
 * or NULL. */
#ifndef STOWAGE_OOM_OOM_CHANGE_H
#define STOWAGE_OOM_OOM_CHANGE_H

#include "oom/oom_lexicon.h"

/* A setting that was made larger, from one number to another. */
const char	*oom_change_raised(struct talk);
/* Does its sentence go on with what came of that? */
bool		 oom_change_leads(struct talk, const char *at);
/* Another set of data. */
const char	*oom_change_data(struct talk);
/* Films with which it fails, */
bool		 oom_change_films(struct talk);
/* and pictures with which it works then. */
const char	*oom_change_media(struct talk);
/* Does the clause that names data at AT say that they are not read, and not that they cannot be? */
bool	oom_change_not_read(struct talk clause, const char *at);

#endif
