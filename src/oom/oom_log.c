/*
 * A window slides over the log. At each place where a known phrase can begin, the phrases of the
 * table are tried; what a message says beyond its first words is looked for in the bytes after it,
 * up to the next message.
 */
#include "oom/oom_log.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/ascii.h"
#include "oom/oom_around.h"
#include "oom/oom_aside.h"
#include "oom/oom_clause.h"
#include "oom/oom_keep.h"
#include "oom/oom_named.h"
#include "oom/oom_owner.h"
#include "oom/oom_says.h"
#include "oom/oom_tell.h"
#include "oom/oom_text.h"
#include "oom/oom_trace.h"

#define WINDOW		65536
#define AHEAD		4096	/* what must be in the window behind a phrase, or the end is */
#define DETAILS		2000	/* bytes in which a message says more; */
#define FEW		400	/* one in words that anyone may use */
#define WRAPPED		2	/* lines that one may become in a terminal */
#define MOST_PHRASES	768
#define NEAR_LINES	300	/* in which one error follows from another */
#define BEHIND		640	/* what stays in it ahead of the place that is looked at */

struct log_reader {
	struct oom_log *log;
	struct oom_text in;	/* the window */
	struct lexicon *lexicon;
	bool ended;
	int line;		/* of the place that is looked at */
	size_t at;		/* that place */
	int64_t before;		/* bytes of the text ahead of the window */
	struct oom_around around;
	struct oom_trace trace;
	struct oom_owners owners;
	struct oom_sources sources;
	struct oom_aside aside;
	enum oom_source source;	/* of the line of that place, */
	bool titled;		/* and whether it may be a title: the first one, by itself */
	int64_t told;		/* where in the text the last message ends, */
	enum oom_kind told_kind;	/* and its kind */
	const struct phrase *phrase[MOST_PHRASES];
	int first[256], next[MOST_PHRASES];	/* phrases by first byte; -1: no more */
	const struct detail *details[OOM_KINDS];	/* of a kind: the first */
};

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

/* ---- messages ---- */

static bool
is_line_end(char c)
{
	return c == '\n' || c == OOM_BREAK;
}

/* Can the pattern match at S, by its first byte and those beside it? Where one is no letter, the
 * line may break. */
