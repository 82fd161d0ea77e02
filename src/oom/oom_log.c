/*
 * A window slides over the log. At each place where a known phrase can begin, the phrases of the
 * table are tried. What begins a message is told in oom_message.c, from the bytes after it up to
 * the next one; all else stands around messages (oom_around.h).
 */
#include "oom/oom_log_impl.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_form.h"
#include "oom/oom_keep.h"
#include "oom/oom_says.h"
#include "oom/oom_tests.h"

#define WINDOW		65536
#define AHEAD		4096	/* what must be in the window behind a phrase, or the end is */
#define BEHIND		640	/* what stays in it ahead of the place that is looked at */

const char *
oom_kind_name(enum oom_kind kind)
{
	static const char *const name[OOM_KINDS] = {
		[OOM_TENSORFLOW] = "TensorFlow", [OOM_TF_ALLOCATOR] = "TensorFlow's allocator",
		[OOM_PYTORCH] = "PyTorch", [OOM_TORCH_SUMMARY] = "PyTorch's memory summary",
		[OOM_PYTORCH_CPU] = "PyTorch on the processor", [OOM_MPS] = "PyTorch on Metal",
		[OOM_XLA] = "XLA", [OOM_ONNX] = "ONNX Runtime", [OOM_PADDLE] = "PaddlePaddle",
		[OOM_NUMPY] = "NumPy", [OOM_CUPY] = "CuPy", [OOM_CUDA] = "CUDA",
		[OOM_HOST] = "a library on the processor", [OOM_KERNEL] = "Linux",
		[OOM_OURS] = "Stowage's own program", [OOM_MACHINE] = "the machine",
		[OOM_OTHER] = "a program not known here", [OOM_TOLD] = "words",
	};

	return name[kind];
}

/* ---- phrases ---- */

bool
oom_is_line_end(char c)
{
	return c == '\n' || c == OOM_BREAK;
}

bool
oom_may_begin(const char *pattern, const char *s, const char *end)
{
	const char *first = oom_pattern_first(pattern);
	char before = s[-1];

	if (*first == '%' || *first == '#')
		return is_digit(*s) && before != '.' && before != ',' && !is_digit(before);
	if (is_letter(*first) && is_letter(first[1]) && s + 1 < end && is_letter(s[1]) && lower(first[1]) != lower(s[1]))
		return false;
	if (*pattern == '~')
		return lower(*first) == lower(*s) && !is_letter(before);
	return (*first == *s || (lower(*first) == lower(*s) && oom_pattern_is_wording(pattern))) && !(is_letter(*s) && is_letter(before));
}

/* The list in which the phrases that begin with C are. */
static unsigned char
key(char c)
{
	return (unsigned char)(is_digit(c) || c == '%' || c == '#' ? '0' : lower(c));
}

/* Does no sentence stand before S on its line? What collectors and shells put there does not end in
 * a word: "[rank0]: ", "stderr F ", "train-1 | ". */
static bool
alone(const char *s, const char *begin)
{
	const char *word;

	while (s > begin && (s[-1] == ' ' || s[-1] == '\t' || s[-1] == '*'))
		s--;
	for (word = s; word > begin && is_letter(word[-1]); word--)
		;
	return s - word < 2;
}

const char *
oom_lines_ahead(const struct log_reader *r, const char *s, int lines)
{
	const char *most = s - r->in.text > TRACE_BEHIND ? s - TRACE_BEHIND : r->in.text;
	int ends = 0;

	while (s > most && (ends += oom_is_line_end(s[-1])) < lines)
		s--;
	return s;
}

struct talk
oom_line_of(const struct log_reader *r, const char *s, const char *after, const char *end)
{
	const char *from = oom_lines_ahead(r, s, 1), *to = after;

	while (to < end && to - after < TRACE_BEHIND && !oom_is_line_end(*to))
		to++;
	return lexicon_read(r->lexicon, from, (size_t)(to - from));
}

struct talk
oom_surroundings(const struct log_reader *r, const char *s, const char *after, const char *end)
{
	const char *from = oom_lines_ahead(r, s, OWNER_LINES + 1), *to = after;
	int ends = 0;

	while (to < end && to - after < TRACE_BEHIND && (ends += oom_is_line_end(*to)) <= OWNER_LINES)
		to++;
	return lexicon_read(r->lexicon, from, (size_t)(to - from));
}

