/* Baselines: reading, matching, and writing them. rules/stale_baseline.c reports stale entries. */
#include "lint/baseline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lint/fingerprint.h"
#include "base/filename.h"
#include "lint/catalog.h"

#define HEAD		"stowage baseline 1"
#define MOST_FINDINGS	1000000000

static int
by_key(const void *a, const void *b)
{
	const struct baseline_entry *x = a, *y = b;
	int order = x->path == y->path ? 0 : strcmp(x->path, y->path);

	if (order == 0)
		order = strcmp(x->rule, y->rule);
	if (order == 0 && x->hash != y->hash)
		order = x->hash < y->hash ? -1 : 1;
	return order;
}

/* Sorts the entries; of two with the same key, the larger numbers are kept. */
static void
sort_and_merge(struct baseline_entries *e)
{
	struct baseline_entry *v = e->all.v;
	int i, n = 0;

	if (e->all.n)
		qsort(v, (size_t)e->all.n, sizeof(*v), by_key);
	for (i = 0; i < e->all.n; i++) {
		if (n == 0 || by_key(&v[n - 1], &v[i]) != 0) {
			v[n++] = v[i];
			continue;
		}
		if (v[n - 1].count < v[i].count)
			v[n - 1].count = v[i].count;
		if (v[n - 1].found < v[i].found)
			v[n - 1].found = v[i].found;
	}
	e->all.n = n;
}

static struct baseline_entry *
find_entry(const struct baseline_entries *e, const struct baseline_entry *key)
{
	return e->all.n ? bsearch(key, e->all.v, (size_t)e->all.n, sizeof(*key), by_key) : NULL;
}

/* ---- reading ---- */

static int
hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The path of an entry, unescaped; NULL if it is malformed. */
static const char *
read_path(struct arena *a, const char *s, size_t n)
{
	char *path = arena_strndup(a, s, n), *to = path;
	size_t i;

	if (n == 0 || memchr(s, '\0', n))
		return NULL;
	for (i = 0; i < n; i++) {
		if ((unsigned char)s[i] < ' ')
			return NULL;
		if (s[i] != '\\') {
			*to++ = s[i];
			continue;
		}
		if (n - i < 4 || s[i + 1] != 'x' || hex(s[i + 2]) < 0 || hex(s[i + 3]) < 0 ||
		    (hex(s[i + 2]) == 0 && hex(s[i + 3]) == 0))
			return NULL;
		*to++ = (char)(hex(s[i + 2]) * 16 + hex(s[i + 3]));
		i += 3;
	}
	*to = '\0';
	return path;
}

static bool
is_name(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!(s[i] >= 'a' && s[i] <= 'z') && !(s[i] >= '0' && s[i] <= '9') &&
		    s[i] != '-' && s[i] != '_')
			return false;
	return n > 0;
}

/* HASH COUNT RULE PATH */
static bool
read_entry(struct arena *a, const char *s, size_t n, struct baseline_entry *e)
{
	const char *end = s + n, *word;

	for (e->hash = 0, word = s; s < end && hex(*s) >= 0; s++)
		e->hash = e->hash << 4 | (uint64_t)hex(*s);
	if (s - word != 16 || s == end || *s++ != ' ')
		return false;
	for (word = s; s < end && *s >= '0' && *s <= '9' && e->count < MOST_FINDINGS / 10; s++)
		e->count = e->count * 10 + (*s - '0');
	if (s == word || *word == '0' || s == end || *s++ != ' ')
		return false;
	for (word = s; s < end && *s != ' '; s++)
		;
	if (s == end || !is_name(word, (size_t)(s - word)))
		return false;
	e->rule = arena_strndup(a, word, (size_t)(s - word));
	s++;
	e->path = read_path(a, s, (size_t)(end - s));
	return e->path != NULL;
}

static bool
is_head(const char *s, int n)
{
	return n == (int)strlen(HEAD) && memcmp(s, HEAD, (size_t)n) == 0;
}

