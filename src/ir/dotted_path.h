/*
 * Dotted paths: layer1.2.main.conv_2.weight. The same path names a tensor in diagnostics, plans,
 * checkpoints, freeze and recompute.
 */
#ifndef STOWAGE_IR_DOTTED_PATH_H
#define STOWAGE_IR_DOTTED_PATH_H

#include <stdbool.h>

#include "base/arena.h"
#include "ir/settings.h"

/* "a" and "b" give "a.b"; an empty first part gives the second alone. */
const char	*path_join(struct arena *, const char *a, const char *b);
const char	*path_number(struct arena *, const char *a, int n);

/* Is PATH what PATTERN names, or under it? A * stands for exactly one segment, but one that leads
 * a longer pattern for one or more: "*.bias" is every bias, however deep. */
bool	path_matches(const char *pattern, const char *path);
/* The same, as the length of the beginning of PATH that the whole pattern names; 0: none. */
size_t	path_match(const char *pattern, const char *path);

/* Many patterns, for many paths: what a path costs does not grow with the number of patterns. */
struct path_set;

struct path_set	*path_set_new(struct arena *, const struct pattern *, int n);
/* The first of the patterns that PATH matches, as an index; -1: none. */
int		 path_set_first(struct path_set *, const char *path);
/* Has pattern I matched a path that was asked about? */
bool		 path_set_met(const struct path_set *, int i);

#endif
