/*
 * The best order of the nodes of one window, by dynamic programming over the sets of nodes already
 * run; see order.c.
 */
#include "schedule/order_impl.h"

#include <assert.h>
#include <string.h>

#include "schedule/known_orders.h"

#define FEW	12	/* sets are sorted by insertion */

/* ---- a window as a problem ---- */

static int
class_of(struct order *o, int v, const struct window *w)
{
	int root = v < 0 ? -1 : o->now.m->value[v].root;

	if (root < 0 || o->now.m->value[root].persistent)
		return -1;
	if (!o->now.class_of[root]) {
		assert(o->nclasses < (int)(sizeof(o->class) / sizeof(*o->class)));
		o->class[o->nclasses] = (struct class){ 0, 0, o->now.m->value[root].bytes,
		    o->now.last[root] < w->end && !o->now.result[root] };
		o->now.class_of[root] = ++o->nclasses;
	}
	return o->now.class_of[root] - 1;
}

static bool
add_use(struct job *j, int class)
{
	int i;

	for (i = 0; i < j->nuses; i++)
		if (j->uses[i] == class)
			return true;
	if (j->nuses == ORDER_USES)
		return false;
	j->uses[j->nuses++] = class;
	return true;
}

/* Two nodes keep their order if either writes bytes that both use. */
static bool
depends(const struct model *m, int earlier, int later)
{
	const struct model_node *a = &m->node[earlier], *b = &m->node[later];
	int i, k;

	if ((a->node->op->flags & b->node->op->flags & OP_SIDE_EFFECT))
		return true;
	for (i = 0; i < b->nin + b->nout; i++) {
		int y = i < b->nin ? b->in[i] : b->out[i - b->nin];

		for (k = 0; y >= 0 && k < a->nin + a->nout; k++) {
			int x = k < a->nin ? a->in[k] : a->out[k - a->nin];

			if (x >= 0 && m->value[x].root == m->value[y].root &&
			    (k >= a->nin || i >= b->nin))
				return true;
		}
	}
	return false;
}

static bool
describe_job(struct order *o, const struct window *w, int i)
{
	const struct model *m = o->now.m;
	const struct model_node *n = &m->node[w->beg + i];
	struct job *j = &o->job[i];
	int k, c;

	memset(j, 0, sizeof(*j));
	j->work = n->work;
	for (k = 0; k < n->nin + n->nout; k++) {
		int v = k < n->nin ? n->in[k] : n->out[k - n->nin];

		if ((c = class_of(o, v, w)) < 0)
			continue;
		o->class[c].users |= (uint64_t)1 << i;
		if (!add_use(j, c))
			return false;
		if (k >= n->nin && m->value[v].root == v) {
			j->made += o->class[c].bytes;
			o->class[c].makers |= (uint64_t)1 << i;
		}
		if (k < n->nin && (n->node->op->memory.inplace >> k & 1) && n->nout && n->out[0] >= 0 &&
		    m->value[n->out[0]].root == n->out[0] && j->nover < 4 &&
		    o->class[c].bytes == m->value[n->out[0]].bytes) {
			j->over[j->nover++] = c;
			j->in_place = o->class[c].bytes;
		}
	}
	for (k = 0; k < i; k++)
		if (depends(m, w->beg + k, w->beg + i))
			j->before |= (uint64_t)1 << k;
	return true;
}

/* What dies in the window, in the form in which it is asked of every set. */
static void
list_deaths(const struct order *o, struct job *j)
{
	int k;

	for (k = 0; k < j->nover; k++)
		if (o->class[j->over[k]].dies)
			j->overwrites[j->noverwrites++] = o->class[j->over[k]].users;
	for (k = 0; k < j->nuses; k++) {
		const struct class *c = &o->class[j->uses[k]];

		if (c->dies)
			j->death[j->ndeaths++] = (struct death){ c->users, c->bytes };
	}
}

