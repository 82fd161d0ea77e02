/*
 * What takes long, in processes of their own: they have all that the server has, as it was when
 * they began, and can be stopped at any instruction, which no plan need know of. They write lines
 * of JSON, which the server takes up as they come.
 *
 * The analysis of a document writes one after the other
 *
 *     { "findings": [ URI ... ],			where something was found, and the document's own
 *       "files": [ PATH ... ] }			that it uses
 *     [ diagnostic ... ]			for each of these, as `stowage lint` has them
 *     known-findings { ... }			kept for the next analysis (known.h)
 *     { "facts": { ... } }				of layers and networks, by what whole plans say (facts.c)
 *     known-facts { ... }
 *
 * and the job of a request
 *
 *     { "result": ... } or { "code": ..., "message": ... }
 */
#ifndef STOWAGE_LSP_JOB_H
#define STOWAGE_LSP_JOB_H

#include "lsp/server.h"

struct job {
	struct job *next;
	pid_t pid;
	int fd;			/* what it says */
	int64_t began;		/* in milliseconds */
	char *line;		/* not yet whole */
	size_t n, cap;
	struct document *document;	/* of an analysis; else NULL */
	json_t *uris;		/* whose findings are to come; or NULL */
	json_t *findings;	/* those that have come, by URI */
	int64_t version;
};

/* Begins what needs to be done for documents that have changed. */
void	jobs_begin(struct server *);
/* A request's. False: there can be none; it is to be done at once. */
bool	job_of_request(struct server *, struct waiting *);
/* Takes what a job has written; true while it goes on. */
bool	job_read(struct server *, struct job *);
void	job_stop(struct server *, struct job *);
void	jobs_stop_of(struct server *, const struct document *);
/* Tells the client of requests that take long. */
void	jobs_report(struct server *);
/* Milliseconds until jobs_report() has something to do; -1: nothing is to come. */
int	jobs_timeout(const struct server *);

int64_t	now_ms(void);

/* ---- in the process ---- */

/* Writes a line. */
void	job_say(FILE *, json_t *);

#define KEEP_FINDINGS	"known-findings "
#define KEEP_FACTS	"known-facts "

/* Writes what is to be kept, and takes it; nothing for NULL. */
void	job_keep(FILE *, const char *what, json_t *);

/* analysis.c */
void	analyse(struct server *, struct document *, FILE *);
/* Is it a .stowage, and no spec? */
bool	is_project_file(const struct document *);
/* What `stowage lint` finds, in ARENA: see analysis.c. */
struct lint_check	*check_document(struct server *, struct document *, struct arena *);

/* facts.c */
/* Writes them, of networks that are as they were those that are KNOWN: soon, and once more with
 * what fits. */
struct known_text;
void	facts_say(struct lint_check *, struct known_text *known, FILE *);

#endif
