/*
 * Where the elements of a value come from: traced back through reshapes, permutes, slices and
 * factors, as a place in memory is by its strides, to the tensor that holds them.
 */
#include "import/strided.h"

#include <string.h>

#define DEEPEST	32		/* steps back */

static void
contiguous(struct strided *s, struct val *v)
{
	int64_t stride = 1;
	int i;

	*s = (struct strided){ .of = val_first(v), .rank = v->t->rank, .scale = 1 };
	for (i = s->rank - 1; i >= 0; i--) {
		s->dim[i] = v->t->dim[i];
		s->stride[i] = stride;
		stride *= s->dim[i];
	}
}

/* Other axes of the same elements in the same order; false: they do not lie at even distances. */
static bool
strided_reshape(struct strided *s, int rank, const int64_t *dim)
{
	struct strided was = *s;
	int64_t have, want, stride;
	int i, k, m, n, beg;

	for (i = n = 0; i < s->rank; i++)	/* an axis of one place has no distance */
		if (s->dim[i] != 1) {
			was.dim[n] = s->dim[i];
			was.stride[n++] = s->stride[i];
		}
	s->rank = rank;
	memcpy(s->dim, dim, (size_t)rank * sizeof(*dim));
	for (i = k = 0; k < rank; ) {
		beg = k;
		want = dim[k++];
		s->stride[beg] = 0;
		if (want == 1)
			continue;
		if (i == n)
			return false;
		for (have = was.dim[i++]; have != want; )
			if (have > want && k < rank)
				want *= dim[k++];
			else if (have < want && i < n && was.stride[i - 1] == was.stride[i] * was.dim[i])
				have *= was.dim[i++];
			else
				return false;
		for (stride = was.stride[i - 1], m = k; m > beg; m--) {
			s->stride[m - 1] = stride;
			stride *= dim[m - 1];
		}
	}
	return i == n;
}

static void
strided_permute(struct strided *s, const struct attr *axes)
{
	struct strided was = *s;
	int i;

	for (i = 0; i < s->rank; i++) {
		s->dim[i] = was.dim[axes->v[i]];
		s->stride[i] = was.stride[axes->v[i]];
	}
}

/* False: it goes backwards. */
static bool
strided_slice(struct strided *s, const struct step *of)
{
	const struct attr *axis = step_attr(of, "axis"), *start = step_attr(of, "start"), *by = step_attr(of, "step"),
	    *drop = step_attr(of, "drop");
	const struct tensor *x = of->in[0]->t, *y = of->out->t;
	bool gone[MODEL_RANK] = { false };
	int i, k;

	for (i = 0; i < drop->n; i++)
		gone[drop->v[i] < 0 ? drop->v[i] + x->rank : drop->v[i]] = true;
	for (i = 0; i < axis->n; i++) {
		int at = (int)(axis->v[i] < 0 ? axis->v[i] + x->rank : axis->v[i]);
		int64_t from = i < start->n ? start->v[i] : 0, step = i < by->n ? by->v[i] : 1;

		if (step < 1)
			return false;
		s->first += (from < 0 ? from + x->dim[at] : from) * s->stride[at];
		s->stride[at] *= step;
	}
	for (i = k = 0; i < x->rank; i++)
		if (!gone[i]) {
			s->dim[k] = y->dim[k];
			s->stride[k++] = s->stride[i];
		}
	s->rank = k;
	return true;
}

/* Does the step only say where elements are? Then where they are in what it takes them from. */
static bool
goes_on(struct strided *s, const struct step *of)
{
	const char *op = of->op->name;
	const struct tensor *y = of->out->t;

	if (strcmp(op, "permute") == 0)
		strided_permute(s, step_attr(of, "axes"));
	else if (strcmp(op, "scale") == 0 && step_attr(of, "offset")->r == 0)
		s->scale *= step_attr(of, "factor")->r;
	else if (strcmp(op, "slice") == 0)
		return strided_slice(s, of);
	else
		return (strcmp(op, "reshape") == 0 || strcmp(op, "flatten") == 0) && strided_reshape(s, y->rank, y->dim);
	return true;
}

/* Where the elements of V come from. */
void
strided_trace(struct val *v, struct strided *s)
{
	const struct step *of[DEEPEST];
	int n = 0;

	for (v = val_first(v); n < DEEPEST && v->def && v->def->nin == 1; v = val_first(v->def->in[0]))
		of[n++] = v->def;
	for (contiguous(s, v); n > 0; n--)
		if (!goes_on(s, of[n - 1]))
			contiguous(s, of[n - 1]->out);
}

bool
strided_split(struct strided *s, const int64_t *dim)
{
	int i;

	if (s->rank < 1 || s->rank == MODEL_RANK || s->dim[0] != dim[0] * dim[1])
		return false;
	for (i = s->rank++; i > 0; i--) {
		s->dim[i] = s->dim[i - 1];
		s->stride[i] = s->stride[i - 1];
	}
	s->dim[0] = dim[0];
	s->dim[1] = dim[1];
	s->stride[0] = dim[1] * s->stride[1];
	return true;
}
