/*
 * Shapes of a model's values, for its gradients: those of our tensors, followed through what layers
 * are made of as far as that is simple.
 */
#include "export/gradient.h"

#include <string.h>

#include "base/text.h"

void
shape_put(struct gradients *g, const char *value, const struct known_shape *s)
{
	if (*value && !map_get(&g->shapes, value))
		map_put(g->x->arena, &g->shapes, value, memcpy(ARENA_NEW(g->x->arena, struct known_shape), s, sizeof(*s)));
}

const struct known_shape *
shape_known(const struct gradients *g, const char *value)
{
	return map_get(&g->shapes, value);
}

bool
extents_known(const struct known_shape *s)
{
	int i;

	for (i = 1; s && i < s->rank; i++)
		if (s->dim[i] < 0)
			return false;
	return s != NULL;
}

static void
shape_of_tensor(struct gradients *g, const struct tensor *t)
{
	struct known_shape s = { t->rank + t->batched, { EXTENT_BATCH } };

	if (!g->x->value[t->id])
		return;
	memcpy(s.dim + t->batched, t->dim, (size_t)t->rank * sizeof(*s.dim));
	shape_put(g, g->x->value[t->id], &s);
}

static bool
keeps_shape(const char *op)
{
	static const char *const ops[] = { "Abs", "Atan", "Cast", "Cos", "Erf", "Exp", "Floor", "Identity", "Log", "Neg", "Not", "Reciprocal",
		"Relu", "Sigmoid", "Sign", "Sin", "Softmax", "LogSoftmax", "Softplus", "Sqrt", "Tanh", "Dropout", NULL };

	return text_is_one_of(op, ops);
}

static bool
broadcasts(const char *op)
{
	static const char *const ops[] = { "Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "Where", "And", "Or", "Equal", "Less",
		"LessOrEqual", "Greater", "GreaterOrEqual", NULL };

	return text_is_one_of(op, ops);
}

/* Of operands that are broadcast; false: one is not known. */
static bool
joint_shape(struct gradients *g, const struct model_node *n, struct known_shape *s)
{
	int k, i;

	*s = (struct known_shape){ 0 };
	for (k = 0; k < n->nin; k++) {
		const struct known_shape *in = shape_known(g, n->in[k]);
		struct known_shape was = *s;

		if (!in)
			return false;
		s->rank = in->rank > was.rank ? in->rank : was.rank;
		for (i = 0; i < s->rank; i++) {
			int64_t a = i < s->rank - in->rank ? 1 : in->dim[i - s->rank + in->rank];
			int64_t b = i < s->rank - was.rank ? 1 : was.dim[i - s->rank + was.rank];

			s->dim[i] = a == 1 ? b : a;
		}
	}
	return true;
}

static bool
reshape_shape(struct gradients *g, const struct model_node *n, struct known_shape *s)
{
	const struct numbers *to = constant_of(g, n->in[1]);
	int64_t i;

	if (!to || to->count > MODEL_RANK + 3)
		return false;
	s->rank = (int)to->count;
	for (i = 0; i < to->count; i++)
		s->dim[i] = numbers_integer(to, i) < 0 ? i == 0 ? EXTENT_BATCH : EXTENT_UNKNOWN : numbers_integer(to, i);
	return true;
}

static bool
transpose_shape(struct gradients *g, const struct model_node *n, struct known_shape *s)
{
	const struct known_shape *in = shape_known(g, n->in[0]);
	const struct model_attr *perm = node_attr(n, "perm");
	int i;

	if (!in || !perm || perm->n != in->rank)
		return false;
	s->rank = in->rank;
	for (i = 0; i < in->rank; i++)
		s->dim[i] = in->dim[perm->v[i]];
	return true;
}

static bool
matmul_shape(struct gradients *g, const struct model_node *n, struct known_shape *s)
{
	const struct known_shape *a = shape_known(g, n->in[0]), *b = shape_known(g, n->in[1]);

	if (!a || !b || a->rank < 2 || b->rank < 2)
		return false;
	*s = a->rank >= b->rank ? *a : *b;
	s->dim[s->rank - 2] = a->dim[a->rank - 2];
	s->dim[s->rank - 1] = b->dim[b->rank - 1];
	return true;
}

/* How many there are along the axes that it cuts is not looked at. */
static bool
cut_shape(struct gradients *g, const struct model_node *n, struct known_shape *s)
{
	const struct known_shape *in = shape_known(g, n->in[0]);
	const struct numbers *axes = n->nin > 3 ? constant_of(g, n->in[3]) : NULL;
	int64_t i;

	if (!in || !axes)
		return false;
	*s = *in;
	for (i = 0; i < axes->count; i++) {
		int64_t axis = numbers_integer(axes, i);

		s->dim[axis < 0 ? axis + in->rank : axis] = EXTENT_UNKNOWN;
	}
	return true;
}

