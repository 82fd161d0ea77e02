/*
 * norm/normalize_c.cu - the gradients of normalisations in C, where a thread has a whole row: it makes dx while
 * the row is at hand, and sums what the row adds to the gradients of weights.
 */
#ifndef STOWAGE_NORM_NORMALIZE_C_CU
#define STOWAGE_NORM_NORMALIZE_C_CU

#include "kernel.h"

/* DX may be NULL. */
KERNEL(normalize_planes_kernel, (elem *dx, struct onto onto, double *work, const elem *dy,
    const elem *x, const elem *weight, const real *mean, const real *scale, int64_t rows,
    int64_t channels, int64_t groups, int64_t places))
{
	real keep = onto_keep(onto);

	ROWS (i, rows) {
		int64_t plane = i * channels, at = plane * places;

		for (int64_t c = 0; c < channels; c++)
			plane_sums(work, dy, x, mean, scale, plane + c, i, places);
		if (dx)
			plane_dx(dx + at, keep, work + 2 * plane, dy + at, x + at,
			    weight + i % groups * channels, mean, scale, i, channels, places);
	}
}

static void
planes_backward(elem *dx, struct onto onto, double *work, const elem *dy, const elem *x,
    const elem *weight, const real *mean, const real *scale, int64_t rows, int64_t channels,
    int64_t groups, int64_t places)
{
	LAUNCH_ROWS(normalize_planes_kernel, rows,
	    (dx, onto, work, dy, x, weight, mean, scale, rows, channels, groups, places));
}

/* ---- a weight for each element ---- */

#define ROW_BLOCK	64	/* rows whose terms are added up as reals, and their sums as doubles */

/* Makes a row of dx, and adds what it has to the sums of dy h and of dy. */
static inline void
row_take(elem *dx, real keep, real *dot, real *sum, const elem *dy, const elem *x,
    const elem *weight, const struct row_slope s, int64_t n)
{
	ALONG_EACH (j, n) {
		real g = VALUE(dy[j]), h = (VALUE(x[j]) - s.mean) * s.times;

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

/* WORK has 2 N sums for each of PARTS parts: of dy h, and of dy; and behind them, as reals, those of the
 * rows that were taken last. */
KERNEL(normalize_rows_kernel, (elem *dx, struct onto onto, double *work, const elem *dy,
    const elem *x, const elem *weight, const real *mean, const real *scale, int by, double eps,
    int64_t rows, int64_t n, int64_t parts))
{
	real keep = onto_keep(onto);

	ROWS (p, parts) {
		int64_t from = PART_FROM(rows, p, parts), end = PART_FROM(rows, p + 1, parts);
		double *sums = work + ROW_SUMS * n * p;
		real *some = (real *)(sums + 2 * n);

		memset(sums, 0, (size_t)(ROW_SUMS * n) * sizeof(*sums));
		for (int64_t i = from; i < end; i++) {
			const elem *g = dy + i * n, *v = x + i * n;
			struct row_slope s = row_slope_of(g, v, weight, mean, scale, i, by, eps, n);

			if (keep != 0)
				row_take(dx + i * n, keep, some, some + n, g, v, weight, s, n);
			else
				row_take(dx + i * n, 0, some, some + n, g, v, weight, s, n);
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

/* Where a row is too long for sums of its own in each part, or nothing else is wanted of it. */
KERNEL(normalize_columns_kernel, (elem *dweight, elem *dbias, const elem *dy, const elem *x,
    const real *mean, const real *scale, int64_t rows, int64_t n))
{
	ROWS (strip, (n + STRIP - 1) / STRIP) {
		int64_t at = strip * STRIP, width = n - at < STRIP ? n - at : STRIP;
		double dot[STRIP] = { 0 }, sum[STRIP] = { 0 };

		for (int64_t i = 0; i < rows; i++) {
			const elem *g = dy + i * n + at, *v = x + i * n + at;
			real m = mean ? mean[i] : 0, times = scale[i];

			ALONG_EACH (j, width) {
				dot[j] += VALUE(g[j]) * ((VALUE(v[j]) - m) * times);
				sum[j] += VALUE(g[j]);
			}
		}
		for (int64_t j = 0; j < width; j++) {
			if (dweight)
				dweight[at + j] = ELEM((real)dot[j]);
			if (dbias)
				dbias[at + j] = ELEM((real)sum[j]);
		}
	}
}

/* DX, and one of DWEIGHT and DBIAS, may be NULL. */
static void
rows_backward(elem *dx, elem *dweight, elem *dbias, struct onto onto, double *work, const elem *dy,
    const elem *x, const elem *weight, const real *mean, const real *scale, int by, double eps,
    int64_t rows, int64_t n)
{
	int64_t parts = least(row_parts(n, false), (rows + ROW_BLOCK - 1) / ROW_BLOCK);

	if (parts && dx) {
		LAUNCH_ROWS(normalize_rows_kernel, parts,
		    (dx, onto, work, dy, x, weight, mean, scale, by, eps, rows, n, parts));
		LAUNCH(normalize_total_kernel, n, (dweight, dbias, work, n, parts));
		return;
	}
	LAUNCH_ROWS(normalize_columns_kernel, (n + STRIP - 1) / STRIP,
	    (dweight, dbias, dy, x, mean, scale, rows, n));
	if (dx)
		LAUNCH_ROWS(normalize_dx_kernel, rows,
		    (dx, onto, dy, x, weight, mean, scale, by, eps, rows, n));
}

#endif
