/*
 * Whose words they are: some wordings of out-of-memory messages are of several programs. A phrase
 * that is marked so (PHRASE_OWN, oom_phrase.h) is its program's only where words of that program
 * alone stand near: in a few lines ahead of it and behind it, or in the traceback that it ends.
 */
#ifndef STOWAGE_OOM_OOM_OWNER_H
#define STOWAGE_OOM_OOM_OWNER_H

#include <stdint.h>

#include "oom/oom_lexicon.h"

#define OWNER_LINES	3	/* ahead of a phrase, and behind it */

struct oom_owners {		/* programs whose words stand in the traceback that was read last */
	uint64_t named;		/* a bit for each */
	int begun, last;	/* its first line, and the last that is of it; 0: there was none */
};

/* Line LINE of the log; BEGUN: the first line of the traceback it is of, 0: of none. */
void	oom_owner_line(struct oom_owners *, struct talk, int line, int begun);
/* Is WHO, by name, named by NEAR, the text around LINE, or by a traceback that ended there? Some
 * are only by OWN, the part of NEAR that is the line; what a person's sentence beside it mentions
 * names nobody. FENCED: behind LINE Markdown's fence is open. */
bool	oom_is_owned(const struct oom_owners *, const char *who, struct talk near, struct talk own, int line, bool fenced);
/* Is that a program whose words are known? */
bool	oom_owner_known(const char *who);

#endif
