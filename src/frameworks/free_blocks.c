/* A treap (Seidel and Aragon 1996): in order by size and address, and a heap by a hash of the
 * address, so it is as deep as a tree that grew by chance, O(log n), on every machine alike. */
#include "frameworks/free_blocks.h"

#include <stdbool.h>

#define AT(f, link)	(&(f)->at.v[(link) - 1])

static uint64_t
rank_of(const struct free_block *b)
{
	uint64_t x = (uint64_t)b->address * 0x9e3779b97f4a7c15u;

	return (x ^ x >> 32) * 0xbf58476d1ce4e5b9u;
}

static bool
is_before(const struct free_block *a, const struct free_block *b)
{
	return a->size != b->size ? a->size < b->size : a->address < b->address;
}

void
free_blocks_put(struct arena *a, struct free_blocks *f, int block, int64_t size, int64_t address)
{
	struct free_block *b;
	int *link = &f->root, *smaller, *larger, rest;

	while (f->at.n <= block)
		vec_push_moving(a, &f->at, ((struct free_block){ 0 }));
	b = &f->at.v[block];
	*b = (struct free_block){ .size = size, .address = address };
	while (*link && rank_of(AT(f, *link)) >= rank_of(b))
		link = is_before(AT(f, *link), b) ? &AT(f, *link)->larger : &AT(f, *link)->smaller;
	rest = *link;
	*link = block + 1;
	smaller = &b->smaller;
	larger = &b->larger;
	while (rest) {		/* what was there is divided between both sides */
		int **side = is_before(AT(f, rest), b) ? &smaller : &larger;
		int *inner = side == &smaller ? &AT(f, rest)->larger : &AT(f, rest)->smaller;

		**side = rest;
		*side = inner;
		rest = *inner;
	}
	*smaller = *larger = 0;
}

void
free_blocks_take(struct free_blocks *f, int block)
{
	const struct free_block *b = &f->at.v[block];
	int *link = &f->root, x = b->smaller, y = b->larger;

	while (*link != block + 1)
		link = is_before(AT(f, *link), b) ? &AT(f, *link)->larger : &AT(f, *link)->smaller;
	while (x && y) {	/* both sides become one */
		bool left = rank_of(AT(f, x)) >= rank_of(AT(f, y));

		*link = left ? x : y;
		link = left ? &AT(f, x)->larger : &AT(f, y)->smaller;
		if (left)
			x = *link;
		else
			y = *link;
	}
	*link = x ? x : y;
}

int
free_blocks_best(const struct free_blocks *f, int64_t size)
{
	int link = f->root, best = 0;

	while (link) {
		bool serves = AT(f, link)->size >= size;

		if (serves)
			best = link;
		link = serves ? AT(f, link)->smaller : AT(f, link)->larger;
	}
	return best - 1;
}
