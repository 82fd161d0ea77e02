/*
 * Attributes of nodes, as they stay. Those of a convolution take 700 bytes, and a deep network repeats few layers many times:
 * nodes whose attributes say the same share them. Where the text says them differs, so each node has that for itself.
 */
#include "lang/expander.h"

#include <string.h>

struct kept_attrs {
	const struct op *op;
	struct attr *attr;
	uint64_t hash;
};

struct attr_pool {		/* open addressing, at most half full */
	struct kept_attrs *v;
	size_t room, n;		/* a power of two; of it in use */
};

/* In words: they are large. */
static uint64_t
hash(const struct op *op, const struct attr *attr, int n)
{
	uint64_t h = (uint64_t)(uintptr_t)op, word;
	size_t size = (size_t)n * sizeof(*attr), i;

	for (i = 0; i < size; i += sizeof(word)) {
		memcpy(&word, (const char *)attr + i, sizeof(word));
		h = (h ^ word ^ h >> 29) * 0x9e3779b97f4a7c15u;
	}
	return h ^ h >> 32;
}

static struct attr *
copy(struct arena *a, const struct attr *attr, int n)
{
	struct attr *made = arena_array(a, (size_t)n + 1, sizeof(*made));
	int i;

	memcpy(made, attr, (size_t)n * sizeof(*made));
	for (i = 0; i < n; i++)
		memset(&made[i].loc, 0, sizeof(made[i].loc));
	return made;
}

/* Where they are, or where they would be. */
static struct kept_attrs *
place_of(struct attr_pool *p, const struct kept_attrs *k, int n)
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

	p->room = old.room ? 2 * old.room : 64;
	p->v = arena_array(a, p->room, sizeof(*p->v));
	for (i = 0; i < old.room; i++)
		if (old.v[i].op)
			*place_of(p, &old.v[i], op_nattrs(old.v[i].op)) = old.v[i];
}

struct attr *
attrs_keep(struct expander *ex, const struct op *op, const struct attr *attr)
{
	struct attr_pool *p = ex->attrs ? ex->attrs : (ex->attrs = ARENA_NEW(ex->a, struct attr_pool));
	int n = op_nattrs(op), i;
	struct attr plain[MAX_ATTRS];
	struct kept_attrs k = { .op = op, .attr = plain }, *at;

	memcpy(plain, attr, (size_t)n * sizeof(*plain));
	for (i = 0; i < n; i++) {
		memset(&plain[i].loc, 0, sizeof(plain[i].loc));
		if (op->attrs[i].type == ATTR_BODY)	/* it is planned for its node */
			return copy(ex->a, attr, n);
	}
	k.hash = hash(op, plain, n);
	if (2 * (p->n + 1) > p->room)
		grow(ex->a, p);
	at = place_of(p, &k, n);
	if (!at->op) {
		k.attr = copy(ex->a, plain, n);
		*at = k;
		p->n++;
	}
	return at->attr;
}

const struct loc *
attrs_said(struct expander *ex, const struct op *op, const struct attr *attr)
{
	int n = op_nattrs(op), i;
	struct loc *said;

	while (n > 0 && !attr[n - 1].given)
		n--;
	if (n == 0)
		return NULL;
	said = arena_array(ex->a, (size_t)n, sizeof(*said));
	for (i = 0; i < n; i++)
		said[i] = attr[i].loc;
	return said;
}
