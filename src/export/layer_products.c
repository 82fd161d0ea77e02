/* Matrix products, and tables that are looked up in. */
#include "export/exporter.h"

#include <string.h>

#include "ops/shapes.h"

static void
dense(struct exporter *x, const struct node *n)
{
	const struct tensor *in = n->in[0];
	const char *v = value_of(x, in), *w = value_of(x, n->in[1]);
	const char *bias = n->nin > 2 && n->in[2] ? value_of(x, n->in[2]) : NULL;

	if (in->rank == 1 && in->batched) {
		result(x, n->out[0], make(x, "Gemm", IN(v, w, bias), AS(attr_is_int("transB", 1))));
		return;
	}
	v = two(x, "MatMul", v, transposed(x, w, 2, (int64_t[]){ 1, 0 }));
	if (bias)
		v = two(x, "Add", v, bias);
	result(x, n->out[0], v);
}

EXPORT_OP_ROW(dense, .write = dense);

/* One operand of a product, with its last two axes exchanged. */
static const char *
exchanged(struct exporter *x, const struct tensor *t, bool exchange)
{
	int rank = t->rank + t->batched, i;
	int64_t axes[MAX_RANK + 1];

	if (!exchange)
		return value_of(x, t);
	for (i = 0; i < rank; i++)
		axes[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
	return transposed(x, value_of(x, t), rank, axes);
}

static void
matmul(struct exporter *x, const struct node *n)
{
	result(x, n->out[0], two(x, "MatMul", exchanged(x, n->in[0], op_bool(n, "transpose_a")),
	    exchanged(x, n->in[1], op_bool(n, "transpose_b"))));
}

EXPORT_OP_ROW(matmul, .write = matmul);

/* ---- tables ---- */

/* Can an index be -1? Those of the data cannot, and of those that are computed these alone. */
static bool
may_be_none(const struct tensor *index)
{
	const struct node *n = index->def;
	int k;

	if (!n)
		return false;
	if (strcmp(n->op->name, "nms") == 0 || strcmp(n->op->name, "match") == 0)
		return true;
	for (k = 0; k < n->nin; k++)
		if (n->in[k] && n->in[k]->dtype == DT_I32 && may_be_none(n->in[k]))
			return true;
	return false;
}

/* ONNX counts an index below 0 from the end, and refuses others: 0 stands for one that is none. */
static const char *
index_of(struct exporter *x, const struct tensor *index)
{
	const char *v = value_of(x, index);
	const int32_t first = 0;

	return may_be_none(index) ? two(x, "Max", v, places_constant(x, 0, NULL, &first)) : v;
}

/* What was found by an index that is none becomes 0. The index's axes are those of Y from AXIS
 * on. */
static const char *
where_there(struct exporter *x, const struct tensor *index, const struct tensor *y, int axis, const char *found)
{
	int64_t dim[MAX_RANK];
	const int32_t first = 0;
	const char *there;
	int i;

	if (!may_be_none(index))
		return found;
	for (i = 0; i < y->rank; i++)
		dim[i] = i >= axis && i < axis + index->rank ? index->dim[i - axis] : 1;
	there = two(x, "GreaterOrEqual", value_of(x, index), places_constant(x, 0, NULL, &first));
	there = reshaped(x, there, index->batched, y->rank, dim);
	return make(x, "Where", IN(there, found, real_constant(x, 0)), AS_IS);
}

static void
embedding(struct exporter *x, const struct node *n)
{
	const char *ids = value_of(x, n->in[0]), *y, *there;
	int64_t padding = op_int(n, "padding");

	y = two(x, "Gather", value_of(x, n->in[1]), index_of(x, n->in[0]));
	y = where_there(x, n->in[0], n->out[0], 0, y);

	if (padding >= 0) {
		there = places_constant(x, 0, NULL, (const int32_t[]){ (int32_t)padding });
		there = two(x, "Equal", ids, there);
		there = two(x, "Unsqueeze", there, int_constant(x, -1));
		y = make(x, "Where", IN(there, real_constant(x, 0), y), AS_IS);
	}
	result(x, n->out[0], y);
}

EXPORT_OP_ROW(embedding, .write = embedding);

static void
one_hot(struct exporter *x, const struct node *n)
{
	const struct tensor *y = n->out[0];
	int64_t classes = y->dim[y->rank - 1];
	const char *ids = two(x, "Unsqueeze", value_of(x, n->in[0]), int_constant(x, -1)), *is;

	is = two(x, "Equal", ids, counted(x, 1, &classes));
	result(x, y, cast_to(x, is, ELEMENT_F32));
}

EXPORT_OP_ROW(one_hot, .write = one_hot);

/* The axis that indices are of is brought to the front, where ONNX looks up one table for each
 * sample. */
static const char *
from_own_table(struct exporter *x, const struct node *n, int axis)
{
	const struct tensor *t = n->in[0], *index = n->in[1];
	int64_t front[MAX_RANK + 1] = { 0, axis + 1 }, back[2 * MAX_RANK + 1] = { 0 };
	const char *v = value_of(x, t), *places;
	int i, k;

	for (i = 0, k = 2; i < t->rank; i++)
		if (i != axis)
			front[k++] = i + 1;
	if (axis > 0)
		v = transposed(x, v, t->rank + 1, front);
	places = cast_to(x, index_of(x, index), ELEMENT_I64);	/* as it wants them */
	places = two(x, "Unsqueeze", places, int_constant(x, -1));
	v = make(x, "GatherND", IN(v, places), AS(attr_is_int("batch_dims", 1)));
	if (axis == 0)
		return v;
	for (i = 0; i < n->out[0]->rank; i++)	/* index axes came first, and stand where the axis was */
		back[i + 1] = i < axis ? index->rank + i + 1 : i < axis + index->rank ? i - axis + 1 : i + 1;
	return transposed(x, v, n->out[0]->rank + 1, back);
}

/* The same where all samples take from one: the batch of the indices stands where the axis was. */
static const char *
from_one_table(struct exporter *x, const struct node *n, int axis)
{
	int64_t order[MAX_RANK + 1] = { axis };
	const char *v = make(x, "Gather", IN(value_of(x, n->in[0]), index_of(x, n->in[1])), AS(attr_is_int("axis", axis)));
	int i;

	if (axis == 0 || !n->in[1]->batched)
		return v;
	for (i = 1; i <= n->out[0]->rank; i++)
		order[i] = i <= axis ? i - 1 : i;
	return transposed(x, v, n->out[0]->rank + 1, order);
}

static void
take(struct exporter *x, const struct node *n)
{
	const struct tensor *t = n->in[0], *index = n->in[1];
	int axis = shape_axis_at(op_int(n, "axis"), t);
	const char *y = t->batched && index->batched ? from_own_table(x, n, axis) :
	    t->batched ? make(x, "Gather", IN(value_of(x, t), index_of(x, index)), AS(attr_is_int("axis", axis + 1))) :
	    from_one_table(x, n, axis);

	result(x, n->out[0], where_there(x, index, n->out[0], axis, y));
}

EXPORT_OP_ROW(take, .write = take);

static void
gather(struct exporter *x, const struct node *n)
{
	const struct tensor *t = n->in[0];

	if (t->batched != n->in[1]->batched)
		export_cannot(x, "only one of its operands depends on the batch");
	result(x, n->out[0], where_there(x, n->in[1], n->out[0], 0, make(x, "GatherElements", IN(value_of(x, t),
	    index_of(x, n->in[1])), AS(attr_is_int("axis", onnx_axis(t, op_int(n, "axis")))))));
}

EXPORT_OP_ROW(gather, .write = gather);
