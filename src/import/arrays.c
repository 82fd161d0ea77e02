/*
 * Constants that are computed from others: masks, positions, tables of indices. Exporters write out
 * what makes them, which for us is no layer. An array here is of doubles or of 64-bit integers
 * (truth is 0 or 1); an axis of samples that are all alike has extent 1, as broadcasting has it. An
 * element may be `step` more with each sample: so sources say which sample an element is of. How
 * much is computed in all has a limit, since a small file may ask for much.
 */
#include "import/arrays.h"

#include <math.h>
#include <string.h>


/* New elements for an array of that shape. */
bool
array_room(struct importer *im, struct array *a)
{
	int k;

	a->from = NULL;
	a->count = 1;
	for (k = 0; k < a->rank; k++)
		if (a->dim[k] < 0 || __builtin_mul_overflow(a->count, a->dim[k], &a->count))
			return false;
	if (a->count > MOST_FOLDED - im->folded)
		return false;
	im->folded += a->count;
	if (a->real)
		a->r = arena_array(im->arena, (size_t)a->count + 1, sizeof(*a->r));
	else
		a->i = arena_array(im->arena, (size_t)a->count + 1, sizeof(*a->i));
	if (a->stepped)
		a->step = arena_array(im->arena, (size_t)a->count + 1, sizeof(*a->step));
	return true;
}

static bool
of_integers(struct importer *im, const struct integers *k, struct array *a)
{
	int i;

	*a = (struct array){ .rank = !k->scalar, .dim = { k->n } };
	for (i = 0; i < k->n; i++)
		if (k->batch[i])
			return false;
	if (!array_room(im, a))
		return false;
	memcpy(a->i, k->v, (size_t)a->count * sizeof(*k->v));
	return true;
}

bool
array_of(struct importer *im, struct val *v, struct array *a)
{
	const struct numbers *n = v ? val_numbers(v) : NULL;

	if (!v || (!n && !v->integers))
		return false;
	if (!n)
		return of_integers(im, v->integers, a);
	*a = (struct array){ .real = numbers_are_real(n), .rank = n->rank, .source = v->source, .stepped = v->stepped };
	memcpy(a->dim, n->dim, sizeof(a->dim));
	a->count = n->count;
	a->from = n;
	return n->data != NULL;
}

/* As numbers of the model. */
const struct numbers *
numbers_of(struct importer *im, struct val *v)
{
	struct array a;
	struct numbers *n;

	if (!v || val_numbers(v) || !array_of(im, v, &a))
		return v ? val_numbers(v) : NULL;
	n = ARENA_NEW(im->arena, struct numbers);
	*n = (struct numbers){ .name = "", .type = ELEMENT_I64, .rank = a.rank, .count = a.count, .computed = true,
		.data = (const unsigned char *)a.i };
	memcpy(n->dim, a.dim, sizeof(n->dim));
	return n;
}

/* Does the node only move numbers? What it makes of a constant of the file is then that constant,
 * trained or not. */
static bool
only_moves(const struct model_node *n)
{
	static const char *const moves[] = { "Transpose", "Expand", "Reshape", "Unsqueeze", "Squeeze", "Slice", "Split", "Flatten",
		"Identity", NULL };
	int i;

	for (i = 0; moves[i]; i++)
		if (strcmp(n->op, moves[i]) == 0)
			return true;
	return false;
}

/* What the node makes, under its name. */
bool
array_keep(struct importer *im, const struct model_node *n, const struct array *a)
{
	struct numbers *made = ARENA_NEW(im->arena, struct numbers);
	struct val *v = val_new(im, n->out[0]);
	const struct numbers *weight = NULL;
	int64_t k;
	int i;

	/* what comes of a weight alone is what is trained */
	for (i = 0; i < n->nin && !weight; i++) {
		const struct val *in = map_get(&im->vals, n->in[i]);

		if (in && in->data && in->data->count > 1 && (numbers_is_weight(in->data) || (i == 0 && only_moves(n) &&
		    !in->data->computed && numbers_are_real(in->data))))
			weight = in->data;
	}
	*made = (struct numbers){ .name = weight ? weight->name : "", .type = a->real ? ELEMENT_F64 : ELEMENT_I64, .rank = a->rank, .count = a->count,
		.data = a->real ? (const unsigned char *)a->r : (const unsigned char *)a->i, .computed = !weight };
	memcpy(made->dim, a->dim, sizeof(made->dim));
	for (k = 0; a->stepped && k < a->count; k++)
		if (a->step[k] != 0)
			made->step = a->step;
	*(made->step ? &v->stepped : &v->data) = made;
	v->source = a->source;
	v->folded = n == im->node ? n : NULL;
	val_alias(im, n->out[0], v);
	return true;
}

