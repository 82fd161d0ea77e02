/*
 * norm/batchnorm_c.cu - the sums of batch normalisation in C, by layout.
 */
#ifndef STOWAGE_NORM_BATCHNORM_C_CU
#define STOWAGE_NORM_BATCHNORM_C_CU

#include "norm/batchnorm_first_c.cu"
#include "norm/batchnorm_last_c.cu"

#define LAUNCH_CHANNELS(name, channels, args)	LAUNCH(name, channels, args)
#define LAUNCH_SWEEP(name, rows, channels, ...)	LAUNCH(name, (rows) * (channels), (__VA_ARGS__))
#define LAUNCH_PLANES(name, b, channels, n, ...)	\
	LAUNCH_ROWS(name, (b) * (channels), (__VA_ARGS__, b, channels, n))

/* (Here no sums are KNOWN.) */
static void
bn_moments(double *work, const real *known, const elem *x, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	(void)known;
	LAUNCH_ROWS(bn_moments_kernel, channels * parts, (work, x, b, channels, n, parts));
}

static void
bn_dots(double *work, const elem *dy, enum epilogue_kind kind, const elem *x, const elem *weight, const elem *bias,
    const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	LAUNCH_ROWS(bn_dots_kernel, channels * parts,
	    (work, dy, kind, x, weight, bias, mean, invstd, b, channels, n, parts));
}

#endif
