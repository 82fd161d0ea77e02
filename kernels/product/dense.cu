/*
 * product/dense.cu - y = x w' + bias over the last dimension: x [rows, in], w [units, in], y [rows,
 * units].
 *
 * In C, forward with few rows multiplies w by the transpose of x, so that the weights, the larger
 * operand, are read once and where they lie; with many, it packs the weights, and stores in rows.
 * -DUSE_CBLAS gives the products to a CBLAS, one call for each of our threads, but for elements of
 * 16 bits, which it has not. On a GPU, cuBLASLt does them (-DUSE_CUBLASLT), with the workspace the
 * plan gives it; else, or where it knows no way, the tiles of gemm_cuda.cu.
 *
 * An activation of y, or the gradient of the one that made x, is done as elements are stored
 * (pointwise/epilogue.cu). cuBLASLt knows relu, gelu in its form with tanh, and that one's
 * gradient; relu's gradient (DRELU) it takes only from bits, which forward (RELU_AUX) makes. Where
 * backward reads nothing else of y, these are kept in its place (product/dense_gated.cu). Where a
 * product is next, its weights' gradient needs y itself, from which the gradient is found here
 * without bits: they would be more bytes, by one in 16 of y's in 16 bits. Behind a dropout what
 * that made is kept for them, and read in place of y (passes/relu_dropped.c). What cuBLASLt does
 * not know is a pass over the result: of relu's gradient, in all of specs/ at their batches, at
 * most 12.6 MB of the 36 GB that a step reads and writes (Mask R-CNN; 6.3 MB of AlexNet's 4 GB, 2.5
 * MB in five calls of DLRM's).
 *
 * The gradient of a bias, the sum of dy's rows, goes with the product that makes that of the
 * weights, dy' x, on a GPU: cuBLASLt has an epilogue for it (BGRADB, since to it dy is the second
 * operand), and so have the tiles. Where cuBLASLt knows no way with it, it does the product alone,
 * and bias.cu sums.
 */
#ifndef STOWAGE_PRODUCT_DENSE_CU
#define STOWAGE_PRODUCT_DENSE_CU

#ifdef __CUDACC__
#include "product/dense_cuda.cu"
#else
#include "product/dense_c.cu"
#endif

static void
dense_forward(elem *y, const elem *x, const elem *w, const elem *bias, struct epilogue then,
    void *work, int64_t size, int64_t rows, int64_t in, int64_t units)
{
	dense_product(y, x, false, w, true, bias, ANEW, then, rows, units, in, work, (size_t)size);
}

static void
dense_backward_input(elem *dx, const elem *dy, const elem *w, struct onto onto,
    struct epilogue then, void *work, int64_t size, int64_t rows, int64_t in, int64_t units)
{
	dense_product(dx, dy, false, w, false, NULL, onto, then, rows, in, units, work, (size_t)size);
}

static void
dense_backward_weight(elem *dw, const elem *dy, const elem *x, struct onto onto, void *work,
    int64_t size, int64_t rows, int64_t in, int64_t units)
{
	dense_product(dw, dy, true, x, false, NULL, onto, AS_IS, units, in, rows, work, (size_t)size);
}

#if NARROW && defined(COOPERATIVE)
LISTED(dense_backward_weight_real, gpu_product_kernel<GPU_SMALL, dense_job<true, false, real>>);
#endif

#if NARROW && defined(__CUDACC__)
/* The same, added to a sum of the gradients of micro-batches. */
static void
dense_backward_weight_real(real *dw, const elem *dy, const elem *x, struct onto onto, void *work, int64_t size,
    int64_t rows, int64_t in, int64_t units)
{
#ifdef USE_CUBLASLT
	if (dense_library(dw, NULL, dy, true, x, false, NULL, onto, AS_IS, DENSE_ALONE, units, in, rows, work,
	    (size_t)size))
		return;
#endif
	(void)work;
	(void)size;
	dense_tiles<true, false>(dw, NULL, dy, x, NULL, onto, AS_IS, DENSE_ALONE, units, in, rows);
}
#endif

static void
dense_backward_weight_bias(elem *dw, elem *db, const elem *dy, const elem *x, struct onto onto,
    void *work, int64_t size, int64_t rows, int64_t in, int64_t units)
{
#ifndef __CUDACC__
	dense_backward_weight(dw, dy, x, onto, work, size, rows, in, units);
	bias_rows_backward(db, work, dy, rows, units);
#else
#ifdef USE_CUBLASLT
	if (dense_library(dw, db, dy, true, x, false, NULL, onto, AS_IS, DENSE_ALONE, units, in, rows,
	    work, (size_t)size))
		return;
#endif
	(void)work;
	(void)size;
	dense_tiles<true, false>(dw, db, dy, x, NULL, onto, AS_IS, DENSE_ALONE, units, in, rows);
#endif
}

#endif
