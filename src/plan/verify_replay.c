/*
 * The replay of verify.c: runs a schedule on a model of memory, in which each byte knows the tensor
 * that was last written there, and on a GPU which instants a node waits for.
 */
#include "plan/verify_impl.h"

#include <stdlib.h>
#include <string.h>

#include "ir/op.h"

/* ---- memory ---- */

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
			verify_object(c, at->node->loc, "instant %d waits for %d, which does not say when it "
			    "is over", instant, at->after[k] - 1);
		else
			for (j = 0; j < BRANCHES; j++)
				if (c->over[at->after[k] - 1][j] > over[j])
					over[j] = c->over[at->after[k] - 1][j];
	}
	if (at->branch != 0 && !c->last[at->branch] && !waits)
		verify_object(c, at->node->loc, "instant %d begins branch %d and waits for nothing", instant,
		    at->branch);
}

/* The same where one kernel does the step. */
static void
begin_listed(struct check *c, int instant)
{
	if (instant < c->call_end)
		return;
	c->call = instant;
	c->call_end = instant + plan_together(c->p, instant);
	if (c->p->at[instant].meets)
		c->met = instant;
	if (c->met < 0)
		verify_object(c, c->p->at[instant].node->loc, "instant %d does not wait for what is before the step", instant);
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
	if (past == 0 || past > instant)
		return true;
	if (c->p->cooperative && past - 1 >= c->met && past - 1 < c->call)
		return false;
	return c->over[instant][c->p->at[past - 1].branch] >= past;
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
			verify_object(c, n->loc, "%s '%s' at instant %d does not wait for %d, which also "
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
	const struct buffer *b = verify_buffer(c, t);
	int64_t bytes = verify_bytes(c, g, t);

	if (!b) {
		verify_object(c, t->loc, "'%s' has no buffer", t->name);
		return;
	}
	if (bytes > b->bytes)
		verify_object(c, t->loc, "'%s' needs %lld bytes, its buffer has %lld", t->name,
		    (long long)bytes, (long long)b->bytes);
	else if (bytes > 0) {
		if (instant >= 0)
			check_order(c, b->offset, b->offset + bytes, instant, true);
		put(&c->mem, b->offset, b->offset + bytes, t, instant + 1);
	}
}

static void
read_tensor(struct check *c, const struct graph *g, const struct node *n, const struct tensor *t)
{
	const struct tensor *value = value_of(t);
	const struct buffer *b = verify_buffer(c, t);
	int64_t at, bytes = verify_bytes(c, g, t), upto;
	int i;

	if (!b) {
		verify_object(c, t->loc, "'%s' has no buffer", t->name);
		return;
	}
	at = upto = b->offset;
	for (i = first_touching(&c->mem, at); i >= 0 && c->mem.range[i].beg < at + bytes;
	    i = marks_next(&c->mem.begins, i + 1)) {
		if (c->mem.range[i].beg > upto)
			break;
		if (c->mem.range[i].tensor != value) {
			verify_object(c, n->loc, "%s '%s' reads '%s' at byte %lld, where '%s' was written "
			    "since", n->op->name, n->path, t->name, (long long)c->mem.range[i].beg,
			    c->mem.range[i].tensor->name);
			return;
		}
		upto = c->mem.range[i].end;
	}
	if (upto < at + bytes)
		verify_object(c, n->loc, "%s '%s' reads '%s', which was never written there", n->op->name,
		    n->path, t->name);
}

static void
check_alive(struct check *c, const struct node *n, const struct tensor *t, int instant)
{
	const struct buffer *b = verify_buffer(c, t);

	if (b && (instant < b->first || instant > b->last))
		verify_object(c, n->loc, "%s '%s' uses '%s' at instant %d, outside its life from %d to %d",
		    n->op->name, n->path, t->name, instant, b->first, b->last);
}

static void
touch_read(struct check *c, const struct graph *g, const struct tensor *t, int instant)
{
	int64_t at = verify_buffer(c, t)->offset, bytes = verify_bytes(c, g, t);

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
	if (c->p->cooperative)
		begin_listed(c, instant);
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
by_offset(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

static int
add_place(struct check *c, const struct graph *g, const struct tensor *t, int64_t *place, int n)
{
	const struct buffer *b = verify_buffer(c, t);

	if (!b)
		return n;
	place[n] = b->offset;
	place[n + 1] = b->offset + verify_bytes(c, g, t);
	return n + 2;
}

/* Where anything that the graph writes begins or ends. */
static int
list_places(struct check *c, const struct graph *g, int64_t *place)
{
	int i, j, n = 0;

	for (i = 0; i < c->p->buffers.n; i++)
		if (c->p->buffers.v[i].persistent)
			n = add_place(c, g, c->p->buffers.v[i].root, place, n);
	for (i = 0; i < g->inputs.n; i++)
		n = add_place(c, g, g->inputs.v[i], place, n);
	for (i = 0; i < g->nodes.n; i++) {
		const struct node *node = g->nodes.v[i];

		for (j = 0; j < node->nout; j++)
			if (node->out[j])
				n = add_place(c, g, node->out[j], place, n);
		if (node->work)
			n = add_place(c, g, node->work, place, n);
	}
	return n;
}

/* Each place once; no range is there yet. Of a deep network's thousands of tensors most begin where
 * others do. */
static void
gather_places(struct check *c, const struct graph *g)
{
	struct memory *mem = &c->mem;
	struct arena *scratch = arena_child(c->arena);
	size_t most = (size_t)c->p->buffers.n + (size_t)g->inputs.n;
	int64_t *place;
	int i, n, distinct = 0;

	for (i = 0; i < g->nodes.n; i++)
		most += (size_t)g->nodes.v[i]->nout + 1;
	place = arena_array(scratch, 2 * most + 1, sizeof(*place));
	n = list_places(c, g, place);
	qsort(place, (size_t)n, sizeof(*place), by_offset);
	for (i = 0; i < n; i++)
		if (distinct == 0 || place[i] != place[distinct - 1])
			place[distinct++] = place[i];
	mem->range = arena_array(c->arena, (size_t)distinct + 1, sizeof(*mem->range));
	mem->places = distinct;
	for (i = 0; i < distinct; i++)
		mem->range[i].beg = place[i];
	marks_init(&mem->begins, c->arena, distinct);
	arena_free(scratch);
}

void
verify_replay(struct check *c, const struct graph *g, int start)
{
	int i, last = start + g->nodes.n - 1;

	gather_places(c, g);
	for (i = 0; i < c->p->buffers.n; i++)
		if (c->p->buffers.v[i].persistent)
			write_tensor(c, g, c->p->buffers.v[i].root, -1);
	for (i = 0; i < g->inputs.n; i++)
		write_tensor(c, g, g->inputs.v[i], -1);
	memset(c->last, 0, sizeof(c->last));
	c->call = c->call_end = start;
	c->met = -1;
	for (i = 0; i < g->nodes.n && c->ok; i++)
		replay_node(c, g, g->nodes.v[i], start + i);
	for (i = 1; i < BRANCHES && c->ok; i++)
		if (c->last[i] && !c->p->at[c->last[i] - 1].awaited)
			verify_object(c, g->nodes.v[g->nodes.n - 1]->loc, "branch %d ends with instant %d, "
			    "which the graph's end does not wait for", i, c->last[i] - 1);
	for (i = 0; i < g->results.n && c->ok; i++) {
		if (g->results.v[i].predicted)
			continue;
		check_alive(c, g->nodes.v[g->nodes.n - 1], g->results.v[i].tensor, last);
		read_tensor(c, g, g->nodes.v[g->nodes.n - 1], g->results.v[i].tensor);
	}
}
