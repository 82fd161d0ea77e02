/*
 * The comments that suppress findings, matched with them. Both are sorted by file, rule and line,
 * and gone through together: the comments that have begun wait in a heap, the narrowest on top. One
 * that has ended is over for all later findings too, so it leaves the heap when it comes to the
 * top.
 *
 *      line  1         4    5    6         9
 *            |-----------------------------|     allow-file(r)
 *                      |---------|               allow(r) above a block
 *                           |                    allow(r) on the line: this one is used for a
 *                                                finding here, the wider ones are not
 *
 * Comments about comments (rules unused-suppression and the like) are matched in a second turn,
 * when it is known which of the others are unused.
 */
#include "lint/suppress.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lint/catalog.h"

struct cover {			/* one name in one comment */
	const struct suppression *by;
	int file, rule, name;
	int from, to;		/* lines */
	bool used;
};

struct hit {			/* a finding that can be suppressed */
	int file, rule, line;
	struct diag *g;		/* NULL: one that is only possible */
};

struct match {
	struct suppress *s;
	struct arena *a;
	VEC(struct cover) covers;	/* sorted */
	VEC(int) heap;
	/* the last answers, which are nearly always the next ones */
	const char *rule_name;
	int rule, file;
};

bool
asked_rule(const struct asked *asked, const struct levels *levels, int rule)
{
	const struct rule *r = rule_at(rule);

	if (level_is_off(levels, rule) || (r->on_request && !asked->of_reasons))
		return false;
	return r->needs == NEEDS_SOURCE ? asked->of_text : asked->of_plan;
}

/* ---- whose findings are whose ---- */

static int
rule_of(struct match *m, const char *name)
{
	if (!m->rule_name || strcmp(m->rule_name, name) != 0) {
		m->rule_name = name;
		m->rule = rule_index(name);
	}
	return m->rule;
}

/* The file a finding is in; those without a place belong to the first. */
static int
file_of(struct match *m, const struct diag *g)
{
	int i;

	if (!g->loc.src)
		return 0;
	if (m->file < m->s->nfiles && m->s->file[m->file]->src == g->loc.src)
		return m->file;
	for (i = 0; i < m->s->nfiles; i++)
		if (m->s->file[i]->src == g->loc.src)
			return m->file = i;
	return 0;
}

static const struct levels *
levels_of(const struct match *m, int file)
{
	return m->s->levels ? m->s->levels[file] : NULL;
}

/* Rules about comments, whose findings come in the second turn. */
static bool
is_about_comments(int rule)
{
	return rule_at(rule)->subject == ABOUT_COMMENT;
}

static bool
is_error_of_language(int rule, const struct diag *g)
{
	return rule < 0 || (rule_is_language(rule_at(rule)) && g->severity == SEV_ERROR);
}

/* ---- the matching ---- */

static int
by_place(const void *a, const void *b)
{
	const struct cover *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->by != y->by ? (x->by < y->by ? -1 : 1) : x->name - y->name;
}

static int
by_line(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int
width(const struct match *m, int i)
{
	return m->covers.v[i].to - m->covers.v[i].from;
}

/* Narrower, or as narrow and earlier. */
static bool
goes_first(const struct match *m, int i, int k)
{
	return width(m, i) != width(m, k) ? width(m, i) < width(m, k) : i < k;
}

static void
heap_push(struct match *m, int cover)
{
	int i, up;

	vec_push(m->a, &m->heap, cover);
	for (i = m->heap.n - 1; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!goes_first(m, cover, m->heap.v[up]))
			break;
		m->heap.v[i] = m->heap.v[up];
	}
	m->heap.v[i] = cover;
}

static void
heap_pop(struct match *m)
{
	int last = m->heap.v[--m->heap.n], i, down;

	for (i = 0; (down = 2 * i + 1) < m->heap.n; i = down) {
		if (down + 1 < m->heap.n &&
		    goes_first(m, m->heap.v[down + 1], m->heap.v[down]))
			down++;
		if (!goes_first(m, m->heap.v[down], last))
			break;
		m->heap.v[i] = m->heap.v[down];
	}
	if (m->heap.n)
		m->heap.v[i] = last;
}

static const struct waiver *
waiver_of(const struct match *m, const struct suppression *by)
{
	struct waiver *w = ARENA_NEW(m->s->d->arena, struct waiver);

	*w = (struct waiver){ WAIVED_BY_COMMENT, by->loc, by->reason };
	return w;
}

