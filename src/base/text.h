/*
 * Text being built. A struct text lives in an arena; its bytes are always NUL-terminated, and move
 * when it grows.
 */
#ifndef STOWAGE_BASE_TEXT_H
#define STOWAGE_BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct text {
	struct arena *arena;
	char *s;
	size_t n, cap;
};

void	text_init(struct text *, struct arena *);
void	text_add(struct text *, const char *s, size_t n);
void	text_open(struct text *, size_t at, size_t n);	/* room for so many bytes there, which are to be written */
void	text_insert(struct text *, size_t at, const char *s, size_t n);
void	text_puts(struct text *, const char *s);
void	text_printf(struct text *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Sizes (size.c) as people read them: "9.66 GiB", "512 B"; with commas: "10,373,441,024". */
#define SIZE_TEXT	32
const char	*size_human(char buf[SIZE_TEXT], int64_t bytes);
const char	*size_commas(char buf[SIZE_TEXT], int64_t n);

/* The reverse, as people write it: "8GiB", "11 GB", "10.76GiB" (rounded down), "4096", "512 B".
 * False, with *BYTES as it was, when it is no size above or equal to 0 and below 2^63. */
bool		 size_parse(const char *, int64_t *bytes);

/* Units: "B", "KiB", ... "EiB" for powers 0 to 6 of 1024; and the bytes of one that people may
 * write, up to "TiB" and "TB", or 0. */
#define SIZE_UNITS	7
const char	*size_unit_name(int power);
int64_t		 size_unit(const char *name);
/* The words that WORD gives until NULL, "a, b and c" if LAST is " and "; cut off where TO is
 * full. */
#define TEXT_LIST	1024
const char	*text_list(char *to, size_t room, const char *(*word)(int i), const char *last);

/* Is NAME one of those, up to NULL? */
bool		 text_is_one_of(const char *name, const char *const *names);
/* The candidate nearest to NAME (Damerau-Levenshtein, at most a third of its letters), or NULL. */
const char	*text_nearest(const char *name, const char *const *candidates, int n);
const char	*text_nearest_of(const char *name, const char *(*candidate)(int i));
int		 text_distance(const char *a, const char *b, int limit);

#endif
