/* How much is given at once, as people say it (oom_bulk.c). */
#ifndef STOWAGE_OOM_OOM_BULK_H
#define STOWAGE_OOM_OOM_BULK_H

#include "oom/oom_paste.h"

/* "550*700 image", "pictures of [3, 1440, 2560]": the last size of pictures that line LINE has. */
void	oom_bulk_pictures(struct oom_paste *, struct talk, int line);
/* Where T names films, recordings or texts that are long, or what is made of them; where it says
 * how long one is, or in a SENTENCE that it is long; where it names pictures that are large; or
 * NULL. */
const char	*oom_bulk_media(struct talk);
const char	*oom_bulk_long(struct talk, bool sentence);
const char	*oom_bulk_large(struct talk);
/* Where it tells of an allocation of more than a machine has, and how many bytes; or NULL. */
const char	*oom_bulk_absurd(struct talk, int64_t *bytes);
/* Where T says that it works with a number, if it says that it fails with a larger one; or NULL. */
const char	*oom_bulk_less(struct talk);

/* Where T has two extents of a matrix that has a number for each pair; or NULL. */
const char	*oom_bulk_pairs(struct talk);
/* Where T names many objects of a picture; where it names many classes; or NULL. */
const char	*oom_bulk_boxes(struct talk);
const char	*oom_bulk_classes(struct talk);
/* A picture's side that is large, by its unit. */
const char	*oom_bulk_side(struct talk);
/* Pictures that are of several sizes; a device that has little. */
const char	*oom_bulk_sizes(struct talk);
const char	*oom_bulk_card(struct talk);

#endif
