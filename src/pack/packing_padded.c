/*
 * packing_padded: alignments, and what to begin with where all are one.
 *
 * A network's buffers are padded to its one alignment, the topmost too. Where the same is said of
 * each item, the topmost need not be, which is worth less than the alignment, but leads searches
 * other ways. So the first answer is that of the padded items: whoever exports a network's buffers
 * finds nothing worse than its plan.
 */
#include "pack/packing_impl.h"

#include <limits.h>
#include <string.h>

#include "base/gcd.h"

int64_t
packing_alignment(const struct packing *p, const struct item *i)
{
	return i->alignment > 0 ? i->alignment : p->alignment > 1 ? p->alignment : 1;
}

int64_t
packing_divisor(const struct packing *p)
{
	int64_t divisor = 0;
	int i;

	for (i = 0; i < p->n; i++)
		divisor = gcd(divisor, packing_alignment(p, &p->item[i]));
	return divisor;
}

/* Is there an alignment that is said of items, and no other? Then it is the divisor. */
static bool
has_one(const struct packing *p, int64_t divisor)
{
	bool tails = false;
	int i;

	for (i = 0; i < p->n; i++) {
		if (packing_alignment(p, &p->item[i]) != divisor)
			return false;
		tails |= p->item[i].alignment > 0 && p->item[i].size % divisor > 0;
	}
	return tails && divisor <= INT_MAX;
}

bool
packing_padded(struct arena *a, struct packing *p, int64_t capacity, int64_t *all)
{
	const struct packing_options o = { .capacity = capacity };
	int64_t divisor = packing_divisor(p), visits;
	struct packing padded = { .n = p->n };
	int i;

	if (!has_one(p, divisor))
		return false;
	padded.alignment = (int)divisor;
	padded.item = arena_array(a, (size_t)p->n, sizeof(*padded.item));
	memcpy(padded.item, p->item, (size_t)p->n * sizeof(*p->item));
	for (i = 0; i < p->n; i++)
		padded.item[i].alignment = 0;
	visits = packing_solve(a, &padded, &o).visits;
	*all -= visits < *all ? visits : *all;
	for (i = 0; i < p->n; i++)
		p->item[i].offset = padded.item[i].offset;
	return true;
}
