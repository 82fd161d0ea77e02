/*
 * batchnorm_marked: the end of a residual block, relu(batchnorm(x) + skip), where what passes relu
 * is kept as bits, and backward reads these in place of y; and batchnorm_both, where the skip is
 * normalised, too, and neither that nor what passes relu is ever in memory. The pass marked_norms
 * makes them, on a GPU, where plans are for speed. A byte of marks belongs to 16 bytes of y
 * (kernels/norm/batchnorm_marked.cu).
 */
#include "ops/batchnorm.h"

#include "calls/emitter.h"
#include "ops/conv.h"
#include "ops/pointwise.h"
#include "ops/shapes.h"
#include "ops/then.h"

#define PACK_BYTES	16	/* of elements that a byte of marks belongs to */

enum { MARKS = NEW_VAR + 1, MEAN_2, INVSTD_2, NEW_MEAN_2, NEW_VAR_2 };	/* outputs, beside those of batchnorm */
enum { X_2 = SKIP, WEIGHT_2, BIAS_2, RUNNING_MEAN_2, RUNNING_VAR_2 };	/* inputs */
/* inputs of gradients */
enum { DY, OF_X, OF_WEIGHT, OF_MEAN, OF_INVSTD, BESIDE, OF_X_2, OF_WEIGHT_2, OF_MEAN_2, OF_INVSTD_2 };
enum { DX, DWEIGHT, DBIAS, DX_2, DWEIGHT_2, DBIAS_2 };	/* what they make, of both */

static const struct attr_spec attrs[] = { BATCHNORM_ATTRS, THEN_ATTR, ATTRS_END };
static const struct attr_spec grad_attrs[] = { BATCHNORM_ATTRS, ATTRS_END };

static struct call_arg
parts_of(struct emitter *e, const struct tensor *x)
{
	return arg_int(batchnorm_parts(x, e->target));
}

/* ---- forward ---- */

static void
emit_marked(struct emitter *e, const struct node *n)
{
	struct tensor *const *in = n->in, *const *out = n->out;
	struct channels c = emit_channels(e, in[X]);

	emit_call(e, "batchnorm_marked_forward", arg_tensor(out[Y]), arg_tensor(out[MEAN]), arg_tensor(out[INVSTD]),
	    arg_tensor(out[NEW_MEAN]), arg_tensor(out[NEW_VAR]), arg_tensor(out[MARKS]), arg_work(n),
	    arg_text(conv_sums_text(e, conv_sums_of(n, in[X]))), arg_tensor(in[X]), arg_tensor(in[WEIGHT]),
	    arg_tensor(in[BIAS]), then_arg(e, n, in[SKIP]),
	    arg_text(emit_double(e, op_real(n, "eps"))), arg_text(emit_double(e, op_real(n, "momentum"))),
	    arg_text(c.rows), arg_int(c.channels), parts_of(e, in[X]));
}

const struct op op_batchnorm_marked = {
	.name = "batchnorm_marked",
	.kind = OP_INTERNAL,
	.brief = "batchnorm, a skip and relu, and which elements pass that",
	.attrs = attrs,
	.operands = "x weight bias running_mean running_var skip",
	.min_operands = 6, .max_operands = 6,
	.traffic = batchnorm_traffic,
	.memory.workspace = batchnorm_workspace,
	.memory.alias = batchnorm_alias,
	.memory.inplace = 1u << X | 1u << SKIP,
	.calls.kernels = "norm/batchnorm.cu",
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.launches = 3,
	.calls.emit = emit_marked,
};

static int
alias_both(const struct node *n, int k)
{
	(void)n;
	return k == NEW_MEAN ? RUNNING_MEAN : k == NEW_VAR ? RUNNING_VAR : k == NEW_MEAN_2 ? RUNNING_MEAN_2 :
	    k == NEW_VAR_2 ? RUNNING_VAR_2 : -1;
}

static struct affine
traffic_both(const struct node *n)
{
	struct affine x = tensor_bytes(n->in[X]), bytes = op_bytes(n);

	if (!conv_sums_of(n, n->in[X]))
		bytes = affine_sum(bytes, x);
	return conv_sums_of(n, n->in[X_2]) ? bytes : affine_sum(bytes, x);
}

/* What kernels are told of one that is normalised, BIAS where its value is asked for. */
static struct call_arg
arg_norm(struct emitter *e, const struct tensor *x, const struct tensor *weight, const struct tensor *bias,
    const struct tensor *mean, const struct tensor *invstd)
{
	return arg_text(arena_printf(e->module->arena, "bn_by(%s, %s, %s, %s, %s)", emit_pointer(e, x), emit_pointer(e, weight),
	    emit_pointer(e, bias), emit_pointer(e, mean), emit_pointer(e, invstd)));
}

static struct call_arg
arg_kept(struct emitter *e, const struct node *n, const struct tensor *x, const struct tensor *mean, const struct tensor *var)
{
	const char *eps = emit_double(e, op_real(n, "eps"));

	return arg_text(arena_printf(e->module->arena, "bn_kept(%s, %s, %s, %s, %s)", emit_pointer(e, mean), emit_pointer(e, var),
	    conv_sums_text(e, conv_sums_of(n, x)), eps, emit_double(e, op_real(n, "momentum"))));
}

