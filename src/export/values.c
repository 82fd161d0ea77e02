/* Values of the model that is made: results of nodes, constants, weights; each a name that no other
 * has. */
#include "export/exporter.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/fnv.h"
#include "ops/shapes.h"

const char *
export_name(struct exporter *x, const char *name)
{
	const char *try = name;
	int i;

	for (i = 1; map_get(&x->names, try); i++)
		try = arena_printf(x->arena, "%s.%d", name, i);
	map_put(x->arena, &x->names, try, (void *)try);
	return try;
}

void
export_cannot(struct exporter *x, const char *fmt, ...)
{
	struct export_problem p = { .node = x->node };
	va_list args;

	if (!x->failed) {
		va_start(args, fmt);
		p.why = arena_vprintf(x->arena, fmt, args);
		va_end(args);
		vec_push(x->arena, &x->result->problems, p);
	}
	x->failed = true;
}

/* ---- nodes ---- */

static int
count_attrs(const struct model_attr *attr)
{
	int n = 0;

	while (attr && attr[n].name)
		n++;
	return n;
}

/* A node without results yet. */
static struct model_node *
append(struct exporter *x, const char *path, const char *op, const char *const *in, const struct model_attr *attr, int count)
{
	struct model_node *n = ARENA_NEW(x->arena, struct model_node);
	int i;

	n->op = op;
	n->scope = x->within ? NULL : path;
	while (in[n->nin])
		n->nin++;
	n->in = memcpy(arena_array(x->arena, (size_t)n->nin + 1, sizeof(*n->in)), in, (size_t)n->nin * sizeof(*in));
	n->nattrs = count_attrs(attr);
	n->attr = arena_array(x->arena, (size_t)n->nattrs + 1, sizeof(*n->attr));
	for (i = 0; i < n->nattrs; i++)
		n->attr[i] = attr[i];
	n->nout = count;
	n->out = arena_array(x->arena, (size_t)count, sizeof(*n->out));
	vec_push(x->arena, &x->body->nodes, n);
	return n;
}

void
make_several(struct exporter *x, const char *op, const char *const *in, const struct model_attr *attr, int count,
    const char **out)
{
	const char *path = x->within ? x->within : x->about ? x->about : x->node ? x->node->path : "batch";
	struct model_node *n = append(x, path, op, in, attr, count);
	int i;

	for (i = 0; i < count; i++) {
		out[i] = n->out[i] = export_name(x, path);
		if (x->training && x->node)
			map_put(x->arena, &x->origin, out[i], (void *)(uintptr_t)x->node);
	}
	n->name = n->out[0];
}

void
called(struct exporter *x, const char *value, const char *name)
{
	struct model_node *n = append(x, name, "Identity", IN(value), AS_IS, 1);

	n->name = n->out[0] = name;
}

const char *
make(struct exporter *x, const char *op, const char *const *in, const struct model_attr *attr)
{
	const char *out;

	make_several(x, op, in, attr, 1, &out);
	return out;
}

/* The same where all layers read it, however deep the one at hand lies. */
static const char *
make_outside(struct exporter *x, const char *op, const char *const *in, const struct model_attr *attr)
{
	struct model *body = x->body;
	const char *out;

	x->body = x->whole;
	out = make(x, op, in, attr);
	x->body = body;
	return out;
}

struct model_attr
attr_is_int(const char *name, int64_t i)
{
	return (struct model_attr){ .name = name, .type = A_INT, .i = i };
}

struct model_attr
attr_is_real(const char *name, double r)
{
	return (struct model_attr){ .name = name, .type = A_REAL, .r = r };
}

struct model_attr
attr_is_text(const char *name, const char *s)
{
	return (struct model_attr){ .name = name, .type = A_TEXT, .s = s };
}

struct model_attr
attr_is_ints(struct exporter *x, const char *name, int n, const int64_t *v)
{
	return (struct model_attr){ .name = name, .type = A_INTS, .n = n,
		.v = memcpy(arena_array(x->arena, (size_t)n + 1, sizeof(*v)), v, (size_t)n * sizeof(*v)) };
}

