/* Tracebacks, and what is expected of the place that they end at. */
#ifndef TESTS_UNIT_OOM_PLACES_H
#define TESTS_UNIT_OOM_PLACES_H

#include "oom_forms.h"

#define CALL(file, line, function, code)	"  File \"" file "\", line " line ", in " function "\n    " code "\n"
#define HEAD	"Traceback (most recent call last):\n"
#define ENDED	"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 98.00 MiB. GPU 0 has a total "	\
    "capacity of 7.78 GiB of which 41.00 MiB is free.\n"
#define BARE	"RuntimeError: CUDA error: out of memory\n"

struct place {
	const char *name, *text;
	uint64_t facts;		/* all that is to be told */
	const char *function;
};

static struct arena *arena;

static void
setup(void)
{
	arena = arena_new();
	cr_assert(arena);
}

static void
teardown(void)
{
	arena_free(arena);
}

static void
expect_place(const struct place *p, const char *form, struct out o)
{
	const struct oom_message *m;
	struct oom_log log;

	oom_log_read(&log, arena, feed, &o);
	m = oom_log_main(&log);
	cr_assert(m, "%s %s: nothing", p->name, form);
	cr_expect_eq(m->facts, p->facts, "%s %s: %llx", p->name, form, (unsigned long long)m->facts);
	cr_expect_str_eq(m->function, p->function, "%s %s: %s", p->name, form, m->function);
}

#endif
