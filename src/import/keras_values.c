/*
 * Values of Keras' layers as ours: the order of axes, weights, extents in a configuration, and
 * which record makes a layer.
 */
#include "import/keras.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_FILLED	(1 << 22)	/* numbers that a layer has, and no file */
#define MOST_WINDOW	65536	/* of what is said axis by axis: kernels, strides, factors */

bool
keras_older_than(const struct importer *im, int major, int minor)
{
	int m = 0, n = 0;

	return sscanf(im->model->producer, "keras %d.%d", &m, &n) == 2 && (m < major || (m == major && n < minor));
}

bool
keras_older_than_3(const struct importer *im)
{
	return keras_older_than(im, 3, 0);
}

/* One operand of any order, and no arguments. */
static bool
unary(struct importer *im, const struct model_node *n, const char *ours)
{
	struct val *x = keras_in(im, n, 0);
	struct call c;

	if (!x)
		return false;
	call_begin(&c, im, ours);
	call_in(&c, x);
	return keras_end(&c, n, x);
}

static bool
translate(struct importer *im, const struct keras_op *op, const struct model_node *n)
{
	if (op->most != ANY_OPERANDS && n->nin > (op->most ? op->most : 1))
		return cannot(im, "it is given %d values, and what it does with all but the first is not imported: a mask, or "
		    "a state", n->nin);
	return (op->ours ? unary(im, n, op->ours) : op->translate(im, n)) && keras_mask_follow(im, op, n);
}

static bool
unknown(struct importer *im, const struct model_node *n)
{
	if (strcmp(n->op, "Lambda") == 0)
		return cannot(im, "its function is Python's bytecode, which is not run: say it by layers of Keras or keras.ops in "
		    "the model; or import the model without it, and write it into the spec");
	return cannot(im, "there is no layer of that class here: it is the model's own, or not imported yet");
}

bool
keras_translate(struct importer *im, const struct model_node *n)
{
	const struct keras_op *op;
	int i = 0;

	while (keras_op_table[i] && strcmp(keras_op_table[i]->name, n->op) != 0)
		i++;
	op = keras_op_table[i];
	return (op ? translate(im, op, n) : unknown(im, n)) || keras_mask_lost(im, op, n);
}

struct val *
keras_in(struct importer *im, const struct model_node *n, int k)
{
	if (k >= n->nin || !*n->in[k]) {
		cannot(im, k >= n->nin ? "it is given nothing to read" : "it reads a number where a tensor is to be");
		return NULL;
	}
	if (map_get(&im->pads, n->in[k])) {
		cannot(im, "the frame before it is one of a convolution: this is a mistake of stowage");
		return NULL;
	}
	return val_tensor(im, val_of(im, n->in[k]), -1);
}

/* ---- the order of axes ---- */

/* The same elements with the last axis in front of the others, or the first one behind them. */
static struct val *
turned(struct importer *im, struct val *v, bool forward)
{
	const struct tensor *t = v->t;
	int64_t axes[MAX_RANK], dim[MAX_RANK];
	int i, long_axes = 0;
	struct call c;
	struct val *out;

	if (v->turned)
		return v->turned;
	for (i = 0; i < t->rank; i++) {
		axes[i] = forward ? (i + t->rank - 1) % t->rank : (i + 1) % t->rank;
		dim[i] = t->dim[axes[i]];
		long_axes += t->dim[i] > 1;
	}
	if (long_axes <= 1) {	/* nothing moves */
		call_begin(&c, im, "reshape");
		call_ints(&c, "shape", t->rank, dim);
	} else {
		call_begin(&c, im, "permute");
		call_ints(&c, "axes", t->rank, axes);
	}
	call_in(&c, v);
	out = call_value(&c);
	if (!out)
		return NULL;
	out->channels_first = forward;
	out->turned = v;
	v->turned = out;
	return out;
}

struct val *
val_as_map(struct importer *im, struct val *v)
{
	return !v || v->channels_first || v->t->rank < 2 ? v : turned(im, v, true);
}

struct val *
val_as_source(struct importer *im, struct val *v)
{
	return !v || !v->channels_first || v->t->rank < 2 ? v : turned(im, v, false);
}

struct val *
keras_map(struct importer *im, const struct model_node *n, int k)
{
	return val_as_map(im, keras_in(im, n, k));
}

struct val *
keras_plain(struct importer *im, const struct model_node *n, int k)
{
	return val_as_source(im, keras_in(im, n, k));
}

bool
keras_axis(struct importer *im, const struct val *v, int64_t axis, int *ours)
{
	int rank = v->t->rank + 1, plain;

	if (axis < 0)
		axis += rank;
	if (axis < 0 || axis >= rank)
		return cannot(im, "axis %lld is none of its input", (long long)axis);
	if (axis == 0)
		return cannot(im, "it works along the batch, which no shape of a spec names");
	plain = (int)axis - 1;
	*ours = !v->channels_first ? plain : plain == rank - 2 ? 0 : plain + 1;
	return true;
}

/* ---- what a layer ends with ---- */

static void
take_order(struct val *out, const struct val *as)
{
	if (!as || as->t->rank != out->t->rank)
		return;
	out->channels_first = as->channels_first;
	out->flat = as->flat;
}

bool
keras_alias(struct importer *im, const struct model_node *n, struct val *v)
{
	if (!v)
		return false;
	val_alias(im, n->out[0], v);
	return true;
}

