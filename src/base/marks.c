/* Marks: a set of numbers with neighbours. */
#include "base/marks.h"

void
marks_init(struct marks *m, struct arena *a, int n)
{
	int words = n;

	m->levels = 0;
	do {
		words = words / 64 + 1;
		m->words[m->levels] = words;
		m->level[m->levels++] = arena_array(a, (size_t)words, sizeof(uint64_t));
	} while (words > 1);
}

void
marks_set(struct marks *m, int i)
{
	int l;

	for (l = 0; l < m->levels; l++, i >>= 6)
		m->level[l][i >> 6] |= (uint64_t)1 << (i & 63);
}

void
marks_clear(struct marks *m, int i)
{
	int l;

	for (l = 0; l < m->levels; l++, i >>= 6)
		if ((m->level[l][i >> 6] &= ~((uint64_t)1 << (i & 63))) != 0)
			return;
}

/* Up to the first level on which the word has a mark on the wanted side, then down again. */
int
marks_next(const struct marks *m, int i)
{
	uint64_t word;
	int l;

	for (l = 0; l < m->levels && i >> 6 < m->words[l]; l++) {
		word = m->level[l][i >> 6] & (~(uint64_t)0 << (i & 63));
		if (word) {
			i = (i & ~63) + __builtin_ctzll(word);
			while (l-- > 0)
				i = 64 * i + __builtin_ctzll(m->level[l][i]);
			return i;
		}
		i = (i >> 6) + 1;
	}
	return -1;
}

int
marks_prev(const struct marks *m, int i)
{
	uint64_t word;
	int l;

	for (l = 0; l < m->levels && i >= 0; l++) {
		word = m->level[l][i >> 6] & (~(uint64_t)0 >> (63 - (i & 63)));
		if (word) {
			i = (i & ~63) + 63 - __builtin_clzll(word);
			while (l-- > 0)
				i = 64 * i + 63 - __builtin_clzll(m->level[l][i]);
			return i;
		}
		i = (i >> 6) - 1;
	}
	return -1;
}
