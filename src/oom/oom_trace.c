/*
 * Each line is looked at once: is it a call ("File a.py, line 9, in f"), a line of code, or the
 * head of another traceback? A traceback belongs to the message at its end, or where none stands
 * there, to the one right ahead of it, as debuggers print it.
 *
 * What a place means is in oom_signs.c. A line of code counts only for the innermost call that is
 * not PyTorch's own, since what stands outside of it merely led there.
 */
#include "oom/oom_trace.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_bar.h"
#include "oom/oom_keep.h"
#include "oom/oom_signs.h"
#include "oom/oom_text.h"

#define NEAR_MESSAGE	24	/* lines from a traceback's end to its message, and on to a better one */
#define MOST_GAP	40	/* lines within a traceback */
#define ANNOUNCED_WITHIN	4	/* from a sentence that says that it follows */
#define MOST_PLACE	256
#define PHASE_WITHIN	3	/* lines from what a program tells that it begins to the traceback */
#define SHORT_NAME	5	/* bytes of "ERROR", which is no exception's */
#define MARK_WITHIN	64	/* bytes, with what collectors of logs put ahead */
#define TRACE_OF_CODE	(TRACE_SCORES | TRACE_ATTENTION | TRACE_LOGITS | TRACE_REDUCES | TRACE_ALL_PAIRS | TRACE_SPLATS | \
    TRACE_TWICE | TRACE_PIECES | TRACE_WHOLE | TRACE_RETAINS | TRACE_READS | TRACE_ARRAY | TRACE_ENTRY | TRACE_REPEATS | TRACE_MAKES | \
    TRACE_SPAWNED)		/* a line of code alone tells them, wherever it stands */
#define TRACE_OF_WORDS	(TRACE_CACHE | TRACE_COMPUTE | TRACE_LAYERS | TRACE_LIMIT | TRACE_LATE | TRACE_HANDLE)	/* the message's own */

/* ---- lines ---- */

static struct piece
until(const char *from, const char *end)
{
	size_t n = from < end ? (size_t)(end - from) : 0;

	return n > MOST_PLACE ? (struct piece){ end - MOST_PLACE, MOST_PLACE } :
	    (struct piece){ from, n };
}

/* The function's name after " in ", up to what its arguments begin with. */
static struct piece
function_at(const char *s, const char *end)
{
	const char *to;

	for (; s < end && *s == '*'; s++)	/* Markdown's, of "__init__" */
		;
	to = s;
	while (to < end && (piece_is_word(*to) || *to == '.' || *to == '<' || *to == '>'))
		to++;
	return (struct piece){ s, (size_t)(to - s) };
}

/* What follows a file's name in a call: returns where its function is looked for, or NULL. A
 * warning has a place, too, "a.py:9: UserWarning", and collectors of logs have their own,
 * "[log.py:9]". */
static const char *
call_rest(struct piece line, const char *s)
{
	const char *end = line.s + line.n;

	if (s < end && (*s == '"' || (end - s >= 3 && memcmp(s, "\xe2\x80\x9d", 3) == 0)))	/* or as word processors have it */
		return piece_find((struct piece){ s, (size_t)(end - s) }, ", line ");
	if (end - s > 2 && s[0] == ']' && s[1] == '(')		/* "[/src/a.py](https://localhost:8080/#) in f(x)", as Colab has it */
		for (; s < end && *s != ' '; s++)
			;
	if (s < end && *s == ':')
		for (s++; s < end && *s >= '0' && *s <= '9'; s++)
			;
	if (end - s >= 5 && (memcmp(s, " in ", 4) == 0 || memcmp(s, ", in ", 5) == 0))
		return s;
	return NULL;
}

/* A call: its file and its function. "a.py", line 9, in f"; "a.py:9, in f(x)"; "a.py in f(x)";
 * "[a.py](link) in f(x)". */
static bool
is_call(struct piece line, struct piece *path, struct piece *function)
{
	const char *py = line.s, *end = line.s + line.n, *s = NULL, *in;

	while (!s && (py = piece_find((struct piece){ py, (size_t)(end - py) }, ".py")))
		s = call_rest(line, py += 3);
	if (!s)
		return false;
	*path = until(line.s, py);
	in = piece_find((struct piece){ s, (size_t)(end - s) }, " in ");
	*function = in ? function_at(in + 4, end) : (struct piece){ end, 0 };
	return true;
}

