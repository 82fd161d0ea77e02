/* Passing through JSON, and giving up where kernels/host/json.c stops with a message. */
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
pass_escape(struct json_walk *j)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	size_t left = (size_t)(j->end - j->at);

	if (left > 5 && j->at[1] == 'u' && strspn(j->at + 2, digits) >= 4 && memcmp(j->at + 2, "0000", 4) != 0)
		j->at += 6;
	else if (left > 1 && j->at[1] && strchr("\"\\/bfnrt", j->at[1]))
		j->at += 2;
	else
		give_up(j);
}

size_t
json_walk_string(struct json_walk *j)
{
	const char *begin;

	need(j, '"');
	begin = j->at;
	while (j->at < j->end && *j->at != '"') {
		if (*j->at == '\\')
			pass_escape(j);
		else if ((unsigned char)*j->at < ' ')
			give_up(j);
		else
			j->at++;
	}
	need(j, '"');
	return j->bad ? 0 : (size_t)(j->at - begin) - 1;
}

/* Before a member: is there one more? */
static bool
next(struct json_walk *j, int *n, char open, char close)
{
	if (*n == 0)
		need(j, open);
	if (take(j, close))
		return false;
	if (*n)
		need(j, ',');
	++*n;
	return !j->bad;
}

bool
json_walk_each(struct json_walk *j, int *n)
{
	return next(j, n, '[', ']');
}

bool
json_walk_field(struct json_walk *j, int *n, char *key, size_t size)
{
	size_t length;

	if (!next(j, n, '{', '}'))
		return false;
	length = json_walk_string(j);
	if (j->bad)
		return false;
	*key = '\0';
	if (length < size && !memchr(j->at - 1 - length, '\\', length)) {
		memcpy(key, j->at - 1 - length, length);
		key[length] = '\0';
	}
	need(j, ':');
	return !j->bad;
}

double
json_walk_number(struct json_walk *j)
{
	const char *at;
	char c = peek(j), *stop;
	double x;

	at = j->at + (c == '-');
	if (j->bad || at >= j->end || *at < '0' || *at > '9' || (*at == '0' && (at[1] == 'x' || at[1] == 'X'))) {
		give_up(j);
		return 0;
	}
	x = strtod(j->at, &stop);
	if (stop > j->end || !isfinite(x)) {
		give_up(j);
		return 0;
	}
	j->at = stop;
	return x;
}

int64_t
json_walk_count(struct json_walk *j)
{
	int64_t x = 0;
	char c = peek(j);

	if (c < '0' || c > '9')
		give_up(j);
	for (; j->at < j->end && *j->at >= '0' && *j->at <= '9'; j->at++) {
		int digit = *j->at - '0';

		if (x > (INT64_MAX - digit) / 10) {
			give_up(j);
			return 0;
		}
		x = 10 * x + digit;
	}
	return x;
}

static void
pass_word(struct json_walk *j)
{
	static const char *const words[] = { "true", "false", "null" };
	size_t i, n;

	for (i = 0; i < 3; i++) {
		n = strlen(words[i]);
		if ((size_t)(j->end - j->at) >= n && memcmp(j->at, words[i], n) == 0) {
			j->at += n;
			return;
		}
	}
	json_walk_number(j);
}

static void
pass_key(struct json_walk *j)
{
	json_walk_string(j);
	need(j, ':');
}

void
json_walk_pass(struct json_walk *j)
{
	char close[DEEP];
	int deep = 0;

	do {
		char c = peek(j);

		if (c == '"') {
			json_walk_string(j);
		} else if ((c == '[' || c == '{') && deep == DEEP) {
			give_up(j);
		} else if (c == '[' || c == '{') {
			close[deep++] = c == '[' ? ']' : '}';
			j->at++;
			if (peek(j) != close[deep - 1]) {
				if (c == '{')
					pass_key(j);
				continue;
			}
		} else {
			pass_word(j);
		}
		while (deep && !take(j, ',') && !j->bad)
			need(j, close[--deep]);
		if (deep && close[deep - 1] == '}')
			pass_key(j);
	} while (deep && !j->bad);
}

bool
json_walk_ends(struct json_walk *j)
{
	return peek(j) == '\0' && !j->bad && j->at == j->end;
}
