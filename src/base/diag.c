/* Diagnostics: collecting, dropping repeats, sorting. Printing them is the reporters' work. */
#include "base/diag.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const char *
severity_name(enum severity s)
{
	static const char *const name[] = {
		[SEV_NOTE] = "note", [SEV_WARNING] = "warning", [SEV_ERROR] = "error",
	};

	return name[s];
}

void
diags_init(struct diags *d, struct arena *a)
{
	memset(d, 0, sizeof(*d));
	d->arena = a;
}

/* Repeats come close together (copies of one block), so the newest few are compared. */
#define REPEATS_LOOKED_AT	64

static struct diag *
repeated(const struct diags *d, const char *rule, struct loc loc, const char *message)
{
	int i, stop = d->all.n > REPEATS_LOOKED_AT ? d->all.n - REPEATS_LOOKED_AT : 0;

	for (i = d->all.n - 1; i >= stop; i--) {
		struct diag *g = d->all.v[i];

		if (g->loc.src == loc.src && g->loc.beg == loc.beg && strcmp(g->rule, rule) == 0 &&
		    strcmp(g->message, message) == 0)
			return g;
	}
	return NULL;
}

static void
share(struct diags *d, struct diag *g)
{
	if (g->network == d->network)
		return;
	g->shared = true;
	if (d->network && (d->repeating.n == 0 || d->repeating.v[d->repeating.n - 1] != d->network))
		vec_push(d->arena, &d->repeating, d->network);
}

/* Nobody reads more errors than this, and a name of a megabyte is no help in a message. */
#define MOST_ERRORS		1000
#define LONGEST_TEXT		2000
#define KEPT_AT_EITHER_END	300

static const char *
text(struct diags *d, const char *fmt, va_list ap)
{
	const char *s = arena_vprintf(d->arena, fmt, ap);
	size_t n = strlen(s), head = KEPT_AT_EITHER_END, tail = n - KEPT_AT_EITHER_END;

	if (n <= LONGEST_TEXT)
		return s;
	while (head > 0 && ((unsigned char)s[head] & 0xc0) == 0x80)
		head--;
	while (((unsigned char)s[tail] & 0xc0) == 0x80)
		tail++;
	return arena_printf(d->arena, "%.*s ... %s", (int)head, s, s + tail);
}

static struct diag *
add(struct diags *d, enum severity severity, const char *rule, struct loc loc, const char *fmt,
    va_list ap)
{
	const char *message = text(d, fmt, ap);
	struct diag *g = repeated(d, rule, loc = loc_seen(loc), message);
	bool last = severity == SEV_ERROR && d->errors == MOST_ERRORS;

	if (g) {
		share(d, g);
		return g;
	}
	if (severity == SEV_ERROR && d->errors > MOST_ERRORS) {
		d->errors++;
		return &d->unlisted;
	}
	if (last)
		message = arena_printf(d->arena, "more than %d errors; the rest are not shown",
		    MOST_ERRORS);
	g = ARENA_NEW(d->arena, struct diag);
	g->severity = severity;
	g->rule = rule;
	g->loc = loc;
	g->message = message;
	g->network = d->network;
	vec_push(d->arena, &d->all, g);
	d->errors += severity == SEV_ERROR;
	d->warnings += severity == SEV_WARNING;
	return last ? &d->unlisted : g;
}

void
diags_report(struct diags *d, struct diag *g)
{
	struct diag *before = repeated(d, g->rule, g->loc, g->message);

	if (before) {
		share(d, before);
		return;
	}
	g->network = d->network;
	vec_push(d->arena, &d->all, g);
	d->errors += g->severity == SEV_ERROR;
	d->warnings += g->severity == SEV_WARNING;
}

struct diag *
diag_add(struct diags *d, enum severity severity, const char *rule, struct loc loc,
    const char *fmt, ...)
{
	struct diag *g;
	va_list ap;

	va_start(ap, fmt);
	g = add(d, severity, rule, loc, fmt, ap);
	va_end(ap);
	return g;
}

