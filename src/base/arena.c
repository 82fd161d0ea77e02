/*
 * The arena: a list of blocks, each filled from its start. A block is as large as all blocks
 * before it together (from 64 KiB up to 64 MiB), so a compilation of n bytes asks the system
 * O(log n) times, and start-up touches one block only.
 *
 *	data  +---------------+-----------------+--------------------------+
 *	      | allocated     | zero            | of an earlier use        |
 *	      +---------------+-----------------+--------------------------+
 *	      0             used              clean                      size
 *
 * Most of what a fresh page costs is the kernel's work on its first touch, so blocks that a scratch
 * arena or an earlier compilation is done with are kept by the root of the family and handed out
 * again. Their contents are zeroed a stretch at a time, just before allocation: what is never
 * allocated is never written. An array too large for that gets a block of its own, fresh from the
 * system: such arrays are made for the worst case, and most of their pages are never touched. The
 * largest ones have one in any case, which goes back to the system when they are done with.
 *
 * To the address sanitizer a block is one object. So it is told what of it nobody may touch: a gap
 * behind each allocation, and what a scratch arena was done with.
 */
#include "base/arena.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGNMENT	8
#define FIRST_BLOCK	((size_t)64 << 10)
#define LARGEST_BLOCK	((size_t)64 << 20)
#define STRETCH		((size_t)4 << 10)	/* zeroed at once; some of it lies in a near cache */
#define LARGEST_ZEROED	((size_t)32 << 10)	/* of one allocation */
#define LARGEST_SHARED	((size_t)1 << 20)	/* larger arrays do not share a block with others */
#define HUGE_PAGE	((size_t)2 << 20)
#define MOST_SPARE	((size_t)32 << 20)	/* of all of them: only searches of very large networks need more */

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__	1	/* as GCC says it */
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define GAP		((size_t)ALIGNMENT)	/* behind each allocation */
#define HIDE(p, n)	ASAN_POISON_MEMORY_REGION((p), (n))
#define SHOW(p, n)	ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define GAP		((size_t)0)
#define HIDE(p, n)	((void)(p), (void)(n))
#define SHOW(p, n)	((void)(p), (void)(n))
#endif

struct block {
	struct block *next;
	size_t size, used, clean;	/* in bytes, of data[] */
	bool own;		/* made for one array */
	_Alignas(ALIGNMENT) char data[];
};

struct arena {
	struct block *block;	/* newest first; allocations come from this one */
	jmp_buf *failure;
	struct arena *root, *parent, *child, *sibling;
	struct arena **link;	/* that leads to it from its parent: it leaves in no time, however many there are */
	struct block *spare;	/* of a root: blocks to be used again, and their bytes */
	size_t spare_bytes;
};

static size_t
rounded(size_t bytes)
{
	return ((bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1)) + GAP;
}

/* Of an allocation, BYTES may be touched. */
static void *
given(char *p, size_t bytes)
{
	SHOW(p, bytes);
	HIDE(p + bytes, rounded(bytes) - bytes);
	return p;
}

/* A block that is worth several huge pages is put into them, so that filling it does not stop at
 * every 4 KiB. That is a wish: where the system knows no such thing, nothing is lost. */
static struct block *
block_make(size_t size)
{
	struct block *b = calloc(1, sizeof(*b) + size);
	uintptr_t from;

	if (!b)
		return NULL;
	b->size = b->clean = size;
#ifdef MADV_HUGEPAGE
	if (size >= 4 * HUGE_PAGE) {
		from = ((uintptr_t)b->data + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
		madvise((void *)from, ((uintptr_t)b->data + size - from) & ~(HUGE_PAGE - 1),
		    MADV_HUGEPAGE);
	}
#endif
	return b;
}

/* A spare block of at least SIZE bytes, or a new one of as many as are WISHed for. */
static struct block *
block_get(struct arena *a, size_t size, size_t wish)
{
	struct block **link, *b;

	for (link = &a->root->spare; (b = *link); link = &b->next)
		if (b->size >= size) {
			*link = b->next;
			b->next = NULL;
			a->root->spare_bytes -= b->size;
			return b;
		}
	return block_make(size < wish ? wish : size);
}

static void
block_put(struct arena *a, struct block *b)
{
	struct arena *root = a->root;

	if (b->own || root->spare_bytes + b->size > MOST_SPARE) {
		free(b);
		return;
	}
	b->used = b->clean = 0;
	HIDE(b->data, b->size);
	b->next = root->spare;
	root->spare = b;
	root->spare_bytes += b->size;
}

static void
free_list(struct block *b)
{
	struct block *next;

	for (; b; b = next) {
		next = b->next;
		free(b);
	}
}

struct arena *
arena_new(void)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (a && !(a->block = block_make(FIRST_BLOCK))) {
		free(a);
		a = NULL;
	}
	if (a)
		a->root = a;
	return a;
}

static void
join_parent(struct arena *a, struct arena *parent)
{
	a->parent = parent;
	a->link = &parent->child;
	a->sibling = parent->child;
	if (a->sibling)
		a->sibling->link = &a->sibling;
	parent->child = a;
}

static void
leave_parent(struct arena *a)
{
	*a->link = a->sibling;
	if (a->sibling)
		a->sibling->link = a->link;
}

static void
free_children(struct arena *a)
{
	while (a->child)
		arena_free(a->child);
}

void
arena_free(struct arena *a)
{
	struct block *b, *next;

	if (!a)
		return;
	free_children(a);
	if (a->parent) {
		leave_parent(a);
		for (b = a->block; b; b = next) {
			next = b->next;
			block_put(a, b);
		}
	} else {
		free_list(a->block);
		free_list(a->spare);
	}
	free(a);
}

