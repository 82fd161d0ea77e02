/*
 * norm/batchnorm_cuda.cu - the sums of batch normalisation on CUDA, by layout.
 */
#ifndef STOWAGE_NORM_BATCHNORM_CUDA_CU
#define STOWAGE_NORM_BATCHNORM_CUDA_CU

#include "norm/batchnorm_first_cuda.cu"
#include "norm/batchnorm_last_cuda.cu"

#define LAUNCH_CHANNELS(name, channels, args)	LAUNCH_ROWS(name, channels, args)

static void
bn_moments(double *work, const elem *x, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	if (n == 1) {
		LAUNCH_COLUMNS(bn_moments_columns_kernel, channels, parts,
		    (work, x, b, channels, parts));
		return;
	}
	LAUNCH_PLANE_SUMS(bn_moments_planes_kernel, channels, n, parts, work, x, b, channels, parts);
}

static void
bn_dots(double *work, const elem *dy, const elem *x, const elem *weight, const elem *bias,
    real top, const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	if (n == 1) {
		LAUNCH_COLUMNS(bn_dots_columns_kernel, channels, parts,
		    (work, dy, x, weight, bias, top, mean, invstd, b, channels, parts));
		return;
	}
	LAUNCH_PLANE_SUMS(bn_dots_planes_kernel, channels, n, parts, work, dy, x, weight, bias, top, mean,
	    invstd, b, channels, parts);
}

/* The sums of PASSED, and that: see bn_pass(). */
static void
bn_masked_dots(double *work, elem *passed, const elem *dy, const elem *y, const elem *x, real top, const real *mean,
    int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	if (n == 1)
		LAUNCH_COLUMNS(bn_masked_dots_columns_kernel, channels, parts,
		    (work, passed, dy, y, x, top, mean, b, channels, parts));
	else
		LAUNCH_PLANE_SUMS(bn_masked_dots_planes_kernel, channels, n, parts, work, passed, dy, y, x, top, mean, b,
		    channels, parts);
}

#endif