/* Is the phrase one that several programs say, and does nothing near it tell that it is of the one
 * it is of? */
static bool
is_of_nobody(const struct log_reader *r, const struct phrase *p, const char *s, const char *after, const char *end)
{
	struct talk near, own;
	const char *to = after;

	if (!(p->flags & PHRASE_OWN))
		return false;
	near = oom_surroundings(r, s, after, end);
	while (to < near.s + near.n && !oom_is_line_end(*to))
		to++;
	own = talk_part(near, oom_lines_ahead(r, s, 1), to);
	return !oom_is_owned(&r->owners, p->who ? p->who : oom_kind_name(p->kind), near, own, r->line, r->sources.fenced);
}

/* Does P begin a message of memory, whose size is wrong where it is beyond 63 bits? */
static bool
is_of_memory(const struct phrase *p)
{
	return p->role == ROLE_MESSAGE || p->role == ROLE_NAMED || p->role == ROLE_GENERIC;
}

const struct phrase *
oom_find_phrase(const struct log_reader *r, const char *s, const char *end, struct oom_match *m,
    const char **after)
{
	int i;

	if (is_letter(*s) && is_letter(s[-1]))
		return NULL;	/* within a word, where none begins: nearly always */
	for (i = r->first[(unsigned char)*s]; i >= 0; i = r->next[i]) {
		const struct phrase *p = r->phrase[i];

		if (oom_may_begin(p->pattern, s, end) && (*after = oom_pattern(p->pattern, s, end, m)) && (!m->beyond || is_of_memory(p)) &&
		    (!(p->flags & PHRASE_ALONE) || alone(s, r->in.text)) && !is_of_nobody(r, p, s, *after, end))
			return p;
	}
	return NULL;
}

/* ---- the window ---- */

static void
fill(struct log_reader *r, size_t (*read)(void *, char *, size_t), void *context)
{
	char some[4096];
	size_t n, i;

	while (!r->ended && r->in.n + OOM_TEXT_MOST * sizeof(some) <= WINDOW) {
		n = read(context, some, sizeof(some));
		r->ended = n == 0;
		if (__builtin_add_overflow(r->log->bytes, (int64_t)n, &r->log->bytes))
			r->log->bytes = INT64_MAX;
		for (i = 0; i < n; i++)
			oom_text_take(&r->in, (unsigned char)some[i]);
	}
}

/* Is what P notes a word and a number, or a name, as people write them too, where a sentence has
 * it? */
static bool
is_in_sentence(const struct log_reader *r, const struct phrase *p)
{
	switch (p->role) {
	case ROLE_EPOCH: case ROLE_EPOCH_COUNT: case ROLE_STEP: case ROLE_EPOCH_STEP: case ROLE_BATCH: case ROLE_MICRO: case ROLE_LENGTH: case ROLE_REPLAY: case ROLE_VOCABULARY: case ROLE_MACHINE: case ROLE_MACHINE_KIB: case ROLE_WEIGHTS:
	case ROLE_TRAINED: case ROLE_FOLD: case ROLE_SEARCH:
		return r->source == SOURCE_PROSE || r->source == SOURCE_COMMENT ||
		    (r->source == SOURCE_UNSURE && (r->sources.marked || r->titled));
	case ROLE_CAUGHT:
		return r->source == SOURCE_COMMENT || r->source == SOURCE_CODE || ((p->flags & PHRASE_ANYONE) && r->source == SOURCE_PROSE);
	case ROLE_PRINTED: case ROLE_EXPANDS: case ROLE_SERVES: case ROLE_CAPTURE: case ROLE_SPEAKER: case ROLE_TRAINS: case ROLE_EVALUATES:
	case ROLE_PROCESS:
		return r->source == SOURCE_PROSE || r->source == SOURCE_COMMENT;
	default:
		return false;
	}
}

#define LEFT_OUT	"do_train=false|do_train false|do_train=0|do_train 0"

/* A batch that is not of training, by words beside it; "train_batch_size" is. Nor is one that is
 * said to work what failed. */
