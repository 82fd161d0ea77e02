/*
 * The call around a place, read from the text itself: while it is being written, its bracket is
 * open, and the syntax tree has none.
 */
#ifndef STOWAGE_LSP_CALL_SITE_H
#define STOWAGE_LSP_CALL_SITE_H

#include "base/vec.h"
#include "lsp/document.h"

struct call_site {
	const char *name;
	int head;		/* the byte at which the name begins */
	int index;		/* of the argument */
	const char *name_given;	/* its name, where it has one */
	const char *argument;	/* the same where the place is behind its = */
	VEC(const char *) given;	/* names that other arguments have */
};

/* False: the place is in no call's brackets. */
bool	call_site_at(struct arena *, const struct text_lines *, int at, struct call_site *);

static inline bool
is_name_byte(char b)
{
	return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '_';
}

#endif
