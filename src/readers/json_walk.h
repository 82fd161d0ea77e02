/*
 * JSON of a data file, passed through once from its first byte to its last: a value is asked for,
 * or passed over. Nothing is built in memory, and nothing is said of mistakes: what is not as
 * expected is remembered, and from there on all is zeros and ends. What building a value takes is
 * jansson's.
 */
#ifndef STOWAGE_READERS_JSON_WALK_H
#define STOWAGE_READERS_JSON_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_walk {
	const char *at, *end;	/* *end is a NUL */
	bool bad;		/* something was not as expected */
};

/* Into each value of a list: *N is 0 before the first. False behind the last. */
bool	json_walk_each(struct json_walk *, int *n);
/* To the value of each key of an object, in the same way. A key that KEY has no room for, or that
 * has escapes, is "". */
bool	json_walk_field(struct json_walk *, int *n, char *key, size_t size);

double	json_walk_number(struct json_walk *);
int64_t	json_walk_count(struct json_walk *);	/* a whole number that is not negative */
size_t	json_walk_string(struct json_walk *);	/* how many bytes are between its quotes, which are behind it */
void	json_walk_pass(struct json_walk *);	/* a value of any kind */

/* Blanks behind the last value, and then the end? */
bool	json_walk_ends(struct json_walk *);

#endif
