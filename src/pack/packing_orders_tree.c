/*
 * packing_orders_tree: a PQ-tree (Booth and Lueker, "Testing for the consecutive ones property,
 * interval graphs, and graph planarity using PQ-tree algorithms", 1976), which is a set of orders:
 * those that come of it when the children of P-nodes are put into any order and those of Q-nodes
 * are turned round or not. Asked that some leaves lie together, those orders remain in which they
 * do; these are a PQ-tree again.
 *
 * Trees are as large as what is alive at one time, and each is read as often as others go on from
 * it; so they are arrays that are copied, not nodes that point at each other, and to reduce one
 * takes the time that it takes to copy it. Templates are those of Booth and Lueker, from the root
 * of what is marked downwards.
 */
#include "pack/packing_orders.h"

#include <string.h>

void
orders_new(struct orders *o, struct arena *a, int most, int jobs)
{
	size_t n = (size_t)most;

	*o = (struct orders){ .most = most };
	o->mark = arena_array(a, (size_t)jobs, sizeof(*o->mark));
	o->leaves = arena_array(a, n, sizeof(*o->leaves));
	o->marked = arena_array(a, n, sizeof(*o->marked));
	o->made = arena_array(a, n, sizeof(*o->made));
	o->child = arena_array(a, n, sizeof(*o->child));
}

static void
count(struct orders *o, const struct node *t, int n)
{
	int i, c;

	for (i = n - 1; i >= 0; i--) {
		o->leaves[i] = t[i].what >= 0;
		o->marked[i] = t[i].what >= 0 && o->mark[t[i].what];
		for (c = i + 1; c < i + t[i].len; c += t[c].len) {
			o->leaves[i] += o->leaves[c];
			o->marked[i] += o->marked[c];
		}
	}
	o->looks += n;
}

static bool
is_empty(const struct orders *o, int i)
{
	return o->marked[i] == 0;
}

static bool
is_full(const struct orders *o, int i)
{
	return o->marked[i] == o->leaves[i];
}

/* ---- what is made ---- */

static int
open_node(struct orders *o, int what)
{
	o->made[o->nmade] = (struct node){ what, 0 };
	return o->nmade++;
}

/* A node of one child is that child, and of two there is one order and its reverse in any case. */
static void
close_node(struct orders *o, int node)
{
	int c, n = 0;

	o->made[node].len = o->nmade - node;
	for (c = node + 1; c < o->nmade; c += o->made[c].len)
		n++;
	if (n == 0) {
		o->nmade = node;
	} else if (n == 1) {
		memmove(o->made + node, o->made + node + 1, (size_t)(o->nmade - node - 1) * sizeof(*o->made));
		o->nmade--;
	} else if (n == 2) {
		o->made[node].what = ANY_ORDER;
	}
}

static void
add(struct orders *o, const struct node *from, int n)
{
	memcpy(o->made + o->nmade, from, (size_t)n * sizeof(*from));
	o->nmade += n;
}

/* A child that is marked goes where something is put in its place. */
static void
add_child(struct orders *o, const struct node *t, int c)
{
	if (is_empty(o, c) || !o->put)
		add(o, t + c, t[c].len);
}

/* The children of a P-node that are marked, or that are not, as one. */
static void
add_alike(struct orders *o, const struct node *t, int i, bool marked)
{
	int node, c;

	if (marked && o->put)
		return;
	node = open_node(o, ANY_ORDER);
	for (c = i + 1; c < i + t[i].len; c += t[c].len)
		if (marked ? is_full(o, c) : is_empty(o, c))
			add(o, t + c, t[c].len);
	close_node(o, node);
}

static int
list_children(struct orders *o, const struct node *t, int i)
{
	int from = o->children, c;

	for (c = i + 1; c < i + t[i].len; c += t[c].len)
		o->child[o->children++] = c;
	return o->children - from;
}

/* Those of a Q-node, from what is not marked to what is, at most one between that is in part;
 * false: they do not lie so. */
static bool
turn_children(const struct orders *o, int *child, int n)
{
	int i, k, last = 0, rank;

	if (is_full(o, child[0]) || is_empty(o, child[n - 1]))
		for (i = 0, k = n - 1; i < k; i++, k--) {
			int other = child[i];

			child[i] = child[k];
			child[k] = other;
		}
	for (i = 0; i < n; i++) {
		rank = is_empty(o, child[i]) ? 0 : is_full(o, child[i]) ? 2 : 1;
		if (rank < last || (rank == 1 && last == 1))
			return false;
		last = rank;
	}
	return true;
}

