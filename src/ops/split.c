/* split: a tensor in several, along an axis. Its gradient puts theirs side by side, in one node. */
#include "ops/move.h"

#include "ir/diff.h"

#include "calls/emitter.h"
#include "calls/tape.h"
#include "ops/shapes.h"

static const struct attr_spec attrs[] = {
	{ "parts", ATTR_INTS, "into how many equal parts; or the extent of each, as in (64, 32, 32)",
	    .required = true, .min = 1, .max = LARGEST_EXTENT },
	{ "axis", ATTR_INT, "the axis that is divided: 0 is the first after the batch, -1 the last", .preset = "0",
	    .min = -MAX_RANK, .max = MAX_RANK - 1 },
	ATTRS_END
};

#define MOST_PARTS	32	/* bits of memory.optional_out */

/* How long part K of the axis of X is. */
static int64_t
split_extent(const struct node *n, const struct tensor *x, int k)
{
	const struct attr *parts = op_attr(n, "parts");

	return parts->n > 1 ? parts->v[k] : x->dim[shape_axis_of(n, x)] / parts->v[0];
}

/* X as Y has it, from index START of the axis on: part of Y if ROUND, else of X. */
static void
place_part(struct moving *m, const struct tensor *y, const struct tensor *x, int axis, int64_t start, bool round)
{
	int i;

	move_start(m, y, x);
	for (i = 0; i < y->rank; i++) {
		struct move_part *p = move_part(m, i, i, least(y->dim[i], x->dim[i]));

		if (i != axis)
			continue;
		p->of = x->dim[i];
		if (round)
			p->out_start = start;
		else
			move_run(p, p->n, start, 1);
	}
}

/* ---- backward ---- */

/* dys in the order of the parts; NULL: no gradient arrives there, and it is 0 */
static void
emit_backward(struct emitter *e, const struct node *n)
{
	const struct tensor *dx = n->out[0];
	const struct node *f = n->forward;
	int axis = shape_axis_of(f, dx), k;
	int64_t start = 0;

	for (k = 0; k < n->nin; k++) {
		struct tensor part = tensor_value(dx);
		struct moving m;

		part.dim[axis] = split_extent(f, dx, k);
		place_part(&m, dx, n->in[k] ? n->in[k] : &part, axis, start, true);
		if (!n->in[k])
			move_run(&m.part[axis + dx->batched], part.dim[axis], -1, 1);
		move_emit_forward(e, dx, n->in[k] ? n->in[k] : dx, &m);
		start += part.dim[axis];
	}
}

const struct op op_split_grad = {
	.name = "split_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of split: those of the parts side by side",
	.operands = "dy ...",
	.min_operands = 1, .max_operands = -1,
	.calls.kernels = "copy/move.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	struct tensor **dy = arena_array(d->m->arena, (size_t)n->nout + 1, sizeof(*dy));
	int k;

	for (k = 0; k < n->nout; k++)
		dy[k] = diff_of(d, n->out[k]);
	diff_output(d, diff_node(d, n, &op_split_grad, n->nout, dy), n->in[0]);
	return true;
}

/* ---- forward ---- */

static bool
divides(struct build *b, const struct node *n, int axis)
{
	const struct attr *parts = op_attr(n, "parts");
	const struct tensor *x = n->in[0];
	int64_t sum = 0;
	int k;

	if (parts->n == 1 && parts->v[0] > MOST_PARTS)
		return op_error(b, n, "split: into %lld parts; there may be at most %d", (long long)parts->v[0],
		    MOST_PARTS);
	if (parts->n == 1 && x->dim[axis] % parts->v[0] != 0)
		return op_error(b, n, "split: axis %d of %s is %lld long, which %lld parts of one size do not make up",
		    axis, op_operand_text(b, x), (long long)x->dim[axis], (long long)parts->v[0]);
	for (k = 0; k < parts->n; k++)
		sum += parts->v[k];
	if (parts->n > 1 && sum != x->dim[axis])
		return op_error(b, n, "split: the parts are %lld together, but axis %d of %s is %lld long",
		    (long long)sum, axis, op_operand_text(b, x), (long long)x->dim[axis]);
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	int64_t dim[MAX_RANK];
	int axis, i, k, parts;

	if (!shape_float(b, n, 0) || !shape_axis(b, n, x, &axis) || !divides(b, n, axis))
		return false;
	parts = op_attr(n, "parts")->n > 1 ? op_attr(n, "parts")->n : (int)op_attr(n, "parts")->v[0];
	for (i = 0; i < x->rank; i++)
		dim[i] = x->dim[i];
	for (k = 0; k < parts; k++) {
		dim[axis] = split_extent(n, x, k);
		if (!op_output(b, n, arena_printf(b->module->arena, "%d", k), T_ACTIVATION, x->dtype, x->batched,
		    x->rank, dim))
			return false;
	}
	return true;
}

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	(void)g;
	return n->nout == 1 ? n->in[0] : NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0];
	int axis = shape_axis_of(n, x), k;
	int64_t start = 0;

	for (k = 0; k < n->nout; k++) {
		struct moving m;

		if (n->out[k]) {
			place_part(&m, n->out[k], x, axis, start, false);
			move_emit_forward(e, n->out[k], x, &m);
		}
		start += split_extent(n, x, k);
	}
}

/* In PyTorch the parts are views, which one autograd node makes: it concatenates their
 * gradients. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	const struct tensor *x = n->in[0];
	int from = tape_value(t, x), axis = shape_axis_of(n, x) + x->batched, all, k;
	struct tape_shape s;

	if (!tape_shape(t, from, &s))
		tape_shape_of_tensor(t, x, &s);
	all = tape_view(t, from, &s, true);
	t->calls.v[t->calls.n - 1].joins = true;

	for (k = 0; k < n->nout; k++)
		if (n->out[k]) {
			int part = tape_narrow(t, all, axis, n->out[k]->dim[shape_axis_of(n, x)], 1, false);

			t->calls.v[t->calls.n - 1].part = true;
			tape_result(t, n->out[k], part);
		}
}

const struct op op_split = {
	.name = "split",
	.kind = OP_LAYER,
	.flags = OP_TUPLE,
	.brief = "a tensor in several, along an axis",
	.doc = "Divides an axis, by default channels, into parts of one size, split(3), or of the sizes that are "
	    "given, split((64, 32, 32), axis=-1). The result is a tuple: s = x -> split(2) has the parts s[0] and "
	    "s[1], also written s.0 and s.1, and is piped into what takes several tensors, as (a, b) is. "
	    "Elements are copied, but of parts that nobody reads. Backward needs neither input nor output.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.simplify.identity = identity,
	.memory.optional_out = ~0u,
	.torch = { .calls = torch_calls },
	.memory.layout = op_layout_either,
	.calls.kernels = "copy/move.cu",
	.calls.emit = emit,
};