int64_t
array_whole(const struct array *a, int64_t k)
{
	return a->from ? numbers_integer(a->from, k) : a->i[k];
}

double
array_at(const struct array *a, int64_t k)
{
	return a->from ? numbers_real(a->from, k) : a->real ? a->r[k] : (double)a->i[k];
}

int64_t
array_step(const struct array *a, int64_t k)
{
	return !a->stepped ? 0 : a->from ? a->from->step[k] : a->step[k];
}

void
array_put(struct array *to, int64_t k, const struct array *from, int64_t j)
{
	if (to->stepped)
		to->step[k] = array_step(from, j);
	if (to->real)
		to->r[k] = array_at(from, j);
	else
		to->i[k] = array_whole(from, j);
}

void
array_strides(const struct array *a, int64_t *stride)
{
	int64_t s = 1;
	int i;

	for (i = a->rank - 1; i >= 0; i--) {
		stride[i] = s;
		s *= a->dim[i];
	}
}

/* ---- elements ---- */

/* The place in an array that is repeated, of an element of what has SHAPE. */
static int64_t
place(const struct array *a, int rank, const int64_t *shape, int64_t k)
{
	int64_t from = 0, stride = 1;
	int i;

	for (i = 1; i <= rank; i++) {
		int64_t x = k % shape[rank - i];

		k /= shape[rank - i];
		if (i > a->rank)
			break;
		if (a->dim[a->rank - i] > 1)
			from += x * stride;
		stride *= a->dim[a->rank - i];
	}
	return from;
}

static bool
broadcast(const struct array *a, int n, struct array *to)
{
	int i, k;

	for (i = 0; i < n; i++)
		to->rank = a[i].rank > to->rank ? a[i].rank : to->rank;
	for (k = 1; k <= to->rank; k++) {
		int64_t *d = &to->dim[to->rank - k];

		*d = 1;
		for (i = 0; i < n; i++) {
			int64_t e = k <= a[i].rank ? a[i].dim[a[i].rank - k] : 1;

			if (e != 1 && *d != 1 && e != *d)
				return false;
			*d = *d == 1 ? e : *d;
		}
	}
	for (i = 0; i < n; i++)		/* the batch counts from the end */
		if (a[i].source.expanded) {
			to->source = a[i].source;
			to->source.at += to->rank - a[i].rank;
		}
	return true;
}

enum element_op { ADD, SUB, MUL, DIV, MOD, POW, MIN, MAX, EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, AND, OR, XOR };

static const struct { const char *name; enum element_op op; bool truth; } pairs[] = {
	{ "Add", ADD, false }, { "Sub", SUB, false }, { "Mul", MUL, false }, { "Div", DIV, false }, { "Mod", MOD, false },
	{ "Pow", POW, false }, { "Min", MIN, false }, { "Max", MAX, false }, { "Equal", EQUAL, true },
	{ "Less", LESS, true }, { "LessOrEqual", LESS_EQUAL, true }, { "Greater", GREATER, true },
	{ "GreaterOrEqual", GREATER_EQUAL, true }, { "And", AND, true }, { "Or", OR, true }, { "Xor", XOR, true },
};

static double
of_reals(enum element_op op, double x, double y)
{
	switch (op) {
	case ADD: return x + y;
	case SUB: return x - y;
	case MUL: return x * y;
	case DIV: return x / y;
	case MOD: return fmod(x, y);
	case POW: return pow(x, y);
	case MIN: return fmin(x, y);
	case MAX: return fmax(x, y);
	case EQUAL: return x == y;
	case LESS: return x < y;
	case LESS_EQUAL: return x <= y;
	case GREATER: return x > y;
	case GREATER_EQUAL: return x >= y;
	case AND: return x != 0 && y != 0;
	case OR: return x != 0 || y != 0;
	default: return (x != 0) != (y != 0);
	}
}

