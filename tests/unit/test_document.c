/* Texts that are edited: where their lines begin, and places in them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* it needs no jansson, without which the library does not have it */
#include "lsp/document.c"

static struct text_lines
text_of(const char *s)
{
	struct text_lines t = { .text = NULL };

	cr_assert(text_replace(&t, 0, 0, s, strlen(s)));
	return t;
}

static void
check(const struct text_lines *t, int64_t line, int64_t utf8, int64_t utf16, size_t at)
{
	struct position p = text_position(t, at, true), q = text_position(t, at, false);

	cr_assert_eq(p.line, line);
	cr_assert_eq(q.line, line);
	cr_assert_eq(p.character, utf8);
	cr_assert_eq(q.character, utf16);
	cr_assert_eq(text_offset(t, p, true), at);
	cr_assert_eq(text_offset(t, q, false), at);
}

/* By hand: bytes        0 1    3      6          10 11 12 */
#define WIDE	"a\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80z\r\nb\rc\n\nd"

Test(document, places_by_hand)
{
	struct text_lines t = text_of(WIDE);

	cr_assert_eq(t.lines, 5);
	check(&t, 0, 0, 0, 0);
	check(&t, 0, 1, 1, 1);
	check(&t, 0, 3, 2, 3);
	check(&t, 0, 6, 3, 6);
	check(&t, 0, 10, 5, 10);
	check(&t, 0, 11, 6, 11);
	check(&t, 1, 0, 0, 13);
	check(&t, 1, 1, 1, 14);
	check(&t, 2, 0, 0, 15);
	check(&t, 3, 0, 0, 17);
	check(&t, 4, 0, 0, 18);
	check(&t, 4, 1, 1, 19);
	text_lines_free(&t);
}

Test(document, places_that_are_none_are_the_nearest)
{
	struct text_lines t = text_of(WIDE), empty = text_of("");
	struct position p = { -1, 5 };

	cr_assert_eq(text_offset(&t, p, true), 0);
	p = (struct position){ 0, -1 };
	cr_assert_eq(text_offset(&t, p, true), 0);
	p = (struct position){ 0, 99 };		/* not into the line's end */
	cr_assert_eq(text_offset(&t, p, true), 11);
	cr_assert_eq(text_offset(&t, p, false), 11);
	p = (struct position){ 5, 0 };
	cr_assert_eq(text_offset(&t, p, true), 19);
	p = (struct position){ INT64_MAX, INT64_MAX };
	cr_assert_eq(text_offset(&t, p, true), 19);
	p = (struct position){ 0, INT64_MAX };
	cr_assert_eq(text_offset(&t, p, false), 11);
	p = (struct position){ 0, 4 };		/* between the halves of a surrogate pair */
	cr_assert_eq(text_offset(&t, p, false), 6);
	p = (struct position){ 0, 8 };		/* within its bytes */
	cr_assert_eq(text_offset(&t, p, true), 6);
	p = text_position(&t, 12, true);	/* between CR and LF */
	cr_assert(p.line == 0 && p.character == 11);
	p = text_position(&t, 8, false);
	cr_assert(p.line == 0 && p.character == 3);
	p = text_position(&t, 1000, true);
	cr_assert(p.line == 4 && p.character == 1);
	p = (struct position){ 3, 3 };
	cr_assert_eq(text_offset(&empty, p, true), 0);
	cr_assert_eq(empty.lines, 1);
	text_lines_free(&t);
	text_lines_free(&empty);
}

Test(document, changes_that_make_no_sense_change_nothing)
{
	struct text_lines t = text_of("one\ntwo");
	char *much = calloc(1, LONGEST_TEXT + 1);

	cr_assert_not_null(much);
	memset(much, 'x', LONGEST_TEXT + 1);
	cr_assert_not(text_replace(&t, 3, 2, "x", 1));
	cr_assert_not(text_replace(&t, 0, 8, "x", 1));
	cr_assert_not(text_replace(&t, 0, 0, much, LONGEST_TEXT + 1));
	cr_assert_not(text_replace(&t, 0, 0, much, LONGEST_TEXT - 6));
	cr_assert_not(text_replace(&t, 0, 0, much, SIZE_MAX));
	cr_assert_eq(t.n, 7);
	cr_assert_str_eq(t.text, "one\ntwo");
	cr_assert_eq(t.lines, 2);
	cr_assert(text_replace(&t, 0, 7, much, LONGEST_TEXT));
	cr_assert_eq(t.n, LONGEST_TEXT);
	cr_assert_eq(t.lines, 1);
	text_lines_free(&t);
	free(much);
}

/* The number of line ends before a byte, and whether a line begins there, without a table. */
static int
lines_before(const char *s, size_t n, size_t at, bool *begins)
{
	size_t i;
	int lines = 0;

	*begins = at == 0;
	for (i = 0; i < at; i++) {
		if (s[i] == '\n' || (s[i] == '\r' && (i + 1 == n || s[i + 1] != '\n'))) {
			lines++;
			*begins = i + 1 == at;
		} else {
			*begins = false;
		}
	}
	return lines;
}

