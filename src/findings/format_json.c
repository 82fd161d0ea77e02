/*
 * json: one object, {"version": 1, "findings": [...], ...}, printed whole however the run ends.
 * Lines and columns count from 1, ends are exclusive; all are 0 for a finding without a place, and
 * in a model, where "node" says the place, if there is one, and "more_nodes" of how many others it
 * is said too. "column" and "end_column" count bytes, "column_chars" and "end_column_chars" code
 * points. A fix is a list of edits, all of one file and to be made at once: the bytes from "offset"
 * to "end_offset", which count from 0, become "text".
 */
#include "findings/report.h"

static void
begin(struct report *r)
{
	jsonw_begin(&r->json, r->out);
	jsonw_object(&r->json, NULL);
	jsonw_int(&r->json, "version", 1);
	jsonw_array(&r->json, "findings");
}

static void
place(struct json *j, const char *path, struct loc l)
{
	const struct origin *o = loc_origin(l);
	struct loc end;
	int line = 0, column;

	jsonw_string(j, "path", l.src ? l.src->path : path);
	if (o) {
		jsonw_string(j, "node", o->node);
		jsonw_int(j, "more_nodes", o->more);
	}
	if (!loc_has_line(l))
		l.src = NULL;
	end = l;
	end.beg = l.end > l.beg ? l.end : l.beg;
	column = l.src ? report_end_column(l, &line) : 0;
	jsonw_int(j, "line", loc_line(l));
	jsonw_int(j, "column", loc_column(l));
	jsonw_int(j, "column_chars", loc_column_chars(l));
	jsonw_int(j, "end_line", line);
	jsonw_int(j, "end_column", column);
	jsonw_int(j, "end_column_chars", loc_column_chars(end));
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

	jsonw_object(j, "fix");
	jsonw_string(j, "title", f->title);
	jsonw_bool(j, "safe", f->safe);
	jsonw_array(j, "edits");
	for (i = 0; i < f->edits->all.n; i++) {
		const struct edit *x = &f->edits->all.v[i];

		jsonw_flat_object(j, NULL);
		place(j, NULL, (struct loc){ f->edits->src, x->beg, x->end });
		jsonw_int(j, "offset", x->beg);
		jsonw_int(j, "end_offset", x->end);
		jsonw_string(j, "text", x->text);
		jsonw_end(j);
	}
	jsonw_end(j);
	jsonw_end(j);
}

static void
waiver(struct json *j, const struct waiver *w)
{
	jsonw_flat_object(j, "allowed");
	jsonw_string(j, "by", w->by == WAIVED_BY_COMMENT ? "comment" : "baseline");
	if (w->loc.src) {
		jsonw_string(j, "path", w->loc.src->path);
		jsonw_int(j, "line", loc_line(w->loc));
	}
	if (*w->reason)
		jsonw_string(j, "reason", w->reason);
	jsonw_end(j);
}

void
report_json_finding(struct json *j, const char *path, const struct diag *g)
{
	int i;

	jsonw_string(j, "rule", g->rule);
	jsonw_string(j, "severity", severity_name(g->severity));
	place(j, path, g->loc);
	jsonw_string(j, "message", g->message);
	jsonw_array(j, "remarks");
	for (i = 0; i < g->remarks.n; i++) {
		const struct remark *m = &g->remarks.v[i];

		jsonw_flat_object(j, NULL);
		jsonw_string(j, "kind", kind_name(m->kind));
		jsonw_string(j, "text", m->text);
		if (m->kind == REMARK_PLACE)
			place(j, path, m->loc);
		jsonw_end(j);
	}
	jsonw_end(j);
	if (g->fix)
		fix(j, g->fix);
	if (g->waiver)
		waiver(j, g->waiver);
}

static void
finding(struct report *r, const char *path, const struct diag *g)
{
	jsonw_object(&r->json, NULL);
	report_json_finding(&r->json, path, g);
	jsonw_end(&r->json);
}

static void
end(struct report *r)
{
	struct json *j = &r->json;

	jsonw_end(j);
	jsonw_flat_object(j, "summary");
	jsonw_int(j, "files", r->files);
	jsonw_int(j, "errors", r->errors);
	jsonw_int(j, "warnings", r->warnings);
	jsonw_int(j, "notes", r->notes);
	jsonw_int(j, "fixed", r->fixed);
	jsonw_int(j, "fixable", r->fixable);
	jsonw_int(j, "fixable_unsafely", r->fixable_unsafely);
	if (r->has_baseline)
		jsonw_int(j, "in_baseline", r->hidden);
	if (r->shows_waived)
		jsonw_int(j, "allowed", r->waived);
	jsonw_end(j);
	jsonw_finish(j);
}

const struct format format_json = {
	.name = "json",
	.brief = "one JSON object, versioned",
	.can_waive = true,
	.begin = begin,
	.finding = finding,
	.end = end,
};
