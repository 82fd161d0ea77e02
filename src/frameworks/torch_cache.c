/* The caching allocator at work: free blocks are found by pool and size. Nothing is ever given
 * back, so addresses only grow. */
#include "frameworks/torch_cache.h"

#include <string.h>

#include "frameworks/allocator.h"

#define GRAIN		512
#define MIB		((int64_t)1 << 20)
#define SMALL_MOST	MIB
#define SMALL_SEGMENT	(2 * MIB)
#define LARGE_LEAST	(10 * MIB)	/* from here on: a segment of its own */
#define LARGE_SEGMENT	(20 * MIB)
#define SEGMENT_GRAIN	(2 * MIB)

void
torch_cache_init(struct torch_cache *c, struct arena *a)
{
	memset(c, 0, sizeof(*c));
	c->arena = a;
	c->spare = -1;
}

static int
new_block(struct torch_cache *c, struct torch_block b)
{
	int i = c->spare;

	if (i >= 0) {
		c->spare = c->blocks.v[i].next_spare;
		c->blocks.v[i] = b;
		return i;
	}
	vec_push(c->arena, &c->blocks, b);
	return c->blocks.n - 1;
}

static void
put(struct torch_cache *c, int i)
{
	struct torch_block *b = &c->blocks.v[i];

	b->used = false;
	free_blocks_put(c->arena, &c->free[b->small], i, b->size, b->address);
}

static void
take(struct torch_cache *c, int i)
{
	free_blocks_take(&c->free[c->blocks.v[i].small], i);
}

static bool
extend(struct torch_cache *c, int64_t size, bool small)
{
	int64_t segment = small ? SMALL_SEGMENT : size < LARGE_LEAST ? LARGE_SEGMENT :
	    (size + SEGMENT_GRAIN - 1) / SEGMENT_GRAIN * SEGMENT_GRAIN;
	struct torch_block b = { .address = c->reserved, .size = segment, .prev = -1, .next = -1,
	    .small = small };

	if (__builtin_add_overflow(c->reserved, segment, &c->reserved)) {
		c->overflow = true;
		return false;
	}
	put(c, new_block(c, b));
	return true;
}

static void
split(struct torch_cache *c, int i, int64_t size)
{
	struct torch_block rest = c->blocks.v[i];
	int k;

	rest.address += size;
	rest.size -= size;
	rest.prev = i;
	k = new_block(c, rest);
	if (rest.next >= 0)
		c->blocks.v[rest.next].prev = k;
	c->blocks.v[i].size = size;
	c->blocks.v[i].next = k;
	put(c, k);
}

int
torch_cache_alloc(struct torch_cache *c, int64_t bytes)
{
	int64_t size, rest;
	bool small;
	int i;

	if (bytes <= 0 || bytes > INT64_MAX / 4 || c->overflow) {
		c->overflow |= bytes > 0;
		return -1;
	}
	size = (bytes + GRAIN - 1) / GRAIN * GRAIN;
	small = size <= SMALL_MOST;
	i = free_blocks_best(&c->free[small], size);
	if (i < 0 && extend(c, size, small))
		i = free_blocks_best(&c->free[small], size);
	if (i < 0)
		return -1;
	take(c, i);
	rest = c->blocks.v[i].size - size;
	if (small ? rest >= GRAIN : rest > MIB)
		split(c, i, size);
	c->blocks.v[i].used = true;
	c->allocated += c->blocks.v[i].size;
	if (c->allocated > c->most_allocated)
		c->most_allocated = c->allocated;
	return i;
}

/* Joins block K into its left neighbour I; both are free and in no list. */
static void
join(struct torch_cache *c, int i, int k)
{
	struct torch_block *b = &c->blocks.v[i], *d = &c->blocks.v[k];

	b->size += d->size;
	b->next = d->next;
	if (b->next >= 0)
		c->blocks.v[b->next].prev = i;
	d->used = true;		/* no neighbour's any more */
	d->next_spare = c->spare;
	c->spare = k;
}

void
torch_cache_free(struct torch_cache *c, int i)
{
	int left = c->blocks.v[i].prev, right = c->blocks.v[i].next;

	c->allocated -= c->blocks.v[i].size;
	if (right >= 0 && !c->blocks.v[right].used) {
		take(c, right);
		join(c, i, right);
	}
	if (left >= 0 && !c->blocks.v[left].used) {
		take(c, left);
		join(c, left, i);
		i = left;
	}
	put(c, i);
}

/* ---- as forecasts have it ---- */

static void *
make(struct arena *a, int64_t pool)
{
	struct torch_cache *c = ARENA_NEW(a, struct torch_cache);

	(void)pool;
	torch_cache_init(c, a);
	return c;
}

static int
alloc(void *state, int64_t bytes)
{
	return torch_cache_alloc(state, bytes);
}

static void
release(void *state, int handle)
{
	torch_cache_free(state, handle);
}

static int64_t
in_use(const void *state)
{
	return ((const struct torch_cache *)state)->allocated;
}

static int64_t
reserved(const void *state)
{
	return ((const struct torch_cache *)state)->reserved;
}

const struct allocator allocator_torch_cache = {
	.rounds = "rounded to 512 B",
	.reserves = "in segments, never given back",
	.make = make,
	.alloc = alloc,
	.release = release,
	.in_use = in_use,
	.reserved = reserved,
};
