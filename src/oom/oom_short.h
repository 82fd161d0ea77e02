/* Does a sentence say that memory ran out, or is short? */
#ifndef STOWAGE_OOM_OOM_SHORT_H
#define STOWAGE_OOM_OOM_SHORT_H

#include "oom/oom_told.h"

/* What T says of memory, and where (*AT, *N bytes). A clause that denies it by one phrase says it
 * by no other. */
enum told_what	oom_short_says(struct talk t, const char **at, size_t *n);
/* Does T by itself say that memory ran out, or is short? */
bool	oom_short_fails(struct talk t);
/* "16 GB of RAM, and it is full": by a word that stands for memory that T names ahead? */
bool	oom_short_is_full(struct talk t);
/* Has T words by which it could say that? */
bool	oom_short_may_say(struct talk t);
/* Do lines around "resource exhausted" speak of a service, which allows no more, and not of
 * memory? */
bool	oom_short_is_of_service(struct talk near);

#endif
