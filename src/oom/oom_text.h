/*
 * Text as it comes from terminals and log collectors: carriage returns, colours and non-text bytes
 * are dropped, so that patterns need not handle them; what JSON writes as \n becomes OOM_BREAK,
 * unless it stands in a path of Windows, and so do blanks where lines of a traceback were joined. A
 * line with a blank behind each sign, as text of two bytes a sign is shown, is closed up. The
 * upright strokes of a frame, at which a line begins or ends, are no part of it.
 */
#ifndef STOWAGE_OOM_OOM_TEXT_H
#define STOWAGE_OOM_OOM_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define OOM_TEXT_MOST	2	/* bytes that come of one, at most */

struct oom_text {
	char *text;		/* the caller's, with room for what comes */
	size_t n;
	int escape;		/* within a terminal's escape sequence */
	bool path;		/* within a path of Windows, whose backslashes stand for themselves */
	unsigned char before;	/* a byte that waits for the next: a backslash, or 0xc2 */
};

/* Takes one byte. */
void	oom_text_take(struct oom_text *, unsigned char);

#endif
