/* Where maxima are, and what goes back there: ONNX counts these places over all of a tensor. What
 * fills no window is left out first, so that all agree on how it counts. */
#include "export/exporter.h"

#include <string.h>

#include "ops/space.h"

static int64_t
filled(const struct node *k, int axis)
{
	return k->out[0]->dim[1 + axis] * op_attr(k, "kernel")->v[axis];
}

/* Places of the maxima of what argmaxpool K reads. */
static const char *
places_of(struct exporter *x, const struct node *k)
{
	const struct attr *kernel = op_attr(k, "kernel");
	const struct tensor *from = k->in[0];
	const char *v = value_of(x, from), *out[2];
	int axes = space_axes(from), i;

	if (!from->batched)
		export_cannot(x, "it does not depend on the batch, which ONNX wants here");
	for (i = 0; i < axes; i++)
		if (filled(k, i) != from->dim[1 + i])
			v = sliced(x, v, onnx_axis(from, 1 + i), 0, filled(k, i));
	make_several(x, "MaxPool", IN(v), AS(attr_is_ints(x, "kernel_shape", axes, kernel->v),
	    attr_is_ints(x, "strides", axes, kernel->v)), 2, out);
	return out[1];
}

/* Along each axis of space what is left of a place, the last first, and of that the place in a
 * window. */
static void
argmaxpool(struct exporter *x, const struct node *n)
{
	const struct attr *kernel = op_attr(n, "kernel");
	const char *rest = places_of(x, n), *cell = NULL;
	int64_t each = 1;
	int i;

	for (i = kernel->n - 1; i >= 0; i--) {
		const char *size = int_constant(x, filled(n, i)), *along = two(x, "Mod", rest, size);

		along = two(x, "Mod", along, int_constant(x, kernel->v[i]));
		along = two(x, "Mul", along, int_constant(x, each));
		cell = cell ? two(x, "Add", along, cell) : along;
		rest = two(x, "Div", rest, size);
		each *= kernel->v[i];
	}
	result(x, n->out[0], cast_to(x, cell, ELEMENT_U8));
}

EXPORT_OP_ROW(argmaxpool, .write = argmaxpool);

/* By the places of the map that they are of, not by those in windows. */
static void
max_unpool(struct exporter *x, const struct node *n)
{
	const struct attr *kernel = op_attr(n, "kernel");
	const struct tensor *y = n->out[0];
	const struct node *k = n->in[1]->def;
	int axes = space_axes(y), rank = y->rank + y->batched, i;
	int64_t pads[2 * (MAX_RANK + 1)] = { 0 };
	const char *v;
	bool any = false;

	if (!k || strcmp(k->op->name, "argmaxpool") != 0) {
		export_cannot(x, "where its places come from is not known here");
		return;
	}
	v = make(x, "MaxUnpool", IN(value_of(x, n->in[0]), places_of(x, k)), AS(attr_is_ints(x, "kernel_shape", axes, kernel->v),
	    attr_is_ints(x, "strides", axes, kernel->v)));
	for (i = 0; i < axes; i++)
		any |= (pads[rank + onnx_axis(y, 1 + i)] = y->dim[1 + i] - filled(k, i)) > 0;
	result(x, y, any ? make(x, "Pad", IN(v, ints_constant(x, 2 * rank, pads)), AS_IS) : v);
}

EXPORT_OP_ROW(max_unpool, .write = max_unpool);