/* A node that is marked in part becomes children of a Q-node: what is marked comes last, or
 * first. */
static bool
add_part(struct orders *o, const struct node *t, int i, bool marked_last)
{
	int from = o->children, n = list_children(o, t, i), *child = o->child + from, part = -1, k, c;
	bool right = true;

	if (t[i].what == EITHER_WAY) {
		right = turn_children(o, child, n);
		for (k = 0; k < n && right; k++) {
			c = child[marked_last ? k : n - 1 - k];
			if (is_empty(o, c) || is_full(o, c))
				add_child(o, t, c);
			else
				right = add_part(o, t, c, marked_last);
		}
		o->children = from;
		return right;
	}
	for (k = 0; k < n; k++)
		if (!is_empty(o, child[k]) && !is_full(o, child[k])) {
			right &= part < 0;
			part = child[k];
		}
	o->children = from;
	if (!right)
		return false;
	add_alike(o, t, i, !marked_last);
	if (part >= 0 && !add_part(o, t, part, marked_last))
		return false;
	add_alike(o, t, i, marked_last);
	return true;
}

static void
add_put(struct orders *o)
{
	if (o->put)
		add(o, o->put, o->nput);
}

/* The root of what is marked, where that is a P-node. */
static bool
reduce_any(struct orders *o, const struct node *t, int r)
{
	int part[2], parts = 0, c, node, line;

	for (c = r + 1; c < r + t[r].len; c += t[c].len) {
		if (is_empty(o, c) || is_full(o, c))
			continue;
		if (parts == 2)
			return false;
		part[parts++] = c;
	}
	node = open_node(o, ANY_ORDER);
	for (c = r + 1; c < r + t[r].len; c += t[c].len)
		if (is_empty(o, c))
			add(o, t + c, t[c].len);
	line = open_node(o, EITHER_WAY);
	if (parts > 0 && !add_part(o, t, part[0], true))
		return false;
	add_put(o);
	add_alike(o, t, r, true);
	if (parts > 1 && !add_part(o, t, part[1], false))
		return false;
	close_node(o, line);
	close_node(o, node);
	return true;
}

/* The same of a Q-node. */
static bool
reduce_row(struct orders *o, const struct node *t, int r)
{
	int n, *child = o->child, first, last, k, node;
	bool right = true;

	o->children = 0;
	n = list_children(o, t, r);
	for (first = 0; is_empty(o, child[first]); first++)
		;
	for (last = n - 1; is_empty(o, child[last]); last--)
		;
	node = open_node(o, EITHER_WAY);
	for (k = 0; k < n && right; k++) {
		if (k == first + 1)
			add_put(o);
		if (is_empty(o, child[k]) || is_full(o, child[k])) {
			right = k <= first || k >= last || is_full(o, child[k]);
			add_child(o, t, child[k]);
		} else {
			right = (k == first || k == last) && add_part(o, t, child[k], k == first);
		}
	}
	close_node(o, node);
	return right;
}

bool
orders_reduce(struct orders *o, const struct node *t, int n, int marked, const struct node *put, int nput)
{
	int r = 0, c, i, more;
	bool right = true;

	o->put = put;
	o->nput = nput;
	o->children = 0;
	count(o, t, n);
	while (!is_full(o, r)) {
		for (c = r + 1; c < r + t[r].len && o->marked[c] < marked; c += t[c].len)
			;
		if (c == r + t[r].len)
			break;
		r = c;
	}
	o->nmade = 0;
	add(o, t, r);
	if (is_full(o, r) && put)
		add_put(o);
	else if (is_full(o, r))
		add(o, t + r, t[r].len);
	else
		right = t[r].what == ANY_ORDER ? reduce_any(o, t, r) : reduce_row(o, t, r);
	if (!right)
		return false;
	more = o->nmade - r - t[r].len;
	for (i = 0; i < r; i++)
		if (t[i].what < 0 && i + t[i].len > r)
			o->made[i].len += more;
	add(o, t + r + t[r].len, n - r - t[r].len);
	o->looks += n;
	return true;
}
