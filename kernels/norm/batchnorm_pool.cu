/*
 * norm/batchnorm_pool.cu - on CUDA, channels last: batch normalisation and the maximum pooling
 * behind it, perhaps with a formula, in one sweep each way. What is normalised is made of x for
 * each window that it lies in, and what arrives at it for each of backward's two sweeps over x;
 * neither is ever in memory. Windows overlap by so little that what is read again comes from the
 * caches.
 *
 * All is done to elements by the functions of norm/batchnorm_last_cuda.cu and
 * pool/maxpool_last_cuda.cu, and sums have their order: what comes of it is what they make one
 * after the other, but that between them nothing is rounded to 16 bits.
 */
#ifndef STOWAGE_NORM_BATCHNORM_POOL_CU
#define STOWAGE_NORM_BATCHNORM_POOL_CU

#include "norm/batchnorm.cu"
#include "pool/maxpool.cu"

/* ---- forward ---- */

/* A thread goes over outputs, whose channels it knows. */
COLUMN_KERNEL(bn_pool_kernel, (elem *y, uint8_t *places, const elem *x, const elem *weight,
    const elem *bias, const real *mean, const real *invstd, struct pool_then then, int64_t rows, int64_t channels, struct pool g,
    int64_t parts))
{
	ROWS (r, column_strips(channels, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, channels, parts);
		struct bn_line<WIDTH> line;

		line.load(weight, bias, mean, invstd, at.c);
		for (int64_t i = at.row; i < at.end; i += at.step) {
			int64_t above = quotient(i, g.ow);

			pool_store_largest<WIDTH>(y, places, NULL, x, line, then, pool_outputs_of(above, g), i - above * g.ow,
			    at.c, i * channels + at.c, channels, g);
		}
	}
}

static void
bn_pool(elem *y, uint8_t *places, const elem *x, const elem *weight, const elem *bias, const real *mean,
    const real *invstd, struct pool_then then, int64_t b, int64_t channels, struct pool g)
{
	int64_t rows = b * g.oh * g.ow;

	LAUNCH_SWEEP(bn_pool_kernel, rows, channels, y, places, x, weight, bias, mean, invstd, then, rows, channels, g);
}

/* As batchnorm_forward() and maxpool_last_forward() have it: y is the pooling's, and so are the
 * PLACES of maxima, a byte each, which may be NULL. */
static void
batchnorm_pool_forward(elem *y, uint8_t *places, real *mean, real *invstd, real *running_mean,
    real *running_var, void *work, const elem *x, const elem *weight, const elem *bias, struct epilogue then,
    struct epilogue passed, double eps, double momentum, int64_t b, int64_t channels, struct pool g, int64_t parts)
{
	bn_statistics(&mean, &invstd, running_mean, running_var, work, NULL, x, eps, momentum, b * g.h * g.w, channels, 1,
	    parts);
	bn_pool(y, places, x, weight, bias, mean, invstd, pool_then_of(then, passed), b, channels, g);
}

/* With the running statistics; WORK holds a real for each channel. */
static void
batchnorm_pool_inference(elem *y, uint8_t *places, void *work, const elem *x, const elem *weight,
    const elem *bias, const real *running_mean, const real *running_var, struct epilogue then,
    struct epilogue passed, double eps, int64_t b,
    int64_t channels, struct pool g)
{
	LAUNCH(bn_invstd_kernel, channels, ((real *)work, running_var, eps, channels));
	bn_pool(y, places, x, weight, bias, running_mean, (const real *)work, pool_then_of(then, passed), b, channels, g);
}

/* ---- backward ---- */

/* Of the pooling's dy, what goes to the places where the maxima were. How many windows have a place
 * differs, so that one row's are on their way together, and more threads are. */
template <int WIDTH> struct bn_pooled {
	const elem *dy;
	const uint8_t *places;
	int64_t channels;
	struct pool g;

	static constexpr bool BY_VALUE = false, AHEAD = false;

	DEVICE_METHOD void
	fetch(int, int64_t, int64_t)
	{
	}

	DEVICE_METHOD void
	pass(real *passed, int, int64_t row, int64_t c, const struct bn_line<WIDTH> &, const struct column_pack<WIDTH> &)
	{
		int64_t above = quotient(row, g.w);

		pool_gather<WIDTH>(passed, dy, places, NULL, pool_inputs_of(above, g), row - above * g.w, c, channels, g);
	}
};

template <int WIDTH> DEVICE struct bn_pooled<WIDTH>
bn_pooled_of(const elem *dy, const uint8_t *places, int64_t channels, const struct pool &g)
{
	struct bn_pooled<WIDTH> from;

	from.dy = dy, from.places = places, from.channels = channels, from.g = g;
	return from;
}

COLUMN_KERNEL(bn_pool_dots_kernel, (double *work, const elem *dy, const uint8_t *places,
    const elem *x, const real *mean, int64_t rows, int64_t channels, struct pool g, int64_t parts))
{
	bn_dots_columns<WIDTH>(work, bn_pooled_of<WIDTH>(dy, places, channels, g), x, NULL, NULL, mean, NULL, rows,
	    channels, parts);
}

COLUMN_KERNEL(bn_pool_grad_kernel, (elem *dx, const elem *dy, const uint8_t *places,
    const elem *x, const elem *weight, const real *mean, const real *invstd, const double *sums, int64_t summed,
    int64_t rows, int64_t channels, struct pool g, int64_t parts))
{
	bn_grad_columns<WIDTH>(dx, bn_pooled_of<WIDTH>(dy, places, channels, g), x, weight, NULL, mean, invstd, sums,
	    summed, rows, channels, parts);
}

/* dx, dweight and dbias may each be NULL; dx may be x. */
static void
batchnorm_pool_backward(elem *dx, elem *dweight, elem *dbias, void *work, const elem *dy, const uint8_t *places,
    const elem *x, const elem *weight, const real *mean, const real *invstd, int64_t b,
    int64_t channels, struct pool g, int64_t parts)
{
	int64_t rows = b * g.h * g.w;
	double *sums = (double *)work;

	LAUNCH_COLUMNS(bn_pool_dots_kernel, channels, parts, (sums, dy, places, x, mean, rows, channels, g, parts));
	LAUNCH_CHANNELS(bn_gradients_kernel, channels, (dweight, dbias, sums, invstd, 0, rows, channels, 1, parts));
	if (dx)
		LAUNCH_SWEEP(bn_pool_grad_kernel, rows, channels, dx, dy, places, x, weight, mean, invstd, sums, parts,
		    rows, channels, g);
}

#endif
