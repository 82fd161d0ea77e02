/*
 * Masks of scores [..., T, T] of attention: constants that say which are seen, or that are added to
 * them. An order is one where a key is seen if it is not behind the query, or not far from it, and
 * no other.
 */
#include "import/arrays.h"
#include "import/strided.h"

const struct numbers *
mask_constant(const struct val *v)
{
	const struct step *s = made_by(v, "parameter");

	if (v->known)
		return v->known;
	return s && s->weight[0].frozen && !s->weight[0].view && s->weight[0].numbers->data ? s->weight[0].numbers : NULL;
}

static bool
sees(const struct numbers *n, enum mask how, int64_t k)
{
	double x = numbers_real(n, k);

	return how == ADDED ? x > -1e4 : (x != 0) == (how == SEEN);
}

static struct order
order_of(const struct numbers *n, enum mask how, int64_t t)
{
	struct order o = { .causal = !sees(n, how, 1) };
	int64_t near = 1, i;

	while (near < t && sees(n, how, near * t))
		near++;
	for (i = 0; i < t * t; i++) {
		int64_t behind = i / t - i % t;
		bool seen = behind < near && behind > -near && !(o.causal && behind < 0);

		if (sees(n, how, i) != seen || (how == ADDED && seen && numbers_real(n, i) != 0))
			return o;
	}
	o.is = true;
	o.window = near < t ? near : 0;
	return o;
}

const struct order *
mask_order(struct importer *im, const struct val *v, enum mask how)
{
	const struct numbers *n = mask_constant(v);
	int64_t t = n && n->rank >= 2 ? n->dim[n->rank - 1] : 0;
	const char *key;
	struct order *o;

	if (!n || t < 2 || n->count != t * t || n->dim[n->rank - 2] != t)
		return NULL;
	key = arena_printf(im->arena, "%p %d", (const void *)n, how);
	if (!(o = map_get(&im->orders, key))) {
		o = ARENA_NEW(im->arena, struct order);
		*o = order_of(n, how, t);
		map_put(im->arena, &im->orders, key, o);
	}
	return o->is ? o : NULL;
}
