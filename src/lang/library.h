/*
 * The files of std/, blocks that people share, which the program carries along: `use
 * "std/vision.nn"` reads the one here where there is no such file beside the spec. So what a spec
 * means does not depend on which release is installed; the installed copies are there to be looked
 * at.
 */
#ifndef STOWAGE_LANG_LIBRARY_H
#define STOWAGE_LANG_LIBRARY_H

#include "base/diag.h"
#include "base/embedded.h"
#include "base/map.h"
#include "base/text.h"
#include "syntax/ast.h"

#define LIBRARY_FOLDER	"std/"

extern const struct embedded library_table[];	/* "std/vision.nn"; ends with name NULL */

/* The file that is used as "std/NAME", in the arena; NULL: there is none. */
struct source	*library_source(struct arena *, const char *path);

/* The same of one that is used by that path, if there is no file of the user's at FILE. */
struct source	*library_in_place_of(struct arena *, const char *path, const char *file);

/* The I-th file as a spec names it; NULL: there are no more. */
const char	*library_path(int i);

/* That file, parsed; NULL: there are no more. */
const struct file	*library_file(struct arena *, int i);

/* The blocks of all the files, by their names. The files are parsed for it: once a compilation is
 * enough. */
void		 library_blocks(struct arena *, struct map *);

/* Is the file installed, the same as the program has it? Then its path is put into FILE. */
bool		 library_installed(const char *path, char *file, size_t room);

/* Says which files there are, and which is meant if one is near. */
void		 library_suggest(struct diags *, struct diag *, const char *path);

/* What the comment at the top of a file says of it, up to the first empty line. */
const char	*library_about(struct arena *, const char *path);

/* "(x, memory) -> decoder(heads, drop=0.1)": how a block is used, as its head says. */
void		 library_usage(struct text *, const struct block *);

/* The lines of comment that stand directly above a definition, without their marks; "": none. */
const char	*library_comment(struct arena *, struct loc definition);

#endif
