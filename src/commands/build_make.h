/* Running make for stowage build. */
#ifndef STOWAGE_COMMANDS_BUILD_MAKE_H
#define STOWAGE_COMMANDS_BUILD_MAKE_H

#include <stdbool.h>

#include "base/arena.h"

/*
 * Makes DIR/PROGRAM anew by the Makefile there; what was called so before comes back if that fails.
 * Of the environment, what make takes orders from is left out. A signal that ends us is passed on
 * to make and to the compilers; it ends us when they are gone. False after a message.
 */
bool	build_make(struct arena *, const char *dir, const char *program, bool verbose);

#endif
