/*
 * broadcast: repeats a tensor along axes of extent 1; and what all broadcasting operators share:
 * their shape rule and their emission. The sums that are their gradients are in reduce.c.
 */
#include "ops/broadcast.h"

#include "ir/diff.h"

#include <assert.h>
#include <string.h>

#include "calls/emitter.h"
#include "calls/tape.h"
#include "ops/reduce.h"
#include "ops/shapes.h"

static const struct attr_spec attrs[] = {
	{ "shape", ATTR_INTS, "the new extents, without the batch", .required = true,
	    .min = 1, .max = LARGEST_EXTENT },
	{ "samples", ATTR_BOOL, "also for each sample, where the input does not depend on it", .preset = "false" },
	ATTRS_END
};

/* ---- the shape rule of add, sub, mul ---- */

static bool
grows(const struct tensor *from, const struct tensor *to)
{
	int i;

	for (i = 0; i < from->rank; i++)
		if (from->dim[i] != to->dim[i])
			return true;
	return to->batched && !from->batched;
}

static bool
axes_agree(struct build *b, const struct node *n, int64_t dim[MAX_RANK])
{
	const struct tensor *x = n->in[0], *y = n->in[1];
	int i;

	for (i = 0; i < x->rank; i++) {
		if (x->dim[i] != y->dim[i] && x->dim[i] != 1 && y->dim[i] != 1)
			return op_error(b, n, "%s: %s and %s differ in axis %d (%lld and %lld); "
			    "extents must be equal, or one of them 1", n->op->name,
			    op_operand_text(b, x), op_operand_text(b, y), i, (long long)x->dim[i],
			    (long long)y->dim[i]);
		dim[i] = x->dim[i] == 1 ? y->dim[i] : x->dim[i];
	}
	return true;
}

static bool
groups_fit(struct build *b, const struct node *n)
{
	struct groups g;

	if (groups_make(&g, n->out[0], n->in[0], n->nin > 1 ? n->in[1] : NULL))
		return true;
	return op_error(b, n, "%s: this broadcast alternates between equal and repeated axes more "
	    "than %d times; reshape the operands to fewer axes", n->op->name, GROUPS - 1);
}

bool
broadcast_shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0], *y = n->in[1], *full = x->rank ? x : y;
	int64_t dim[MAX_RANK];
	bool batched = x->batched || y->batched;

	if (!shape_float(b, n, 0) || !shape_float(b, n, 1))
		return false;
	if (x->dtype != y->dtype)
		return op_error(b, n, "%s: one operand holds %s and the other %s", n->op->name,
		    dtype_name(x->dtype), dtype_name(y->dtype));
	if (x->rank > 0 && y->rank > 0 && x->rank != y->rank)
		return op_error(b, n, "%s: operands must have equally many axes, but one is %s and "
		    "the other %s", n->op->name, op_operand_text(b, x), op_operand_text(b, y));
	memcpy(dim, full->dim, sizeof(dim));
	if (x->rank > 0 && y->rank > 0 && !axes_agree(b, n, dim))
		return false;
	if (!op_output(b, n, NULL, full->rank ? T_ACTIVATION : T_SCALAR, x->dtype, batched,
	    full->rank, dim))
		return false;
	if (grows(x, n->out[0]) && grows(y, n->out[0]))
		return op_error(b, n, "%s: %s and %s would both be repeated; if that is meant, "
		    "write broadcast(...) for one of them", n->op->name, op_operand_text(b, x),
		    op_operand_text(b, y));
	return groups_fit(b, n);
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
	memcpy(shape->v, x->dim, sizeof(x->dim));
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

/* ---- emission ---- */

void
broadcast_combine(struct emitter *e, const char *function, const struct tensor *y,
    const struct tensor *x, const struct tensor *other)
{
	struct arena *a = e->module->arena;
	struct groups g;

	if (reduce_is_whole(x, y) && reduce_is_whole(other, y)) {
		emit_call(e, emit_kernel(e, arena_printf(a, "%s_forward", function), y),
		    arg_tensor(y), arg_tensor(x), arg_tensor(other), arg_count(y));
		return;
	}
	groups_make(&g, y, x, other);
	emit_call(e, arena_printf(a, "%s_broadcast", function), arg_tensor(y), arg_tensor(x),
	    arg_tensor(other), arg_text(groups_text(e, &g)));
}

void
broadcast_emit(struct emitter *e, const struct node *n)
{
	broadcast_combine(e, n->op->name, n->out[0], n->in[0], n->in[1]);
}

/* ---- gradients ---- */

void
broadcast_pass_back(struct diff *d, const struct node *n, int k)
{
	struct tensor *dy = diff_of(d, n->out[0]);

	if (!diff_wants(d, n->in[k]))
		return;
	if (tensor_same_shape(n->in[k], n->out[0]))
		diff_add(d, n->in[k], dy);
	else
		diff_output(d, diff_node(d, n, &op_reduce_to, 1, &dy), n->in[k]);
}

/* ---- the operator itself ---- */

static bool
grad(struct diff *d, struct node *n)
{
	broadcast_pass_back(d, n, 0);
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
	    groups_fit(b, n);
}

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	(void)g;
	return tensor_same_shape(n->in[0], n->out[0]) ? n->in[0] : NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	struct groups g;

	groups_make(&g, n->out[0], n->in[0], NULL);
	emit_call(e, "broadcast_forward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_text(groups_text(e, &g)));
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
	.calls.kernels = "pointwise/arith.cu",
	.calls.emit = emit,
};
