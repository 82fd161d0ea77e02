/*
 * product/dense_cblas.cu - products by a CBLAS, one call for each of our threads.
 */
#ifndef STOWAGE_PRODUCT_DENSE_CBLAS_CU
#define STOWAGE_PRODUCT_DENSE_CBLAS_CU

#if defined(USE_CBLAS) && !NARROW

#include <cblas.h>

#ifdef USE_DOUBLE
#define cblas_gemm	cblas_dgemm
#else
#define cblas_gemm	cblas_sgemm
#endif

/* Strips of C, of rows or of columns, one a thread. */
static void
dense_product(elem *c, const elem *a, bool turn_a, const elem *b, bool turn_b, const elem *bias,
    struct onto onto, struct epilogue then, int64_t m, int64_t n, int64_t k, void *work,
    size_t size)
{
	int64_t all = team_size();

	(void)work;
	(void)size;
	SHARE (t, end, all, 1, all) {
		int64_t m0 = m >= n ? m * t / all : 0, m1 = m >= n ? m * end / all : m;
		int64_t n0 = m >= n ? 0 : n * t / all, n1 = m >= n ? n : n * end / all;

		for (int64_t i = m0; bias && i < m1; i++)
			memcpy(c + i * n + n0, bias + n0, (size_t)(n1 - n0) * sizeof(real));
		if (m0 < m1 && n0 < n1)
			cblas_gemm(CblasRowMajor, turn_a ? CblasTrans : CblasNoTrans,
			    turn_b ? CblasTrans : CblasNoTrans, (int)(m1 - m0), (int)(n1 - n0),
			    (int)k, 1, a + (turn_a ? m0 : m0 * k), (int)(turn_a ? m : k),
			    b + (turn_b ? n0 * k : n0), (int)(turn_b ? k : n),
			    bias ? 1 : onto_keep(onto),
			    c + m0 * n + n0, (int)n);
	}
	epilogue_apply(c, then, m * n);
}

#endif

#endif