/* Of a Split into equal parts, which is how steps are told apart. */
static bool
split_shape(struct gradients *g, const struct model_node *n, struct known_shape *s)
{
	const struct known_shape *in = shape_known(g, n->in[0]);
	const struct numbers *size = n->nin > 1 ? constant_of(g, n->in[1]) : NULL;
	int64_t axis = node_int(n, "axis", 0), whole, extent, i;

	if (!in || axis < 0 || (size && size->count != n->nout))
		return false;
	*s = *in;
	whole = s->dim[axis];
	extent = size ? numbers_integer(size, 0) : whole >= 0 && whole % n->nout == 0 ? whole / n->nout : EXTENT_UNKNOWN;
	for (i = 1; size && i < size->count; i++)
		if (numbers_integer(size, i) != extent)
			extent = EXTENT_UNKNOWN;
	s->dim[axis] = extent;
	return true;
}

/* With axes of one, or without them. */
static bool
squeezed_shape(struct gradients *g, const struct model_node *n, struct known_shape *s)
{
	const struct known_shape *in = shape_known(g, n->in[0]);
	const struct numbers *axes = n->nin > 1 ? constant_of(g, n->in[1]) : NULL;
	bool more = strcmp(n->op, "Unsqueeze") == 0;
	int rank = in && axes ? in->rank + (more ? (int)axes->count : 0) : 0, i, k = 0;
	bool at[MODEL_RANK + 4] = { false };
	int64_t j;

	if (!in || !axes || rank > MODEL_RANK + 3)
		return false;
	for (j = 0; j < axes->count; j++)
		at[numbers_integer(axes, j) + (numbers_integer(axes, j) < 0 ? rank : 0)] = true;
	for (i = 0; i < rank; i++)
		if (more)
			s->dim[s->rank++] = at[i] ? 1 : in->dim[k++];
		else if (!at[i])
			s->dim[s->rank++] = in->dim[i];
	return true;
}

static bool
reduced_shape(struct gradients *g, const struct model_node *n, struct known_shape *s)
{
	const struct known_shape *in = shape_known(g, n->in[0]);
	const struct numbers *axes = n->nin > 1 ? constant_of(g, n->in[1]) : NULL;
	int64_t i;

	if (n->nin == 1 && !node_int(n, "keepdims", 1))
		return true;	/* of all elements one number */
	if (!in || !axes || !node_int(n, "keepdims", 1))
		return false;
	*s = *in;
	for (i = 0; i < axes->count; i++) {
		int64_t axis = numbers_integer(axes, i);

		s->dim[axis < 0 ? axis + in->rank : axis] = 1;
	}
	return true;
}

/* Rows of a table: the axes of indices stand for its first. */
static bool
gathered_shape(struct gradients *g, const struct model_node *n, struct known_shape *s)
{
	const struct known_shape *in = shape_known(g, n->in[0]), *at = shape_known(g, n->in[1]);

	if (!in || !at || in->rank < 1 || node_int(n, "axis", 0) != 0 || at->rank + in->rank - 1 > MODEL_RANK + 3)
		return false;
	*s = *at;
	memcpy(s->dim + at->rank, in->dim + 1, (size_t)(in->rank - 1) * sizeof(*s->dim));
	s->rank += in->rank - 1;
	return true;
}

/* What is repeated for each sample: the shape is that of the batch before known extents. */
static bool
expanded_shape(struct gradients *g, const struct model_node *n, struct known_shape *s)
{
	const struct model_node *to = map_get(&g->joined, n->in[1]);
	const struct numbers *rest = to && to->nin == 2 && g->x->batch && strcmp(to->in[0], g->x->batch) == 0 ?
	    constant_of(g, to->in[1]) : NULL;
	int64_t i;

	if (!rest || rest->count > MODEL_RANK + 2)
		return false;
	s->rank = 1 + (int)rest->count;
	s->dim[0] = EXTENT_BATCH;
	for (i = 0; i < rest->count; i++)
		s->dim[1 + i] = numbers_integer(rest, i);
	return true;
}

