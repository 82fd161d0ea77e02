/*
 * packing_check: is a packing right? Independent of the solver: it knows instants, not sections, and
 * compares every two items that could touch.
 *
 * A sweep over time keeps those alive sorted by offset. As long as no fault was found they are
 * disjoint, so a newcomer need only be compared with its two neighbours.
 */
#include "plan/packing.h"

#include <stdlib.h>
#include <string.h>

struct event {
	int64_t time;
	int born;		/* deaths before births at one instant */
	int item;
};

static int
by_time(const void *x, const void *y)
{
	const struct event *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->born != b->born ? a->born - b->born : a->item - b->item;
}

static enum packing_fault
check_place(const struct packing *p, const struct item *it, int64_t capacity)
{
	int64_t align = it->alignment > 0 ? it->alignment : p->alignment > 1 ? p->alignment : 1;
	int64_t end;

	if (it->offset < 0 || __builtin_add_overflow(it->offset, it->size, &end) ||
	    end > capacity)
		return PACKING_OUTSIDE;
	return it->offset % align ? PACKING_MISALIGNED : PACKING_RIGHT;
}

struct alive {
	const struct packing *p;
	int *v, n;
};

/* The first that does not lie below OFFSET. */
static int
position(const struct alive *l, int64_t offset)
{
	int lo = 0, hi = l->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (l->p->item[l->v[mid]].offset < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The item that the newcomer overlaps, or -1. */
static int
come_alive(struct alive *l, int i)
{
	const struct item *it = &l->p->item[i], *below, *above;
	int at = position(l, it->offset);

	above = at < l->n ? &l->p->item[l->v[at]] : NULL;
	below = at > 0 ? &l->p->item[l->v[at - 1]] : NULL;
	if (above && above->offset < it->offset + it->size)
		return l->v[at];
	if (below && below->offset + below->size > it->offset)
		return l->v[at - 1];
	memmove(l->v + at + 1, l->v + at, (size_t)(l->n - at) * sizeof(*l->v));
	l->v[at] = i;
	l->n++;
	return -1;
}

static void
die(struct alive *l, int i)
{
	int at = position(l, l->p->item[i].offset);

	l->n--;
	memmove(l->v + at, l->v + at + 1, (size_t)(l->n - at) * sizeof(*l->v));
}

enum packing_fault
packing_check(struct arena *a, const struct packing *p, int64_t capacity, int *first, int *second)
{
	struct event *event = arena_array(a, 2 * (size_t)p->n + 1, sizeof(*event));
	struct alive l = { p, arena_array(a, (size_t)p->n + 1, sizeof(*l.v)), 0 };
	enum packing_fault fault;
	int i, n = 0;

	for (i = 0; i < p->n; i++) {
		const struct item *it = &p->item[i];

		*first = *second = i;
		fault = check_place(p, it, capacity);
		if (fault != PACKING_RIGHT)
			return fault;
		if (it->size == 0 || it->lower >= it->upper)
			continue;
		event[n++] = (struct event){ it->lower, 1, i };
		event[n++] = (struct event){ it->upper, 0, i };
	}
	qsort(event, (size_t)n, sizeof(*event), by_time);
	for (i = 0; i < n; i++) {
		*first = event[i].item;
		if (!event[i].born)
			die(&l, *first);
		else if ((*second = come_alive(&l, *first)) >= 0)
			return PACKING_OVERLAP;
	}
	return PACKING_RIGHT;
}
