/*
 * Names of files, as text. An absolute path here starts with '/', has neither ".", ".." nor empty
 * components, and does not end with '/' unless it is the root.
 */
#ifndef STOWAGE_BASE_FILENAME_H
#define STOWAGE_BASE_FILENAME_H

#include <stdbool.h>

#include "base/arena.h"

/* Drops empty steps, "." and "..", by the letter: links are not followed. PATH starts with '/';
 * what is left of the root of all is "". */
void	filename_normalise(char *path);

/* Where the file PATH lies: its folder with all links resolved, then its own name. One whose folder
 * is not there is made absolute by the letter. */
char	*filename_absolute(struct arena *, const char *path);

/* The folder that an absolute path lies in; that of the root is the root. */
char	*filename_folder(struct arena *, const char *absolute);

/* An absolute path as seen from an absolute folder: "a/b.nn", "../c.nn". */
char	*filename_relative(struct arena *, const char *folder, const char *absolute);

/* Does an absolute path lie in the absolute FOLDER, or below it? By the letter. */
bool	filename_is_below(const char *folder, const char *absolute);

/* Does a name end so, with something in front of it? */
bool	filename_ends(const char *name, const char *end);

/* An absolute path as a reader in the working folder would write it, if that is shorter. */
const char	*filename_shown(struct arena *, const char *absolute);

/* PATH, seen from FOLDER unless it is absolute already. */
char	*filename_join(struct arena *, const char *folder, const char *path);

/*
 * Does PATTERN name PATH, or a folder that PATH lies in? "*" is any part of a step, "?" one byte of
 * it, "**" any number of steps. A pattern without '/' but at its end names a step at any depth.
 * PATH is relative. The time is that of the product of both lengths at most.
 */
bool	filename_matches(const char *pattern, const char *path);

#endif
