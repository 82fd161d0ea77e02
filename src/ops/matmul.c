/*
 * matmul: products of matrices, which are the last two axes; those before them, and the batch,
 * count the products, and an operand may be repeated along them.
 *
 * Its gradients are products too, of dy and the other operand, either of them as it lies:
 *
 *     c = a b      da = dc b'     db = a' dc
 *     c = a' b     da = b dc'     db = a dc
 *     c = a b'     da = dc b      db = dc' a
 *     c = a' b'    da = b' dc'    db = dc' a'
 *
 * Of an operand that was repeated the gradient is a sum over all its copies. If a lies in rows
 * under one b, the rows of all copies are those of one product; otherwise the sum is taken of what
 * each copy has.
 */
#include "ops/matmul.h"

#include <string.h>

#include "ir/diff.h"

#include "calls/emitter.h"
#include "calls/tape.h"
#include "ops/product.h"
#include "ops/reduce.h"
#include "ops/shapes.h"
#include "ops/then.h"

#define RUNS	4	/* kernels/product/matmul.cu */

#define TURN_ATTRS										\
	{ "transpose_a", ATTR_BOOL, "the last two axes of the first are exchanged", .preset = "false" },	\
	{ "transpose_b", ATTR_BOOL, "the last two axes of the second are exchanged", .preset = "false" }

#define GRAD_ATTRS	TURN_ATTRS, { "stacked", ATTR_BOOL, "all matrices are one, in rows", .preset = "false" }

static const struct attr_spec attrs[] = { TURN_ATTRS, ATTRS_END };
static const struct attr_spec attrs_then[] = { TURN_ATTRS, THEN_ATTR, ATTRS_END };
static const struct attr_spec grad_attrs[] = { GRAD_ATTRS, ATTRS_END };
static const struct attr_spec grad_attrs_then[] = { GRAD_ATTRS, THEN_ATTR, ATTRS_END };

extern const struct op op_matmul_then, op_matmul_grad_then;

/* ---- what is multiplied ---- */

struct run {
	bool batch;
	int64_t n;
	bool along[2];		/* do the operands go along? */
};

struct sizes {
	int64_t m, n, k;	/* with BATCH: of that, times the batch */
	bool m_batch, k_batch;
	int nruns;
	struct run run[MAX_RANK + 1];
};

static int64_t
extent(const struct tensor *t, int from_end)
{
	return t->dim[t->rank - from_end];
}

static void
add_run(struct sizes *s, bool batch, int64_t n, bool a, bool b)
{
	struct run *last = s->nruns ? &s->run[s->nruns - 1] : NULL;

	if (!batch && n == 1)
		return;
	if (last && last->along[0] == a && last->along[1] == b)
		last->n *= n;
	else
		s->run[s->nruns++] = (struct run){ batch, n, { a, b } };
}

/* Does the operand have an extent of its own along axis I of the product? */
static bool
goes_along(const struct tensor *t, const struct tensor *y, int i)
{
	int at = i - (y->rank - t->rank);

	return at >= 0 && t->dim[at] > 1;
}

/* The runs of C's axes before the last two. */
static void
find_runs(struct sizes *s, const struct tensor *a, const struct tensor *b, const struct tensor *c)
{
	int i;

	if (c->batched)
		add_run(s, true, 1, a->batched, b->batched);
	for (i = 0; i < c->rank - 2; i++)
		add_run(s, false, c->dim[i], goes_along(a, c, i), goes_along(b, c, i));
}

/* One B under all of a that lies in rows: these are rows of one product. */
static void
stack_rows(struct sizes *s, bool turn_a)
{
	if (turn_a || s->nruns != 1 || !s->run[0].along[0] || s->run[0].along[1])
		return;
	s->m *= s->run[0].n;
	s->m_batch = s->run[0].batch;
	s->nruns = 0;
}

/* The tensor that has all axes of products of A and B. */
static struct tensor
full_of(const struct tensor *a, const struct tensor *b)
{
	struct tensor c = tensor_value(a->rank >= b->rank ? a : b);
	int i;

	c.batched = a->batched || b->batched;
	for (i = 0; i < c.rank - 2; i++)
		c.dim[i] = goes_along(a, &c, i) ? a->dim[i - (c.rank - a->rank)] :
		    goes_along(b, &c, i) ? b->dim[i - (c.rank - b->rank)] : 1;
	return c;
}

