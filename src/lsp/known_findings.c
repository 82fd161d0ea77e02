/*
 * Findings of networks that are as they were. A list of them is kept for each network of which no
 * error was found, before levels, comments and baselines were looked at:
 *
 *     { "rule", "severity", "at": PLACE, "message", "remarks": [ { "kind", "at", "text" } ],
 *       "fix": { "safe", "told", "title", "in": FILE, "edits": [ [ BEG, END, TEXT ] ] } }
 *
 * A PLACE is [ FILE, BEG, END ]; FILE is the number of a file of the spec, -1 where there is no
 * place. Files that a spec uses are in the order in which it does, and its project file comes last:
 * when one of them changes, nothing is known.
 */
#include <string.h>

#include "cli/lint_check.h"
#include "lint/catalog.h"
#include "lsp/known.h"

/* ---- files ---- */

static const struct source *
project_source(const struct spec *spec)
{
	const struct project *p = spec->options ? spec->options->project : NULL;

	return p ? p->file->src : NULL;
}

#define NO_FILE		(-1)
#define OTHER_FILE	(-2)

static int
file_number(const struct spec *spec, const struct source *src)
{
	int i;

	if (!src)
		return NO_FILE;
	if (src == spec->file->src)
		return 0;
	for (i = 0; i < spec->imported.n; i++)
		if (spec->imported.v[i]->src == src)
			return i + 1;
	return src == project_source(spec) ? spec->imported.n + 1 : OTHER_FILE;
}

static const struct source *
numbered_file(const struct spec *spec, int64_t k)
{
	if (k == 0)
		return spec->file->src;
	if (k >= 1 && k <= spec->imported.n)
		return spec->imported.v[k - 1]->src;
	return k == spec->imported.n + 1 ? project_source(spec) : NULL;
}

/* ---- writing: false, or NULL, where something cannot be written ---- */

static json_t *
place_json(const struct spec *spec, struct loc loc)
{
	int file = file_number(spec, loc.src);

	return file == OTHER_FILE ? NULL : json_pack("[i, i, i]", file, loc.beg, loc.end);
}

