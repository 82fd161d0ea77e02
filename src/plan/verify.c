/*
 * verify: proves a plan right, or says what is wrong with it. It shares nothing with the planner
 * but the IR: it neither reads lifetimes to decide what must be alive, nor trusts roots.
 *
 * Two independent checks:
 *
 * 1. Geometry. Offsets are aligned, inside the arena, and no two buffers that are alive together
 *    overlap. A sweep over the instants keeps the live buffers sorted by offset; since they are
 *    disjoint, a newcomer need only be compared with its two neighbours.
 *
 * 2. Replay. The schedule is run on a model of memory: a set of disjoint byte ranges, each holding
 *    the tensor that was last written there. Writing a tensor ends all it touches. Reading one
 *    demands that its whole range still holds that very tensor - or the very bytes it was made
 *    from, for views. This finds what geometry cannot: a lifetime too short, a wrong alias, an
 *    update before the last read. Persistent tensors start with their initial value, and those of
 *    one graph must find each persistent range holding the newest version.
 *
 *    Where a GPU runs branches of the step at the same time, the replay also follows who waits for
 *    whom: what is over when a node begins is a number for each branch. Each range knows who wrote it
 *    and who has read it since, and those must be over where it is read, or written, again.
 */
#include "plan/plan.h"

#include "base/marks.h"
#include "target/target.h"
#include "ir/op.h"
#include "ir/pass.h"

#include <stdlib.h>
#include <string.h>

struct range {			/* [beg, end) of the arena holds the value of `tensor` */
	int64_t beg, end;
	const struct tensor *tensor;
	int written, read[BRANCHES];	/* one past the instant; the last of each branch; 0: none */
};

/* Ranges begin and end where something that is written begins or ends: these places are gathered
 * first, and a range is at the number of the place where it begins. */
struct memory {
	struct range *range;	/* by place; disjoint */
	int places;
	struct marks begins;	/* the places where a range is */
};

struct check {
	struct module *m;
	const struct plan *p;
	struct diags *diags;
	struct memory mem;
	int (*over)[BRANCHES];	/* by instant: one past the last of each branch over when it is, too */
	int last[BRANCHES];	/* one past the last instant of each branch so far */
	bool ok;
};

static void __attribute__((format(printf, 3, 4)))
object(struct check *c, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_error(c->diags, "internal", loc, "the plan is wrong: %s",
	    arena_vprintf(c->m->arena, fmt, ap));
	va_end(ap);
	c->ok = false;
}

static int64_t
bytes_in(const struct check *c, const struct graph *g, const struct tensor *t)
{
	int64_t batch = g == c->m->validate ? c->p->validate_batch : c->p->batch;

	return affine_at(tensor_bytes(t), batch);
}

/* ---- geometry ---- */

