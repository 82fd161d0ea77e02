/* Messages in, answers out; and when to do what. */
#include "lsp/server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lsp/heap.h"
#include "lsp/job.h"
#include "lsp/method.h"
#include "lsp/models.h"

#define MOST_POLLED	64

/* ---- sending ---- */

void
server_log(struct server *s, const char *fmt, ...)
{
	va_list ap;

	if (!s->log)
		return;
	va_start(ap, fmt);
	vfprintf(s->log, fmt, ap);
	va_end(ap);
	putc('\n', s->log);
	fflush(s->log);
}

static void
send_text(struct server *s, const char *text, size_t n)
{
	if (s->output_failed)
		return;
	server_log(s, "<- %s", text);
	if (!wire_write(s->out, text, n))
		s->output_failed = s->ended = true;
}

static void
send_message(struct server *s, json_t *message)
{
	char *text = NULL;

	if (message) {
		json_object_set_new(message, "jsonrpc", json_string("2.0"));
		text = json_dumps(message, JSON_COMPACT);
	}
	json_decref(message);
	if (text)
		send_text(s, text, strlen(text));
	free(text);
}

void
server_notify(struct server *s, const char *method, json_t *params)
{
	send_message(s, json_pack("{s:s, s:o}", "method", method, "params", params));
}

void
server_notify_text(struct server *s, const char *method, json_t *params, const char *key, const char *value)
{
	json_t *message = json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params);
	char *head = json_dumps(message, JSON_COMPACT), *text;
	size_t room;

	json_decref(message);
	if (!head)
		return;
	room = strlen(head) + strlen(key) + strlen(value) + 8;
	text = heap_get(room);
	/* before the brackets that close params and message, which are written last */
	room = (size_t)snprintf(text, room, "%.*s,\"%s\":%s}}", (int)strlen(head) - 2, head, key, value);
	send_text(s, text, room);
	free(text);
	free(head);
}

void
server_request(struct server *s, const char *method, json_t *params)
{
	send_message(s, json_pack("{s:i, s:s, s:o}", "id", ++s->next_id, "method", method, "params", params));
}

static void
send_answer(struct server *s, json_t *id, struct answer a)
{
	json_t *message = json_pack("{s:O}", "id", id);

	if (a.code)
		json_object_set_new(message, "error", json_pack("{s:i, s:s}", "code", a.code, "message",
		    a.message ? a.message : "failed"));
	else
		json_object_set_new(message, "result", a.result ? a.result : json_null());
	send_message(s, message);
}

/* ---- requests that wait ---- */

static void
progress(struct server *s, const struct waiting *w, const char *kind, const char *title)
{
	json_t *value = json_pack("{s:s}", "kind", kind), *token = json_object_get(w->params, "workDoneToken");

	if (title)
		json_object_set_new(value, "title", json_string(title));
	server_notify(s, "$/progress", json_pack("{s:O, s:o}", "token", token, "value", value));
}

/* Takes a request out of those that wait, and answers it. */
static void
settle(struct server *s, struct waiting *w, struct answer a)
{
	struct waiting **p = &s->waiting;

	while (*p != w)
		p = &(*p)->next;
	*p = w->next;
	if (w->reported)
		progress(s, w, "end", NULL);
	if (!a.code && w->method->after)
		w->method->after(s, a.result);
	send_answer(s, w->id, a);
	json_decref(w->id);
	json_decref(w->params);
	free(w);
}

static struct waiting *
wait_for(struct server *s, const struct lsp_method *m, json_t *id, json_t *params, struct document *d)
{
	struct waiting *w = calloc(1, sizeof(*w)), **end = &s->waiting;

	if (!w)
		return NULL;
	*w = (struct waiting){ .id = json_incref(id), .method = m, .params = json_incref(params),
		.document = d };
	while (*end)
		end = &(*end)->next;
	return *end = w;
}

/* Answers now, in an arena of its own. */
static struct answer
answer_now(struct server *s, const struct lsp_method *m, json_t *params)
{
	struct arena *a = arena_new();
	struct answer answer = answer_error(RPC_INTERNAL_ERROR, "out of memory");
	jmp_buf failed;

	if (!a)
		return answer;
	if (!setjmp(failed)) {
		arena_on_failure(a, &failed);
		answer = m->answer(s, document_of(s, params), params, a);
		if (answer.code) {	/* what the arena holds is gone before it is sent */
			static char message[512];

			snprintf(message, sizeof(message), "%s", answer.message ? answer.message : "failed");
			answer.message = message;
		}
	}
	arena_free(a);
	return answer;
}