struct diag *
diag_error(struct diags *d, const char *rule, struct loc loc, const char *fmt, ...)
{
	struct diag *g;
	va_list ap;

	va_start(ap, fmt);
	g = add(d, SEV_ERROR, rule, loc, fmt, ap);
	va_end(ap);
	return g;
}

static void
remark(struct diags *d, struct diag *g, enum remark_kind kind, struct loc loc, const char *fmt,
    va_list ap)
{
	struct remark r = { kind, loc_seen(loc), NULL };
	int i;

	if (g == &d->unlisted)
		return;
	r.text = text(d, fmt, ap);
	for (i = 0; i < g->remarks.n; i++)	/* a repeated diagnostic brings its remarks again */
		if (g->remarks.v[i].kind == kind && strcmp(g->remarks.v[i].text, r.text) == 0)
			return;
	vec_push(d->arena, &g->remarks, r);
}

static const struct loc nowhere;

void
diag_fact(struct diags *d, struct diag *g, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	remark(d, g, REMARK_FACT, nowhere, fmt, ap);
	va_end(ap);
}

void
diag_help(struct diags *d, struct diag *g, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	remark(d, g, REMARK_HELP, nowhere, fmt, ap);
	va_end(ap);
}

void
diag_place(struct diags *d, struct diag *g, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	remark(d, g, REMARK_PLACE, loc, fmt, ap);
	va_end(ap);
}

void
diag_fix(struct diags *d, struct diag *g, bool safe, const struct edits *edits, const char *fmt, ...)
{
	va_list ap;

	if (g == &d->unlisted || g->fix || edits->all.n == 0)
		return;
	g->fix = ARENA_NEW(d->arena, struct fix);
	g->fix->safe = safe;
	g->fix->edits = edits;
	va_start(ap, fmt);
	g->fix->title = text(d, fmt, ap);
	va_end(ap);
}

void
diag_fix_word(struct diags *d, struct diag *g, const char *word, const char *right)
{
	const struct source *src = g->loc.src;
	size_t n = strlen(word);
	struct edits *e;

	if (!src || (size_t)(src->size - g->loc.beg) < n ||
	    memcmp(src->text + g->loc.beg, word, n) != 0)
		return;
	e = edits_new(d->arena, src);
	if (!edits_add(e, g->loc.beg, g->loc.beg + (int)n, right))
		return;
	diag_fix(d, g, false, e, "write '%s'", right);
	if (g->fix)
		g->fix->told = true;
}

void
diags_waive(struct diags *d)
{
	int i, n = 0;

	d->errors = d->warnings = 0;
	for (i = 0; i < d->all.n; i++) {
		struct diag *g = d->all.v[i];

		if (g->waiver) {
			vec_push(d->arena, &d->waived, g);
			continue;
		}
		d->errors += g->severity == SEV_ERROR;
		d->warnings += g->severity == SEV_WARNING;
		d->all.v[n++] = g;
	}
	d->all.n = n;
}

/* A diagnostic with its rank: that of its file, then its place, then when it was added. */
struct ranked {
	struct diag *diag;
	int file, beg, order;
};

static int
compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->beg != y->beg)
		return x->beg < y->beg ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void
diags_sort(struct diags *d)
{
	struct ranked *r = arena_array(d->arena, (size_t)d->all.n + 1, sizeof(*r));
	int i, j;

	for (i = 0; i < d->all.n; i++) {
		r[i] = (struct ranked){ d->all.v[i], i, d->all.v[i]->loc.beg, i };
		/* consecutive messages nearly always share a file, so this looks back one step */
		for (j = i - 1; j >= 0; j--)
			if (d->all.v[j]->loc.src == d->all.v[i]->loc.src) {
				r[i].file = r[j].file;
				break;
			}
	}
	qsort(r, (size_t)d->all.n, sizeof(*r), compare);
	for (i = 0; i < d->all.n; i++)
		d->all.v[i] = r[i].diag;
}