static void
check_lines(const struct text_lines *t, const char *wanted, size_t n)
{
	size_t at;
	bool begins;
	int line;

	cr_assert_eq(t->n, n);
	cr_assert_eq(memcmp(t->text, wanted, n), 0);
	cr_assert_eq(t->text[n], '\0');
	cr_assert_eq(t->lines, lines_before(wanted, n, n, &begins) + 1);
	for (at = 0; at <= n; at++) {
		line = lines_before(wanted, n, at, &begins);
		if (begins)
			cr_assert_eq(t->start[line], at);
	}
}

/* Thousands of edits whose letters are mostly ends of lines, against plain copies. */
Test(document, lines_are_right_after_every_edit)
{
	static const char letters[] = "\n\r\r\nab";
	struct text_lines t = text_of("");
	char copy[400] = "", next[400];
	unsigned state = 1;
	size_t n = 0;
	int k;

	for (k = 0; k < 20000; k++) {
		size_t beg, end, added, i;
		char with[8];

		state = state * 1664525u + 1013904223u;
		beg = (state >> 8) % (n + 1);
		state = state * 1664525u + 1013904223u;
		end = beg + (state >> 8) % (n - beg < 6 ? n - beg + 1 : 7);
		state = state * 1664525u + 1013904223u;
		added = n > 300 ? 0 : (state >> 8) % 6;
		if (n > 300)
			end = n;
		for (i = 0; i < added; i++) {
			state = state * 1664525u + 1013904223u;
			with[i] = letters[(state >> 8) % (sizeof(letters) - 1)];
		}
		memcpy(next, copy, beg);
		memcpy(next + beg, with, added);
		memcpy(next + beg + added, copy + end, n - end);
		n = beg + added + (n - end);
		memcpy(copy, next, n);
		cr_assert(text_replace(&t, beg, end, with, added));
		check_lines(&t, copy, n);
	}
	text_lines_free(&t);
}

/* Texts that are no UTF-8, as files may be that are not open: nothing is read beyond their ends. */
Test(document, bytes_that_are_no_text)
{
	char bytes[64];
	unsigned state = 7;
	int k, i;

	for (k = 0; k < 20000; k++) {
		struct text_lines t = { .text = NULL };
		size_t n = (size_t)k % sizeof(bytes), at;

		for (i = 0; i < (int)n; i++) {
			state = state * 1664525u + 1013904223u;
			bytes[i] = (char)(state >> 8 & 1 ? state >> 16 : 0xf0 | state >> 16);
		}
		cr_assert(text_replace(&t, 0, 0, bytes, n));
		for (at = 0; at <= n; at++) {
			size_t back = text_offset(&t, text_position(&t, at, false), false);

			cr_assert(back <= at && at - back <= 4, "%zu becomes %zu", at, back);
		}
		text_lines_free(&t);
	}
}

/* Units in front of a byte of a line that begins at START, character by character. */
static struct position
counted(const char *text, size_t start, size_t at)
{
	struct position p = { 0, 0 };
	size_t i;

	for (i = start; i < at; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			p.character += (unsigned char)text[i] >= 0xf0 ? 2 : 1;
	p.line = start > 0;
	return p;
}

/* A line of many thousand characters of every length, changed where milestones are and where they
 * are not. */
Test(document, places_in_long_lines)
{
	static const char *const character[] = { "a", "\xc3\xa9", "\xe4\xb8\xad", "\xf0\x9f\x98\x80" };
	struct text_lines t = text_of("first\n");
	unsigned state = 3;
	size_t at, where;
	int i, k;

	for (i = 0; i < 6000; i++) {
		const char *c = character[(state = state * 1664525u + 1013904223u) >> 30];

		cr_assert(text_replace(&t, t.n, t.n, c, strlen(c)));
	}
	for (k = 0; k < 40; k++) {
		for (at = 6; at <= t.n; at += 1 + (size_t)k * 7) {
			struct position in_bytes = { 1, (int64_t)at - 6 }, in_units = counted(t.text, 6, at);

			if (at < t.n && ((unsigned char)t.text[at] & 0xc0) == 0x80)
				continue;
			cr_assert_eq(text_position(&t, at, false).character, in_units.character, "%d: %zu", k, at);
			cr_assert_eq(text_position(&t, at, true).character, in_bytes.character);
			cr_assert_eq(text_offset(&t, in_units, false), at);
			cr_assert_eq(text_offset(&t, in_bytes, true), at);
		}
		where = (state = state * 1664525u + 1013904223u) % (t.n - 6) + 6;
		if (k % 2)
			where = t.milestone[(int)(where % (size_t)(t.milestones - 1)) + 1].at;
		while (((unsigned char)t.text[where] & 0xc0) == 0x80)
			where--;
		cr_assert(text_replace(&t, where, where, character[k % 4], strlen(character[k % 4])));
	}
	text_lines_free(&t);
}