static bool
meet(const struct buffer *a, const struct buffer *b)
{
	return a->first <= b->last && b->first <= a->last &&
	    a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

/* The live buffers, by their rank among all when sorted by offset: since those alive are disjoint,
 * neighbours are enough. */
struct live {
	const struct buffer **by_rank;
	int *rank;		/* by buffer */
	struct marks alive;
};

static int
by_offset(const void *x, const void *y)
{
	const struct buffer *a = *(const struct buffer *const *)x;
	const struct buffer *b = *(const struct buffer *const *)y;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return a < b ? -1 : a > b;
}

static struct live
rank_buffers(const struct check *c)
{
	const struct plan *p = c->p;
	size_t n = (size_t)p->buffers.n + 1;
	struct live l = { .by_rank = arena_array(c->m->arena, n, sizeof(*l.by_rank)),
		.rank = arena_array(c->m->arena, n, sizeof(*l.rank)) };
	int i;

	for (i = 0; i < p->buffers.n; i++)
		l.by_rank[i] = &p->buffers.v[i];
	qsort(l.by_rank, (size_t)p->buffers.n, sizeof(*l.by_rank), by_offset);
	for (i = 0; i < p->buffers.n; i++)
		l.rank[l.by_rank[i] - p->buffers.v] = i;
	marks_init(&l.alive, c->m->arena, p->buffers.n);
	return l;
}

static void
come_alive(struct check *c, struct live *l, const struct buffer *b)
{
	int rank = l->rank[b - c->p->buffers.v], k;
	int near[2] = { marks_prev(&l->alive, rank), marks_next(&l->alive, rank) };

	for (k = 0; k < 2; k++) {
		const struct buffer *o = near[k] >= 0 ? l->by_rank[near[k]] : NULL;

		if (o && meet(o, b))
			object(c, b->loc, "'%s' and '%s' overlap at byte %lld", o->name, b->name,
			    (long long)(b->offset > o->offset ? b->offset : o->offset));
	}
	marks_set(&l->alive, rank);
}

static void
die(const struct check *c, struct live *l, const struct buffer *b)
{
	marks_clear(&l->alive, l->rank[b - c->p->buffers.v]);
}

static void
check_bounds(struct check *c, const struct buffer *b)
{
	int64_t end;

	if (b->offset < 0 || b->offset % c->p->alignment != 0)
		object(c, b->loc, "'%s' lies at %lld, which is not aligned to %d bytes", b->name,
		    (long long)b->offset, c->p->alignment);
	if (__builtin_add_overflow(b->offset, b->bytes, &end) || end > c->p->arena_bytes)
		object(c, b->loc, "'%s' ends at %lld, beyond the arena of %lld bytes", b->name,
		    (long long)end, (long long)c->p->arena_bytes);
	if (b->first < 0 || b->last < b->first || b->last >= c->p->instants)
		object(c, b->loc, "'%s' lives from instant %d to %d of %d", b->name, b->first,
		    b->last, c->p->instants);
	else if (tensor_persistent(b->root) && (b->first > 0 || b->last < c->p->instants - 1))
		object(c, b->loc, "'%s' must live throughout, but lives from instant %d to %d",
		    b->name, b->first, b->last);
}

static void
check_geometry(struct check *c)
{
	const struct plan *p = c->p;
	struct arena *a = c->m->arena;
	struct live live;
	int *born = arena_array(a, (size_t)p->instants + 2, sizeof(*born));
	int *dead = arena_array(a, (size_t)p->instants + 2, sizeof(*dead));
	int *next_born = arena_array(a, (size_t)p->buffers.n + 1, sizeof(*next_born));
	int *next_dead = arena_array(a, (size_t)p->buffers.n + 1, sizeof(*next_dead));
	int i, t;

	for (i = 0; i < p->buffers.n; i++)
		check_bounds(c, &p->buffers.v[i]);
	if (!c->ok)
		return;
	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *b = &p->buffers.v[i];

		next_born[i] = born[b->first];
		born[b->first] = i + 1;
		next_dead[i] = dead[b->last + 1];
		dead[b->last + 1] = i + 1;
	}
	live = rank_buffers(c);
	for (t = 0; t < p->instants && c->ok; t++) {
		for (i = dead[t]; i; i = next_dead[i - 1])
			die(c, &live, &p->buffers.v[i - 1]);
		for (i = born[t]; i; i = next_born[i - 1])
			if (p->buffers.v[i - 1].bytes > 0)
				come_alive(c, &live, &p->buffers.v[i - 1]);
	}
}

/* The bus writes to a landing at any time, so nothing else may ever lie there. */
static void
check_landings(struct check *c, const struct graph *g, int first, int last)
{
	int i;

	for (i = 0; i < g->inputs.n; i++) {
		const struct tensor *t = g->inputs.v[i]->lands;
		const struct buffer *b = t ? plan_buffer(c->p, t) : NULL;

		if (!t)
			continue;
		if (!b)
			object(c, t->loc, "'%s' has no buffer", t->name);
		else if (b->first > first || b->last < last)
			object(c, t->loc, "'%s' must live from instant %d to %d, but lives from %d to %d",
			    t->name, first, last, b->first, b->last);
		else if (bytes_in(c, g, g->inputs.v[i]) > b->bytes)
			object(c, t->loc, "'%s' has %lld bytes, a batch needs %lld", t->name,
			    (long long)b->bytes, (long long)bytes_in(c, g, g->inputs.v[i]));
	}
}

/* ---- replay ---- */

/* The last place at or below BEG; -1: none. */
static int
place_of(const struct memory *mem, int64_t beg)
{
	int lo = 0, hi = mem->places, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (mem->range[mid].beg <= beg)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo - 1;
}

