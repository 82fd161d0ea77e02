/*
 * norm/batchnorm_cuda.cu - the sums of batch normalisation on CUDA, by layout.
 */
#ifndef STOWAGE_NORM_BATCHNORM_CUDA_CU
#define STOWAGE_NORM_BATCHNORM_CUDA_CU

#include "norm/batchnorm_first_cuda.cu"
#include "norm/batchnorm_last_cuda.cu"

#define ADDS_UP_CHANNELS	/* bn_moments(): tune() measures it */
#define LAUNCH_CHANNELS(name, channels, args)	LAUNCH_ROWS(name, channels, args)

/* Of channels whose sums are KNOWN nothing need be there. */
static void
bn_moments(double *work, const real *known, const elem *x, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	if (n == 1) {
		LAUNCH_COLUMNS(bn_moments_columns_kernel, channels, parts,
		    (work, known, x, b, channels, parts));
		return;
	}
	LAUNCH_PLANE_SUMS(bn_moments_planes_kernel, channels, n, parts, work, x, b, channels, parts);
}

static void
bn_dots(double *work, const elem *dy, enum epilogue_kind kind, const elem *x, const elem *weight, const elem *bias,
    const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	if (n == 1)
		LAUNCH_COLUMNS(bn_dots_columns_kernel, channels, parts,
		    (work, dy, kind, x, weight, bias, mean, invstd, b, channels, parts));
	else
		LAUNCH_PLANE_SUMS(bn_dots_planes_kernel, channels, n, parts, work, dy, kind, x, weight, bias, mean,
		    invstd, b, channels, parts);
}

/* The sums of MADE, and that: see bn_dots_planes(). */
static void
bn_stored_dots(double *work, elem *made, const elem *dy, struct epilogue from, const elem *x, const real *mean,
    int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	if (n == 1)
		LAUNCH_COLUMNS(bn_stored_dots_columns_kernel, channels, parts,
		    (work, made, dy, from, x, mean, b, channels, parts));
	else
		LAUNCH_PLANE_SUMS(bn_stored_dots_planes_kernel, channels, n, parts, work, made, dy, from, x, mean, b,
		    channels, parts);
}

#endif
