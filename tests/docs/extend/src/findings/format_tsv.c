/* tsv: one line a finding, its fields separated by tabs: path, line, column, severity, rule,
 * message. */
#include "findings/report.h"

static void
finding(struct report *r, const char *path, const struct diag *g)
{
	report_text(r->out, g->loc.src ? g->loc.src->path : path);
	fprintf(r->out, "\t%d\t%d\t%s\t%s\t", g->loc.src ? loc_line(g->loc) : 0,
	    g->loc.src ? loc_column(g->loc) : 0, severity_name(g->severity), g->rule);
	report_text(r->out, g->message);
	putc('\n', r->out);
}

const struct format format_tsv = {
	.name = "tsv",
	.brief = "one line a finding, fields separated by tabs",
	.finding = finding,
};