static bool
may_begin(const char *pattern, const char *s, const char *end)
{
	const char *first = oom_pattern_first(pattern);
	char before = s[-1];

	if (*first == '%' || *first == '#')
		return is_digit(*s) && before != '.' && before != ',' && !is_digit(before);
	if (is_letter(*first) && is_letter(first[1]) && s + 1 < end && is_letter(s[1]) && lower(first[1]) != lower(s[1]))
		return false;
	if (*pattern == '~')
		return lower(*first) == lower(*s) && !is_letter(before);
	return *first == *s && !(is_letter(*s) && is_letter(before));
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

/* Where as many lines begin, the last of them that of S. Three have a message's line of code, where
 * no more than the end of a traceback was pasted; Python may underline it. */
static const char *
lines_ahead(const struct log_reader *r, const char *s, int lines)
{
	const char *most = s - r->in.text > TRACE_BEHIND ? s - TRACE_BEHIND : r->in.text;
	int ends = 0;

	while (s > most && (ends += is_line_end(s[-1])) < lines)
		s--;
	return s;
}

/* The text around a phrase from S to AFTER in which words of its program may stand, as far as it is
 * at hand. */
static struct talk
surroundings(const struct log_reader *r, const char *s, const char *after, const char *end)
{
	const char *from = lines_ahead(r, s, OWNER_LINES + 1), *to = after;
	int ends = 0;

	while (to < end && to - after < TRACE_BEHIND && (ends += is_line_end(*to)) <= OWNER_LINES)
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
	near = surroundings(r, s, after, end);
	while (to < near.s + near.n && !is_line_end(*to))
		to++;
	own = talk_part(near, lines_ahead(r, s, 1), to);
	return !oom_is_owned(&r->owners, p->who ? p->who : oom_kind_name(p->kind), near, own, r->line, r->sources.fenced);
}

/* Does P begin a message of memory, whose size is wrong where it is beyond 63 bits? */
static bool
is_of_memory(const struct phrase *p)
{
	return p->role == ROLE_MESSAGE || p->role == ROLE_NAMED || p->role == ROLE_GENERIC;
}

/* The phrase that S begins with; NULL: none. AFTER: where it ends. */
static const struct phrase *
find_phrase(const struct log_reader *r, const char *s, const char *end, struct oom_match *m,
    const char **after)
{
	int i;

	if (is_letter(*s) && is_letter(s[-1]))
		return NULL;	/* within a word, where none begins: nearly always */
	for (i = r->first[(unsigned char)*s]; i >= 0; i = r->next[i]) {
		const struct phrase *p = r->phrase[i];

		if (may_begin(p->pattern, s, end) && (*after = oom_pattern(p->pattern, s, end, m)) && (!m->beyond || is_of_memory(p)) &&
		    (!(p->flags & PHRASE_ALONE) || alone(s, r->in.text)) && !is_of_nobody(r, p, s, *after, end))
			return p;
	}
	return NULL;
}

/* Does another message begin with P? What is vague does not end what is not. */
static bool
ends_message(const struct phrase *p, const struct oom_message *o)
{
	if (!p || ((p->flags & PHRASE_REST) && p->kind == o->kind))
		return false;
	return p->role == ROLE_MESSAGE || (o->kind == OOM_OTHER && p->role <= ROLE_GENERIC);
}

/* Up to STOP, or where another message begins: returned. CUDA's error has its own name in its text,
 * which would begin a message by itself; where an amount is told ahead of it, in words and as a
 * code. */
static const char *
read_details(const struct log_reader *r, struct telling *t, const char *s, const char *stop,
    const char *end)
{
	struct oom_message *o = t->o;
	int nested = o->kind == OOM_CUDA ? 1 + o->size[OOM_ASKED].known : o->kind == OOM_MPS;
	const struct detail *d;
	const struct phrase *p;
	const char *after;
	struct oom_match m;

	for (; s < stop; s++) {
		p = find_phrase(r, s, end, &m, &after);
		if (ends_message(p, o) && nested-- == 0)
			break;
		if (p && p->role == ROLE_SPEAKER && (t->flags & PHRASE_ANYONE)) {
			o->who = p->who;
			t->flags &= ~(unsigned)PHRASE_ANYONE;
		}
		for (d = r->details[o->kind]; d && d->kind == o->kind; d++)
			if (may_begin(d->pattern, s, end) && oom_pattern(d->pattern, s, end, &m) && !m.beyond)
				oom_tell_detail(t, d, &m);
	}
	return s;
}

/* Do the words stand for themselves: does the sentence end, or the exception's name? */
static bool
stands_alone(const char *s, const char *end)
{
	struct oom_match m;

	return oom_pattern("!", s, end, &m) || oom_pattern("\n", s, end, &m) || oom_pattern("Error", s, end, &m) ||
	    oom_pattern("Exception", s, end, &m);
}

/* Where a blank line follows, up to STOP; NULL: none does. */
static const char *
paragraph_end(const char *s, const char *stop)
{
	for (; (s = memchr(s, '\n', (size_t)(stop - s))); s++)
		if (s + 1 < stop && s[1] == '\n')
			return s;
	return NULL;
}

/* How far a message may go on: one that may be of something else, to the end of its line. */
static const char *
details_end(const struct phrase *p, const char *s, const char *end)
{
	bool brief = p->role != ROLE_MESSAGE || (p->kind == OOM_CUDA && !(p->flags & PHRASE_STACK));
	ptrdiff_t most = brief ? FEW : DETAILS;
	const char *stop = end - s > most ? s + most : end, *line;

	if (brief && !(p->flags & PHRASE_ANYONE) && (line = paragraph_end(s, stop)))
		stop = line;
	if (p->role == ROLE_MESSAGE || (p->role == ROLE_NAMED && stands_alone(s, end)))
		return stop;
	line = memchr(s, '\n', (size_t)(stop - s));
	return line ? line : stop;
}

/* ONNX Runtime arranges channels in blocks for processors alone, and names such nodes so. */
static bool
is_of_processor(const struct oom_message *o)
{
	return o->kind == OOM_ONNX && strstr(o->node, "_nchwc");
}

/* Did it happen while an earlier message's error was being handled? */
static bool
follows(const struct log_reader *r)
{
	int at = r->around.handling_line, i;

	for (i = 0; at && r->line - at < NEAR_LINES && i < r->log->messages.n; i++)
		if (r->log->messages.v[i].line < at && at - r->log->messages.v[i].last < NEAR_LINES)
			return true;
	return false;
}

/* Does its line say ahead of it that the memory is CUDA's, and not the machine's that CUDA
 * locks? */
static bool
is_of_cuda(const struct log_reader *r, const char *s)
{
	const char *from = lines_ahead(r, s, 1);
	struct oom_match m;
	bool cuda = false;

	for (; from < s; from++) {
		if (lower(*from) == 'h' && oom_pattern("~host", from, s, &m))
			return false;
		cuda |= lower(*from) == 'c' && oom_pattern("~cuda", from, s, &m);
	}
	return cuda;
}

/* The line of a phrase from S to AFTER, as far as it is at hand. */
static struct talk
line_of(const struct log_reader *r, const char *s, const char *after, const char *end)
{
	const char *from = lines_ahead(r, s, 1), *to = after;

	while (to < end && to - after < TRACE_BEHIND && !is_line_end(*to))
		to++;
	return lexicon_read(r->lexicon, from, (size_t)(to - from));
}

/* "OP_REQUIRES failed at conv_ops.cc:501 : ...": the file of an operation that works on pictures or
 * sequences and makes no scores of pairs. */
static bool
convolves(const struct log_reader *r, const struct phrase *p, const char *s, const char *after, const char *end)
{
	return p->kind == OOM_TENSORFLOW && talk_any_phrase(line_of(r, s, after, end), "failed at conv_|failed at depthwise_conv|"
	    "failed at maxpooling|failed at avgpooling|failed at pooling|failed at cudnn_pool|failed at fused_batch_norm|failed at resize_");
}

/* Does what begins at S repeat, in anyone's words, what a program's message on the same line goes
 * on to say? Terminals break lines. */
static bool
is_told_already(const struct log_reader *r, const struct phrase *p, const struct oom_match *m, const char *s)
{
	return !m->size.known && p->role != ROLE_MESSAGE && r->told_kind == OOM_CUDA && r->before + (s - r->in.text) < r->told && r->log->messages.n > 0 &&
	    r->line - r->log->messages.v[r->log->messages.n - 1].last <= WRAPPED;
}

/* Is what begins at S no more than a name of what happens, in a sentence that denies it or advises,
 * or in code? */
static bool
is_not_reported(const struct log_reader *r, const struct phrase *p, const char *s, const char *after, const char *end)
{
	if (r->log->messages.n > 0 && r->log->messages.v[r->log->messages.n - 1].last == r->line)
		return false;		/* the line has one that is */
	if (p->kind == OOM_KERNEL && (p->flags & PHRASE_HEDGED) && r->source == SOURCE_PROSE &&
	    talk_any_whole(line_of(r, s, after, end), "means meaning indicates usually typically generally"))
		return true;		/* "exit code 137 means that memory ended" */
	if (p->kind == OOM_KERNEL && (p->flags & PHRASE_HEDGED) && r->source == SOURCE_PROSE &&
	    talk_any_phrase(line_of(r, s, after, end), "docker stop|docker kill|kill -9|scancel|i stopped|i killed|we stopped|we killed"))
		return true;		/* "exit code 137 after I ran docker stop": by whom is said */
	if (p->kind == OOM_OTHER && strstr(p->pattern, "esource") && oom_told_is_of_service(surroundings(r, s, after, end)))
		return true;
	return (p->kind == OOM_OTHER || (p->kind == OOM_CUDA && !p->says && !p->host && !p->who)) &&
	    !oom_told_happened(line_of(r, s, after, end), s, (size_t)(after - s));
}

#define RAISED_WITHIN	3	/* lines from the line of code that raises an error to the error */
#define NEAR_WORDS	12	/* lines of a traceback ahead of its error */
#define OF_GPU		"on gpu|on the gpu|gpu memory"

/* What stands behind S on its line. */
static struct talk
words_behind(const struct log_reader *r, const char *s, const char *end)
{
	const char *to = s;

	while (to < end && to - s < TRACE_BEHIND && !is_line_end(*to))
		to++;
	return lexicon_read(r->lexicon, s, (size_t)(to - s));
}

/* "MemoryError: no room on the GPU": Python's own has no words, NumPy's tells of an array; one
 * whose words, or whose traceback, name a device may be of that. */
static bool
is_worded(const struct log_reader *r, const struct phrase *p, const char *s, const char *end)
{
	struct talk words;
	const char *from;

	if (p->kind != OOM_MACHINE || p->says || !strstr(p->pattern, "MemoryError") || end - s < 3 || memcmp(s, ": ", 2) != 0)
		return false;
	words = words_behind(r, s, end);
	if (talk_any_phrase(words, "device memory|" OF_GPU "|on device|on the device"))
		return true;
	from = lines_ahead(r, s, RAISED_WITHIN);	/* a program's own: whose memory that is, it may say */
	if (is_letter(s[2]) && !talk_any_whole(words, "ram host cpu system machine") &&
	    talk_any_phrase(lexicon_read(r->lexicon, from, (size_t)(s - from)), "raise memoryerror("))
		return true;
	words = words_behind(r, s, end);	/* the lexicon keeps no two at a time */
	if (!is_letter(s[2]) || talk_any_of(words, "alloc array bytes memory size"))
		return false;
	from = lines_ahead(r, s, NEAR_WORDS);
	return talk_any_of(lexicon_read(r->lexicon, from, (size_t)(s + words.n - from)), "cuda gpu device vram cupy opencl");
}

static void
message(struct log_reader *r, const struct phrase *p, const struct oom_match *m, const char *begin,
    const char *s, const char *end)
{
	const char *speaker = p->flags & PHRASE_ANYONE ? oom_speaker(&r->around, r->line) : NULL;
	struct oom_message o = { .kind = p->kind, .line = r->line, .last = r->line, .count = 1,
		.host = p->host, .gpu = -1, .hedged = p->flags & PHRASE_HEDGED, .says = p->says,
		.status = p->flags & PHRASE_ASSERTED, .again = p->flags & PHRASE_AGAIN,
		.limited = p->flags & PHRASE_LIMITED, .apart = p->flags & PHRASE_APART, .warning = p->flags & PHRASE_WARNING,
		.facts = p->flags & PHRASE_PIECE ? TRACE_LIMIT : strstr(p->pattern, "ggml_gallocr_reserve") ? TRACE_COMPUTE : 0, .windows = p->flags & PHRASE_WINDOWS, .cpp = p->flags & PHRASE_CPP, .follows = follows(r),
		.who = speaker ? speaker : p->who ? p->who : oom_kind_name(p->kind) };
	struct telling t = { .o = &o, .flags = speaker ? 0 : p->flags };
	const char *told, *code;
	bool within;		/* the text of another: CUDA's name of what that one says */

	if (is_worded(r, p, s, end)) {
		o.kind = talk_any_phrase(words_behind(r, s, end), OF_GPU) ? OOM_CUDA : OOM_OTHER;
		o.host = false;
		o.who = o.kind == OOM_CUDA ? "a GPU" : oom_kind_name(OOM_OTHER);
	}
	if (m->shape.known) {
		o.shape = m->shape;
	} else if (m->beyond) {
		o.apart = o.beyond = true;
		o.says = EXABYTE;
	}
	oom_tell_sizes(&o, p, m);
	if (m->place.known)
		oom_tell_detail(&t, &(struct detail){ .role = DETAIL_PLACE }, m);
	if (p->kind == OOM_ONNX)
		memcpy(o.node, r->around.operation, sizeof(o.node));
	if (p->kind == OOM_CUDA && r->around.gpu_line && r->line - r->around.gpu_line <= 2)
		o.gpu = r->around.gpu;
	r->around.xla |= p->kind == OOM_XLA;
	within = p->kind == OOM_CUDA && r->told_kind == OOM_CUDA &&
	    r->before + (s - r->in.text) < r->told;
	told = o.apart && !o.beyond ? s : read_details(r, &t, s, details_end(p, s, end), end);
	oom_tell_element(&o);
	o.host |= is_of_processor(&o);
	if (is_told_already(r, p, m, s))
		return;
	if (within && !p->who && !p->says && !m->size.known)
		return;
	if (p->role != ROLE_MESSAGE && !o.size[OOM_ASKED].known && !o.shape.known && !m->beyond &&
	    !(p->role == ROLE_NAMED && stands_alone(s, end)))
		return;
	if (!o.size[OOM_ASKED].known && !o.shape.known && is_not_reported(r, p, begin, s, end))
		return;
	r->told = r->before + (told - r->in.text);
	r->told_kind = p->kind;
	o.of_cuda = p->kind == OOM_OTHER && is_of_cuda(r, begin);
	o.convolves = convolves(r, p, begin, s, end);
	code = lines_ahead(r, begin, 3);
	oom_trace_message(&r->trace, &o, code, (size_t)(begin - code), r->source);
	oom_keep(r->log, &o);
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
	case ROLE_EPOCH: case ROLE_EPOCH_COUNT: case ROLE_STEP: case ROLE_EPOCH_STEP: case ROLE_BATCH: case ROLE_MICRO: case ROLE_LENGTH: case ROLE_REPLAY: case ROLE_WEIGHTS:
	case ROLE_TRAINED: case ROLE_FOLD: case ROLE_SEARCH:
		return r->source == SOURCE_PROSE || r->source == SOURCE_COMMENT ||
		    (r->source == SOURCE_UNSURE && (r->sources.marked || r->titled));
	case ROLE_PRINTED: case ROLE_EXPANDS: case ROLE_SERVES: case ROLE_CAPTURE: case ROLE_SPEAKER: case ROLE_TRAINS: case ROLE_EVALUATES:
	case ROLE_PROCESS:
		return r->source == SOURCE_PROSE || r->source == SOURCE_COMMENT;
	default:
		return false;
	}
}

