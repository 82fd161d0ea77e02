/*
 * packing_tree_new: what a search needs to know of its instance, by rank: who overlaps whom, who is
 * alike, who is alive in which section. Quadratic in the number of items, but in words of bits for pairs.
 */
#include "pack/packing_tree.h"

#include <string.h>

static bool
exchangeable(const struct job *j)
{
	return j->tail == 0 && (j->align <= 1 || j->size % j->align == 0);
}

/* Links those alike, and numbers the lifetimes that several have. */
static void
find_mirrors(struct tree *t)
{
	int *last = arena_array(t->arena, (size_t)t->sections + 1, sizeof(*last));	/* born there */
	int *before = arena_array(t->arena, (size_t)t->n + 1, sizeof(*before)), i, k, classes = 0;

	memset(last, -1, (size_t)t->sections * sizeof(*last));
	for (i = 0; i < t->n; i++) {
		const struct job *a = t->job[i], *b;

		before[i] = last[a->lower];
		last[a->lower] = i;
		t->twin[i] = t->same[i] = -1;
		for (k = before[i]; k >= 0; k = before[k]) {
			b = t->job[k];
			if (a->upper != b->upper || a->align != b->align || a->tail != b->tail)
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

/* By section: those with EDGE there or before it. */
static uint64_t *
sets_up_to(struct tree *t, const int *edge)
{
	size_t words = (size_t)t->words;
	uint64_t *set = arena_array(t->arena, ((size_t)t->sections + 1) * words, sizeof(*set));
	size_t k;
	int i;

	for (i = 0; i < t->n; i++)
		flip(set + (size_t)edge[i] * words, i);
	for (k = words; k < ((size_t)t->sections + 1) * words; k++)
		set[k] |= set[k - words];
	return set;
}

/* Of those born before it dies, the ones that are not dead when it is born. */
static void
find_overlaps(struct tree *t)
{
	const uint64_t *born = sets_up_to(t, t->lower), *dead = sets_up_to(t, t->upper);
	size_t words = (size_t)t->words, k;
	int i;

	t->overlap = arena_array(t->arena, (size_t)t->n * words, sizeof(*t->overlap));
	for (i = 0; i < t->n; i++) {
		const uint64_t *b = born + ((size_t)t->upper[i] - 1) * words;
		const uint64_t *d = dead + (size_t)t->lower[i] * words;
		uint64_t *set = t->overlap + (size_t)i * words;

		for (k = 0; k < words; k++)
			set[k] = b[k] & ~d[k];
		flip(set, i);
	}
}

static void
fill_sections(struct tree *t)
{
	int i, s;

	t->within = arena_array(t->arena, (size_t)t->sections * (size_t)t->words,
	    sizeof(*t->within));
	for (i = t->n - 1; i >= 0; i--)
		for (s = t->lower[i]; s < t->upper[i]; s++) {
			flip(t->within + (size_t)s * (size_t)t->words, i);
			t->total[s] += t->size[i];
			t->crossing[s] += s + 1 < t->upper[i];
			t->witness[s] = i;
		}
}

static void
make_room(struct tree *t)
{
	struct arena *a = t->arena;
	size_t n = (size_t)t->n + 1, sections = (size_t)t->sections + 1;

	t->job = arena_array(a, n, sizeof(*t->job));
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
	t->maxraised = t->maxlifted = t->maxchoices = 16 * t->n;
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
tree_new(const struct instance *in, const struct tree_key *key, int total_key)
{
	struct tree *t = ARENA_NEW(in->arena, struct tree);
	int i;

	t->arena = in->arena;
	t->n = in->n;
	t->sections = in->sections;
	t->padding = in->padding;
	t->words = (in->n + 63) / 64;
	make_room(t);
	for (i = 0; i < t->n; i++) {
		t->key[i] = key[i];
		t->list[i] = t->key[i].index = i;
		t->job[i] = &in->job[key[i].index];
		t->size[i] = t->job[i]->size;
		t->lower[i] = t->job[i]->lower;
		t->upper[i] = t->job[i]->upper;
		t->offset[i] = NOWHERE;
		flip(t->left, i);
	}
	find_mirrors(t);
	find_overlaps(t);
	fill_sections(t);
	t->part[0] = (struct part){ 0, t->sections, -1, true, 0, t->n };
	t->total_key = total_key;
	return t;
}