static bool
describe(struct order *o, const struct window *w)
{
	const struct model *m = o->now.m;
	bool small = true;
	int i, k;

	o->nclasses = 0;
	for (i = 0; i < w->end - w->beg && small; i++)
		small = describe_job(o, w, i);
	for (i = 0; i < w->end - w->beg && small; i++)
		list_deaths(o, &o->job[i]);
	for (i = w->beg; i < w->end; i++)	/* for the next window */
		for (k = 0; k < m->node[i].nin + m->node[i].nout; k++) {
			int v = k < m->node[i].nin ? m->node[i].in[k] :
			    m->node[i].out[k - m->node[i].nin];

			if (v >= 0)
				o->now.class_of[m->value[v].root] = 0;
		}
	return small;
}

/* ---- the floor ---- */

static void
close_over(struct order *o, int n)
{
	uint64_t left;
	int i, k;

	for (i = 0; i < n; i++)		/* the order that stands is one of those that are right */
		for (k = 0; k < i; k++)
			if (o->job[i].before >> k & 1)
				o->job[i].before |= o->job[k].before;
	for (i = 0; i < n; i++)
		o->job[i].after = 0;
	for (i = 0; i < n; i++)
		for (k = 0; k < i; k++)
			if (o->job[i].before >> k & 1)
				o->job[k].after |= (uint64_t)1 << i;
	for (i = 0; i < n; i++) {
		o->job[i].next = o->job[i].after;
		for (left = o->job[i].after; left; left &= left - 1)
			o->job[i].next &= ~o->job[__builtin_ctzll(left)].after;
	}
}

/* What is needed at least while job I runs, counted as run_job() does: what has been made before
 * and is still to be used is alive; all else that can be dead is. */
static int64_t
least_need(const struct order *o, int i)
{
	const struct job *j = &o->job[i];
	int64_t need = j->made + j->work - j->in_place;
	uint64_t later = j->after | (uint64_t)1 << i;
	int c;

	for (c = 0; c < o->nclasses; c++) {
		const struct class *x = &o->class[c];

		if (x->makers & j->before)
			need += x->dies && !(x->users & later) ? 0 : x->bytes;
		else if (!x->makers && x->dies && !(x->users & later))
			need -= x->bytes;
	}
	return need;
}

static int64_t
find_floor(const struct order *o, int n)
{
	int64_t floor = INT64_MIN, need;
	int i;

	for (i = 0; i < n; i++)
		if ((need = least_need(o, i)) > floor)
			floor = need;
	return floor;
}

/* ---- dynamic programming over sets ---- */

/* Running job I after S: the bytes needed meanwhile, and those alive afterwards. False where it
 * needs BOUND or more; then NEXT is not all there. */
static inline bool
run_job(const struct order *o, const struct set *s, int i, int64_t bound, struct set *next)
{
	const struct job *j = &o->job[i];
	uint64_t done = s->done | (uint64_t)1 << i;
	int64_t need = s->live + j->made + j->work, live = s->live + j->made;
	int k;

	for (k = 0; k < j->noverwrites; k++)
		if (!(j->overwrites[k] & ~done)) {
			need -= j->in_place;
			break;
		}
	next->peak = need > s->peak ? need : s->peak;
	if (next->peak >= bound)
		return false;
	for (k = 0; k < j->ndeaths; k++)
		live -= j->death[k].users & ~done ? 0 : j->death[k].bytes;
	next->done = done;
	next->node = i;
	next->live = live;
	next->area = s->area + live;
	return true;
}

static inline bool
promises_more(const struct set *a, const struct set *b)
{
	if (a->peak != b->peak)
		return a->peak < b->peak;
	return a->live != b->live ? a->live < b->live : a->done < b->done;
}

/* The median of three, from the middle to the front. */
static void
put_pivot_first(struct set *v, int n)
{
	struct set *a = &v[0], *b = &v[n / 2], *c = &v[n - 1], *median, front = *a;

	if (promises_more(b, a))
		median = promises_more(c, b) ? b : promises_more(c, a) ? c : a;
	else
		median = promises_more(c, a) ? a : promises_more(c, b) ? c : b;
	*a = *median;
	*median = front;
}

/* Two runs, none of the first behind one of the second; returns how many the first are. Hoare's
 * partition. */
static int
part_by_promise(struct set *v, int n)
{
	struct set pivot, other;
	int i = -1, k = n;

	put_pivot_first(v, n);
	pivot = v[0];
	for (;;) {
		do
			i++;
		while (promises_more(&v[i], &pivot));
		do
			k--;
		while (promises_more(&pivot, &v[k]));
		if (i >= k)
			return k + 1;
		other = v[i];
		v[i] = v[k];
		v[k] = other;
	}
}