bool
baseline_parse(struct baseline *b, const struct source *src, int *line, const char **why)
{
	int n, i;

	b->src = src;
	for (i = 1; i <= src->lines; i++) {
		const char *s = source_line(src, i, &n);
		struct baseline_entry e = { .line = *line = i };

		if (n > 0 && s[n - 1] == '\r')
			n--;
		if (i == 1) {
			if (is_head(s, n))
				continue;
			*why = n > 17 && memcmp(s, HEAD, 17) == 0 ?
			    "it was written by another version of Stowage" :
			    "this is no baseline: its first line is not '" HEAD "'";
			return false;
		}
		if (n == 0 && i == src->lines)
			break;
		if (!read_entry(b->arena, s, (size_t)n, &e)) {
			*why = arena_printf(b->arena, "expected 'FINGERPRINT COUNT RULE PATH', "
			    "found '%.*s'", n < 60 ? n : 60, s);
			return false;
		}
		vec_push(b->arena, &b->old.all, e);
	}
	sort_and_merge(&b->old);
	return true;
}

/* ---- matching ---- */

struct keyed_finding {
	struct baseline_entry key;	/* all but its count */
	int beg;		/* its place in the source */
	struct diag *g;		/* NULL: one that is only possible */
};

struct keyed_findings {
	VEC(struct keyed_finding) all;
};

static int
by_key_and_place(const void *a, const void *b)
{
	const struct keyed_finding *x = a, *y = b;
	int order = by_key(&x->key, &y->key);

	if (order == 0 && !x->g != !y->g)
		order = x->g ? -1 : 1;
	return order ? order : x->beg < y->beg ? -1 : x->beg > y->beg;
}

/* The name of the last source: findings in a row mostly have the same. */
struct named {
	const struct source *src;
	const char *name;
};

static void
gather_findings(const struct baseline *b, const struct diags *d, bool real,
    struct keyed_findings *hits)
{
	struct named last = { NULL, NULL };
	const struct rule *r;
	int i, rule;

	for (i = 0; i < d->all.n; i++) {
		struct diag *g = d->all.v[i];
		struct keyed_finding h = { .beg = g->loc.beg, .g = real ? g : NULL };

		rule = rule_index(g->rule);
		r = rule < 0 ? NULL : rule_at(rule);
		if (!r || !g->loc.src || (rule_is_language(r) && g->severity == SEV_ERROR))
			continue;
		if (last.src != g->loc.src) {
			last.src = g->loc.src;
			last.name = filename_relative(d->arena, b->folder,
			    filename_absolute(d->arena, g->loc.src->path));
		}
		h.key = (struct baseline_entry){ .path = last.name, .rule = r->name,
			.hash = fingerprint(last.name, g) };
		vec_push(d->arena, &hits->all, h);
	}
}

static const struct waiver *
waiver_of(const struct baseline *b, struct arena *a, const struct baseline_entry *e)
{
	struct waiver *w = ARENA_NEW(a, struct waiver);
	int n;

	*w = (struct waiver){ .by = WAIVED_BY_BASELINE, .reason = "" };
	if (e) {
		w->loc.src = b->src;
		w->loc.beg = (int)(source_line(b->src, e->line, &n) - b->src->text);
		w->loc.end = w->loc.beg + n;
	}
	return w;
}

/* Hides findings of one key, [v, v + n). */
static void
match_key(const struct baseline *b, struct arena *a, struct keyed_finding *v, int n, bool all,
    struct baseline_match *m)
{
	const struct baseline_entry *e = find_entry(&b->old, &v->key);
	struct baseline_entry seen = v->key;
	int i, listed = e ? e->count : 0, allowed = all ? n : listed;

	for (i = 0; i < n; i++) {
		if (i < allowed && v[i].g) {
			v[i].g->waiver = waiver_of(b, a, i < listed ? e : NULL);
			m->hidden++;
		}
		/* a finding that is only possible keeps an entry, but makes no new one */
		seen.found += v[i].g || (e && i < e->count);
	}
	if (seen.found)
		vec_push(a, &m->seen.all, seen);
}

