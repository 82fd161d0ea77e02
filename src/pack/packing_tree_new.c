/*
 * packing_tree_new: what a search needs to know of its instance: who is alive in which section,
 * which is in words of bits from the first alive to the last one born, and the same for all orders;
 * and who is alike.
 */
#include "pack/packing_tree.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WORDS	(1 << 24)	/* of all sections: 128 MiB */
#define MOST_COMPARED	1000		/* with so many born at one time, that are alike is no longer seen of all */

static bool
exchangeable(const struct job *j)
{
	return j->tail == 0 && (j->align <= 1 || j->size % j->align == 0);
}

static int
by_birth(const void *x, const void *y)
{
	const struct job *const *a = x, *const *b = y;

	if ((*a)->born != (*b)->born)
		return (*a)->born - (*b)->born;
	return *a < *b ? -1 : *a > *b;
}

static int
first_of(const struct crowd *c, const struct job *j)
{
	return c->fine ? j->born : j->lower;
}

static int
end_of(const struct crowd *c, const struct job *j)
{
	return c->fine ? j->dead : j->upper;
}

/* Words of each section, and how many in all. */
static size_t
measure(struct crowd *c, int *last)
{
	int s, oldest = 0, i;
	size_t words = 0;

	for (i = 0; i < c->n; i++)
		c->born[first_of(c, c->job[i]) + 1]++;
	for (s = 0; s < c->sections; s++) {
		c->born[s + 1] += c->born[s];
		while (oldest < c->n && last[oldest] <= s)
			oldest++;
		c->first[s] = oldest / 64;
		c->end[s] = (c->born[s + 1] + 63) / 64;
		words += c->end[s] > c->first[s] ? (size_t)(c->end[s] - c->first[s]) : 0;
	}
	return words;
}

struct crowd *
crowd_new(const struct instance *in, bool fine)
{
	struct arena *a = in->arena;
	struct crowd *c = ARENA_NEW(a, struct crowd);
	size_t n = (size_t)in->n, sections = (size_t)(fine ? in->slices : in->sections) + 2, words;
	int *death = arena_array(a, n, sizeof(*death)), i, s;
	uint64_t *set;

	*c = (struct crowd){ in->n, (int)sections - 2, fine, arena_array(a, n, sizeof(*c->job)), arena_array(a, n, sizeof(*c->place)),
	    arena_array(a, sections, sizeof(*c->born)), arena_array(a, sections, sizeof(*c->within)),
	    arena_array(a, sections, sizeof(*c->first)), arena_array(a, sections, sizeof(*c->end)) };
	for (i = 0; i < c->n; i++)
		c->job[i] = &in->job[i];
	qsort(c->job, n, sizeof(*c->job), by_birth);
	for (i = 0; i < c->n; i++) {
		c->place[c->job[i] - in->job] = i;
		death[i] = end_of(c, c->job[i]);
	}
	words = measure(c, death);
	if (words > MOST_WORDS)
		return NULL;
	set = arena_array(a, words + 1, sizeof(*set));
	for (s = 0; s < c->sections; s++) {
		c->within[s] = set;
		set += c->end[s] - c->first[s];
	}
	for (i = 0; i < c->n; i++)
		for (s = first_of(c, c->job[i]); s < end_of(c, c->job[i]); s++)
			flip(c->within[s], i - 64 * c->first[s]);
	return c;
}

/* Links those alike, and numbers the lifetimes that several have. */
static void
find_mirrors(struct tree *t)
{
	int *last = arena_array(t->arena, (size_t)t->sections + 1, sizeof(*last));	/* born there */
	int *before = arena_array(t->arena, (size_t)t->n + 1, sizeof(*before)), i, k, r, compared, classes = 0;

	memset(last, -1, (size_t)t->sections * sizeof(*last));
	for (r = 0; r < t->n; r++) {
		const struct job *a = t->job[t->by_rank[r]], *b;

		i = t->by_rank[r];
		before[i] = last[t->lower[i]];
		last[t->lower[i]] = i;
		t->twin[i] = t->same[i] = -1;
		for (k = before[i], compared = 0; k >= 0 && compared < MOST_COMPARED; k = before[k], compared++) {
			b = t->job[k];
			if (t->upper[i] != t->upper[k] || a->align != b->align || a->tail != b->tail)
				continue;
			if (t->twin[i] < 0 && a->size == b->size)
				t->twin[i] = k;
			if (t->same[i] < 0 && exchangeable(a) && exchangeable(b))
				t->same[i] = t->same[k];
		}
		if (t->same[i] < 0 && exchangeable(a))
			t->same[i] = classes++;
	}
	t->topmost = arena_array(t->arena, (size_t)classes + 1, sizeof(*t->topmost));
	memset(t->topmost, -1, (size_t)classes * sizeof(*t->topmost));
}

