/* jsonl: one JSON object per line and finding, with the same members as in the format json. */
#include "findings/report.h"

static void
finding(struct report *r, const char *path, const struct diag *g)
{
	jsonw_begin(&r->json, r->out);
	jsonw_flat_object(&r->json, NULL);
	report_json_finding(&r->json, path, g);
	jsonw_finish(&r->json);
}

const struct format format_jsonl = {
	.name = "jsonl",
	.brief = "one JSON object a line and finding",
	.can_waive = true,
	.finding = finding,
};
