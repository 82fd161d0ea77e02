/* Passing through XML. */
#include "readers/xml_walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
give_up(struct xml_walk *x)
{
	x->bad = true;
	x->at = x->end;
	return false;
}

static bool
is(const struct xml_walk *x, const char *text)
{
	return strncmp(x->at, text, strlen(text)) == 0;
}

static bool
pass(struct xml_walk *x, const char *text)
{
	const char *found = strstr(x->at, text);	/* a NUL in the text is a mistake, too */

	if (!found)
		return give_up(x);
	x->at = found + strlen(text);
	return true;
}

/* To the begin or the end of an element. */
static bool
find(struct xml_walk *x)
{
	while (!x->bad) {
		x->at += strcspn(x->at, "<");
		if (x->at < x->end && !*x->at)
			give_up(x);
		if (x->at >= x->end)
			return false;
		if (is(x, "<!--"))
			pass(x, "-->");
		else if (is(x, "<?"))
			pass(x, "?>");
		else if (is(x, "<!"))
			give_up(x);
		else
			return true;
	}
	return false;
}

/* Over attributes, whose values may hold any sign. */
static bool
pass_tag(struct xml_walk *x)
{
	while (*x->at && *x->at != '>') {
		const char *quote = strchr("\"'", *x->at) ? strchr(x->at + 1, *x->at) : x->at;

		if (!quote)
			return give_up(x);
		x->at = quote + 1;
	}
	if (*x->at != '>')
		return give_up(x);
	x->closes = x->at[-1] == '/';
	x->at++;
	return true;
}

static void
leave(struct xml_walk *x)
{
	char *last = strrchr(x->where, '/');

	*(last ? last : x->where) = '\0';
	x->closes = false;
}

static bool
enter(struct xml_walk *x)
{
	size_t have = strlen(x->where), n = strcspn(++x->at, " \t\r\n/><=\"'");

	if (n == 0 || n > 64 || have + n + 2 > sizeof(x->where))
		return give_up(x);
	snprintf(x->where + have, sizeof(x->where) - have, "%s%.*s", have ? "/" : "", (int)n, x->at);
	x->at += n;
	return pass_tag(x);
}

/* Is it the element that is open which ends here? */
static bool
closes_open(struct xml_walk *x)
{
	const char *last = strrchr(x->where, '/'), *open = last ? last + 1 : x->where;
	size_t n = strcspn(x->at + 2, " \t\r\n/><=\"'");

	if (strlen(open) != n || n == 0 || memcmp(open, x->at + 2, n) != 0 || !pass_tag(x))
		return give_up(x);
	x->closes = false;
	return true;
}

bool
xml_walk_next(struct xml_walk *x, bool *ends)
{
	if (*ends)
		leave(x);
	*ends = x->closes;
	if (*ends)
		return true;
	if (!find(x))
		return x->bad || !*x->where ? false : give_up(x);
	*ends = is(x, "</");
	return *ends ? closes_open(x) : enter(x);
}

double
xml_walk_number(struct xml_walk *x)
{
	char *stop;
	double n = strtod(x->at, &stop);

	stop += strspn(stop, " \t\r\n");
	if (stop == x->at || *stop != '<' || !(fabs(n) < 1e6)) {
		give_up(x);
		return 0;
	}
	return n;
}
