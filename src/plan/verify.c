/*
 * verify: proves a plan right, or says what is wrong with it. It shares only the IR with the
 * planner: it neither reads lifetimes to decide what must be alive, nor trusts roots.
 *
 * Two independent checks, and where several ranks train, of what they add up a third
 * (verify_sums.c), and of what they share out a fourth (verify_shards.c):
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
 *    and who has read it since, and those must be over where it is read, or written, again. Where one
 *    kernel does the step, all of its blocks must have met since.
 */
#include "plan/verify_impl.h"

#include "ir/pass.h"

#include <stdlib.h>

void
verify_object(struct check *c, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_error(c->diags, "internal", loc, "the plan is wrong: %s",
	    arena_vprintf(c->arena, fmt, ap));
	va_end(ap);
	c->ok = false;
}

int64_t
verify_bytes(const struct check *c, const struct graph *g, const struct tensor *t)
{
	int64_t batch = g == c->m->validate ? c->p->validate_batch : c->p->batch;

	return affine_at(tensor_bytes(t), batch);
}

/* ---- which buffer ---- */

/*
 * Whose bytes the tensor has: aliases are followed here one by one, and each tensor's answer is
 * kept; NULL where they go round. The planner goes by ancestors, which skip links: they must lie on
 * the same way.
 */
static const struct tensor *
root_of(struct check *c, const struct tensor *t)
{
	const struct tensor *known = t, *root, *u;
	int left = c->m->next_tensor;

	while (known->alias_of && !c->root[known->id]) {
		if (left-- == 0)
			return NULL;
		known = known->alias_of;
	}
	root = c->root[known->id] ? c->root[known->id] : known;
	c->root[known->id] = root;
	for (u = t; u != known; u = u->alias_of)
		c->root[u->id] = root;
	for (u = t; u != known; u = u->alias_of)
		if (!u->ancestor || c->root[u->ancestor->id] != root)
			verify_object(c, u->loc, "'%s' has the bytes of '%s', but is taken for another",
			    u->name, root->name);
	return root;
}

const struct buffer *
verify_buffer(struct check *c, const struct tensor *t)
{
	const struct tensor *root = root_of(c, t);

	if (root)
		return c->of_root[root->id];
	verify_object(c, t->loc, "'%s' aliases itself", t->name);
	return NULL;
}

/* Every buffer has a root of its own; those who ask for a tensor's buffer must be told the same. */
static void
check_roots(struct check *c)
{
	const struct plan *p = c->p;
	int i;

	for (i = 0; i < p->buffers.n && c->ok; i++) {
		const struct buffer *b = &p->buffers.v[i];

		if (b->root->alias_of)
			verify_object(c, b->root->loc, "the root of '%s' has the bytes of '%s'", b->root->name,
			    b->root->alias_of->name);
		else if (c->of_root[b->root->id])
			verify_object(c, b->root->loc, "'%s' has two buffers", b->root->name);
		else if (plan_buffer_of(p, b->root->id) != b)
			verify_object(c, b->root->loc, "'%s' is not found as the buffer of '%s'", b->root->name,
			    b->root->name);
		c->of_root[b->root->id] = b;
	}
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
	struct live l = { .by_rank = arena_array(c->arena, n, sizeof(*l.by_rank)),
		.rank = arena_array(c->arena, n, sizeof(*l.rank)) };
	int i;

	for (i = 0; i < p->buffers.n; i++)
		l.by_rank[i] = &p->buffers.v[i];
	qsort(l.by_rank, (size_t)p->buffers.n, sizeof(*l.by_rank), by_offset);
	for (i = 0; i < p->buffers.n; i++)
		l.rank[l.by_rank[i] - p->buffers.v] = i;
	marks_init(&l.alive, c->arena, p->buffers.n);
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
			verify_object(c, b->root->loc, "'%s' and '%s' overlap at byte %lld", o->root->name, b->root->name,
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
		verify_object(c, b->root->loc, "'%s' lies at %lld, which is not aligned to %d bytes", b->root->name,
		    (long long)b->offset, c->p->alignment);
	if (__builtin_add_overflow(b->offset, b->bytes, &end) || end > c->p->arena_bytes)
		verify_object(c, b->root->loc, "'%s' ends at %lld, beyond the arena of %lld bytes", b->root->name,
		    (long long)end, (long long)c->p->arena_bytes);
	if (b->first < 0 || b->last < b->first || b->last >= c->p->instants)
		verify_object(c, b->root->loc, "'%s' lives from instant %d to %d of %d", b->root->name, b->first,
		    b->last, c->p->instants);
	else if ((tensor_kind_persistent(b->root->kind) || b->root->accumulates) &&
	    (b->first > 0 || b->last < c->p->instants - 1))
		verify_object(c, b->root->loc, "'%s' must live throughout, but lives from instant %d to %d",
		    b->root->name, b->first, b->last);
}

static void
check_geometry(struct check *c)
{
	const struct plan *p = c->p;
	struct arena *a = c->arena;
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
		const struct tensor *t = tensor_landing(g->inputs.v[i]);
		const struct buffer *b = t ? verify_buffer(c, t) : NULL;

		if (!t)
			continue;
		if (!b)
			verify_object(c, t->loc, "'%s' has no buffer", t->name);
		else if (b->first > first || b->last < last)
			verify_object(c, t->loc, "'%s' must live from instant %d to %d, but lives from %d to %d",
			    t->name, first, last, b->first, b->last);
		else if (verify_bytes(c, g, g->inputs.v[i]) > b->bytes)
			verify_object(c, t->loc, "'%s' has %lld bytes, a batch needs %lld", t->name,
			    (long long)b->bytes, (long long)verify_bytes(c, g, g->inputs.v[i]));
	}
}

bool
plan_verify(struct module *m, const struct plan *p, struct diags *diags)
{
	const struct graph *const graph[] = { m->train, m->update, m->validate };
	struct check c = { .arena = arena_child(m->arena), .m = m, .p = p, .diags = diags, .ok = true };
	int i, at = 0;

	c.root = arena_array(c.arena, (size_t)m->next_tensor + 1, sizeof(*c.root));
	c.of_root = arena_array(c.arena, (size_t)m->next_tensor + 1, sizeof(*c.of_root));
	c.over = arena_array(c.arena, (size_t)p->instants + 1, sizeof(*c.over));
	check_roots(&c);
	if (c.ok)
		check_geometry(&c);
	if (c.ok)
		verify_shards(&c);
	if (c.ok)
		verify_slots(&c);
	for (i = 0; i < 3 && c.ok; i++)
		if (graph[i]) {
			int end = at + graph[i]->nodes.n;

			if (graph[i] == m->train && m->update)
				end += m->update->nodes.n;
			check_landings(&c, graph[i], at, end - 1);
			if (graph[i]->nodes.n)
				verify_replay(&c, graph[i], at);
			at += graph[i]->nodes.n;
		}
	if (c.ok)
		verify_sums(&c);
	arena_free(c.arena);
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
	.in_bodies = true,
	.run = run,
};
