/*
 * How effort grows with the text, in steps, never in seconds: what must be linear or nearly so is
 * given a piece of work and one four times as large. A step is a basic block of the objects that
 * are compiled with -fsanitize-coverage=trace-pc (steps.test), or a byte that libc copies, sets,
 * compares or searches for them. Prints a line of "NAME STEPS STEPS" for each.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/filename.h"
#include "fmt/format.h"
#include "lint/catalog.h"
#include "lint/engine.h"
#include "lint/suppress.h"

static uint64_t steps;

void	__sanitizer_cov_trace_pc(void);
void	*__real_memcpy(void *, const void *, size_t), *__wrap_memcpy(void *, const void *, size_t);
void	*__real_memmove(void *, const void *, size_t), *__wrap_memmove(void *, const void *, size_t);
void	*__real_memset(void *, int, size_t), *__wrap_memset(void *, int, size_t);
void	*__real_memchr(const void *, int, size_t), *__wrap_memchr(const void *, int, size_t);
int	__real_memcmp(const void *, const void *, size_t), __wrap_memcmp(const void *, const void *, size_t);
size_t	__real_strlen(const char *), __wrap_strlen(const char *);

void
__sanitizer_cov_trace_pc(void)
{
	steps++;
}

void *
__wrap_memcpy(void *to, const void *from, size_t n)
{
	steps += n;
	return __real_memcpy(to, from, n);
}

void *
__wrap_memmove(void *to, const void *from, size_t n)
{
	steps += n;
	return __real_memmove(to, from, n);
}

void *
__wrap_memset(void *to, int byte, size_t n)
{
	steps += n;
	return __real_memset(to, byte, n);
}

void *
__wrap_memchr(const void *in, int byte, size_t n)
{
	const char *found = __real_memchr(in, byte, n);

	steps += found ? (size_t)(found - (const char *)in) : n;
	return (void *)(uintptr_t)found;
}

int
__wrap_memcmp(const void *a, const void *b, size_t n)
{
	steps += n;
	return __real_memcmp(a, b, n);
}

size_t
__wrap_strlen(const char *s)
{
	size_t n = __real_strlen(s);

	steps += n;
	return n;
}

/* The layout of a text that is N times the one in FILE. */
static uint64_t
steps_of_layout(const char *file, size_t n)
{
	struct arena *a = arena_new();
	const char *why;
	const struct source *one = source_read(a, file, &why), *many;
	struct diags d;
	char *text;
	size_t i;

	if (!one)
		exit(2);
	text = arena_alloc(a, n * (size_t)one->size + 1);
	for (i = 0; i < n; i++)
		memcpy(text + i * (size_t)one->size, one->text, (size_t)one->size);
	text[n * (size_t)one->size] = '\0';
	many = source_from_text(a, file, text, n * (size_t)one->size);
	diags_init(&d, a);
	steps = 0;
	if (!fmt_source(a, &d, many))
		exit(2);
	arena_free(a);
	return steps;
}

/* A pattern of N stars over a path that it never matches: N times as long a path, N * N steps. */
static uint64_t
steps_of_match(size_t n)
{
	char pattern[1000], path[4000];
	size_t i;

	for (i = 0; i < n; i++)
		memcpy(pattern + 2 * i, "*a", 2);
	strcpy(pattern + 2 * n, "b");
	memset(path, 'a', 8 * n);
	path[8 * n] = '\0';
	steps = 0;
	if (filename_matches(pattern, path))
		exit(2);
	return steps;
}

static void
comment(struct arena *a, struct file *f, int line, int from, int to, const char *rule)
{
	struct suppression s = { .loc = { f->src, line - 1, line }, .nrules = 1, .reason = "",
		.from_line = from, .to_line = to };

	s.rule = ARENA_NEW(a, struct name);
	*s.rule = (struct name){ rule, s.loc };
	vec_push(a, &f->suppressions, s);
}

/* N findings, N comments over all of them, N over one each. */
static uint64_t
steps_of_suppression(int n)
{
	struct arena *a = arena_new();
	struct file *f = ARENA_NEW(a, struct file);
	const struct file *file[1];
	char *text = arena_alloc(a, (size_t)n * 3 + 1);
	struct diags d;
	int i;

	memset(text, '\n', (size_t)n * 3);
	f->src = source_from_text(a, "f.nn", text, (size_t)n * 3);
	file[0] = f;
	diags_init(&d, a);
	for (i = 0; i < n; i++) {
		comment(a, f, n + i + 1, 1, 2 * n + i, "oom");
		comment(a, f, 2 * n + i + 1, i + 1, i + 1, i % 2 ? "oom" : "last-batch");
		diag_add(&d, SEV_WARNING, "oom", (struct loc){ f->src, i, i + 1 }, "one of many");
	}
	steps = 0;
	suppress_run(&(struct suppress){ .d = &d, .file = file, .nfiles = 1,
		.ran = { true, true, false } });
	arena_free(a);
	return steps;
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	printf("layout %" PRIu64 " %" PRIu64 "\n", steps_of_layout(argv[1], 8),
	    steps_of_layout(argv[1], 32));
	printf("pattern %" PRIu64 " %" PRIu64 "\n", steps_of_match(225), steps_of_match(450));
	printf("suppression %" PRIu64 " %" PRIu64 "\n", steps_of_suppression(5000),
	    steps_of_suppression(20000));
	return 0;
}
