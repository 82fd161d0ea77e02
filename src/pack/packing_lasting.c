/*
 * packing_lasting: items that are alive as long as there are any.
 *
 * They take as many bytes at every instant, so at the bottom, one on the other, they are in
 * nobody's way, and the bound of the rest and the height that is found lie as much higher. A plan
 * that was exported has hundreds: weights, and what an optimizer keeps of them. Left among the
 * others they are in every section, and methods that ask who is alive with an item ask them all. A
 * network's own plan has none of them but what is read for its next step. Without them others may
 * be alive as long as there are any; these are a fifth of fewer each time.
 */
#include "pack/packing_impl.h"

#define WORTH	5	/* part of the items: fewer are in nobody's way */

static bool
lives(const struct item *i)
{
	return i->size > 0 && i->lower < i->upper;
}

static bool
lasts(const struct item *i, int64_t first, int64_t last)
{
	return lives(i) && i->lower == first && i->upper == last;
}

/* How many there are, from the *FIRST instant to the *LAST. */
static int
count_lasting(const struct packing *p, int64_t *first, int64_t *last)
{
	int i, n = 0;

	*first = INT64_MAX;
	*last = INT64_MIN;
	for (i = 0; i < p->n; i++) {
		if (!lives(&p->item[i]))
			continue;
		*first = p->item[i].lower < *first ? p->item[i].lower : *first;
		*last = p->item[i].upper > *last ? p->item[i].upper : *last;
	}
	for (i = 0; i < p->n; i++) {
		if (p->item[i].alignment > 0)
			return 0;
		n += lasts(&p->item[i], *first, *last);
	}
	return n;
}

bool
packing_lasting(struct arena *a, struct packing *p, const struct packing_options *o, struct packing_result *r)
{
	struct packing_options others = o ? *o : (struct packing_options){ 0 };
	int64_t first, last, height = 0, align = p->alignment > 1 ? p->alignment : 1;
	int n = count_lasting(p, &first, &last), i, k = 0;
	struct packing rest = { .n = p->n - n, .alignment = p->alignment };

	if (n <= p->n / WORTH)
		return false;
	rest.item = arena_array(a, (size_t)rest.n + 1, sizeof(*rest.item));
	for (i = 0; i < p->n; i++)
		if (lasts(&p->item[i], first, last)) {
			p->item[i].offset = height;
			height += (p->item[i].size + align - 1) / align * align;
		} else {
			rest.item[k++] = p->item[i];
		}
	if (others.capacity > 0)
		others.capacity = others.capacity > height ? others.capacity - height : 1;
	*r = packing_solve(a, &rest, &others);
	for (i = k = 0; i < p->n; i++)
		if (!lasts(&p->item[i], first, last)) {
			p->item[i].offset = rest.item[k].offset + (lives(&rest.item[k]) ? height : 0);
			k++;
		}
	r->height += height;
	r->max_live += height;
	r->bound += height;
	return true;
}
