/*
 * Values as tensors of ours: a constant of the model becomes a parameter, which no training changes
 * where it is none of the model's weights.
 */
#include "import/importer.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Is it a mask that the model keeps beside its weights? No training leaves infinities, or the
 * largest numbers of their type, which exporters write in their place. */
static bool
is_mask(const struct numbers *n)
{
	double most = n->type == ELEMENT_F16 ? 65504 : n->type == ELEMENT_BF16 ? 0xff * 0x1p120 : FLT_MAX;
	int64_t i, count = n->filled && n->count > 1 ? 1 : n->count;

	if (!n->data || !numbers_are_real(n))
		return false;
	for (i = 0; i < count; i++)
		if (!(fabs(numbers_real(n, i)) < most))
			return true;
	return false;
}

/* Of a mask a constant, which has the largest numbers in the place of infinities: they do the same
 * in front of a softmax, and a program reads no weights that are infinite. NULL after cannot(): one
 * is not a number. */
static const struct numbers *
as_constant(struct importer *im, const struct numbers *n)
{
	int64_t i, count = n->filled && n->count > 1 ? 1 : n->count;
	struct numbers *fixed;
	float *to;

	if (!is_mask(n))
		return n;
	to = arena_array(im->arena, (size_t)count, sizeof(*to));
	for (i = 0; i < count; i++) {
		double r = numbers_real(n, i);

		if (isnan(r)) {
			cannot(im, "the constant '%s' has what is not a number (NaN)", n->name);
			return NULL;
		}
		to[i] = (float)fmax(-FLT_MAX, fmin(FLT_MAX, r));
	}
	fixed = ARENA_NEW(im->arena, struct numbers);
	*fixed = *n;
	fixed->type = ELEMENT_F32;
	fixed->data = (const unsigned char *)to;
	fixed->place = NULL;
	fixed->computed = true;
	return fixed;
}

/* One for all that read it in that shape. */
static struct val *
parameter(struct importer *im, const struct numbers *n, int rank, const int64_t *dim)
{
	const char *key;
	struct val *v;
	struct call c;
	int i;

	key = arena_printf(im->arena, "%p %d %d", n->data ? (const void *)n->data : (const void *)n,
	    (int)(n->count & INT32_MAX), rank);
	v = map_get(&im->parameters, key);
	for (i = 0; v && i < rank; i++)
		if (v->t->dim[i] != dim[i])
			v = NULL;
	if (v)
		return v;
	if (!(n = as_constant(im, n)))
		return NULL;
	v = n->computed ? made_of_nothing(im, n, rank, dim) : NULL;
	if (!v) {
		call_begin(&c, im, "parameter");
		call_ints(&c, "shape", rank, dim);
		if (n->computed)
			call_frozen(&c, n, NULL);
		else
			call_weight(&c, n, false);
		c.path = numbers_is_weight(n) && !strstr(n->name, "::") ? n->name : "";
		v = call_value(&c);
	}
	if (v && !map_get(&im->parameters, key) && !(numbers_is_weight(n) && numbers_are_alike(n)))
		map_put(im->arena, &im->parameters, key, v);
	return v;
}

#define MOST_REAL	((double)(1 << 24))	/* up to which f32 has every whole number */

/* Whole numbers as real ones, which is what meets those of an input; NULL after cannot(). */
static const struct numbers *
made_real(struct importer *im, const struct numbers *n)
{
	struct numbers *made = ARENA_NEW(im->arena, struct numbers);
	int64_t count = n->filled && n->count > 1 ? 1 : n->count, i;
	double *to = count <= 1 << 20 ? arena_array(im->arena, (size_t)count + 1, sizeof(*to)) : NULL;

	for (i = 0; to && i < count; i++) {
		to[i] = numbers_real(n, i);
		if (fabs(to[i]) > MOST_REAL)
			to = NULL;
	}
	if (!to) {
		cannot(im, "the constant '%s' is of whole numbers, too many or too large for real ones", n->name);
		return NULL;
	}
	*made = *n;
	made->type = ELEMENT_F64;
	made->data = (const unsigned char *)to;
	made->place = NULL;
	made->computed = true;
	return made;
}

/* A constant that all samples have, and of which the source has one for each. */
static struct val *
repeated_parameter(struct importer *im, struct val *v, const struct numbers *n)
{
	int64_t dim[MODEL_RANK] = { 0 };
	struct val *made, *view = val_new(im, v->name);
	int i, k = 0;

	for (i = 0; i < n->rank; i++)
		if (i != v->source.at)
			dim[k++] = n->dim[i];
	if (!(made = parameter(im, n, k, dim)))
		return NULL;
	*view = *made;
	view->same_as = val_first(made);
	view->source = v->source;
	return view;
}

/* A constant as a parameter of RANK axes: those of the batch and of extent 1 in front of it are
 * left out. */
static struct val *
as_parameter(struct importer *im, struct val *v, int rank)
{
	const struct numbers *n = numbers_are_real(v->data) ? v->data : made_real(im, v->data);
	int64_t dim[MODEL_RANK] = { 0 };
	struct val *made;
	int i, own, more;

	if (!n)
		return NULL;
	own = n->rank;
	if (rank < 0 && v->source.expanded && !v->source.merged && own > 1 && v->source.at < own && n->dim[v->source.at] == 1)
		return repeated_parameter(im, v, n);
	if (rank < 0)
		rank = own;
	for (more = own - rank; more > 0; more--)
		if (n->dim[own - rank - more] != 1) {
			cannot(im, "the constant '%s' differs from sample to sample", n->name);
			return NULL;
		}
	for (i = 0; i < rank; i++)
		dim[i] = rank - i > own ? 1 : n->dim[own - rank + i];
	if (rank == 0)
		dim[rank++] = 1;
	if ((made = made_of_formula(im, v, rank, dim)))
		return made;
	return parameter(im, n, rank, dim);
}

struct val *
val_tensor(struct importer *im, struct val *v, int rank)
{
	v = val_laid(im, v, rank);
	if (!v || val_is_plain(v))
		return v;
	cannot(im, "its input has the batch behind other axes, or as one with another; it works on samples one by one");
	return NULL;
}

struct val *
val_laid(struct importer *im, struct val *v, int rank)
{
	if (!v) {
		cannot(im, "an input is left out that it needs");
		return NULL;
	}
	if (v->t)
		return v;
	if (v->data)
		return as_parameter(im, v, rank);
	if (v->integers)
		cannot(im, "it computes with integers of shapes");
	else
		cannot(im, "its input '%s' is made by nothing before it", v->name);
	return NULL;
}

bool
val_number(const struct val *v, double *r)
{
	if (!v || !v->data || v->data->count != 1)
		return false;
	*r = numbers_real(v->data, 0);
	if (v->data->type == ELEMENT_F32)
		*r = float_decimal((float)*r);
	return true;
}
