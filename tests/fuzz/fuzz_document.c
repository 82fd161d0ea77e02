/*
 * A fuzzer of a text that is open in an editor; see fuzz.h. It is changed at random, and each time
 * held against a plain copy: its bytes, where its lines begin, and places there and back.
 */
#include <stdlib.h>

/* it needs no jansson, without which the library does not have it */
#include "lsp/document.c"

#include "fuzz.h"

#define LONGEST	600

static const char *const words[] = {
	"\n", "\r", "\r\n", "\n\r", "a", "x -> relu", " ", "\t", "\xc3\xa9", "\xe4\xb8\xad", "\xf0\x9f\x98\x80", "\xff",
	"\xc3", "\x80", "\xf0\x9f", "\x0b", "\xe2\x80\xa8", "\xc2\x85",
};

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	(void)from;
	(void)nfrom;
	for (edits = 1 + (int)fuzz_below(5); edits > 0; edits--)
		fuzz_edit(t, words, COUNT_OF(words), 8);
}

/* Does a line begin at this byte of the text? */
static bool
begins(const struct sample *t, size_t at)
{
	return at == 0 || t->text[at - 1] == '\n' || (t->text[at - 1] == '\r' && (at == t->n || t->text[at] != '\n'));
}

static bool
is_middle(const struct sample *t, size_t at)
{
	return at < t->n && (((unsigned char)t->text[at] & 0xc0) == 0x80 ||
	    (at > 0 && t->text[at] == '\n' && t->text[at - 1] == '\r'));
}

static void
check_lines(const struct text_lines *is, const struct sample *t)
{
	size_t at;
	int n = 0;

	if (is->n != t->n || memcmp(is->text, t->text, t->n) != 0 || is->text[is->n] != '\0')
		fuzz_failed("another text");
	for (at = 0; at <= t->n; at++)
		if (begins(t, at) && (n == is->lines || is->start[n++] != at))
			fuzz_failed("a line that begins elsewhere");
	if (n != is->lines)
		fuzz_failed("too many lines");
}

static void
check_places(const struct text_lines *is, const struct sample *t)
{
	size_t at = fuzz_below(t->n + 1), back;
	bool utf8 = fuzz_below(2);
	struct position p = text_position(is, at, utf8), q, wild;

	if (p.line < 0 || p.line >= is->lines || p.character < 0 || is->start[p.line] > at)
		fuzz_failed("a place that is none");
	back = text_offset(is, p, utf8);
	if (back > at || (!is_middle(t, at) && back != at))
		fuzz_failed("a place that leads elsewhere");
	q = text_position(is, back, utf8);
	if (q.line != p.line || q.character != p.character)
		fuzz_failed("a place that moves");
	wild = (struct position){ (int64_t)fuzz_below(UINT64_MAX), (int64_t)fuzz_below(UINT64_MAX) };
	if (fuzz_below(2))
		wild.line = -(int64_t)fuzz_below(9) + is->lines;
	if (fuzz_below(4) == 0)
		wild.character = -wild.character;
	if (text_offset(is, wild, utf8) > t->n)
		fuzz_failed("a place behind the text");
}

static void
change(struct text_lines *is, struct sample *t)
{
	size_t beg = fuzz_below(t->n + 1), cut = fuzz_below(fuzz_below(3) ? 3 : t->n - beg + 1);
	const char *w = words[fuzz_below(COUNT_OF(words))];

	cut = cut < t->n - beg ? cut : t->n - beg;
	if (t->n - cut + strlen(w) > LONGEST)
		return;
	if (!text_replace(is, beg, beg + cut, w, strlen(w)))
		fuzz_failed("out of memory");
	memmove(t->text + beg + strlen(w), t->text + beg + cut, t->n - beg - cut);
	memcpy(t->text + beg, w, strlen(w));
	t->n = t->n - cut + strlen(w);
}

static long
try(const struct sample *s)
{
	struct text_lines is = { .text = NULL };
	char copy[LONGEST + 1];
	struct sample t = { .text = copy, .n = s->n < LONGEST ? s->n : LONGEST };
	int changes = (int)fuzz_below(12);
	long lines;

	memcpy(copy, s->text, t.n);
	if (!text_replace(&is, 0, 0, t.text, t.n))
		fuzz_failed("out of memory");
	check_lines(&is, &t);
	check_places(&is, &t);
	while (changes-- > 0) {
		change(&is, &t);
		check_lines(&is, &t);
		check_places(&is, &t);
	}
	if (text_replace(&is, t.n + 1, t.n + 1, "", 0) || text_replace(&is, 1, 0, "", 0))
		fuzz_failed("a change behind the text");
	lines = is.lines;
	text_lines_free(&is);
	return lines > 1;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_document",
	.outcome = "of them had lines",
	.longest = LONGEST,
	.mutate = mutate,
	.try = try,
};
