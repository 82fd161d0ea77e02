/* Counts every allocation of the process that it is loaded into, and says how many there were at
 * exit. A program that trains three times as long must not allocate once more. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static long count;

static void
one_more(void)
{
	__atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
}

void *
malloc(size_t size)
{
	one_more();
	return __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	one_more();
	return __libc_calloc(n, size);
}

void *
realloc(void *p, size_t size)
{
	one_more();
	return __libc_realloc(p, size);
}

void *
memalign(size_t alignment, size_t size)
{
	one_more();
	return __libc_memalign(alignment, size);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

int
posix_memalign(void **p, size_t alignment, size_t size)
{
	*p = memalign(alignment, size);
	return *p ? 0 : ENOMEM;
}

__attribute__((destructor)) static void
report(void)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "allocations: %ld\n", count);

	if (write(2, text, (size_t)n) != n)
		_exit(9);
}
