/*
 * A fuzzer of the language server; see fuzz.h.
 *
 * Takes specs and edits them as fuzz_spec does, opens each as a document and changes it at random,
 * asks for all that the server offers at random places, closes and opens it again; now and then
 * half of a message is broken or missing. All of it in one process, through the bytes of the wire,
 * which come in random pieces.
 *
 * What the server answers is read: each message must be whole and JSON, and each request of ours be
 * answered once. Its text must be that of a copy.
 */
#include <stdlib.h>

#include "lsp/method.h"

#include "fuzz.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
#define SLOW		30.0		/* seconds of processor time that one session may take */
#else
#define SLOW		5.0
#endif
#define LONGEST_CHECKED	3000		/* bytes of texts that are planned: others only show places */

static const char *const words[] = {
	"(", ")", "[", "]", "{", "}", ",", ":", "=", "->", "+", "-", "*", "#", "\n", " ", "\"", "\r\n", "\r",
	"\xc3\xa9", "\xe4\xb8\xad", "\xf0\x9f\x98\x80", "\xe2\x80\xa8", "use \"blocks.nn\"\n", "use \"", "param p = 1\n", "block b(",
	"block b(x=1) { out = in -> dense(x) }\n", "network n {\n", "train {", "validate {", "device { name \"",
	"lint { ignore \"", "input x : f32[", "target t : class[", "loss mse(", "metric ", "batch ", "optimizer sgd(",
	"data csv(\"", "if ", " then ", " else ", " -> relu", " -> dense(", " -> conv(8, 3, pad=", " -> b(", "x.y", "l: ", "99999999999",
	"# stowage: allow(oom) x\n", "memory 1MiB\n", "in", "index", "\t", "\x01", "0", "1/0",
};

struct session {
	struct server server;
	char *copy;		/* of the text; NULL: it is not open */
	size_t n;
	const char *uri;
	int asked, version;
	bool sound;		/* nothing of it is broken: the copy counts */
};

/* ---- messages ---- */

static void
send_bytes(struct session *s, const char *bytes, size_t n)
{
	const char *body, *why;
	size_t fed = 0, length;

	while (fed < n && !s->server.ended) {
		size_t piece = 1 + fuzz_below(fuzz_below(4) ? n - fed : 9);

		if (piece > n - fed)
			piece = n - fed;
		if (!wire_feed(&s->server.in, bytes + fed, piece))
			fuzz_failed("out of memory");
		fed += piece;
		while (!s->server.ended) {
			enum wire_next next = wire_next(&s->server.in, &body, &length, &why);

			if (next == WIRE_BROKEN)
				s->server.ended = true;
			if (next != WIRE_MESSAGE)
				break;
			server_message(&s->server, body, length);
		}
	}
}

static void
send(struct session *s, json_t *message)
{
	char *text = json_dumps(message, fuzz_below(2) ? JSON_COMPACT : JSON_ENSURE_ASCII), *whole;
	size_t n = text ? strlen(text) : 0, head;

	json_decref(message);
	if (!text || !(whole = malloc(n + 64)))
		fuzz_failed("a message that is none");
	head = (size_t)sprintf(whole, "Content-Length: %zu\r\n\r\n", n);
	memcpy(whole + head, text, n);
	if (!s->sound && fuzz_below(8) == 0)
		whole[head + fuzz_below(n)] = (char)fuzz_below(256);
	send_bytes(s, whole, head + n);
	free(whole);
	free(text);
}

static void
notify(struct session *s, const char *method, json_t *params)
{
	send(s, json_pack("{s:s, s:o}", "method", method, "params", params));
}

static void
ask(struct session *s, const char *method, json_t *params)
{
	send(s, json_pack("{s:i, s:s, s:o}", "id", ++s->asked, "method", method, "params", params));
}

/* ---- documents ---- */