/* Waives the hits that a comment allows, and marks the comments that allow one. */
static void
match(struct match *m, struct hit *hit, int n)
{
	struct cover *c;
	int i, at = 0;

	if (n)
		qsort(hit, (size_t)n, sizeof(*hit), by_line);
	for (i = 0; i < n; i++) {
		const struct hit *h = &hit[i];

		if (i == 0 || h->file != hit[i - 1].file || h->rule != hit[i - 1].rule)
			m->heap.n = 0;
		for (; at < m->covers.n; at++) {
			c = &m->covers.v[at];
			if (c->file != h->file ? c->file > h->file : c->rule != h->rule ?
			    c->rule > h->rule : c->from > h->line)
				break;
			if (c->file == h->file && c->rule == h->rule)
				heap_push(m, at);
		}
		while (m->heap.n && m->covers.v[m->heap.v[0]].to < h->line)
			heap_pop(m);
		if (!m->heap.n)
			continue;
		c = &m->covers.v[m->heap.v[0]];
		c->used = true;
		if (h->g)
			h->g->waiver = waiver_of(m, c->by);
	}
}

/* ---- the first turn: what rules found ---- */

struct hits {
	VEC(struct hit) all;
};

static void
add_hit(struct match *m, struct hits *hits, struct diag *g, bool reported)
{
	int rule = rule_of(m, g->rule), file = file_of(m, g);

	if (is_error_of_language(rule, g) || !g->loc.src)
		return;
	vec_push(m->a, &hits->all, ((struct hit){ file, rule, loc_line(g->loc),
	    reported ? g : NULL }));
}

static void
first_turn(struct match *m)
{
	struct diags *d = m->s->d;
	struct hits hits = { .all = { NULL, 0, 0 } };
	int i, n = 0;

	for (i = 0; i < d->all.n; i++) {
		struct diag *g = d->all.v[i];
		int rule = rule_of(m, g->rule);

		if (!is_error_of_language(rule, g) &&
		    level_is_off(levels_of(m, file_of(m, g)), rule))
			continue;
		d->all.v[n++] = g;
		if (m->covers.n)
			add_hit(m, &hits, g, true);
	}
	d->all.n = n;
	for (i = 0; m->s->possible && i < m->s->possible->all.n; i++)
		add_hit(m, &hits, m->s->possible->all.v[i], false);
	match(m, hits.all.v, hits.all.n);
	diags_waive(d);
}

/* ---- the second turn: what is to be said about the comments ---- */

/* Whether names are unused, those of rules about comments or the others. */
static void
report_unused(struct match *m, bool about_comments)
{
	const struct file *f = m->s->nfiles ? m->s->file[0] : NULL;
	bool **unused;		/* by comment, then by name */
	int i;

	if (!f || f->suppressions.n == 0)
		return;
	unused = arena_array(m->a, (size_t)f->suppressions.n, sizeof(*unused));
	for (i = 0; i < m->covers.n && m->covers.v[i].file == 0; i++) {
		const struct cover *c = &m->covers.v[i];
		ptrdiff_t k = c->by - f->suppressions.v;

		if (c->used || is_about_comments(c->rule) != about_comments ||
		    !asked_rule(&m->s->asked, levels_of(m, 0), c->rule))
			continue;
		if (!unused[k])
			unused[k] = arena_array(m->a, (size_t)c->by->nrules, sizeof(bool));
		unused[k][c->name] = true;
	}
	for (i = 0; i < f->suppressions.n; i++)
		if (unused[i])
			unused_suppression_report(m->s->d, &f->suppressions.v[i], unused[i]);
}

#define MOST_NAMES	1000

/* "all" or a family: words that options know. */
static bool
is_many(const char *word)
{
	int i;

	for (i = 0; i < FAMILIES; i++)
		if (strcmp(word, family_name((enum family)i)) == 0)
			return true;
	return strcmp(word, "all") == 0;
}

/* An allow() with a misspelt rule would silently allow nothing. */
static void
report_name(struct diags *d, const struct suppression *s, const struct name *name)
{
	const char *candidate[MOST_NAMES], *near;
	const struct rule *r;
	struct edits *e;
	struct diag *g;
	int n = 0, i = rule_index(name->text);

	if (i >= 0) {
		g = diag_add(d, SEV_WARNING, "suppression", s->loc,
		    "'%s' is an error of the language, so this allows nothing", name->text);
		return;
	}
	if (is_many(name->text)) {
		g = diag_add(d, SEV_WARNING, "suppression", s->loc,
		    "a comment allows single rules, not '%s', so this allows nothing", name->text);
		diag_help(d, g, "name the rules here, or set the level of '%s' in a lint section",
		    name->text);
		return;
	}
	g = diag_add(d, SEV_WARNING, "suppression", s->loc,
	    "no lint rule is called '%s', so this allows nothing", name->text);
	for (i = 0; (r = rule_at(i)) && n < MOST_NAMES; i++)
		if (rule_has_level(r))
			candidate[n++] = r->name;
	if (!(near = text_nearest(name->text, candidate, n)))
		return;
	diag_help(d, g, "did you mean '%s'?", near);
	e = edits_new(d->arena, s->loc.src);
	edits_add(e, name->loc.beg, name->loc.end, near);
	diag_fix(d, g, true, e, "write '%s'", near);
	if (g->fix)
		g->fix->told = true;
}

