/*
 * norm/normalize_c.cu - the gradients of normalisations in C, where a thread has a whole row: it
 * makes dx while the row is at hand, and sums what the row adds to the gradients of weights.
 */
#ifndef STOWAGE_NORM_NORMALIZE_C_CU
#define STOWAGE_NORM_NORMALIZE_C_CU

#include "kernel.h"

/* Row I: sums of its channels, and dx, which may be NULL. BIAS may be, too. */
FOR_KIND void
planes_take(enum epilogue_kind kind, elem *dx, real keep, double *work, const elem *dy, const elem *x, const elem *weight,
    const elem *bias, const real *mean, const real *scale, int64_t i, int64_t channels, int64_t places)
{
	int64_t plane = i * channels, at = plane * places;

	for (int64_t c = 0; c < channels; c++)
		plane_sums(kind, work, dy, x, VALUE(weight[c]), bias ? VALUE(bias[c]) : 0, mean, scale, plane + c, i, places);
	if (dx) {
		struct row_slope s = planes_slope(work + 2 * plane, weight, mean, scale, i, channels, places);

		PLACES (c, p, channels, places) {
			int64_t j = at + c * places + p;

			onto_store(&dx[j], plane_dx(kind, &s, dy[j], x[j], VALUE(weight[c]), bias ? VALUE(bias[c]) : 0), keep);
		}
	}
}

KERNEL(normalize_planes_kernel, (elem *dx, struct onto onto, double *work, const elem *dy, enum epilogue_kind kind,
    const elem *x, const elem *weight, const elem *bias, const real *mean, const real *scale, int64_t rows,
    int64_t channels, int64_t groups, int64_t places))
{
	real keep = onto_keep(onto);

	ROWS (i, rows) {
		int64_t first = i % groups * channels;

#define TAKEN(kind_, function, reads, known)							\
	case kind_:										\
		planes_take(kind_, dx, keep, work, dy, x, weight + first, bias ? bias + first : NULL, mean, scale, i,	\
		    channels, places);								\
		break;
		EPILOGUE_CASES_ALL(kind, TAKEN)
#undef TAKEN
	}
}

static void
planes_backward(elem *dx, struct onto onto, double *work, const elem *dy, enum epilogue_kind kind, const elem *x,
    const elem *weight, const elem *bias, const real *mean, const real *scale, int64_t rows, int64_t channels,
    int64_t groups, int64_t places)
{
	LAUNCH_ROWS(normalize_planes_kernel, rows,
	    (dx, onto, work, dy, kind, x, weight, bias, mean, scale, rows, channels, groups, places));
}

/* ---- a weight for each element ---- */

#define ROW_BLOCK	64	/* rows whose terms are added up as reals, and their sums as doubles */

/* Makes a row of dx, and adds what it has to the sums of dy h and of dy. */
FOR_KIND void
row_take(enum epilogue_kind kind, elem *dx, real keep, real *dot, real *sum, const elem *dy, const elem *x,
    const elem *weight, const elem *bias, const struct row_slope s, int64_t n)
{
	ALONG_EACH (j, n) {
		real d = VALUE(x[j]) - s.mean, h = d * s.times;
		real g = row_passed(kind, VALUE(dy[j]), d, &s, weight, bias, j);

		onto_store(&dx[j], s.scale * (g * VALUE(weight[j]) - s.level - h * s.slope), keep);
		dot[j] += g * h;
		sum[j] += g;
	}
}

static inline void
row_empty(double *to, real *from, int64_t n)
{
	ALONG_EACH (j, n) {
		to[j] += from[j];
		from[j] = 0;
	}
}

/* Row I, one of DY and X. */
FOR_KIND void
rows_take(enum epilogue_kind kind, elem *dx, real keep, real *some, const elem *dy, const elem *x, const elem *weight,
    const elem *bias, const real *mean, const real *scale, int64_t i, int by, double eps, int64_t n)
{
	struct row_slope s = row_slope_of(kind, dy, x, weight, bias, mean, scale, i, by, eps, n);

	if (kind != NO_EPILOGUE && bias)	/* loops without a question in them */
		row_take(kind, dx, keep, some, some + n, dy, x, weight, bias, s, n);
	else if (keep != 0)
		row_take(kind, dx, keep, some, some + n, dy, x, weight, NULL, s, n);
	else
		row_take(kind, dx, 0, some, some + n, dy, x, weight, NULL, s, n);
}

/* WORK has 2 N sums for each of PARTS parts: of dy h, and of dy; and behind them, as reals, those
 * of the rows that were taken last. */
