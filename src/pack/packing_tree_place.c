/*
 * packing_tree_place: placing an item in a depth-first search, and taking it back; what is raised
 * for it is written down, and played back.
 */
#include "pack/packing_tree.h"

#include <string.h>

static void
log_change(struct arena *a, struct raised **log, int *n, int *max, int index, int64_t was)
{
	if (*n == *max) {
		int grown = 2 * *max;

		*log = arena_regrow(a, *log, (size_t)*max * sizeof(**log),
		    (size_t)grown * sizeof(**log));
		*max = grown;
	}
	(*log)[(*n)++] = (struct raised){ was, index };
}

static void
lift_floor(struct tree *t, int section, int64_t height)
{
	log_change(t->arena, &t->lifted, &t->nlifted, &t->maxlifted, section, t->floor[section]);
	t->floor[section] = height;
}

/* Nobody in the section can lie lower than the lowest minimum of those to come. */
static void
find_witness(struct tree *t, int section)
{
	const struct crowd *c = t->crowd;
	const uint64_t *within = c->within[section];
	int64_t lowest = INT64_MAX;
	uint64_t word;
	int w, i;

	for (w = c->first[section]; w < c->end[section]; w++)
		for (word = within[w - c->first[section]] & t->left[w]; word; word &= word - 1) {
			i = 64 * w + __builtin_ctzll(word);
			t->visits++;
			if (t->minimum[i] >= lowest)
				continue;
			lowest = t->minimum[i];
			t->witness[section] = i;
			if (lowest <= t->floor[section])
				return;
		}
	if (lowest != INT64_MAX)
		lift_floor(t, section, lowest);
}

/* By minimum, those of one minimum as one; returns how many are left. Minimums are ends of a few
 * that were placed. */
static int
sort_pending(struct pending *v, int n)
{
	int sorted = 0, i, lo, hi, mid;
	struct pending p;

	for (i = 0; i < n; i++) {
		p = v[i];
		for (lo = 0, hi = sorted; lo < hi;) {
			mid = (lo + hi) / 2;
			if (v[mid].minimum < p.minimum)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo < sorted && v[lo].minimum == p.minimum) {
			v[lo].size += p.size;
			continue;
		}
		memmove(v + lo + 1, v + lo, (size_t)(sorted - lo) * sizeof(*v));
		v[lo] = p;
		sorted++;
	}
	return sorted;
}

/* Those to come in a section lie one above the other, none below its minimum: the lowest end of all
 * is had in the order of their minimums. Where those at or below OFFSET reach up to all others, it
 * is OFFSET and the sum of all, which is known to fit. */
static bool
stack_fits(struct tree *t, int section, int64_t offset)
{
	const struct crowd *c = t->crowd;
	const uint64_t *within = c->within[section];
	struct pending *v = t->pending;
	int64_t top = offset, rest = 0, highest = 0;
	uint64_t word;
	int n = 0, w, i;

	for (w = c->first[section]; w < c->end[section]; w++)
		for (word = within[w - c->first[section]] & t->left[w]; word; word &= word - 1) {
			i = 64 * w + __builtin_ctzll(word);
			if (t->minimum[i] <= offset) {
				top += t->size[i];
				continue;
			}
			v[n++] = (struct pending){ t->minimum[i], t->size[i] };
			highest = t->minimum[i] > highest ? t->minimum[i] : highest;
			rest += t->size[i];
		}
	t->visits += 2 * n + c->end[section] - c->first[section];
	if (highest <= top || highest + rest <= t->padded)
		return true;
	n = sort_pending(v, n);
	for (i = 0; i < n; i++)
		top = (top > v[i].minimum ? top : v[i].minimum) + v[i].size;
	return top <= t->padded;
}

