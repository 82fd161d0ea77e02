/*
 * Messages as they come over the wire: header lines that end with CR LF, an empty one, and as many
 * bytes as Content-Length says (LSP 3.17, "Base Protocol").
 */
#ifndef STOWAGE_LSP_WIRE_H
#define STOWAGE_LSP_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define WIRE_LONGEST_HEADER	((size_t)8 << 10)
#define WIRE_LONGEST_BODY	((size_t)256 << 20)

struct wire {			/* what has been read, and not yet been taken */
	char *buf;
	size_t n, cap;
	size_t taken;		/* of it, by messages */
};

enum wire_next {
	WIRE_MESSAGE,
	WIRE_MORE,		/* the message is not whole yet */
	WIRE_BROKEN		/* where the next message begins cannot be known */
};

/* Appends what was read; false: out of memory. */
bool	wire_feed(struct wire *, const char *bytes, size_t n);

/*
 * The next whole message, which is valid until the next wire_feed(). *WHY of WIRE_BROKEN.
 *
 * An editor may send half of a character, as while one is typed in halves: a lone UTF-16 surrogate,
 * which JSON can escape and no text has. U+FFFD stands in its place, which counts as one code unit
 * too, so that positions behind it stay what they are in the editor.
 */
enum wire_next	wire_next(struct wire *, const char **body, size_t *n, const char **why);

void	wire_free(struct wire *);

/* Writes a message; false where it could not be. */
bool	wire_write(FILE *, const char *body, size_t n);

#endif