/* False: the result is none, or out of range. */
static bool
of_wholes(enum element_op op, bool truncate, int64_t x, int64_t y, int64_t *to)
{
	switch (op) {
	case ADD:
		return !__builtin_add_overflow(x, y, to);
	case SUB:
		return !__builtin_sub_overflow(x, y, to);
	case MUL:
		return !__builtin_mul_overflow(x, y, to);
	case DIV:
	case MOD:
		if (y == 0 || (x == INT64_MIN && y == -1))
			return false;
		*to = op == DIV ? x / y : x % y;
		if (op == MOD && !truncate && *to != 0 && (*to < 0) != (y < 0))
			*to += y;
		return true;
	case POW:
		if (!(fabs(pow((double)x, (double)y)) < 9e15))
			return false;
		*to = (int64_t)pow((double)x, (double)y);
		return true;
	case MIN:
	case MAX:
		*to = (x < y) == (op == MIN) ? x : y;
		return true;
	case EQUAL: case LESS: case LESS_EQUAL: case GREATER: case GREATER_EQUAL:
		*to = op == EQUAL ? x == y : op == LESS ? x < y : op == LESS_EQUAL ? x <= y : op == GREATER ? x > y : x >= y;
		return true;
	default:
		*to = (int64_t)of_reals(op, (double)x, (double)y);
		return true;
	}
}

/* By how much more a result is with each sample. */
static int64_t
step_of(enum element_op op, int64_t x, int64_t y, double a, double b)
{
	if (x == 0 && y == 0)
		return 0;
	if (x == STEP_UNKNOWN || y == STEP_UNKNOWN)
		return STEP_UNKNOWN;
	if (op == ADD)
		return x + y;
	if (op == SUB)
		return x - y;
	if (op == MUL && (x == 0 || y == 0) && fabs(x ? b : a) < 1e9)
		return x ? x * (int64_t)b : y * (int64_t)a;
	return STEP_UNKNOWN;
}

static bool
fold_pair(struct importer *im, const struct model_node *n, enum element_op op, bool truth)
{
	struct array a[2], to = { .rank = 0 };
	bool real;
	int64_t k;

	if (n->nin != 2 || !array_of(im, node_in(im, n, 0), &a[0]) || !array_of(im, node_in(im, n, 1), &a[1]) ||
	    !broadcast(a, 2, &to))
		return false;
	real = a[0].real || a[1].real;
	to.real = real && !truth;
	to.stepped = a[0].stepped || a[1].stepped;
	if ((real && to.stepped) || !array_room(im, &to))
		return false;
	for (k = 0; k < to.count; k++) {
		int64_t p = place(&a[0], to.rank, to.dim, k), q = place(&a[1], to.rank, to.dim, k);

		if (to.stepped)
			to.step[k] = step_of(op, array_step(&a[0], p), array_step(&a[1], q), array_at(&a[0], p), array_at(&a[1], q));
		if (to.real)
			to.r[k] = of_reals(op, array_at(&a[0], p), array_at(&a[1], q));
		else if (real)
			to.i[k] = (int64_t)of_reals(op, array_at(&a[0], p), array_at(&a[1], q));
		else if (!of_wholes(op, attr_int(n, "fmod", 0), array_whole(&a[0], p), array_whole(&a[1], q), &to.i[k]))
			return false;
	}
	return array_keep(im, n, &to);
}

static bool
fold_choice(struct importer *im, const struct model_node *n)
{
	struct array a[3], to = { .rank = 0 };
	int64_t k;
	int i;

	for (i = 0; i < 3; i++)
		if (!array_of(im, node_in(im, n, i), &a[i]) || a[i].stepped)
			return false;
	to.real = a[1].real || a[2].real;
	if (!broadcast(a, 3, &to) || !array_room(im, &to))
		return false;
	for (k = 0; k < to.count; k++) {
		const struct array *from = array_at(&a[0], place(&a[0], to.rank, to.dim, k)) != 0 ? &a[1] : &a[2];

		array_put(&to, k, from, place(from, to.rank, to.dim, k));
	}
	return array_keep(im, n, &to);
}

static double negated(double x) { return -x; }
static double not_so(double x) { return x == 0; }
static double is_nan(double x) { return isnan(x) != 0; }
static double root(double x) { return sqrt(x); }
static double whole(double x) { return trunc(x); }
static double truth_of(double x) { return x != 0; }
static double itself(double x) { return x; }

static const struct { const char *name; double (*f)(double); bool truth; } singles[] = {
	{ "Neg", negated, false }, { "Abs", fabs, false }, { "Sqrt", root, false }, { "Exp", exp, false }, { "Log", log, false },
	{ "Floor", floor, false }, { "Ceil", ceil, false }, { "Cos", cos, false }, { "Sin", sin, false }, { "Not", not_so, true },
	{ "IsNaN", is_nan, true },
};