static bool
is_batch_of_another(const struct log_reader *r, const struct phrase *p, const char *s, const char *after, const char *end)
{
	struct talk line;

	if (p->role != ROLE_BATCH && p->role != ROLE_MICRO)
		return false;
	line = oom_line_of(r, s, after, end);
	if (strstr(p->pattern, "train") && (r->untrained == r->line || talk_any_of(talk_part(line, line.s, s), "data.")))
		return true;		/* of a training that it is told to leave out, or of prompts (verl) */
	if (p->pattern[0] == '-' && (s[-1] != ' ' || !talk_any_phrase(line, ".py |.py\"|.sh ")))
		return true;		/* an option of one letter has another sense elsewhere */
	return oom_tests_run(line, s, (size_t)(after - s)) || (!strstr(p->pattern, "train") &&
	    (r->log->paste.told.of_tests || oom_tests_of(line, s, (size_t)(after - s))));
}

/* "deque(maxlen=1000)": how many entries something has room for, and no sequence's length. */
static bool
is_of_queue(const struct log_reader *r, const char *s, const char *after, const char *end)
{
	return talk_any_phrase(oom_line_of(r, s, after, end), "deque(|queue(");
}

/* "Step 1141810.0 exceeded", "step 0.01": a scheduler's name of what it starts, or a size, and none
 * that is counted. */
static bool
is_of_job(const struct log_reader *r, const char *s, const char *after, const char *end)
{
	return (after + 1 < end && *after == '.' && is_digit(after[1])) || talk_any_phrase(oom_line_of(r, s, after, end), "slurmstepd|srun:|stepid=");
}

/* What begins at S: returns how many bytes it covers, at least 1. */
static size_t
look(struct log_reader *r, const char *s, const char *end)
{
	struct oom_match m;
	const char *after;
	const struct phrase *p = oom_find_phrase(r, s, end, &m, &after);

	if (!p || ((p->flags & PHRASE_REST) && p->kind == r->told_kind &&
	    r->before + (s - r->in.text) < r->told))
		return 1;
	if (p->role <= ROLE_GENERIC)
		oom_message(r, p, &m, s, after, end);
	else if (p->role != ROLE_NOTHING && !(p->role == ROLE_LENGTH && is_of_queue(r, s, after, end)) && !(p->role == ROLE_STEP && is_of_job(r, s, after, end)) && !is_in_sentence(r, p) && !is_batch_of_another(r, p, s, after, end))
		oom_around(&r->around, p, &m, r->line);
	return after > s ? (size_t)(after - s) : 1;
}

#define TRIED_WITHIN	10	/* lines from what was tried to the sentence that says that it works */

/* "python train.py --batch 2", below the message, and behind it "That worked": no batch of the run
 * that failed. */
static void
forget_what_works(struct oom_log *log, struct talk line, int at)
{
	int from = log->messages.n > 0 ? log->messages.v[log->messages.n - 1].last : at;

	if (!clause_works(line) && !talk_any_whole(line, "solved fixed resolved"))
		return;
	from = from > at - TRIED_WITHIN ? from : at - TRIED_WITHIN;
	log->batch = log->batch_line > from ? -1 : log->batch;
	log->length = log->length_line > from ? -1 : log->length;
	if (log->paste.habits.of[HABIT_HEAP].line > from)
		log->paste.habits.of[HABIT_HEAP] = (struct oom_habit){ 0 };
	if (log->paste.pixels_line > from)
		log->paste.high = log->paste.wide = -1;
}

#define MAP_MIN		80	/* signs, where TensorFlow's allocator, and JAX's, draws a hundred */
#define MAP_FREE	97	/* percent of them */

