/* Passing through JSON. Values that nobody asks for are passed by their brackets and strings alone. */
#include "readers/json_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEEP	64	/* how deep a value that is passed over may be nested, as in programs */

static char
peek(struct json_walk *j)
{
	while (!j->bad && j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at)
		j->at++;
	return j->bad || j->at >= j->end ? '\0' : *j->at;
}

static void
give_up(struct json_walk *j)
{
	j->bad = true;
	j->at = j->end;
}

static bool
take(struct json_walk *j, char c)
{
	if (peek(j) != c)
		return false;
	j->at++;
	return true;
}

static void
need(struct json_walk *j, char c)
{
	if (!take(j, c))
		give_up(j);
}

static void
pass_string(struct json_walk *j)
{
	need(j, '"');
	while (j->at < j->end && *j->at != '"')
		j->at += *j->at == '\\' && j->at + 1 < j->end ? 2 : 1;
	need(j, '"');
}

/* Before a member: is there one more? */
static bool
next(struct json_walk *j, int *n, char open, char close)
{
	if (*n == 0)
		need(j, open);
	else if (peek(j) != close)
		need(j, ',');
	if (take(j, close) || j->bad)
		return false;
	++*n;
	return true;
}

bool
json_walk_each(struct json_walk *j, int *n)
{
	return next(j, n, '[', ']');
}

bool
json_walk_field(struct json_walk *j, int *n, char *key, size_t size)
{
	const char *at;
	size_t length;

	if (!next(j, n, '{', '}'))
		return false;
	peek(j);
	at = j->at;
	pass_string(j);
	if (j->bad)
		return false;
	length = (size_t)(j->at - at) - 2;
	length = length < size && !memchr(at + 1, '\\', length) ? length : 0;
	memcpy(key, at + 1, length);
	key[length] = '\0';
	need(j, ':');
	return !j->bad;
}

double
json_walk_number(struct json_walk *j)
{
	char c = peek(j), *stop;
	double x;

	if (c != '-' && (c < '0' || c > '9')) {
		give_up(j);
		return 0;
	}
	x = strtod(j->at, &stop);
	if (stop == j->at || stop > j->end || !isfinite(x)) {
		give_up(j);
		return 0;
	}
	j->at = stop;
	return x;
}

void
json_walk_pass(struct json_walk *j)
{
	char close[DEEP];
	int deep = 0;

	do {
		char c = peek(j);

		if (c == '"') {
			pass_string(j);
		} else if ((c == '[' || c == '{') && deep < DEEP) {
			close[deep++] = c == '[' ? ']' : '}';
			j->at++;
		} else if (deep && c == close[deep - 1]) {
			deep--;
			j->at++;
		} else if (deep && (c == ',' || c == ':')) {
			j->at++;
		} else if (c && strspn(j->at, "+-.0123456789Eaeflnrstu")) {
			j->at += strspn(j->at, "+-.0123456789Eaeflnrstu");
		} else {
			give_up(j);
		}
	} while (deep && !j->bad);
}

bool
json_walk_ends(struct json_walk *j)
{
	return peek(j) == '\0' && !j->bad && j->at == j->end;
}
