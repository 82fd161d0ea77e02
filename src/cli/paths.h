/* Files and folders of a command line: a folder stands for every spec below it. */
#ifndef STOWAGE_CLI_PATHS_H
#define STOWAGE_CLI_PATHS_H

#include <stdbool.h>

#include "base/vec.h"

struct paths {
	VEC(const char *) path;
	int failures;		/* what could not be read; each has been reported */
	bool allow_outside;	/* links may lead out of the project */
	const char *root;	/* of the folder that is being walked: where links may lead */
	int skipped;
	bool (*skip)(void *context, const char *path);	/* of what walks find; NULL: nothing */
	bool (*skip_named)(void *context, const char *path);	/* of what is named; NULL: nothing */
	void *context;
};

/* Appends PATH, or, if it is a folder, all *.nn below it by name. Hidden folders and links to
 * folders are not entered. A link that leads out of the project is a failure: what it leads to
 * would be shown in messages. */
void	paths_add(struct arena *, struct paths *, const char *path);

/* Drops paths to files that an earlier path leads to already: for commands that write files. */
void	paths_once(struct arena *, struct paths *);

/* Is there no file where there should be one? All that was named may be skipped. */
bool	paths_are_none(const struct paths *);

/* Says on standard error that nothing came of it. */
void	paths_none(const struct paths *, const char *command);

#endif
