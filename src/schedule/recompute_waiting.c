/* Choices that wait (recompute_waiting.h): a ring that is sorted by peaks. */
#include "schedule/recompute_waiting.h"

void
waiting_init(struct waiting *w, struct model *m, int room)
{
	int i;

	*w = (struct waiting){ .room = room };
	for (i = 0; i < room; i++)
		w->v[i].steps = steps_new(m);
}

bool
waiting_is_full(const struct waiting *w)
{
	return w->n == w->room;
}

static struct waiting_choice *
at(struct waiting *w, int i)
{
	return &w->v[(w->front + i) % w->room];
}

static void
swap(struct waiting *w, int i, int k)
{
	struct waiting_choice c = *at(w, i);

	*at(w, i) = *at(w, k);
	*at(w, k) = c;
}

void
waiting_put(struct waiting *w, const struct steps *steps, int64_t most)
{
	int i = w->n;

	steps_copy(&at(w, i)->steps, steps);
	at(w, i)->most = most;
	for (w->n++; i > 0 && at(w, i - 1)->steps.peak < steps->peak; i--)
		swap(w, i - 1, i);
}

struct steps *
waiting_first(struct waiting *w)
{
	return w->n > 0 ? &at(w, 0)->steps : NULL;
}

void
waiting_take(struct waiting *w)
{
	w->front = (w->front + 1) % w->room;
	w->n--;
}

int
waiting_displace(struct waiting *w, const struct steps *made, int64_t *dearer)
{
	int n = 0, kept = 0, i;

	for (i = 0; i < w->n; i++) {
		const struct waiting_choice *c = at(w, i);

		if (c->steps.cost < made->cost || c->steps.peak < made->peak)
			swap(w, kept++, i);
		else if (c->steps.cost > made->cost)
			dearer[n++] = c->most;
	}
	w->n = kept;
	return n;
}