static void
report_forbidden(struct suppress *s, const struct suppression *comment)
{
	struct diag *g = diag_add(s->d, SEV_WARNING, "suppression", comment->loc,
	    "comments suppress nothing in this project");

	diag_place(s->d, g, s->forbidden, "it says so here");
}

static void
report_names(struct suppress *s)
{
	int i, j, k;

	for (i = 0; i < s->nfiles; i++)
		for (j = 0; j < s->file[i]->suppressions.n; j++) {
			const struct suppression *one = &s->file[i]->suppressions.v[j];

			if (s->ignore_comments) {
				report_forbidden(s, one);
				continue;
			}
			for (k = 0; k < one->nrules; k++) {
				int r = rule_index(one->rule[k].text);

				if (r < 0 || !rule_has_level(rule_at(r)))
					report_name(s->d, one, &one->rule[k]);
			}
			if (s->require_reason && !*one->reason)
				missing_reason_report(s->d, one);
		}
}

static void
second_turn(struct match *m, int from)
{
	struct hits hits = { .all = { NULL, 0, 0 } };
	struct diags *d = m->s->d;
	int i, n = from;

	for (i = from; i < d->all.n; i++) {
		struct diag *g = d->all.v[i];

		if (level_is_off(levels_of(m, file_of(m, g)), rule_of(m, g->rule)))
			continue;
		d->all.v[n++] = g;
		add_hit(m, &hits, g, true);
	}
	d->all.n = n;
	match(m, hits.all.v, hits.all.n);
	diags_waive(d);
}

/* ---- all of it ---- */

static void
add_cover(struct match *m, const struct suppression *by, int file, int name)
{
	struct cover c = { .by = by, .file = file, .name = name, .from = by->from_line,
		.to = by->to_line };
	int own = loc_line(by->loc);

	c.rule = rule_of(m, by->rule[name].text);
	if (c.rule < 0 || !rule_has_level(rule_at(c.rule)))
		return;
	if (is_about_comments(c.rule)) {	/* the comment itself may be meant */
		c.from = c.from < own ? c.from : own;
		c.to = c.to > own ? c.to : own;
	}
	vec_push(m->a, &m->covers, c);
}

static void
gather_covers(struct match *m)
{
	struct suppress *s = m->s;
	int i, j, k;

	for (i = 0; i < s->nfiles; i++)
		for (j = 0; j < s->file[i]->suppressions.n; j++) {
			const struct suppression *one = &s->file[i]->suppressions.v[j];

			for (k = 0; k < one->nrules; k++)
				add_cover(m, one, i, k);
		}
	if (m->covers.n)
		qsort(m->covers.v, (size_t)m->covers.n, sizeof(*m->covers.v), by_place);
}

static void
give_level(struct match *m, struct diag *g)
{
	int rule = rule_of(m, g->rule);

	if (!is_error_of_language(rule, g))
		g->severity = level_severity(levels_of(m, file_of(m, g)), rule, g->severity);
}

static void
give_levels(struct match *m)
{
	struct diags *d = m->s->d;
	int i;

	for (i = 0; i < d->waived.n; i++)
		give_level(m, d->waived.v[i]);
	d->errors = d->warnings = 0;
	for (i = 0; i < d->all.n; i++) {
		const struct diag *g = d->all.v[i];

		give_level(m, d->all.v[i]);
		d->errors += g->severity == SEV_ERROR;
		d->warnings += g->severity == SEV_WARNING;
	}
}

void
suppress_run(struct suppress *s)
{
	struct arena *scratch = arena_child(s->d->arena);
	struct match m = { .s = s, .a = scratch, .rule = -1 };
	int from;

	if (!s->ignore_comments)
		gather_covers(&m);
	first_turn(&m);
	from = s->d->all.n;
	if (!s->ignore_comments || s->forbidden.src)
		report_names(s);
	if (!s->ignore_comments)
		report_unused(&m, false);
	second_turn(&m, from);
	if (!s->ignore_comments && !level_is_off(levels_of(&m, 0),
	    rule_index(rule_unused_suppression.name)))
		report_unused(&m, true);
	give_levels(&m);
	arena_free(scratch);
}
