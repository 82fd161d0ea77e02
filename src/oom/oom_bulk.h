/* How much is given at once, as people say it (oom_bulk.c). */
#ifndef STOWAGE_OOM_OOM_BULK_H
#define STOWAGE_OOM_OOM_BULK_H

#include "oom/oom_paste.h"

/* Where T names films, recordings or texts that are long, or what is made of them; where it says
 * how long one is, or in a SENTENCE that it is long; or NULL. */
const char	*oom_bulk_media(struct talk);
const char	*oom_bulk_lasting(struct talk);	/* by a number alone */
/* Where T speaks of how long films are, in Chinese. */
const char	*oom_bulk_film_length(struct talk);
const char	*oom_bulk_long(struct talk, bool sentence);
/* Where it says that memory goes with the length of what is given; or NULL. */
const char	*oom_bulk_by_length(struct talk);
/* Where it tells of an allocation of more than a device has, or may have, and how many bytes; or
 * NULL. */
const char	*oom_bulk_absurd(struct talk, int64_t *bytes);
/* Where T has two extents of a matrix that has a number for each pair; or NULL. */
const char	*oom_bulk_pairs(struct talk);
/* Where T names many objects of a picture; where it names many classes; or NULL. */
const char	*oom_bulk_boxes(struct talk);
const char	*oom_bulk_classes(struct talk);

#endif
