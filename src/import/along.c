/*
 * What is done along one axis by numbers that are constant: elements picked by their indices, sums
 * by weights, frames, cuts. An operator of ours says it where one does; what is left is slices that
 * are joined, or a matrix that is frozen.
 */
#include "import/arrays.h"

#include <string.h>

#define MOST_RUNS	8	/* slices that are joined; a matrix says what is in more */

/* The axis and the last one exchanged, which undoes itself. */
static struct val *
exchanged(struct importer *im, struct val *x, int axis, int with)
{
	int64_t axes[MODEL_RANK];
	int i;
	struct call c;

	if (axis == with)
		return x;
	for (i = 0; i < x->t->rank; i++)
		axes[i] = i == axis ? with : i == with ? axis : i;
	call_begin(&c, im, "permute");
	call_like(&c, x);
	call_ints(&c, "axes", x->t->rank, axes);
	return call_value(&c);
}

double *
along_room(struct importer *im, const struct val *x, int axis, int64_t out)
{
	struct array a = { .real = true, .rank = 2, .dim = { out, x->t->dim[axis] } };

	if (array_room(im, &a))
		return a.r;
	cannot(im, "the matrix of %lld numbers by %lld that says it is too large", (long long)out, (long long)x->t->dim[axis]);
	return NULL;
}

struct val *
along_matrix(struct importer *im, struct val *x, int axis, int64_t out, const double *matrix)
{
	struct numbers *n = ARENA_NEW(im->arena, struct numbers);
	int last = x->t->rank - 1;
	struct call c;

	*n = (struct numbers){ .name = "", .type = ELEMENT_F64, .rank = 2, .dim = { out, x->t->dim[axis] },
		.count = out * x->t->dim[axis], .data = (const unsigned char *)matrix, .computed = true };
	if (!(x = exchanged(im, x, axis, last)))
		return NULL;
	call_begin(&c, im, "dense");
	call_like(&c, x);
	call_int(&c, "units", out);
	call_int(&c, "bias", false);
	call_frozen(&c, n, NULL);
	x = call_value(&c);
	return x ? exchanged(im, x, axis, last) : NULL;
}

struct val *
along_run(struct importer *im, struct val *x, int axis, int64_t first, int64_t by, int64_t count)
{
	int64_t dim[MODEL_RANK], at = axis, last = first + by * (count - 1), stop = by < 0 ? last - 1 : last + 1;
	struct call c;

	if (first == 0 && by == 1 && count == x->t->dim[axis])
		return x;
	call_begin(&c, im, "slice");
	call_like(&c, x);
	call_ints(&c, "axis", 1, &at);
	call_ints(&c, "start", 1, &first);
	if (stop >= 0)
		call_ints(&c, "stop", 1, &stop);
	if (by != 1 && by != 0)
		call_ints(&c, "step", 1, &by);
	if (!(x = call_value(&c)) || by != 0)
		return x;
	memcpy(dim, x->t->dim, sizeof(dim[0]) * (size_t)x->t->rank);
	dim[axis] = count;
	call_begin(&c, im, "broadcast");
	call_like(&c, x);
	call_ints(&c, "shape", x->t->rank, dim);
	return call_value(&c);
}

/* How many indices from the first of COUNT have one distance. */
static int64_t
run_length(const int64_t *index, int64_t count, int64_t *by)
{
	int64_t n = 1;

	*by = count > 1 ? index[1] - index[0] : 1;
	while (n < count && index[n] - index[n - 1] == *by)
		n++;
	if (n == 2 && *by != 1)		/* of two that are not beside each other nothing follows */
		n = 1;
	*by = n == 1 ? 1 : *by;
	return n;
}

static struct val *
picked_by_matrix(struct importer *im, struct val *x, int axis, int64_t count, const int64_t *index)
{
	double *m = along_room(im, x, axis, count);
	int64_t i;

	for (i = 0; m && i < count; i++)
		m[i * x->t->dim[axis] + index[i]] = 1;
	return m ? along_matrix(im, x, axis, count, m) : NULL;
}

