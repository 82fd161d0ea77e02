/*
 * Findings counted by rule, instead of the findings: a table for people, the most frequent rule
 * first, or one JSON object.
 *
 *         12  SW100     oom
 *          3  -         shape
 */
#include "findings/report.h"

#include <string.h>

#include "lint/catalog.h"

static void
finding(struct report *r, const char *path, const struct diag *g)
{
	(void)r;
	(void)path;
	(void)g;	/* report_file() has counted it */
}

static void
print_count(struct report *r, int i)
{
	const struct rule *rule = i < REPORT_RULES ? rule_at(i) : NULL;

	if (!rule) {
		fprintf(r->out, "%7d  %-9s %s\n", r->counts[i], "-", "other");
		return;
	}
	fprintf(r->out, "%7d  %-9s %s\n", r->counts[i], rule_is_language(rule) ? "-" : rule->id,
	    rule->name);
}

/* By number, then in the order of the rules: few enough to search for the next each time. */
static void
end_text(struct report *r)
{
	int i, most;
	bool done[REPORT_RULES + 1] = { false };

	for (;;) {
		most = -1;
		for (i = 0; i <= REPORT_RULES; i++)
			if (r->counts[i] > 0 && !done[i] &&
			    (most < 0 || r->counts[i] > r->counts[most]))
				most = i;
		if (most < 0)
			return;
		done[most] = true;
		print_count(r, most);
	}
}

static void
begin_json(struct report *r)
{
	jsonw_begin(&r->json, r->out);
	jsonw_object(&r->json, NULL);
	jsonw_int(&r->json, "version", 1);
}

static void
end_json(struct report *r)
{
	struct json *j = &r->json;
	int i;

	jsonw_array(j, "rules");
	for (i = 0; i <= REPORT_RULES; i++) {
		const struct rule *rule = r->counts[i] > 0 && i < REPORT_RULES ? rule_at(i) : NULL;

		if (r->counts[i] == 0)
			continue;
		jsonw_flat_object(j, NULL);
		jsonw_string(j, "rule", rule ? rule->name : NULL);
		jsonw_string(j, "id", rule ? rule->id : NULL);
		jsonw_int(j, "findings", r->counts[i]);
		jsonw_end(j);
	}
	jsonw_end(j);
	jsonw_flat_object(j, "summary");
	jsonw_int(j, "files", r->files);
	jsonw_int(j, "files_with_findings", r->files_with_findings);
	jsonw_int(j, "errors", r->errors);
	jsonw_int(j, "warnings", r->warnings);
	jsonw_int(j, "notes", r->notes);
	if (r->has_baseline)
		jsonw_int(j, "in_baseline", r->hidden);
	jsonw_end(j);
	jsonw_finish(j);
}

static const struct format statistics_text = {
	.name = "text", .brief = "counts by rule", .finding = finding, .end = end_text,
};

static const struct format statistics_json = {
	.name = "json", .brief = "counts by rule", .begin = begin_json, .finding = finding,
	.end = end_json,
};

const struct format *
report_statistics_format(const struct format *f)
{
	if (strcmp(f->name, statistics_text.name) == 0)
		return &statistics_text;
	return strcmp(f->name, statistics_json.name) == 0 ? &statistics_json : NULL;
}