static bool
conv_shape(struct gradients *g, const struct model_node *n, struct known_shape *s)
{
	const struct known_shape *in = shape_known(g, n->in[0]), *weight = shape_known(g, n->in[1]);
	struct windows m = windows_of(n);
	int i;

	if (!extents_known(in) || !weight)
		return false;
	*s = *in;
	s->dim[1] = weight->dim[0];
	for (i = 0; i < m.axes; i++)
		s->dim[2 + i] = (in->dim[2 + i] + m.pads[i] + m.pads[m.axes + i] - m.dilation[i] * (m.kernel[i] - 1) - 1) / m.stride[i] + 1;
	return true;
}

/* Of a Scan: states are as its body says, and what it makes has an axis more, of all steps. */
static void
scan_shapes(struct gradients *g, const struct model_node *n)
{
	const struct model *body = node_attr(n, "body")->graph;
	const struct model_attr *in = node_attr(n, "scan_input_axes"), *made = node_attr(n, "scan_output_axes");
	int states = body->inputs.n - in->n, i, k;
	const struct known_shape *all = shape_known(g, n->in[states]);

	for (i = 0; i < n->nout; i++) {
		const struct model_value *v = &body->outputs.v[i];
		struct known_shape s = { 0 };

		for (k = 0; k <= v->rank; k++) {
			if (i >= states && made->v[i - states] == k)
				s.dim[s.rank++] = all ? all->dim[in->v[0]] : EXTENT_UNKNOWN;
			if (k < v->rank)
				s.dim[s.rank++] = v->dim[k] >= 0 ? v->dim[k] : EXTENT_BATCH;
		}
		shape_put(g, n->out[i], &s);
	}
}

void
shape_of_node(struct gradients *g, const struct model_node *n)
{
	struct known_shape s = { 0 };
	const struct known_shape *in = n->nin > 0 ? shape_known(g, n->in[0]) : NULL;
	bool known = false;
	int i;

	if (strcmp(n->op, "Constant") == 0) {
		map_put(g->x->arena, &g->constants, n->out[0], (void *)(uintptr_t)n->attr[0].numbers);
		s.rank = n->attr[0].numbers->rank;
		memcpy(s.dim, n->attr[0].numbers->dim, sizeof(n->attr[0].numbers->dim));
		known = true;
	} else if (keeps_shape(n->op)) {
		known = in != NULL;
		s = in ? *in : s;
	} else if (broadcasts(n->op)) {
		known = joint_shape(g, n, &s);
	} else if (strcmp(n->op, "Reshape") == 0) {
		known = reshape_shape(g, n, &s);
	} else if (strcmp(n->op, "Concat") == 0) {
		map_put(g->x->arena, &g->joined, n->out[0], (void *)(uintptr_t)n);
	} else if (strcmp(n->op, "Scan") == 0) {
		scan_shapes(g, n);
	} else if (strcmp(n->op, "Conv") == 0) {
		known = conv_shape(g, n, &s);
	} else if (strcmp(n->op, "Gather") == 0) {
		known = gathered_shape(g, n, &s);
	} else if (strcmp(n->op, "Expand") == 0) {
		known = expanded_shape(g, n, &s);
	} else if (strcmp(n->op, "Transpose") == 0) {
		known = transpose_shape(g, n, &s);
	} else if (strcmp(n->op, "MatMul") == 0) {
		known = matmul_shape(g, n, &s);
	} else if (strcmp(n->op, "Split") == 0) {
		known = split_shape(g, n, &s);
	} else if (strcmp(n->op, "Slice") == 0) {
		known = cut_shape(g, n, &s);
	} else if (strcmp(n->op, "Squeeze") == 0 || strcmp(n->op, "Unsqueeze") == 0) {
		known = squeezed_shape(g, n, &s);
	} else if (strncmp(n->op, "Reduce", 6) == 0) {
		known = reduced_shape(g, n, &s);
	}
	for (i = 0; known && i < n->nout; i++)
		shape_put(g, n->out[i], &s);
}

void
find_shapes(struct gradients *g)
{
	const struct graph *f = g->x->module->forward;
	int i, k;

	for (i = 0; i < f->inputs.n; i++)
		shape_of_tensor(g, f->inputs.v[i]);
	for (i = 0; i < g->x->module->persistent.n; i++)
		shape_of_tensor(g, g->x->module->persistent.v[i]);
	for (i = 0; i < f->nodes.n; i++)
		for (k = 0; k < f->nodes.v[i]->nout; k++)
			if (f->nodes.v[i]->out[k])
				shape_of_tensor(g, f->nodes.v[i]->out[k]);
	for (i = 0; i < g->x->model->nodes.n; i++)
		shape_of_node(g, g->x->model->nodes.v[i]);
}
