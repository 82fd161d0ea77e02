/*
 * Findings as diagnostics. Those of a file that several documents use are published once, whoever
 * found them; so what is published at an address is what all documents say of it together.
 */
#include "lsp/publish.h"

#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "findings/report.h"
#include "lint/catalog.h"
#include "lsp/heap.h"

#define TAG_UNNECESSARY	1

/* Of a model it names the node, which may be nowhere to be seen. */
static json_t *
said_at(struct loc l, const char *text)
{
	const struct origin *o = loc_origin(l);

	if (o && o->more)
		return json_sprintf("node '%s' and %d more: %s", o->node, o->more, text);
	return o ? json_sprintf("node '%s': %s", o->node, text) : json_string(text);
}

/* What is said of it, facts and help included; related places stand by themselves. */
static json_t *
message_of(const struct diag *g)
{
	json_t *text = said_at(g->loc, g->message), *longer;
	int i;

	for (i = 0; i < g->remarks.n; i++) {
		const struct remark *r = &g->remarks.v[i];

		if (r->kind == REMARK_PLACE)
			continue;
		longer = json_sprintf("%s\n%s%s", json_string_value(text),
		    r->kind == REMARK_HELP ? "help: " : "= ", r->text);
		json_decref(text);
		text = longer;
	}
	return text ? text : json_string("a finding whose text is not UTF-8");
}

static json_t *
related_of(const struct server *s, const struct diag *g)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < g->remarks.n; i++) {
		const struct remark *r = &g->remarks.v[i];

		if (r->kind == REMARK_PLACE && r->loc.src)
			json_array_append_new(list, json_pack("{s:o, s:o}", "location",
			    loc_location(s, r->loc), "message", said_at(r->loc, r->text)));
	}
	return list;
}

json_t *
finding_json(const struct server *s, const struct diag *g)
{
	static const int severity[] = { [SEV_ERROR] = 1, [SEV_WARNING] = 2, [SEV_NOTE] = 3 };
	const char *page = report_rules_url();
	const struct rule *r = rule_find(g->rule);
	json_t *j = json_pack("{s:o, s:i, s:s, s:s, s:o}", "range", loc_range(s, g->loc), "severity",
	    severity[g->severity], "code", g->rule, "source", "stowage", "message", message_of(g));
	json_t *related = related_of(s, g);

	if (r)
		json_object_set_new(j, "data", json_pack("{s:s}", "id", r->id));
	if (page && r)
		json_object_set_new(j, "codeDescription", json_pack("{s:o}", "href",
		    json_sprintf("%s#%s", page, g->rule)));
	if (s->client.related && json_array_size(related))
		json_object_set(j, "relatedInformation", related);
	json_decref(related);
	if (strncmp(g->rule, "unused-", 7) == 0)
		json_object_set_new(j, "tags", json_pack("[i]", TAG_UNNECESSARY));
	return j;
}

/* Appends what others have not said already. */
static void
add_once(json_t *to, const json_t *list)
{
	size_t others = json_array_size(to), i, k;

	for (i = 0; i < json_array_size(list); i++) {
		json_t *one = json_array_get(list, i);

		for (k = 0; k < others && !json_equal(json_array_get(to, k), one); k++)
			;
		if (k == others)
			json_array_append(to, one);
	}
}

static bool
says_nothing(const char *list)
{
	return !list || strcmp(list, "[]") == 0;
}

/* What all documents say of that address, as text; to be freed. */
static char *
all_say(const struct server *s, const char *uri)
{
	const struct document *d, *only = NULL;
	int saying = 0;
	json_t *list;
	char *text;

	for (d = s->documents; d; d = d->next)
		if (!says_nothing(json_string_value(json_object_get(d->findings, uri)))) {
			only = d;
			saying++;
		}
	if (saying <= 1)	/* as it came: reading and writing 300 findings takes longer than finding them */
		return heap_copy(only ? json_string_value(json_object_get(only->findings, uri)) : "[]");
	list = json_array();
	for (d = s->documents; d; d = d->next) {
		json_t *said = json_loads(json_string_value(json_object_get(d->findings, uri)), 0, NULL);

		add_once(list, said);
		json_decref(said);
	}
	text = json_dumps(list, JSON_COMPACT);
	json_decref(list);
	return text ? text : heap_copy("[]");
}

static void
publish(struct server *s, const char *uri)
{
	const struct document *open = document_find(s, uri);
	char *list = all_say(s, uri);
	json_t *params;

	if (!says_nothing(list) || open || json_object_get(s->published, uri)) {
		params = json_pack("{s:s}", "uri", uri);
		if (open && open->findings_version >= 0)
			json_object_set_new(params, "version", json_integer(open->findings_version));
		server_notify_text(s, "textDocument/publishDiagnostics", params, "diagnostics", list);
	}
	if (says_nothing(list))
		json_object_del(s->published, uri);
	else
		json_object_set_new(s->published, uri, json_true());
	free(list);
}

void
publish_findings(struct server *s, struct document *d, json_t *findings, int64_t version)
{
	json_t *old = d->findings;
	const char *uri;
	json_t *list;

	d->findings = json_incref(findings);
	d->findings_version = version;
	publish(s, d->uri);
	json_object_foreach(findings, uri, list)
		if (strcmp(uri, d->uri) != 0)
			publish(s, uri);
	json_object_foreach(old, uri, list)
		if (strcmp(uri, d->uri) != 0 && !json_object_get(findings, uri))
			publish(s, uri);
	json_decref(old);
}

void
publish_drop(struct server *s, struct document *d)
{
	json_t *old = d->findings;
	const char *uri;
	json_t *list;

	d->findings = NULL;
	json_object_foreach(old, uri, list)
		publish(s, uri);
	if (!json_object_get(old, d->uri))
		publish(s, d->uri);
	json_decref(old);
}
