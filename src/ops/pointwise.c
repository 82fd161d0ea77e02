/*
 * pointwise: one or more results, each a formula of the elements of its operands. Its gradient is a
 * pointwise too, by calculus (formula/gradient.c), and for an operand that was repeated the sum of
 * that along the axes it was repeated along.
 *
 * What backward reads is chosen when it is built: results alone where these are enough, as for exp
 * and tanh, if they take no more bytes than the operands that would be read in their place.
 */
#include "ops/pointwise.h"

#include <string.h>

#include "calls/formula_kernel.h"
#include "ir/diff.h"
#include "ops/broadcast.h"
#include "ops/reduce.h"
#include "ops/shapes.h"

static const struct attr_spec attrs[] = {
	{ "formula", ATTR_FORMULA, "the formula of elements", .required = true },
	ATTRS_END
};

/* ---- formulas of nodes ---- */

#define MOST_NAMES	(FORMULA_OPERANDS + MAX_ATTRS + 1)

/* Is there a number in place of the operand of that name? */
static bool
is_number(const struct node *n, const char *operand)
{
	int k = op_attr_at(n->op, operand);

	return k >= 0 && n->attr[k].given;
}

/* The names of the operands that are there, of which TO has room for all: those of which no number
 * stands in the place. */
static int
operand_names(struct arena *a, const struct node *n, const char **to)
{
	const char *word;
	int k, count = 0;

	for (k = 0; (word = op_operand(a, n->op, k)); k++)
		if (!is_number(n, word))
			to[count++] = word;
	return count;
}

static const struct formula *
formula_of_op(struct arena *a, const struct node *n)
{
	const struct op *op = n->op;
	struct formula *f = formula_new(a, 0);
	struct formula_name names[MOST_NAMES + 1];
	const char *where, *word[FORMULA_OPERANDS];
	int k, count = 0, operands = 0, given = 0, words = operand_names(a, n, word);

	while (given < n->nin && n->in[given])
		given++;
	f->name = op->name;
	for (k = 0; k < given && k < words; k++)
		names[count++] = (struct formula_name){ word[k], formula_operand(f, operands++) };
	for (k = 0; k < op_nattrs(op); k++)	/* operands that are there come first */
		names[count++] = (struct formula_name){ op->attrs[k].name, formula_number(f,
		    op->attrs[k].type == ATTR_REAL ? n->attr[k].r : (double)n->attr[k].i) };
	if (op->kind == OP_LOSS)
		names[count++] = (struct formula_name){ "elements",
			formula_number(f, (double)tensor_elements_per_sample(n->in[0])) };
	names[count].name = NULL;
	f->operands = operands;
	f->result[f->results++] = formula_read(f, op->formula, names, &where);
	return f->result[0] < 0 ? NULL : f;
}

bool
pointwise_has_formula(const struct node *n)
{
	return n->op == &op_pointwise || (n->op->formula && n->op->kind == OP_LAYER);
}

bool
pointwise_makes(const struct node *n, const struct tensor *t)
{
	return pointwise_has_formula(n) && n->nin == 2 && n->nout == 1 && n->out[0] == t && !t->alias_of &&
	    tensor_alike(n->in[0], t) && tensor_alike(n->in[1], t);
}

const struct formula *
pointwise_formula(struct arena *a, const struct node *n)
{
	return n->op == &op_pointwise ? n->attr[0].formula : formula_of_op(a, n);
}

bool
pointwise_is_relu_grad(struct arena *a, const struct formula *f)
{
	return f && formula_same(f, formula_passed(a, formula_parse(a, "x0: relu(x0)"), 0, true));
}

void
pointwise_set(struct arena *a, struct node *n, const struct formula *f)
{
	n->op = &op_pointwise;
	n->attr = arena_array(a, 1, sizeof(*n->attr));
	n->attr[0].given = true;
	n->attr[0].formula = f;
}

/* ---- shape ---- */

