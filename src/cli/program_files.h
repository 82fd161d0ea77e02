/* What emit and build share: from a spec to the text of its program, and writing files
 * atomically. */
#ifndef STOWAGE_CLI_PROGRAM_FILES_H
#define STOWAGE_CLI_PROGRAM_FILES_H

#include "base/text.h"
#include "cli/compile.h"
#include "emit/emit.h"

struct program {
	const struct module *module;
	const struct target *target;
	const char *name;	/* of the program: its network's, unless the Makefile needs that */
	struct text source, makefile, header;	/* of a program that is trained there is no header */
};

/* Compiles the spec and writes its program's text; the exit status, 0 when all is well. A spec
 * of several networks needs --network; one that does not fit its device needs --force. */
int	program_make(struct arena *, const struct command *, const char *path,
	    const struct compile_args *, struct program *);

/* Writes a program's text in a file's place (replace.h). One that stowage did not write is left
 * alone unless FORCE; false after a message. */
bool	program_write(const char *path, const struct text *, bool force);

/* The source and the Makefile, in DIR, which must hold no other makefile unless FORCE. */
bool	program_write_all(struct arena *, const char *dir, const struct program *, bool force);

#endif
