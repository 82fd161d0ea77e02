/*
 * BFC at work. Free chunks are found by size (frameworks/free_blocks.h); chunks of one region are
 * linked by address for joining.
 *
 * A network's gradient can make a hundred thousand equal requests. They do not need a hundred
 * thousand steps: best fit continues to split the chunk it began with, since what is left of it is
 * smaller than every other chunk that serves. So a run of equal requests is served chunk by chunk,
 * and a chunk that holds several remembers how many.
 */
#include "frameworks/bfc.h"

#include <string.h>

#include "frameworks/allocator.h"

#define FIRST_REGION	((int64_t)1 << 20)
#define WASTE_LIMIT	((int64_t)128 << 20)

void
bfc_init(struct bfc *b, struct arena *a, int64_t pool)
{
	memset(b, 0, sizeof(*b));
	b->arena = a;
	b->pool = pool - pool % BFC_GRAIN;
	b->next_region = FIRST_REGION;
	b->spare = -1;
}

static int
new_chunk(struct bfc *b, int64_t address, int64_t size)
{
	struct bfc_chunk c = { .address = address, .size = size, .prev = -1, .next = -1 };
	int i = b->spare;

	if (i >= 0) {
		b->spare = b->chunks.v[i].next_spare;
		b->chunks.v[i] = c;
		return i;
	}
	vec_push(b->arena, &b->chunks, c);
	return b->chunks.n - 1;
}

static void
put(struct bfc *b, int i)
{
	struct bfc_chunk *c = &b->chunks.v[i];

	c->count = 0;
	free_blocks_put(b->arena, &b->free, i, c->size, c->address);
}

static bool
extend(struct bfc *b, int64_t size)
{
	int64_t left = b->pool - b->regions, bytes;
	bool grown = false;

	if (size > left)
		return false;
	while (b->next_region < size) {
		b->next_region *= 2;
		grown = true;
	}
	bytes = b->next_region < left ? b->next_region : left;
	if (!grown)
		b->next_region *= 2;
	put(b, new_chunk(b, b->regions, bytes));
	b->regions += bytes;
	return true;
}

/* A free chunk for SIZE bytes, no longer free; -1 when there is none and no room for a region. */
static int
obtain(struct bfc *b, int64_t size)
{
	int i = free_blocks_best(&b->free, size);

	if (i < 0 && extend(b, size))
		i = free_blocks_best(&b->free, size);
	if (i >= 0)
		free_blocks_take(&b->free, i);
	return i;
}

static bool
splits(int64_t have, int64_t size)
{
	return have >= 2 * size || have - size >= WASTE_LIMIT;
}

/* Cuts a chunk after SIZE bytes; the rest becomes a free chunk. */
static void
cut(struct bfc *b, int i, int64_t size)
{
	int64_t rest = b->chunks.v[i].size - size;
	int k = new_chunk(b, b->chunks.v[i].address + size, rest);
	struct bfc_chunk *c = &b->chunks.v[i], *r = &b->chunks.v[k];

	c->size = size;
	r->prev = i;
	r->next = c->next;
	if (r->next >= 0)
		b->chunks.v[r->next].prev = k;
	c->next = k;
	put(b, k);
}

static bool
rounded(int64_t bytes, int64_t *size)
{
	if (bytes <= 0)
		bytes = 1;
	if (bytes > INT64_MAX / 4)
		return false;
	*size = (bytes + BFC_GRAIN - 1) / BFC_GRAIN * BFC_GRAIN;
	return true;
}

/* As many of COUNT requests as best fit would carve from one chunk, in that chunk. */
static int64_t
serve(struct bfc *b, int64_t size, int64_t count, int *chunk)
{
	int64_t whole, n;
	int i = obtain(b, size);

	*chunk = i;
	if (i < 0)
		return 0;
	whole = b->chunks.v[i].size;
	n = whole / size;
	if (n > count)
		n = count;
	/* the last request takes what is left of the chunk, unless that is worth splitting */
	if (splits(whole - (n - 1) * size, size))
		cut(b, i, n * size);
	b->chunks.v[i].unit = size;
	b->chunks.v[i].count = n;
	b->in_use += b->chunks.v[i].size;
	return n;
}

