/*
 * A window slides over the log. At each place where a known phrase can begin, the phrases of the
 * table are tried; what a message says beyond its first words is looked for in the bytes after it,
 * up to the next message.
 */
#include "oom/oom_log.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "oom/oom_keep.h"
#include "oom/oom_phrase.h"
#include "oom/oom_text.h"

#define WINDOW		65536
#define AHEAD		4096	/* what must be in the window behind a phrase, or the end is */
#define DETAILS		2000	/* bytes in which a message says more; */
#define FEW		400	/* one in words that anyone may use */
#define MOST_PHRASES	256
#define STATS_LINES	12	/* that the allocator's statistics have */

struct log_reader {
	struct oom_log *log;
	struct oom_text in;	/* the window */
	bool ended;
	int line;		/* of the place that is looked at */
	char last;		/* the byte before it */
	char operation[OOM_NAME];	/* as ONNX Runtime tells it before the message */
	struct oom_size buffer;	/* as XLA tells it before the shape */
	bool xla;
	int stats_line;		/* where the allocator's statistics began; 0: nowhere */
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
		[OOM_KERNEL] = "Linux", [OOM_OURS] = "Stowage's own program",
		[OOM_MACHINE] = "the machine", [OOM_OTHER] = "a framework not known here",
	};

	return name[kind];
}

/* ---- the dump ---- */

static void
count_chunks(struct oom_log *log, int64_t size, int64_t count)
{
	struct oom_dump *d = &log->dump;
	int64_t bytes;
	int lo = 0, hi = d->classes.n, mid;

	if (size <= 0 || count <= 0 || __builtin_mul_overflow(size, count, &bytes) ||
	    __builtin_add_overflow(d->in_use, bytes, &bytes))
		return;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (d->classes.v[mid].size < size)
			lo = mid + 1;
		else
			hi = mid;
	}
	d->in_use = bytes;
	if (lo < d->classes.n && d->classes.v[lo].size == size) {
		d->classes.v[lo].count += count;
		return;
	}
	if (d->classes.n == OOM_CLASSES) {
		d->uncounted += count;
		return;
	}
	vec_push(log->arena, &d->classes, ((struct oom_chunks){ size, count }));
	memmove(d->classes.v + lo + 1, d->classes.v + lo,
	    (size_t)(d->classes.n - 1 - lo) * sizeof(*d->classes.v));
	d->classes.v[lo] = (struct oom_chunks){ size, count };
}

static void
begin_dump(struct log_reader *r)
{
	struct oom_dump *d = &r->log->dump;

	d->any = d->summed = false;
	d->classes.n = 0;
	d->in_use = d->free = d->largest_free = d->limit = d->said_in_use = d->uncounted = 0;
}

static void
dump_line(struct log_reader *r, enum phrase_role role, const struct oom_match *m)
{
	struct oom_dump *d = &r->log->dump;

	switch (role) {
	case ROLE_BINS:
		begin_dump(r);
		return;
	case ROLE_CLASS:
		if (!d->summed) {	/* the same chunks once more, now by size */
			d->classes.n = 0;
			d->in_use = d->uncounted = 0;
			d->summed = true;
		}
		count_chunks(r->log, m->number[1], m->number[0]);
		break;
	case ROLE_CHUNK:
		if (!d->summed)
			count_chunks(r->log, m->number[0], 1);
		break;
	case ROLE_FREE_CHUNK:
		if (__builtin_add_overflow(d->free, m->number[0], &d->free))
			d->free = INT64_MAX;
		if (m->number[0] > d->largest_free)
			d->largest_free = m->number[0];
		break;
	case ROLE_STATS:
		r->stats_line = r->line;
		return;
	case ROLE_LIMIT:
	case ROLE_IN_USE:
		if (!r->stats_line || r->line - r->stats_line > STATS_LINES)
			return;		/* of something else */
		*(role == ROLE_LIMIT ? &d->limit : &d->said_in_use) = m->number[0];
		break;
	default:
		break;
	}
	if (!d->any)
		d->line = r->line;
	d->any = true;
}

/* ---- messages ---- */

static struct oom_size
exactly(int64_t bytes)
{
	return (struct oom_size){ true, bytes, 0 };
}

static void
add_size(struct oom_size *to, const struct oom_size *more)
{
	to->known = true;
	if (__builtin_add_overflow(to->bytes, more->bytes, &to->bytes))
		to->bytes = INT64_MAX;
	to->slack += more->slack;
}

