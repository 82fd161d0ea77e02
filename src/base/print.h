/*
 * Printing what others wrote: names of files, words of a spec. A name may hold anything but NUL and
 * '/', and must not be able to repaint the terminal, nor to begin a line of its own in a log.
 */
#ifndef STOWAGE_BASE_PRINT_H
#define STOWAGE_BASE_PRINT_H

#include <stdio.h>

#include "base/arena.h"

/* The text as people read it: control characters as \x1b, and such as turn its direction as
 * \u202e. */
void	print_visible(FILE *, const char *s);
const char	*visible_text(struct arena *, const char *s);

/* "stowage: ...", as one line on standard error. */
void	print_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
