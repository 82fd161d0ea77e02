/*
 * A window slides over the log. At each place where a known phrase can begin, the phrases of the
 * table are tried; what a message says beyond its first words is looked for in the bytes after it,
 * up to the next message. Carriage returns, colours and bytes that are no text are dropped on the
 * way into the window, so that no phrase needs to know of them.
 */
#include "model/oom_log.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW		65536
#define AHEAD		4096	/* what must be in the window behind a phrase, or the end is */
#define DETAILS		2000	/* bytes in which a message says more */

enum phrase_role {
	ROLE_MESSAGE, ROLE_CLASS, ROLE_CHUNK, ROLE_FREE_CHUNK, ROLE_LIMIT, ROLE_IN_USE, ROLE_BINS,
	ROLE_OPERATION, ROLE_BUFFER_SIZE, ROLE_BUFFER_SHAPE
};

struct phrase {
	const char *pattern;
	enum phrase_role role;
	enum oom_kind kind;
	bool host;
};

static const struct phrase phrase[] = {
	{ "OOM when allocating tensor with shape$", ROLE_MESSAGE, OOM_TENSORFLOW, false },
	{ "OOM when allocating tensor of shape $", ROLE_MESSAGE, OOM_TENSORFLOW, false },
	{ ") ran out of memory trying to allocate %", ROLE_MESSAGE, OOM_TF_ALLOCATOR, false },
	{ "Ran out of memory trying to allocate %", ROLE_MESSAGE, OOM_TF_ALLOCATOR, false },
	{ "CUDA out of memory. Tried to allocate %", ROLE_MESSAGE, OOM_PYTORCH, false },
	{ "out of memory. Tried to allocate %", ROLE_MESSAGE, OOM_PYTORCH, false },
	{ "MPS backend out of memory", ROLE_MESSAGE, OOM_MPS, false },
	{ "DefaultCPUAllocator: can't allocate memory: you tried to allocate %", ROLE_MESSAGE,
	    OOM_PYTORCH_CPU, true },
	{ "DefaultCPUAllocator: not enough memory: you tried to allocate %", ROLE_MESSAGE,
	    OOM_PYTORCH_CPU, true },
	{ "Out of memory while trying to allocate %", ROLE_MESSAGE, OOM_XLA, false },
	{ "Out of memory trying to allocate %", ROLE_MESSAGE, OOM_XLA, false },
	{ "Out of memory allocating % (allocated so", ROLE_MESSAGE, OOM_CUPY, false },
	{ "Out of memory allocating %", ROLE_MESSAGE, OOM_XLA, false },
	{ "Ran out of memory in memory space", ROLE_MESSAGE, OOM_XLA, false },
	{ "Failed to allocate memory for requested buffer of size #", ROLE_MESSAGE, OOM_ONNX,
	    false },
	{ "Available memory of # is smaller than requested bytes of #", ROLE_MESSAGE, OOM_ONNX,
	    false },
	{ "Out of memory error on GPU # . Cannot allocate %", ROLE_MESSAGE, OOM_PADDLE, false },
	{ "Unable to allocate % for an array with shape $", ROLE_MESSAGE, OOM_NUMPY, true },
	{ "Unable to allocate array with shape $", ROLE_MESSAGE, OOM_NUMPY, true },
	{ "failed to allocate %", ROLE_MESSAGE, OOM_CUDA, false },
	{ "CUDA_ERROR_OUT_OF_MEMORY", ROLE_MESSAGE, OOM_CUDA, false },
	{ "cudaErrorMemoryAllocation", ROLE_MESSAGE, OOM_CUDA, false },
	{ "cuda runtime error (2)", ROLE_MESSAGE, OOM_CUDA, false },
	{ "CUDA error: out of memory", ROLE_MESSAGE, OOM_CUDA, false },
	{ "CUDA out of memory", ROLE_MESSAGE, OOM_CUDA, false },
	{ "CUBLAS_STATUS_ALLOC_FAILED", ROLE_MESSAGE, OOM_CUDA, false },
	{ "CUDNN_STATUS_ALLOC_FAILED", ROLE_MESSAGE, OOM_CUDA, false },
	{ "cudaMalloc failed: out of memory", ROLE_MESSAGE, OOM_CUDA, false },
	{ "cudaMalloc retry failed: out of memory", ROLE_MESSAGE, OOM_CUDA, false },
	{ "Killed process #", ROLE_MESSAGE, OOM_KERNEL, true },
	{ "the plan needs %", ROLE_MESSAGE, OOM_OURS, false },
	{ "the system refuses an arena of %", ROLE_MESSAGE, OOM_OURS, true },
	{ "the device refuses an arena of %", ROLE_MESSAGE, OOM_OURS, false },
	{ "# Chunks of size # totalling", ROLE_CLASS, OOM_KINDS, false },
	{ "Chunk at @ of size #", ROLE_CHUNK, OOM_KINDS, false },
	{ "InUse at @ of size #", ROLE_CHUNK, OOM_KINDS, false },
	{ "Free at @ of size #", ROLE_FREE_CHUNK, OOM_KINDS, false },
	{ "Limit: #", ROLE_LIMIT, OOM_KINDS, false },
	{ "InUse: #", ROLE_IN_USE, OOM_KINDS, false },
	{ "Bin (256):", ROLE_BINS, OOM_KINDS, false },
	{ "while running @ node. Name:'&", ROLE_OPERATION, OOM_KINDS, false },
	{ "Size: %", ROLE_BUFFER_SIZE, OOM_KINDS, false },
	{ "Shape: $", ROLE_BUFFER_SHAPE, OOM_KINDS, false },
};