/* Bytes that are no UTF-8 are not sent. */
static json_t *
text_json(const char *text, size_t n)
{
	json_t *j = json_stringn(n ? text : "", n);
	char *plain;
	size_t i;

	if (j)
		return j;
	if (!(plain = malloc(n)))
		fuzz_failed("out of memory");
	for (i = 0; i < n; i++)
		plain[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
	j = json_stringn(plain, n);
	free(plain);
	return j;
}

static void
open_text(struct session *s, const struct sample *t)
{
	json_t *text = text_json(t->text, t->n);

	s->n = json_string_length(text);
	if (!(s->copy = malloc(fuzzer.longest + 1)))
		fuzz_failed("out of memory");
	memcpy(s->copy, json_string_value(text), s->n);
	notify(s, "textDocument/didOpen", json_pack("{s:{s:s, s:s, s:i, s:o}}", "textDocument", "uri", s->uri,
	    "languageId", "stowage", "version", ++s->version, "text", text));
}

static void
close_text(struct session *s)
{
	notify(s, "textDocument/didClose", json_pack("{s:{s:s}}", "textDocument", "uri", s->uri));
	free(s->copy);
	s->copy = NULL;
}

/* The position of a byte of the copy, by the words of the protocol; the byte becomes a character's
 * first, and is not within CR LF. */
static json_t *
position_json_of(const struct session *s, size_t *at)
{
	int line = 0;
	size_t i, units = 0;

	while (*at > 0 && *at < s->n && (((unsigned char)s->copy[*at] & 0xc0) == 0x80 ||
	    (s->copy[*at] == '\n' && s->copy[*at - 1] == '\r')))
		--*at;
	for (i = 0; i < *at; i++) {
		unsigned char c = (unsigned char)s->copy[i];

		if (c == '\n' || (c == '\r' && (i + 1 == s->n || s->copy[i + 1] != '\n'))) {
			line++;
			units = 0;
		} else if (c != '\r' && (c & 0xc0) != 0x80) {
			units += c >= 0xf0 ? 2 : 1;
		}
	}
	return json_pack("{s:i, s:I}", "line", line, "character", (json_int_t)units);
}

static json_t *
wild_position(void)
{
	static const json_int_t wild[] = { -1, 0, 1, 7, 100000, 2147483647, 4294967296, INT64_MAX, INT64_MIN };

	return json_pack("{s:I, s:I}", "line", wild[fuzz_below(COUNT_OF(wild))], "character",
	    wild[fuzz_below(COUNT_OF(wild))]);
}

static json_t *
some_position(const struct session *s)
{
	size_t at = fuzz_below(s->n + 1);

	return fuzz_below(16) ? position_json_of(s, &at) : wild_position();
}

static void
change_text(struct session *s)
{
	const char *w = words[fuzz_below(COUNT_OF(words))];
	size_t beg = fuzz_below(s->n + 1), end = beg + (fuzz_below(3) ? 0 : fuzz_below(20)), n = strlen(w);
	json_t *from, *to;

	if (end > s->n)
		end = s->n;
	from = position_json_of(s, &beg);
	to = position_json_of(s, &end);
	if (s->n - (end - beg) + n > fuzzer.longest) {
		json_decref(from);
		json_decref(to);
		return;
	}
	notify(s, "textDocument/didChange", json_pack("{s:{s:s, s:i}, s:[{s:{s:o, s:o}, s:s}]}", "textDocument", "uri",
	    s->uri, "version", ++s->version, "contentChanges", "range", "start", from, "end", to, "text", w));
	memmove(s->copy + beg + n, s->copy + end, s->n - end);
	memcpy(s->copy + beg, w, n);
	s->n = s->n - (end - beg) + n;
}

/* ---- requests ---- */

/* What any method may ask for is in it. */
static json_t *
params_of(const struct session *s)
{
	static const char *const kinds[] = { "quickfix", "source.fixAll.stowage", "refactor", "source", "", "x" };
	json_t *p = json_pack("{s:{s:s}, s:o, s:{s:o, s:o}, s:[o, o], s:{s:b, s:[]}, s:s, s:s, s:s}", "textDocument",
	    "uri", s->uri, "position", some_position(s), "range", "start", some_position(s), "end", some_position(s),
	    "positions", some_position(s), some_position(s), "context", "includeDeclaration", (int)fuzz_below(2),
	    "diagnostics", "query", words[fuzz_below(COUNT_OF(words))], "newName", fuzz_below(2) ? "other" :
	    words[fuzz_below(COUNT_OF(words))], "ch", "}");

	json_object_set_new(p, "item", json_pack("{s:s, s:i, s:s, s:{s:o, s:o}, s:{s:o, s:o}}", "name", "b", "kind", 5,
	    "uri", s->uri, "range", "start", some_position(s), "end", some_position(s), "selectionRange", "start",
	    some_position(s), "end", some_position(s)));
	json_object_set_new(p, "options", json_pack("{s:i, s:b}", "tabSize", 8, "insertSpaces", 0));
	json_object_set_new(p, "command", json_string("stowage.explain"));	/* the other one writes a file */
	json_object_set_new(p, "arguments", json_pack("[s]", fuzz_below(2) ? "dead-layer" : "x"));
	if (fuzz_below(2))
		json_object_set_new(json_object_get(p, "context"), "only",
		    json_pack("[s]", kinds[fuzz_below(COUNT_OF(kinds))]));
	if (fuzz_below(8) == 0)		/* one of them is missing, or is something else */
		json_object_set_new(p, fuzz_below(2) ? "position" : "range", fuzz_below(2) ? json_null() : json_integer(3));
	return p;
}

static void
some_step(struct session *s)
{
	const struct lsp_method *m = lsp_method_table[fuzz_below((uint64_t)lsp_method_count)];

	if (fuzz_below(4) == 0)
		change_text(s);
	else if (fuzz_below(64) == 0)
		notify(s, "$/cancelRequest", json_pack("{s:i}", "id", s->asked));
	else if (m->answer && strcmp(m->name, "initialize") != 0 && strcmp(m->name, "shutdown") != 0)
		ask(s, m->name, params_of(s));
	else if (fuzz_below(8) == 0)
		notify(s, "workspace/didChangeConfiguration", json_pack("{s:{s:{s:b, s:b}}}", "settings", "stowage",
		    "shapeHints", (int)fuzz_below(2), "lenses", (int)fuzz_below(2)));
	if (s->n <= LONGEST_CHECKED && fuzz_below(24) == 0)
		server_rest(&s->server);
}

/* ---- what the server says ---- */

/* Reads all it has said; the number of answers to requests of ours. */
static int
read_answers(struct session *s, const char *said, size_t n)
{
	struct wire w = { NULL, 0, 0, 0 };
	const char *body, *why;
	char *answered = calloc((size_t)s->asked + 1, 1);
	size_t length;
	int count = 0;

	if (!answered || !wire_feed(&w, said, n))
		fuzz_failed("out of memory");
	while (wire_next(&w, &body, &length, &why) == WIRE_MESSAGE) {
		json_t *m = json_loadb(body, length, JSON_ALLOW_NUL, NULL), *id = json_object_get(m, "id");

		if (!json_is_object(m))
			fuzz_failed("a message that is no object");
		if (!json_object_get(m, "method") && json_is_integer(id)) {
			json_int_t k = json_integer_value(id);

			if (s->sound && (k < 1 || k > s->asked || answered[k]++))
				fuzz_failed("an answer that nobody asked for");
			count++;
		}
		json_decref(m);
	}
	if (w.taken != w.n)
		fuzz_failed("something else than messages");
	free(answered);
	wire_free(&w);
	return count;
}

static void
check_text(struct session *s)
{
	const struct document *d = document_find(&s->server, s->uri);

	if (!d || d->text.n != s->n || memcmp(d->text.text, s->copy, s->n) != 0)
		fuzz_failed("another text");
}

static void
initialize(struct session *s)
{
	json_t *yes = json_pack("{s:b}", "refreshSupport", (int)fuzz_below(2));

	ask(s, "initialize", json_pack("{s:{s:{s:o, s:{s:b}}, s:{s:{s:b}, s:{s:{s:b}}, s:{s:b}}}}", "capabilities",
	    "workspace", "inlayHint", yes, "workspaceEdit", "documentChanges", (int)fuzz_below(2), "textDocument",
	    "definition", "linkSupport", (int)fuzz_below(2), "completion", "completionItem", "snippetSupport",
	    (int)fuzz_below(2), "publishDiagnostics", "relatedInformation", (int)fuzz_below(2)));
}

static long
try(const struct sample *t)
{
	char *said = NULL;
	size_t n = 0;
	struct session s = { .uri = "untitled:f.nn", .sound = fuzz_below(4) > 0 };
	int steps = (int)fuzz_below(40), answers;

	s.server = (struct server){ .out = open_memstream(&said, &n), .published = json_object(), .one_process = true };
	if (!s.server.out)
		fuzz_failed("out of memory");
	initialize(&s);
	open_text(&s, t);
	while (steps-- > 0) {
		some_step(&s);
		if (fuzz_below(40) == 0) {
			close_text(&s);
			open_text(&s, t);
		}
	}
	if (s.sound)
		check_text(&s);
	if (s.n <= LONGEST_CHECKED)
		server_rest(&s.server);
	close_text(&s);
	fflush(s.server.out);
	answers = read_answers(&s, said, n);
	if (s.sound && answers != s.asked)
		fuzz_failed("a request that was not answered");
	server_free(&s.server);
	fclose(s.server.out);
	free(said);
	return answers > 1;
}

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	for (edits = (int)fuzz_below(fuzz_below(4) ? 4 : 30); edits > 0; edits--)
		if (nfrom && fuzz_below(12) == 0)
			fuzz_borrow(t, fuzz_below(t->n + 1), &from[fuzz_below((uint64_t)nfrom)], 400);
		else
			fuzz_edit(t, words, COUNT_OF(words), 12);
}

const struct fuzzer fuzzer = {
	.name = "fuzz_lsp",
	.outcome = "sessions with answers",
	.longest = 1 << 16,
	.slow = SLOW,
	.one_in = 2,
	.mutate = mutate,
	.try = try,
};
