/*
 * sarif: SARIF 2.1.0, as services for code review take it: one run, whose driver lists every rule
 * with its documentation, and a result a finding. Paths are seen from the root of the repository,
 * columns count code points, and ends are exclusive. What no fix exists for has no member "fixes":
 * an empty one is refused. An unsafe fix says so in its description; it is for people to decide.
 * Where what is allowed is asked for, all results have `suppressions`, empty or not, since either
 * all of a run shall have them or none.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "findings/report.h"

#include <string.h>

#include "lint/catalog.h"

#define MOST_RESULTS	25000	/* that services take in one run */
#define MOST_TEXT	1024	/* characters of a description */

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION	"0"
#endif

/* A multiformat message: {"text": S}, cut after a word where it is too long. */
static void
text(struct json *j, const char *key, const char *s)
{
	char cut[MOST_TEXT + 1];
	size_t n = strlen(s);

	if (n > MOST_TEXT) {
		n = MOST_TEXT - 3;
		while (n > 0 && s[n] != ' ')
			n--;
		memcpy(cut, s, n);
		strcpy(cut + n, "...");
		s = cut;
	}
	jsonw_flat_object(j, key);
	jsonw_string(j, "text", s);
	jsonw_end(j);
}

static void
rule(struct json *j, const struct rule *r, const char *page)
{
	char link[REPORT_PATH];

	jsonw_object(j, NULL);
	jsonw_string(j, "id", r->id);
	jsonw_string(j, "name", r->name);
	text(j, "shortDescription", r->brief);
	text(j, "fullDescription", r->doc);
	jsonw_flat_object(j, "help");
	jsonw_string(j, "text", r->doc);
	jsonw_end(j);
	if (page && snprintf(link, sizeof(link), "%s#%s", page, r->name) < (int)sizeof(link))
		jsonw_string(j, "helpUri", link);
	jsonw_flat_object(j, "defaultConfiguration");
	jsonw_string(j, "level", severity_name(r->severity));
	jsonw_end(j);
	jsonw_flat_object(j, "properties");
	jsonw_array(j, "tags");
	jsonw_string(j, NULL, family_name(r->family));
	jsonw_end(j);
	jsonw_string(j, "problem.severity", r->severity == SEV_NOTE ? "recommendation" :
	    severity_name(r->severity));
	jsonw_end(j);
	jsonw_end(j);
}

