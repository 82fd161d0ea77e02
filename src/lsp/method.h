/*
 * A request or notification of the protocol: one `const struct lsp_method lsp_method_NAME = {` in
 * one file of this folder, where src/tables.sh finds it. What `initialize` says of it stands in the
 * record too.
 */
#ifndef STOWAGE_LSP_METHOD_H
#define STOWAGE_LSP_METHOD_H

#include "lsp/server.h"

enum method_when {
	AT_ONCE,
	WITH_FACTS,		/* when the analysis of the document's present text is done */
	ALONE			/* in a process of its own: it may take seconds */
};

struct lsp_method {
	const char *name;	/* "textDocument/hover" */
	enum method_when when;
	/* Answers a request; NULL: it is a notification. The document is that of
	 * params.textDocument, NULL where there is none of that name. The arena is gone after the
	 * answer is sent. */
	struct answer (*answer)(struct server *, struct document *, const json_t *params, struct arena *);
	/* Runs in the server after an answer that is no error, whoever made it; or NULL. */
	void (*after)(struct server *, const json_t *result);
	void (*notice)(struct server *, const json_t *params);
	bool any_document;	/* it is answered without one */
	bool of_models;		/* it is answered of a model, whose text is no spec; others answer null */
	/* What the server's capabilities say of it: NAME is true there, or more is to be said. */
	const char *provider;
	void (*offer)(const struct client *, json_t *capabilities);
};

extern const struct lsp_method *const lsp_method_table[];	/* made by src/tables.sh; ends with NULL */
extern const int lsp_method_count;

/* An answer that is no error. The reference is the answer's. */
static inline struct answer
answer_with(json_t *result)
{
	return (struct answer){ .result = result };
}

static inline struct answer
answer_error(int code, const char *message)
{
	return (struct answer){ .code = code, .message = message };
}

#endif
