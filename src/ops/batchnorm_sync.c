/*
 * Batch normalisation over the samples of all ranks (sync=true): what its node is taken apart into,
 * once all that is decided of nodes has been (passes/sync_norm.c). Forward and backward each have
 * one sum over ranks, of two doubles a channel and the number of elements:
 *
 *     s = batchnorm_moments(x, running_mean)			of d and d d, where d is the distance from the running
 *     s = all_reduced(all_reduce(s))				mean, which all ranks have alike
 *     mean, invstd, running' = batchnorm_statistics(s, running)
 *     y = batchnorm_apply(x, weight, bias, mean, invstd)
 *
 *     s, dweight, dbias = batchnorm_dots(dy, x, weight, mean, invstd)	of dy and dy (x - mean); the two gradients are
 *     s = all_reduced(all_reduce(s))				this rank's, and added up as all gradients are
 *     dx = batchnorm_distribute(dy, x, weight, mean, invstd, s)
 *
 * A rank that has none of the samples of a last batch repeats one of another's: it adds nothing,
 * and its dx is 0.
 */
#include "ops/batchnorm.h"

#include "calls/emitter.h"

#include "ops/shapes.h"
#include "ops/then.h"

static const struct attr_spec attrs[] = { BATCHNORM_ATTRS, ATTRS_END };
static const struct attr_spec attrs_then[] = { BATCHNORM_ATTRS, THEN_ATTR, ATTRS_END };

enum { OF_DY, OF_X, OF_WEIGHT, OF_MEAN, OF_INVSTD };	/* of backward */

static int64_t
parts_bytes(const struct tensor *x, const struct room *room)
{
	return 2 * x->dim[0] * batchnorm_parts(x, room->target) * (int64_t)sizeof(double);
}

/* ---- forward ---- */

static struct affine
moments_workspace(const struct node *n, const struct room *room)
{
	return (struct affine){ parts_bytes(n->in[0], room), 0 };
}

static void
emit_moments(struct emitter *e, const struct node *n)
{
	struct channels c = emit_channels(e, n->in[0]);

	emit_call(e, "bn_sync_moments", arg_tensor(n->out[0]), arg_work(n), arg_tensor(n->in[0]), arg_tensor(n->in[1]),
	    arg_text("s"), arg_text(c.rows), arg_int(c.channels), arg_int(c.places),
	    arg_int(batchnorm_parts(n->in[0], e->target)));
}

const struct op op_batchnorm_moments = {
	.name = "batchnorm_moments",
	.kind = OP_INTERNAL,
	.brief = "sums of batchnorm's input, which ranks add up",
	.attrs = attrs,
	.operands = "x running_mean",
	.min_operands = 2, .max_operands = 2,
	.memory.workspace = moments_workspace,
	.calls.kernels = "norm/batchnorm_sync.cu",
	.calls.launches = 2,
	.calls.emit = emit_moments,
};

static void
emit_statistics(struct emitter *e, const struct node *n)
{
	emit_call(e, "bn_sync_statistics", arg_tensor(n->out[0]), arg_tensor(n->out[1]), arg_tensor(n->out[2]),
	    arg_tensor(n->out[3]), arg_tensor(n->in[0]), arg_text(emit_double(e, op_real(n, "eps"))),
	    arg_text(emit_double(e, op_real(n, "momentum"))), arg_int(n->out[0]->dim[0]));
}

static int
statistics_alias(const struct node *n, int k)
{
	(void)n;
	return k >= 2 ? k - 1 : -1;
}

const struct op op_batchnorm_statistics = {
	.name = "batchnorm_statistics",
	.kind = OP_INTERNAL,
	.brief = "batchnorm's mean and inverse deviation, of the sums of all ranks",
	.attrs = attrs,
	.operands = "sums running_mean running_var",
	.min_operands = 3, .max_operands = 3,
	.memory.alias = statistics_alias,
	.ranks.alike = true,
	.calls.kernels = "norm/batchnorm_sync.cu",
	.calls.emit = emit_statistics,
};

