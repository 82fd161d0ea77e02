/*
 * gitlab: a code quality report, one JSON array, which GitLab compares with that of the target
 * branch by its fingerprints.
 */
#include "findings/report.h"

static void
begin(struct report *r)
{
	jsonw_begin(&r->json, r->out);
	jsonw_array(&r->json, NULL);
}

static const char *
severity(enum severity s)
{
	return s == SEV_ERROR ? "major" : s == SEV_WARNING ? "minor" : "info";
}

static void
finding(struct report *r, const char *path, const struct diag *g)
{
	const char *text = report_message(r, g);
	struct region at = report_region(g->loc);
	struct json *j = &r->json;
	char print[40];

	path = report_repository_path(r, g->loc.src ? g->loc.src->path : path);
	snprintf(print, sizeof(print), "%016llx-%d", (unsigned long long)r->print.hash,
	    r->print.ordinal);
	jsonw_object(j, NULL);
	jsonw_string(j, "description", text);
	jsonw_string(j, "check_name", g->rule);
	jsonw_string(j, "fingerprint", print);
	jsonw_string(j, "severity", severity(g->severity));
	jsonw_flat_object(j, "location");
	jsonw_string(j, "path", path);
	jsonw_object(j, "lines");
	jsonw_int(j, "begin", at.line);
	jsonw_int(j, "end", at.end_line);
	jsonw_end(j);
	jsonw_end(j);
	jsonw_end(j);
}

static void
end(struct report *r)
{
	jsonw_finish(&r->json);
}

const struct format format_gitlab = {
	.name = "gitlab",
	.brief = "a code quality report of GitLab",
	.fingerprints = true,
	.begin = begin,
	.finding = finding,
	.end = end,
};
