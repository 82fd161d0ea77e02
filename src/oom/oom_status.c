/* A number of words, a noun among them, and then the status. */
#include "oom/oom_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/ascii.h"

#define MOST_WORDS	6	/* from "exited" to the number */

/* What stands between the words of a status and its number. */
static const char *
past_marks(const char *s, const char *end)
{
	while (s < end && memchr(" \t\n\v:=('\"[`", *s, 11))
		s++;
	return s;
}

/* Is one of LIST, which blanks part, the N letters at S? */
static bool
is_among(const char *list, const char *s, size_t n)
{
	size_t i;

	for (; *list; list += *list == ' ') {
		for (i = 0; i < n && list[i] == lower(s[i]); i++)
			;
		if (i == n && (!list[i] || list[i] == ' '))
			return true;
		list += strcspn(list, " ");
	}
	return false;
}

const char *
oom_status(const char *s, const char *end)
{
	static const char *const killed[] = { "137", "-9", "-SIGKILL", "SIGKILL" };
	const char *from;
	bool named = false;
	size_t i, n;

	for (i = 0; i < MOST_WORDS; i++) {
		from = past_marks(s, end);
		for (n = 0; from + n < end && (is_letter(from[n]) || (n && from[n] == '-')); n++)
			;
		if (from == s || n == 0 || !is_among("with of is was a an the its non-zero nonzero exit return error process code codes status", from, n))
			break;
		named |= is_among("code codes status", from, n);
		s = from + n;
	}
	s = past_marks(from = s, end);
	for (i = 0; named && s > from && i < sizeof(killed) / sizeof(*killed); i++) {
		n = strlen(killed[i]);
		if ((size_t)(end - s) >= n && memcmp(s, killed[i], n) == 0 && (s + n == end || !((is_letter(s[n]) || is_digit(s[n]) || s[n] == '_') || (strchr(".,", s[n]) && end - s > (ptrdiff_t)n + 1 && is_digit(s[n + 1])))))
			return s + n;
	}
	return NULL;
}