static void
emit_both(struct emitter *e, const struct node *n)
{
	struct tensor *const *in = n->in, *const *out = n->out;
	struct channels c = emit_channels(e, in[X]);

	emit_call(e, "batchnorm_both_forward", arg_tensor(out[Y]), arg_tensor(out[MARKS]),
	    arg_norm(e, in[X], in[WEIGHT], in[BIAS], out[MEAN], out[INVSTD]),
	    arg_kept(e, n, in[X], out[NEW_MEAN], out[NEW_VAR]),
	    arg_norm(e, in[X_2], in[WEIGHT_2], in[BIAS_2], out[MEAN_2], out[INVSTD_2]),
	    arg_kept(e, n, in[X_2], out[NEW_MEAN_2], out[NEW_VAR_2]), then_arg(e, n, NULL), arg_work(n),
	    arg_text(c.rows), arg_int(c.channels), parts_of(e, in[X]));
}

const struct op op_batchnorm_both = {
	.name = "batchnorm_both",
	.kind = OP_INTERNAL,
	.brief = "relu of the sum of two batchnorms, and which elements pass that",
	.attrs = attrs,
	.operands = "x weight bias running_mean running_var x_2 weight_2 bias_2 running_mean_2 running_var_2",
	.min_operands = 10, .max_operands = 10,
	.traffic = traffic_both,
	.memory.workspace = batchnorm_workspace,
	.memory.alias = alias_both,
	.memory.inplace = 1u << X | 1u << X_2,
	.calls.kernels = "norm/batchnorm.cu",
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.launches = 5,
	.calls.emit = emit_both,
};

/* ---- backward ---- */

static void
emit_marked_grad(struct emitter *e, const struct node *n)
{
	struct tensor *const *in = n->in;
	struct channels c = emit_channels(e, in[OF_X]);

	emit_call(e, "batchnorm_marked_backward", arg_tensor(n->out[n->nout - 1]), arg_tensor(batchnorm_gradient_of(n, X)),
	    arg_tensor(batchnorm_gradient_of(n, WEIGHT)), arg_tensor(batchnorm_gradient_of(n, BIAS)), arg_work(n),
	    arg_tensor(in[DY]), arg_tensor(in[BESIDE]), arg_tensor(in[OF_X]), arg_tensor(in[OF_WEIGHT]),
	    arg_tensor(in[OF_MEAN]), arg_tensor(in[OF_INVSTD]), arg_text(c.rows), arg_int(c.channels),
	    parts_of(e, in[OF_X]));
}

/* What passes, which it makes, and x are read for the sums and for dx. */
static struct affine
traffic_marked_grad(const struct node *n)
{
	struct affine x = tensor_bytes(n->in[OF_X]), bytes = op_bytes(n);

	return batchnorm_gradient_of(n, X) ? affine_sum(bytes, affine_sum(x, x)) : bytes;
}

const struct op op_batchnorm_marked_grad = {
	.name = "batchnorm_marked_grad",
	.kind = OP_INTERNAL,
	.brief = "gradients of batchnorm_marked: of its batchnorm, as far as they are wanted, and of the skip",
	.attrs = grad_attrs,
	.operands = "dy x weight mean invstd marks",
	.min_operands = 6, .max_operands = 6,
	.traffic = traffic_marked_grad,
	.memory.workspace = batchnorm_backward_workspace,
	.memory.inplace = 1u << OF_X,
	.memory.inplace_last = 1u << DY,
	.calls.kernels = "norm/batchnorm.cu",
	.calls.launches = 3,
	.calls.emit = emit_marked_grad,
};

static void
emit_both_grad(struct emitter *e, const struct node *n)
{
	struct arena *a = e->module->arena;
	struct tensor *const *in = n->in, *const *out = n->out;
	struct channels c = emit_channels(e, in[OF_X]);

	emit_call(e, "batchnorm_both_backward", arg_tensor(out[DX]),
	    arg_text(arena_printf(a, "bn_wants(%s, %s)", emit_pointer(e, out[DWEIGHT]), emit_pointer(e, out[DBIAS]))),
	    arg_tensor(out[DX_2]),
	    arg_text(arena_printf(a, "bn_wants(%s, %s)", emit_pointer(e, out[DWEIGHT_2]), emit_pointer(e, out[DBIAS_2]))),
	    arg_work(n), arg_tensor(in[DY]), arg_tensor(in[BESIDE]),
	    arg_norm(e, in[OF_X], in[OF_WEIGHT], NULL, in[OF_MEAN], in[OF_INVSTD]),
	    arg_norm(e, in[OF_X_2], in[OF_WEIGHT_2], NULL, in[OF_MEAN_2], in[OF_INVSTD_2]),
	    arg_text(c.rows), arg_int(c.channels), parts_of(e, in[OF_X]));
}

