/* Found by "%|", which hardly anything else has; its numbers stand behind the second stroke, or
 * behind the "%" where both strokes stand ahead of it. */
#include "oom/oom_bar.h"

#include <string.h>

#define MOST_ROUNDS	((int64_t)1 << 50)

static const char *
number(const char *s, const char *end, int64_t *n)
{
	const char *from = s;

	for (*n = 0; s < end && *s >= '0' && *s <= '9' && *n < MOST_ROUNDS; s++)
		*n = 10 * *n + (*s - '0');
	return s > from ? s : NULL;
}

/* "[05:24<18:01:12, 324.36s/it]" */
static int64_t
seconds(const char *s, const char *end)
{
	const char *to;
	int64_t n;

	for (; s < end && *s != ']' && *s != '|'; s = to) {
		to = s + 1;
		if (*s < '0' || *s > '9' || !(to = number(s, end, &n)))
			continue;
		while (to < end && (*to == '.' || (*to >= '0' && *to <= '9')))
			to++;
		if (end - to >= 4 && memcmp(to, "s/it", 4) == 0)
			return n;
	}
	return 0;
}

/* "40/320 [" */
static bool
are_rounds(const char *s, const char *end, struct oom_bar *bar)
{
	int64_t done, all;

	for (; s < end && *s == ' '; s++)
		;
	if (!(s = number(s, end, &done)) || s == end || *s != '/' || !(s = number(s + 1, end, &all)) || end - s < 2 || s[0] != ' ' || s[1] != '[')
		return false;
	bar->done = done;
	bar->all = all;
	bar->seconds = seconds(s, end);
	return true;
}

/* "| 40/320 [" */
static void
rounds(const char *s, const char *end, struct oom_bar *bar)
{
	if ((s = memchr(s, '|', (size_t)(end - s))))
		are_rounds(s + 1, end, bar);
}

/* "|##  |:  25% 1/4 [", whose strokes stand ahead, at its "%" AT? */
static bool
stands_behind(const char *from, const char *at, const char *end)
{
	struct oom_bar bar;

	return at[1] == ' ' && memchr(from, '|', (size_t)(at - from)) && are_rounds(at + 1, end, &bar);
}

bool
oom_bar_read(const char *s, size_t n, struct oom_bar *bar)
{
	const char *end = s + n, *from = s, *at;
	bool any = false;

	for (at = s; (at = memchr(at, '%', (size_t)(end - at))); at++) {
		if (end - at < 2 || (at[1] != '|' && !stands_behind(from, at, end)))
			continue;
		*bar = (struct oom_bar){ .title = from, .title_bytes = (size_t)(at - from), .done = -1, .all = -1 };
		if (at[1] == '|')
			rounds(at + 2, end, bar);
		else
			are_rounds(at + 1, end, bar);
		from = at + 2;
		any = true;
	}
	return any;
}
