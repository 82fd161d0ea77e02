/*
 * Text being built. A struct text lives in an arena; its bytes are always NUL-terminated.
 */
#ifndef STOWAGE_BASE_TEXT_H
#define STOWAGE_BASE_TEXT_H

#include <stdint.h>

#include "base/arena.h"

struct text {
	struct arena *arena;
	char *s;
	size_t n, cap;
};

void	text_init(struct text *, struct arena *);
void	text_add(struct text *, const char *s, size_t n);
void	text_puts(struct text *, const char *s);
void	text_printf(struct text *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Sizes as people read them: "9.66 GiB", "512 B"; with commas: "10,373,441,024". */
#define SIZE_TEXT	32
const char	*size_human(char buf[SIZE_TEXT], int64_t bytes);
const char	*size_commas(char buf[SIZE_TEXT], int64_t n);

/* The candidate nearest to NAME (Damerau-Levenshtein, at most a third of its letters), or NULL. */
const char	*text_nearest(const char *name, const char *const *candidates, int n);
int		 text_distance(const char *a, const char *b, int limit);

#endif
