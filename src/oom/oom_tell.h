/* What a message says of itself, into its fields: the reader of logs (oom_log.c) hands in what it
 * finds, one by one. */
#ifndef STOWAGE_OOM_OOM_TELL_H
#define STOWAGE_OOM_OOM_TELL_H

#include "oom/oom_phrase.h"

struct telling {		/* a message whose text is being read */
	struct oom_message *o;
	unsigned flags;		/* of its phrase */
	bool placed;		/* where memory ended is settled */
};

/* The sizes that the phrase itself tells. */
void	oom_tell_sizes(struct oom_message *, const struct phrase *, const struct oom_match *);
/* What is matched by a detail of its kind. */
void	oom_tell_detail(struct telling *, const struct detail *, const struct oom_match *);
/* Where the type of elements is none that is known, the bytes of all tell theirs. */
void	oom_tell_element(struct oom_message *);

#endif
