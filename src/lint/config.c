/* Reading lint sections. */
#include "lint/config.h"

#include <limits.h>
#include <string.h>

#include "base/filename.h"
#include "base/map.h"
#include "base/text.h"
#include "frameworks/framework.h"
#include "lint/catalog.h"

struct section_reader {
	struct arena *a;
	struct diags *d;
	const struct section *section;
	struct level_layer *layer;
	struct config_words *as;
	struct lint_config *c;	/* of a project file; NULL in a spec */
};

enum key_place { IN_PROJECT = 1, IN_PATTERN = 2, IN_SPEC = 4, EVERYWHERE = 7 };

struct lint_key {
	const char *name;
	unsigned place;
	void (*read)(struct section_reader *, const struct setting *);
};

static struct diag *
mistake(struct section_reader *r, struct loc loc, const char *fmt, ...)
{
	const char *message;
	va_list ap;

	va_start(ap, fmt);
	message = arena_vprintf(r->a, fmt, ap);
	va_end(ap);
	return diag_error(r->d, "settings", loc, "%s", message);
}

/* A string, or a bare word; NULL after an error. The grammar reads a name with a dash in it as a
 * subtraction, so the message says to quote it. */
static const char *
read_word(struct section_reader *r, const struct setting *st, const struct expr *e)
{
	if (e->kind == E_STR || e->kind == E_NAME)
		return e->name;
	if (e->kind == E_BINARY && e->op == OPR_SUB)
		diag_help(r->d, mistake(r, e->loc, "a name with '-' in it is written in quotes"),
		    "%s \"%.*s\"", st->key.text, e->loc.end - e->loc.beg > 60 ? 60 :
		    e->loc.end - e->loc.beg, e->loc.src->text + e->loc.beg);
	else if (e->kind != E_BAD)
		mistake(r, e->loc, "'%s' takes names here", st->key.text);
	return NULL;
}

static const char *
read_one_word(struct section_reader *r, const struct setting *st)
{
	if (st->nvalues > 1) {
		mistake(r, st->value[1]->loc, "'%s' takes one value", st->key.text);
		return NULL;
	}
	return read_word(r, st, st->value[0]);
}

static void
suggest(struct section_reader *r, struct diag *g, const char *near)
{
	if (near)
		diag_help(r->d, g, "did you mean '%s'?", near);
}

/* ---- the keys ---- */

static void
read_level(struct section_reader *r, const struct setting *st)
{
	const struct level_word *other;
	const char *s, *why, *near;
	int i;

	for (i = 0; i < st->nvalues; i++) {
		struct level_word w = { .from = st->value[i]->loc };

		level_key(st->key.text, &w);
		if (!(s = read_word(r, st, st->value[i])))
			continue;
		if (!selection_read(r->a, s, &w.what, &why, &near)) {
			struct diag *g = mistake(r, w.from, "%s", why);

			suggest(r, g, near);
			if (!near && rule_index(s) < 0)
				diag_help(r->d, g, "'stowage explain' lists the rules");
			continue;
		}
		if ((other = level_conflict(r->layer, &w)))
			diag_place(r->d, mistake(r, w.from, "'%s' has another level already", s),
			    other->from, "here");
		else
			level_say(r->a, r->layer, &w);
	}
}

static void
read_as(struct section_reader *r, const struct setting *st)
{
	const struct framework *f;
	char list[TEXT_LIST];
	const char *s;
	int i;

	for (i = 0; i < st->nvalues; i++) {
		if (!(s = read_word(r, st, st->value[i])))
			continue;
		if ((f = framework_find(s)))
			vec_push(r->a, &r->as->all, ((struct config_word){ f->name,
			    st->value[i]->loc }));
		else
			suggest(r, mistake(r, st->value[i]->loc, "no framework is called '%s'; "
			    "there are %s", s, text_list(list, sizeof(list), framework_name,
			    " and ")), text_nearest_of(s, framework_name));
	}
}

static void
read_fail_on(struct section_reader *r, const struct setting *st)
{
	const char *known[8], *s = read_one_word(r, st);
	int n;

	for (n = 0; config_fail_on_name(n); n++)
		known[n] = config_fail_on_name(n);
	for (n = 0; s && config_fail_on_name(n); n++)
		if (strcmp(s, known[n]) == 0) {
			r->c->fail_on = config_fail_on(n);
			r->c->fail_on_loc = st->loc;
			return;
		}
	if (s)
		suggest(r, mistake(r, st->value[0]->loc, "fail_on is one of error, warning, note "
		    "and never, not %s", s), text_nearest(s, known, n));
}