/* The mark that a notebook ("----> 3 f(x)") or rich sets at the line of code that ran. */
static bool
is_marked(struct piece line)
{
	const char *at, *s, *end = line.s + line.n;

	if (piece_find(line, "\xe2\x9d\xb1"))
		return true;
	at = piece_find(line, "-> ");
	for (s = line.s; at && s < at && at[-1] != '-'; s++)
		if (piece_is_word(*s))
			return false;		/* "OOM 1.0 -> 1.1" */
	return at && at - line.s <= MARK_WITHIN && at + 3 < end && at[3] >= '0' && at[3] <= '9' &&
	    (at == line.s || at[-1] == '-' || at[-1] == ' ');
}

/* "np.zeros((self.size, self.envs, *shape), dtype=...)": what stands between the inner
 * parentheses. */
static void
note_extents(struct oom_trace *t, struct piece line)
{
	static const char *const makes[] = { "zeros((", "empty((", "ones((", NULL };
	const char *at = NULL, *from, *end = line.s + line.n;
	int depth = 1, i;

	t->extents[0] = '\0';
	for (i = 0; makes[i] && !at; i++)
		if ((at = piece_find(line, makes[i])))
			at += strlen(makes[i]);
	for (from = at; at && at < end && depth > 0; at++)
		depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
	if (!at || depth > 0 || (size_t)(at - from) > sizeof(t->extents))
		return;
	memcpy(t->extents, from, (size_t)(at - from) - 1);
	t->extents[at - from - 1] = '\0';
}

/* "np.zeros([batch_size, height])": of a batch of samples, by the name of its first extent. */
static bool
makes_batch(struct piece line)
{
	static const char *const makes[] = { "zeros(", "empty(", "ones(", "full(", "ndarray(", NULL };
	const char *at = NULL, *end = line.s + line.n, *s;
	int i;

	for (i = 0; makes[i] && !at; i++)
		if ((at = piece_find(line, makes[i])))
			at += strlen(makes[i]);
	if (!at)
		return false;
	if ((s = piece_find((struct piece){ at, (size_t)(end - at) }, "shape=")))
		at = s + strlen("shape=");
	while (at < end && memchr("([ ", *at, 3))
		at++;
	for (s = at; s < end && (piece_is_word(*s) || *s == '.'); s++)
		;
	return piece_any_of((struct piece){ at, (size_t)(s - at) }, "batch_size batchsize batch_sz n_batch num_batch minibatch") || (s - at == 2 && memcmp(at, "bs", 2) == 0);
}

/* "result = iterate("val", args, val_loader)": the function that is given samples of tests, and no
 * others; a line that trains by its words gives them for later. */
static void
note_tests(struct oom_trace *t, struct piece line)
{
	const char *at = NULL, *open = memchr(line.s, '(', line.n), *from = open, *end = line.s + line.n;
	int loaders = 0;

	t->tests[0] = '\0';
	for (at = line.s; (at = piece_find((struct piece){ at, (size_t)(end - at) }, "loader")); at++)
		loaders++;
	if (!open || loaders != 1 || piece_any_of(line, "train fit( for enumerate tqdm") || !piece_any_of(line, "val_loader valid_loader validation_loader test_loader eval_loader val_dataloader valid_dataloader test_dataloader eval_dataloader"))
		return;
	while (from > line.s && piece_is_word(from[-1]))
		from--;
	if (from < open && (size_t)(open - from) < sizeof(t->tests)) {
		memcpy(t->tests, from, (size_t)(open - from));
		t->tests[open - from] = '\0';
	}
}

static void
note_code(struct oom_trace *t, struct piece line)
{
	uint64_t facts = signs_of_code(line, t->attention);

	if ((facts & TRACE_MAKES) && makes_batch(line))
		facts &= ~TRACE_MAKES;
	t->facts |= signs_of_calls_made(line);
	if (piece_find(line, "self.module(*inputs[0]"))	/* DataParallel of one device */
		t->facts &= ~TRACE_PARALLEL;
	if (piece_find((struct piece){ line.s, line.n }, "exp_avg") && (facts & TRACE_STATE))
		t->facts |= TRACE_STEP | TRACE_STATE;	/* also where an optimizer makes it as it is set up */
	else if (t->facts & TRACE_STEP)
		t->facts |= facts & TRACE_STATE;
	if (t->library || (t->turned && t->settled))
		return;
	note_tests(t, line);
	note_extents(t, line);
	t->code = t->here & TRACE_EVALUATES ? facts : facts & ~TRACE_JOIN;
	t->settled = true;
}