#define PHRASES	((int)(sizeof(phrase) / sizeof(*phrase)))

enum detail_role { DETAIL_SIZE, DETAIL_OTHERS, DETAIL_NODE, DETAIL_ELEMENT, DETAIL_WARNING,
    DETAIL_HOST };

struct detail {			/* what a message of a kind goes on to say */
	const char *pattern;
	enum detail_role role;
	enum oom_kind kind;
	int value;		/* the field, or the bytes of an element */
};

static const struct detail detail[] = {
	{ "and type float on", DETAIL_ELEMENT, OOM_TENSORFLOW, 4 },
	{ "and type double on", DETAIL_ELEMENT, OOM_TENSORFLOW, 8 },
	{ "and type half on", DETAIL_ELEMENT, OOM_TENSORFLOW, 2 },
	{ "and type bfloat16 on", DETAIL_ELEMENT, OOM_TENSORFLOW, 2 },
	{ "and type int32 on", DETAIL_ELEMENT, OOM_TENSORFLOW, 4 },
	{ "and type int64 on", DETAIL_ELEMENT, OOM_TENSORFLOW, 8 },
	{ "and type bool on", DETAIL_ELEMENT, OOM_TENSORFLOW, 1 },
	{ "and type uint8 on", DETAIL_ELEMENT, OOM_TENSORFLOW, 1 },
	{ "device:CPU", DETAIL_HOST, OOM_TENSORFLOW, 0 },
	{ "[[Node: &", DETAIL_NODE, OOM_TENSORFLOW, 0 },
	{ "{{node &", DETAIL_NODE, OOM_TENSORFLOW, 0 },
	{ "[[node &", DETAIL_NODE, OOM_TENSORFLOW, 0 },
	{ "[Op:&", DETAIL_NODE, OOM_TENSORFLOW, 0 },
	{ "(rounded to #)", DETAIL_SIZE, OOM_TF_ALLOCATOR, OOM_ASKED },
	{ "requested by op &", DETAIL_NODE, OOM_TF_ALLOCATOR, 0 },
	{ "this is not a failure", DETAIL_WARNING, OOM_TF_ALLOCATOR, 0 },
	{ "% total capacity", DETAIL_SIZE, OOM_PYTORCH, OOM_TOTAL },
	{ "% already allocated", DETAIL_SIZE, OOM_PYTORCH, OOM_ALLOCATED },
	{ "% reserved in total", DETAIL_SIZE, OOM_PYTORCH, OOM_RESERVED },
	{ "% cached", DETAIL_SIZE, OOM_PYTORCH, OOM_UNALLOCATED },
	{ "% free;", DETAIL_SIZE, OOM_PYTORCH, OOM_FREE },
	{ "% free)", DETAIL_SIZE, OOM_PYTORCH, OOM_FREE },
	{ "total capacty of %", DETAIL_SIZE, OOM_PYTORCH, OOM_TOTAL },
	{ "total capacity of %", DETAIL_SIZE, OOM_PYTORCH, OOM_TOTAL },
	{ "of which % is free", DETAIL_SIZE, OOM_PYTORCH, OOM_FREE },
	{ "this process has % memory in use", DETAIL_SIZE, OOM_PYTORCH, OOM_PROCESS },
	{ "Process # has % memory in use", DETAIL_OTHERS, OOM_PYTORCH, OOM_OTHERS },
	{ "% is allocated by PyTorch", DETAIL_SIZE, OOM_PYTORCH, OOM_ALLOCATED },
	{ "% is reserved by PyTorch", DETAIL_SIZE, OOM_PYTORCH, OOM_UNALLOCATED },
	{ "% allowed;", DETAIL_SIZE, OOM_PYTORCH, OOM_LIMIT },
	{ "MPS allocated: %", DETAIL_SIZE, OOM_MPS, OOM_ALLOCATED },
	{ "other allocations: %", DETAIL_SIZE, OOM_MPS, OOM_OTHERS },
	{ "max allowed: %", DETAIL_SIZE, OOM_MPS, OOM_LIMIT },
	{ "Tried to allocate %", DETAIL_SIZE, OOM_MPS, OOM_ASKED },
	{ "parameter allocation: %", DETAIL_SIZE, OOM_XLA, OOM_PARAMETERS },
	{ "constant allocation: %", DETAIL_SIZE, OOM_XLA, OOM_CONSTANTS },
	{ "maybe_live_out allocation: %", DETAIL_SIZE, OOM_XLA, OOM_RESULTS },
	{ "preallocated temp allocation: %", DETAIL_SIZE, OOM_XLA, OOM_TEMPORARY },
	{ "total allocation: %", DETAIL_SIZE, OOM_XLA, OOM_ALLOCATED },
	{ "Used % of", DETAIL_SIZE, OOM_XLA, OOM_ALLOCATED },
	{ "of % hbm", DETAIL_SIZE, OOM_XLA, OOM_TOTAL },
	{ "% memory has been allocated", DETAIL_SIZE, OOM_PADDLE, OOM_ALLOCATED },
	{ "available memory is only %", DETAIL_SIZE, OOM_PADDLE, OOM_FREE },
	{ "data type float64", DETAIL_ELEMENT, OOM_NUMPY, 8 },
	{ "data type float32", DETAIL_ELEMENT, OOM_NUMPY, 4 },
	{ "data type float16", DETAIL_ELEMENT, OOM_NUMPY, 2 },
	{ "data type int64", DETAIL_ELEMENT, OOM_NUMPY, 8 },
	{ "data type uint8", DETAIL_ELEMENT, OOM_NUMPY, 1 },
	{ "far: %", DETAIL_SIZE, OOM_CUPY, OOM_ALLOCATED },
	{ "limit set to: %", DETAIL_SIZE, OOM_CUPY, OOM_LIMIT },
	{ "(# bytes) from device", DETAIL_SIZE, OOM_CUDA, OOM_ASKED },
	{ "anon-rss:%", DETAIL_SIZE, OOM_KERNEL, OOM_ALLOCATED },
	{ "and only %", DETAIL_SIZE, OOM_OURS, OOM_FREE },
	{ "; # of", DETAIL_SIZE, OOM_OURS, OOM_FREE },
};

