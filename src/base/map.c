/*
 * Names to pointers. A body of a generated spec may define a hundred thousand names, so lookup is
 * by hash (FNV-1a), and the few names of a usual block cost one small allocation.
 */
#include "base/map.h"

#include <stdint.h>
#include <string.h>

static uint32_t
hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h ^ h >> 15;
}

/* Where the key is, or the free slot where it would be. */
static int *
find(const struct map *m, const char *key, uint32_t h)
{
	uint32_t i = h, mask = (uint32_t)m->nslots - 1;

	for (;; i++) {
		int *s = &m->slot[i & mask];

		if (!*s || (m->entry[*s - 1].hash == h && strcmp(m->entry[*s - 1].key, key) == 0))
			return s;
	}
}

void *
map_get(const struct map *m, const char *key)
{
	int *s;

	if (!m->nslots)
		return NULL;
	s = find(m, key, hash(key));
	return *s ? m->entry[*s - 1].value : NULL;
}

void
map_set(struct map *m, const char *key, void *value)
{
	m->entry[*find(m, key, hash(key)) - 1].value = value;
}

/* The keys are all different: each takes the next free slot. */
static void
rehash(struct arena *a, struct map *m)
{
	uint32_t mask, k;
	int i;

	m->nslots = m->nslots ? 2 * m->nslots : 16;
	m->slot = arena_array(a, (size_t)m->nslots, sizeof(*m->slot));
	mask = (uint32_t)m->nslots - 1;
	for (i = 0; i < m->n; i++) {
		for (k = m->entry[i].hash; m->slot[k & mask]; k++)
			;
		m->slot[k & mask] = i + 1;
	}
}

/* Each was put into the first free slot of its row, so the newest leaves no hole in another's. */
void
map_cut(struct map *m, int n)
{
	for (; m->n > n; m->n--)
		*find(m, m->entry[m->n - 1].key, m->entry[m->n - 1].hash) = 0;
}

void
map_put(struct arena *a, struct map *m, const char *key, void *value)
{
	uint32_t h = hash(key);

	if (m->n == m->cap) {
		int cap = m->cap ? 2 * m->cap : 8;

		m->entry = arena_grow(a, m->entry, (size_t)m->cap * sizeof(*m->entry),
		    (size_t)cap * sizeof(*m->entry));
		m->cap = cap;
	}
	if (2 * (m->n + 1) > m->nslots)
		rehash(a, m);
	m->entry[m->n] = (struct map_entry){ key, value, h };
	m->n++;
	*find(m, key, h) = m->n;
}