/* The best so MANY come first, sorted. It is quicksort, which leaves the others as they are: no two
 * sets are alike, so it does not matter how it is sorted. */
static void
sort_best(struct set *v, int n, int many)
{
	struct set moving;
	int first, i, k;

	while (n > FEW) {
		first = part_by_promise(v, n);
		if (first < many)
			sort_best(v + first, n - first, many - first);
		n = first;
	}
	for (i = 1; i < n; i++) {
		moving = v[i];
		for (k = i; k > 0 && promises_more(&moving, &v[k - 1]); k--)
			v[k] = v[k - 1];
		v[k] = moving;
	}
}

static void
insert(struct order *o, struct level *l, const struct set *s)
{
	uint64_t h = s->done * 0x9e3779b97f4a7c15u;
	unsigned slot = (unsigned)(h >> 32) >> (__builtin_clz(o->slots) + 1);

	for (; o->hash[slot]; slot = (slot + 1) & (o->slots - 1))
		if (l->v[o->hash[slot] - 1].done == s->done) {
			struct set *old = &l->v[o->hash[slot] - 1];

			if (s->peak < old->peak || (s->peak == old->peak && s->area < old->area))
				*old = *s;
			return;
		}
	if (l->n >= 4 * o->beam)
		return;
	o->slot[l->n] = slot;
	o->hash[slot] = l->n + 1;
	l->v[l->n++] = *s;
}

/* What may run once the set is done: what could before its last job, and what that was the last
 * for. */
static uint64_t
ready_in(const struct order *o, const struct set *before, const struct set *s)
{
	uint64_t ready = before->ready & ~((uint64_t)1 << s->node), next;

	for (next = o->job[s->node].next; next; next &= next - 1)
		if (!(o->job[__builtin_ctzll(next)].before & ~s->done))
			ready |= next & -next;
	return ready;
}

/* Adds the sets that are one job larger: one alone, where some job can run at no cost. */
static void
grow_set(struct order *o, struct level *l, const struct set *s, int from, int64_t bound)
{
	struct set next[ORDER_WINDOW];
	int k, count = 0, free = -1;
	uint64_t ready;

	for (ready = s->ready; ready; ready &= ready - 1) {
		struct set *x = &next[count];

		if (!run_job(o, s, __builtin_ctzll(ready), bound, x))
			continue;
		x->from = from;
		if (x->live <= s->live && x->peak <= s->peak &&
		    (free < 0 || x->live < next[free].live))
			free = count;
		count++;
	}
	for (k = 0; k < count; k++)
		if (free < 0 || k == free)
			insert(o, l, &next[k]);
}

/* Of the sets just made, those that are kept: what may run after each, and the way to it. */
static void
keep_level(struct order *o, int size, const struct level *below, struct level *l)
{
	int i;

	if (l->n > o->beam) {
		sort_best(l->v, l->n, o->beam);
		l->n = o->beam;
		o->cut = true;
	}
	if (!o->came[size])
		o->came[size] = arena_array(o->arena, (size_t)o->beam, sizeof(*o->came[size]));
	for (i = 0; i < l->n; i++) {
		struct set *s = &l->v[i];

		s->ready = ready_in(o, &below->v[s->from], s);
		o->came[size][i] = (struct came){ s->from, s->node };
	}
}

static void
make_level(struct order *o, int size, int64_t bound)
{
	struct level *below = &o->level[(size - 1) % 2], *l = &o->level[size % 2];
	int i;

	l->n = 0;
	o->work += below->n;
	for (i = 0; i < below->n; i++)
		grow_set(o, l, &below->v[i], i, bound);
	for (i = 0; i < l->n; i++)
		o->hash[o->slot[i]] = 0;
	keep_level(o, size, below, l);
}

/* The peak of the order that stands, counted as the search does. */
static int64_t
peak_of_standing(const struct order *o, int n)
{
	struct set s = { 0 }, next;
	int i;

	for (i = 0; i < n; i++) {
		run_job(o, &s, i, INT64_MAX, &next);
		s = next;
	}
	return s.peak;
}