/* "...bfc_allocator.cc:468] ____*___": what of it is in use, as its allocator draws it. */
static void
note_map(struct oom_log *log, const char *s, size_t n, int line)
{
	const char *end = s + n, *from;
	int free = 0;

	while (end > s && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	for (from = end; from > s && memchr("_*x+", from[-1], 4); from--)
		free += from[-1] == '_';
	if (end - from >= MAP_MIN && from - s > 2 && from[-1] == ' ' && from[-2] == ']')
		log->empty_map = free * 100 >= MAP_FREE * (end - from) ? line : 0;
}

/* A line begins at the place that is looked at. */
static void
begin_line(struct log_reader *r)
{
	const char *s = r->in.text + r->at;
	size_t n = 0, most = r->in.n - r->at < TRACE_LINE ? r->in.n - r->at : TRACE_LINE;
	struct talk line;
	bool traced, cell;

	while (n < most && !oom_is_line_end(s[n]))
		n++;
	note_map(r->log, s, n, r->line);
	line = memchr(s, '*', n) ? lexicon_read(r->lexicon, r->plain, form_plain(r->plain, s, n)) : lexicon_read(r->lexicon, s, n);
	r->source = oom_source_of(&r->sources, line);
	r->source = oom_aside(&r->aside, line, r->source, r->sources.fenced, oom_is_reported(r->log));
	r->untrained = talk_any_phrase(line, LEFT_OUT) ? r->line : r->untrained;
	r->titled = r->line == 1 && n + 1 < r->in.n - r->at && s[n + 1] == '\n';
	if (r->source == SOURCE_PROSE)
		forget_what_works(r->log, line, r->line);
	oom_trace_line(&r->trace, r->log, s, n, r->line, r->source);
	traced = r->trace.begun && !r->trace.taken;
	cell = traced && r->trace.after == r->trace.begun;	/* whose error is named above it: its lines are code as well */
	oom_owner_line(&r->owners, line, r->line, r->trace.taken ? 0 : r->trace.begun);
	oom_decided_line(&r->log->paste.decided, line, r->line, r->source);
	oom_figures_line(&r->log->paste.figures, line, r->line, r->source);
	oom_paste_line(&r->log->paste, line, r->line, r->source, traced && !cell);
	if (cell && r->source == SOURCE_TRACE)
		oom_habit_traced(&r->log->paste.habits, line, r->line);
}

static void
scan(struct log_reader *r)
{
	const char *end = r->in.text + r->in.n;
	size_t stop = r->ended ? r->in.n : r->in.n > AHEAD ? r->in.n - AHEAD : 0, n, drop;

	while (r->at < stop) {
		if (oom_is_line_end(r->in.text[r->at - 1]))
			begin_line(r);
		n = look(r, r->in.text + r->at, end);
		for (; n > 0 && r->at < r->in.n; n--)
			if (r->in.text[r->at++] == '\n' && r->line < INT32_MAX)
				r->line++;
	}
	drop = r->at > BEHIND ? r->at - BEHIND : 0;
	memmove(r->in.text, r->in.text + drop, r->in.n - drop);
	r->in.n -= drop;
	r->at -= drop;
	r->before += (int64_t)drop;
}

/* Phrases by the byte they begin with, in the table's order; details by kind. */
static void
index_tables(struct log_reader *r)
{
	const struct phrase *p;
	const struct detail *d;
	int n = 0, i;

	for (p = oom_serving_phrases; p->pattern && n < MOST_PHRASES; p++)
		r->phrase[n++] = p;
	for (p = oom_phrases; p->pattern && n < MOST_PHRASES; p++)
		r->phrase[n++] = p;
	for (p = oom_machine_phrases; p->pattern && n < MOST_PHRASES; p++)
		r->phrase[n++] = p;
	for (p = oom_lines; p->pattern && n < MOST_PHRASES; p++)
		r->phrase[n++] = p;
	assert(n < MOST_PHRASES);
	memset(r->first, -1, sizeof(r->first));
	for (i = n - 1; i >= 0; i--) {
		int *first = &r->first[key(*oom_pattern_first(r->phrase[i]->pattern))];

		r->next[i] = *first;
		*first = i;
	}
	for (i = 0; i < 256; i++)
		r->first[i] = r->first[key((char)i)];
	for (d = oom_details; d->pattern; d++)
		if (!r->details[d->kind])
			r->details[d->kind] = d;
}

void
oom_log_read(struct oom_log *log, struct arena *a, size_t (*read)(void *, char *, size_t),
    void *context)
{
	struct log_reader r = { .log = log, .line = 1, .around.log = log };

	memset(log, 0, sizeof(*log));
	log->arena = a;
	r.in.text = arena_array(a, WINDOW, 1);
	r.in.text[r.in.n++] = '\n';	/* so that every place has a byte ahead of it */
	r.at = 1;
	index_tables(&r);
	r.lexicon = lexicon_new(a);
	while (!r.ended) {
		fill(&r, read, context);
		if (r.before == 0 && r.at == 1)
			oom_aside_begin(&r.aside, r.in.text + 1, r.in.n - 1);
		scan(&r);
	}
	oom_trace_end(&r.trace, log);
	log->lines = r.line - (r.in.text[r.at - 1] == '\n');
	oom_settle(log);
}