static void
read_flag(struct section_reader *r, const struct setting *st, struct config_flag *flag)
{
	const struct expr *e = st->value[0];

	if (st->nvalues > 1)
		mistake(r, st->value[1]->loc, "'%s' takes one value", st->key.text);
	else if (e->kind == E_BOOL)
		*flag = (struct config_flag){ e->flag, st->loc };
	else if (e->kind != E_BAD)
		mistake(r, e->loc, "%s is true or false", st->key.text);
}

static void
read_require_reason(struct section_reader *r, const struct setting *st)
{
	read_flag(r, st, &r->c->require_reason);
}

static void
read_inline(struct section_reader *r, const struct setting *st)
{
	read_flag(r, st, &r->c->inline_suppressions);
}

static bool
is_pattern(struct section_reader *r, struct loc loc, const char *s)
{
	if (*s && strlen(s) < PATH_MAX && strcmp(s, "/") != 0)
		return true;
	mistake(r, loc, "a pattern of paths is neither empty nor \"/\", nor longer than a path can "
	    "be");
	return false;
}

static void
read_exclude(struct section_reader *r, const struct setting *st)
{
	int i;

	for (i = 0; i < st->nvalues; i++) {
		const struct expr *e = st->value[i];

		if (e->kind != E_STR && e->kind != E_BAD)
			diag_help(r->d, mistake(r, e->loc, "a pattern of paths is text"),
			    "exclude \"third_party\", \"generated/*.nn\"");
		else if (e->kind == E_STR && is_pattern(r, e->loc, e->name))
			vec_push(r->a, &r->c->exclude.all, ((struct config_word){ e->name,
			    e->loc }));
	}
}

static void
read_baseline(struct section_reader *r, const struct setting *st)
{
	const struct expr *e = st->value[0];
	char *path;

	if (st->nvalues > 1) {
		mistake(r, st->value[1]->loc, "'baseline' takes one value");
	} else if (e->kind == E_STR && *e->name) {
		path = filename_join(r->a, r->c->project->folder, e->name);
		filename_normalise(path);
		r->c->baseline = (struct config_word){ path, st->loc };
	} else if (e->kind != E_BAD) {
		diag_help(r->d, mistake(r, e->loc, "a baseline is the name of a file"),
		    "baseline \"stowage.baseline\"");
	}
}

static const struct lint_key keys[] = {
	{ "select", EVERYWHERE, read_level },
	{ "ignore", EVERYWHERE, read_level },
	{ "note", EVERYWHERE, read_level },
	{ "warning", EVERYWHERE, read_level },
	{ "error", EVERYWHERE, read_level },
	{ "as", IN_PROJECT | IN_SPEC, read_as },
	{ "fail_on", IN_PROJECT, read_fail_on },
	{ "require_reason", IN_PROJECT, read_require_reason },
	{ "inline_suppressions", IN_PROJECT, read_inline },
	{ "exclude", IN_PROJECT, read_exclude },
	{ "baseline", IN_PROJECT, read_baseline },
};

#define KEYS	((int)(sizeof(keys) / sizeof(keys[0])))

/* ---- sections ---- */

static enum key_place
place_of(const struct section_reader *r)
{
	return !r->c ? IN_SPEC : r->section->name.text ? IN_PATTERN : IN_PROJECT;
}

static void
report_unknown(struct section_reader *r, const struct setting *st)
{
	struct diag *g = mistake(r, st->key.loc, "lint has no setting '%s'", st->key.text);
	const char *name[KEYS], *near;
	struct text t;
	int i, n = 0;

	text_init(&t, r->a);
	for (i = 0; i < KEYS; i++)
		if (keys[i].place & place_of(r)) {
			text_printf(&t, "%s%s", n ? ", " : "", keys[i].name);
			name[n++] = keys[i].name;
		}
	if (strcmp(st->key.text, "off") == 0)
		diag_help(r->d, g, "did you mean 'ignore'?");
	else if ((near = text_nearest(st->key.text, name, n)))
		suggest(r, g, near);
	else
		diag_help(r->d, g, "it has: %s", t.s);
}

static void
report_misplaced(struct section_reader *r, const struct setting *st)
{
	struct diag *g = mistake(r, st->key.loc, "'%s' cannot be set here", st->key.text);

	if (place_of(r) == IN_SPEC)
		diag_help(r->d, g, "it is for the whole project: write it into " PROJECT_FILE);
	else
		diag_help(r->d, g, "it is not for some files alone: write it into lint { }");
}

