/* Which of a log's messages are kept as it is read: what is said twice is one message. What they
 * say of each other when all is read is oom_settle.c's matter. */
#include "oom/oom_keep.h"

#include <stdlib.h>
#include <string.h>

/* The same thing said again? */
static bool
repeats(const struct oom_message *a, const struct oom_message *b)
{
	return a->kind == b->kind && strcmp(a->who, b->who) == 0 && a->says == b->says &&
	    a->shape.known == b->shape.known &&
	    a->shape.rank == b->shape.rank &&
	    memcmp(a->shape.dim, b->shape.dim, sizeof(a->shape.dim)) == 0 &&
	    (a->shape.known || (a->size[OOM_ASKED].known == b->size[OOM_ASKED].known &&
	    a->size[OOM_ASKED].bytes == b->size[OOM_ASKED].bytes));
}

/* In anyone's words: worth keeping only where nobody says it better. */
bool
oom_is_vague(const struct oom_message *o)
{
	return o->kind == OOM_OTHER || o->kind == OOM_MACHINE;
}

bool
oom_is_reported(const struct oom_log *log)
{
	int i;

	for (i = 0; i < log->messages.n && log->messages.v[i].titled; i++)
		;
	return i < log->messages.n;
}

/* An error's name beside its text: "failed to allocate 2.12G: CUDA_ERROR_OUT_OF_MEMORY". */
static bool
adds_nothing(const struct oom_log *log, const struct oom_message *o)
{
	bool name = oom_is_vague(o) || o->hedged ||
	    (o->kind == OOM_CUDA && !o->says && !o->size[OOM_ASKED].known);
	bool bare = !o->size[OOM_ASKED].known && !o->shape.known;
	int i;

	for (i = 0; name && i < log->messages.n; i++)
		if (log->messages.v[i].line == o->line && ((bare && oom_is_vague(o)) ||
		    !oom_is_vague(&log->messages.v[i])))
			return true;
	return false;
}

/* Of which it is true in the log as it was. */
void
oom_forget(struct oom_log *log, bool (*is)(const struct oom_log *, const struct oom_message *))
{
	bool gone[OOM_MESSAGES];
	int i, n = 0;

	for (i = 0; i < log->messages.n; i++)
		gone[i] = is(log, &log->messages.v[i]);
	for (i = 0; i < log->messages.n; i++)
		if (!gone[i])
			log->messages.v[n++] = log->messages.v[i];
	log->messages.n = n;
}

static bool
is_first_vague(const struct oom_log *log, const struct oom_message *o)
{
	int i;

	for (i = 0; i < log->messages.n && !oom_is_vague(&log->messages.v[i]); i++)
		;
	return i < log->messages.n && o == &log->messages.v[i];
}

/* Is every figure that both have the same? Else they are of two failures, whose figures do not go
 * together. */
static bool
agree(const struct oom_message *a, const struct oom_message *b)
{
	const struct oom_size *s = a->size, *t = b->size;
	int i;

	for (i = 0; i < OOM_FIELDS && !(s[i].known && t[i].known && llabs(s[i].bytes - t[i].bytes) > s[i].slack + t[i].slack); i++)
		;
	return i == OOM_FIELDS;
}

static int
figures(const struct oom_message *o)
{
	int i, n = 0;

	for (i = 0; i < OOM_FIELDS; i++)
		n += o->size[i].known;
	return n;
}

/* Of the processes that a kernel ends one after the other, such as children of the one it is after,
 * the largest is the one that had filled memory. */
static bool
had_more(const struct oom_message *o, const struct oom_message *old)
{
	return o->kind == OOM_KERNEL && o->size[OOM_ALLOCATED].known && o->size[OOM_ALLOCATED].bytes > old->size[OOM_ALLOCATED].bytes;
}

