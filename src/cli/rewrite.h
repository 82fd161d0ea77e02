/* Writing an edited text back to its file. */
#ifndef STOWAGE_CLI_REWRITE_H
#define STOWAGE_CLI_REWRITE_H

#include "base/source.h"

/*
 * Replaces the contents of the file that OLD was read from by NEW, atomically, with its
 * permissions; links are followed. Refused if it is not a regular file (standard input, a pipe) or
 * has changed since. False after a message.
 */
bool	rewrite_file(struct arena *, const struct source *old, const struct source *new);

/* Standard input to standard output, as it is. False after a message. */
bool	rewrite_through(void);

/* The same as rewrite_file() of a file that is not there yet. */
bool	rewrite_new(struct arena *, const struct source *new);

#endif
