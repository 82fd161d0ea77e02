/* Writing an edited text back to its file. */
#ifndef STOWAGE_CLI_REWRITE_H
#define STOWAGE_CLI_REWRITE_H

#include "base/source.h"

/*
 * Makes the file that OLD was read from hold what NEW says: whole or not at all, with its
 * permissions, and where the path is a link, behind the link. Refused when the file is none
 * (standard input, a pipe) or holds something else by now. False after a message.
 */
bool	rewrite_file(struct arena *, const struct source *old, const struct source *new);

/* Standard input to standard output, as it is. False after a message. */
bool	rewrite_through(void);

/* The same as rewrite_file() of a file that is not there yet. */
bool	rewrite_new(struct arena *, const struct source *new);

#endif
