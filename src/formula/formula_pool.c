/* Formulas that are kept once; see formula_pool.h. */
#include "formula/formula_pool.h"

#include <string.h>

struct pooled {
	const struct formula *f;
	void *known;
};

static uint64_t
bits_of(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static uint64_t
hash(const struct formula *f)
{
	uint64_t h = (uint64_t)f->operands * 31 + (uint64_t)f->results;
	const char *s;
	int i, k;

	for (s = f->name; s && *s; s++)
		h = intern_mix(h, (unsigned char)*s);
	for (i = 0; i < f->results; i++)
		h = intern_mix(h, (uint64_t)f->result[i]);
	for (i = 0; i < f->terms.n; i++) {
		const struct term *t = &f->terms.v[i];

		h = intern_mix(intern_mix(intern_mix(h, (uint64_t)t->operand), bits_of(t->number)), (uint64_t)(uintptr_t)t->op);
		for (k = 0; k < PRIMITIVE_OPERANDS; k++)
			h = intern_mix(h, (uint64_t)t->of[k]);
	}
	return intern_end(h);
}

static bool
same_term(const struct term *a, const struct term *b)
{
	return a->operand == b->operand && bits_of(a->number) == bits_of(b->number) && a->op == b->op &&
	    memcmp(a->of, b->of, sizeof(a->of)) == 0;
}

static bool
same(const void *va, const void *vb)
{
	const struct formula *a = ((const struct pooled *)va)->f, *b = ((const struct pooled *)vb)->f;
	int i;

	if (a->operands != b->operands || a->results != b->results || a->terms.n != b->terms.n || !a->name != !b->name ||
	    (a->name && strcmp(a->name, b->name) != 0))
		return false;
	for (i = 0; i < a->results; i++)
		if (a->result[i] != b->result[i])
			return false;
	for (i = 0; i < a->terms.n; i++)
		if (!same_term(&a->terms.v[i], &b->terms.v[i]))
			return false;
	return true;
}

static struct pooled *
keep(struct intern *pool, struct arena *a, const struct formula *f)
{
	struct pooled key = { f, NULL }, *made;
	void **at = intern_place(pool, a, &key, hash(f), same);

	if (!*at) {
		made = ARENA_NEW(a, struct pooled);
		made->f = formula_keep(a, f);
		*at = made;
	}
	return *at;
}

const struct formula *
formula_pool_keep(struct intern *pool, struct arena *a, const struct formula *f)
{
	return keep(pool, a, f)->f;
}

void **
formula_pool_known(struct intern *pool, struct arena *a, const struct formula *f)
{
	return &keep(pool, a, f)->known;
}