/* Nothing has run, and the peak is at least the floor. */
static void
begin(struct order *o, int n, int64_t floor)
{
	struct set none = { .peak = floor, .from = -1, .node = -1 };
	int i;

	for (i = 0; i < n; i++)
		if (!o->job[i].before)
			none.ready |= (uint64_t)1 << i;
	o->level[0].v[0] = none;
	o->level[0].n = 1;
}

/* The best order, of nodes of the window; returns by how much the peak falls below the bound. */
static int64_t
search(struct order *o, int n, int64_t floor, int64_t bound, unsigned char *node)
{
	int i, at = 0;

	begin(o, n, floor);
	for (i = 1; i <= n; i++) {
		make_level(o, i, bound);
		if (o->level[i % 2].n == 0)
			return 0;
	}
	for (i = n; i > 0; i--) {
		const struct came *c = &o->came[i][at];

		node[i - 1] = (unsigned char)c->node;
		at = c->from;
	}
	return bound - o->level[n % 2].v[0].peak;
}

/* ---- what was searched for before ---- */

static void
mix(uint64_t *h, uint64_t x)
{
	*h = (*h ^ x) * 0x9e3779b97f4a7c15u;
	*h ^= *h >> 32;
}

/* Of all that the search looks at. */
static uint64_t
key_of(const struct order *o, int n, int64_t floor, int64_t bound)
{
	uint64_t h = 1469598103934665603u;
	int i, k;

	mix(&h, (uint64_t)o->beam);
	mix(&h, (uint64_t)floor);
	mix(&h, (uint64_t)bound);
	for (i = 0; i < n; i++) {
		const struct job *j = &o->job[i];

		mix(&h, j->before);
		mix(&h, (uint64_t)j->made);
		mix(&h, (uint64_t)j->work);
		mix(&h, (uint64_t)j->in_place);
		mix(&h, (uint64_t)j->noverwrites);
		for (k = 0; k < j->noverwrites; k++)
			mix(&h, j->overwrites[k]);
		mix(&h, (uint64_t)j->ndeaths);
		for (k = 0; k < j->ndeaths; k++) {
			mix(&h, j->death[k].users);
			mix(&h, (uint64_t)j->death[k].bytes);
		}
	}
	return h;
}

/* Does it leave each node behind those that must come before it? */
static bool
keeps_to_edges(const struct order *o, const struct known_order *known)
{
	uint64_t done = 0;
	int i;

	for (i = 0; known->node && i < known->n; i++) {
		if (o->job[known->node[i]].before & ~done)
			return false;
		done |= UINT64_C(1) << known->node[i];
	}
	return true;
}

/* NODE: room for the window's nodes, in the order that is told. */
static struct known_order
look_up(struct order *o, int n, int64_t floor, int64_t bound, unsigned char *node)
{
	struct known_order new = { .key = key_of(o, n, floor, bound), .n = n };
	const struct known_order *old = o->known ? known_orders_find(o->known, new.key, n) : NULL;

	if (old && keeps_to_edges(o, old))
		return *old;
	new.gain = search(o, n, floor, bound, node);
	new.node = new.gain > 0 ? node : NULL;
	if (o->known)
		known_orders_keep(o->known, &new);
	return new;
}

int64_t
order_window(struct order *o, const struct window *w, int64_t enough)
{
	struct node *moved[ORDER_WINDOW];
	unsigned char node[ORDER_WINDOW];
	struct known_order best;
	int n = w->end - w->beg, i;
	int64_t bound, floor;

	if (!describe(o, w))
		return 0;
	close_over(o, n);
	bound = peak_of_standing(o, n);
	floor = find_floor(o, n);
	if (floor < bound - (w->peak - enough))
		floor = bound - (w->peak - enough);
	if (floor >= bound)
		return 0;
	best = look_up(o, n, floor, bound, node);
	if (best.gain == 0)
		return 0;
	for (i = 0; i < n; i++)
		moved[i] = o->g->nodes.v[w->beg + best.node[i]];
	memcpy(o->g->nodes.v + w->beg, moved, (size_t)n * sizeof(struct node *));
	return best.gain;
}