static bool
is_stacked(const struct node *n)
{
	return n->op != &op_matmul && n->op != &op_matmul_then && op_bool(n, "stacked");
}

static struct sizes
sizes_of(const struct node *n)
{
	const struct tensor *a = n->in[0], *b = n->in[1];
	bool turn_a = op_bool(n, "transpose_a"), turn_b = op_bool(n, "transpose_b");
	struct sizes s = { .m = extent(a, turn_a ? 1 : 2), .n = extent(b, turn_b ? 2 : 1),
		.k = extent(a, turn_a ? 2 : 1) };
	struct tensor full = full_of(a, b);

	if (is_stacked(n)) {
		s.k = shape_product(a, 0, a->rank - 1);
		s.k_batch = a->batched;
		return s;
	}
	find_runs(&s, a, b, &full);
	stack_rows(&s, turn_a);
	return s;
}

/* ---- the product ---- */

static struct affine
macs(const struct node *n)
{
	struct sizes s = sizes_of(n);
	int64_t all = product_of(product_of(s.m, s.n), s.k);
	bool batched = s.m_batch || s.k_batch;
	int i;

	for (i = 0; i < s.nruns; i++) {
		all = product_of(all, s.run[i].n);
		batched |= s.run[i].batch;
	}
	return batched ? (struct affine){ 0, all } : (struct affine){ all, 0 };
}

static struct affine
work(const struct node *n, const struct room *room)
{
	struct sizes s = sizes_of(n);
	int64_t cols = op_bool(n, "transpose_b") ? s.m_batch ? MANY_COLUMNS : most(s.m, s.n) : s.n;
	struct affine scratch = product_work_library(n, room, s.k_batch ? LONG_SUM : s.k, cols);

	if (room->target->libraries && n->keep_first)
		scratch.fixed = most(scratch.fixed, DENSE_FACTORS);
	return scratch;
}

static const char *
times_batch(struct emitter *e, int64_t n, bool batch)
{
	return batch && n == 1 ? "b" : arena_printf(e->module->arena, batch ? "b * %lld" : "%lld", (long long)n);
}

/* How far one matrix of operand K is from the next along run R: what the runs within it cover. */
static int64_t
distance(const struct sizes *s, int r, int k, int64_t matrix)
{
	int i;

	if (!s->run[r].along[k])
		return 0;
	for (i = r + 1; i < s->nruns; i++)
		matrix *= s->run[i].along[k] ? s->run[i].n : 1;
	return matrix;
}

static void
emit(struct emitter *e, const struct node *n)
{
	struct sizes s = sizes_of(n);
	struct text t;
	int r;

	text_init(&t, e->module->arena);
	text_printf(&t, "(struct matmul){ %s, %lld, %s, %d, %d, {", times_batch(e, s.m, s.m_batch), (long long)s.n,
	    times_batch(e, s.k, s.k_batch), op_bool(n, "transpose_a"), op_bool(n, "transpose_b"));
	for (r = 0; r < s.nruns; r++)
		text_printf(&t, "%s { %s, %lld, %lld }", r ? "," : "", times_batch(e, s.run[r].n, s.run[r].batch),
		    (long long)distance(&s, r, 0, s.m * s.k), (long long)distance(&s, r, 1, s.n * s.k));
	text_puts(&t, s.nruns ? " } }" : " { 1, 0, 0 } } }");
	emit_call(e, "matmul_forward", arg_tensor(n->out[0]), arg_tensor(n->in[0]), arg_tensor(n->in[1]),
	    arg_onto(n), then_arg(e, n, then_beside(n)), arg_work(n), arg_work_bytes(n), arg_text(t.s));
}

const struct op op_matmul_grad = {
	.name = "matmul_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of matmul with respect to one of its operands: a product of dy and the other",
	.attrs = grad_attrs,
	.operands = "a b",
	.min_operands = 2, .max_operands = 2,
	.macs = macs,
	.memory.workspace = work,
	.memory.onto = 2,
	.then = { &op_matmul_grad_then, 2 },
	.calls.kernels = "product/matmul.cu",
	.calls.emit = emit,
};

const struct op op_matmul_grad_then = {
	.name = "matmul_grad_then",
	.kind = OP_INTERNAL,
	.brief = "matmul_grad, and a formula of what it makes",
	.attrs = grad_attrs_then,
	.operands = "a b beside",
	.min_operands = 2, .max_operands = 3,
	.macs = macs,
	.memory.workspace = work,
	.then = { &op_matmul_grad_then, 2 },
	.calls.kernels = "product/matmul.cu",
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.emit = emit,
};

