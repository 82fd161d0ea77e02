/* Orders of windows that were searched for before, by a hash of the window. */
#include "schedule/known_orders.h"

#include <string.h>

#include "base/vec.h"

#define MOST	4096	/* windows that are kept: half a megabyte at most, and no search for one takes longer than for its order */

struct known_orders {
	struct arena *arena;
	VEC(struct known_order) all;
};

struct known_orders *
known_orders_new(struct arena *a)
{
	struct known_orders *k = ARENA_NEW(a, struct known_orders);

	k->arena = a;
	return k;
}

const struct known_order *
known_orders_find(const struct known_orders *k, uint64_t key, int n)
{
	int i;

	for (i = 0; i < k->all.n; i++)
		if (k->all.v[i].key == key && k->all.v[i].n == n)
			return &k->all.v[i];
	return NULL;
}

int
known_orders_count(const struct known_orders *k)
{
	return k->all.n;
}

void
known_orders_keep(struct known_orders *k, const struct known_order *order)
{
	struct known_order new = *order;

	if (k->all.n == MOST)
		return;
	if (order->node) {
		new.node = arena_array(k->arena, (size_t)order->n, 1);
		memcpy(new.node, order->node, (size_t)order->n);
	}
	vec_push(k->arena, &k->all, new);
}