/* False if a section of the part cannot take what is to come above JOB, the last placed. */
static bool
sections_fit(struct tree *t, const struct part *p, int64_t offset, int job)
{
	const int64_t *total = t->total, *minimum = t->minimum, padded = t->padded;
	const uint64_t *to_come = t->left;
	const int *witness = t->witness;
	bool dives = t->dives;
	int s;

	t->visits += p->end - p->beg;
	for (s = p->beg; s < p->end; s++) {
		int64_t least = padded - total[s];
		int w = witness[s];

		/* the lowest is no higher than the witness: where that is low enough it need not be
		 * found yet. Where there will be other choices it is better found for all of them
		 * at once */
		if (total[s] == 0 || (dives && has(to_come, w) && minimum[w] <= least && offset <= least))
			continue;
		if (!has(to_come, w) || minimum[w] > t->floor[s])
			find_witness(t, s);
		if (t->floor[s] > least || offset > least)
			return false;
	}
	for (s = t->lower[job]; s < t->upper[job]; s++)
		if (t->total[s] && t->highest + t->total[s] > t->padded && !stack_fits(t, s, offset))
			return false;
	return true;
}

static inline void
raise_word(struct tree *t, int w, uint64_t word, int64_t height)
{
	int k;

	for (word &= t->left[w]; word; word &= word - 1) {
		k = 64 * w + __builtin_ctzll(word);
		if (t->minimum[k] >= height)
			continue;
		log_change(t->arena, &t->raised, &t->nraised, &t->maxraised, k, t->minimum[k]);
		t->minimum[k] = job_aligned(t->job[k], height);
		if (t->minimum[k] > t->highest)
			t->highest = t->minimum[k];
	}
}

/* Of those alive when job I is born, and of those born before it dies. */
static void
raise_minimums(struct tree *t, int i, int64_t height)
{
	const struct crowd *c = t->crowd;
	int s = t->lower[i], w, from = c->born[s + 1], end = c->born[t->upper[i]];

	for (w = c->first[s]; w < c->end[s]; w++)
		raise_word(t, w, c->within[s][w - c->first[s]], height);
	for (w = from >> 6; 64 * w < end; w++)
		raise_word(t, w, (64 * w < from ? UINT64_MAX << (from & 63) : UINT64_MAX) &
		    (64 * w + 64 > end ? UINT64_MAX >> (64 - (end & 63)) : UINT64_MAX), height);
}

bool
tree_place(struct tree *t, const struct part *p, int i)
{
	int64_t offset = t->minimum[i], height = offset + t->size[i];
	int s;

	t->offset[i] = offset;
	flip(t->left, i);
	t->placed[t->nplaced++] = i;
	if (t->same[i] >= 0) {
		t->below[i] = t->topmost[t->same[i]];
		t->topmost[t->same[i]] = i;
	}
	for (s = t->lower[i]; s < t->upper[i]; s++) {
		t->total[s] -= t->size[i];
		t->crossing[s] -= s + 1 < t->upper[i];
		if (t->floor[s] < height)
			lift_floor(t, s, height);
	}
	if (height - t->job[i]->tail > t->capacity)
		return false;
	raise_minimums(t, i, height);
	return sections_fit(t, p, offset, i);
}

void
tree_take_back(struct tree *t, struct frame *f)
{
	int s, i;

	while (t->nlifted > f->lifted) {
		t->nlifted--;
		t->floor[t->lifted[t->nlifted].index] = t->lifted[t->nlifted].was;
	}
	while (t->nraised > f->raised) {
		t->nraised--;
		t->minimum[t->raised[t->nraised].index] = t->raised[t->nraised].was;
	}
	while (t->nplaced > f->placed) {
		i = t->placed[--t->nplaced];
		t->offset[i] = NOWHERE;
		flip(t->left, i);
		if (t->same[i] >= 0)
			t->topmost[t->same[i]] = t->below[i];
		for (s = t->lower[i]; s < t->upper[i]; s++) {
			t->total[s] += t->size[i];
			t->crossing[s] += s + 1 < t->upper[i];
		}
	}
	t->nparts = f->parts;
	t->highest = f->highest;
	f->chosen = false;
}
