/*
 * copy/take.cu - slices of x [outer, n, inner] by their indices along the middle axis (take), or
 * elements by an index each (gather), and the gradient of x. An index that is none, such as -1,
 * gives 0.
 *
 *     take_search     each element of dx looks through the indices for its own: for few of them
 *     take_columns    a thread goes along the indices with some columns i and adds dy[t, i] to dx[index[t], i]
 */
#ifndef STOWAGE_COPY_TAKE_CU
#define STOWAGE_COPY_TAKE_CU

#include "kernel.h"
#include "copy/embedding.cu"

struct take {
	int64_t samples, outer, n, t, inner;	/* y: [samples, outer, t, inner] */
	bool each;		/* the index lies as y, else as [samples, t] */
	bool shared;		/* one x for all samples */
	bool own;		/* each sample has its indices */
};

/* Where index T of row P of y lies, and of column I if each has its own. */
DEVICE int64_t
take_at(const struct take *k, int64_t p, int64_t t, int64_t i)
{
	int64_t sample = quotient(p, k->outer);

	if (!k->each)
		return (k->own ? sample * k->t : 0) + t;
	return ((k->own ? p : p - sample * k->outer) * k->t + t) * k->inner + i;
}

/* y[p, t, i] */
DEVICE elem
take_one(const elem *x, const int32_t *index, const struct take *k, int64_t p, int64_t t, int64_t i)
{
	int64_t at = index[take_at(k, p, t, i)], row = k->shared ? p - quotient(p, k->outer) * k->outer : p;

	return at < 0 || at >= k->n ? ELEM(0) : x[(row * k->n + at) * k->inner + i];
}

KERNEL(take_kernel, (elem *y, const elem *x, const int32_t *index, struct take k))
{
	EACH_PLACE (p, t, i, k.samples * k.outer, k.t, k.inner)
		y[(p * k.t + t) * k.inner + i] = take_one(x, index, &k, p, t, i);
}

static void
take_forward(elem *y, const elem *x, const int32_t *index, struct take k)
{
	LAUNCH(take_kernel, k.samples * k.outer * k.t * k.inner, (y, x, index, k));
}

/* ---- backward ---- */

KERNEL(take_search_kernel, (elem *dx, const elem *dy, const int32_t *index, struct onto o, struct take k))
{
	real keep = onto_keep(o);

	EACH_PLACE (p, at, i, k.samples * k.outer, k.n, k.inner) {
		real sum = 0;

		for (int64_t t = 0; t < k.t; t++)
			sum += index[take_at(&k, p, t, i)] == at ? VALUE(dy[(p * k.t + t) * k.inner + i]) : 0;
		onto_store(&dx[(p * k.n + at) * k.inner + i], sum, keep);
	}
}

static void
take_search(elem *dx, const elem *dy, const int32_t *index, struct onto o, struct take k)
{
	LAUNCH(take_search_kernel, k.samples * k.outer * k.n * k.inner, (dx, dy, index, o, k));
}

KERNEL(take_zero_kernel, (real *sum, int64_t n))
{
	EACH (i, n)
		sum[i] = 0;
}

/* SUM is dx itself where its elements are reals. */
KERNEL(take_columns_kernel, (real *sum, const elem *dy, const int32_t *index, struct take k))
{
	int64_t rows = (k.shared ? 1 : k.samples) * k.outer, strips = (k.inner + STRIP - 1) / STRIP;

	ROWS (r, rows * strips) {
		int64_t row = quotient(r, strips), from = (r - row * strips) * STRIP;
		int64_t n = k.inner - from < STRIP ? k.inner - from : STRIP;

		for (int64_t p = row; p < k.samples * k.outer; p += rows)
			for (int64_t t = 0; t < k.t; t++)
				ALONG_EACH (j, n) {
					int64_t i = from + j, at = index[take_at(&k, p, t, i)];

					if (at >= 0 && at < k.n)
						sum[(row * k.n + at) * k.inner + i] +=
						    VALUE(dy[(p * k.t + t) * k.inner + i]);
				}
	}
}

KERNEL(take_store_kernel, (elem *dx, const real *sum, struct onto o, int64_t n))
{
	real keep = onto_keep(o);

	EACH (i, n)
		onto_store(&dx[i], sum[i], keep);
}

static void
take_columns(elem *dx, const elem *dy, const int32_t *index, struct onto o, void *work, struct take k)
{
	int64_t rows = (k.shared ? 1 : k.samples) * k.outer, n = rows * k.n * k.inner;
	int64_t strips = (k.inner + STRIP - 1) / STRIP;
#if NARROW
	real *sum = (real *)work;

	LAUNCH(take_zero_kernel, n, (sum, n));
	LAUNCH_ROWS(take_columns_kernel, rows * strips, (sum, dy, index, k));
	LAUNCH(take_store_kernel, n, (dx, sum, o, n));
#else
	(void)work;
	LAUNCH(embedding_start_kernel, n, (dx, o, n));
	LAUNCH_ROWS(take_columns_kernel, rows * strips, (dx, dy, index, k));
#endif
}

#endif
