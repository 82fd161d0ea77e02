/* Processes that do what takes long. */
#include "lsp/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lsp/heap.h"
#include "lsp/known.h"
#include "lsp/method.h"
#include "lsp/publish.h"

int64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void
job_say(FILE *f, json_t *j)
{
	char *text = j ? json_dumps(j, JSON_COMPACT) : NULL;

	if (text)	/* at once: json_dumpf() writes each sign by itself */
		fputs(text, f);
	free(text);
	putc('\n', f);
	fflush(f);
	json_decref(j);
}

void
job_keep(FILE *f, const char *what, json_t *j)
{
	if (j) {
		fputs(what, f);
		job_say(f, j);
	}
}

/* ---- beginning ---- */

/* Does it in this process; what the server owns is a copy, which is left to the system. */
static void
work(struct server *s, struct document *d, struct waiting *w, FILE *out)
{
	struct arena *a = arena_new();
	struct answer answer;
	jmp_buf failed;

	if (!a || setjmp(failed))
		_exit(1);
	arena_on_failure(a, &failed);
	if (d) {
		analyse(s, d, out);
	} else {
		answer = w->method->answer(s, document_of(s, w->params), w->params, a);
		job_say(out, answer.code ? json_pack("{s:i, s:s}", "code", answer.code, "message",
		    answer.message ? answer.message : "failed") : json_pack("{s:o}", "result",
		    answer.result ? answer.result : json_null()));
	}
	_exit(0);
}

/* It is of no use to anyone when the server is gone. */
static void
end_with(pid_t server)
{
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	if (getppid() != server)
		_exit(1);
}

#define PIPE_BYTES	65536	/* what a pipe takes at once */

/* A process of the document's analysis, or of the request; NULL: there can be none. */
static struct job *
begin(struct server *s, struct document *d, struct waiting *w)
{
	struct job *j = calloc(1, sizeof(*j));
	pid_t server = getpid();
	int end[2];

	if (s->one_process || !j || pipe2(end, O_CLOEXEC) != 0) {
		free(j);
		return NULL;
	}
	if ((j->pid = fork()) == 0) {
		FILE *out = fdopen(end[1], "w");
		char buf[PIPE_BYTES];

		end_with(server);
		s->log = NULL;
		/* what comes from here must not get among the messages, nor wait for them */
		if (!out || !freopen("/dev/null", "r", stdin) || !freopen("/dev/null", "w", stdout))
			_exit(1);
		setvbuf(out, buf, _IOFBF, sizeof(buf));	/* the server is woken once for a line */
		work(s, d, w, out);
	}
	close(end[1]);
	if (j->pid < 0) {
		close(end[0]);
		free(j);
		return NULL;
	}
	j->fd = end[0];
	j->began = now_ms();
	j->document = d;
	j->version = d ? d->version : 0;
	j->next = s->jobs;
	return s->jobs = j;
}

static void take(struct server *, struct job *, const char *, size_t);

/* What it has said so far. */
static void
job_forget(struct job *j)
{
	free(j->line);
	json_decref(j->uris);
	json_decref(j->findings);
}

/* The analysis, where there can be no process for it: the next key waits. */
static void
analyse_here(struct server *s, struct document *d)
{
	struct job j = { .document = d, .version = d->version };
	char *said = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&said, &n);

	if (!f)
		heap_end();
	analyse(s, d, f);
	if (fclose(f) != 0)
		heap_end();
	take(s, &j, said, n);
	free(said);
	job_forget(&j);
	d->facts_version = d->version;	/* what it has not said will not come */
}

void
jobs_begin(struct server *s)
{
	struct document *d;

	for (d = s->documents; d; d = d->next)
		if (d->dirty) {
			if (!begin(s, d, NULL))
				analyse_here(s, d);
			d->dirty = false;
		}
}

bool
job_of_request(struct server *s, struct waiting *w)
{
	return (w->job = begin(s, NULL, w)) != NULL;
}

/* ---- ending ---- */