/* Are they the places of a matrix of so many columns on one side of a diagonal, row by row? */
static bool
are_triangle(const int64_t *index, int64_t count, int64_t rows, int64_t columns, int64_t diagonal, bool upper)
{
	int64_t i, j, k = 0;

	for (i = 0; i < rows; i++) {
		int64_t end = upper ? columns : i + diagonal + 1 < columns ? i + diagonal + 1 : columns;

		for (j = upper && i + diagonal > 0 ? i + diagonal : 0; j < end; j++)
			if (k == count || index[k++] != i * columns + j)
				return false;
	}
	return k == count;
}

#define MOST_PLACES	((int64_t)1 << 16)	/* of a matrix whose triangle is looked for */

/* Which diagonal the first indices speak of, if it is one; false: none. */
static bool
find_triangle(const int64_t *index, int64_t count, int64_t rows, int64_t columns, int64_t *diagonal, bool *upper)
{
	int64_t run = 1;

	while (run < count && index[run] == index[run - 1] + 1)
		run++;
	*upper = false;
	*diagonal = index[0] > 0 ? -index[0] / columns : run - 1;
	if (index[0] % columns == 0 && are_triangle(index, count, rows, columns, *diagonal, false))
		return true;
	*upper = true;
	*diagonal = index[0] > 0 ? index[0] : 1 - run / columns;
	return index[0] < columns && are_triangle(index, count, rows, columns, *diagonal, true);
}

/* What takes those of a triangle; NULL: they are none. */
static struct val *
picked_triangle(struct importer *im, struct val *x, int axis, int64_t count, const int64_t *index)
{
	int64_t all = x->t->dim[axis], columns, shape[2], diagonal = 0;
	bool found = false, upper = false;
	struct val *places;
	struct call c;

	for (columns = 2; columns < all && all <= MOST_PLACES && !found; columns += !found)
		found = all % columns == 0 && find_triangle(index, count, all / columns, columns, &diagonal, &upper);
	if (!found)
		return NULL;
	shape[0] = all / columns;
	shape[1] = columns;
	call_begin(&c, im, upper ? "triu_index" : "tril_index");
	call_ints(&c, "shape", shape[0] == shape[1] ? 1 : 2, shape);
	if (diagonal != 0)
		call_int(&c, "diagonal", diagonal);
	if (!(places = call_value(&c)))
		return NULL;
	call_begin(&c, im, "take");
	call_like(&c, x);
	call_in(&c, places);
	if (axis != 0)
		call_int(&c, "axis", axis);
	return call_value(&c);
}

struct val *
along_pick(struct importer *im, struct val *x, int axis, int64_t count, const int64_t *index)
{
	struct val *part[MOST_RUNS], *whole;
	int64_t i, n, by;
	int runs = 0, k;
	struct call c;

	if (count < 1)
		return cannot(im, "it picks nothing"), NULL;
	for (i = 0; i < count; i++)
		if (index[i] < 0 || index[i] >= x->t->dim[axis])
			return cannot(im, "index %lld is none of its axis", (long long)index[i]), NULL;
	for (i = 0; i < count; i += run_length(index + i, count - i, &by))
		runs++;
	if (runs > 1 && (whole = picked_triangle(im, x, axis, count, index)))
		return whole;
	if (runs > MOST_RUNS)
		return picked_by_matrix(im, x, axis, count, index);
	for (i = k = 0; i < count; i += n, k++) {
		n = run_length(index + i, count - i, &by);
		if (!(part[k] = along_run(im, x, axis, index[i], by, n)))
			return NULL;
	}
	if (runs == 1)
		return part[0];
	call_begin(&c, im, "concat");
	call_like(&c, part[0]);
	for (k = 1; k < runs; k++)
		call_in(&c, part[k]);
	if (axis != 0)
		call_int(&c, "axis", axis);
	return call_value(&c);
}

#define MOST_FRAMED	(MAX_RANK / 2)	/* axes that one layer takes */

/* Around N axes, in their order. */
static struct val *
framed(struct importer *im, struct val *x, int n, const int64_t *axis, const int64_t (*sides)[2], double value,
    const char *mode)
{
	int rank = x->t->rank;
	int64_t usual[2][2] = { { 0 } };
	struct call c;
	int i;

	call_begin(&c, im, "pad");
	call_like(&c, x);
	if (n <= 2 && rank > 1 && axis[0] >= rank - 2) {	/* the usual two, though one of them may have none */
		for (i = 0; i < n; i++)
			memcpy(usual[axis[i] - (rank - 2)], sides[i], sizeof(usual[0]));
		call_frame(&c, "sides", 2, usual[0]);
	} else {
		call_frame(&c, "sides", n, sides[0]);
		call_ints(&c, "axis", n, axis);
	}
	if (value != 0)
		call_real(&c, "value", value);
	if (strcmp(mode, "constant") != 0)
		call_word(&c, "mode", mode);
	return call_value(&c);
}

