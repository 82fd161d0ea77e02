/*
 * json: one object, {"version": 1, "findings": [...], ...}, printed whole however the run ends.
 * Lines and columns count from 1, ends are exclusive; all are 0 for a finding without a place.
 * "column" and "end_column" count bytes, "column_chars" and "end_column_chars" code points. A fix
 * is a list of edits, all of one file and to be made at once: the bytes from "offset" to
 * "end_offset", which count from 0, become "text".
 */
#include "findings/report.h"

static void
begin(struct report *r)
{
	json_begin(&r->json, r->out);
	json_object(&r->json, NULL);
	json_int(&r->json, "version", 1);
	json_array(&r->json, "findings");
}

static void
place(struct json *j, const char *path, struct loc l)
{
	struct loc end = l;
	int line = 0, column = l.src ? report_end_column(l, &line) : 0;

	end.beg = l.end > l.beg ? l.end : l.beg;
	json_string(j, "path", l.src ? l.src->path : path);
	json_int(j, "line", loc_line(l));
	json_int(j, "column", loc_column(l));
	json_int(j, "column_chars", loc_column_chars(l));
	json_int(j, "end_line", line);
	json_int(j, "end_column", column);
	json_int(j, "end_column_chars", loc_column_chars(end));
}

static const char *
kind_name(enum remark_kind k)
{
	static const char *const name[] = {
		[REMARK_FACT] = "fact", [REMARK_PLACE] = "place", [REMARK_HELP] = "help",
	};

	return name[k];
}

static void
fix(struct json *j, const struct fix *f)
{
	int i;

	json_object(j, "fix");
	json_string(j, "title", f->title);
	json_bool(j, "safe", f->safe);
	json_array(j, "edits");
	for (i = 0; i < f->edits->all.n; i++) {
		const struct edit *x = &f->edits->all.v[i];

		json_flat_object(j, NULL);
		place(j, NULL, (struct loc){ f->edits->src, x->beg, x->end });
		json_int(j, "offset", x->beg);
		json_int(j, "end_offset", x->end);
		json_string(j, "text", x->text);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

static void
waiver(struct json *j, const struct waiver *w)
{
	json_flat_object(j, "allowed");
	json_string(j, "by", w->by == WAIVED_BY_COMMENT ? "comment" : "baseline");
	if (w->loc.src) {
		json_string(j, "path", w->loc.src->path);
		json_int(j, "line", loc_line(w->loc));
	}
	if (*w->reason)
		json_string(j, "reason", w->reason);
	json_end(j);
}

void
report_json_finding(struct json *j, const char *path, const struct diag *g)
{
	int i;

	json_string(j, "rule", g->rule);
	json_string(j, "severity", severity_name(g->severity));
	place(j, path, g->loc);
	json_string(j, "message", g->message);
	json_array(j, "remarks");
	for (i = 0; i < g->remarks.n; i++) {
		const struct remark *m = &g->remarks.v[i];

		json_flat_object(j, NULL);
		json_string(j, "kind", kind_name(m->kind));
		json_string(j, "text", m->text);
		if (m->kind == REMARK_PLACE)
			place(j, path, m->loc);
		json_end(j);
	}
	json_end(j);
	if (g->fix)
		fix(j, g->fix);
	if (g->waiver)
		waiver(j, g->waiver);
}

static void
finding(struct report *r, const char *path, const struct diag *g)
{
	json_object(&r->json, NULL);
	report_json_finding(&r->json, path, g);
	json_end(&r->json);
}

static void
end(struct report *r)
{
	struct json *j = &r->json;

	json_end(j);
	json_flat_object(j, "summary");
	json_int(j, "files", r->files);
	json_int(j, "errors", r->errors);
	json_int(j, "warnings", r->warnings);
	json_int(j, "notes", r->notes);
	json_int(j, "fixed", r->fixed);
	json_int(j, "fixable", r->fixable);
	json_int(j, "fixable_unsafely", r->fixable_unsafely);
	if (r->has_baseline)
		json_int(j, "in_baseline", r->hidden);
	if (r->shows_waived)
		json_int(j, "allowed", r->waived);
	json_end(j);
	json_finish(j);
}

const struct format format_json = {
	.name = "json",
	.brief = "one JSON object, versioned",
	.can_waive = true,
	.begin = begin,
	.finding = finding,
	.end = end,
};