/* A path of Windows as others write it: within JSON each of its signs is doubled. */
static struct piece
plain_path(struct piece path, char to[MOST_PLACE])
{
	size_t i, n = 0;

	for (i = 0; i < path.n; i++)
		if (path.s[i] != '\\' || n == 0 || to[n - 1] != '/')
			to[n++] = path.s[i] == '\\' ? '/' : path.s[i];
	return (struct piece){ to, n };
}

/* Is it, by its name, a function that a program begins with, or that makes something: none in which
 * steps are run? */
static bool
sets_up(struct piece function)
{
	return piece_find(function, "<module>") || piece_any_whole(function, "main __init__ __new__ __call__") ||
	    piece_any_begins(function, "build create make init setup set_up get load new prepare");
}

static void
note_call(struct oom_trace *t, struct piece as_written, struct piece function)
{
	char buffer[MOST_PLACE];
	struct piece path = plain_path(as_written, buffer);
	uint64_t facts = signs_of_call(path, function);

	if (t->tests[0] && !t->turned && function.n == strlen(t->tests) && memcmp(function.s, t->tests, function.n) == 0)
		facts |= TRACE_EVALUATES;
	t->tests[0] = '\0';
	if (piece_find(path, "gensim/models/"))
		t->facts &= ~TRACE_DATASET;	/* it learns there, whatever the function that has it learn is called */
	t->library = signs_is_library(path);
	t->tiled |= piece_any_of(function, "decode_tiled tiled_decode encode_tiled tiled_encode tiled_scale");
	if (t->function[0] && signs_trains(function)) {
		t->function[0] = '\0';
		t->facts &= ~TRACE_EVALUATES;
	}
	if ((facts & TRACE_EVALUATES) && !signs_is_installed(path) && !t->function[0] &&
	    function.n < sizeof(t->function)) {
		memcpy(t->function, function.s, function.n);
		t->function[function.n] = '\0';
	}
	t->applied |= piece_find(function, "parallel_apply") != NULL || (facts & TRACE_BACKWARD);
	t->facts |= t->applied ? facts & ~TRACE_SPREAD : facts;	/* layers run by then */
	if (!t->library) {
		t->steps |= !sets_up(function);
		t->constructs = piece_any_whole(function, "__init__") && !signs_is_installed(path) && !t->steps;
		t->here = facts;
		t->attention = piece_any_of(path, "attention attn") || piece_any_of(function, "attention attn attend");
		t->code = t->turned ? t->code : 0;
		t->extents[0] = t->turned ? t->extents[0] : '\0';
	}
	t->expect = function.n ? 1 : 3;
}

/* ---- whose it is ---- */

static uint64_t
told(const struct oom_trace *t)
{
	return (t->facts | t->code) & ~(t->tiled ? TRACE_DECODER : 0);
}

static void
give(const struct oom_trace *t, struct oom_message *o)
{
	o->python = true;
	o->facts &= ~(t->tiled ? TRACE_DECODER : 0);	/* that a message's own words tell of, too */
	if (o->facts & ~TRACE_OF_WORDS)
		return;
	o->facts |= told(t);
	o->traced = true;
	o->constructed = t->constructs && !t->turned;
	o->phase = t->phase && t->phase < t->begun && t->begun - t->phase <= PHASE_WITHIN ? t->phase : 0;
	memcpy(o->function, t->function, sizeof(o->function));
	memcpy(o->extents, t->extents, sizeof(o->extents));
}

/* Does a title's message tell in other words what OWN does, which a traceback follows? Not where
 * it is of another memory, or of another request. */
static bool
tells_same(const struct oom_message *title, const struct oom_message *own)
{
	const struct oom_size *a = &title->size[OOM_ASKED], *b = &own->size[OOM_ASKED];

	return title->titled && own->titled && title->host == own->host && !(a->known && b->known && (a->bytes > b->bytes + b->slack || b->bytes > a->bytes + a->slack));
}

