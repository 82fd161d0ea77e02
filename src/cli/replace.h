/*
 * Putting a new text in a file's place: it is written to a file beside the old one, which then
 * takes its name, so that whatever happens there is the old file or the new one. The mode stays,
 * links are followed, and what is no regular file (a device, a pipe) is written to as it is.
 * Signals that end a program wait meanwhile. A file with several names is written in place, so that
 * it keeps them.
 *
 * Functions that return false leave the reason in errno, and the old file as it was.
 */
#ifndef STOWAGE_CLI_REPLACE_H
#define STOWAGE_CLI_REPLACE_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

struct replacement {
	char path[PATH_MAX];		/* links followed */
	char fresh[PATH_MAX + 8];	/* the file beside it; "": written to directly */
	int fd;
	struct stat old;		/* st_nlink 0: nothing is there */
	sigset_t signals;		/* as they were */
};

bool	replace_begin(struct replacement *, const char *path);
bool	replace_write(struct replacement *, const char *s, size_t n);
/* Ends it, for better or worse. */
bool	replace_finish(struct replacement *);
void	replace_abandon(struct replacement *);

/* A stream that writes it, for what is too much to hold in memory first; NULL where there is none,
 * and it is abandoned. */
FILE	*replace_stream(struct replacement *);
/* Ends both: it is finished if that is GOOD, and abandoned otherwise. */
bool	replace_close(struct replacement *, FILE *, bool good);

/* All of it; false after a message. */
bool	replace_text(const char *path, const char *s, size_t n);
/* The same with what can be read from a file. */
bool	replace_copy(const char *path, FILE *from);

#endif