KERNEL(normalize_rows_kernel, (elem *dx, struct onto onto, double *work, const elem *dy, enum epilogue_kind kind,
    const elem *x, const elem *weight, const elem *bias, const real *mean, const real *scale, int by, double eps,
    int64_t rows, int64_t n, int64_t parts))
{
	real keep = onto_keep(onto);

	ROWS (p, parts) {
		int64_t from = PART_FROM(rows, p, parts), end = PART_FROM(rows, p + 1, parts);
		double *sums = work + ROW_SUMS * n * p;
		real *some = (real *)(sums + 2 * n);

		memset(sums, 0, (size_t)(ROW_SUMS * n) * sizeof(*sums));
		for (int64_t i = from; i < end; i++) {
#define TAKEN(kind_, function, reads, known)							\
	case kind_:										\
		rows_take(kind_, dx + i * n, keep, some, dy + i * n, x + i * n, weight, bias, mean, scale, i, by, eps, n);	\
		break;
			EPILOGUE_CASES_ALL(kind, TAKEN)
#undef TAKEN
			if ((i - from) % ROW_BLOCK == ROW_BLOCK - 1 || i + 1 == end)
				row_empty(sums, some, 2 * n);
		}
	}
}

KERNEL(normalize_total_kernel, (elem *dweight, elem *dbias, const double *work, int64_t n,
    int64_t parts))
{
	EACH (j, n) {
		double dot = 0, sum = 0;

		for (int64_t p = 0; p < parts; p++) {
			dot += work[ROW_SUMS * n * p + j];
			sum += work[ROW_SUMS * n * p + n + j];
		}
		if (dweight)
			dweight[j] = ELEM((real)dot);
		if (dbias)
			dbias[j] = ELEM((real)sum);
	}
}

/* Of WIDTH weights, the gradients from all rows: sums of dy h, and of dy. */
FOR_KIND void
columns_take(enum epilogue_kind kind, double *dot, double *sum, const elem *dy, const elem *x, const elem *weight,
    const elem *bias, const real *mean, const real *scale, int64_t rows, int64_t n, int64_t width)
{
	for (int64_t i = 0; i < rows; i++) {
		const elem *g = dy + i * n, *v = x + i * n;
		struct row_slope s = row_slope_begin(true, mean, scale, i);

		ALONG_EACH (j, width) {
			real d = VALUE(v[j]) - s.mean, p = row_passed(kind, VALUE(g[j]), d, &s, weight, bias, j);

			dot[j] += p * (d * s.times);
			sum[j] += p;
		}
	}
}

/* Where a row is too long for sums of its own in each part, or nothing else is wanted of it. */
KERNEL(normalize_columns_kernel, (elem *dweight, elem *dbias, const elem *dy, enum epilogue_kind kind, const elem *x,
    const elem *weight, const elem *bias, const real *mean, const real *scale, int64_t rows, int64_t n))
{
	ROWS (strip, (n + STRIP - 1) / STRIP) {
		int64_t at = strip * STRIP, width = n - at < STRIP ? n - at : STRIP;
		double dot[STRIP] = { 0 }, sum[STRIP] = { 0 };

#define TAKEN(kind_, function, reads, known)							\
	case kind_:										\
		columns_take(kind_, dot, sum, dy + at, x + at, weight + at, bias ? bias + at : NULL, mean, scale, rows, n,	\
		    width);									\
		break;
		EPILOGUE_CASES_ALL(kind, TAKEN)
#undef TAKEN
		for (int64_t j = 0; j < width; j++) {
			if (dweight)
				dweight[at + j] = ELEM((real)dot[j]);
			if (dbias)
				dbias[at + j] = ELEM((real)sum[j]);
		}
	}
}

/* DX, and one of DWEIGHT and DBIAS, may be NULL, and BIAS. */
static void
rows_backward(elem *dx, elem *dweight, elem *dbias, struct onto onto, double *work, const elem *dy,
    enum epilogue_kind kind, const elem *x, const elem *weight, const elem *bias, const real *mean, const real *scale,
    int by, double eps, int64_t rows, int64_t n)
{
	int64_t parts = least(row_parts(n, false), (rows + ROW_BLOCK - 1) / ROW_BLOCK);

	if (parts && dx) {
		LAUNCH_ROWS(normalize_rows_kernel, parts,
		    (dx, onto, work, dy, kind, x, weight, bias, mean, scale, by, eps, rows, n, parts));
		LAUNCH(normalize_total_kernel, n, (dweight, dbias, work, n, parts));
		return;
	}
	LAUNCH_ROWS(normalize_columns_kernel, (n + STRIP - 1) / STRIP,
	    (dweight, dbias, dy, kind, x, weight, bias, mean, scale, rows, n));
	if (dx)
		LAUNCH_ROWS(normalize_dx_kernel, rows,
		    (dx, onto, dy, kind, x, weight, bias, mean, scale, by, eps, rows, n));
}

#endif