struct val *
along_frame(struct importer *im, struct val *x, const int64_t (*sides)[2], double value, const char *mode)
{
	int rank = x->t->rank, i, n = 0;
	int64_t axis[MOST_FRAMED], some[MOST_FRAMED][2];

	for (i = 0; i < rank && x; i++) {
		if (sides[i][0] || sides[i][1]) {
			memcpy(some[n], sides[i], sizeof(some[n]));
			axis[n++] = i;
		}
		if (n == MOST_FRAMED || (n > 0 && i == rank - 1)) {
			x = framed(im, x, n, axis, some, value, mode);
			n = 0;
		}
	}
	return x;
}

/* How many of them, from the first on, are slices of one value along the axis, one behind the other
 * and all of it; 0: none. */
static int
cut_apart(struct val *const *v, int n, int axis)
{
	struct val *whole = NULL;
	int64_t at = 0;
	int i;

	for (i = 0; i < n && (!whole || at < whole->t->dim[axis]); i++) {
		const struct step *s = made_by(v[i], "slice");
		const struct attr *axes = s ? step_attr(s, "axis") : NULL, *start = s ? step_attr(s, "start") : NULL;

		if (!s || (whole && s->in[0] != whole) || step_attr(s, "drop")->n > 0 || step_attr(s, "step")->given || axes->n != 1 ||
		    axes->v[0] != axis || (start->given ? start->v[0] : 0) != at)
			return 0;
		whole = s->in[0];
		at += v[i]->t->dim[axis];
	}
	return whole && at == whole->t->dim[axis] ? i : 0;
}

int
along_whole(struct val **v, int n, int axis)
{
	int i, k, slices;

	for (i = k = 0; i < n; i += slices ? slices : 1) {
		slices = cut_apart(v + i, n - i, axis);
		v[k++] = slices ? made_by(v[i], "slice")->in[0] : v[i];
	}
	return k;
}

/* Where a slice of one axis alone begins, and what it is of; NULL: it is none. */
static struct val *
cut_from(const struct val *v, int axis, int64_t *first)
{
	const struct step *s = made_by(v, "slice");
	const struct attr *axes = s ? step_attr(s, "axis") : NULL, *start = s ? step_attr(s, "start") : NULL;

	if (!s || step_attr(s, "drop")->n > 0 || step_attr(s, "step")->given || axes->n != 1 || axes->v[0] != axis)
		return NULL;
	*first = start->given ? start->v[0] : 0;
	*first += *first < 0 ? s->in[0]->t->dim[axis] : 0;
	return s->in[0];
}

struct val *
along_rolled(struct importer *im, struct val *const *v, int axis)
{
	int64_t behind, front, shift[MODEL_RANK], axes[MODEL_RANK], all;
	struct val *x = cut_from(v[0], axis, &behind);
	const struct step *before;
	int i, n = 0;
	struct call c;

	if (!x || cut_from(v[1], axis, &front) != x || front != 0)
		return NULL;
	all = x->t->dim[axis];
	if (v[1]->t->dim[axis] != behind || v[0]->t->dim[axis] != all - behind)
		return NULL;
	if ((before = made_by(x, "roll"))) {	/* along several axes at once */
		const struct attr *a = step_attr(before, "axis"), *by = step_attr(before, "shift");

		for (n = 0; n < a->n && a->v[n] != axis; n++) {
			axes[n] = a->v[n];
			shift[n] = by->v[n];
		}
		x = n == a->n ? before->in[0] : x;
		n = n == a->n ? n : 0;
	}
	axes[n] = axis;
	shift[n++] = behind <= all / 2 ? -behind : all - behind;
	for (i = 1; i < n && axes[i] > axes[i - 1]; i++)
		;
	if (i < n)
		return NULL;
	call_begin(&c, im, "roll");
	call_in(&c, x);
	call_ints(&c, "shift", n, shift);
	if (n > 1 || axis != 0)
		call_ints(&c, "axis", n, axes);
	return call_value(&c);
}