/* ---- backward ---- */

static bool
is_repeated(const struct tensor *x, const struct tensor *c)
{
	int i;

	for (i = 0; i < c->rank - 2; i++)
		if (c->dim[i] > 1 && !goes_along(x, c, i))
			return true;
	return c->batched && !x->batched;
}

/* Is B one matrix under all of A, which lies in rows? Then a sum over its copies is one over
 * rows. */
static bool
is_under_rows(const struct node *n)
{
	const struct tensor *b = n->in[1];

	return !op_bool(n, "transpose_a") && !b->batched && shape_product(b, 0, b->rank - 2) == 1 &&
	    !is_repeated(n->in[0], n->out[0]);
}

/* X's gradient before the sum over copies: X's last two axes under those of C. */
static struct tensor *
one_each(struct diff *d, struct node *back, const struct node *n, struct tensor *x)
{
	struct tensor c = tensor_value(n->out[0]), *t;

	c.dim[c.rank - 2] = extent(x, 2);
	c.dim[c.rank - 1] = extent(x, 1);
	t = ir_tensor(d->m, x->kind == T_PARAM ? T_GRADIENT : T_DELTA, x->dtype, c.batched, c.rank, c.dim,
	    arena_join(d->m->arena, x->name, ".", "grad.copies"), x->loc);
	t->channels_last = x->channels_last;
	return ir_add_output(d->m, back, t);
}

/* The gradient of operand X is the product of P and Q. */
static void
contribute(struct diff *d, struct node *n, struct tensor *x, struct tensor *p, bool turn_p, struct tensor *q,
    bool turn_q, bool stacked)
{
	struct node *back = diff_node(d, n, &op_matmul_grad, 2, (struct tensor *[]){ p, q });
	struct attr *attr = diff_attrs(d, back);
	struct tensor *each;

	op_preset(back->op, attr, "transpose_a")->i = turn_p;
	op_preset(back->op, attr, "transpose_b")->i = turn_q;
	op_preset(back->op, attr, "stacked")->i = stacked;
	if (stacked || !is_repeated(x, n->out[0])) {
		diff_output(d, back, x);
		return;
	}
	each = one_each(d, back, n, x);
	diff_output(d, diff_node(d, n, &op_reduce_to, 1, &each), x);
}

static bool
grad(struct diff *d, struct node *n)
{
	struct tensor *a = n->in[0], *b = n->in[1], *dc = diff_of(d, n->out[0]);
	bool ta = op_bool(n, "transpose_a"), tb = op_bool(n, "transpose_b"), rows = is_under_rows(n);

	if (diff_wants(d, b) && tb)
		contribute(d, n, b, dc, true, a, ta, rows && is_repeated(b, n->out[0]));
	else if (diff_wants(d, b))
		contribute(d, n, b, a, !ta, dc, false, rows && is_repeated(b, n->out[0]));
	if (diff_wants(d, a) && ta)
		contribute(d, n, a, b, tb, dc, true, false);
	else if (diff_wants(d, a))
		contribute(d, n, a, dc, false, b, !tb, false);
	return true;
}

/* ---- forward ---- */

