/* gcc: one line per finding, as editors and CI logs parse it. Columns count bytes. */
#include "findings/report.h"

static void
line(struct report *r, const char *path, struct loc l, const char *severity, const char *message,
    const char *rule)
{
	report_text(r->out, l.src ? l.src->path : path);
	if (loc_has_line(l))
		fprintf(r->out, ":%d:%d", loc_line(l), loc_column(l));
	fprintf(r->out, ": %s: ", severity);
	report_node(r, l);
	report_text(r->out, message);
	if (rule)
		fprintf(r->out, " [%s]", rule);
	putc('\n', r->out);
}

static void
finding(struct report *r, const char *path, const struct diag *g)
{
	int i;

	line(r, path, g->loc, severity_name(g->severity), g->message, g->rule);
	for (i = 0; i < g->remarks.n; i++)
		if (g->remarks.v[i].kind == REMARK_PLACE)
			line(r, path, g->remarks.v[i].loc, "note", g->remarks.v[i].text, NULL);
}

const struct format format_gcc = {
	.name = "gcc",
	.brief = "one line a finding",
	.finding = finding,
};
