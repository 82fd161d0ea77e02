/* Lists of words are short and so are lines: each is looked for by itself. */
#include "oom/oom_piece.h"

#include <string.h>

#include "base/ascii.h"

bool
piece_is_word(char c)
{
	c = lower(c);
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

const char *
piece_find(struct piece t, const char *word)
{
	char first = *word, large = first >= 'a' && first <= 'z' ? (char)(first - 'a' + 'A') : first;
	size_t n = strlen(word), k;
	const char *s, *last;

	if (n == 0 || n > t.n)
		return NULL;
	for (s = t.s, last = t.s + (t.n - n); s <= last; s++) {
		if (*s != first && *s != large)
			continue;
		for (k = 1; k < n && lower(s[k]) == word[k]; k++)
			;
		if (k == n)
			return s;
	}
	return NULL;
}

/* Does WORD stand in T, where a word begins or, if it is WHOLE, by itself? */
static bool
stands(struct piece t, const char *word, bool whole)
{
	size_t n = strlen(word);
	struct piece rest = t;
	const char *at;

	while ((at = piece_find(rest, word))) {
		if ((at == t.s || !piece_is_word(at[-1])) && (!whole || at + n == t.s + t.n || !piece_is_word(at[n])))
			return true;
		rest = (struct piece){ at + 1, (size_t)(t.s + t.n - at - 1) };
	}
	return false;
}

static bool
begins(struct piece t, const char *word)
{
	return stands(t, word, false);
}

/* "q" in "matmul(q, k)" */
static bool
names(struct piece t, const char *word)
{
	return stands(t, word, true);
}

static bool
has(struct piece t, const char *word)
{
	return piece_find(t, word) != NULL;
}

static bool
any(struct piece t, const char *list, bool (*is)(struct piece, const char *))
{
	char word[64];
	size_t n;

	for (; *list; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		if (n == 0 || n >= sizeof(word))
			continue;
		memcpy(word, list, n);
		word[n] = '\0';
		if (is(t, word))
			return true;
	}
	return false;
}

static bool
is_all(struct piece t, const char *word)
{
	return strlen(word) == t.n && has(t, word);
}

bool
piece_is_one_of(struct piece t, const char *list)
{
	return any(t, list, is_all);
}

bool
piece_any_of(struct piece t, const char *list)
{
	return any(t, list, has);
}

bool
piece_any_begins(struct piece t, const char *list)
{
	return any(t, list, begins);
}

bool
piece_any_whole(struct piece t, const char *list)
{
	return any(t, list, names);
}

const char *
piece_past_blanks(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s;
}

const char *
piece_past_word(const char *s, const char *end)
{
	while (s < end && piece_is_word(*s))
		s++;
	return s;
}

const char *
piece_number(const char *s, const char *end, int64_t *n)
{
	const char *from = s;

	for (*n = 0; s < end && is_digit(*s); s++)
		*n = *n < PIECE_MOST ? 10 * *n + (*s - '0') : *n;
	return s > from ? s : NULL;
}

const char *
piece_count(const char *s, const char *end, int64_t *n)
{
	const char *to = piece_number(s, end, n), *next;
	bool begins = to && to - s <= 3;
	int64_t more;

	while (begins && end - to >= 4 && *to == ',' && (next = piece_number(to + 1, end, &more)) && next - to == 4) {
		*n = *n < PIECE_MOST ? 1000 * *n + more : *n;
		to = next;
	}
	return to;
}
