/* Which of a log's messages are kept: what is said twice, or better by another, is one message. */
#include "oom/oom_keep.h"

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

/* An error's name beside its text: "failed to allocate 2.12G: CUDA_ERROR_OUT_OF_MEMORY". */
static bool
adds_nothing(const struct oom_log *log, const struct oom_message *o)
{
	bool name = oom_is_vague(o) || (o->kind == OOM_CUDA && !o->says && !o->size[OOM_ASKED].known);
	bool bare = !o->size[OOM_ASKED].known && !o->shape.known;
	int i;

	for (i = 0; name && i < log->messages.n; i++)
		if (log->messages.v[i].line == o->line && (bare || !oom_is_vague(&log->messages.v[i])))
			return true;
	return false;
}

/* Removes vague ones: one, or all. */
void
oom_forget_vague(struct oom_log *log, bool all)
{
	int i, n = 0;

	for (i = 0; i < log->messages.n; i++) {
		if (oom_is_vague(&log->messages.v[i]) && (all || n == i))
			continue;
		log->messages.v[n++] = log->messages.v[i];
	}
	log->messages.n = n;
}

static void
merge(struct oom_message *old, const struct oom_message *o)
{
	int i;

	old->count++;
	old->warning &= o->warning;
	if (!old->node[0])
		memcpy(old->node, o->node, sizeof(old->node));
	if (!old->element)
		old->element = o->element;
	for (i = 0; i < OOM_FIELDS; i++)
		if (!old->size[i].known)
			old->size[i] = o->size[i];
}

/* Is O the rest of the sentence that A began, both in anyone's words? */
static bool
says_more(const struct oom_message *a, const struct oom_message *o)
{
	return oom_is_vague(a) && a->line == o->line && !a->size[OOM_ASKED].known && !a->shape.known;
}

void
oom_keep(struct oom_log *log, const struct oom_message *o)
{
	int i;

	if (adds_nothing(log, o))
		return;
	if (oom_is_vague(o) && log->messages.n > 0 &&
	    says_more(&log->messages.v[log->messages.n - 1], o))
		log->messages.n--;
	for (i = 0; i < log->messages.n; i++)
		if (repeats(&log->messages.v[i], o)) {
			merge(&log->messages.v[i], o);
			return;
		}
	if (log->messages.n == OOM_MESSAGES && !oom_is_vague(o))
		oom_forget_vague(log, false);
	if (log->messages.n < OOM_MESSAGES)
		vec_push(log->arena, &log->messages, *o);
	else
		log->more++;
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
