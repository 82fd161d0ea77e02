/* Files that are mapped, not read: models and checkpoints, of which one may have gigabytes. */
#ifndef STOWAGE_CLI_MAPPED_H
#define STOWAGE_CLI_MAPPED_H

#include <stddef.h>

#include "base/arena.h"

/* Runs WORK on the bytes of the file, which stay there as long as it runs; its status, or 2 after a
 * message. */
int	mapped(struct arena *, const char *path, int (*work)(struct arena *, void *, const unsigned char *, size_t),
	    void *context);

#endif