static void
read_section(struct section_reader *r, const struct section *s)
{
	struct map set = { NULL, 0, 0, NULL, 0 };
	const struct setting *first;
	int i, k;

	r->section = s;
	for (i = 0; i < s->nsettings; i++) {
		struct setting *st = &s->setting[i];

		for (k = 0; k < KEYS && strcmp(keys[k].name, st->key.text) != 0; k++)
			;
		if (!(first = map_get(&set, st->key.text)))
			map_put(r->a, &set, st->key.text, st);
		if (k == KEYS)
			report_unknown(r, st);
		else if (!(keys[k].place & place_of(r)))
			report_misplaced(r, st);
		else if (first)
			diag_place(r->d, mistake(r, st->key.loc, "'%s' is set twice",
			    st->key.text), first->key.loc, "first set here");
		else
			keys[k].read(r, st);
	}
}

/* A section's name is a pattern, in quotes, and only a project file knows of several files. */
static bool
may_be_named(struct section_reader *r, const struct section *s)
{
	struct diag *g;

	if (!s->name.text)
		return true;
	if (r->c && s->name.loc.src->text[s->name.loc.beg] == '"')
		return is_pattern(r, s->name.loc, s->name.text);
	g = mistake(r, s->name.loc, r->c ? "a lint section is for files: their pattern is text" :
	    "a spec's lint section has no name: it is for the spec");
	if (r->c)
		diag_help(r->d, g, "lint \"%s/**\"", s->name.text);
	return false;
}

static void
read_parts(struct section_reader *r, const struct file *f, bool named)
{
	struct config_part part;
	int i;

	for (i = 0; i < f->sections.n; i++) {
		const struct section *s = f->sections.v[i];

		if (s->kind != SEC_LINT || !s->name.text == named || !may_be_named(r, s))
			continue;
		part = (struct config_part){ .pattern = s->name.text };
		r->layer = &part.layer;
		read_section(r, s);
		vec_push(r->a, &r->c->parts, part);
	}
}

struct lint_config *
config_read(struct arena *a, struct project *p)
{
	struct lint_config *c = ARENA_NEW(a, struct lint_config);
	struct section_reader r = { .a = a, .as = &c->as, .c = c };

	c->project = p;
	c->inline_suppressions.on = true;
	c->fail_on = SEV_ERROR;
	if (!p)
		return c;
	r.d = &p->diags;
	read_parts(&r, p->file, false);
	read_parts(&r, p->file, true);
	return c;
}

void
config_of_spec(struct arena *a, struct diags *d, const struct file *f, struct level_layer *layer,
    struct config_words *as)
{
	struct section_reader r = { .a = a, .d = d, .layer = layer, .as = as };
	int i;

	for (i = 0; f && i < f->sections.n; i++)
		if (f->sections.v[i]->kind == SEC_LINT && may_be_named(&r, f->sections.v[i]))
			read_section(&r, f->sections.v[i]);
}

struct levels *
config_levels(struct arena *a, const struct lint_config *c, const char *path,
    const struct level_layer *own, const struct level_layer *options)
{
	struct levels *l = levels_new(a);
	const char *name = c->parts.n ? filename_relative(a, c->project->folder, path) : NULL;
	int i;

	for (i = 0; i < c->parts.n; i++) {
		const struct config_part *part = &c->parts.v[i];

		if (!part->pattern || filename_matches(part->pattern, name))
			levels_apply(l, &part->layer);
	}
	if (own)
		levels_apply(l, own);
	if (options)
		levels_apply(l, options);
	return l;
}

bool
config_excludes(struct arena *a, const struct lint_config *c, const char *path)
{
	const char *name;
	int i;

	if (!c->project || c->exclude.all.n == 0)
		return false;
	name = filename_relative(a, c->project->folder, path);
	for (i = 0; i < c->exclude.all.n; i++)
		if (filename_matches(c->exclude.all.v[i].text, name))
			return true;
	return false;
}

const char *
config_fail_on_name(int i)
{
	static const char *const name[] = { "error", "warning", "note", "never", NULL };

	return name[i];
}

int
config_fail_on(int i)
{
	static const int least[] = { SEV_ERROR, SEV_WARNING, SEV_NOTE, SEV_ERROR + 1 };

	return least[i];
}