/* The range that holds byte BEG, or the first above it; -1: none. */
static int
first_touching(const struct memory *mem, int64_t beg)
{
	int at = place_of(mem, beg), below = marks_prev(&mem->begins, at);

	if (below >= 0 && mem->range[below].end > beg)
		return below;
	return marks_next(&mem->begins, at + 1);
}

static void
set_range(struct memory *mem, struct range r)
{
	int at = place_of(mem, r.beg);

	mem->range[at] = r;
	marks_set(&mem->begins, at);
}

/* Two ranges where one goes across the place. */
static void
cut(struct memory *mem, int64_t at)
{
	int i = first_touching(mem, at);
	struct range above;

	if (i < 0 || mem->range[i].beg >= at)
		return;
	above = mem->range[i];
	above.beg = at;
	mem->range[i].end = at;
	set_range(mem, above);
}

/* [beg, end) now holds the tensor; what lay there is cut away. */
static void
put(struct memory *mem, int64_t beg, int64_t end, const struct tensor *t, int written)
{
	int i;

	cut(mem, beg);
	cut(mem, end);
	for (i = first_touching(mem, beg); i >= 0 && mem->range[i].beg < end;
	    i = marks_next(&mem->begins, i + 1))
		marks_clear(&mem->begins, i);
	set_range(mem, (struct range){ .beg = beg, .end = end, .tensor = t, .written = written });
}

/* ---- branches ---- */

/* What is over when the instant begins: what was when the last of its branch was over, and what was
 * when those that it waits for were. */
static void
begin_instant(struct check *c, int instant)
{
	const struct instant *at = &c->p->at[instant];
	int *over = c->over[instant], j, k, waits = 0;

	if (c->last[at->branch])
		memcpy(over, c->over[c->last[at->branch] - 1], sizeof(c->over[0]));
	else
		memset(over, 0, sizeof(c->over[0]));
	for (k = 0; k < BRANCHES; k++) {
		const struct instant *awaited;

		if (!at->after[k])
			continue;
		awaited = &c->p->at[at->after[k] - 1];
		waits++;
		if (at->after[k] > instant || awaited->branch != k || !awaited->awaited ||
		    awaited->graph != at->graph)
			object(c, at->node->loc, "instant %d waits for %d, which does not say when it "
			    "is over", instant, at->after[k] - 1);
		else
			for (j = 0; j < BRANCHES; j++)
				if (c->over[at->after[k] - 1][j] > over[j])
					over[j] = c->over[at->after[k] - 1][j];
	}
	if (at->branch != 0 && !c->last[at->branch] && !waits)
		object(c, at->node->loc, "instant %d begins branch %d and waits for nothing", instant,
		    at->branch);
}

static void
end_instant(struct check *c, int instant)
{
	int branch = c->p->at[instant].branch;

	c->over[instant][branch] = c->last[branch] = instant + 1;
}

/* Must the instant wait for another that touched the same bytes? */
static bool
is_over(struct check *c, int instant, int past)
{
	return past == 0 || past > instant ||
	    c->over[instant][c->p->at[past - 1].branch] >= past;
}

/* [beg, end) is about to be read or written. */
static void
check_order(struct check *c, int64_t beg, int64_t end, int instant, bool written)
{
	const struct node *n = c->p->at[instant].node;
	int i, k, late;

	for (i = first_touching(&c->mem, beg); i >= 0 && c->mem.range[i].beg < end && c->ok;
	    i = marks_next(&c->mem.begins, i + 1)) {
		const struct range *r = &c->mem.range[i];

		late = is_over(c, instant, r->written) ? 0 : r->written;
		for (k = 0; k < BRANCHES && written && !late; k++)
			late = is_over(c, instant, r->read[k]) ? 0 : r->read[k];
		if (late)
			object(c, n->loc, "%s '%s' at instant %d does not wait for %d, which also "
			    "touches byte %lld", n->op->name, n->path, instant, late - 1,
			    (long long)r->beg);
	}
}