static void
cancel(struct server *s, struct waiting *w, const char *why)
{
	if (w->job)
		job_stop(s, w->job);
	settle(s, w, answer_error(LSP_CANCELLED, why));
}

static void
cancel_request(struct server *s, const json_t *id)
{
	struct waiting *w;

	for (w = s->waiting; w; w = w->next)
		if (json_equal(w->id, id))
			return cancel(s, w, "cancelled");
}

void
requests_stop(struct server *s)
{
	while (s->waiting)
		cancel(s, s->waiting, "the server is shut down");
}

void
requests_drop(struct server *s, const struct document *d)
{
	struct waiting *w, *next;

	for (w = s->waiting; w; w = next) {
		next = w->next;
		if (w->document == d)
			settle(s, w, answer_error(LSP_CONTENT_MODIFIED, "the document was closed"));
	}
}

static bool
facts_are_there(const struct document *d)
{
	return !d->dirty && d->facts_version == d->version;
}

/* Answers the first of those whose facts are there; false: there is none. */
static bool
answer_one(struct server *s)
{
	struct waiting *w;

	for (w = s->waiting; w; w = w->next)
		if (w->document && facts_are_there(w->document)) {
			settle(s, w, answer_now(s, w->method, w->params));
			return true;
		}
	return false;
}

/* A job has ended with this answer; NULL: without one. */
void
server_job_answer(struct server *s, struct job *j, const json_t *said)
{
	struct waiting *w;
	const char *message = json_string_value(json_object_get(said, "message"));

	for (w = s->waiting; w && w->job != j; w = w->next)
		;
	if (!w)
		return;
	if (!said)
		settle(s, w, answer_error(RPC_INTERNAL_ERROR, "the process that was to answer has died"));
	else if (json_object_get(said, "code"))
		settle(s, w, answer_error((int)json_integer_value(json_object_get(said, "code")), message));
	else
		settle(s, w, answer_with(json_incref(json_object_get(said, "result"))));
}

void
jobs_report(struct server *s)
{
	struct waiting *w;

	for (w = s->waiting; w; w = w->next)
		if (w->job && !w->reported && json_object_get(w->params, "workDoneToken") &&
		    now_ms() - w->job->began >= 500) {
			w->reported = true;
			progress(s, w, "begin", "planning");
		}
}

int
jobs_timeout(const struct server *s)
{
	const struct waiting *w;

	for (w = s->waiting; w; w = w->next)
		if (w->job && !w->reported && json_object_get(w->params, "workDoneToken"))
			return 100;
	return -1;
}

/* ---- taking ---- */

static const struct lsp_method *
method_find(const char *name)
{
	int i;

	for (i = 0; i < lsp_method_count; i++)
		if (strcmp(lsp_method_table[i]->name, name) == 0)
			return lsp_method_table[i];
	return NULL;
}

static void
take_request(struct server *s, const char *name, json_t *id, json_t *params)
{
	const struct lsp_method *m = method_find(name);
	struct document *d = document_of(s, params);
	struct waiting *w;

	if (s->state == SERVER_STOPPED)
		return send_answer(s, id, answer_error(RPC_INVALID_REQUEST, "the server was shut down"));
	if (s->state == SERVER_NEW && strcmp(name, "initialize") != 0)
		return send_answer(s, id, answer_error(RPC_NOT_INITIALIZED, "initialize comes first"));
	if (!m || !m->answer)
		return send_answer(s, id, answer_error(RPC_METHOD_NOT_FOUND, "there is no such method here"));
	if (!d && !m->any_document)
		return send_answer(s, id, answer_error(RPC_INVALID_PARAMS, "no open document is named"));
	if (d && document_is_model(d) && !m->any_document && !m->of_models)
		return send_answer(s, id, answer_with(NULL));
	if (m->when == WITH_FACTS && d && !facts_are_there(d) && wait_for(s, m, id, params, d))
		return;
	if (m->when == ALONE && (w = wait_for(s, m, id, params, NULL))) {
		if (job_of_request(s, w))
			return;
		return settle(s, w, answer_now(s, m, params));
	}
	send_answer(s, id, answer_now(s, m, params));
}

static void
take_notification(struct server *s, const char *name, json_t *params)
{
	const struct lsp_method *m = method_find(name);

	if (strcmp(name, "exit") == 0)
		s->ended = true;
	else if (strcmp(name, "$/cancelRequest") == 0)
		cancel_request(s, json_object_get(params, "id"));
	else if (m && m->notice && s->state == SERVER_READY)
		m->notice(s, params);
}

