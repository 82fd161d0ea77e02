/* Maps of names that come with Stowage, for the networks of specs/: "resnet18.torchvision". */
#ifndef STOWAGE_EXPORT_SHIPPED_H
#define STOWAGE_EXPORT_SHIPPED_H

#include "base/embedded.h"
#include "base/text.h"

extern const struct embedded shipped_table[];	/* made by src/emit/embed.sh of specs/; ends with name NULL */

/* A copy of the map of a network for what has its names in WORD; NULL: there is none. */
char	*shipped_map(struct arena *, const char *network, const char *word);

/* "torchvision, timm": for what there are maps of a network; "": for nothing. Of NULL the networks
 * that have any. */
const char	*shipped_list(struct arena *, const char *network);

#endif
