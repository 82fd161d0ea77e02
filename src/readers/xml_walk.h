/*
 * XML of a description, passed through once: elements and their text. Attributes, comments and what
 * is said to programs are passed over. As with json_walk.h nothing is built and nothing is said of
 * mistakes; declarations of types are one.
 */
#ifndef STOWAGE_READERS_XML_WALK_H
#define STOWAGE_READERS_XML_WALK_H

#include <stdbool.h>
#include <stddef.h>

struct xml_walk {
	const char *at, *end;	/* *end is a NUL */
	char where[256];	/* names from the first element on: "annotation/object/name" */
	bool closes;		/* the element that has just begun has nothing in it */
	bool bad;
};

/* The next element begins, whose name is then the last of WHERE; or (*ENDS) that one ends, and is
 * left by the next call. False behind the last. */
bool	xml_walk_next(struct xml_walk *, bool *ends);

/* The text of the element that has just begun, as a number. */
double	xml_walk_number(struct xml_walk *);

#endif
