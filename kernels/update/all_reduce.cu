/*
 * update/all_reduce.cu - what all ranks have, added up where it lies, while the step goes on.
 */
#ifndef STOWAGE_UPDATE_ALL_REDUCE_CU
#define STOWAGE_UPDATE_ALL_REDUCE_CU

#include "update/exchange.cu"

/* Begins the sum of N elements of so many bytes each, which may lie where what is added does. MORE:
 * another begins behind it. */
static void
all_reduce_begin(void *sum, const void *own, int64_t n, int bytes, bool more)
{
	struct ring_span s;

	s.at = 0, s.own = (const char *)own - (const char *)sum;
	s.piece = -1;
	s.n = n;
	ALONE
		exchange_begin(sum, (char *)sum, &s, 1, bytes, RING_ADDS | RING_SPREADS, more);
}

static void
all_reduce_end(const void *sum)
{
	ALONE
		exchange_end(sum);
}

/* Outside of a step: N numbers of so many bytes become the mean of what all ranks have. */
static void
all_reduce_average(void *x, int64_t n, int bytes)
{
#ifdef __CUDACC__
	exchange_average(x, n, bytes);
#else
	all_reduce_begin(x, x, n, bytes, false);
	all_reduce_end(x);
	for (int64_t i = 0; i < n; i++)
		if (bytes == 8)
			((double *)x)[i] /= ranks.size;
		else
			((float *)x)[i] /= (float)ranks.size;
#endif
}

#endif