static void
note_read(struct check *c, int64_t beg, int64_t end, int instant)
{
	int i;

	cut(&c->mem, beg);
	cut(&c->mem, end);
	for (i = first_touching(&c->mem, beg); i >= 0 && c->mem.range[i].beg < end;
	    i = marks_next(&c->mem.begins, i + 1))
		c->mem.range[i].read[c->p->at[instant].branch] = instant + 1;
}

/* ---- nodes ---- */

/* A view has the value of what it views: follow aliases through nodes that run nothing. */
static const struct tensor *
value_of(const struct tensor *t)
{
	while (t->alias_of && t->def && op_is_view(t->def->op))
		t = t->alias_of;
	return t;
}

/* INSTANT: that of the node which writes it; -1: before the graph. */
static void
write_tensor(struct check *c, const struct graph *g, const struct tensor *t, int instant)
{
	int64_t at = plan_offset(c->p, t), bytes = bytes_in(c, g, t);

	if (at < 0) {
		object(c, t->loc, "'%s' has no buffer", t->name);
		return;
	}
	if (bytes > plan_buffer(c->p, t)->bytes)
		object(c, t->loc, "'%s' needs %lld bytes, its buffer has %lld", t->name,
		    (long long)bytes, (long long)plan_buffer(c->p, t)->bytes);
	else if (bytes > 0) {
		if (instant >= 0)
			check_order(c, at, at + bytes, instant, true);
		put(&c->mem, at, at + bytes, t, instant + 1);
	}
}

static void
read_tensor(struct check *c, const struct graph *g, const struct node *n, const struct tensor *t)
{
	const struct tensor *value = value_of(t);
	int64_t at = plan_offset(c->p, t), bytes = bytes_in(c, g, t), upto = at;
	int i;

	if (at < 0) {
		object(c, t->loc, "'%s' has no buffer", t->name);
		return;
	}
	for (i = first_touching(&c->mem, at); i >= 0 && c->mem.range[i].beg < at + bytes;
	    i = marks_next(&c->mem.begins, i + 1)) {
		if (c->mem.range[i].beg > upto)
			break;
		if (c->mem.range[i].tensor != value) {
			object(c, n->loc, "%s '%s' reads '%s' at byte %lld, where '%s' was written "
			    "since", n->op->name, n->path, t->name, (long long)c->mem.range[i].beg,
			    c->mem.range[i].tensor->name);
			return;
		}
		upto = c->mem.range[i].end;
	}
	if (upto < at + bytes)
		object(c, n->loc, "%s '%s' reads '%s', which was never written there", n->op->name,
		    n->path, t->name);
}

static void
check_alive(struct check *c, const struct node *n, const struct tensor *t, int instant)
{
	const struct buffer *b = plan_buffer(c->p, t);

	if (b && (instant < b->first || instant > b->last))
		object(c, n->loc, "%s '%s' uses '%s' at instant %d, outside its life from %d to %d",
		    n->op->name, n->path, t->name, instant, b->first, b->last);
}

static void
touch_read(struct check *c, const struct graph *g, const struct tensor *t, int instant)
{
	int64_t at = plan_offset(c->p, t), bytes = bytes_in(c, g, t);

	check_order(c, at, at + bytes, instant, false);
	note_read(c, at, at + bytes, instant);
}

static void
replay_node(struct check *c, const struct graph *g, const struct node *n, int instant)
{
	int j;

	for (j = 0; j < n->nin; j++)
		if (n->in[j]) {
			check_alive(c, n, n->in[j], instant);
			read_tensor(c, g, n, n->in[j]);
		}
	if (op_is_view(n->op) || !c->ok)
		return;		/* a view: nothing runs, its bytes stay as they are */
	begin_instant(c, instant);
	for (j = 0; j < n->nin; j++)
		if (n->in[j])
			touch_read(c, g, n->in[j], instant);
	if (n->work) {
		check_alive(c, n, n->work, instant);
		write_tensor(c, g, n->work, instant);
	}
	for (j = 0; j < n->nout; j++)
		if (n->out[j]) {
			check_alive(c, n, n->out[j], instant);
			write_tensor(c, g, n->out[j], instant);
		}
	end_instant(c, instant);
	for (j = 0; j < n->nout; j++)	/* one output must not lie on another, or on scratch */
		if (n->out[j])
			read_tensor(c, g, n, n->out[j]);
}

