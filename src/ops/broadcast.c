/*
 * broadcast: repeats a tensor along axes of extent 1; and what operators share that repeat
 * operands. The sums that are their gradients are in reduce.c.
 */
#include "ops/broadcast.h"

#include "ir/diff.h"
#include "ir/split.h"

#include <assert.h>
#include <string.h>

#include "calls/formula_kernel.h"
#include "calls/tape.h"
#include "ops/pointwise.h"
#include "ops/reduce.h"
#include "ops/shapes.h"

static const struct attr_spec attrs[] = {
	{ "shape", ATTR_INTS, "the new extents, without the batch", .required = true,
	    .min = 1, .max = LARGEST_EXTENT },
	{ "samples", ATTR_BOOL, "also for each sample, where the input does not depend on it", .preset = "false" },
	ATTRS_END
};

bool
broadcast_fits(struct build *b, const struct node *n, const struct tensor *x)
{
	struct groups g;

	return groups_make(&g, n->out[0], x, NULL) || op_error(b, n, "%s: this broadcast alternates between equal and "
	    "repeated axes more than %d times; reshape the operands to fewer axes", n->op->name, GROUPS - 1);
}

/* ---- operands that must be alike ---- */

static struct tensor *
of_each_sample(struct build *b, const struct node *n, struct tensor *x, const char *called)
{
	struct attr *attr = op_presets(b->module->arena, &op_broadcast);
	struct attr *shape = op_preset(&op_broadcast, attr, "shape");
	struct node **at, *made;

	shape->given = true;
	shape->n = x->rank;
	memcpy(shape->v, x->dim, (size_t)x->rank * sizeof(*x->dim));
	op_preset(&op_broadcast, attr, "samples")->i = true;
	made = op_part(b, n, &op_broadcast, attr, called, 1, &x);
	at = &b->graph->nodes.v[b->graph->nodes.n - 2];	/* it comes before its reader */
	assert(at[0] == n && at[1] == made);
	at[1] = at[0];
	at[0] = made;
	return made->out[0];
}

void
broadcast_samples(struct build *b, struct node *n, int first, int count)
{
	bool some = false;
	int i, k, made = 0;

	for (i = first; i < first + count; i++)
		some |= n->in[i] && n->in[i]->batched;
	for (i = first; i < first + count && some; i++) {
		struct tensor *x = n->in[i], *all;

		if (!x || x->batched || x->rank == 0 || !dtype_is_float(x->dtype))
			continue;
		all = of_each_sample(b, n, x, made == 0 ? "samples" :
		    arena_printf(b->module->arena, "samples_%d", made + 1));
		made++;
		for (k = i; k < first + count; k++)
			if (n->in[k] == x)
				n->in[k] = all;
	}
}

/* ---- gradients ---- */

void
broadcast_pass_back(struct diff *d, const struct node *n, int k, struct tensor *dy)
{
	if (!diff_wants(d, n->in[k]))
		return;
	if (tensor_same_shape(n->in[k], dy))
		diff_add(d, n->in[k], dy);
	else
		diff_output(d, diff_node(d, n, &op_reduce_to, 1, &dy), n->in[k]);
}

/* ---- the operator itself ---- */

static bool
grad(struct diff *d, struct node *n)
{
	broadcast_pass_back(d, n, 0, diff_of(d, n->out[0]));
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	const struct attr *a = op_attr(n, "shape");
	struct tensor want = { .rank = a->n };
	int i;

	memcpy(want.dim, a->v, sizeof(want.dim));
	if (!shape_float(b, n, 0))
		return false;
	if (x->rank != 0 && x->rank != a->n)
		return op_error(b, n, "broadcast: input is %s, but shape %s has %d axes",
		    op_operand_text(b, x), tensor_shape_text(b->module->arena, &want), a->n);
	for (i = 0; i < x->rank; i++)
		if (x->dim[i] != 1 && x->dim[i] != a->v[i])
			return op_error(b, n, "broadcast: input is %s, whose axis %d cannot become "
			    "%lld; only an extent of 1 can be repeated", op_operand_text(b, x), i,
			    (long long)a->v[i]);
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched || op_bool(n, "samples"), a->n, a->v) &&
	    broadcast_fits(b, n, x);
}

/* Of a share, whose axis is not one that is repeated, the same share. */
static bool
split(struct split *s, struct node *n)
{
	int blocks = split_blocks(s, n->in[0]);
	struct attr *shape;

	if (!blocks)
		return false;
	shape = split_attr(s, n, "shape");
	shape->v[shape->n - 1] /= s->ranks;
	split_result(s, n->out[0], blocks);
	split_append(s, n);
	return true;
}

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	(void)g;
	return tensor_same_shape(n->in[0], n->out[0]) ? n->in[0] : NULL;
}

/* y = x, spread */
static const struct formula *
spread(struct arena *a)
{
	struct formula *f = formula_new(a, 1);

	f->name = "broadcast";
	f->result[f->results++] = formula_operand(f, 0);
	return f;
}

static void
define(struct emitter *e, const struct node *n)
{
	formula_kernel_define(e, n, spread(e->module->arena));
}

static void
emit(struct emitter *e, const struct node *n)
{
	formula_kernel_call(e, n, spread(e->module->arena));
}

/* PyTorch's expand is a view. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	struct tape_shape sizes;

	tape_shape_of_tensor(t, n->out[0], &sizes);
	tape_result(t, n->out[0], tape_expand(t, tape_value(t, n->in[0]), &sizes));
}

const struct op op_broadcast = {
	.name = "broadcast",
	.kind = OP_LAYER,
	.brief = "repeats a tensor along axes of extent 1",
	.doc = "Gives the input the extents of `shape`, repeating it along axes where its own "
	    "extent is 1: broadcast((64, 28, 28)) of [64, 1, 1]. add, sub and mul do this by "
	    "themselves for one operand; broadcast is for repeating both. With samples=true a parameter "
	    "becomes a tensor of each sample; attend, concat, gather and stack do that by themselves. "
	    "Backward sums dy over the repeated axes.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.simplify.identity = identity,
	.torch = { .calls = torch_calls },
	.memory.layout = op_layout_either,
	.ranks = { .split = split, .hands_on = true },
	.calls.kernels = POINTWISE_KERNELS,
	.calls.listed = true,
	.calls.define = define,
	.calls.emit = emit,
};
