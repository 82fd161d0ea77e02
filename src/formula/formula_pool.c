/* Formulas that are kept once; see formula_pool.h. */
#include "formula/formula_pool.h"

#include <string.h>

#define FEWEST	64

static uint64_t
mix(uint64_t h, uint64_t x)
{
	return (h ^ x ^ h >> 29) * 0x9e3779b97f4a7c15u;
}

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
		h = mix(h, (unsigned char)*s);
	for (i = 0; i < f->results; i++)
		h = mix(h, (uint64_t)f->result[i]);
	for (i = 0; i < f->terms.n; i++) {
		const struct term *t = &f->terms.v[i];

		h = mix(mix(mix(h, (uint64_t)t->operand), bits_of(t->number)), (uint64_t)(uintptr_t)t->op);
		for (k = 0; k < PRIMITIVE_OPERANDS; k++)
			h = mix(h, (uint64_t)t->of[k]);
	}
	return h ^ h >> 32;
}

static bool
same_term(const struct term *a, const struct term *b)
{
	return a->operand == b->operand && bits_of(a->number) == bits_of(b->number) && a->op == b->op &&
	    memcmp(a->of, b->of, sizeof(a->of)) == 0;
}

static bool
same(const struct formula *a, const struct formula *b)
{
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

/* Where it is, or where it would be. */
static struct pooled_formula *
place_of(const struct formula_pool *p, const struct pooled_formula *k)
{
	size_t i = k->hash & (p->room - 1);

	while (p->v[i].f && (p->v[i].hash != k->hash || !same(p->v[i].f, k->f)))
		i = (i + 1) & (p->room - 1);
	return &p->v[i];
}

static void
grow(struct arena *a, struct formula_pool *p)
{
	struct formula_pool old = *p;
	size_t i;

	p->room = old.room ? 2 * old.room : FEWEST;
	p->v = arena_array(a, p->room, sizeof(*p->v));
	for (i = 0; i < old.room; i++)
		if (old.v[i].f)
			*place_of(p, &old.v[i]) = old.v[i];
}

static struct pooled_formula *
keep(struct formula_pool *p, struct arena *a, const struct formula *f)
{
	struct pooled_formula k = { f, hash(f), NULL }, *at;

	if (2 * (p->n + 1) > p->room)
		grow(a, p);
	at = place_of(p, &k);
	if (!at->f) {
		k.f = formula_keep(a, f);
		*at = k;
		p->n++;
	}
	return at;
}

const struct formula *
formula_pool_keep(struct formula_pool *p, struct arena *a, const struct formula *f)
{
	return keep(p, a, f)->f;
}

void **
formula_pool_known(struct formula_pool *p, struct arena *a, const struct formula *f)
{
	return &keep(p, a, f)->known;
}
