/*
 * Source text and places in it. A place is a byte range of a file; lines and columns are computed
 * when a message is printed, from a table of line starts made once per file.
 */
#ifndef STOWAGE_BASE_SOURCE_H
#define STOWAGE_BASE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include "base/arena.h"

struct source {
	const char *path;	/* as the user wrote it; shown in messages */
	const char *text;	/* NUL-terminated; owned by the arena */
	int size;		/* bytes, without the NUL; files above 16 MiB are refused */
	int *line_start;	/* byte offset of each line */
	int lines;
	bool shipped;		/* it came with Stowage (lang/library.h): not the user's to change */
	/* Not NULL: this stands for that file of the user's, where it uses a block that came with
	 * Stowage. What is made there says this; its place is seen in that file, and nothing of it
	 * can be edited there. */
	const struct source *stands_for;
	/* Not NULL: PATH is a model of another tool, and this is the spec that was made of it.
	 * Nobody has it as a file, so nothing of it can be edited, and places are told by the names
	 * that the model has for them. */
	const struct origins *origins;
};

struct origin {			/* what is said by some words of a spec that was made of a model */
	int beg, end;		/* bytes of its text */
	const char *node;	/* the first that they say, as the model calls it */
	int more;		/* others: of the words of a block, one for each use of it */
};

struct origins {
	int n;
	const struct origin *v;	/* in the order of beg, then end */
	int longest;		/* bytes of one */
};

struct loc {
	const struct source *src;	/* NULL: no place (a whole-program message) */
	int beg, end;			/* bytes [beg, end) of src->text */
};

struct source	*source_from_text(struct arena *, const char *path, const char *text, size_t size);

/* Reads a whole file that the user named: "-" is standard input, and a pipe will do. On failure
 * returns NULL and sets *why. */
struct source	*source_read(struct arena *, const char *path, const char **why);

/* The same for a path that a file names, for which nobody vouches: it is a regular file, and lies,
 * all links resolved, below the absolute folder ROOT. */
struct source	*source_read_below(struct arena *, const char *root, const char *path,
		    const char **why);

/* Bytes of such a file from AT on, at most so many, with a NUL behind them; NULL where it cannot be
 * read. *SIZE of them; the whole file has *ALL. */
const unsigned char	*source_part_below(struct arena *, const char *root, const char *path, int64_t at,
			    size_t most, size_t *size, int64_t *all);

/* The names in such a folder that end so, at most so many, in the order of their bytes; NULL where
 * it cannot be read, or there are more. *N of them. */
char *const	*source_names_below(struct arena *, const char *root, const char *path, const char *end, int most, int *n);

int	loc_line(struct loc);		/* 1-based; 0 where there is no place */
int	loc_column(struct loc);		/* 1-based, in bytes */
int	loc_column_chars(struct loc);	/* 1-based, in code points */

/* Is that a line of the file at l.src->path? Of what was made of a model there is none. */
static inline bool
loc_has_line(struct loc l)
{
	return l.src && !l.src->origins;
}

/* Of N, in their order. */
const struct origins	*origins_new(struct arena *, int n, const struct origin *);
/* The words around that place, or else in it; NULL: no node says them, or it is in no model. */
const struct origin	*loc_origin(struct loc);
/* As messages say it: "line 12"; "blocks.nn:12" of a file other than HOME; "node 'conv1' and 3
 * more" of a model. */
const char	*loc_shown(struct arena *, struct loc, const struct source *home);

/* From a's start to b's end. The parser does it for all that it makes. */
static inline struct loc
loc_join(struct loc a, struct loc b)
{
	if (!a.src)
		return b;
	if (b.src == a.src && b.end > a.end)
		a.end = b.end;
	return a;
}

/* As users know it: in the file that they have. */
static inline struct loc
loc_seen(struct loc l)
{
	if (l.src && l.src->stands_for)
		l.src = l.src->stands_for;
	return l;
}

/* The text of line N (1-based), without its newline. */
const char	*source_line(const struct source *, int line, int *length);

#endif
