/*
 * packing_form: an instance in the form that the packer works on (packing_impl.h). O(n log n).
 */
#include "pack/packing_impl.h"

#include <stdlib.h>

#include "base/gcd.h"

/* Instants as small numbers: as they are where they are dense, else by their rank. */
struct times {
	int64_t first;
	int64_t *sorted;	/* NULL: subtract the first */
	int n;
};

static int
by_value(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

static struct times
find_times(struct arena *a, const struct packing *p)
{
	struct times t = { .first = INT64_MAX };
	int64_t last = INT64_MIN, span;
	int i;

	for (i = 0; i < p->n; i++) {
		t.first = p->item[i].lower < t.first ? p->item[i].lower : t.first;
		last = p->item[i].upper > last ? p->item[i].upper : last;
	}
	if (!__builtin_sub_overflow(last, t.first, &span) && span < 4 * (int64_t)p->n)
		return t;
	t.sorted = arena_array(a, 2 * (size_t)p->n + 1, sizeof(*t.sorted));
	for (i = 0; i < p->n; i++) {
		t.sorted[2 * i] = p->item[i].lower;
		t.sorted[2 * i + 1] = p->item[i].upper;
	}
	qsort(t.sorted, 2 * (size_t)p->n, sizeof(*t.sorted), by_value);
	for (i = 0; i < 2 * p->n; i++)
		if (t.n == 0 || t.sorted[i] != t.sorted[t.n - 1])
			t.sorted[t.n++] = t.sorted[i];
	return t;
}

static int
rank_of(const struct times *t, int64_t time)
{
	int lo = 0, hi = t->n, mid;

	if (!t->sorted)
		return (int)(time - t->first);
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (t->sorted[mid] < time)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Padded sizes; tails where the topmost need not be padded. Items without bytes lie at 0. */
static int
fill_jobs(struct arena *a, struct packing *p, struct job *job)
{
	struct times times = find_times(a, p);
	int64_t divisor = packing_divisor(p), align;
	int i, n = 0;

	for (i = 0; i < p->n; i++) {
		const struct item *it = &p->item[i];
		struct job *j = &job[n];

		p->item[i].offset = 0;
		if (it->size == 0 || it->lower >= it->upper)
			continue;
		n++;
		align = packing_alignment(p, it);
		j->size = (it->size + divisor - 1) / divisor * divisor;
		j->tail = it->alignment > 0 ? j->size - it->size : 0;
		j->align = align == divisor ? 1 : align;
		j->lower = rank_of(&times, it->lower);
		j->upper = rank_of(&times, it->upper);
		j->life = (double)it->upper - (double)it->lower;
		j->index = i;
	}
	return n;
}

/* The jobs whose FIRST is an instant, in a list each. */
static int *
by_instant(struct arena *a, const struct job *job, int n, int end, bool upper, int *next)
{
	int *head = arena_array(a, (size_t)end + 1, sizeof(*head)), i, t;

	for (t = 0; t <= end; t++)
		head[t] = -1;
	for (i = n - 1; i >= 0; i--) {
		t = upper ? job[i].upper : job[i].lower;
		next[i] = head[t];
		head[t] = i;
	}
	return head;
}

/* Instants to sections: one ends where something dies, if anything was born since the one before
 * ended; a slice ends there in any case. Sorts jobs by birth; a piece ends where nothing is
 * alive. */
static void
cut(struct arena *a, struct arena *scratch, struct pieces *p, const struct job *job, int n)
{
	int *next_born = arena_array(scratch, (size_t)n + 1, sizeof(int));
	int *next_dead = arena_array(scratch, (size_t)n + 1, sizeof(int));
	int *place = arena_array(scratch, (size_t)n + 1, sizeof(int));
	int *born, *dead, end = 0, section = 0, slice = 0, alive = 0, t, i;
	struct instance *in = NULL;
	bool fresh = false;

	for (i = 0; i < n; i++)
		end = job[i].upper > end ? job[i].upper : end;
	born = by_instant(scratch, job, n, end, false, next_born);
	dead = by_instant(scratch, job, n, end, true, next_dead);
	for (t = 0; t <= end; t++) {
		if (dead[t] >= 0 && fresh) {
			section++;
			fresh = false;
		}
		slice += dead[t] >= 0;
		for (i = dead[t]; i >= 0; i = next_dead[i], alive--) {
			p->job[place[i]].upper = section;
			p->job[place[i]].dead = slice;
		}
		if (alive == 0 && in) {
			in->sections = section;
			in->slices = slice;
			in = NULL;
		}
		for (i = born[t]; i >= 0; i = next_born[i], alive++) {
			if (!in) {
				in = &p->v[p->n++];
				*in = (struct instance){ .arena = a, .job = p->job + p->jobs };
				section = slice = 0;
			}
			place[i] = p->jobs;
			p->job[p->jobs] = job[i];
			p->job[p->jobs].born = slice;
			p->job[p->jobs++].lower = section;
			in->n++;
			fresh = true;
		}
	}
}

void
packing_measure(struct instance *in, int64_t padding)
{
	struct arena *scratch = arena_child(in->arena);
	int64_t *tail = arena_array(scratch, (size_t)in->sections + 1, sizeof(*tail)), live = 0;
	int i, s;

	in->padding = 1;
	in->unit = 0;
	in->max_live = 0;
	in->live = arena_array(in->arena, (size_t)in->sections + 1, sizeof(*in->live));
	for (i = 0; i < in->n; i++) {
		const struct job *j = &in->job[i];

		in->live[j->lower] += j->size;
		in->live[j->upper] -= j->size;
		in->unit = gcd(gcd(in->unit, j->size), j->align > 1 ? j->align : 0);
		if (j->tail) {
			in->unit = 1;
			in->padding = padding;
		}
		for (s = j->lower; j->tail && s < j->upper; s++)
			tail[s] = j->tail > tail[s] ? j->tail : tail[s];
	}
	for (s = 0; s < in->sections; s++) {
		live += in->live[s];
		in->live[s] = live;
		tail[s] = live - tail[s];	/* what is needed */
		in->max_live = tail[s] > in->max_live ? tail[s] : in->max_live;
	}
	in->max_live = packing_aligned(scratch, in, padding, tail, in->max_live);
	arena_free(scratch);
}

bool
packing_is_aligned(const struct instance *in)
{
	int i;

	for (i = 0; i < in->n; i++)
		if (in->job[i].align > 1 || in->job[i].tail > 0)
			return true;
	return false;
}

struct pieces
packing_form(struct arena *a, struct packing *p)
{
	struct arena *scratch = arena_child(a);
	struct job *job = arena_array(scratch, (size_t)p->n + 1, sizeof(*job));
	struct pieces pieces = { .job = arena_array(a, (size_t)p->n + 1, sizeof(*job)) };
	int64_t padding = packing_divisor(p);
	int n = fill_jobs(scratch, p, job), i;

	pieces.v = arena_array(a, (size_t)n + 1, sizeof(*pieces.v));
	cut(a, scratch, &pieces, job, n);
	arena_free(scratch);
	for (i = 0; i < pieces.n; i++)
		packing_measure(&pieces.v[i], padding);
	return pieces;
}
