/*
 * A text that is open in an editor. Places of the protocol are a line and a number of code units
 * into it, UTF-16 unless the client takes UTF-8; here they are bytes. Lines end with LF, CR LF or a
 * lone CR.
 */
#ifndef STOWAGE_LSP_DOCUMENT_H
#define STOWAGE_LSP_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a character begins, about every 256 bytes, and the units of UTF-16 in front of it: with
 * them a place in a line of a megabyte is found as soon as one in a short line. */
struct milestone {
	size_t at;
	int64_t units;
};

struct text_lines {		/* a text and where its lines begin */
	char *text;		/* NUL-terminated; well-formed UTF-8 if it came from the editor */
	size_t n, cap;
	size_t *start;
	int lines, room;	/* at least one line */
	struct milestone *milestone;
	int milestones, milestone_room;	/* the first at 0 */
};

struct position {
	int64_t line, character;	/* both from 0 */
};

/* Replaces the bytes [beg, end); false where the text would be too long, and is as it was then; or
 * where memory runs out, and nothing is known of it. */
bool	text_replace(struct text_lines *, size_t beg, size_t end, const char *with, size_t n);
void	text_lines_free(struct text_lines *);

/* The byte at a position; past the end of a line, that end; past the last line, the end of the
 * text; within a character, its start. */
size_t	text_offset(const struct text_lines *, struct position, bool utf8);
struct position	text_position(const struct text_lines *, size_t offset, bool utf8);

#define LONGEST_TEXT	((size_t)16 << 20)	/* what a source may have */

#endif
