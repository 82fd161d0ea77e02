/*
 * A fuzzer of edits and their diffs; see fuzz.h. A text is edited at places that its own bytes
 * choose, in no order. What the edits give must be what a slower way gives, one change after the
 * other from the end; the diff, applied by a small patch of our own, must give it too; and edits of
 * an edited text must come to the same as both.
 */
#include <stdlib.h>

#include "base/edit.h"

#include "fuzz.h"

#define MOST_EDITS	12

static const char *const words[] = {
	"\n", "\n\n", "a\n", "b\n", " ", "x", "\r\n", "+", "-", "@@", "\\ No newline at end of file\n", "a\nb\nc\nd\ne\nf\ng\n",
	"--- a/f\n", "\xff",
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

/* ---- the slower ways ---- */

static bool
clash(const struct edit *x, int beg, int end, const char *text)
{
	if (x->beg == beg && x->end == end && beg < end && strcmp(x->text, text) == 0)
		return false;
	return x->beg < end && beg < x->end;
}

/* Do they change bytes of each other, or does one insert within the other? */
static bool
may_add(const struct edits *e, int beg, int end, const char *text)
{
	int i;

	for (i = 0; i < e->all.n; i++)
		if (clash(&e->all.v[i], beg, end, text))
			return false;
	return true;
}

static void
some_edits(struct edits *e)
{
	int n = (int)fuzz_below(MOST_EDITS), size = e->src->size;

	while (n-- > 0) {
		int beg = (int)fuzz_below((uint64_t)size + 1), end = beg + (int)fuzz_below(fuzz_below(2) ? 1 : 6);
		const char *text = fuzz_below(4) ? words[fuzz_below(COUNT_OF(words))] : "";
		bool may;

		end = end < size ? end : size;
		may = may_add(e, beg, end, text);
		if (edits_add(e, beg, end, text) != may)
			fuzz_failed("an edit that clashes with none, or with one");
	}
	if (edits_add(e, size, size + 1, "") || edits_add(e, -1, 0, "") || edits_add(e, 1, 0, ""))
		fuzz_failed("an edit outside of the text");
}

static struct source *
slowly(struct arena *a, const struct edits *e)
{
	char *text = arena_strndup(a, e->src->text, (size_t)e->src->size), *next;
	size_t n = (size_t)e->src->size, put;
	int i;

	for (i = e->all.n - 1; i >= 0; i--) {
		const struct edit *x = &e->all.v[i];

		if (i > 0 && e->all.v[i - 1].end > x->beg)
			fuzz_failed("edits that are out of order");
		put = strlen(x->text);
		next = arena_alloc(a, n + put + 1);
		memcpy(next, text, (size_t)x->beg);
		memcpy(next + x->beg, x->text, put);
		memcpy(next + (size_t)x->beg + put, text + x->end, n - (size_t)x->end);
		text = next;
		n = n - (size_t)(x->end - x->beg) + put;
	}
	return source_from_text(a, e->src->path, text, n);
}

static bool
same(const struct source *x, const struct source *y)
{
	return x->size == y->size && memcmp(x->text, y->text, (size_t)x->size) == 0;
}

/* ---- a small patch ---- */

struct patch {
	const char *at, *end;	/* of the diff */
	const char *old, *old_end;
	int line;		/* of the old text, from 1: the one OLD is at */
	struct text out;
};

static size_t
line_length(const char *s, const char *end)
{
	const char *newline = memchr(s, '\n', (size_t)(end - s));

	return newline ? (size_t)(newline - s) + 1 : (size_t)(end - s);
}

static void
copy_to(struct patch *p, int line)
{
	while (p->line < line) {
		size_t n = line_length(p->old, p->old_end);

		if (n == 0)
			fuzz_failed("a hunk behind the text");
		text_add(&p->out, p->old, n);
		p->old += n;
		p->line++;
	}
}

/* One line of a hunk: its sign and text, without its newline where that is said to be missing. */
static void
patch_line(struct patch *p, int *olds, int *news)
{
	static const char none[] = "\\ No newline at end of file\n";
	char sign = *p->at;
	size_t n = line_length(p->at, p->end) - 1, keep = n;
	const char *text = p->at + 1;

	p->at += n + 1;
	if ((size_t)(p->end - p->at) >= sizeof(none) - 1 && memcmp(p->at, none, sizeof(none) - 1) == 0) {
		p->at += sizeof(none) - 1;
		keep--;
	}
	if (sign != '+') {
		if ((size_t)(p->old_end - p->old) < keep || line_length(p->old, p->old_end) != keep ||
		    memcmp(p->old, text, keep) != 0)
			fuzz_failed("a hunk that is not of this text");
		p->old += keep;
		p->line++;
		--*olds;
	}
	if (sign != '-') {
		text_add(&p->out, text, keep);
		--*news;
	}
	if (!strchr("+- ", sign))
		fuzz_failed("a hunk of other lines");
}

static void
patch_hunk(struct patch *p)
{
	int from, olds, to, news;

	if (sscanf(p->at, "@@ -%d,%d +%d,%d @@\n", &from, &olds, &to, &news) != 4)
		fuzz_failed("a hunk without a head");
	p->at += line_length(p->at, p->end);
	copy_to(p, olds ? from : from + 1);
	while (olds > 0 || news > 0) {
		if (p->at >= p->end)
			fuzz_failed("a hunk that is cut off");
		patch_line(p, &olds, &news);
	}
	if (olds != 0 || news != 0)
		fuzz_failed("a hunk of another length");
}

static void
check_diff(struct arena *a, const struct edits *e, const struct source *want)
{
	struct text diff;
	struct patch p = { .old = e->src->text, .old_end = e->src->text + e->src->size, .line = 1 };

	text_init(&diff, a);
	text_init(&p.out, a);
	edits_diff(e, &diff);
	if ((diff.n == 0) != same(e->src, want))
		fuzz_failed("a diff of nothing, or none of something");
	if (diff.n == 0)
		return;
	p.at = diff.s;
	p.end = diff.s + diff.n;
	if (strncmp(p.at, "--- a/f.nn\n+++ b/f.nn\n", 22) != 0)
		fuzz_failed("a diff of another file");
	for (p.at += 22; p.at < p.end;)
		patch_hunk(&p);
	text_add(&p.out, p.old, (size_t)(p.old_end - p.old));
	if (p.out.n != (size_t)want->size || memcmp(p.out.s, want->text, p.out.n) != 0)
		fuzz_failed("the diff gives another text");
}

/* ---- a case ---- */

static long
try(const struct sample *t)
{
	struct arena *a = fuzz_arena();
	struct edits *first = edits_new(a, source_from_text(a, "f.nn", t->text, t->n)), *second;
	struct source *once, *twice;

	/* a NUL would end the text of an edit */
	if (memchr(t->text, '\0', t->n))
		return false;
	some_edits(first);
	once = edits_apply(first);
	if (!same(once, slowly(a, first)))
		fuzz_failed("the edits give another text");
	check_diff(a, first, once);
	second = edits_new(a, once);
	some_edits(second);
	twice = edits_apply(second);
	if (!same(edits_apply(edits_then(first, second)), twice))
		fuzz_failed("both together give another text");
	return first->all.n;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_edits",
	.outcome = "edits",
	.longest = 400,
	.mutate = mutate,
	.try = try,
};