/* Without a message at its end it is of the one ahead of it, unless it ended in something else. */
static void
close_trace(struct oom_trace *t, struct oom_log *log)
{
	bool open = t->begun && t->after && !t->taken && (t->turned || !t->ended);
	const struct oom_message *own = NULL;
	int i;

	for (i = 0; open && i < log->messages.n; i++)
		own = log->messages.v[i].last == t->after ? &log->messages.v[i] : own;
	for (i = 0; own && i < log->messages.n; i++)
		if (log->messages.v[i].last == t->after || tells_same(&log->messages.v[i], own))
			give(t, &log->messages.v[i]);
	*t = (struct oom_trace){ .phase = t->phase };
}

static int
message_before(const struct oom_log *log, int line, bool headed)
{
	int i, last = 0;

	for (i = 0; i < log->messages.n; i++)
		if (log->messages.v[i].last > last && !(headed && log->messages.v[i].logged))
			last = log->messages.v[i].last;
	return last && line - last <= 3 ? last : 0;
}

static void
open_trace(struct oom_trace *t, struct oom_log *log, int line, bool headed)
{
	close_trace(t, log);
	t->begun = t->last = line;
	t->headed = headed;
	t->after = message_before(log, line, headed);
	t->turned = t->after && !headed && !oom_is_title_alone(log, t->after);
}

/* Does the line name an exception, which ends a traceback: "FileNotFoundError: ..."? Something may
 * be put ahead of it. */
static bool
is_exception(struct piece line)
{
	size_t from, to;

	for (from = 0; from < line.n; from = to + 1) {
		for (to = from; to < line.n && (piece_is_word(line.s[to]) || line.s[to] == '.'); to++)
			;
		if (to - from > SHORT_NAME && (to == line.n || line.s[to] == ':') &&
		    piece_any_of((struct piece){ line.s + from, to - from }, "error exception interrupt"))
			return true;
	}
	return false;
}

/* Python sets a call in by two blanks: where its own lines begin. */
static int
margin_of(struct piece line)
{
	const char *at = piece_find(line, "file \"");

	return at && at - line.s >= 2 && at[-1] == ' ' && at[-2] == ' ' ? (int)(at - line.s) - 1 : 0;
}

#define LEAST_OF_NAME	3	/* letters */

/* "RuntimeEr", with which a post was cut: the beginning of an error's name that may be of
 * memory. */