static void
note_detail(struct oom_message *o, const struct detail *d, const struct oom_match *m)
{
	struct oom_size *size = &o->size[d->role <= DETAIL_SUM ? d->value : 0];

	switch (d->role) {
	case DETAIL_SIZE:
		if (m->size.known && !size->known)
			*size = m->size;
		else if (m->numbers)
			*size = exactly(m->number[0]);	/* of bytes: more exact than before */
		break;
	case DETAIL_MORE:
		if (!size->known)
			*size = m->second.bytes > m->size.bytes ? m->second : m->size;
		break;
	case DETAIL_SUM:
		add_size(size, &m->size);
		break;
	case DETAIL_SHAPE:
		if (!o->shape.known)
			o->shape = m->shape;
		break;
	case DETAIL_NODE:
		if (!o->node[0])
			memcpy(o->node, m->name, sizeof(o->node));
		break;
	case DETAIL_ELEMENT:
		if (!o->element)
			o->element = d->value;
		break;
	case DETAIL_WARNING:
		o->warning = true;
		break;
	case DETAIL_HOST:
		o->host = true;
		break;
	}
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return lower(c) >= 'a' && lower(c) <= 'z';
}

/* Can the pattern match at S, by its first byte, BEFORE being the byte ahead of it? */
static bool
may_begin(const char *pattern, const char *s, char before)
{
	if (*pattern == '~')
		return lower(pattern[1]) == lower(*s) && !is_letter(before);
	if (*pattern == '%' || *pattern == '#')
		return is_digit(*s) && before != '.' && before != ',' && !is_digit(before);
	return *pattern == *s && !(is_letter(*s) && is_letter(before));
}

/* The list in which the phrases that begin with C are. */
static unsigned char
key(char c)
{
	return (unsigned char)(is_digit(c) || c == '%' || c == '#' ? '0' : lower(c));
}

/* The phrase that S begins with; NULL: none. AFTER: where it ends. */
static const struct phrase *
find_phrase(const struct log_reader *r, const char *s, const char *end, char before,
    struct oom_match *m, const char **after)
{
	int i;

	for (i = r->first[(unsigned char)*s]; i >= 0; i = r->next[i])
		if (may_begin(oom_phrases[i].pattern, s, before) &&
		    (*after = oom_pattern(oom_phrases[i].pattern, s, end, m)))
			return &oom_phrases[i];
	return NULL;
}

/* Does another message begin there? What is vague does not end what is not. */
static bool
begins_message(const struct log_reader *r, const struct oom_message *o, const char *s, const char *end,
    char before)
{
	struct oom_match m;
	const char *after;
	const struct phrase *p = find_phrase(r, s, end, before, &m, &after);

	return p && (p->role == ROLE_MESSAGE || (o->kind == OOM_OTHER && p->role <= ROLE_GENERIC));
}

/* Up to STOP. CUDA's error has its own name in its text, which would begin a message by itself. */
static void
read_details(const struct log_reader *r, struct oom_message *o, const char *s, const char *stop,
    const char *end)
{
	int nested = o->kind == OOM_CUDA || o->kind == OOM_MPS ? 1 : 0;
	const struct detail *d;
	struct oom_match m;
	char before = s[-1];

	for (; s < stop; before = *s++) {
		if (begins_message(r, o, s, end, before) && nested-- == 0)
			return;
		for (d = r->details[o->kind]; d && d->kind == o->kind; d++)
			if (may_begin(d->pattern, s, before) && oom_pattern(d->pattern, s, end, &m))
				note_detail(o, d, &m);
	}
}

/* Do the words stand for themselves: does the sentence end, or the exception's name? */
static bool
stands_alone(const char *s, const char *end)
{
	struct oom_match m;

	return oom_pattern("!", s, end, &m) || oom_pattern("Error", s, end, &m) ||
	    oom_pattern("Exception", s, end, &m);
}

/* How far a message may go on: one that may be of something else, to the end of its line. */
static const char *
details_end(const struct phrase *p, const char *s, const char *end)
{
	bool brief = p->role != ROLE_MESSAGE || p->kind == OOM_CUDA;
	ptrdiff_t most = brief ? FEW : DETAILS;
	const char *stop = end - s > most ? s + most : end, *line;

	if (p->role == ROLE_MESSAGE || (p->role == ROLE_NAMED && stands_alone(s, end)))
		return stop;
	line = memchr(s, '\n', (size_t)(stop - s));
	return line ? line : stop;
}

