/*
 * product/dense_cuda.cu - dense layers on CUDA: cuBLASLt, or tiles.
 */
#ifndef STOWAGE_PRODUCT_DENSE_CUDA_CU
#define STOWAGE_PRODUCT_DENSE_CUDA_CU

#include "pointwise/epilogue.cu"
#include "product/gemm_cuda.cu"
#include "product/bias_cuda.cu"

/* So many products, whose operands and results are that far apart. */
struct dense_batch {
	int64_t count, a, b, c;
};

static inline struct dense_batch
dense_batch_of(int64_t count, int64_t a, int64_t b, int64_t c)
{
	struct dense_batch batch;

	batch.count = count, batch.a = a, batch.b = b, batch.c = c;
	return batch;
}

#define DENSE_ALONE	dense_batch_of(1, 0, 0, 0)

/* MADE: elements, or sums that these are added to. */
template <bool TURN_A, bool TURN_B, typename Made = elem> struct dense_job {
	static const bool A_ALONG_K = !TURN_A, B_ALONG_K = TURN_B, C_ALONG_ROWS = false;
	static const bool SUMS_A = TURN_A;
	bool a_packs, b_packs;
	typedef int64_t Row, Col;
	struct Term {
		int64_t a, b;
	};
	int64_t rows, cols, depth;
	struct dense_batch batch;
	const elem *left, *right, *bias;
	Made *target;
	elem *sums;
	struct onto onto;
	struct epilogue then;

	DEVICE_METHOD Term
	term(int, int64_t k) const
	{
		Term t;

		t.a = TURN_A ? k * rows : k;
		t.b = TURN_B ? k : k * cols;
		return t;
	}

	DEVICE_METHOD Row
	row(int z, int64_t m) const
	{
		return z * batch.a + (TURN_A ? m : m * depth);
	}

	DEVICE_METHOD Col
	col(int z, int64_t n) const
	{
		return z * batch.b + (TURN_B ? n * depth : n);
	}

	DEVICE_METHOD const elem *
	a(Row m, const Term &k) const
	{
		return &left[m + k.a];
	}

	DEVICE_METHOD const elem *
	b(const Term &k, Col n) const
	{
		return &right[k.b + n];
	}

	DEVICE_METHOD void
	store(int z, int, int64_t m, int64_t n, real value) const
	{
		int64_t at = z * batch.c + m * cols + n;

		value = bias ? value + VALUE(bias[n]) : value;
		onto_store(&target[at], epilogue_value(then, value, at), onto_keep(onto));
	}
};

#ifdef COOPERATIVE
LISTED(dense_job, gpu_product_kernel<GPU_SMALL, dense_job<false, false>>);
LISTED(dense_job, gpu_product_kernel<GPU_SMALL, dense_job<false, true>>);
LISTED(dense_job, gpu_product_kernel<GPU_SMALL, dense_job<true, false>>);
#endif

template <bool TURN_A, bool TURN_B, typename Made> static void
dense_tiles(Made *c, elem *sums, const elem *a, const elem *b, const elem *bias, struct onto onto,
    struct epilogue then, struct dense_batch batch, int64_t m, int64_t n, int64_t k)
{
	dense_job<TURN_A, TURN_B, Made> job;

	job.rows = m, job.cols = n, job.depth = k;
	job.left = a, job.right = b, job.bias = bias, job.target = c, job.sums = sums;
	job.onto = onto, job.then = then, job.batch = batch;
	job.a_packs = gpu_packs(a, TURN_A ? m : k) && batch.a % MAP_PACK == 0;
	job.b_packs = gpu_packs(b, TURN_B ? k : n) && batch.b % MAP_PACK == 0;
	gpu_product(job, (int)batch.count, 1);
}

#include "product/dense_cublas.cu"

/* c[m, n] = op(a) op(b), all in rows. BIAS, of n elements, is added to each row, and THEN is done;
 * there is neither where c is added to. */
static void
dense_product(elem *c, const elem *a, bool turn_a, const elem *b, bool turn_b, const elem *bias,
    struct onto onto, struct epilogue then, int64_t m, int64_t n, int64_t k, void *work,
    size_t size)
{
#ifdef USE_CUBLASLT
	if (dense_library(c, NULL, a, turn_a, b, turn_b, bias, onto, then, DENSE_ALONE, m, n, k, work,
	    size))
		return;
#endif
	(void)work;
	(void)size;
	if (turn_a)
		dense_tiles<true, false>(c, NULL, a, b, bias, onto, then, DENSE_ALONE, m, n, k);
	else if (turn_b)
		dense_tiles<false, true>(c, NULL, a, b, bias, onto, then, DENSE_ALONE, m, n, k);
	else
		dense_tiles<false, false>(c, NULL, a, b, bias, onto, then, DENSE_ALONE, m, n, k);
}

#endif
