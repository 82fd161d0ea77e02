/*
 * forks-in-place: where a tensor is read by several nodes, its gradient has several contributions.
 * Those that come later are added onto the first, by the nodes that make them, instead of being
 * kept separately until they are summed:
 *
 *     trunk -> branch -> + ->      d(trunk) = d(sum), onto which the branch's first convolution,
 *        \--------------/          the last to run in backward, adds its own
 *
 * Operators say what they can add onto (op->memory.onto); sums.c does the work. A sum that is left
 * runs in place of one of its operands anyway.
 *
 * A contribution that is 0 in most places (op->memory.adds_little: that of a convolution of one
 * element with a stride) is made last, right behind the other, since what it adds is little, while
 * it would have to fill all that the other adds to:
 *
 *     trunk -> stride 2 -> + ->     for a quarter of trunk is read and written, in place of all being written, and all
 *        \--> main path --/         being read and written after that
 *
 * What it reads lives longer then, and its result no longer before the other's; where that would be
 * more bytes, it stays where it is.
 *
 * Numbers differ at most by the order of two additions.
 *
 * Reads and writes: train. It needs the nodes in the order in which they will run, since the later
 * contribution adds onto the earlier, and runs before `inplace`, which then sees what is
 * overwritten. Invariant after: what a node adds onto is read by nobody else from there on.
 */
#include "ir/pass.h"

#include <string.h>

#include "ir/op.h"
#include "passes/sums.h"

static int
place_of(const struct graph *g, const struct tensor *t)
{
	int i;

	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i] == t->def)
			return i;
	return -1;
}

static bool
adds_little(const struct node *n)
{
	return n && n->op->memory.adds_little && n->op->memory.adds_little(n);
}

/* Does what N makes have at least as many bytes as what it reads of as many samples? */
static bool
makes_most(const struct node *n)
{
	int64_t read = 0;
	int k;

	for (k = 0; k < n->nin; k++)
		read += n->in[k] ? tensor_bytes(n->in[k]).per_sample : 0;
	return read <= tensor_bytes(n->out[0]).per_sample;
}

/* Does one of A's N tensors lie where one of B's M does? */
static bool
meet(struct tensor *const *a, int n, struct tensor *const *b, int m)
{
	int i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < m; k++)
			if (a[i] && b[k] && tensor_root(a[i]) == tensor_root(b[k]))
				return true;
	return false;
}

/* Must N come behind EARLIER, since one of them writes what the other reads or writes? */
static bool
must_follow(const struct node *n, const struct node *earlier)
{
	return meet(n->out, n->nout, earlier->in, earlier->nin) || meet(n->in, n->nin, earlier->out, earlier->nout) ||
	    meet(n->out, n->nout, earlier->out, earlier->nout);
}

static bool
must_follow_any(const struct node *n, struct node *const *earlier, int count)
{
	while (count-- > 0)
		if (must_follow(n, earlier[count]))
			return true;
	return false;
}

/* The FROM-th node goes behind the TO-th, and with it updates that must follow it, as that of the
 * weights that it reads; nothing is done if anything else must. */
static void
move_behind(struct graph *g, struct arena *scratch, int from, int to)
{
	struct node **moved = arena_array(scratch, (size_t)(to - from) + 1, sizeof(struct node *));
	struct node **stays = arena_array(scratch, (size_t)(to - from) + 1, sizeof(struct node *));
	int i, moves = 0, rest = 0;

	moved[moves++] = g->nodes.v[from];
	for (i = from + 1; i <= to; i++) {
		struct node *n = g->nodes.v[i];

		if (!must_follow_any(n, moved, moves))
			stays[rest++] = n;
		else if (n->phase == PHASE_UPDATE)
			moved[moves++] = n;
		else
			return;
	}
	memcpy(&g->nodes.v[from], stays, (size_t)rest * sizeof(struct node *));
	memcpy(&g->nodes.v[from + rest], moved, (size_t)moves * sizeof(struct node *));
}

/* The node of the contribution X to a sum, which adds little, goes behind that of the other. */
static void
defer(struct graph *g, struct arena *scratch, const int *reads, const struct tensor *x, const struct tensor *other)
{
	const struct node *n = x->def;
	int from, to;

	if (!adds_little(n) || adds_little(other->def) || reads[x->id] != 1 || n->nout != 1 || op_base(n) || !makes_most(n))
		return;
	from = place_of(g, x);
	to = place_of(g, other);
	if (from >= 0 && from < to)
		move_behind(g, scratch, from, to);
}

static void
defer_all(struct graph *g)
{
	struct arena *scratch = arena_child(g->module->arena);
	const int *reads = sums_reads(g, scratch);
	const struct op *sum = op_find("grad_sum");
	int i;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		if (n->op != sum || n->out[0]->kind != T_DELTA)
			continue;
		defer(g, scratch, reads, n->in[0], n->in[1]);
		defer(g, scratch, reads, n->in[1], n->in[0]);
	}
	arena_free(scratch);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	(void)o;
	if (m->train) {
		defer_all(m->train);
		sums_fold(m->train, T_DELTA);
	}
	return true;
}

const struct pass pass_forks_in_place = {
	.name = "forks-in-place",
	.doc = "add gradients of a tensor that several read onto the first of them",
	.optional = true,
	.run = run,
};
