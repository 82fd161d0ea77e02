/* What the files that look for causes share: autopsy_causes.c calls them in its order. */
#ifndef STOWAGE_AUTOPSY_AUTOPSY_PARTS_H
#define STOWAGE_AUTOPSY_AUTOPSY_PARTS_H

#include "autopsy/autopsy.h"

#define IMPOSSIBLE	((int64_t)1 << 46)	/* bytes that no machine has */

/* What others have of the device, where that is more than libraries take; or 0. */
int64_t	autopsy_of_others(const struct autopsy *);

/* Is the request larger than any block that drivers of such devices give? */
bool	autopsy_is_large_block(const struct autopsy *);

/* One more of y->causes. */
void	autopsy_cause(struct autopsy *y, const char *text);

/* By the place where memory ended: autopsy_place.c. */
void	autopsy_place_causes(struct autopsy *);
/* By the message's figures alone: autopsy_alone.c. */
void	autopsy_alone_causes(struct autopsy *);
/* By its shape, or by the size of an array in the machine's memory: autopsy_shape.c. */
void	autopsy_shape_causes(struct autopsy *);

#endif
