/*
 * Names to pointers. A body of a generated spec may define a hundred thousand names, so lookup is
 * by hash (FNV-1a), and the few names of a usual block cost one small allocation.
 */
#include "lang/map.h"

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

static int *
find(const struct map *m, const char *key)
{
	uint32_t i = hash(key), mask = (uint32_t)m->nslots - 1;

	for (;; i++) {
		int *s = &m->slot[i & mask];

		if (!*s || strcmp(m->entry[*s - 1].key, key) == 0)
			return s;
	}
}

void *
map_get(const struct map *m, const char *key)
{
	int *s;

	if (!m->nslots)
		return NULL;
	s = find(m, key);
	return *s ? m->entry[*s - 1].value : NULL;
}

static void
rehash(struct arena *a, struct map *m)
{
	int i;

	m->nslots = m->nslots ? 2 * m->nslots : 16;
	m->slot = arena_array(a, (size_t)m->nslots, sizeof(*m->slot));
	for (i = 0; i < m->n; i++)
		*find(m, m->entry[i].key) = i + 1;
}

void
map_put(struct arena *a, struct map *m, const char *key, void *value)
{
	if (m->n == m->cap) {
		int cap = m->cap ? 2 * m->cap : 8;

		m->entry = arena_grow(a, m->entry, (size_t)m->cap * sizeof(*m->entry),
		    (size_t)cap * sizeof(*m->entry));
		m->cap = cap;
	}
	if (2 * (m->n + 1) > m->nslots)
		rehash(a, m);
	m->entry[m->n] = (struct map_entry){ key, value };
	m->n++;
	*find(m, key) = m->n;
}