static bool
is_id(const json_t *id)
{
	return json_is_string(id) || json_is_integer(id);
}

static void
take(struct server *s, json_t *message)
{
	const char *name = json_string_value(json_object_get(message, "method"));
	json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
	json_t *none = json_object();

	if (!params)
		params = none;
	if (!json_is_object(message) || (!name && !json_object_get(message, "result") &&
	    !json_object_get(message, "error")))
		send_answer(s, is_id(id) ? id : json_null(), answer_error(RPC_INVALID_REQUEST,
		    "that is no request"));
	else if (name && id && !is_id(id))
		send_answer(s, json_null(), answer_error(RPC_INVALID_REQUEST, "the id is no id"));
	else if (name && !json_is_object(params) && !json_is_null(params) && id)
		send_answer(s, id, answer_error(RPC_INVALID_PARAMS, "the parameters are no object"));
	else if (name && id)
		take_request(s, name, id, params);
	else if (name)
		take_notification(s, name, params);
	/* else it answers a request of ours, which none needs */
	json_decref(none);
}

void
server_message(struct server *s, const char *body, size_t n)
{
	json_error_t error;
	json_t *message = json_loadb(body, n, JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);

	s->compared = (struct compared){ NULL, NULL };
	if (s->log)
		server_log(s, "-> %.*s", (int)(n < 100000 ? n : 100000), body);
	if (!message) {
		send_answer(s, json_null(), answer_error(RPC_PARSE_ERROR, error.text));
		return;
	}
	take(s, message);
	json_decref(message);
}

/* ---- the loop ---- */

/* Reads what is there. */
static void
read_input(struct server *s)
{
	char buf[65536];
	ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));

	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		s->ended = true;
	else if (n > 0 && !wire_feed(&s->in, buf, (size_t)n))
		heap_end();
}

static void
take_messages(struct server *s)
{
	const char *body, *why;
	size_t n;

	while (!s->ended)
		switch (wire_next(&s->in, &body, &n, &why)) {
		case WIRE_MESSAGE:
			server_message(s, body, n);
			break;
		case WIRE_MORE:
			return;
		case WIRE_BROKEN:
			server_log(s, "the input cannot be followed: %s", why);
			send_answer(s, json_null(), answer_error(RPC_PARSE_ERROR, why));
			s->ended = s->output_failed = true;
			return;
		}
}

static bool
input_waits(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&in, 1, 0) > 0;
}

/* The editor is gone, and has not said so. */
static bool
is_orphan(const struct server *s)
{
	return s->parent > 0 && kill(s->parent, 0) != 0 && errno == ESRCH;
}

/* Waits for input, or for a job to say something. */
static void
wait_for_something(struct server *s)
{
	struct pollfd fd[MOST_POLLED] = { { .fd = STDIN_FILENO, .events = POLLIN } };
	struct job *job[MOST_POLLED], *j;
	int n = 1, i, timeout = jobs_timeout(s);

	for (j = s->jobs; j && n < MOST_POLLED; j = j->next) {
		job[n] = j;
		fd[n++] = (struct pollfd){ .fd = j->fd, .events = POLLIN };
	}
	if (timeout < 0)
		timeout = s->parent > 0 ? 5000 : -1;
	if (poll(fd, (nfds_t)n, timeout) == 0)
		s->ended |= is_orphan(s);
	if (fd[0].revents)
		read_input(s);
	for (i = 1; i < n; i++)
		if (fd[i].revents)
			job_read(s, job[i]);
}

void
server_rest(struct server *s)
{
	jobs_begin(s);
	while (answer_one(s))
		;
	jobs_report(s);
}

int
server_run(struct server *s)
{
	while (!s->ended) {
		wait_for_something(s);
		take_messages(s);
		if (!s->ended && !input_waits())	/* else more keys were hit: what they make is what counts */
			server_rest(s);
	}
	return s->state == SERVER_STOPPED && !s->output_failed ? 0 : 1;
}

void
server_free(struct server *s)
{
	while (s->jobs)
		job_stop(s, s->jobs);
	while (s->waiting) {
		struct waiting *w = s->waiting;

		s->waiting = w->next;
		json_decref(w->id);
		json_decref(w->params);
		free(w);
	}
	while (s->documents)
		document_close(s, s->documents);
	json_decref(s->published);
	wire_free(&s->in);
}
