/* Attributes that are kept once; see attr_pool.h. */
#include "ir/attr_pool.h"

#include <string.h>

struct pooled {
	const struct op *op;
	struct attr *attr;
};

/* In words: they are large. */
static uint64_t
hash(const struct pooled *p)
{
	uint64_t h = (uint64_t)(uintptr_t)p->op, word;
	size_t size = (size_t)op_nattrs(p->op) * sizeof(*p->attr), i;

	for (i = 0; i + sizeof(word) <= size; i += sizeof(word)) {
		memcpy(&word, (const char *)p->attr + i, sizeof(word));
		h = intern_mix(h, word);
	}
	return intern_end(h);
}

static bool
same(const void *va, const void *vb)
{
	const struct pooled *a = va, *b = vb;

	return a->op == b->op && memcmp(a->attr, b->attr, (size_t)op_nattrs(a->op) * sizeof(*a->attr)) == 0;
}

static struct attr *
copy(struct arena *a, const struct attr *attr, int n)
{
	struct attr *made = arena_array(a, (size_t)n, sizeof(*made));

	memcpy(made, attr, (size_t)n * sizeof(*made));
	return made;
}

struct attr *
attr_pool_keep(struct intern *pool, struct arena *a, const struct op *op, const struct attr *attr)
{
	int n = op_nattrs(op), i;
	struct attr plain[MAX_ATTRS];
	struct pooled key = { op, plain }, *made;
	void **at;

	if (n == 0)
		return arena_array(a, 0, sizeof(*attr));
	memcpy(plain, attr, (size_t)n * sizeof(*plain));
	for (i = 0; i < n; i++) {
		memset(&plain[i].loc, 0, sizeof(plain[i].loc));
		if (op->attrs[i].type == ATTR_BODY)
			return copy(a, attr, n);
	}
	at = intern_place(pool, a, &key, hash(&key), same);
	if (!*at) {
		made = ARENA_NEW(a, struct pooled);
		*made = (struct pooled){ op, copy(a, plain, n) };
		*at = made;
	}
	return ((const struct pooled *)*at)->attr;
}