static void
message(struct log_reader *r, const struct phrase *p, const struct oom_match *m, const char *s,
    const char *end)
{
	struct oom_message o = { .kind = p->kind, .line = r->line, .count = 1, .host = p->host,
		.shape = m->shape, .size = { [OOM_ASKED] = m->size }, .says = p->says,
		.who = p->who ? p->who : oom_kind_name(p->kind) };

	if (!o.shape.known)
		memset(&o.shape, 0, sizeof(o.shape));
	if (m->second.known)
		o.size[OOM_FREE] = m->second;
	if (p->kind == OOM_ONNX || p->kind == OOM_PADDLE) {
		if (m->numbers == 2) {
			bool onnx = p->kind == OOM_ONNX;	/* what was free comes first */

			o.size[OOM_FREE] = exactly(m->number[!onnx]);
			o.size[OOM_ASKED] = exactly(m->number[onnx]);
		} else if (p->kind == OOM_ONNX) {
			o.size[OOM_ASKED] = exactly(m->number[0]);
		}
	}
	if (p->kind == OOM_ONNX)
		memcpy(o.node, r->operation, sizeof(o.node));
	/* "2.12G (2282521344 bytes)": rounded or cut off */
	if (m->size.known && m->numbers && m->number[0] >= m->size.bytes - 2 * m->size.slack &&
	    m->number[0] <= m->size.bytes + 2 * m->size.slack)
		o.size[OOM_ASKED] = exactly(m->number[0]);
	r->xla |= p->kind == OOM_XLA;
	read_details(r, &o, s, details_end(p, s, end), end);
	if (p->role == ROLE_MESSAGE || o.size[OOM_ASKED].known || o.shape.known ||
	    (p->role == ROLE_NAMED && stands_alone(s, end)))
		oom_keep(r->log, &o);
}

/* The fullest card of nvidia-smi's table. */
static void
card(struct oom_log *log, const struct oom_match *m)
{
	if (m->second.bytes > 0 && m->size.bytes <= m->second.bytes &&
	    (!log->card.known || m->size.bytes > log->card_used.bytes)) {
		log->card = m->second;
		log->card_used = m->size;
	}
}

static void
found(struct log_reader *r, const struct phrase *p, const struct oom_match *m, const char *s,
    const char *end)
{
	switch (p->role) {
	case ROLE_MESSAGE:
	case ROLE_NAMED:
	case ROLE_GENERIC:
		message(r, p, m, s, end);
		break;
	case ROLE_CARD:
		card(r->log, m);
		break;
	case ROLE_OPERATION:
		memcpy(r->operation, m->name, sizeof(r->operation));
		break;
	case ROLE_BUFFER_SIZE:
		r->buffer = m->size;
		break;
	case ROLE_BUFFER_SHAPE:
		if (r->xla && r->log->alive.n < OOM_ALIVE)
			vec_push(r->log->arena, &r->log->alive,
			    ((struct oom_alive){ r->buffer, m->shape }));
		r->buffer.known = false;
		break;
	default:
		dump_line(r, p->role, m);
	}
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

/* What begins at S: returns how many bytes it covers, at least 1. */
static size_t
look(struct log_reader *r, const char *s, const char *end)
{
	struct oom_match m;
	const char *after;
	const struct phrase *p = find_phrase(r, s, end, r->last, &m, &after);

	if (!p)
		return 1;
	found(r, p, &m, after, end);
	return after > s ? (size_t)(after - s) : 1;
}

static void
scan(struct log_reader *r)
{
	const char *end = r->in.text + r->in.n;
	size_t stop = r->ended ? r->in.n : r->in.n > AHEAD ? r->in.n - AHEAD : 0, at = 0, n;

	while (at < stop) {
		n = look(r, r->in.text + at, end);
		for (; n > 0 && at < r->in.n; n--) {
			r->last = r->in.text[at++];
			if (r->last == '\n' && r->line < INT32_MAX)
				r->line++;
		}
	}
	memmove(r->in.text, r->in.text + at, r->in.n - at);
	r->in.n -= at;
}

/* Phrases by the byte they begin with, in the table's order; details by kind. */
static void
index_tables(struct log_reader *r)
{
	const struct detail *d;
	int n, i;

	for (n = 0; oom_phrases[n].pattern; n++)
		;
	assert(n <= MOST_PHRASES);
	memset(r->first, -1, sizeof(r->first));
	for (i = n - 1; i >= 0; i--) {
		const char *p = oom_phrases[i].pattern;
		int *first = &r->first[key(*p == '~' ? p[1] : *p)];

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
	struct log_reader r = { .log = log, .line = 1, .last = '\n' };
	int i;

	memset(log, 0, sizeof(*log));
	log->arena = a;
	r.in.text = arena_array(a, WINDOW, 1);
	index_tables(&r);
	while (!r.ended) {
		fill(&r, read, context);
		scan(&r);
	}
	log->lines = r.line - (r.last == '\n');
	for (i = 0; i < log->messages.n && oom_is_vague(&log->messages.v[i]); i++)
		;
	if (i < log->messages.n)
		oom_forget_vague(log, true);
	if (log->dump.any && log->dump.classes.n == 0 && !log->dump.limit)
		log->dump.any = false;
}