#define DETAILS_KNOWN	((int)(sizeof(detail) / sizeof(*detail)))

struct reader {
	struct oom_log *log;
	char *text;		/* the window */
	size_t n;
	bool ended;
	int escape;		/* within a terminal's escape sequence */
	int line;		/* of the place that is looked at */
	char last;		/* the byte before it */
	char operation[OOM_NAME];	/* as ONNX Runtime tells it before the message */
	struct oom_size buffer;	/* as XLA tells it before the shape */
	bool xla;
	int first[256], next[PHRASES];	/* phrases by the byte they begin with; -1: no more */
};

const char *
oom_kind_name(enum oom_kind kind)
{
	static const char *const name[OOM_KINDS] = {
		[OOM_TENSORFLOW] = "TensorFlow", [OOM_TF_ALLOCATOR] = "TensorFlow's allocator",
		[OOM_PYTORCH] = "PyTorch", [OOM_PYTORCH_CPU] = "PyTorch on the processor",
		[OOM_MPS] = "PyTorch on Metal", [OOM_XLA] = "XLA", [OOM_ONNX] = "ONNX Runtime",
		[OOM_PADDLE] = "PaddlePaddle", [OOM_NUMPY] = "NumPy", [OOM_CUPY] = "CuPy",
		[OOM_CUDA] = "CUDA", [OOM_KERNEL] = "Linux", [OOM_OURS] = "Stowage's own program",
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
begin_dump(struct reader *r)
{
	struct oom_dump *d = &r->log->dump;

	d->any = d->summed = false;
	d->classes.n = 0;
	d->in_use = d->free = d->largest_free = d->limit = d->said_in_use = d->uncounted = 0;
}

static void
dump_line(struct reader *r, enum phrase_role role, const struct oom_match *m)
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
	case ROLE_LIMIT:
		d->limit = m->number[0];
		break;
	default:
		d->said_in_use = m->number[0];
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
note_detail(struct oom_message *o, const struct detail *d, const struct oom_match *m)
{
	struct oom_size *size = &o->size[d->role == DETAIL_SIZE || d->role == DETAIL_OTHERS ?
	    d->value : 0];

	switch (d->role) {
	case DETAIL_SIZE:
		if (m->size.known && !size->known)
			*size = m->size;
		else if (m->numbers)
			*size = exactly(m->number[0]);	/* of bytes: more exact than before */
		break;
	case DETAIL_OTHERS:
		size->known = true;
		if (__builtin_add_overflow(size->bytes, m->size.bytes, &size->bytes))
			size->bytes = INT64_MAX;
		size->slack += m->size.slack;
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

static bool
begins_message(const char *s, const char *end)
{
	struct oom_match m;
	int i;

	for (i = 0; i < PHRASES && phrase[i].role == ROLE_MESSAGE; i++)
		if (phrase[i].pattern[0] == *s && oom_pattern(phrase[i].pattern, s, end, &m))
			return true;
	return false;
}

static void
read_details(struct oom_message *o, const char *s, const char *end)
{
	const char *stop = end - s > DETAILS ? s + DETAILS : end;
	struct oom_match m;
	char before = ' ';
	int i;

	for (; s < stop; before = *s++) {
		if (o->kind != OOM_CUDA && o->kind != OOM_MPS && begins_message(s, end))
			return;
		for (i = 0; i < DETAILS_KNOWN; i++) {
			const struct detail *d = &detail[i];

			if (d->kind != o->kind)
				continue;
			if (d->pattern[0] == '%' ? (*s < '0' || *s > '9' || before == '.' ||
			    (before >= '0' && before <= '9')) : *s != d->pattern[0])
				continue;
			if (oom_pattern(d->pattern, s, end, &m))
				note_detail(o, d, &m);
		}
	}
}

/* The same thing said again? */
static bool
repeats(const struct oom_message *a, const struct oom_message *b)
{
	return a->kind == b->kind && a->shape.known == b->shape.known &&
	    a->shape.rank == b->shape.rank &&
	    memcmp(a->shape.dim, b->shape.dim, sizeof(a->shape.dim)) == 0 &&
	    (a->shape.known || (a->size[OOM_ASKED].known == b->size[OOM_ASKED].known &&
	    a->size[OOM_ASKED].bytes == b->size[OOM_ASKED].bytes));
}

/* An error's name beside its text: "failed to allocate 2.12G: CUDA_ERROR_OUT_OF_MEMORY". */
static bool
adds_nothing(const struct oom_log *log, const struct oom_message *o)
{
	int i;

	for (i = 0; o->kind == OOM_CUDA && !o->size[OOM_ASKED].known && i < log->messages.n; i++)
		if (log->messages.v[i].line == o->line)
			return true;
	return false;
}

static void
keep_message(struct oom_log *log, const struct oom_message *o)
{
	int i, k;

	if (adds_nothing(log, o))
		return;
	for (i = 0; i < log->messages.n; i++) {
		struct oom_message *old = &log->messages.v[i];

		if (!repeats(old, o))
			continue;
		old->count++;
		old->warning &= o->warning;
		if (!old->node[0])
			memcpy(old->node, o->node, sizeof(old->node));
		if (!old->element)
			old->element = o->element;
		for (k = 0; k < OOM_FIELDS; k++)
			if (!old->size[k].known)
				old->size[k] = o->size[k];
		return;
	}
	if (log->messages.n < OOM_MESSAGES)
		vec_push(log->arena, &log->messages, *o);
	else
		log->more++;
}

static void
message(struct reader *r, const struct phrase *p, const struct oom_match *m, const char *s,
    const char *end)
{
	struct oom_message o = { .kind = p->kind, .line = r->line, .count = 1, .host = p->host,
		.shape = m->shape, .size = { [OOM_ASKED] = m->size } };

	if (!o.shape.known)
		memset(&o.shape, 0, sizeof(o.shape));
	if (p->kind == OOM_ONNX && m->numbers) {
		o.size[OOM_ASKED] = exactly(m->number[m->numbers - 1]);
		if (m->numbers > 1)
			o.size[OOM_FREE] = exactly(m->number[0]);
		memcpy(o.node, r->operation, sizeof(o.node));
	}
	r->xla |= p->kind == OOM_XLA;
	read_details(&o, s, end);
	keep_message(r->log, &o);
}

static void
found(struct reader *r, const struct phrase *p, const struct oom_match *m, const char *s,
    const char *end)
{
	switch (p->role) {
	case ROLE_MESSAGE:
		message(r, p, m, s, end);
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

/* Takes one byte into the window, unless it is no text. */
static void
take(struct reader *r, unsigned char c)
{
	if (r->escape == 1) {		/* after ESC */
		r->escape = c == '[' ? 2 : 0;
		return;
	}
	if (r->escape == 2) {		/* up to the letter that ends it */
		if (c >= '@' && c <= '~')
			r->escape = 0;
		if (c != '\n')
			return;
		r->escape = 0;
	}
	if (c == 27) {
		r->escape = 1;
		return;
	}
	if (c == '\r' || (c < ' ' && c != '\n' && c != '\t'))
		return;
	r->text[r->n++] = (char)c;
}

static void
fill(struct reader *r, size_t (*read)(void *, char *, size_t), void *context)
{
	char some[4096];
	size_t n, i;

	while (!r->ended && r->n + sizeof(some) <= WINDOW) {
		n = read(context, some, sizeof(some));
		r->ended = n == 0;
		if (__builtin_add_overflow(r->log->bytes, (int64_t)n, &r->log->bytes))
			r->log->bytes = INT64_MAX;
		for (i = 0; i < n; i++)
			take(r, (unsigned char)some[i]);
	}
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What begins at S: returns how many bytes it covers, at least 1. */
static size_t
look(struct reader *r, const char *s, const char *end)
{
	bool digit = *s >= '0' && *s <= '9', inside = is_letter(*s) && is_letter(r->last);
	struct oom_match m;
	const char *after;
	int i = r->first[(unsigned char)*s];

	if (i < 0 || inside || (digit && ((r->last >= '0' && r->last <= '9') ||
	    r->last == '.' || r->last == ',')))
		return 1;
	for (; i >= 0; i = r->next[i]) {
		const struct phrase *p = &phrase[i];

		if (!(after = oom_pattern(p->pattern, s, end, &m)))
			continue;
		found(r, p, &m, after, end);
		return after > s ? (size_t)(after - s) : 1;
	}
	return 1;
}

static void
scan(struct reader *r)
{
	const char *end = r->text + r->n;
	size_t stop = r->ended ? r->n : r->n > AHEAD ? r->n - AHEAD : 0, at = 0, n;

	while (at < stop) {
		n = look(r, r->text + at, end);
		for (; n > 0 && at < r->n; n--) {
			r->last = r->text[at++];
			if (r->last == '\n' && r->line < INT32_MAX)
				r->line++;
		}
	}
	memmove(r->text, r->text + at, r->n - at);
	r->n -= at;
}

static void
index_phrases(struct reader *r)
{
	int i, c;

	memset(r->first, -1, sizeof(r->first));
	for (i = PHRASES - 1; i >= 0; i--) {
		c = (unsigned char)phrase[i].pattern[0];
		r->next[i] = r->first[c];
		r->first[c] = i;
	}
	for (c = '0'; c <= '9'; c++)	/* one phrase begins with a number */
		r->first[c] = r->first['#'];
	r->first['#'] = -1;
}

void
oom_log_read(struct oom_log *log, struct arena *a, size_t (*read)(void *, char *, size_t),
    void *context)
{
	struct reader r = { .log = log, .line = 1, .last = '\n' };

	memset(log, 0, sizeof(*log));
	log->arena = a;
	r.text = arena_array(a, WINDOW, 1);
	index_phrases(&r);
	while (!r.ended) {
		fill(&r, read, context);
		scan(&r);
	}
	log->lines = r.line - (r.last == '\n');
	if (log->dump.any && log->dump.classes.n == 0 && !log->dump.limit)
		log->dump.any = false;
}

/* How much a message lets us say. */
static int
weight(const struct oom_message *o)
{
	int i, known = 0;

	for (i = 0; i < OOM_FIELDS; i++)
		known += o->size[i].known;
	return (o->warning ? 0 : 100) + (o->shape.known ? 50 : 0) +
	    (o->kind != OOM_CUDA && o->kind != OOM_TF_ALLOCATOR ? 20 : 0) + known;
}

const struct oom_message *
oom_log_main(const struct oom_log *log)
{
	const struct oom_message *best = NULL;
	int i;

	for (i = 0; i < log->messages.n; i++)
		if (!best || weight(&log->messages.v[i]) >= weight(best))
			best = &log->messages.v[i];
	return best;
}
