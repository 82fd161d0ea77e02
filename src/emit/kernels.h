/*
 * The files of kernels/ as this program carries them along: src/emit/embed.sh writes their text,
 * and src/emit/definitions.awk which lines are one definition, what it defines, and which names
 * each line uses.
 */
#ifndef STOWAGE_EMIT_KERNELS_H
#define STOWAGE_EMIT_KERNELS_H

#include "base/embedded.h"

/* The text of each file, by name ("conv/conv.cu", "host/data.c"). */
extern const struct embedded embedded_table[];	/* ends with name NULL */

enum piece_kind {
	PIECE_BLANK,		/* a blank line between others */
	PIECE_DEFINITION,
	PIECE_DIRECTIVE,	/* of the preprocessor, except #define */
	PIECE_OPENING,		/* a comment that opens a file */
	PIECE_SECTION,		/* one that opens a part of a file */
	PIECE_COMMENT,		/* any other; right above a definition it is part of it */
	PIECE_OWN		/* no kernel: a program's own text (parts.c) */
};

struct kernel_piece {
	unsigned char kind;
	short name;		/* what it defines; -1: no name, it always stays */
};

struct kernel_line {
	unsigned short length;	/* with its end */
	unsigned short piece;
	int uses;		/* the first of its names in kernel_uses; the next line's end them */
};

/* What kernels define, and what programs define for them (definitions.awk lists it). */
extern const char *const kernel_names[];
extern const int kernel_name_count;
extern const struct kernel_piece kernel_pieces[];
extern const struct kernel_line kernel_lines[];	/* of all files, and an end of length 0 */
extern const int kernel_first_lines[];		/* by file, as in embedded_table */
extern const unsigned short kernel_uses[];

#endif