static bool
axes_agree(struct build *b, const struct node *n, const struct tensor *full, const struct tensor *x)
{
	int i;

	if (x->rank > 0 && x->rank != full->rank)
		return op_error(b, n, "%s: operands must have equally many axes, but one is %s and the other %s; "
		    "reshape one so that it has axes of 1 along which it is repeated", n->op->name, op_operand_text(b, full), op_operand_text(b, x));
	for (i = 0; i < x->rank; i++)
		if (x->dim[i] != full->dim[i] && x->dim[i] != 1 && full->dim[i] != 1)
			return op_error(b, n, "%s: %s and %s differ in axis %d (%lld and %lld); extents must be "
			    "equal, or one of them 1", n->op->name, op_operand_text(b, full),
			    op_operand_text(b, x), i, (long long)full->dim[i], (long long)x->dim[i]);
	return true;
}

/* Has an operand all extents? The batch may be another's: what does not depend on it is repeated
 * for each sample, whatever is repeated beside it. */
static bool
one_is_whole(const struct node *n)
{
	const struct tensor *y = n->out[0];
	bool whole = false;
	int i, k;

	for (k = 0; k < n->nin; k++) {
		const struct tensor *x = n->in[k];

		for (i = 0; i < x->rank && x->dim[i] == y->dim[i]; i++)
			;
		whole |= i == y->rank;
	}
	return whole;
}

bool
pointwise_shape(struct build *b, struct node *n)
{
	const struct tensor *first = n->in[0];
	struct tensor full = tensor_value(n->in[0]);
	const char *word[FORMULA_OPERANDS];
	int i, k;

	if (n->nin > operand_names(b->module->arena, n, word))
		return op_error(b, n, "%s: a number stands in place of a tensor, and that tensor is there too: leave one of "
		    "them out", n->op->name);
	for (k = 0; k < n->nin; k++)
		if (!shape_float(b, n, k))
			return false;
	for (k = 1; k < n->nin; k++) {
		const struct tensor *x = n->in[k];

		if (x->dtype != first->dtype)
			return op_error(b, n, "%s: one operand holds %s and the other %s", n->op->name,
			    dtype_name(first->dtype), dtype_name(x->dtype));
		if (full.rank > 0 && !axes_agree(b, n, &full, x))
			return false;
		if (full.rank == 0) {
			full.rank = x->rank;
			memcpy(full.dim, x->dim, (size_t)x->rank * sizeof(*x->dim));
		}
		for (i = 0; i < x->rank; i++)
			full.dim[i] = full.dim[i] == 1 ? x->dim[i] : full.dim[i];
		full.batched |= x->batched;
	}
	if (!op_output(b, n, NULL, full.rank ? T_ACTIVATION : T_SCALAR, first->dtype, full.batched, full.rank,
	    full.dim))
		return false;
	for (k = 0; k < n->nin; k++)
		if (!broadcast_fits(b, n, n->in[k]))
			return false;
	return one_is_whole(n) || op_error(b, n, "%s: %s and %s would both be repeated; if that is meant, write "
	    "broadcast(...) for one of them", n->op->name, op_operand_text(b, n->in[0]),
	    op_operand_text(b, n->in[1]));
}

/* ---- gradient ---- */

struct choice {			/* one way to build backward */
	struct formula *f;
	int kept[FORMULA_OPERANDS];
	int64_t bytes;		/* of what it reads of forward */
};

static int64_t
bytes_kept(const struct tensor *t)
{
	struct affine a = tensor_bytes(t);

	return tensor_kind_persistent(tensor_root(t)->kind) ? 0 : a.per_sample ? a.per_sample : a.fixed;
}

/* Operand K of a gradient's formula, if it is of forward. */
static struct tensor *
of_forward(const struct formula *f, struct tensor *const *in, struct tensor *const *out, int k)
{
	return k < f->operands ? in[k] : k < f->operands + f->results ? out[k - f->operands] : NULL;
}

/* A gradient's formula with what arrives in front of what is read of forward, so that it rather
 * takes the place of the former, which is alive for less time and has more places to be; KEPT
 * likewise. */
static struct formula *
arriving_first(struct arena *a, const struct formula *g, int forward, int *kept)
{
	struct formula *turned = formula_new(a, g->operands);
	int value[FORMULA_OPERANDS], was[FORMULA_OPERANDS], i, n = 0;

	memcpy(was, kept, sizeof(was));
	for (i = 0; i < g->operands; i++)
		if (was[i] >= forward) {
			kept[n] = was[i];
			value[i] = formula_operand(turned, n++);
		}
	for (i = 0; i < g->operands; i++)
		if (was[i] < forward) {
			kept[n] = was[i];
			value[i] = formula_operand(turned, n++);
		}
	for (i = 0; i < g->results; i++)
		turned->result[turned->results++] = formula_insert(turned, g, i, value);
	return turned;
}