/* A batch that is not of training, by words beside it; "train_batch_size" is. Nor is one that is
 * said to work what failed. */
static bool
is_batch_of_another(const struct log_reader *r, const struct phrase *p, const char *s, const char *after, const char *end)
{
	struct talk line;

	if (p->role != ROLE_BATCH && p->role != ROLE_MICRO)
		return false;
	line = line_of(r, s, after, end);
	if (p->pattern[0] == '-' && (s[-1] != ' ' || !talk_any_phrase(line, ".py |.py\"|.sh ")))
		return true;		/* an option of one letter has another sense elsewhere */
	return oom_named_runs(line, s, (size_t)(after - s)) || (!strstr(p->pattern, "train") &&
	    (r->log->paste.told.of_tests || oom_named_of_tests(line, s, (size_t)(after - s))));
}

/* What begins at S: returns how many bytes it covers, at least 1. */
static size_t
look(struct log_reader *r, const char *s, const char *end)
{
	struct oom_match m;
	const char *after;
	const struct phrase *p = find_phrase(r, s, end, &m, &after);

	if (!p || ((p->flags & PHRASE_REST) && p->kind == r->told_kind &&
	    r->before + (s - r->in.text) < r->told))
		return 1;
	if (p->role <= ROLE_GENERIC)
		message(r, p, &m, s, after, end);
	else if (p->role != ROLE_NOTHING && !is_in_sentence(r, p) && !is_batch_of_another(r, p, s, after, end))
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
	if (log->paste.pixels_line > from)
		log->paste.high = log->paste.wide = -1;
}

