/*
 * packing_orders_place: what begins and ends at each instant, for sweeps that keep all orders; and
 * the offsets, once the groups of all instants are known.
 *
 * The groups are a planar graph: each is a vertex, and each job an edge from the group that it
 * begins with to the one that it ends with. Sizes flow along the edges, and none is lost. So what
 * lies below a job is the same all its life, and that is its offset. The order at the last
 * instant is any of those that are left. Then, back in time, what began in a group is replaced by
 * what ended there, in an order that the tree of that time allows.
 */
#include "pack/packing_orders.h"

#include <stdlib.h>
#include <string.h>

/* A group, and all orders in which what ends in it lies together. */
struct kept {
	struct node *tree;
	int n;
	const int *group;	/* how many end, how many begin, and which */
};

int
orders_begin(const struct ends *e, struct node *tree)
{
	int i, n = 0;

	if (ends_born(e, 0) > 1)
		tree[n++] = (struct node){ ANY_ORDER, ends_born(e, 0) + 1 };
	for (i = e->first_born[0]; i < e->first_born[1]; i++)
		tree[n++] = (struct node){ e->born[i], 1 };
	return n;
}

bool
orders_look_ahead(struct orders *o, const struct ends *e, int now, struct node *tree, int *n)
{
	int i, k, end, last = -1;
	bool right = true;

	for (i = e->first_born[now]; i < e->first_born[now + 1] && right; i++) {
		end = e->end[e->born[i]];
		if (end == last || end >= e->instants || e->together[end] != now)
			continue;
		last = end;
		for (k = e->first_dead[end]; k < e->first_dead[end + 1]; k++)
			o->mark[e->dead[k]] = true;
		right = orders_reduce(o, tree, *n, ends_dead(e, end), NULL, 0);
		for (k = e->first_dead[end]; k < e->first_dead[end + 1]; k++)
			o->mark[e->dead[k]] = false;
		if (right)
			memcpy(tree, o->made, (size_t)o->nmade * sizeof(*tree));
		*n = o->nmade;
	}
	return right;
}

/* ---- forward: the tree of each group ---- */

/* The tree in which GROUP lies together, to be kept, and TREE as it goes on. */
static void
fill_group(struct arena *a, struct orders *o, const int *group, struct node *tree, int *n, struct kept *to)
{
	struct node *put = arena_array(a, (size_t)group[1] + 1, sizeof(*put));
	int i, nput = 0;

	if (group[1] > 1)
		put[nput++] = (struct node){ ANY_ORDER, group[1] + 1 };
	for (i = 0; i < group[1]; i++)
		put[nput++] = (struct node){ group[2 + group[0] + i], 1 };
	for (i = 0; i < group[0]; i++)
		o->mark[group[2 + i]] = true;
	orders_reduce(o, tree, *n, group[0], NULL, 0);
	to->tree = arena_array(a, (size_t)o->nmade, sizeof(*to->tree));
	memcpy(to->tree, o->made, (size_t)o->nmade * sizeof(*tree));
	to->n = o->nmade;
	to->group = group;
	orders_reduce(o, tree, *n, group[0], put, nput);
	memcpy(tree, o->made, (size_t)o->nmade * sizeof(*tree));
	*n = o->nmade;
	for (i = 0; i < group[0]; i++)
		o->mark[group[2 + i]] = false;
}

/* All groups of all steps, the last of which comes first; how many. */
static int
fill_all(struct arena *a, const struct ends *e, struct orders *o, const struct step **step, int steps,
    struct node *tree, int *n, struct kept *kept)
{
	int i, k, groups = 0;

	*n = orders_begin(e, tree);
	orders_look_ahead(o, e, 0, tree, n);
	for (i = steps - 1; i >= 0; i--) {
		const struct groups *g = &step[i]->groups;

		for (k = 0; k < g->n; k += 2 + g->v[k] + g->v[k + 1])
			fill_group(a, o, g->v + k, tree, n, &kept[groups++]);
		orders_look_ahead(o, e, step[i]->at, tree, n);
	}
	return groups;
}

/* ---- backward: the order at each ---- */

struct place {
	int *at;		/* by job: in the order */
	int *order, n;		/* jobs, upwards */
	int *key;		/* by node: the lowest place in its subtree */
	struct child {
		int key, node;
	} *child;		/* room for those of one way down */
};

static int
by_key(const void *x, const void *y)
{
	const struct child *a = x, *b = y;

	return a->key != b->key ? a->key - b->key : a->node - b->node;
}

/* The leaves of a tree in an order that it allows, by their places, where some have the same. */
static void
write_order(struct place *p, const struct node *t, int n)
{
	int i, c, k, waiting = 0, children, last;

	for (i = n - 1; i >= 0; i--) {
		p->key[i] = t[i].what >= 0 ? p->at[t[i].what] : INT32_MAX;
		for (c = i + 1; c < i + t[i].len; c += t[c].len)
			p->key[i] = p->key[c] < p->key[i] ? p->key[c] : p->key[i];
	}
	p->n = 0;
	p->child[waiting++].node = 0;
	while (waiting > 0) {		/* the next is the last */
		i = p->child[--waiting].node;
		if (t[i].what >= 0) {
			p->order[p->n++] = t[i].what;
			continue;
		}
		for (children = 0, last = i, c = i + 1; c < i + t[i].len; last = c, c += t[c].len)
			p->child[waiting + children++] = (struct child){ -p->key[c], c };
		if (t[i].what == ANY_ORDER) {
			qsort(p->child + waiting, (size_t)children, sizeof(*p->child), by_key);
		} else if (p->key[last] > p->key[i + 1]) {
			for (k = 0; k < children / 2; k++) {
				struct child other = p->child[waiting + k];

				p->child[waiting + k] = p->child[waiting + children - 1 - k];
				p->child[waiting + children - 1 - k] = other;
			}
		}
		waiting += children;
	}
}

static void
set_offsets(const struct ends *e, const struct place *p, int64_t *offset)
{
	int64_t at = 0;
	int i;

	for (i = 0; i < p->n; i++) {
		offset[p->order[i]] = at;
		at += e->in->job[p->order[i]].size;
	}
}

void
orders_place(struct arena *a, const struct ends *e, struct orders *o, const struct step *last, int64_t *offset)
{
	const struct step *step, **list;
	struct kept *kept = arena_array(a, (size_t)e->in->n + 1, sizeof(*kept));
	struct node *tree = arena_array(a, (size_t)o->most, sizeof(*tree));
	struct place p = { .at = arena_array(a, (size_t)e->in->n, sizeof(*p.at)) };
	int n, steps = 0, groups, i, k;

	p.order = arena_array(a, (size_t)o->most, sizeof(*p.order));
	p.key = arena_array(a, (size_t)o->most, sizeof(*p.key));
	p.child = arena_array(a, (size_t)o->most, sizeof(*p.child));
	for (step = last; step; step = step->before)
		steps++;
	list = arena_array(a, (size_t)steps + 1, sizeof(*list));
	for (steps = 0, step = last; step; step = step->before)
		list[steps++] = step;
	groups = fill_all(a, e, o, list, steps, tree, &n, kept);
	write_order(&p, tree, n);
	set_offsets(e, &p, offset);
	for (k = groups - 1; k >= 0; k--) {
		const int *group = kept[k].group, *born = group + 2 + group[0];

		for (i = 0; i < p.n; i++)
			p.at[p.order[i]] = i;
		for (i = 0; i < group[0]; i++)
			p.at[group[2 + i]] = p.at[born[0]];
		write_order(&p, kept[k].tree, kept[k].n);
		set_offsets(e, &p, offset);
	}
}
