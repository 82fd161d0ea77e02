/* A terminal breaks a message before its number, and a message may be cut there, too: then what the
 * next line begins with, a bar or a clock, is no number of the message. */
#include "oom/oom_counted.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_pattern.h"

static bool
is_line_end(char c)
{
	return c == '\n' || c == OOM_BREAK;
}

bool
oom_is_count(const char *from, const char *s, const char *end)
{
	if (s >= end || s == from)
		return true;
	if (end - s > 1 && ((*s == '.' && is_digit(s[1])) || (*s == '%' && s[1] == '|')))
		return false;
	for (from--; *from == ' ' || *from == '\t'; from--)
		;
	return !is_line_end(*from) || is_line_end(*s) || strchr(" \t.;,)", *s);
}