/* ---- backward ---- */

static struct affine
dots_workspace(const struct node *n, const struct room *room)
{
	return (struct affine){ parts_bytes(n->in[OF_X], room), 0 };
}

static void
emit_dots(struct emitter *e, const struct node *n)
{
	struct tensor *const *in = n->in;
	struct channels c = emit_channels(e, in[OF_X]);

	emit_call(e, "bn_sync_dots", arg_tensor(n->out[0]), arg_tensor(batchnorm_gradient_of(n, WEIGHT)),
	    arg_tensor(batchnorm_gradient_of(n, BIAS)), arg_work(n), arg_tensor(in[OF_DY]), then_arg(e, n, NULL),
	    arg_tensor(in[OF_X]), arg_tensor(in[OF_WEIGHT]), arg_tensor(n->nin > 5 ? in[5] : NULL),
	    arg_tensor(in[OF_MEAN]), arg_tensor(in[OF_INVSTD]), arg_text("s"), arg_text(c.rows), arg_int(c.channels),
	    arg_int(c.places), arg_int(batchnorm_parts(in[OF_X], e->target)));
}

const struct op op_batchnorm_dots = {
	.name = "batchnorm_dots",
	.kind = OP_INTERNAL,
	.brief = "sums of batchnorm's gradient, which ranks add up, and what of them is a rank's",
	.attrs = attrs_then,
	.operands = "dy x weight mean invstd bias",
	.min_operands = 5, .max_operands = 6,
	.memory.workspace = dots_workspace,
	.calls.kernels = "norm/batchnorm_sync.cu",
	.calls.launches = 2,
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.emit = emit_dots,
};

/* Two numbers of each channel. */
static struct affine
distribute_workspace(const struct node *n, const struct room *room)
{
	(void)room;
	return (struct affine){ 2 * n->in[OF_X]->dim[0] * (int64_t)sizeof(double), 0 };
}

static void
emit_distribute(struct emitter *e, const struct node *n)
{
	struct tensor *const *in = n->in;
	struct channels c = emit_channels(e, in[OF_X]);

	emit_call(e, "bn_sync_distribute", arg_tensor(n->out[0]), arg_work(n), arg_tensor(in[OF_DY]), then_arg(e, n, NULL),
	    arg_tensor(in[OF_X]), arg_tensor(in[OF_WEIGHT]), arg_tensor(n->nin > 6 ? in[6] : NULL),
	    arg_tensor(in[OF_MEAN]), arg_tensor(in[OF_INVSTD]), arg_tensor(in[5]), arg_text("s"), arg_text(c.rows),
	    arg_int(c.channels), arg_int(c.places));
}

const struct op op_batchnorm_distribute = {
	.name = "batchnorm_distribute",
	.kind = OP_INTERNAL,
	.brief = "gradient of batchnorm's input, of the sums of all ranks",
	.attrs = attrs_then,
	.operands = "dy x weight mean invstd sums bias",
	.min_operands = 6, .max_operands = 7,
	.memory.workspace = distribute_workspace,
	.memory.inplace = 1u << OF_DY | 1u << OF_X,
	.calls.kernels = "norm/batchnorm_sync.cu",
	.calls.launches = 2,
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.emit = emit_distribute,
};

/* ---- taken apart ---- */

struct taking {
	struct module *m;
	struct graph *g;		/* to which nodes are appended */
	const struct node *n;
	struct attr *attr;
};

static struct node *
append(struct taking *t, const struct op *op, int nin, struct tensor *const *in)
{
	struct node *n = ir_node(t->g, op, t->n->path, t->n->loc, nin, in);

	n->phase = t->n->phase;
	n->training = t->n->training;
	n->forward = t->n->forward;
	n->again = t->n->again;
	n->attr = t->attr;
	return n;
}