/* All that it reads of the batch it reads twice. */
static struct affine
traffic_both_grad(const struct node *n)
{
	struct affine x = tensor_bytes(n->in[OF_X]), marks = tensor_bytes(n->in[BESIDE]);

	return affine_sum(affine_sum(op_bytes(n), marks), affine_sum(x, affine_sum(x, x)));
}

static struct affine
workspace_both(const struct node *n, const struct room *room)
{
	struct affine one = batchnorm_backward_workspace(n, room);

	return affine_sum(one, one);
}

const struct op op_batchnorm_both_grad = {
	.name = "batchnorm_both_grad",
	.kind = OP_INTERNAL,
	.brief = "gradients of batchnorm_both",
	.attrs = grad_attrs,
	.operands = "dy x weight mean invstd marks x_2 weight_2 mean_2 invstd_2",
	.min_operands = 10, .max_operands = 10,
	.traffic = traffic_both_grad,
	.memory.workspace = workspace_both,
	.memory.inplace = 1u << DY | 1u << OF_X,
	.memory.optional_out = 1u << DWEIGHT | 1u << DBIAS | 1u << DWEIGHT_2 | 1u << DBIAS_2,
	.calls.kernels = "norm/batchnorm.cu",
	.calls.launches = 4,
	.calls.emit = emit_both_grad,
};

/* ---- what others become ---- */

static bool
has_all(struct tensor *const *t, int n)
{
	int k;

	for (k = 0; k < n; k++)
		if (!t[k])
			return false;
	return true;
}

struct node *
batchnorm_markable(struct arena *a, const struct node *grad)
{
	const struct tensor *y = grad->op == &op_batchnorm_grad_of ? grad->in[BESIDE] : NULL;
	struct node *n = y ? y->def : NULL;

	if (!n || n->op != &op_batchnorm_then || n->nin <= SKIP || n->nout != MARKS || !has_all(n->out, n->nout) ||
	    n->out[Y] != y || y->alias_of || !y->channels_last || !y->batched ||
	    y->dim[0] % (PACK_BYTES / y->dtype->bytes) || !pointwise_is_relu_grad(a, then_of(grad)) || n->in[X] != grad->in[OF_X])
		return NULL;
	return n;
}

/* A byte for each pack of y. */
static struct tensor *
add_marks(struct module *m, struct node *n)
{
	const struct tensor *y = n->out[Y];
	int64_t bytes = affine_at(tensor_bytes(y), 1) / PACK_BYTES;
	struct tensor *t = ir_tensor(m, T_SAVED, DT_U8, true, 1, &bytes,
	    arena_printf(m->arena, "%s.passes", n->path), n->loc);

	return ir_add_output(m, n, t);
}

void
batchnorm_mark(struct module *m, struct node *n, struct node *grad)
{
	n->op = &op_batchnorm_marked;
	grad->op = &op_batchnorm_marked_grad;
	grad->in[BESIDE] = add_marks(m, n);
}

struct node *
batchnorm_beside(const struct node *n)
{
	const struct tensor *skip = n->in[SKIP];
	struct node *other = skip->def;
	int k;

	if (!other || other->op != &op_batchnorm || skip != other->out[Y] || skip->alias_of || !batchnorm_uses_batch(other) ||
	    batchnorm_is_synced(other) || other->nout != MARKS || !has_all(other->out, other->nout) || other->again ||
	    op_real(other, "eps") != op_real(n, "eps") || op_real(other, "momentum") != op_real(n, "momentum"))
		return NULL;
	for (k = 0; k <= RUNNING_VAR; k++)
		if (!tensor_alike(other->in[k], n->in[k]))
			return NULL;
	return other;
}

/* Its three gradients, as far as there are any, behind those that GRAD has. */
static void
add_gradients(struct module *m, struct node *grad, const struct node *from)
{
	int k;

	for (k = X; k <= BIAS; k++)
		ir_add_output(m, grad, batchnorm_gradient_of(from, k));
}

bool
batchnorm_can_join_gradients(const struct node *grad, const struct node *beside, const struct node *other)
{
	return other->op == &op_batchnorm_grad && other->in[DY] == grad->out[grad->nout - 1] &&
	    other->in[OF_X] == beside->in[X] && batchnorm_gradient_of(grad, X) && batchnorm_gradient_of(other, X);
}

void
batchnorm_join_both(struct module *m, struct node *n, const struct node *other, struct node *grad,
    const struct node *other_grad)
{
	struct node made = *grad;
	int k;

	n->nin = SKIP;
	for (k = X; k <= RUNNING_VAR; k++)
		ir_add_input(m, n, other->in[k]);
	n->op = &op_batchnorm_both;
	grad->in[BESIDE] = add_marks(m, n);
	for (k = MEAN; k <= NEW_VAR; k++)
		ir_add_output(m, n, other->out[k]);

	for (k = OF_X; k <= OF_INVSTD; k++)
		ir_add_input(m, grad, other_grad->in[k]);
	grad->op = &op_batchnorm_both_grad;
	grad->out = NULL;
	grad->nout = grad->out_room = 0;
	add_gradients(m, grad, &made);
	add_gradients(m, grad, other_grad);
}