static bool
mapped(struct importer *im, const struct model_node *n, double (*f)(double), bool real)
{
	struct array a, to;
	int64_t k;

	if (!array_of(im, node_in(im, n, 0), &a) || (a.stepped && f != itself))
		return false;
	to = a;
	to.real = real;
	if (!array_room(im, &to))
		return false;
	for (k = 0; k < to.count; k++)
		if (real)
			to.r[k] = f(array_at(&a, k));
		else if (f == itself && !a.real)
			array_put(&to, k, &a, k);
		else {
			double v = f(array_at(&a, k));

			if (!(fabs(v) < 9e18) && f != whole)
				return false;
			to.i[k] = fabs(v) < 9e18 ? (int64_t)v : INT64_MIN;	/* as processors do, for what is then not chosen */
		}
	return array_keep(im, n, &to);
}

static bool
fold_single(struct importer *im, const struct model_node *n, double (*f)(double), bool truth)
{
	struct array x;

	return array_of(im, node_in(im, n, 0), &x) && mapped(im, n, f, !truth && (x.real || (f != fabs && f != negated)));
}

static bool
fold_cast(struct importer *im, const struct model_node *n)
{
	int64_t to = attr_int(n, "to", 1);
	bool real = onnx_is_real(to);
	const struct val *x = node_in(im, n, 0);

	/* weights of another precision stay where they are */
	if (x && x->data && real && numbers_are_real(x->data))
		return false;
	return mapped(im, n, real ? itself : to == ONNX_BOOL ? truth_of : x && x->data && !numbers_are_real(x->data) ? itself : whole,
	    real);
}

/* ---- made of nothing ---- */

/* The number of each sample: 0, and 1 more with each. */
static bool
range_of_samples(struct importer *im, const struct model_node *n)
{
	const struct integers *from = val_integers(im, node_in(im, n, 0)), *to = val_integers(im, node_in(im, n, 1)),
	    *by = val_integers(im, node_in(im, n, 2));
	struct array a = { .stepped = true, .rank = 1, .dim = { 1 }, .source = { .expanded = true } };

	if (!from || !to || !by || to->n != 1 || !to->batch[0] || to->v[0] != 1 || from->v[0] != 0 || from->batch[0] ||
	    by->v[0] != 1 || by->batch[0] || !array_room(im, &a))
		return false;
	a.step[0] = 1;
	return array_keep(im, n, &a);
}

static bool
fold_range(struct importer *im, const struct model_node *n)
{
	struct array a[3], to = { .rank = 1 };
	double count;
	int64_t k, by;
	int i;

	if (range_of_samples(im, n))
		return true;
	for (i = 0; i < 3; i++)
		if (!array_of(im, node_in(im, n, i), &a[i]) || a[i].count != 1 || a[i].stepped)
			return false;
	to.real = a[0].real;
	count = ceil((array_at(&a[1], 0) - array_at(&a[0], 0)) / array_at(&a[2], 0));
	if (!(count >= 0 && count < (double)MOST_FOLDED))
		return false;
	to.dim[0] = (int64_t)count;
	if (!array_room(im, &to))
		return false;
	for (k = 0; k < to.count; k++)
		if (to.real)
			to.r[k] = array_at(&a[0], 0) + (double)k * array_at(&a[2], 0);
		else if (__builtin_mul_overflow(k, array_whole(&a[2], 0), &by) ||
		    __builtin_add_overflow(array_whole(&a[0], 0), by, &to.i[k]))
			return false;
	return array_keep(im, n, &to);
}

/* A tool of the onnx package (onnx.tools.replace_constants), by which its light models are made,
 * has a shape of that name in place of each weight. */
static bool
stands_for_weight(const char *shape)
{
	static const char end[] = "__SHAPE";
	size_t n = strlen(shape);

	return n >= sizeof(end) - 1 && strcmp(shape + n - (sizeof(end) - 1), end) == 0;
}

#define MOST_FILLED	((int64_t)1 << 31)	/* elements in all: they take nothing here, but are written as weights */