/* A line begins at the place that is looked at. */
static void
begin_line(struct log_reader *r)
{
	const char *s = r->in.text + r->at;
	size_t n = 0, most = r->in.n - r->at < TRACE_LINE ? r->in.n - r->at : TRACE_LINE;
	struct talk line;

	while (n < most && !is_line_end(s[n]))
		n++;
	line = lexicon_read(r->lexicon, s, n);
	r->source = oom_source_of(&r->sources, line);
	r->source = oom_aside(&r->aside, line, r->source, r->sources.fenced, oom_is_reported(r->log));
	r->titled = r->line == 1 && n + 1 < r->in.n - r->at && s[n + 1] == '\n';
	if (r->source == SOURCE_PROSE)
		forget_what_works(r->log, line, r->line);
	oom_trace_line(&r->trace, r->log, s, n, r->line, r->source);
	oom_owner_line(&r->owners, line, r->line, r->trace.taken ? 0 : r->trace.begun);
	oom_paste_line(&r->log->paste, line, r->line, r->source, r->trace.begun && !r->trace.taken);
}

static void
scan(struct log_reader *r)
{
	const char *end = r->in.text + r->in.n;
	size_t stop = r->ended ? r->in.n : r->in.n > AHEAD ? r->in.n - AHEAD : 0, n, drop;

	while (r->at < stop) {
		if (is_line_end(r->in.text[r->at - 1]))
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
		scan(&r);
	}
	oom_trace_end(&r.trace, log);
	log->lines = r.line - (r.in.text[r.at - 1] == '\n');
	oom_settle(log);
}