/* By section, those alive in it; as a witness the first in the order. */
static void
fill_sections(struct tree *t)
{
	int r, i, s;

	for (r = t->n - 1; r >= 0; r--) {
		i = t->by_rank[r];
		for (s = t->lower[i]; s < t->upper[i]; s++) {
			t->total[s] += t->size[i];
			t->crossing[s] += s + 1 < t->upper[i];
			t->witness[s] = i;
		}
	}
}

static void
make_room(struct tree *t)
{
	struct arena *a = t->arena;
	size_t n = (size_t)t->n + 1, sections = (size_t)t->sections + 1;

	t->rank = arena_array(a, n, sizeof(*t->rank));
	t->by_rank = arena_array(a, n, sizeof(*t->by_rank));
	t->size = arena_array(a, n, sizeof(*t->size));
	t->lower = arena_array(a, n, sizeof(*t->lower));
	t->upper = arena_array(a, n, sizeof(*t->upper));
	t->twin = arena_array(a, n, sizeof(*t->twin));
	t->same = arena_array(a, n, sizeof(*t->same));
	t->below = arena_array(a, n, sizeof(*t->below));
	t->offset = arena_array(a, n, sizeof(*t->offset));
	t->minimum = arena_array(a, n, sizeof(*t->minimum));
	t->placed = arena_array(a, n, sizeof(*t->placed));
	t->frame = arena_array(a, n, sizeof(*t->frame));
	t->left = arena_array(a, (size_t)t->words, sizeof(*t->left));
	t->floor = arena_array(a, sections, sizeof(*t->floor));
	t->total = arena_array(a, sections, sizeof(*t->total));
	t->witness = arena_array(a, sections, sizeof(*t->witness));
	t->crossing = arena_array(a, sections, sizeof(*t->crossing));
	t->maxraised = t->maxlifted = t->maxchoices = 4 * t->n;
	t->raised = arena_array(a, (size_t)t->maxraised, sizeof(*t->raised));
	t->lifted = arena_array(a, (size_t)t->maxlifted, sizeof(*t->lifted));
	t->choice = arena_array(a, (size_t)t->maxchoices, sizeof(*t->choice));
	/* each part has an item of its own, placed to split it or the last; and one to try */
	t->part = arena_array(a, n + 1, sizeof(*t->part));
	t->pending = arena_array(a, n, sizeof(*t->pending));
	t->waiting = arena_array(a, n, sizeof(*t->waiting));
	t->maxlist = 2 * t->n;
	t->list = arena_array(a, (size_t)t->maxlist, sizeof(*t->list));
	t->key = arena_array(a, n, sizeof(*t->key));
	t->sorted = arena_array(a, n, sizeof(*t->sorted));
}

struct tree *
tree_new(const struct instance *in, const struct crowd *crowd, const struct tree_key *key, int total_key)
{
	struct tree *t = ARENA_NEW(in->arena, struct tree);
	int i, r;

	t->arena = in->arena;
	t->crowd = crowd;
	t->job = crowd->job;
	t->n = in->n;
	t->sections = crowd->sections;
	t->padding = in->padding;
	t->words = (in->n + 63) / 64;
	make_room(t);
	for (r = 0; r < t->n; r++) {
		i = crowd->place[key[r].index];
		t->list[r] = t->by_rank[r] = i;
		t->rank[i] = r;
		t->key[i] = key[r];
		t->key[i].index = r;
		t->size[i] = t->job[i]->size;
		t->lower[i] = first_of(crowd, t->job[i]);
		t->upper[i] = end_of(crowd, t->job[i]);
		t->offset[i] = NOWHERE;
		flip(t->left, i);
	}
	find_mirrors(t);
	fill_sections(t);
	t->part[0] = (struct part){ 0, t->sections, -1, true, 0, t->n };
	t->total_key = total_key;
	return t;
}