static void
begin(struct report *r)
{
	struct json *j = &r->json;
	const struct rule *one;
	int i;

	jsonw_begin(j, r->out);
	jsonw_object(j, NULL);
	jsonw_string(j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	jsonw_string(j, "version", "2.1.0");
	jsonw_array(j, "runs");
	jsonw_object(j, NULL);
	jsonw_object(j, "tool");
	jsonw_object(j, "driver");
	jsonw_string(j, "name", "stowage");
	jsonw_string(j, "semanticVersion", PACKAGE_VERSION);
	jsonw_array(j, "rules");
	for (i = 0; (one = rule_at(i)); i++)
		rule(j, one, report_rules_url());
	jsonw_end(j);
	jsonw_end(j);
	jsonw_end(j);
	jsonw_string(j, "columnKind", "unicodeCodePoints");
	jsonw_array(j, "results");
}

/* A path as a URI: in the repository relative to it, elsewhere absolute. */
static const char *
uri(struct report *r, const char *path)
{
	size_t room;
	char *s;

	path = report_repository_path(r, path);
	room = 3 * strlen(path) + 16;
	s = arena_array(r->arena, room, 1);
	strcpy(s, *path == '/' ? "file://" : "");
	report_uri(path, s + strlen(s), room - strlen(s));
	return s;
}

static void
artifact(struct json *j, const char *where)
{
	jsonw_flat_object(j, "artifactLocation");
	jsonw_string(j, "uri", where);
	if (strncmp(where, "file:", 5) != 0)
		jsonw_string(j, "uriBaseId", "%SRCROOT%");
	jsonw_end(j);
}

static void
region(struct json *j, const char *key, struct loc l)
{
	struct region at = report_region(l);

	jsonw_flat_object(j, key);
	jsonw_int(j, "startLine", at.line);
	jsonw_int(j, "startColumn", at.column);
	jsonw_int(j, "endLine", at.end_line);
	jsonw_int(j, "endColumn", at.end_column);
	jsonw_end(j);
}

/* A node of a model, which has no lines. */
static void
logical(struct json *j, const struct origin *o)
{
	if (!o)
		return;
	jsonw_array(j, "logicalLocations");
	jsonw_flat_object(j, NULL);
	jsonw_string(j, "name", o->node);
	jsonw_string(j, "kind", "element");
	jsonw_end(j);
	jsonw_end(j);
}

static void
physical(struct json *j, const char *where, struct loc l)
{
	jsonw_object(j, "physicalLocation");
	artifact(j, where);
	if (!l.src || !l.src->origins)
		region(j, "region", l);
	jsonw_end(j);
	logical(j, loc_origin(l));
}

static void
related(struct json *j, const char *const *where, const struct diag *g)
{
	bool open = false;
	int i;

	for (i = 0; i < g->remarks.n; i++) {
		if (!where[i])
			continue;
		if (!open)
			jsonw_array(j, "relatedLocations");
		open = true;
		jsonw_object(j, NULL);
		jsonw_int(j, "id", i + 1);
		physical(j, where[i], g->remarks.v[i].loc);
		jsonw_flat_object(j, "message");
		jsonw_string(j, "text", g->remarks.v[i].text);
		jsonw_end(j);
		jsonw_end(j);
	}
	if (open)
		jsonw_end(j);
}

static void
fixes(struct json *j, const struct fix *f, const char *where)
{
	char title[512];
	int i;

	snprintf(title, sizeof(title), "%s%s", f->title, f->safe ? "" : " (unsafe)");
	jsonw_array(j, "fixes");
	jsonw_object(j, NULL);
	text(j, "description", title);
	jsonw_array(j, "artifactChanges");
	jsonw_object(j, NULL);
	artifact(j, where);
	jsonw_array(j, "replacements");
	for (i = 0; i < f->edits->all.n; i++) {
		const struct edit *x = &f->edits->all.v[i];

		jsonw_object(j, NULL);
		region(j, "deletedRegion", (struct loc){ f->edits->src, x->beg, x->end });
		jsonw_flat_object(j, "insertedContent");
		jsonw_string(j, "text", x->text);
		jsonw_end(j);
		jsonw_end(j);
	}
	jsonw_end(j);
	jsonw_end(j);
	jsonw_end(j);
	jsonw_end(j);
	jsonw_end(j);
}

/* What a finding needs that takes memory: made before any of it is printed. */
struct result_texts {
	const char *message, *where, **others;
	const char *fixed, *waived;	/* NULL: it has none */
};

static void
suppressions(struct json *j, const struct waiver *w, const char *where)
{
	jsonw_array(j, "suppressions");
	if (w) {
		jsonw_object(j, NULL);
		jsonw_string(j, "kind", w->by == WAIVED_BY_COMMENT ? "inSource" : "external");
		jsonw_string(j, "status", "accepted");
		if (*w->reason)
			jsonw_string(j, "justification", w->reason);
		if (where) {
			jsonw_object(j, "location");
			physical(j, where, w->loc);
			jsonw_end(j);
		}
		jsonw_end(j);
	}
	jsonw_end(j);
}

static void
result(struct report *r, const struct diag *g, const struct result_texts *p)
{
	struct json *j = &r->json;
	int index = rule_index(g->rule);
	char print[40];

	snprintf(print, sizeof(print), "%016llx:%d", (unsigned long long)r->print.hash,
	    r->print.ordinal);
	jsonw_object(j, NULL);
	jsonw_string(j, "ruleId", index < 0 ? g->rule : rule_at(index)->id);
	if (index >= 0)
		jsonw_int(j, "ruleIndex", index);
	jsonw_string(j, "level", severity_name(g->severity));
	jsonw_flat_object(j, "message");
	jsonw_string(j, "text", p->message);
	jsonw_end(j);
	jsonw_array(j, "locations");
	jsonw_object(j, NULL);
	physical(j, p->where, g->loc);
	jsonw_end(j);
	jsonw_end(j);
	related(j, p->others, g);
	if (p->fixed)
		fixes(j, g->fix, p->fixed);
	if (r->shows_waived)
		suppressions(j, g->waiver, p->waived);
	if (r->shows_waived && r->compared)
		jsonw_string(j, "baselineState", g->waiver && g->waiver->by == WAIVED_BY_BASELINE ?
		    "unchanged" : "new");
	jsonw_flat_object(j, "partialFingerprints");
	jsonw_string(j, "primaryLocationLineHash", print);
	jsonw_end(j);
	jsonw_end(j);
}

static void
finding(struct report *r, const char *path, const struct diag *g)
{
	struct result_texts p = { .fixed = NULL };
	int i;

	if (r->errors + r->warnings + r->notes + r->waived > MOST_RESULTS) {
		r->dropped++;
		return;
	}
	p.message = report_message(r, g);
	p.where = uri(r, g->loc.src ? g->loc.src->path : path);
	p.others = arena_array(r->arena, (size_t)g->remarks.n + 1, sizeof(*p.others));
	for (i = 0; i < g->remarks.n; i++)
		p.others[i] = g->remarks.v[i].kind == REMARK_PLACE && g->remarks.v[i].loc.src ?
		    uri(r, g->remarks.v[i].loc.src->path) : NULL;
	if (g->fix)
		p.fixed = uri(r, g->fix->edits->src->path);
	if (g->waiver && g->waiver->loc.src)
		p.waived = uri(r, g->waiver->loc.src->path);
	result(r, g, &p);
}

static void
end(struct report *r)
{
	struct json *j = &r->json;
	char more[80];

	jsonw_end(j);
	jsonw_array(j, "invocations");
	jsonw_object(j, NULL);
	jsonw_bool(j, "executionSuccessful", !r->trouble);
	if (r->dropped) {
		snprintf(more, sizeof(more), "%d more finding%s not listed here", r->dropped,
		    r->dropped == 1 ? " is" : "s are");
		jsonw_array(j, "toolExecutionNotifications");
		jsonw_object(j, NULL);
		jsonw_string(j, "level", "warning");
		text(j, "message", more);
		jsonw_end(j);
		jsonw_end(j);
	}
	jsonw_finish(j);
}

const struct format format_sarif = {
	.name = "sarif",
	.brief = "SARIF 2.1.0, for services of code review",
	.fingerprints = true,
	.can_waive = true,
	.begin = begin,
	.finding = finding,
	.end = end,
};