static void
merge(struct oom_message *old, const struct oom_message *o)
{
	bool another = old->gpu >= 0 && o->gpu >= 0 && old->gpu != o->gpu;	/* whose figures are its own */
	int i;

	old->count += !old->again && !o->again && o->line != old->last;	/* a line says one failure once */
	old->again &= o->again;
	old->gpus |= another;
	old->python |= o->python;
	old->raised |= o->raised;
	old->of_cuda |= o->of_cuda;
	old->host |= o->placed && o->host && !old->placed;	/* a title leaves out where */
	old->placed |= o->placed;
	old->of_weight |= o->of_weight;
	old->convolves |= o->convolves;
	old->attends |= o->attends;
	old->commented &= o->commented;
	old->titled = o->titled && (old->titled || old->line == 1);	/* a first line may be a title, whatever its form */
	old->limited |= o->limited;
	old->last = o->line;
	if (old->kind == OOM_TF_ALLOCATOR && (old->titled || old->alone))
		old->warning = o->warning;	/* which a title leaves out */
	else
		old->warning &= o->warning;
	old->follows &= o->follows;
	old->caught = o->caught;	/* it happened again */
	if (old->gpu < 0)
		old->gpu = o->gpu;
	if (old->run == RUN_UNKNOWN)
		old->run = o->run;
	if (!old->node[0])
		memcpy(old->node, o->node, sizeof(old->node));
	if (!old->element)
		old->element = o->element;
	if (!old->facts) {
		old->facts = o->facts;
		old->traced = o->traced;
		old->constructed = o->constructed;
		old->phase = o->phase;
		memcpy(old->function, o->function, sizeof(old->function));
		memcpy(old->extents, o->extents, sizeof(old->extents));
	}
	if (!another && !agree(old, o)) {
		if (figures(o) > figures(old) || had_more(o, old))
			memcpy(old->size, o->size, sizeof(old->size));
		return;
	}
	for (i = 0; i < OOM_FIELDS && !another; i++)
		if (!old->size[i].known)
			old->size[i] = o->size[i];
}

/* Is O the rest of the sentence that A began, both in anyone's words? */
static bool
says_more(const struct oom_message *a, const struct oom_message *o)
{
	return oom_is_vague(a) && a->line == o->line && !a->size[OOM_ASKED].known && !a->shape.known;
}

/* "CUDA out of memory. (GPU 1; 14.76 GiB total capacity)": is O the figures of what A names? */
static bool
has_figures(const struct oom_message *a, const struct oom_message *o)
{
	return a->kind == OOM_CUDA && !a->says && o->kind == OOM_PYTORCH && a->line == o->line &&
	    !a->size[OOM_ASKED].known;
}

void
oom_keep(struct oom_log *log, const struct oom_message *o)
{
	int i;

	if (adds_nothing(log, o))
		return;
	if (log->messages.n > 0 && has_figures(&log->messages.v[log->messages.n - 1], o))
		log->messages.n--;
	if (oom_is_vague(o) && log->messages.n > 0 &&
	    says_more(&log->messages.v[log->messages.n - 1], o))
		log->messages.n--;
	for (i = 0; i < log->messages.n; i++)
		if (repeats(&log->messages.v[i], o)) {
			merge(&log->messages.v[i], o);
			return;
		}
	if (log->messages.n == OOM_MESSAGES && !oom_is_vague(o))
		oom_forget(log, is_first_vague);
	if (log->messages.n < OOM_MESSAGES)
		vec_push(log->arena, &log->messages, *o);
	else
		log->more++;
}

bool
oom_is_title_alone(const struct oom_log *log, int last)
{
	int i;

	for (i = 0; i < log->messages.n; i++)
		if (log->messages.v[i].last == last)
			return last == 1 && log->messages.v[i].alone;
	return false;
}

/* What ended a trial, or a batch that was left out, did not end the program: the last failure ahead
 * of the line, as far as a traceback may part them. What a title or a sentence names is BESIDE it
 * at most. */
void
oom_keep_caught(struct oom_log *log, int line, bool beside)
{
	struct oom_message *o = NULL;
	int i;

	for (i = 0; i < log->messages.n; i++)
		if (!o || log->messages.v[i].last >= o->last)
			o = &log->messages.v[i];
	if (o && (!o->titled || o->size[OOM_ASKED].known || (beside && o->last == line)) && !o->host && line - o->last <= OOM_TRACE_LINES)
		o->caught = line;
}