static bool
is_name_cut(struct piece line)
{
	static const char *const names[] = { "runtimeerror", "torch.cuda.outofmemoryerror", "torch.outofmemoryerror", "memoryerror", NULL };
	const char *s = piece_past_blanks(line.s, line.s + line.n), *end = line.s + line.n;
	size_t n, i;

	while (end > s && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	for (i = 0; names[i] && end - s >= LEAST_OF_NAME; i++) {
		for (n = 0; s + n < end && names[i][n] == lower(s[n]); n++)
			;
		if (names[i][0] && s + n == end && names[i][n])
			return true;
	}
	return false;
}

/* Does a line stand at the margin, as neither calls nor code do, and speak of no memory? Then the
 * traceback ended, and in something else. */
static bool
ends_trace(const struct oom_trace *t, struct piece line)
{
	size_t at = (size_t)t->margin - 1;

	if (is_name_cut(line))
		return false;
	return t->margin > 0 && at < line.n && (piece_is_word(line.s[at]) || memchr("[(</*", line.s[at], 5)) &&
	    !piece_find(line, "memory");
}

/* Do people say there, "here is the full trace", that what follows is of what they told? */
static bool
announces(struct piece line)
{
	static const char *const says[] = { "full trace", "full stack", "full log", "full error", "whole trace", "entire trace", "complete trace", "complete error", "stack trace", "stacktrace", "the trace", NULL };
	int i;

	for (i = 0; says[i] && !piece_find(line, says[i]); i++)
		;
	return says[i] && !piece_any_whole(line, "no not without");
}

/* "0: Running validation on dev set": does a program tell that it begins with tests, and no result
 * of theirs? */
static bool
begins_tests(struct piece line)
{
	static const char *const says[] = { "running validation", "running evaluation", "running test", "start validat", "starting validat", "start evaluat", "starting evaluat", "start testing", "starting testing", "begin validat", "begin evaluat",
	    "validating on", "evaluating on", "validating...", "evaluating...", "validating ...", "evaluating ...", "testing...", "testing ...", NULL };
	int i;

	for (i = 0; says[i] && !piece_find(line, says[i]); i++)
		;
	return says[i] && !piece_any_of(line, "loss acc finish done complet took |");
}

void
oom_trace_line(struct oom_trace *t, struct oom_log *log, const char *s, size_t n, int line, enum oom_source source)
{
	struct piece text = { s, n }, path, function;

	if (t->begun && line - (t->taken ? t->taken : t->last) > MOST_GAP)
		close_trace(t, log);
	t->ended |= t->begun && ends_trace(t, text) && !is_marked(text) && !is_call(text, &path, &function);
	if (source == SOURCE_PROSE && announces(text))
		log->announced = line;
	if (source == SOURCE_PROSE || source == SOURCE_COMMENT)
		return;			/* "it fails in train.py in forward" is no call */
	oom_bar_note(log, s, n, line);
	if (begins_tests(text))
		t->phase = line;
	if (piece_find(text, "op_name=\""))
		log->attention = piece_any_of(text, "attention attn");
	t->code = t->begun && !t->taken ? signs_once_drawn(t->code, text) : t->code;
	if (piece_find(text, "traceback (most recent call last)")) {
		open_trace(t, log, line, true);
	} else if (is_call(text, &path, &function)) {
		if (!t->begun || t->taken)
			open_trace(t, log, line, false);
		t->turned &= t->begun != line || !piece_find(function, "<module>");	/* the outermost stands first */
		t->last = line;
		t->margin = margin_of(text);
		note_call(t, path, function);
	} else if (t->begun && t->after && !t->turned && is_exception(text) && !piece_find(text, "memory")) {
		*t = (struct oom_trace){ .phase = t->phase };	/* another failure's */
	} else if (t->begun && !t->taken && t->expect == 0 && is_exception(text) && !piece_find(text, "memory")) {
		t->ended = true;
	} else if (t->begun && !t->taken && (t->expect > 0 || is_marked(text))) {
		t->expect -= t->expect > 0;
		t->last = line;
		note_code(t, text);
	} else if (is_marked(text) || signs_is_module_move(text)) {
		open_trace(t, log, line, false);
		note_code(t, text);
	}
}

/* "the batch is 1, but loss.backward() shows CUDA out of memory": words of a sentence ahead of it,
 * and no place. */
static bool
is_prose(struct piece t)
{
	return !piece_find(t, ".py") && !piece_find(t, ", line ") && !is_marked(t) &&
	    piece_any_whole(t, "i my me we you your but");
}

/* "#> Error: ...": output, as R's reprex writes it. */
static bool
is_reprex(const char *s, const char *end)
{
	return end - s > 1 && s[0] == '#' && s[1] == '>';
}

/* Is a message of line LINE a title, or within a sentence: neither an exception's line nor one of a
 * log? */
static bool
is_title(struct piece ahead, int line)
{
	if (piece_any_whole(ahead, "warning warn error info debug critical fatal"))
		return false;
	return is_prose(ahead) || (ahead.n > 0 && *ahead.s == '#' && !is_reprex(ahead.s, ahead.s + ahead.n)) || (line == 1 && !piece_find(ahead, "error:"));
}

/* "    # RuntimeError: ...", "#RuntimeError: ...": of code, where Markdown's titles have neither blanks ahead nor none behind. */
static bool
is_comment(struct piece ahead)
{
	const char *end = ahead.s + ahead.n, *s = piece_past_blanks(ahead.s, end);

	return s < end && *s == '#' && !is_reprex(s, end) && (s > ahead.s || (s + 1 < end && s[1] != ' ' && s[1] != '#'));
}

static bool
is_line_end(char c)
{
	return c == '\n' || c == OOM_BREAK;
}

/* The line of code right above a message, where that is the end of a traceback: inset as Python
 * does it, and nothing above it. Lines of a program stand below one another. */
static struct piece
code_above(struct piece lines)
{
	const char *s = lines.s, *end = s + lines.n, *at, *from;
	struct piece code = { end, 0 };

	for (; s < end; s = at + 1) {
		for (at = s; at < end && !is_line_end(*at); at++)
			;
		if (at == end)
			return code;		/* the message's own */
		from = piece_past_blanks(s, at);
		if (from == at || *from == '\r' || *from == '`' || *from == '^' || *from == '~')
			continue;
		if (code.n > 0)
			return (struct piece){ end, 0 };
		code = (struct piece){ s, (size_t)(at - s) };
		if (!piece_find(code, "    "))
			return (struct piece){ end, 0 };
	}
	return code;
}

#define JOINED	4	/* blanks that stand where a line's end was */

/* The line of code that was joined with the message's own, as a terminal or a form does it:
 * "return self.head(x)      RuntimeError: CUDA ..." */
static struct piece
code_joined(struct piece ahead)
{
	const char *s = piece_past_blanks(ahead.s, ahead.s + ahead.n), *end = ahead.s + ahead.n, *to, *past;

	for (to = s; (to = memchr(to, ')', (size_t)(end - to))); to++) {
		past = piece_past_blanks(to + 1, end);
		if (past - to > JOINED && past < end)
			return memchr(s, '(', (size_t)(to - s)) && (piece_any_begins((struct piece){ s, 7 }, "return") || memchr(s, '=', (size_t)(to - s))) ?
			    (struct piece){ s, (size_t)(to + 1 - s) } : (struct piece){ end, 0 };
	}
	return (struct piece){ end, 0 };
}

/* "MemoryError     Traceback (most recent call last)": a notebook names ahead of a traceback what
 * it ends with. */
static bool
is_head(const struct oom_trace *t, int line)
{
	return t->headed && t->begun == line && t->last == line && !t->taken;
}

void
oom_trace_message(struct oom_trace *t, struct oom_message *o, const char *s, size_t n, enum oom_source source)
{
	struct piece code = { s, n }, ahead;
	size_t own = n;

	while (own > 0 && !is_line_end(s[own - 1]))
		own--;
	ahead = (struct piece){ s + own, n - own };
	o->titled = source == SOURCE_PROSE || is_title(ahead, o->line);
	o->commented = is_comment(ahead);
	o->logged = piece_any_whole(ahead, "warning warn info debug");

	if (t->taken && piece_find(ahead, "tensorflow/"))
		return;		/* a log's line is no error that such a traceback ends with */
	if (o->titled && t->ended)
		return;		/* a sentence behind another error is of something else */
	if (is_head(t, o->line)) {
		t->after = o->line;
		o->python = o->raised = true;
		return;
	}
	if (t->begun && o->line - (t->taken ? t->taken : t->last) <= NEAR_MESSAGE) {
		give(t, o);
		o->raised = !t->taken && !t->turned;
		t->taken = t->taken ? t->taken : o->line;
		return;
	}
	o->python = piece_find(code, "runtimeerror") != NULL;
	if (is_prose(code))
		return;		/* what it names is no place */
	o->facts |= signs_of_calls_made(code) & (piece_find(code, "executing") ? TRACE_GATHERS | TRACE_DECODER : TRACE_GATHERS);
	code = code_above(code);
	if (code.n == 0)
		code = code_joined(ahead);
	o->facts |= (signs_of_code(code, false) | signs_of_calls_made(code)) &
	    (piece_find(code, "return t.to(") ? TRACE_OF_CODE | TRACE_LOADING : TRACE_OF_CODE);	/* PyTorch's own, or anyone's */
}

/* A traceback with which the log ends, cut ahead of its own end, is of what stands ahead of it, if
 * that is in titles or sentences alone, or these say so. What they tell without a message has it,
 * too. */
void
oom_trace_end(struct oom_trace *t, struct oom_log *log)
{
	bool told = t->begun && !t->after && !t->taken && !t->ended, announced = t->begun && log->announced && t->begun - log->announced <= ANNOUNCED_WITHIN;
	int i;

	for (i = 0; told && i < log->messages.n; i++)
		told = (log->messages.v[i].titled || (announced && !log->messages.v[i].traced) || (log->messages.v[i].last == 1 && (log->messages.v[i].python || (log->messages.v[i].alone && !log->messages.v[i].size[OOM_ASKED].known)))) && log->messages.v[i].last < t->begun;	/* a title may be the error's line */
	for (i = 0; told && i < log->messages.n; i++)
		give(t, &log->messages.v[i]);
	if (told && log->messages.n == 0) {
		give(t, &log->cut);
		log->cut.line = t->begun;
	}
	close_trace(t, log);
}
