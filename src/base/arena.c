/*
 * The arena: a list of blocks, each filled from its start. A block is as large as all blocks
 * before it together (from 64 KiB up to 4 MiB), so a compilation of n bytes asks the system
 * O(log n) times while small, and start-up touches one block only.
 */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT	16
#define FIRST_BLOCK	((size_t)64 << 10)
#define LARGEST_BLOCK	((size_t)4 << 20)

struct block {
	struct block *next;
	size_t size, used;	/* in bytes, of data[] */
	_Alignas(ALIGNMENT) char data[];
};

struct arena {
	struct block *block;	/* newest first; allocations come from this one */
	jmp_buf *failure;
	struct arena *parent, *child, *sibling;
};

static struct block *
block_new(size_t size)
{
	struct block *b = calloc(1, sizeof(*b) + size);

	if (b)
		b->size = size;
	return b;
}

struct arena *
arena_new(void)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (a && !(a->block = block_new(FIRST_BLOCK))) {
		free(a);
		a = NULL;
	}
	return a;
}

static void
leave_parent(struct arena *a)
{
	struct arena **link = &a->parent->child;

	while (*link != a)
		link = &(*link)->sibling;
	*link = a->sibling;
}

void
arena_free(struct arena *a)
{
	struct block *b, *next;

	if (!a)
		return;
	while (a->child)
		arena_free(a->child);
	if (a->parent)
		leave_parent(a);
	for (b = a->block; b; b = next) {
		next = b->next;
		free(b);
	}
	free(a);
}

void
arena_on_failure(struct arena *a, jmp_buf *handler)
{
	a->failure = handler;
}

static _Noreturn void
fail(struct arena *a)
{
	if (a->failure)
		longjmp(*a->failure, 1);
	abort();
}

struct arena *
arena_child(struct arena *parent)
{
	struct arena *a = arena_new();

	if (!a)
		fail(parent);
	a->failure = parent->failure;
	a->parent = parent;
	a->sibling = parent->child;
	parent->child = a;
	return a;
}

void *
arena_alloc(struct arena *a, size_t bytes)
{
	struct block *b = a->block;
	size_t want, size;
	void *p;

	if (bytes > SIZE_MAX / 4)
		fail(a);
	want = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (b->size - b->used < want) {
		size = b->size < LARGEST_BLOCK ? b->size * 2 : LARGEST_BLOCK;
		if (!(b = block_new(size < want ? want : size)))
			fail(a);
		b->next = a->block;
		a->block = b;
	}
	p = b->data + b->used;
	b->used += want;
	return p;
}

void *
arena_array(struct arena *a, size_t count, size_t bytes)
{
	size_t total;

	if (__builtin_mul_overflow(count, bytes, &total))
		fail(a);
	return arena_alloc(a, total);
}

/* Grows in place when OLD was the last allocation, else copies; the old bytes stay in the arena. */
void *
arena_grow(struct arena *a, void *old, size_t old_bytes, size_t new_bytes)
{
	struct block *b = a->block;
	size_t was = (old_bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	void *p;

	if (new_bytes <= old_bytes)
		return old;
	if (new_bytes > SIZE_MAX / 4)
		fail(a);
	if (old && (char *)old + was == b->data + b->used) {
		size_t want = (new_bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);

		if (want - was <= b->size - b->used) {
			b->used += want - was;
			return old;
		}
	}
	p = arena_alloc(a, new_bytes);
	if (old_bytes)
		memcpy(p, old, old_bytes);
	return p;
}

char *
arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	memcpy(p, s, n);
	return p;
}

char *
arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *
arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char *p;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		fail(a);
	p = arena_alloc(a, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	return p;
}

char *
arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}