static bool
fold_constant_of_shape(struct importer *im, const struct model_node *n)
{
	static const float zero;
	const struct integers *shape = val_integers(im, node_in(im, n, 0));
	const struct model_attr *value = model_attr(n, "value");
	struct val *v = val_new(im, n->out[0]);
	struct numbers *made = ARENA_NEW(im->arena, struct numbers);
	int i;

	if (!shape || shape->n > MODEL_RANK || (value && (value->type != A_NUMBERS || value->numbers->count != 1)))
		return false;
	*made = (struct numbers){ .name = n->out[0], .type = value ? value->numbers->type : ELEMENT_F32, .rank = shape->n, .count = 1,
		.data = value ? value->numbers->data : (const unsigned char *)&zero, .computed = !stands_for_weight(n->in[0]), .filled = true };
	for (i = 0; i < shape->n; i++) {
		made->dim[i] = shape->v[i];
		if (shape->v[i] < 0 || __builtin_mul_overflow(made->count, shape->v[i], &made->count) ||
		    (shape->batch[i] && (v->source.expanded || shape->v[i] != 1)))
			return false;
		if (shape->batch[i])
			v->source = (struct layout){ .at = i, .expanded = true };
	}
	if (made->count > MOST_FILLED - im->filled)
		return false;
	im->filled += made->count;
	v->data = made;
	val_alias(im, n->out[0], v);
	return true;
}

static bool
fold_triangle(struct importer *im, const struct model_node *n)
{
	struct array a, offset, to;
	int64_t k, by = 0;
	bool upper = attr_int(n, "upper", 1);

	if (!array_of(im, node_in(im, n, 0), &a) || a.rank < 2 || a.stepped)
		return false;
	if (node_in(im, n, 1) && (!array_of(im, node_in(im, n, 1), &offset) || offset.count != 1 || offset.real))
		return false;
	if (node_in(im, n, 1))
		by = array_whole(&offset, 0);
	to = a;
	if (!array_room(im, &to))
		return false;
	for (k = 0; k < to.count; k++) {
		int64_t j = k % a.dim[a.rank - 1], i = k / a.dim[a.rank - 1] % a.dim[a.rank - 2];
		bool kept = upper ? j - i >= by : j - i <= by;

		if (kept)
			array_put(&to, k, &a, k);
	}
	return array_keep(im, n, &to);
}

static bool
fold_cumulative(struct importer *im, const struct model_node *n)
{
	struct array a, axis, to;
	int64_t stride[MODEL_RANK], k, along, x;

	if (attr_int(n, "exclusive", 0) || attr_int(n, "reverse", 0) || !array_of(im, node_in(im, n, 0), &a) ||
	    !array_of(im, node_in(im, n, 1), &axis) || axis.count != 1 || a.stepped)
		return false;
	x = (int64_t)array_at(&axis, 0);
	x += x < 0 ? a.rank : 0;
	if (x < 0 || x >= a.rank || (a.source.expanded && a.source.at == x))
		return false;
	array_strides(&a, stride);
	to = a;
	if (!array_room(im, &to))
		return false;
	for (k = 0; k < to.count; k++) {
		along = k / stride[x] % a.dim[x];
		if (a.real)
			to.r[k] = array_at(&a, k) + (along ? to.r[k - stride[x]] : 0);
		else if (__builtin_add_overflow(array_whole(&a, k), along ? to.i[k - stride[x]] : 0, &to.i[k]))
			return false;
	}
	return array_keep(im, n, &to);
}

/* ---- all of them ---- */

static const struct array_fold others[] = {
	{ "Cast", fold_cast }, { "Where", fold_choice }, { "Range", fold_range }, { "Trilu", fold_triangle },
	{ "ConstantOfShape", fold_constant_of_shape }, { "CumSum", fold_cumulative }, { "MatMul", fold_product_of_arrays },
	{ NULL, NULL }
};

static const struct array_fold *
fold_of(const struct array_fold *f, const char *op)
{
	while (f->name && strcmp(f->name, op) != 0)
		f++;
	return f->name ? f : NULL;
}

bool
fold_array(struct importer *im, const struct model_node *n)
{
	const struct array_fold *f = fold_of(others, n->op);
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (strcmp(n->op, pairs[i].name) == 0)
			return fold_pair(im, n, pairs[i].op, pairs[i].truth);
	for (i = 0; i < sizeof(singles) / sizeof(*singles); i++)
		if (strcmp(n->op, singles[i].name) == 0)
			return fold_single(im, n, singles[i].f, singles[i].truth);
	f = f ? f : fold_of(places_folds, n->op);
	return f && f->fold(im, n);
}