static bool
try_gradient(struct arena *a, const struct formula *f, struct tensor *const *in, struct tensor *const *out,
    int operand, bool by_results, struct choice *c)
{
	bool wanted[FORMULA_OPERANDS] = { false };
	struct formula *whole;
	int i;

	wanted[operand] = true;
	if (!(whole = formula_gradient(a, f, wanted, by_results)))
		return false;
	c->f = arriving_first(a, formula_drop_unread(a, whole, c->kept), f->operands + f->results, c->kept);
	c->f->name = arena_printf(a, "%s_grad", f->name ? f->name : "formula");
	c->bytes = 0;
	for (i = 0; i < c->f->operands; i++) {
		const struct tensor *t = of_forward(f, in, out, c->kept[i]);

		c->bytes += t ? bytes_kept(t) : 0;
	}
	return true;
}

/* Of two ways the second is better: what each of them reads, tensors and bytes. */
static bool
is_second_better(int operands, int64_t bytes, int second_operands, int64_t second_bytes)
{
	return second_bytes <= bytes && second_operands <= operands;
}

/* The better of two ways: by operands, or by results. */
static bool
choose(struct arena *scratch, const struct formula *f, struct tensor *const *in, struct tensor *const *out, int operand,
    struct choice *c)
{
	struct choice by_results;
	bool found = try_gradient(scratch, f, in, out, operand, false, c) &&
	    try_gradient(scratch, f, in, out, operand, true, &by_results);

	if (found && is_second_better(c->f->operands, c->bytes, by_results.f->operands, by_results.bytes))
		*c = by_results;
	return found;
}

void
pointwise_kept_add(struct pointwise_kept *kept, const struct tensor *t)
{
	int i;

	for (i = 0; i < kept->n && kept->tensor[i] != t; i++)
		;
	if (i == kept->n)
		kept->tensor[kept->n++] = t;
}

/* What the gradient of one operand reads, whatever tensors the formula is of: a bit for each
 * operand of the gradient. */
struct gradient_reads {
	bool there;
	uint32_t by_operands, by_results;
};

static bool
reads_of(struct arena *a, const struct formula *f, int operand, bool by_results, uint32_t *reads)
{
	bool wanted[FORMULA_OPERANDS] = { false };
	const struct formula *whole;
	int k;

	wanted[operand] = true;
	if (!(whole = formula_gradient(a, f, wanted, by_results)))
		return false;
	for (k = 0; k < whole->operands; k++)
		*reads |= (uint32_t)formula_reads(whole, k) << k;
	return true;
}

/* Those of all operands: found once of each formula, since a network has few, and each way is a
 * formula to be made. */
static const struct gradient_reads *
known_reads(struct pointwise_reads *all, const struct formula *f)
{
	struct arena *a = all->arena;
	void **known = formula_pool_known(&all->formulas, a, f);
	struct gradient_reads *r = *known;
	struct arena *scratch;
	int k;

	if (r)
		return r;
	*known = r = arena_array(a, (size_t)f->operands + 1, sizeof(*r));
	scratch = arena_child(a);
	for (k = 0; k < f->operands; k++)
		r[k].there = reads_of(scratch, f, k, false, &r[k].by_operands) &&
		    reads_of(scratch, f, k, true, &r[k].by_results);
	arena_free(scratch);
	return r;
}

static int64_t
bytes_read(const struct formula *f, struct tensor *const *in, struct tensor *const *out, uint32_t reads)
{
	int64_t bytes = 0;
	int k;

	for (k = 0; k < f->operands + f->results; k++)
		if (reads >> k & 1)
			bytes += bytes_kept(of_forward(f, in, out, k));
	return bytes;
}

void
pointwise_keep(struct pointwise_reads *known, const struct formula *f, struct tensor *const *in,
    struct tensor *const *out, struct pointwise_kept *kept)
{
	const struct gradient_reads *r = known_reads(known, f);
	uint32_t all = 0;
	int k;