static bool
ranks_fit(struct build *b, const struct node *n)
{
	const struct tensor *x = n->in[0], *w = n->in[1];

	if (!shape_float(b, n, 0) || !shape_float(b, n, 1))
		return false;
	if (x->dtype != w->dtype)
		return op_error(b, n, "matmul: one operand holds %s and the other %s", dtype_name(x->dtype),
		    dtype_name(w->dtype));
	if (!shape_needs_rank(b, n, 0, 2, "[..., rows, columns]") || !shape_needs_rank(b, n, 1, 2,
	    "[..., rows, columns]"))
		return false;
	if (x->rank == w->rank || (w->rank == 2 && !w->batched && x->rank > 2 && !op_bool(n, "transpose_a")))
		return true;
	return op_error(b, n, "matmul: operands must have equally many axes, but one is %s and the other %s; "
	    "reshape one so that it has axes of 1 in front", op_operand_text(b, x), op_operand_text(b, w));
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0], *w = n->in[1];
	bool ta = op_bool(n, "transpose_a"), tb = op_bool(n, "transpose_b");
	struct tensor full;
	struct sizes s;
	int i;

	if (!ranks_fit(b, n))
		return false;
	if (extent(x, ta ? 2 : 1) != extent(w, tb ? 1 : 2))
		return op_error(b, n, "matmul: %s%s has %lld columns, but %s%s has %lld rows; they must be equal",
		    ta ? "the transpose of " : "", op_operand_text(b, x), (long long)extent(x, ta ? 2 : 1),
		    tb ? "the transpose of " : "", op_operand_text(b, w), (long long)extent(w, tb ? 1 : 2));
	for (i = 0; x->rank == w->rank && i < x->rank - 2; i++)
		if (x->dim[i] != w->dim[i] && x->dim[i] != 1 && w->dim[i] != 1)
			return op_error(b, n, "matmul: %s and %s differ in axis %d (%lld and %lld); extents before the "
			    "last two must be equal, or one of them 1", op_operand_text(b, x),
			    op_operand_text(b, w), i, (long long)x->dim[i], (long long)w->dim[i]);
	full = full_of(x, w);
	full.dim[full.rank - 2] = extent(x, ta ? 1 : 2);
	full.dim[full.rank - 1] = extent(w, tb ? 2 : 1);
	if (!op_output(b, n, NULL, T_ACTIVATION, x->dtype, full.batched, full.rank, full.dim))
		return false;
	s = sizes_of(n);
	if (s.nruns > RUNS)
		return op_error(b, n, "matmul: the operands alternate between equal and repeated axes more than %d "
		    "times; reshape them to fewer axes", RUNS - 1);
	return true;
}

/* The rows of a first operand with more axes than the second are those of one product. */
bool
matmul_can_transpose(const struct node *n, int k)
{
	return n->op == &op_matmul && (k == 1 || n->in[0]->rank == n->in[1]->rank);
}

void
matmul_read_transposed(struct module *m, struct node *n, int k, struct tensor *from)
{
	const char *name = k ? "transpose_b" : "transpose_a";
	struct attr *attr = arena_array(m->arena, (size_t)op_nattrs(n->op) + 1, sizeof(*attr));

	memcpy(attr, n->attr, (size_t)op_nattrs(n->op) * sizeof(*attr));
	op_preset(n->op, attr, name)->i ^= 1;
	n->attr = attr;
	n->in[k] = from;
}

/* ---- as PyTorch has it: three axes at most, those before the last two as one (matmul.cpp) ---- */

static int
torch_exchange(struct tape *t, int value)
{
	int axis[TAPE_AXES], i;
	struct tape_shape s;

	if (!tape_shape(t, value, &s))
		return value;
	for (i = 0; i < s.rank; i++)
		axis[i] = i < s.rank - 2 ? i : 2 * s.rank - 3 - i;
	return tape_permute(t, value, axis);
}

/* Are the larger operand's axes put in one, for a product with a single matrix? */
static bool
torch_folds(const struct tape *t, const int in[2], const struct tape_shape s[2])
{
	int large = s[0].rank >= s[1].rank ? 0 : 1, i;

	if (s[large].rank < 3 || s[1 - large].rank > 2)
		return false;
	if (t->values.v[in[1 - large]].wants && t->mode != TAPE_EVALUATION)
		return true;
	if (large == 1)
		return false;
	for (i = 0; i + 2 < s[0].rank; i++)
		if (s[0].step[i] != s[0].step[i + 1] * s[0].size[i + 1])
			return false;
	return true;
}

/* Of [.., M, K] and [.., K, N]; the result is [Z, M, N], or [M, N]. */
static int
torch_product(struct tape *t, const int in[2], int64_t bytes)
{
	struct tape_shape *c = ARENA_NEW(t->arena, struct tape_shape), a, b;
	bool known = tape_shape(t, in[0], &a) && tape_shape(t, in[1], &b);
	int i;

	if (known) {
		*c = a;
		c->size[c->rank - 1] = b.size[b.rank - 1];
		for (i = c->rank - 1; i >= 0; i--)
			c->step[i] = i == c->rank - 1 ? 1 : c->step[i + 1] * c->size[i + 1];
	}
	return tape_call(t, &(struct tape_call){ .bytes = bytes, .in = in, .nin = 2,
	    .saves = SAVES_IN(0) | SAVES_IN(1), .crosswise = true, .shape = known ? c : NULL });
}

