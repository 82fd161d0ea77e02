/* adafactor: steps scaled by a mean of squared gradients of which only rows and columns are
 * kept. */
#include <float.h>

#include "ops/shapes.h"

#include "calls/emitter.h"
#include "calls/sizes.h"
#include "ops/optimizers.h"

static const struct attr_spec attrs[] = {
	{ "lr", ATTR_REAL, "most that the relative rate is", .preset = "0.01", .min = 0, .max = 1e6, .is_rate = true },
	{ "beta2_decay", ATTR_REAL, "exponent of the update's number in the share of a new mean", .preset = "-0.8",
	    .min = -100, .max = 0 },
	{ "eps1", ATTR_REAL, "least root of a mean square; 0: the distance from 1 to the next number",
	    .preset = "0", .min = 0, .max = 1 },
	{ "eps2", ATTR_REAL, "least size that a parameter counts with", .preset = "1e-3", .min = 0, .max = 1 },
	{ "d", ATTR_REAL, "root mean square above which a step is cut", .preset = "1", .min = 1, .max = 1e6 },
	{ "weight_decay", ATTR_REAL, "share of each weight, times lr, taken off before the step",
	    .preset = "0", .min = 0, .max = 1e6 },
	ATTRS_END
};

/* A parameter as matrices of its last two axes, as it lies in memory. */
struct factors {
	int64_t outer, rows, cols;	/* cols 0: it is a vector */
	int64_t inner, inner_step;	/* so many matrices lie side by side, an element of each */
	int64_t pieces;		/* of the rows, for the sums of columns */
};

static struct factors
factors_of(const struct tensor *p)
{
	struct factors f = { .outer = 1, .rows = 1, .inner = 1, .pieces = 1 };
	int i;

	if (p->rank < 2)
		return f;
	f.rows = p->dim[p->rank - 2];
	f.cols = p->dim[p->rank - 1];
	for (i = 0; i < p->rank - 2; i++)
		f.outer *= p->dim[i];
	if (p->channels_last) {
		f.inner = p->dim[p->rank - 3];
		f.inner_step = 1;
	}
	if (f.outer == 1)
		f.pieces = f.rows < FACTOR_ROWS * FACTOR_PIECES ? (f.rows + FACTOR_ROWS - 1) / FACTOR_ROWS :
		    FACTOR_PIECES;
	return f;
}

static bool
shape(struct build *b, struct node *n)
{
	static const char *const whole[] = { "variance" }, *const factored[] = { "row_var", "col_var" };
	const struct tensor *p = n->in[0];
	struct state_shape rows = { p->dtype->real, p->rank, { 0 } }, cols = rows;
	int i;

	if (p->rank < 2)
		return optimizer_shape(b, n, 1, whole);
	for (i = 0; i < p->rank; i++) {
		rows.dim[i] = i == p->rank - 1 ? 1 : p->dim[i];
		cols.dim[i] = i == p->rank - 2 ? 1 : p->dim[i];
	}
	return optimizer_shapes(b, n, 2, factored, (const struct state_shape[]){ rows, cols });
}

/* Two sums for each part of the parameter, the mean of each matrix's rows, and pieces of its
 * columns' sums. */
static struct affine
workspace(const struct node *n, const struct room *room)
{
	struct factors f = factors_of(n->in[0]);
	int64_t sums = optimizer_parts(n) * 2 + (f.cols ? f.outer + f.outer * f.pieces * f.cols : 0);

	(void)room;
	return (struct affine){ sums * (int64_t)sizeof(double), 0 };
}

static void
emit(struct emitter *e, const struct node *n)
{
	struct factors f = factors_of(n->in[0]);
	double eps = op_real(n, "eps1");

	if (eps == 0)
		eps = n->in[0]->dtype->real == DT_F64 ? DBL_EPSILON : FLT_EPSILON;
	emit_call(e, "adafactor_update", arg_text(optimizer_share(e, n)),
	    arg_text(arena_printf(e->module->arena, "factors_of(%lld, %lld, %lld, %lld, %lld, %lld)",
	    (long long)f.outer, (long long)f.rows, (long long)f.cols, (long long)f.inner,
	    (long long)f.inner_step, (long long)f.pieces)),
	    arg_tensor(n->in[2]), arg_text("s"),
	    optimizer_numbers(e, n, "adafactor_numbers", 2, emit_double(e, op_real(n, "beta2_decay"))),
	    arg_work(n), arg_int(optimizer_parts(n)), arg_text(emit_double(e, eps)),
	    arg_text(emit_double(e, op_real(n, "eps2"))), arg_text(emit_double(e, op_real(n, "d"))));
}

const struct op op_adafactor = {
	.name = "adafactor",
	.kind = OP_OPTIMIZER,
	.brief = "steps scaled by a factored mean of squared gradients",
	.doc = "With s = t^beta2_decay at update t, a matrix of gradients g keeps R = (1 - s) * R + s * (the mean of "
	    "g^2 along rows) and C = (1 - s) * C + s * (the mean along columns), and v = R C / max(mean of R, eps1); "
	    "a vector keeps v = (1 - s) * v + s * g^2 itself. Then u = g / max(sqrt(v), eps1), "
	    "p = p * (1 - lr * weight_decay), and p = p - max(eps2, rms(p)) * min(lr, 1 / sqrt(t)) * u / "
	    "max(1, rms(u) / d), where rms(p) is the root mean square of the parameter before its decay (Shazeer "
	    "and Stern, 2018). The formulas are those of PyTorch's Adafactor, which takes the last two axes of a "
	    "parameter of more as its matrices. State: a number a row and a number a column; of vectors, "
	    "one number a weight.",
	.attrs = attrs,
	.operands = "parameter gradient clip",
	.min_operands = 2, .max_operands = 3,
	.shape = shape,
	.memory.workspace = workspace,
	.memory.alias = optimizer_alias,
	.torch.unknown = "PyTorch's adafactor makes what it works with parameter by parameter, which is not followed",
	.calls.kernels = "update/adafactor.cu",
	.calls.emit = emit,
};
