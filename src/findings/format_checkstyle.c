/*
 * checkstyle: the XML of the checker of that name, which many servers read. Findings in a file that
 * another uses are listed under its own name. Columns count code points.
 */
#include "findings/report.h"

#include <string.h>

static void
begin(struct report *r)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n", r->out);
}

static void
open_file(struct report *r, const char *path)
{
	fputs("  <file name=\"", r->out);
	report_xml(r->out, path);
	fputs("\">\n", r->out);
	r->path = path;
}

static void
file_end(struct report *r)
{
	if (r->path)
		fputs("  </file>\n", r->out);
	r->path = NULL;
}

static void
file(struct report *r, const char *path, const struct diags *d)
{
	if (d->all.n == 0)	/* one without findings is listed: it was checked */
		open_file(r, path);
}

static const char *
severity(enum severity s)
{
	return s == SEV_NOTE ? "info" : severity_name(s);
}

static void
finding(struct report *r, const char *path, const struct diag *g)
{
	const char *text = report_message(r, g);
	struct region at = report_region(g->loc);

	if (g->loc.src)
		path = g->loc.src->path;
	if (!r->path || strcmp(r->path, path) != 0) {
		file_end(r);
		open_file(r, path);
	}
	fprintf(r->out, "    <error line=\"%d\" column=\"%d\" severity=\"%s\" message=\"", at.line,
	    at.column, severity(g->severity));
	report_xml(r->out, text);
	fprintf(r->out, "\" source=\"stowage.%s\"/>\n", g->rule);
}

static void
end(struct report *r)
{
	fputs("</checkstyle>\n", r->out);
}

const struct format format_checkstyle = {
	.name = "checkstyle",
	.brief = "the XML of checkstyle",
	.begin = begin,
	.file = file,
	.finding = finding,
	.file_end = file_end,
	.end = end,
};