/* One operand of a batch of products: repeated, and its axes but the last two as one. */
static int
torch_batch(struct tape *t, int value, const struct tape_shape *s, const struct tape_shape *full)
{
	struct tape_shape all = *full, flat = { .rank = 3, .size = { 1, s->size[s->rank - 2], s->size[s->rank - 1] } };
	int i;

	all.size[all.rank - 2] = flat.size[1];
	all.size[all.rank - 1] = flat.size[2];
	for (i = 0; i < all.rank - 2; i++)
		flat.size[0] *= all.size[i];
	for (i = 0; i < all.rank - 2; i++)
		if (s->rank != all.rank || s->size[i] != all.size[i]) {
			value = tape_expand(t, value, &all);
			break;
		}
	return tape_reshape(t, value, &flat);
}

static void
torch_calls(struct tape *t, const struct node *n)
{
	int64_t bytes = tape_bytes(t, n->out[0]);
	struct tape_shape s[2], full;
	int in[2], k, y;

	for (k = 0; k < 2; k++) {
		in[k] = tape_value(t, n->in[k]);
		if (op_bool(n, k ? "transpose_b" : "transpose_a"))
			in[k] = torch_exchange(t, in[k]);
		if (!tape_shape(t, in[k], &s[k]))
			tape_shape_of_tensor(t, n->in[k], &s[k]);
	}
	tape_shape_of_tensor(t, n->out[0], &full);
	if (torch_folds(t, in, s)) {
		int large = s[0].rank >= s[1].rank ? 0 : 1;

		if (large == 1) {	/* (b' a')', and that copied */
			in[1] = torch_exchange(t, in[1]);
			in[0] = torch_exchange(t, in[0]);
		}
		in[large] = tape_reshape_rows(t, in[large], large ? s[1].size[s[1].rank - 2] :
		    s[0].size[s[0].rank - 1]);
		y = large ? torch_product(t, (int[]){ in[1], in[0] }, bytes) : torch_product(t, in, bytes);
		y = tape_result_view(t, y, &full);
		if (large == 1)
			y = tape_call(t, &(struct tape_call){ .in = &y, .nin = 1, .bytes = bytes, .passes = 1u << 0 });
	} else if (full.rank > 2) {
		for (k = 0; k < 2; k++)
			in[k] = torch_batch(t, in[k], &s[k], &full);
		y = tape_result_view(t, torch_product(t, in, bytes), &full);
	} else {
		y = torch_product(t, in, bytes);
	}
	tape_result(t, n->out[0], y);
}

const struct op op_matmul = {
	.name = "matmul",
	.kind = OP_LAYER,
	.brief = "products of matrices",
	.doc = "c = a b of the last two axes: [..., M, K] and [..., K, N] give [..., M, N]. The axes before them, and the "
	    "batch, count the products; there extents are equal or 1, and an operand of extent 1, or without a "
	    "batch, is used for all. A second operand [K, N] without a batch is one for all rows: matmul(x, w).\n\n"
	    "With transpose_a or transpose_b that operand is read with its last two axes exchanged, [..., K, M] and "
	    "[..., N, K], where it lies: matmul(q, k, transpose_b=true). An operand that transpose makes is read so by "
	    "itself.\n\n"
	    "Backward reads both operands. Multiply-adds: M * K * N for each product. On a GPU cuBLASLt multiplies them "
	    "as a batch.",
	.attrs = attrs,
	.operands = "a b",
	.min_operands = 2, .max_operands = 2,
	.shape = shape,
	.macs = macs,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(0) | SAVES_IN(1),
	.memory.workspace = work,
	.then = { &op_matmul_then, 2 },
	.torch = { .blas = true, .calls = torch_calls },
	.calls.kernels = "product/matmul.cu",
	.calls.emit = emit,
};

const struct op op_matmul_then = {
	.name = "matmul_then",
	.kind = OP_INTERNAL,
	.brief = "matmul, and a formula of what it makes",
	.attrs = attrs_then,
	.operands = "a b beside",
	.min_operands = 2, .max_operands = 3,
	.macs = macs,
	.gradient.saves = SAVES_IN(0) | SAVES_IN(1) | SAVES_OUT(0),
	.memory.workspace = work,
	.then = { &op_matmul_then, 2 },
	.calls.kernels = "product/matmul.cu",
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.emit = emit,
};