void
arena_reset(struct arena *a)
{
	struct block *b, *next, *first = NULL;

	free_children(a);
	for (b = a->block; b; b = b->next)
		first = b->own ? first : b;
	for (b = a->block; b; b = next) {
		next = b->next;
		if (b != first)
			block_put(a, b);
	}
	first->next = NULL;
	first->used = first->clean = 0;
	HIDE(first->data, first->size);
	a->block = first;
	a->failure = NULL;
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
	struct arena *a = calloc(1, sizeof(*a));

	if (!a)
		fail(parent);
	a->root = parent->root;
	if (!(a->block = block_get(a, FIRST_BLOCK, FIRST_BLOCK))) {
		free(a);
		fail(parent);
	}
	a->failure = parent->failure;
	join_parent(a, parent);
	return a;
}

/* Gives an array a block of its own, behind the newest, which others go on to fill. */
static void *
alloc_own(struct arena *a, size_t bytes)
{
	struct block *b = block_make(bytes);

	if (!b)
		fail(a);
	b->own = true;
	b->used = bytes;
	b->next = a->block->next;
	a->block->next = b;
	return b->data;
}

/* Zeroes as much of the block as an allocation of BYTES needs, and somewhat more. */
static void
clean_up(struct block *b, size_t bytes)
{
	size_t rest = b->size - b->clean, n = bytes - (b->clean - b->used);

	if (n < STRETCH)
		n = rest < STRETCH ? rest : STRETCH;
	SHOW(b->data + b->clean, n);
	memset(b->data + b->clean, 0, n);
	b->clean += n;
}

static struct block *
next_block(struct arena *a, size_t bytes)
{
	size_t wish = a->block->size < LARGEST_BLOCK ? a->block->size * 2 : LARGEST_BLOCK;
	struct block *b = block_get(a, bytes, wish);

	if (!b)
		fail(a);
	b->next = a->block;
	return a->block = b;
}

/* What arena_alloc() does where the newest block has too few bytes that are zero. */
static void *
alloc_slowly(struct arena *a, size_t bytes)
{
	struct block *b = a->block;
	bool fits = b->size - b->used >= bytes;

	if (bytes > LARGEST_SHARED || (bytes > LARGEST_ZEROED && (fits || a->root->spare)))
		return alloc_own(a, bytes);
	if (!fits)
		b = next_block(a, bytes);
	if (b->clean - b->used < bytes)
		clean_up(b, bytes);
	b->used += bytes;
	return b->data + b->used - bytes;
}

void *
arena_alloc(struct arena *a, size_t bytes)
{
	struct block *b = a->block;
	size_t want = rounded(bytes);

	if (bytes > SIZE_MAX / 4)
		fail(a);
	if (b->clean - b->used < want)
		return given(alloc_slowly(a, want), bytes);
	b->used += want;
	return given(b->data + b->used - want, bytes);
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
	size_t more;
	void *p;

	if (new_bytes <= old_bytes)
		return old;
	if (new_bytes > SIZE_MAX / 4)
		fail(a);
	if (old && (char *)old + rounded(old_bytes) == b->data + b->used) {
		more = rounded(new_bytes) - rounded(old_bytes);
		if (more <= b->clean - b->used) {
			b->used += more;
			return given(old, new_bytes);
		}
	}
	p = arena_alloc(a, new_bytes);
	if (old_bytes)
		memcpy(p, old, old_bytes);
	return p;
}

/* The link to the block that was made for the array. */
static struct block **
own_block(struct arena *a, const void *array)
{
	struct block **link = &a->block;

	while (*link && (!(*link)->own || (*link)->data != array))
		link = &(*link)->next;
	return *link ? link : NULL;
}

void *
arena_regrow(struct arena *a, void *old, size_t old_bytes, size_t new_bytes)
{
	size_t want = rounded(new_bytes);
	struct block **link, *b;
	void *p;

	if (new_bytes <= LARGEST_ZEROED || new_bytes > SIZE_MAX / 4)
		return arena_grow(a, old, old_bytes, new_bytes);
	if (!(link = own_block(a, old))) {
		p = given(alloc_own(a, want), new_bytes);
		memcpy(p, old, old_bytes);
		return p;
	}
	if (!(b = realloc(*link, sizeof(*b) + want)))
		fail(a);
	b->size = b->clean = b->used = want;
	*link = b;
	return given(b->data, new_bytes);
}

char *
arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	memcpy(p, s, n);
	return p;
}

int
arena_more(struct arena *a, int cap)
{
	if (cap > INT_MAX / 2)
		fail(a);
	return cap ? 2 * cap : 8;
}

char *
arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

/* Names are made by the thousand: this takes a tenth of the time of a format. */
char *
arena_join(struct arena *a, const char *x, const char *between, const char *y)
{
	size_t nx = strlen(x), nb = strlen(between), ny = strlen(y);
	char *p = arena_alloc(a, nx + nb + ny + 1);

	memcpy(p, x, nx);
	memcpy(p + nx, between, nb);
	memcpy(p + nx + nb, y, ny);
	return p;
}

/* Formats into a buffer first: most texts are short, and their length is not known before. */
char *
arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	char buf[256], *p;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(buf, sizeof(buf), fmt, again);
	va_end(again);
	if (n < 0)
		fail(a);
	p = arena_alloc(a, (size_t)n + 1);
	if ((size_t)n < sizeof(buf))
		memcpy(p, buf, (size_t)n);
	else
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