/* The sum over ranks of what the node makes first, which has so many channels. */
static struct tensor *
add_up(struct taking *t, struct node *n, int64_t channels)
{
	int64_t numbers = 2 * channels + 1;
	const char *name = arena_printf(t->m->arena, "%s.sums", n->path);
	struct tensor *sums = ir_add_output(t->m, n, ir_tensor(t->m, T_SAVED, DT_F64, false, 1, &numbers, name, n->loc));
	static const char *const op[] = { "all_reduce", "all_reduced" };
	int k;

	for (k = 0; k < 2; k++) {
		struct node *r = append(t, op_find(op[k]), 1, &sums);

		r->attr = NULL;
		sums = ir_add_output(t->m, r, ir_tensor_like(t->m, T_SAVED, sums, name, n->loc));
	}
	return sums;
}

static void
take_forward(struct taking *t)
{
	const struct node *n = t->n;
	struct tensor *const *in = n->in, *sums;
	struct node *made = append(t, &op_batchnorm_moments, 2, (struct tensor *[]){ in[X], in[RUNNING_MEAN] });
	struct tensor *statistic[2];
	static const char *const name[] = { "mean", "invstd" };
	int k;

	sums = add_up(t, made, in[X]->dim[0]);
	made = append(t, &op_batchnorm_statistics, 3, (struct tensor *[]){ sums, in[RUNNING_MEAN], in[RUNNING_VAR] });
	for (k = 0; k < 2; k++) {
		statistic[k] = n->out[MEAN + k] ? n->out[MEAN + k] : ir_tensor(t->m, T_SAVED, in[X]->dtype->real, false, 1,
		    in[X]->dim, arena_printf(t->m->arena, "%s.%s", n->path, name[k]), n->loc);
		ir_add_output(t->m, made, statistic[k]);
	}
	ir_add_output(t->m, made, n->out[NEW_MEAN]);
	ir_add_output(t->m, made, n->out[NEW_VAR]);
	made = append(t, n->op == &op_batchnorm ? &op_batchnorm_apply : &op_batchnorm_then_apply, n->nin > SKIP ? 6 : 5,
	    (struct tensor *[]){ in[X], in[WEIGHT], in[BIAS], statistic[0], statistic[1], n->nin > SKIP ? in[SKIP] : NULL });
	ir_add_output(t->m, made, n->out[Y]);
}

static void
take_backward(struct taking *t)
{
	const struct node *n = t->n;
	struct tensor *const *in = n->in, *dx = batchnorm_gradient_of(n, X), *bias = n->nin > 5 ? in[5] : NULL, *sums;
	struct node *made = append(t, &op_batchnorm_dots, bias ? 6 : 5, in);
	int k;

	sums = add_up(t, made, in[OF_X]->dim[0]);
	for (k = 0; k < n->nout; k++)
		if (n->out[k] && n->out[k] != dx)
			ir_add_output(t->m, made, n->out[k]);
	made = append(t, &op_batchnorm_distribute, bias ? 7 : 6,
	    (struct tensor *[]){ in[OF_DY], in[OF_X], in[OF_WEIGHT], in[OF_MEAN], in[OF_INVSTD], sums, bias });
	ir_add_output(t->m, made, dx);
}

bool
batchnorm_is_synced(const struct node *n)
{
	if (n->op == &op_batchnorm || n->op == &op_batchnorm_then)
		return batchnorm_uses_batch(n) && op_bool(n, "sync");
	return (n->op == &op_batchnorm_grad || n->op == &op_batchnorm_then_grad) && batchnorm_uses_batch(n->forward) &&
	    op_bool(n, "sync") && batchnorm_gradient_of(n, X);
}

void
batchnorm_take_apart(struct graph *g, const struct node *n)
{
	struct arena *a = g->module->arena;
	const struct formula *then = then_of(n);
	struct taking t = { .m = g->module, .g = g, .n = n };

	/* what backward is made of has a formula in any case */
	t.attr = then_attrs(a, n, then ? then : formula_parse(a, "as_is = x0: x0"));
	if (n->forward)
		take_backward(&t);
	else
		take_forward(&t);
}
