/*
 * pool/window.cu - the windows of pooling, and which of them cover a place.
 *
 * In C a thread takes whole rows or planes and the innermost loop runs along a row, so that it
 * vectorises; backward may then scatter, since a plane belongs to one thread. On CUDA a thread
 * takes one element, and backward gathers over the windows that cover it: no atomics, and the order
 * of every sum is fixed on both. Elements of 16 bits are gathered in C too, since what is added up
 * where it is stored would be rounded each time.
 *
 * Channels-last, neighbours are channels, which have nothing to do with each other: a thread takes
 * one of a place and walks over its window, on either target, and neighbouring threads read
 * neighbours. Backward gathers. So every sum has the order that it has channels-first on CUDA.
 */
#ifndef STOWAGE_POOL_WINDOW_CU
#define STOWAGE_POOL_WINDOW_CU

#include "kernel.h"

struct pool {
	int64_t h, w;		/* input: height, width */
	int64_t oh, ow;		/* output */
	int64_t kh, kw, sh, sw, ph, pw;	/* kernel, stride, padding */
};

#define POOL_NOWHERE	(-1)	/* the place of a maximum whose gradient nobody gets; 255 in a byte */

/* The outputs [from, to) whose windows cover input I along one axis. */
DEVICE void
pool_covering(int64_t i, int64_t kernel, int64_t stride, int64_t pad, int64_t outputs,
    int64_t *from, int64_t *to)
{
	int64_t first = i + pad - kernel + 1;

	*from = first <= 0 ? 0 : quotient(first + stride - 1, stride);
	*to = quotient(i + pad, stride) + 1;
	if (*to > outputs)
		*to = outputs;
}

#endif