void
job_stop(struct server *s, struct job *j)
{
	struct job **p = &s->jobs;

	while (*p != j)
		p = &(*p)->next;
	*p = j->next;
	kill(j->pid, SIGKILL);
	while (waitpid(j->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(j->fd);
	job_forget(j);
	free(j);
}

void
jobs_stop_of(struct server *s, const struct document *d)
{
	struct job *j, *next;

	for (j = s->jobs; j; j = next) {
		next = j->next;
		if (j->document == d)
			job_stop(s, j);
	}
}

/* ---- what they say ---- */

static void
refresh(struct server *s)
{
	if (s->client.refresh_hints)
		server_request(s, "workspace/inlayHint/refresh", json_null());
	if (s->client.refresh_lenses)
		server_request(s, "workspace/codeLens/refresh", json_null());
}

static void
take_facts(struct server *s, struct job *j, const json_t *facts)
{
	struct document *d = j->document;
	bool changed = !json_equal(d->facts, facts);

	json_decref(d->facts);
	d->facts = json_incref((json_t *)facts);
	d->facts_version = j->version;
	if (changed)
		refresh(s);
}

static bool
is_to_keep(const struct job *j, const char *what, struct memory *m)
{
	size_t n = strlen(what);

	if (j->n < n || memcmp(j->line, what, n) != 0)
		return false;
	memory_keep(m, j->document, j->line + n, j->n - n);
	return true;
}

/* A list of findings, which stays text, if any is to come. */
static bool
is_findings(struct server *s, struct job *j)
{
	size_t k = json_object_size(j->findings);

	if (!j->uris || k == json_array_size(j->uris))
		return false;
	json_object_set_new(j->findings, json_string_value(json_array_get(j->uris, k)),
	    json_stringn(j->line, j->n));
	if (k + 1 == json_array_size(j->uris))
		publish_findings(s, j->document, j->findings, j->version);
	return true;
}

static void
take_line(struct server *s, struct job *j)
{
	json_t *said, *part;

	if (j->document && (is_findings(s, j) || is_to_keep(j, KEEP_FINDINGS, &j->document->known_findings) ||
	    is_to_keep(j, KEEP_FACTS, &j->document->known_facts))) {
		j->n = 0;
		return;
	}
	said = json_loadb(j->line, j->n, JSON_ALLOW_NUL, NULL);
	if (j->document && (part = json_object_get(said, "findings"))) {
		j->uris = json_incref(part);
		j->findings = json_object();
	}
	if (j->document && (part = json_object_get(said, "files"))) {
		json_decref(j->document->files);
		j->document->files = json_incref(part);
	}
	if (j->document && (part = json_object_get(said, "facts")))
		take_facts(s, j, part);
	if (!j->document)
		server_job_answer(s, j, said);
	json_decref(said);
	j->n = 0;
}

static void
keep(struct job *j, const char *text, size_t n)
{
	size_t need = j->n + n;
	char *more;

	if (need > j->cap) {
		if (!(more = realloc(j->line, 2 * need)))
			heap_end();
		j->line = more;
		j->cap = 2 * need;
	}
	memcpy(j->line + j->n, text, n);
	j->n = need;
}

/* Takes the lines that end in it. */
static void
take(struct server *s, struct job *j, const char *text, size_t n)
{
	const char *end;
	size_t k;

	for (; n > 0 && (end = memchr(text, '\n', n)); text += k, n -= k) {
		k = (size_t)(end - text) + 1;
		keep(j, text, k - 1);
		take_line(s, j);
	}
	keep(j, text, n);
}

/* It has said all. What an analysis that died did not say will not come. */
static void
finish(struct server *s, struct job *j)
{
	struct document *d = j->document;

	if (d && d->facts_version != j->version) {
		server_log(s, "%s: the analysis of version %lld ended early", d->uri, (long long)j->version);
		json_decref(d->facts);
		d->facts = NULL;
		d->facts_version = j->version;
	}
	if (!d)
		server_job_answer(s, j, NULL);
	job_stop(s, j);
}

bool
job_read(struct server *s, struct job *j)
{
	char buf[65536];
	ssize_t n = read(j->fd, buf, sizeof(buf));

	if (n < 0 && errno == EINTR)
		return true;
	if (n > 0)
		take(s, j, buf, (size_t)n);
	else
		finish(s, j);
	return n > 0;
}
