/*
 * norm/normalize_cuda.cu - the gradients of normalisations on CUDA: those of weights, which run down the rows,
 * are summed before dx is made, which may lie where dy or x did.
 */
#ifndef STOWAGE_NORM_NORMALIZE_CUDA_CU
#define STOWAGE_NORM_NORMALIZE_CUDA_CU

#include "sweep/last_cuda.cu"

KERNEL(normalize_planes_kernel, (double *work, const elem *dy, const elem *x, const real *mean,
    const real *scale, int64_t planes, int64_t channels, int64_t places))
{
	ROWS (p, planes)
		plane_sums(work, dy, x, mean, scale, p, quotient(p, channels), places);
}

KERNEL(normalize_planes_dx_kernel, (elem *dx, struct onto onto, const double *work, const elem *dy,
    const elem *x, const elem *weight, const real *mean, const real *scale, int64_t rows,
    int64_t channels, int64_t groups, int64_t places))
{
	real keep = onto_keep(onto);

	ROWS (i, rows) {
		int64_t plane = i * channels, at = plane * places;

		plane_dx(dx + at, keep, work + 2 * plane, dy + at, x + at,
		    weight + i % groups * channels, mean, scale, i, channels, places);
	}
}

/* DX may be NULL. */
static void
planes_backward(elem *dx, struct onto onto, double *work, const elem *dy, const elem *x,
    const elem *weight, const real *mean, const real *scale, int64_t rows, int64_t channels,
    int64_t groups, int64_t places)
{
	LAUNCH_ROWS(normalize_planes_kernel, rows * channels,
	    (work, dy, x, mean, scale, rows * channels, channels, places));
	if (dx)
		LAUNCH_ROWS(normalize_planes_dx_kernel, rows,
		    (dx, onto, work, dy, x, weight, mean, scale, rows, channels, groups, places));
}

/* ---- a weight for each element ---- */

/* What a row adds to a thread's sums of dy and of dy h. */
template <int WIDTH> DEVICE void
row_add(real *sum, real *dot, const struct column_pack<WIDTH> &dy,
    const struct column_pack<WIDTH> &x, real mean, real scale)
{
#pragma unroll
	for (int j = 0; j < WIDTH; j++) {
		sum[j] += VALUE(dy.at[j]);
		dot[j] += VALUE(dy.at[j]) * ((VALUE(x.at[j]) - mean) * scale);
	}
}

template <int WIDTH> KERNEL(normalize_columns_kernel, (double *work, const elem *dy, const elem *x,
    const real *mean, const real *scale, int64_t rows, int64_t n, int64_t parts))
{
	__shared__ double each[2 * WIDTH][BLOCK];

	ROWS (r, column_strips(n, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, n, parts);
		double sum[2 * WIDTH] = { 0 };
		int64_t i = at.row, far = (COLUMN_DEPTH - 1) * at.step;

		while (i < at.end) {
			real s[WIDTH] = { 0 }, d[WIDTH] = { 0 };

			if (i + far < at.end) {
				struct column_rows<WIDTH> g, v;

				g.load(dy + at.c, i, at.step, n);
				v.load(x + at.c, i, at.step, n);
#pragma unroll
				for (int k = 0; k < COLUMN_DEPTH; k++, i += at.step)
					row_add<WIDTH>(s, d, g.at[k], v.at[k], mean ? mean[i] : 0, scale[i]);
			} else {
				row_add<WIDTH>(s, d, column_load<WIDTH>(dy + i * n + at.c),
				    column_load<WIDTH>(x + i * n + at.c), mean ? mean[i] : 0, scale[i]);
				i += at.step;
			}
#pragma unroll
			for (int j = 0; j < WIDTH; j++) {
				sum[2 * j] += s[j];
				sum[2 * j + 1] += d[j];
			}
		}
#pragma unroll
		for (int j = 0; j < 2 * WIDTH; j++)
			each[j][threadIdx.x] = sum[j];
		column_sums<WIDTH, 2>(work, each, at, n, parts);
	}
}

KERNEL(normalize_total_kernel, (elem *dweight, elem *dbias, const double *work, int64_t n,
    int64_t parts))
{
	EACH (j, n) {
		double sum = 0, dot = 0;

		for (int64_t p = 0; p < parts; p++) {
			sum += work[2 * (j * parts + p)];
			dot += work[2 * (j * parts + p) + 1];
		}
		if (dweight)
			dweight[j] = ELEM((real)dot);
		if (dbias)
			dbias[j] = ELEM((real)sum);
	}
}

/* DX, and one of DWEIGHT and DBIAS, may be NULL. */
static void
rows_backward(elem *dx, elem *dweight, elem *dbias, struct onto onto, double *work, const elem *dy,
    const elem *x, const elem *weight, const real *mean, const real *scale, int by, double eps,
    int64_t rows, int64_t n)
{
	int64_t parts = row_parts(n, true);

	LAUNCH_COLUMNS(normalize_columns_kernel, n, parts, (work, dy, x, mean, scale, rows, n, parts));
	LAUNCH(normalize_total_kernel, n, (dweight, dbias, (const double *)work, n, parts));
	if (dx)
		LAUNCH_ROWS(normalize_dx_kernel, rows,
		    (dx, onto, dy, x, weight, mean, scale, by, eps, rows, n));
}

#endif