bool
keras_end(struct call *c, const struct model_node *n, const struct val *as)
{
	struct importer *im = c->im;

	if (!call_end(c, n->out[0]))
		return false;
	take_order(val_of(im, n->out[0]), as);
	return true;
}

struct val *
keras_value(struct call *c, const struct val *as)
{
	struct val *v = call_value(c);

	if (v)
		take_order(v, as);
	return v;
}

void
keras_pair(struct call *c, struct importer *im, const char *ours, struct val *x, struct val *y)
{
	call_begin(c, im, ours);
	call_in(c, x);
	call_in(c, y);
}

bool
keras_end_activated(struct call *c, const struct model_node *n, const char *name, const struct val *as)
{
	struct importer *im = c->im;
	const struct model_attr *a = model_attr(n, name);
	struct val *v = keras_value(c, as);

	if (!v)
		return false;
	v->name = n->out[0];
	if (!a)
		return keras_alias(im, n, v);
	if (a->type == A_TEXT)
		return keras_alias(im, n, keras_activated(im, n, v, a->s));
	return cannot(im, "its activation is neither a function that Keras names nor none");
}

/* ---- weights ---- */

const struct numbers *
keras_weight(struct importer *im, const struct model_node *n, int k, const char *word, int rank, const int64_t *dim)
{
	struct numbers *w = n->layer->weight[k];
	int i;

	if (w)
		return w;
	w = n->layer->weight[k] = ARENA_NEW(im->arena, struct numbers);
	*w = (struct numbers){ .type = ELEMENT_F32, .rank = rank, .count = 1, .place = n->layer };
	w->name = arena_join(im->arena, *n->layer->dotted ? n->layer->dotted : n->layer->name,
	    *n->layer->dotted ? "." : "/", word);
	for (i = 0; i < rank; i++) {
		w->dim[i] = dim[i];
		if (__builtin_mul_overflow(w->count, dim[i], &w->count))
			w->count = 0;
	}
	return w;
}

const struct numbers *
keras_filled(struct importer *im, const struct model_node *n, const char *word, int64_t count, double value)
{
	struct numbers *w = ARENA_NEW(im->arena, struct numbers);
	float *data;
	int64_t i;

	if (count > MOST_FILLED) {
		cannot(im, "its %s would be %" PRId64 " numbers, which is out of range", word, count);
		return NULL;
	}
	data = arena_array(im->arena, (size_t)count, sizeof(*data));
	for (i = 0; i < count; i++)
		data[i] = (float)value;
	*w = (struct numbers){ .name = arena_join(im->arena, *n->layer->dotted ? n->layer->dotted : n->layer->name,
	    *n->layer->dotted ? "." : "/", word), .type = ELEMENT_F32, .rank = 1, .dim = { count }, .count = count,
	    .data = (const unsigned char *)data };
	return w;
}

/* ---- configuration ---- */

double
keras_real(const struct model_node *n, const char *name, double otherwise)
{
	const struct model_attr *a = model_attr(n, name);

	return !a ? otherwise : a->type == A_REAL ? a->r : a->type == A_INT ? (double)a->i : otherwise;
}

bool
keras_has(const struct model_node *n, const char *name)
{
	return model_attr(n, name) != NULL;
}

const char *
keras_name(const struct model_node *n, const char *name, const char *older)
{
	return keras_has(n, name) || !keras_has(n, older) ? name : older;
}

int64_t
keras_axis_said(const struct model_node *n, int64_t otherwise)
{
	const struct model_attr *a = model_attr(n, "axis");

	return !a ? otherwise : a->type == A_INT ? a->i : a->type == A_INTS && a->n == 1 ? a->v[0] : INT32_MIN;
}

bool
keras_extents(struct importer *im, const struct model_node *n, const char *name, int want, int64_t otherwise, int64_t *to)
{
	const struct model_attr *a = model_attr(n, name);
	int i;

	if (a && a->type == A_INTS && a->n != want && a->n != 1)
		return cannot(im, "its %s has %d numbers in place of %d", name, a->n, want);
	if (a && a->type != A_INTS && a->type != A_INT)
		return cannot(im, "its %s is no whole number", name);
	for (i = 0; i < want; i++) {
		to[i] = !a ? otherwise : a->type == A_INT ? a->i : a->v[a->n == 1 ? 0 : i];
		if (to[i] < 0 || to[i] > MOST_WINDOW)
			return cannot(im, "its %s is out of range", name);
	}
	return true;
}

bool
keras_is_first(const struct model_node *n)
{
	return strcmp(attr_text(n, "data_format", attr_text(n, "dim_ordering", "")), "channels_first") == 0 ||
	    strcmp(attr_text(n, "dim_ordering", ""), "th") == 0;
}

static struct val *
one_constant(struct importer *im, const struct val *like, double value)
{
	int64_t dim[MAX_RANK];
	struct call c;
	int i;

	for (i = 0; i < like->t->rank; i++)
		dim[i] = 1;
	call_begin(&c, im, "constant");
	call_real(&c, "value", value);
	call_ints(&c, "shape", like->t->rank, dim);
	return call_value(&c);
}

struct val *
keras_constants(struct importer *im, const struct val *like, int n, const double *value)
{
	struct call c;
	int i;

	if (n == 1)
		return one_constant(im, like, value[0]);
	call_begin(&c, im, "concat");
	for (i = 0; i < n; i++) {
		struct val *v = one_constant(im, like, value[i]);

		if (!v)
			return NULL;
		call_in(&c, v);
	}
	if (!like->channels_first && like->t->rank > 1)
		call_int(&c, "axis", -1);
	return call_value(&c);
}