/* ---- tensors of ours ---- */

const struct numbers *
weight_numbers(struct exporter *x, const struct tensor *t)
{
	const char *why = NULL;
	const struct numbers *n = checkpoint_weight(x->checkpoint, x->module, t, &why);

	if (!n && !x->why)
		x->why = why;
	return n;
}

const char *
weight_made(struct exporter *x, const char *name, struct numbers *n)
{
	n->name = export_name(x, name);
	vec_push(x->arena, &x->model->numbers, n);
	return n->name;
}

static const char *
weight(struct exporter *x, const struct tensor *t)
{
	const struct numbers *from = weight_numbers(x, t);
	struct numbers *n;

	if (!from)
		return "";
	n = ARENA_NEW(x->arena, struct numbers);
	*n = *from;
	n->name = t->name;
	vec_push(x->arena, &x->model->numbers, n);
	return t->name;
}

const char *
value_of(struct exporter *x, const struct tensor *t)
{
	if (!t)
		return "";
	if (!x->value[t->id])
		x->value[t->id] = t->kind == T_PARAM || t->kind == T_STATISTIC ? weight(x, t) : "";
	return x->value[t->id];
}

void
result(struct exporter *x, const struct tensor *t, const char *value)
{
	if (t)
		x->value[t->id] = value;
}

/* ---- constants ---- */

struct shared {			/* a constant that others may be like */
	const struct numbers *numbers;
	const char *value;
	struct shared *next;	/* another of the same key */
};

/* Type, shape, and the numbers as FNV-1a sums them up. */
static const char *
key_of(struct exporter *x, const struct numbers *n, size_t bytes)
{
	struct text key;
	int d;

	text_init(&key, x->arena);
	text_printf(&key, "%d:%016" PRIx64, n->type, fnv_add(FNV_BEGIN, n->data, bytes));
	for (d = 0; d < n->rank; d++)
		text_printf(&key, ",%" PRId64, n->dim[d]);
	return key.s;
}

/* The value of a node Constant; of one that is there already where it holds the same. */
static const char *
constant(struct exporter *x, struct numbers *n, size_t bytes)
{
	const char *key = key_of(x, n, bytes);
	struct shared *first = map_get(&x->constants, key), *s;

	for (s = first; s; s = s->next)
		if (memcmp(s->numbers->data, n->data, bytes) == 0)
			return s->value;
	n->name = "";
	s = ARENA_NEW(x->arena, struct shared);
	*s = (struct shared){ n, make_outside(x, "Constant", IN(NULL), AS({ .name = "value", .type = A_NUMBERS, .numbers = n })), NULL };
	if (first) {
		s->next = first->next;
		first->next = s;
	} else {
		map_put(x->arena, &x->constants, key, s);
	}
	return s->value;
}

static struct numbers *
numbers_of(struct exporter *x, enum element type, int rank, const int64_t *dim)
{
	struct numbers *n = ARENA_NEW(x->arena, struct numbers);
	int i;

	n->type = type;
	n->rank = rank;
	n->count = 1;
	for (i = 0; i < rank; i++)
		n->count *= n->dim[i] = dim[i];
	return n;
}

const char *
reals_constant(struct exporter *x, int rank, const int64_t *dim, const double *v)
{
	struct numbers *n = numbers_of(x, ELEMENT_F32, rank, dim);
	float *to = arena_array(x->arena, (size_t)n->count + 1, sizeof(*to));
	int64_t i;

	for (i = 0; i < n->count; i++)
		to[i] = (float)v[i];
	n->data = (const unsigned char *)to;
	return constant(x, n, (size_t)n->count * sizeof(*to));
}

const char *
real_constant(struct exporter *x, double v)
{
	return reals_constant(x, 0, NULL, &v);
}

