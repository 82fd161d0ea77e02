/*
 * junit: XML as test runners write it. A file is a suite and a finding a test of it, which fails if
 * the finding fails the run (--fail-on), so that the server and the exit status agree; a file
 * without findings is a suite of one test that passed.
 */
#include "findings/report.h"

static void
begin(struct report *r)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"stowage lint\">\n",
	    r->out);
}

static void
open_test(struct report *r, const char *path, const char *name)
{
	fputs("    <testcase classname=\"", r->out);
	report_xml(r->out, path);
	fputs("\" name=\"", r->out);
	report_xml(r->out, name);
}

static void
file(struct report *r, const char *path, const struct diags *d)
{
	int failures = 0, i;

	for (i = 0; i < d->all.n; i++)
		failures += (int)d->all.v[i]->severity >= r->fatal;
	fputs("  <testsuite name=\"", r->out);
	report_xml(r->out, path);
	fprintf(r->out, "\" tests=\"%d\" failures=\"%d\" errors=\"0\">\n",
	    d->all.n ? d->all.n : 1, failures);
	if (d->all.n == 0) {
		open_test(r, path, "no findings");
		fputs("\"/>\n", r->out);
	}
}

static void
finding(struct report *r, const char *path, const struct diag *g)
{
	const char *text = report_message(r, g);
	bool failed = (int)g->severity >= r->fatal;

	if (g->loc.src)
		path = g->loc.src->path;
	open_test(r, path, g->rule);
	if (loc_has_line(g->loc))
		fprintf(r->out, " %d:%d", loc_line(g->loc), loc_column_chars(g->loc));
	fputs("\">\n", r->out);
	if (failed) {
		fprintf(r->out, "      <failure type=\"%s\" message=\"",
		    severity_name(g->severity));
		report_xml(r->out, g->message);
		fputs("\">", r->out);
	} else {
		fprintf(r->out, "      <system-out>%s: ", severity_name(g->severity));
	}
	report_xml(r->out, text);
	fprintf(r->out, "%s\n    </testcase>\n", failed ? "</failure>" : "</system-out>");
}

static void
file_end(struct report *r)
{
	fputs("  </testsuite>\n", r->out);
}

static void
end(struct report *r)
{
	fputs("</testsuites>\n", r->out);
}

const struct format format_junit = {
	.name = "junit",
	.brief = "the XML of test runners",
	.begin = begin,
	.file = file,
	.finding = finding,
	.file_end = file_end,
	.end = end,
};
