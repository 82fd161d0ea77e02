/*
 * pool/maxpool_last.cu - maximum over windows of [b, h, w, channels].
 */
#ifndef STOWAGE_POOL_MAXPOOL_LAST_CU
#define STOWAGE_POOL_MAXPOOL_LAST_CU

#include "pool/window.cu"

#ifdef __CUDACC__
#include "pool/maxpool_last_cuda.cu"
#else
#include "pool/maxpool_last_c.cu"
#endif

static void
maxpool_last_forward(elem *out, uint8_t *small, int32_t *large, const elem *in, struct epilogue then,
    struct epilogue passed, int64_t b, int64_t channels, struct pool g)
{
	LAUNCH_MAXIMA(maxpool_last_kernel, b * g.oh, channels,
	    (out, small, large, in, pool_then_of(then, passed), b, channels, g));
}

static void
maxpool_last_backward(elem *dx, const elem *dy, const uint8_t *small, const int32_t *large,
    struct onto onto, int64_t b, int64_t channels, struct pool g)
{
	LAUNCH_MAXIMA(maxpool_last_grad_kernel, b * g.h, channels,
	    (dx, dy, small, large, onto, b, channels, g));
}

#endif