const char *
ints_constant(struct exporter *x, int count, const int64_t *v)
{
	struct numbers *n = numbers_of(x, ELEMENT_I64, 1, (int64_t[]){ count });

	n->data = memcpy(arena_array(x->arena, (size_t)count + 1, sizeof(*v)), v, (size_t)count * sizeof(*v));
	return constant(x, n, (size_t)count * sizeof(*v));
}

const char *
int_constant(struct exporter *x, int64_t v)
{
	return ints_constant(x, 1, &v);
}

const char *
places_constant(struct exporter *x, int rank, const int64_t *dim, const int32_t *v)
{
	struct numbers *n = numbers_of(x, ELEMENT_I32, rank, dim);

	n->data = memcpy(arena_array(x->arena, (size_t)n->count + 1, sizeof(*v)), v, (size_t)n->count * sizeof(*v));
	return constant(x, n, (size_t)n->count * sizeof(*v));
}

const char *
counted(struct exporter *x, int rank, const int64_t *dim)
{
	int64_t n = 1, i;
	int32_t *v;

	for (i = 0; i < rank; i++)
		n *= dim[i];
	v = arena_array(x->arena, (size_t)n + 1, sizeof(*v));
	for (i = 0; i < n; i++)
		v[i] = (int32_t)i;
	return places_constant(x, rank, dim, v);
}

/* ---- types and shapes ---- */

int
onnx_type(enum element type)
{
	switch (type) {
	case ELEMENT_F64:
		return 11;
	case ELEMENT_I64:
		return 7;
	case ELEMENT_I32:
		return 6;
	case ELEMENT_U8:
		return 2;
	case ELEMENT_BOOL:
		return 9;
	default:
		return 1;	/* FLOAT */
	}
}

const char *
cast_to(struct exporter *x, const char *value, enum element type)
{
	return make(x, "Cast", IN(value), AS(attr_is_int("to", onnx_type(type))));
}

const char *
reduced(struct exporter *x, const char *op, const char *value, int count, const int64_t *axes, bool keep)
{
	return make(x, op, IN(value, ints_constant(x, count, axes)), AS(attr_is_int("keepdims", keep)));
}

int
onnx_axis(const struct tensor *t, int64_t axis)
{
	return shape_axis_at(axis, t) + t->batched;
}

const char *
reshaped(struct exporter *x, const char *value, bool batched, int rank, const int64_t *dim)
{
	int64_t shape[MAX_RANK + 4] = { -1 };
	int i;

	for (i = 0; i < rank; i++)
		shape[i + batched] = dim[i];
	return make(x, "Reshape", IN(value, ints_constant(x, rank + batched, shape)), AS_IS);
}

const char *
reshaped_as(struct exporter *x, const char *value, const struct tensor *t)
{
	return reshaped(x, value, t->batched, t->rank, t->dim);
}

/* It is asked for once, before any layer. */
static const char *
batch(struct exporter *x)
{
	if (!x->batch)
		x->batch = make_outside(x, "Shape", IN(x->samples), AS(attr_is_int("start", 0), attr_is_int("end", 1)));
	return x->batch;
}

const char *
for_each_sample(struct exporter *x, const char *value, int rank, const int64_t *dim)
{
	const char *shape;

	if (!x->samples) {
		export_cannot(x, "it is made for each sample, and there is no input that says how many there are");
		return "";
	}
	shape = batch(x);
	if (rank > 0)
		shape = make(x, "Concat", IN(shape, ints_constant(x, rank, dim)), AS(attr_is_int("axis", 0)));
	return make(x, "Expand", IN(value, shape), AS_IS);
}

const char *
transposed(struct exporter *x, const char *value, int rank, const int64_t *axes)
{
	return make(x, "Transpose", IN(value), AS(attr_is_ints(x, "perm", rank, axes)));
}

const char *
sliced(struct exporter *x, const char *value, int64_t axis, int64_t from, int64_t end)
{
	return make(x, "Slice", IN(value, int_constant(x, from), int_constant(x, end), int_constant(x, axis)), AS_IS);
}