	for (k = 0; k < f->operands; k++)
		if (r[k].there)
			all |= is_second_better(__builtin_popcount(r[k].by_operands),
			    bytes_read(f, in, out, r[k].by_operands), __builtin_popcount(r[k].by_results),
			    bytes_read(f, in, out, r[k].by_results)) ? r[k].by_results : r[k].by_operands;
	for (k = 0; k < f->operands + f->results; k++)
		if (all >> k & 1)
			pointwise_kept_add(kept, of_forward(f, in, out, k));
}

int64_t
pointwise_bytes(const struct pointwise_kept *kept)
{
	int64_t bytes = 0;
	int i;

	for (i = 0; i < kept->n; i++)
		bytes += bytes_kept(kept->tensor[i]);
	return bytes;
}

/* Makes a backward node a pointwise, whose formula it shares with others. */
static void
set_shared(struct diff *d, struct node *back, const struct formula *f)
{
	struct attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.given = true;
	attr.formula = formula_pool_keep(&d->formulas, d->m->arena, f);
	diff_share_attrs(d, back, &attr);
}

/* The gradient of operand K, from the formula's result; it has the shape of the node's results. */
static void
build_one(struct diff *d, struct arena *scratch, struct node *n, const struct formula *f, int k)
{
	struct tensor *in[FORMULA_OPERANDS], *dx;
	struct choice c;
	struct node *back;
	int i;

	if (!choose(scratch, f, n->in, n->out, k, &c) || c.f->operands == 0)
		return;		/* it is flat */
	for (i = 0; i < c.f->operands; i++) {
		in[i] = of_forward(f, n->in, n->out, c.kept[i]);
		if (!in[i])
			in[i] = diff_of(d, n->out[c.kept[i] - f->operands - f->results]);
	}
	if (c.f->operands == 1 && formula_alone(c.f) == 0 && c.kept[0] >= f->operands + f->results) {	/* what arrives */
		broadcast_pass_back(d, n, k, in[0]);
		return;
	}
	back = diff_node(d, n, &op_pointwise, c.f->operands, in);
	set_shared(d, back, c.f);
	if (tensor_same_shape(n->in[k], n->out[0])) {
		diff_output(d, back, n->in[k]);
		return;
	}
	dx = diff_between(d, back, n->out[0], arena_printf(d->m->arena, "grad.of_%d", k));
	diff_output(d, diff_node(d, n, &op_reduce_to, 1, &dx), n->in[k]);
}

bool
pointwise_gradient(struct diff *d, struct node *n)
{
	struct arena *scratch = arena_child(d->m->arena);
	const struct formula *f = pointwise_formula(scratch, n);
	int k;

	for (k = 0; k < f->operands; k++)
		if (diff_wants(d, n->in[k]))
			build_one(d, scratch, n, f, k);
	arena_free(scratch);
	return true;
}

/* ---- the record ---- */

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	int k = formula_alone(n->attr[0].formula);

	(void)g;
	return n->nout == 1 && k >= 0 && tensor_same_shape(n->in[k], n->out[0]) ? n->in[k] : NULL;
}

void
pointwise_define(struct emitter *e, const struct node *n)
{
	formula_kernel_define(e, n, pointwise_formula(e->module->arena, n));
}

void
pointwise_emit(struct emitter *e, const struct node *n)
{
	formula_kernel_call(e, n, pointwise_formula(e->module->arena, n));
}

const struct op op_pointwise = {
	.name = "pointwise",
	.kind = OP_INTERNAL,
	.brief = "a formula of the elements of its operands",
	.flags = OP_ELEMENTWISE | OP_REALS,
	.attrs = attrs,
	.operands = "x",
	.min_operands = 0, .max_operands = -1,
	.shape = pointwise_shape,
	.gradient.build = pointwise_gradient,
	.gradient.saves = POINTWISE_INPLACE | SAVES_OUT(0),
	.memory.inplace = POINTWISE_INPLACE,
	.simplify.identity = identity,
	.calls.kernels = POINTWISE_KERNELS,
	.calls.listed = true,
	.calls.define = pointwise_define,
	.calls.emit = pointwise_emit,
};
