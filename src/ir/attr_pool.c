/* Attributes that are kept once; see attr_pool.h. */
#include "ir/attr_pool.h"

#include <string.h>

#define FEWEST	64

/* In words: they are large. */
static uint64_t
hash(const struct op *op, const struct attr *attr, int n)
{
	uint64_t h = (uint64_t)(uintptr_t)op, word;
	size_t size = (size_t)n * sizeof(*attr), i;

	for (i = 0; i + sizeof(word) <= size; i += sizeof(word)) {
		memcpy(&word, (const char *)attr + i, sizeof(word));
		h = (h ^ word ^ h >> 29) * 0x9e3779b97f4a7c15u;
	}
	return h ^ h >> 32;
}

static struct attr *
copy(struct arena *a, const struct attr *attr, int n)
{
	struct attr *made = arena_array(a, (size_t)n, sizeof(*made));

	memcpy(made, attr, (size_t)n * sizeof(*made));
	return made;
}

/* Where they are, or where they would be. */
static struct pooled_attrs *
place_of(const struct attr_pool *p, const struct pooled_attrs *k, int n)
{
	size_t i = k->hash & (p->room - 1);

	while (p->v[i].op && (p->v[i].hash != k->hash || p->v[i].op != k->op ||
	    memcmp(p->v[i].attr, k->attr, (size_t)n * sizeof(*k->attr)) != 0))
		i = (i + 1) & (p->room - 1);
	return &p->v[i];
}

static void
grow(struct arena *a, struct attr_pool *p)
{
	struct attr_pool old = *p;
	size_t i;

	p->room = old.room ? 2 * old.room : FEWEST;
	p->v = arena_array(a, p->room, sizeof(*p->v));
	for (i = 0; i < old.room; i++)
		if (old.v[i].op)
			*place_of(p, &old.v[i], op_nattrs(old.v[i].op)) = old.v[i];
}

struct attr *
attr_pool_keep(struct attr_pool *p, struct arena *a, const struct op *op, const struct attr *attr)
{
	int n = op_nattrs(op), i;
	struct attr plain[MAX_ATTRS];
	struct pooled_attrs k = { .op = op, .attr = plain }, *at;

	if (n == 0)
		return arena_array(a, 0, sizeof(*attr));
	memcpy(plain, attr, (size_t)n * sizeof(*plain));
	for (i = 0; i < n; i++) {
		memset(&plain[i].loc, 0, sizeof(plain[i].loc));
		if (op->attrs[i].type == ATTR_BODY)
			return copy(a, attr, n);
	}
	k.hash = hash(op, plain, n);
	if (2 * (p->n + 1) > p->room)
		grow(a, p);
	at = place_of(p, &k, n);
	if (!at->op) {
		k.attr = copy(a, plain, n);
		*at = k;
		p->n++;
	}
	return at->attr;
}
