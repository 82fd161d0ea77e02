/* Commands: what lenses and code actions ask the server to do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/lint_check.h"
#include "lint/catalog.h"
#include "lsp/job.h"
#include "lsp/method.h"
#include "show/show.h"

static const struct plan_format *
page_format(void)
{
	int i;

	for (i = 0; plan_format_table[i]; i++)
		if (strcmp(plan_format_table[i]->name, "html") == 0)
			return plan_format_table[i];
	return NULL;
}

/* The page of a network's plan in a new file of the temporary folder: { show: URI }. */
static struct answer
show_plan(struct server *s, const json_t *arguments, struct arena *a)
{
	struct document *d = document_find(s, json_string_value(json_array_get(arguments, 0)));
	const char *name = json_string_value(json_array_get(arguments, 1)), *folder = getenv("TMPDIR");
	struct lint_check *l;
	struct compile_args args;
	struct spec *spec;
	struct diags quiet;
	char *path;
	FILE *f;
	int fd;

	if (!d || !name)
		return answer_error(RPC_INVALID_PARAMS, "stowage.showPlan: the document and a network");
	if (!(l = check_document(s, d, a)))
		return answer_error(LSP_REQUEST_FAILED, "the model is none that becomes a spec: there is no plan");
	args = *l->compile;
	args.network = name;
	args.project = l->project->project;
	args.project_known = true;
	diags_init(&quiet, a);
	spec = compile(a, &quiet, l->made.source, &args);
	if (quiet.errors || spec->modules.n != 1 || !spec->modules.v[0]->plan)
		return answer_error(LSP_REQUEST_FAILED, "the network has errors: there is no plan");
	path = arena_printf(a, "%s/stowage-plan-XXXXXX.html", folder && *folder ? folder : "/tmp");
	if ((fd = mkstemps(path, 5)) < 0 || !(f = fdopen(fd, "w")))
		return answer_error(LSP_REQUEST_FAILED, "the page cannot be written");
	page_format()->print(f, spec->modules.v[0], &(struct plan_style){ .unicode = true });
	if (fclose(f) != 0) {
		unlink(path);
		return answer_error(LSP_REQUEST_FAILED, "the page cannot be written");
	}
	return answer_with(json_pack("{s:o}", "show", uri_json(path)));
}

/* { message: TEXT } */
static struct answer
explain(const json_t *arguments)
{
	const char *name = json_string_value(json_array_get(arguments, 0));
	const struct rule *r = name ? rule_find(name) : NULL;

	if (!r)
		return answer_error(RPC_INVALID_PARAMS, "stowage.explain: the name of a rule");
	return answer_with(json_pack("{s:o}", "message", json_sprintf("%s (%s): %s\n\n%s", r->name, r->id,
	    r->brief, r->doc)));
}

static struct answer
execute(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	const char *name = json_string_value(json_object_get(params, "command"));
	const json_t *arguments = json_object_get(params, "arguments");

	(void)d;
	if (name && strcmp(name, "stowage.showPlan") == 0)
		return show_plan(s, arguments, a);
	if (name && strcmp(name, "stowage.explain") == 0)
		return explain(arguments);
	return answer_error(RPC_INVALID_PARAMS, "there is no such command");
}

/* What is to be shown is shown by the client. */
static void
show(struct server *s, const json_t *result)
{
	json_t *page = json_object_get(result, "show"), *message = json_object_get(result, "message");

	if (page && s->client.shows_documents)
		server_request(s, "window/showDocument", json_pack("{s:O, s:b}", "uri", page, "external", 1));
	else if (page)
		server_notify(s, "window/showMessage", json_pack("{s:i, s:O}", "type", 3, "message", page));
	if (message)
		server_notify(s, "window/showMessage", json_pack("{s:i, s:O}", "type", 3, "message", message));
}

static void
offer(const struct client *c, json_t *capabilities)
{
	(void)c;
	json_object_set_new(capabilities, "executeCommandProvider", json_pack("{s:[s, s]}", "commands",
	    "stowage.showPlan", "stowage.explain"));
}

const struct lsp_method lsp_method_execute_command = {
	.name = "workspace/executeCommand", .when = ALONE, .answer = execute, .after = show,
	.any_document = true, .offer = offer,
};