int
bfc_alloc(struct bfc *b, int64_t bytes)
{
	int64_t size;
	int chunk;

	if (!rounded(bytes, &size))
		return -1;
	return serve(b, size, 1, &chunk) ? chunk : -1;
}

int64_t
bfc_alloc_many(struct bfc *b, int64_t bytes, int64_t count)
{
	int64_t size, done = 0, n;
	int chunk;

	if (!rounded(bytes, &size))
		return 0;
	while (done < count && (n = serve(b, size, count - done, &chunk)) > 0)
		done += n;
	return done;
}

/* Joins chunk K into its left neighbour I; both are free, and not listed. */
static void
join(struct bfc *b, int i, int k)
{
	struct bfc_chunk *c = &b->chunks.v[i], *d = &b->chunks.v[k];

	c->size += d->size;
	c->next = d->next;
	if (c->next >= 0)
		b->chunks.v[c->next].prev = i;
	memset(d, 0, sizeof(*d));
	d->count = -1;
	d->next_spare = b->spare;
	b->spare = k;
}

void
bfc_free(struct bfc *b, int i)
{
	struct bfc_chunk *c = &b->chunks.v[i];
	int left = c->prev, right = c->next;

	b->in_use -= c->size;
	c->count = 0;
	if (right >= 0 && b->chunks.v[right].count == 0) {
		free_blocks_take(&b->free, right);
		join(b, i, right);
	}
	if (left >= 0 && b->chunks.v[left].count == 0) {
		free_blocks_take(&b->free, left);
		join(b, left, i);
		i = left;
	}
	put(b, i);
}

bool
bfc_alloc_run(struct bfc *b, int64_t bytes, int64_t count, struct bfc_run *run)
{
	int64_t size, done, n;
	int chunk;

	memset(run, 0, sizeof(*run));
	if (!rounded(bytes, &size))
		return false;
	for (done = 0; done < count; done += n) {
		if ((n = serve(b, size, count - done, &chunk)) == 0)
			return false;
		vec_push(b->arena, &run->chunks, chunk);
	}
	return true;
}

void
bfc_free_run(struct bfc *b, const struct bfc_run *run)
{
	int i;

	for (i = 0; i < run->chunks.n; i++)
		bfc_free(b, run->chunks.v[i]);
}

int64_t
bfc_census(const struct bfc *b, int64_t size)
{
	int64_t n = 0;
	int i;

	for (i = 0; i < b->chunks.n; i++) {
		const struct bfc_chunk *c = &b->chunks.v[i];

		if (c->count <= 0)
			continue;
		if (c->unit == size)
			n += c->count - 1;
		n += c->size - (c->count - 1) * c->unit == size;
	}
	return n;
}

/* ---- as forecasts have it ---- */

/* It takes a pool whole unless it was told to grow; what it would take of an endless one, only
 * growing tells. */
static void *
make(struct arena *a, int64_t pool)
{
	struct bfc *b = ARENA_NEW(a, struct bfc);

	bfc_init(b, a, pool);
	if (pool != ENDLESS_POOL)
		b->next_region = pool;
	return b;
}

static int
alloc(void *state, int64_t bytes)
{
	return bfc_alloc(state, bytes);
}

static void
release(void *state, int handle)
{
	bfc_free(state, handle);
}

static int64_t
in_use(const void *state)
{
	return ((const struct bfc *)state)->in_use;
}

static int64_t
reserved(const void *state)
{
	return ((const struct bfc *)state)->regions;
}

const struct allocator allocator_bfc = {
	.rounds = "rounded to 256 B",
	.reserves = "in regions that double; by default it takes the whole card",
	.pooled = true,
	.make = make,
	.alloc = alloc,
	.release = release,
	.in_use = in_use,
	.reserved = reserved,
};
