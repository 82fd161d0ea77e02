/* Names that weights have elsewhere: the file of --map, read the other way. */
#ifndef STOWAGE_EXPORT_NAMES_H
#define STOWAGE_EXPORT_NAMES_H

#include "base/text.h"
#include "base/vec.h"

struct names;

/* NULL, with *WHY, where it is none; TEXT is changed, and kept. */
struct names	*names_read(struct arena *, char *text, const char **why);

/* What a weight of ours is called there, and whether its two axes are the other way round; NULL: nothing that the
 * map makes comes back to that name. */
const char	*names_of(const struct names *, const char *ours, bool *transposed);

#endif
