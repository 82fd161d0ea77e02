/* The size of pictures, as people say it. */
#ifndef STOWAGE_OOM_OOM_PICTURES_H
#define STOWAGE_OOM_OOM_PICTURES_H

#include "oom/oom_paste.h"

#define LEAST_SIDE	64	/* pixels of a picture's side */
#define MOST_SIDE	100000

/* "550*700 image", "pictures of [3, 1440, 2560]": the last size of pictures that line LINE has. */
void	oom_pictures_said(struct oom_paste *, struct talk, int line);
/* Where T names pictures that are large; a side that is large, by its unit; pictures that are of
 * several sizes; a slide that is given as one; or NULL. */
const char	*oom_pictures_large(struct talk);
const char	*oom_pictures_side(struct talk);
const char	*oom_pictures_sizes(struct talk);
const char	*oom_pictures_whole(struct talk);

#endif
