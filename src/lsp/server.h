/*
 * The server: what is open, what the client can do, which requests wait. One thread; processes of
 * their own do what takes long (job.h).
 *
 *     stdin -> wire -> dispatch -> method (one a file) -> answer -> stdout
 *                                    |
 *              document changed -> analysis in a process -> findings, facts -> diagnostics; requests that
 *                                                                            waited for facts are answered
 */
#ifndef STOWAGE_LSP_SERVER_H
#define STOWAGE_LSP_SERVER_H

#include <jansson.h>
#include <sys/types.h>

#include "base/diag.h"
#include "lsp/document.h"
#include "lsp/wire.h"

#define RPC_PARSE_ERROR		(-32700)
#define RPC_INVALID_REQUEST	(-32600)
#define RPC_METHOD_NOT_FOUND	(-32601)
#define RPC_INVALID_PARAMS	(-32602)
#define RPC_INTERNAL_ERROR	(-32603)
#define RPC_NOT_INITIALIZED	(-32002)
#define LSP_REQUEST_FAILED	(-32803)
#define LSP_CONTENT_MODIFIED	(-32801)
#define LSP_CANCELLED		(-32800)

struct lsp_method;
struct tree;

struct memory {			/* what was said of a text, as it came: known.h */
	char *text, *said;	/* NULL: nothing */
	size_t size, nsaid;
};

struct document {		/* that is open */
	struct document *next;
	char *uri;
	char *path;		/* absolute; a text that has no file is called by what follows its scheme */
	int64_t version;
	struct text_lines text;
	struct tree *tree;	/* of this version; NULL until asked for */
	bool dirty;		/* it, or what it uses, has changed since the last analysis began */
	/* what the last analysis found; of the text as it was then */
	int64_t findings_version, facts_version;	/* -1: none */
	json_t *findings;	/* by URI: lists of diagnostics, as the text that job.h has; or NULL */
	json_t *facts;
	struct memory known_findings, known_facts;
	json_t *files;		/* that it uses: absolute paths; NULL: not known yet */
};

struct job;

struct waiting {		/* a request that was not answered at once */
	struct waiting *next;
	json_t *id;
	const struct lsp_method *method;
	json_t *params;
	struct document *document;	/* whose facts it waits for; NULL: its job's end */
	struct job *job;
	bool reported;		/* the client was told of its progress */
};

struct client {			/* what it said it can do */
	bool utf8;
	bool link_support;	/* LocationLink */
	bool versioned_edits;	/* documentChanges */
	bool snippets;
	bool watches;		/* registers watchers of files */
	bool shows_documents;
	bool refresh_hints, refresh_lenses;
	bool related;		/* relatedInformation */
};

struct server_options {		/* of the user: initializationOptions, workspace/configuration */
	bool hint_shapes, hint_bytes, hint_arguments, lenses;
};

struct server {
	FILE *out;
	FILE *log;		/* NULL: none */
	int64_t operators;	/* that a file may have; 0: as many as usual */
	struct wire in;
	struct client client;
	struct server_options options;
	enum { SERVER_NEW, SERVER_READY, SERVER_STOPPED } state;
	bool ended;		/* `exit` came, or the input ended */
	bool output_failed;
	bool one_process;	/* all is done in this one */
	pid_t parent;		/* the editor; 0: not known */
	struct document *documents;
	struct waiting *waiting;
	struct job *jobs;
	json_t *published;	/* the URIs where something was published last, each to true */
	struct compared {	/* a source whose text was found to be that of the document, in this message */
		const struct source *source;
		const struct document *document;
	} compared;
	int next_id;		/* of requests of ours */
};

/* What a method answers. */
struct answer {
	json_t *result;		/* NULL: an error, or `null` where code is 0 */
	int code;
	const char *message;	/* of an error; lives as long as the program, or in the arena */
};

/* Reads and answers until the client is done; the exit status. */
int	server_run(struct server *);

/* Takes one message, as it came. */
void	server_message(struct server *, const char *body, size_t n);
/* What is done when no message waits: texts are analysed, requests answered that waited for
 * that. */
void	server_rest(struct server *);
void	server_free(struct server *);

/* Sends what is owned by nobody afterwards. */
void	server_notify(struct server *, const char *method, json_t *params);
/* PARAMS, an object with members, has one more, whose value is JSON as text. */
void	server_notify_text(struct server *, const char *method, json_t *params, const char *key,
	    const char *value);
void	server_request(struct server *, const char *method, json_t *params);
void	server_log(struct server *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Requests that wait for the facts of a document that is being closed. */
void	requests_drop(struct server *, const struct document *);
/* All that wait: there will be no answers. */
void	requests_stop(struct server *);
/* A job has ended; SAID: its answer, or NULL. */
void	server_job_answer(struct server *, struct job *, const json_t *said);

/* ---- documents ---- */

struct document	*document_find(const struct server *, const char *uri);
/* That of params.textDocument.uri, or NULL. */
struct document	*document_of(const struct server *, const json_t *params);
/* The open document whose file that is, or NULL. */
struct document	*document_at(const struct server *, const char *path);
void		 document_close(struct server *, struct document *);
/* The syntax tree of its text, and of what it uses; NULL: it is a model, or too much for memory. */
struct tree	*document_tree(struct server *, struct document *);

/* ---- places and addresses ---- */

/* The file of an address; NULL: it names none. To be freed. */
char	*uri_path(const char *uri);
json_t	*uri_json(const char *path);
bool	 json_position(const json_t *, struct position *);
json_t	*position_json(const struct server *, const struct text_lines *, size_t offset);
json_t	*range_json(const struct server *, const struct text_lines *, size_t beg, size_t end);
/* Of a place in a source, which may be of a file that is not open. */
json_t	*loc_range(const struct server *, struct loc);
json_t	*loc_location(const struct server *, struct loc);	/* { uri, range } */
/* The address that a source has: its document's, or its file's; NULL where what comes with Stowage
 * is not installed. */
json_t	*source_uri(const struct server *, const struct source *);
/* That of the file that a document uses by that name; NULL likewise. */
json_t	*used_uri(struct arena *, const struct document *, const char *path);
/* { range, newText } */
json_t	*text_edit(const struct server *, const struct source *, int beg, int end, const char *text);
/* A WorkspaceEdit of edits by address: { uri: [TextEdit] }, which is taken. */
json_t	*workspace_edit(const struct server *, json_t *changes);
/* The byte of params.position in the document; false where there is none. */
bool	position_of(const struct server *, const struct document *, const json_t *params, size_t *at);

#endif
