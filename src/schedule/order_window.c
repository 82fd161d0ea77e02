/*
 * The best order of the nodes of one window, by dynamic programming over the sets of nodes already
 * run; see order.c.
 */
#include "schedule/order_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define BEAM		1024	/* sets of one size that are kept */

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

static bool
describe(struct order *o, const struct window *w)
{
	const struct model *m = o->now.m;
	bool small = true;
	int i, k;

	o->nclasses = 0;
	for (i = 0; i < w->end - w->beg && small; i++)
		small = describe_job(o, w, i);
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

/* Running job I after S: the bytes needed meanwhile, and those alive afterwards. */
static void
run_job(const struct order *o, const struct set *s, int i, struct set *next)
{
	const struct job *j = &o->job[i];
	int64_t need = s->live + j->made + j->work;
	int k;

	next->done = s->done | (uint64_t)1 << i;
	next->node = i;
	next->live = s->live + j->made;
	for (k = 0; k < j->nover; k++) {
		const struct class *c = &o->class[j->over[k]];

		if (c->dies && !(c->users & ~next->done)) {
			need -= j->in_place;
			break;
		}
	}
	for (k = 0; k < j->nuses; k++) {
		const struct class *c = &o->class[j->uses[k]];

		if (c->dies && !(c->users & ~next->done))
			next->live -= c->bytes;
	}
	next->peak = need > s->peak ? need : s->peak;
	next->area = s->area + next->live;
}

static int
by_promise(const void *x, const void *y)
{
	const struct set *a = x, *b = y;

	if (a->peak != b->peak)
		return a->peak < b->peak ? -1 : 1;
	if (a->live != b->live)
		return a->live < b->live ? -1 : 1;
	return a->done < b->done ? -1 : a->done > b->done;
}

static void
insert(struct order *o, struct level *l, const struct set *s)
{
	uint64_t h = s->done * 0x9e3779b97f4a7c15u;
	unsigned slot = (unsigned)(h >> 51);

	for (; o->hash[slot]; slot = (slot + 1) & (ORDER_SLOTS - 1))
		if (l->v[o->hash[slot] - 1].done == s->done) {
			struct set *old = &l->v[o->hash[slot] - 1];

			if (s->peak < old->peak || (s->peak == old->peak && s->area < old->area))
				*old = *s;
			return;
		}
	if (l->n >= ORDER_SLOTS / 2)
		return;
	o->slot[l->n] = slot;
	o->hash[slot] = l->n + 1;
	vec_push(o->arena, l, *s);
}

/* Adds the sets that are one job larger: one alone, where some job can run at no cost. */
static void
grow_set(struct order *o, struct level *l, const struct set *s, int from, int n, int64_t bound)
{
	struct set next[ORDER_WINDOW];
	int k, count = 0, free = -1;

	for (k = 0; k < n; k++) {
		struct set *x = &next[count];

		if ((s->done >> k & 1) || (o->job[k].before & ~s->done))
			continue;
		run_job(o, s, k, x);
		x->from = from;
		if (x->peak >= bound)
			continue;
		if (x->live <= s->live && x->peak <= s->peak &&
		    (free < 0 || x->live < next[free].live))
			free = count;
		count++;
	}
	for (k = 0; k < count; k++)
		if (free < 0 || k == free)
			insert(o, l, &next[k]);
}

static void
make_level(struct order *o, int depth, int n, int64_t bound)
{
	struct level *below = &o->level[depth], *l = &o->level[depth + 1];
	int i;

	l->n = 0;
	for (i = 0; i < below->n; i++)
		grow_set(o, l, &below->v[i], i, n, bound);
	for (i = 0; i < l->n; i++)
		o->hash[o->slot[i]] = 0;
	if (l->n > BEAM) {
		qsort(l->v, (size_t)l->n, sizeof(*l->v), by_promise);
		l->n = BEAM;
	}
}

/* The peak of the order that stands, counted as the search does. */
static int64_t
peak_of_standing(const struct order *o, int n)
{
	struct set s = { 0 }, next;
	int i;

	for (i = 0; i < n; i++) {
		run_job(o, &s, i, &next);
		s = next;
	}
	return s.peak;
}

int64_t
order_window(struct order *o, const struct window *w, int64_t enough)
{
	struct node *moved[ORDER_WINDOW];
	int n = w->end - w->beg, i, at = 0;
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
	o->level[0].n = 0;
	vec_push(o->arena, &o->level[0], ((struct set){ 0, 0, floor, 0, -1, -1 }));
	for (i = 0; i < n && o->level[i].n > 0; i++)
		make_level(o, i, n, bound);
	if (i < n || o->level[n].n == 0)
		return 0;
	bound -= o->level[n].v[0].peak;
	for (i = n; i > 0; i--) {
		const struct set *s = &o->level[i].v[at];

		moved[i - 1] = o->g->nodes.v[w->beg + s->node];
		at = s->from;
	}
	memcpy(o->g->nodes.v + w->beg, moved, (size_t)n * sizeof(struct node *));
	return bound;
}
