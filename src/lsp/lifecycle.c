/* From initialize to exit. */
#include "lsp/method.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>
#include <unistd.h>

static bool
flag(const json_t *j, const char *a, const char *b, const char *c)
{
	j = json_object_get(json_object_get(j, a), b);
	if (c)
		j = json_object_get(j, c);
	return json_is_true(j);
}

static bool
offers_utf8(const json_t *capabilities)
{
	const json_t *list = json_object_get(json_object_get(capabilities, "general"), "positionEncodings");
	size_t i;

	for (i = 0; i < json_array_size(list); i++) {
		const char *word = json_string_value(json_array_get(list, i));

		if (word && strcmp(word, "utf-8") == 0)
			return true;
	}
	return false;
}

static void
read_client(struct client *c, const json_t *j)
{
	const json_t *text = json_object_get(j, "textDocument");
	const json_t *item = json_object_get(json_object_get(text, "completion"), "completionItem");

	c->utf8 = offers_utf8(j);
	c->link_support = flag(text, "definition", "linkSupport", NULL);
	c->versioned_edits = flag(j, "workspace", "workspaceEdit", "documentChanges");
	c->snippets = json_is_true(json_object_get(item, "snippetSupport"));
	c->watches = flag(j, "workspace", "didChangeWatchedFiles", "dynamicRegistration");
	c->shows_documents = flag(j, "window", "showDocument", "support");
	c->refresh_hints = flag(j, "workspace", "inlayHint", "refreshSupport");
	c->refresh_lenses = flag(j, "workspace", "codeLens", "refreshSupport");
	c->related = flag(text, "publishDiagnostics", "relatedInformation", NULL);
}

static void
read_option(bool *to, const json_t *options, const char *key)
{
	const json_t *value = json_object_get(options, key);

	if (json_is_boolean(value))
		*to = json_is_true(value);
}

/* { "stowage": { ... } } or what is inside. */
static const json_t *
own_options(const json_t *options)
{
	const json_t *own = json_object_get(options, "stowage");

	return json_is_object(own) ? own : options;
}

static void
read_options(struct server_options *o, const json_t *options)
{
	options = own_options(options);
	read_option(&o->hint_shapes, options, "shapeHints");
	read_option(&o->hint_bytes, options, "byteHints");
	read_option(&o->hint_arguments, options, "argumentHints");
	read_option(&o->lenses, options, "lenses");
}

/* For clients that count bytes whatever a server says, and do not offer to. */
static bool
wants_utf8(const json_t *options)
{
	const char *word = json_string_value(json_object_get(own_options(options), "positionEncoding"));

	return word && strcmp(word, "utf-8") == 0;
}

static struct answer
initialize(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	json_t *capabilities = json_object();
	int i;

	(void)d, (void)a;
	if (s->state != SERVER_NEW) {
		json_decref(capabilities);
		return answer_error(RPC_INVALID_REQUEST, "the server is initialized already");
	}
	read_client(&s->client, json_object_get(params, "capabilities"));
	s->client.utf8 |= wants_utf8(json_object_get(params, "initializationOptions"));
	s->parent = (pid_t)json_integer_value(json_object_get(params, "processId"));
	s->options = (struct server_options){ true, true, true, true };
	read_options(&s->options, json_object_get(params, "initializationOptions"));
	s->state = SERVER_READY;
	json_object_set_new(capabilities, "positionEncoding", json_string(s->client.utf8 ? "utf-8" : "utf-16"));
	for (i = 0; i < lsp_method_count; i++) {
		if (lsp_method_table[i]->provider)
			json_object_set_new(capabilities, lsp_method_table[i]->provider, json_true());
		if (lsp_method_table[i]->offer)
			lsp_method_table[i]->offer(&s->client, capabilities);
	}
	return answer_with(json_pack("{s:o, s:{s:s, s:s}}", "capabilities", capabilities, "serverInfo",
	    "name", "stowage", "version", PACKAGE_VERSION));
}

static void
initialized(struct server *s, const json_t *params)
{
	(void)params;
	if (s->client.watches)
		server_request(s, "client/registerCapability", json_pack("{s:[{s:s, s:s, s:{s:[{s:s}, {s:s}, {s:s}]}}]}",
		    "registrations", "id", "files", "method", "workspace/didChangeWatchedFiles",
		    "registerOptions", "watchers", "globPattern", "**/*.nn", "globPattern", "**/.stowage",
		    "globPattern", "**/*.baseline"));
}

static struct answer
stop(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	(void)d, (void)params, (void)a;
	requests_stop(s);
	s->state = SERVER_STOPPED;
	return answer_with(NULL);
}

static void
configure(struct server *s, const json_t *params)
{
	read_options(&s->options, json_object_get(params, "settings"));
	if (s->client.refresh_hints)
		server_request(s, "workspace/inlayHint/refresh", json_null());
	if (s->client.refresh_lenses)
		server_request(s, "workspace/codeLens/refresh", json_null());
}

const struct lsp_method lsp_method_initialize = {
	.name = "initialize", .answer = initialize, .any_document = true,
};

const struct lsp_method lsp_method_initialized = {
	.name = "initialized", .notice = initialized,
};

const struct lsp_method lsp_method_shutdown = {
	.name = "shutdown", .answer = stop, .any_document = true,
};

const struct lsp_method lsp_method_did_change_configuration = {
	.name = "workspace/didChangeConfiguration", .notice = configure,
};