static int
by_begin(const void *x, const void *y)
{
	const struct range *a = x, *b = y;

	return a->beg < b->beg ? -1 : a->beg > b->beg;
}

static void
add_place(struct check *c, const struct graph *g, const struct tensor *t)
{
	int64_t at = plan_offset(c->p, t);

	if (at < 0)
		return;
	c->mem.range[c->mem.places++].beg = at;
	c->mem.range[c->mem.places++].beg = at + bytes_in(c, g, t);
}

/* Where anything that the graph writes begins or ends; no range is there yet. */
static void
gather_places(struct check *c, const struct graph *g)
{
	struct memory *mem = &c->mem;
	size_t most = (size_t)c->p->buffers.n + (size_t)g->inputs.n;
	int i, j, n = 0;

	for (i = 0; i < g->nodes.n; i++)
		most += (size_t)g->nodes.v[i]->nout + 1;
	mem->range = arena_array(c->m->arena, 2 * most + 1, sizeof(*mem->range));
	mem->places = 0;
	for (i = 0; i < c->p->buffers.n; i++)
		if (c->p->buffers.v[i].persistent)
			add_place(c, g, c->p->buffers.v[i].root);
	for (i = 0; i < g->inputs.n; i++)
		add_place(c, g, g->inputs.v[i]);
	for (i = 0; i < g->nodes.n; i++) {
		const struct node *node = g->nodes.v[i];

		for (j = 0; j < node->nout; j++)
			if (node->out[j])
				add_place(c, g, node->out[j]);
		if (node->work)
			add_place(c, g, node->work);
	}
	qsort(mem->range, (size_t)mem->places, sizeof(*mem->range), by_begin);
	for (i = 0; i < mem->places; i++)
		if (n == 0 || mem->range[i].beg != mem->range[n - 1].beg)
			mem->range[n++] = mem->range[i];
	mem->places = n;
	marks_init(&mem->begins, c->m->arena, n);
}

static void
replay(struct check *c, const struct graph *g, int start)
{
	int i, last = start + g->nodes.n - 1;

	gather_places(c, g);
	for (i = 0; i < c->p->buffers.n; i++)
		if (c->p->buffers.v[i].persistent)
			write_tensor(c, g, c->p->buffers.v[i].root, -1);
	for (i = 0; i < g->inputs.n; i++)
		write_tensor(c, g, g->inputs.v[i], -1);
	memset(c->last, 0, sizeof(c->last));
	for (i = 0; i < g->nodes.n && c->ok; i++)
		replay_node(c, g, g->nodes.v[i], start + i);
	for (i = 1; i < BRANCHES && c->ok; i++)
		if (c->last[i] && !c->p->at[c->last[i] - 1].awaited)
			object(c, g->nodes.v[g->nodes.n - 1]->loc, "branch %d ends with instant %d, "
			    "which the graph's end does not wait for", i, c->last[i] - 1);
	for (i = 0; i < g->results.n && c->ok; i++) {
		check_alive(c, g->nodes.v[g->nodes.n - 1], g->results.v[i].tensor, last);
		read_tensor(c, g, g->nodes.v[g->nodes.n - 1], g->results.v[i].tensor);
	}
}

bool
plan_verify(struct module *m, const struct plan *p, struct diags *diags)
{
	const struct graph *const graph[] = { m->train, m->update, m->validate };
	struct check c = { .m = m, .p = p, .diags = diags, .ok = true };
	int i, at = 0;

	c.over = arena_array(m->arena, (size_t)p->instants + 1, sizeof(*c.over));
	check_geometry(&c);
	for (i = 0; i < 3 && c.ok; i++)
		if (graph[i]) {
			int end = at + graph[i]->nodes.n;

			if (graph[i] == m->train && m->update)
				end += m->update->nodes.n;
			check_landings(&c, graph[i], at, end - 1);
			if (graph[i]->nodes.n)
				replay(&c, graph[i], at);
			at += graph[i]->nodes.n;
		}
	return c.ok;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	(void)o;
	return plan_verify(m, m->plan, m->diags);
}

const struct pass pass_verify = {
	.name = "verify",
	.doc = "prove the plan right, independently of how it was made",
	.thorough = true,
	.run = run,
};
