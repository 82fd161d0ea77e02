/*
 * packing_check: is a packing right? Independent of the solver: it knows instants, not sections,
 * and compares every two items that could touch.
 *
 * A sweep over time keeps those alive sorted by offset. As long as no fault was found they are
 * disjoint, so a newcomer need only be compared with its two neighbours.
 */
#include "pack/packing.h"

#include <stdlib.h>

#include "base/marks.h"

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

/* Those alive, by their rank among all when sorted by offset. */
struct alive {
	const struct packing *p;
	int *by_rank, *rank;
	struct marks marks;
};

struct place {
	int64_t offset;
	int item;
};

static int
by_offset(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return a->item - b->item;
}

static struct alive
rank_items(struct arena *a, const struct packing *p)
{
	size_t n = (size_t)p->n + 1;
	struct place *place = arena_array(a, n, sizeof(*place));
	struct alive l = { .p = p, .by_rank = arena_array(a, n, sizeof(int)),
		.rank = arena_array(a, n, sizeof(int)) };
	int i;

	for (i = 0; i < p->n; i++)
		place[i] = (struct place){ p->item[i].offset, i };
	qsort(place, (size_t)p->n, sizeof(*place), by_offset);
	for (i = 0; i < p->n; i++) {
		l.by_rank[i] = place[i].item;
		l.rank[place[i].item] = i;
	}
	marks_init(&l.marks, a, p->n);
	return l;
}

/* The item that the newcomer overlaps, or -1. */
static int
come_alive(struct alive *l, int i)
{
	const struct item *it = &l->p->item[i], *near;
	int below = marks_prev(&l->marks, l->rank[i]), above = marks_next(&l->marks, l->rank[i]);

	if (above >= 0) {
		near = &l->p->item[l->by_rank[above]];
		if (near->offset < it->offset + it->size)
			return l->by_rank[above];
	}
	if (below >= 0) {
		near = &l->p->item[l->by_rank[below]];
		if (near->offset + near->size > it->offset)
			return l->by_rank[below];
	}
	marks_set(&l->marks, l->rank[i]);
	return -1;
}

enum packing_fault
packing_check(struct arena *a, const struct packing *p, int64_t capacity, int *first, int *second)
{
	struct event *event = arena_array(a, 2 * (size_t)p->n + 1, sizeof(*event));
	struct alive l;
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
	l = rank_items(a, p);
	qsort(event, (size_t)n, sizeof(*event), by_time);
	for (i = 0; i < n; i++) {
		*first = event[i].item;
		if (!event[i].born)
			marks_clear(&l.marks, l.rank[*first]);
		else if ((*second = come_alive(&l, *first)) >= 0)
			return PACKING_OVERLAP;
	}
	return PACKING_RIGHT;
}