static json_t *
remarks_json(const struct spec *spec, const struct diag *g)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < g->remarks.n; i++) {
		const struct remark *r = &g->remarks.v[i];
		json_t *one = json_pack("{s:i, s:o, s:s}", "kind", (int)r->kind, "at",
		    place_json(spec, r->loc), "text", r->text);

		if (!one || json_array_append_new(list, one) != 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *
edits_json(const struct edits *e)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < e->all.n; i++) {
		json_t *one = json_pack("[i, i, s]", e->all.v[i].beg, e->all.v[i].end, e->all.v[i].text);

		if (!one || json_array_append_new(list, one) != 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *
diag_json(const struct spec *spec, const struct diag *g)
{
	json_t *j = json_pack("{s:s, s:i, s:o, s:s, s:o}", "rule", g->rule, "severity", (int)g->severity,
	    "at", place_json(spec, g->loc), "message", g->message, "remarks", remarks_json(spec, g)), *fix;
	int file = g->fix ? file_number(spec, g->fix->edits->src) : NO_FILE;

	if (!j || !g->fix)
		return j;
	fix = file < 0 ? NULL : json_pack("{s:b, s:b, s:s, s:i, s:o}", "safe", g->fix->safe, "told",
	    g->fix->told, "title", g->fix->title, "in", file, "edits", edits_json(g->fix->edits));
	if (!fix || json_object_set_new(j, "fix", fix) != 0) {
		json_decref(j);
		return NULL;
	}
	return j;
}

static json_t *
lists_of(const struct lint_check *l, const struct known_findings *before)
{
	const struct spec *spec = l->made.spec;
	json_t *networks = json_object();
	int i;

	for (i = 0; i < spec->modules.n; i++)
		if (!spec->modules.v[i]->broken && spec->modules.v[i]->plan)
			json_object_set_new(networks, spec->modules.v[i]->name, json_array());
	for (i = 0; before && i < before->used.n; i++)
		json_object_set_new(networks, before->used.v[i], json_array());
	for (i = 0; i < l->found.n; i++) {
		const struct diag *g = &l->found.v[i];
		json_t *list = g->network ? json_object_get(networks, g->network) : NULL, *one;

		if (!list)
			continue;
		one = g->shared ? NULL : diag_json(spec, g);
		if (!one || json_array_append_new(list, one) != 0)
			json_object_del(networks, g->network);
	}
	for (i = 0; i < l->made.diags.repeating.n; i++)
		json_object_del(networks, l->made.diags.repeating.v[i]);
	return networks;
}

json_t *
known_findings_said(const struct lint_check *l, const struct known_findings *before)
{
	if (!l->ran.of_source || !l->alone)
		return NULL;
	return known_said(l->made.spec->file, lists_of(l, before));
}

/* ---- reading ---- */

struct reader {
	struct known_text *text;
	const struct spec *spec;
	bool failed;		/* something lay where nothing lies now */
};

static const char *
string_at(struct reader *r, const json_t *j, const char *key)
{
	const json_t *s = json_object_get(j, key);

	if (!json_is_string(s)) {
		r->failed = true;
		return "";
	}
	return arena_strndup(r->text->arena, json_string_value(s), json_string_length(s));
}

static int
int_at(const json_t *list, size_t k)
{
	return (int)json_integer_value(json_array_get(list, k));
}

static void
move(struct reader *r, const struct source *src, int *beg, int *end)
{
	if (src == r->spec->file->src && !known_place(r->text, beg, end))
		r->failed = true;
	if (*beg < 0 || *end < *beg || *end > src->size)
		r->failed = true;
}

static struct loc
place_at(struct reader *r, const json_t *place)
{
	int file = int_at(place, 0);
	struct loc loc = { numbered_file(r->spec, file), int_at(place, 1), int_at(place, 2) };

	if (loc.src)
		move(r, loc.src, &loc.beg, &loc.end);
	else if (file != NO_FILE)
		r->failed = true;
	return loc;
}

static void
read_fix(struct reader *r, struct diag *g, const json_t *j)
{
	const struct source *src = numbered_file(r->spec, json_integer_value(json_object_get(j, "in")));
	const json_t *list = json_object_get(j, "edits");
	struct edits *e;
	size_t i;

	if (!src) {
		r->failed = true;
		return;
	}
	e = edits_new(r->text->arena, src);
	for (i = 0; i < json_array_size(list) && !r->failed; i++) {
		const json_t *one = json_array_get(list, i);
		struct edit x = { int_at(one, 0), int_at(one, 1), json_string_value(json_array_get(one, 2)) };

		move(r, src, &x.beg, &x.end);
		if (r->failed || !x.text ||
		    !edits_add(e, x.beg, x.end, arena_strdup(r->text->arena, x.text)))
			r->failed = true;
	}
	g->fix = ARENA_NEW(r->text->arena, struct fix);
	*g->fix = (struct fix){ .safe = json_is_true(json_object_get(j, "safe")),
		.told = json_is_true(json_object_get(j, "told")), .title = string_at(r, j, "title"),
		.edits = e };
}

static struct diag *
read_diag(struct reader *r, const json_t *j)
{
	const json_t *remarks = json_object_get(j, "remarks"), *fix = json_object_get(j, "fix");
	struct diag *g = ARENA_NEW(r->text->arena, struct diag);
	size_t i;

	g->rule = string_at(r, j, "rule");
	g->severity = (enum severity)json_integer_value(json_object_get(j, "severity"));
	g->loc = place_at(r, json_object_get(j, "at"));
	g->message = string_at(r, j, "message");
	for (i = 0; i < json_array_size(remarks); i++) {
		const json_t *one = json_array_get(remarks, i);
		struct remark said = { (enum remark_kind)json_integer_value(json_object_get(one, "kind")),
			place_at(r, json_object_get(one, "at")), string_at(r, one, "text") };

		vec_push(r->text->arena, &g->remarks, said);
	}
	if (fix)
		read_fix(r, g, fix);
	return g;
}

static struct known_findings *
findings_of(struct known *known)
{
	return (struct known_findings *)((char *)known - offsetof(struct known_findings, known));
}

static bool
knows(struct known *known, const struct spec *spec, const struct network *n)
{
	struct known_findings *k = findings_of(known);
	const json_t *list = known_network(&k->text, spec, n);
	struct reader r = { .text = &k->text, .spec = spec };
	int before = k->all.n;
	size_t i;

	for (i = 0; i < json_array_size(list) && !r.failed; i++) {
		vec_push(k->text.arena, &k->all, read_diag(&r, json_array_get(list, i)));
		k->all.v[k->all.n - 1]->network = n->name.text;
	}
	if (!list || r.failed) {
		k->all.n = before;
		return false;
	}
	vec_push(k->text.arena, &k->used, n->name.text);
	return true;
}

static void
report(struct known *known, struct diags *d)
{
	struct known_findings *k = findings_of(known);
	int i;

	for (i = 0; i < k->all.n; i++) {
		d->network = k->all.v[i]->network;
		diags_report(d, k->all.v[i]);
	}
	d->network = NULL;
}

void
known_findings_init(struct known_findings *k, struct arena *a, const struct memory *m)
{
	*k = (struct known_findings){ .known = { knows, report } };
	known_text_init(&k->text, a, m);
}
