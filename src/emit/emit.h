/*
 * Writing the program: from a planned module to the text of one source file and its Makefile. It is
 * the same for every target but for the files that the target names (target/target.h).
 */
#ifndef STOWAGE_EMIT_EMIT_H
#define STOWAGE_EMIT_EMIT_H

#include <stdbool.h>

#include "base/text.h"
#include "ir/ir.h"
#include "target/target.h"

/* The whole program for a planned module: source and Makefile into arena text. Of one that only
 * infers, also a header for programs that link it; numbers of files are within it, which must lie
 * below ROOT. */
bool	emit_program(struct module *, const struct target *, const char *root, struct text *source,
	    struct text *makefile, struct text *header, const char *program);

#endif
