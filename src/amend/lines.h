/*
 * Where lines of a text begin and end, and whether anything but blanks and comments is on them:
 * what code that edits a text needs to know to keep the author's lines. A '\r' before a '\n'
 * belongs to the line's end.
 */
#ifndef STOWAGE_AMEND_LINES_H
#define STOWAGE_AMEND_LINES_H

#include "base/source.h"

int	lines_begin(const struct source *, int at);	/* of the line that AT is on */
int	lines_end(const struct source *, int at);	/* where its newline begins */
int	lines_next(const struct source *, int at);	/* where the next line begins, or the end */
int	lines_skip(const struct source *, int at);
int	lines_skip_back(const struct source *, int at);
bool	lines_begins_at(const struct source *, int at);	/* blanks alone before it? */
bool	lines_ends_at(const struct source *, int at);	/* blanks or a comment behind it? */
bool	lines_is_empty(const struct source *, int at);	/* nothing but blanks on its line? */
const char	*lines_newline(const struct source *);	/* as the first line ends */

/* Is there a comment in bytes [beg, end), which begin outside of strings? */
bool	lines_has_comment(const struct source *, int beg, int end);

#endif