void
baseline_match(const struct baseline *b, struct diags *d, const struct diags *possible, bool all,
    struct baseline_match *m)
{
	struct keyed_findings hits = { .all = { NULL, 0, 0 } };
	int i, k;

	gather_findings(b, d, true, &hits);
	if (possible)
		gather_findings(b, possible, false, &hits);
	if (hits.all.n)
		qsort(hits.all.v, (size_t)hits.all.n, sizeof(*hits.all.v), by_key_and_place);
	for (i = 0; i < hits.all.n; i = k) {
		for (k = i + 1; k < hits.all.n &&
		    by_key(&hits.all.v[i].key, &hits.all.v[k].key) == 0; k++)
			;
		match_key(b, d->arena, &hits.all.v[i], k - i, all, m);
	}
	diags_waive(d);
}

/* ---- summing up ---- */

/* The first entry of a path, or where it would be. */
static int
first_entry(const struct baseline_entries *e, const char *path)
{
	int low = 0, high = e->all.n;

	while (low < high) {
		int mid = low + (high - low) / 2;

		if (strcmp(e->all.v[mid].path, path) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void
baseline_note(struct baseline *b, const char *path, const struct baseline_match *m,
    const struct rules_run *ran, const struct levels *levels)
{
	const char *name = filename_relative(b->arena, b->folder, path);
	struct baseline_entry *e;
	int i, rule;

	for (i = 0; i < m->seen.all.n; i++) {
		struct baseline_entry seen = m->seen.all.v[i];

		seen.path = i > 0 && m->seen.all.v[i - 1].path == seen.path ?
		    b->seen.all.v[b->seen.all.n - 1].path : arena_strdup(b->arena, seen.path);
		vec_push(b->arena, &b->seen.all, seen);
	}
	for (i = first_entry(&b->old, name); i < b->old.all.n; i++) {
		e = &b->old.all.v[i];
		if (strcmp(e->path, name) != 0)
			break;
		rule = rule_index(e->rule);
		/* a rule that no longer exists will never find anything */
		e->judged |= rule < 0 ? ran->of_source : rule_was_run(ran, levels, rule);
	}
}

void
baseline_sum_up(struct baseline *b)
{
	const char *last = NULL;
	bool gone = false;
	struct stat st;
	int i;

	sort_and_merge(&b->seen);
	for (i = 0; i < b->old.all.n; i++) {
		struct baseline_entry *e = &b->old.all.v[i];
		const struct baseline_entry *seen = find_entry(&b->seen, e);

		e->found = seen ? seen->found : 0;
		if (!last || strcmp(last, e->path) != 0) {
			last = e->path;
			gone = stat(filename_join(b->arena, b->folder, e->path), &st) != 0 &&
			    (errno == ENOENT || errno == ENOTDIR);
		}
		e->judged |= gone && !e->found;
	}
}

/* ---- writing ---- */

static void
write_entry(struct text *t, const struct baseline_entry *e, int count)
{
	const char *s;

	text_printf(t, "%016llx %d %s ", (unsigned long long)e->hash, count, e->rule);
	for (s = e->path; *s; s++)
		if ((unsigned char)*s < ' ' || *s == '\\' || *s == 0x7f)
			text_printf(t, "\\x%02x", (unsigned char)*s);
		else
			text_add(t, s, 1);
	text_puts(t, "\n");
}

void
baseline_text(const struct baseline *b, struct text *t)
{
	const struct baseline_entry *e;
	int i = 0, k = 0, order, count;

	text_puts(t, HEAD "\n");
	while (i < b->old.all.n || k < b->seen.all.n) {
		order = i == b->old.all.n ? 1 : k == b->seen.all.n ? -1 :
		    by_key(&b->old.all.v[i], &b->seen.all.v[k]);
		e = order <= 0 ? &b->old.all.v[i] : &b->seen.all.v[k];
		count = order > 0 ? e->found : e->judged || e->found > e->count ? e->found :
		    e->count;
		if (count > 0)
			write_entry(t, e, count);
		i += order <= 0;
		k += order >= 0;
	}
}
