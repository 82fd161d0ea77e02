/*
 * product/dense.cu - y = x w' + bias over the last dimension: x [rows, in], w [units, in], y [rows,
 * units].
 *
 * In C, forward multiplies w by the transpose of x, so that the weights, the larger operand, are
 * read once and where they lie, whatever the number of rows. -DUSE_CBLAS gives the products to
 * a CBLAS, one call for each of our threads, but for elements of 16 bits, which it has not. On a
 * GPU, cuBLASLt does them (-DUSE_CUBLASLT), with the workspace the plan gives it; else, or where it
 * knows no way, the tiles of gemm_cuda.cu.
 *
 * An activation of y, or the gradient of the one that made x, is done as elements are stored
 * (epilogue.cu). cuBLASLt knows relu, gelu in its form with tanh, and that one's gradient; relu's
 * gradient it would take only from a mask of bits, which forward would have to keep beside y.
 * What it does not know is a pass over the result.
 *
 * The gradient of a bias, the sum of dy's rows, goes with the product that makes that of the
 * weights, dy' x, on a GPU: cuBLASLt has an epilogue for it (BGRADB, since to it dy is the second
 * operand), and so have the tiles. Where cuBLASLt knows no way with it, it does the product alone,
 * and bias.cu sums.
 */
#include "product/gemm_c.cu"
#include "product/gemm_cuda.cu"
#include "product/bias.cu"

#ifdef __CUDACC__

template <bool TURN_A, bool TURN_B> struct dense_job {
	static const bool A_ALONG_K = !TURN_A, B_ALONG_K = TURN_B, C_ALONG_ROWS = false;
	static const bool SUMS_A = TURN_A;
	bool a_packs, b_packs;
	typedef int64_t Row, Col;
	struct Term {
		int64_t a, b;
	};
	int64_t rows, cols, depth;
	const elem *left, *right, *bias;
	elem *target, *sums;
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
	row(int, int64_t m) const
	{
		return TURN_A ? m : m * depth;
	}

	DEVICE_METHOD Col
	col(int, int64_t n) const
	{
		return TURN_B ? n * depth : n;
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
	store(int, int, int64_t m, int64_t n, real value) const
	{
		int64_t at = m * cols + n;

		value = bias ? value + VALUE(bias[n]) : value;
		onto_store(&target[at], epilogue_value(then, value, at), onto_keep(onto));
	}
};

template <bool TURN_A, bool TURN_B> static void
dense_tiles(elem *c, elem *sums, const elem *a, const elem *b, const elem *bias, struct onto onto,
    struct epilogue then, int64_t m, int64_t n, int64_t k)
{
	dense_job<TURN_A, TURN_B> job;

	job.rows = m, job.cols = n, job.depth = k;
	job.left = a, job.right = b, job.bias = bias, job.target = c, job.sums = sums;
	job.onto = onto, job.then = then;
	job.a_packs = gpu_packs(a, TURN_A ? m : k), job.b_packs = gpu_packs(b, TURN_B ? k : n);
	gpu_product(job, 1, 1);
}

#ifdef USE_CUBLASLT

/* All that cuBLASLt chooses an algorithm by. */
struct dense_key {
	bool turn_a, turn_b;
	bool step;		/* its factors are the device's */
	cublasLtEpilogue_t epilogue;
	uint32_t aligned;	/* bytes that addresses are a multiple of */
	int64_t m, n, k;
	size_t size;		/* of the workspace */
};

/* One kind of product as cuBLASLt has it, and the algorithm it chose: asked for once, before or in
 * the first step, since the choice takes longer than a small product. */
struct dense_plan {
	struct dense_key of;
	bool found;
	cublasLtMatmulDesc_t what;
	cublasLtMatrixLayout_t a, b, c;
	cublasLtMatmulAlgo_t algo;
};

#define DENSE_PLANS	256	/* more shapes than that take turns */

/* DENSE_TYPE: of elements; DENSE_REAL: of what they are multiplied by. */
#ifdef USE_DOUBLE
#define DENSE_REAL	CUDA_R_64F
#define DENSE_COMPUTE	CUBLAS_COMPUTE_64F
#else
#define DENSE_REAL	CUDA_R_32F
#ifdef USE_TF32
#define DENSE_COMPUTE	CUBLAS_COMPUTE_32F_FAST_TF32
#else
#define DENSE_COMPUTE	CUBLAS_COMPUTE_32F
#endif
#endif
#if defined(USE_BF16)
#define DENSE_TYPE	CUDA_R_16BF
#elif defined(USE_F16)
#define DENSE_TYPE	CUDA_R_16F
#else
#define DENSE_TYPE	DENSE_REAL
#endif

/* As cuBLASLt calls it, whose gelu is the one by tanh; CUBLASLT_EPILOGUE_DEFAULT: not at all. */
static cublasLtEpilogue_t
dense_epilogue(struct epilogue then)
{
	return then.kind == RELU ? CUBLASLT_EPILOGUE_RELU :
	    then.kind == GELU_TANH ? CUBLASLT_EPILOGUE_GELU :
	    then.kind == GELU_TANH_GRAD ? CUBLASLT_EPILOGUE_DGELU : CUBLASLT_EPILOGUE_DEFAULT;
}

/* The same after a bias. */
static cublasLtEpilogue_t
dense_biased(cublasLtEpilogue_t epilogue)
{
	return epilogue == CUBLASLT_EPILOGUE_RELU ? CUBLASLT_EPILOGUE_RELU_BIAS :
	    epilogue == CUBLASLT_EPILOGUE_GELU ? CUBLASLT_EPILOGUE_GELU_BIAS :
	    CUBLASLT_EPILOGUE_BIAS;
}

/* What a product reads or makes beside its operands and its result: each time anew. BIAS is the
 * bias, or where the gradient of one goes. */
static void
dense_point(struct dense_plan *p, const elem *bias, const elem *saved)
{
	if (bias)
		CUBLAS(cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
		    &bias, sizeof(bias)));
	if (p->of.epilogue == CUBLASLT_EPILOGUE_DGELU)
		CUBLAS(cublasLtMatmulDescSetAttribute(p->what,
		    CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &saved, sizeof(saved)));
}

/* What the addresses of a product's operands are a multiple of: fewer than the 256 bytes of a
 * tensor's where a product is of some of its rows. */
static uint32_t
dense_aligned(const elem *c, const elem *a, const elem *b)
{
	uintptr_t all = (uintptr_t)c | (uintptr_t)a | (uintptr_t)b | 256;

	return (uint32_t)(all & -all);
}

/* What an algorithm may assume and do. Elements of 16 bits are rounded once, where they are stored:
 * the parts of a long sum are added up as they are computed. */
static void
dense_wish(cublasLtMatmulPreference_t wish, uint64_t limit, uint32_t aligned)
{
	static const cublasLtMatmulPreferenceAttributes_t operand[] = {
		CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
		CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
		CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
		CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES
	};
	uint32_t sums = NARROW ? CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE :
	    CUBLASLT_REDUCTION_SCHEME_MASK;

	CUBLAS(cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
	    &limit, sizeof(limit)));
	CUBLAS(cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
	    &sums, sizeof(sums)));
	for (int i = 0; i < 4; i++)
		CUBLAS(cublasLtMatmulPreferenceSetAttribute(wish, operand[i], &aligned,
		    sizeof(aligned)));
}

/* cuBLASLt's matrices are in columns, so it is asked for the transpose, c' = op(b)' op(a)'. */
static void
dense_plan_make(struct dense_plan *p, const elem *bias, const elem *saved)
{
	const struct dense_key *of = &p->of;
	cublasOperation_t first = of->turn_b ? CUBLAS_OP_T : CUBLAS_OP_N;
	cublasOperation_t second = of->turn_a ? CUBLAS_OP_T : CUBLAS_OP_N;
	cublasLtPointerMode_t there = CUBLASLT_POINTER_MODE_DEVICE;
	cublasLtMatmulPreference_t wish;
	cublasLtMatmulHeuristicResult_t best;
	int64_t a_row = of->turn_a ? of->m : of->k, b_row = of->turn_b ? of->k : of->n;
	int found = 0;

	CUBLAS(cublasLtMatmulDescCreate(&p->what, DENSE_COMPUTE, DENSE_REAL));
	CUBLAS(cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_TRANSA, &first,
	    sizeof(first)));
	CUBLAS(cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_TRANSB, &second,
	    sizeof(second)));
	if (of->step)
		CUBLAS(cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_POINTER_MODE,
		    &there, sizeof(there)));
	CUBLAS(cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_EPILOGUE, &of->epilogue,
	    sizeof(of->epilogue)));
	if (of->epilogue == CUBLASLT_EPILOGUE_DGELU)
		CUBLAS(cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD,
		    &of->n, sizeof(of->n)));
	dense_point(p, bias, saved);
	CUBLAS(cublasLtMatrixLayoutCreate(&p->b, DENSE_TYPE, (uint64_t)b_row,
	    (uint64_t)(of->turn_b ? of->n : of->k), b_row));
	CUBLAS(cublasLtMatrixLayoutCreate(&p->a, DENSE_TYPE, (uint64_t)a_row,
	    (uint64_t)(of->turn_a ? of->k : of->m), a_row));
	CUBLAS(cublasLtMatrixLayoutCreate(&p->c, DENSE_TYPE, (uint64_t)of->n, (uint64_t)of->m, of->n));
	CUBLAS(cublasLtMatmulPreferenceCreate(&wish));
	dense_wish(wish, of->size, of->aligned);
	p->found = cublasLtMatmulAlgoGetHeuristic(lt, p->what, p->b, p->a, p->c, p->c, wish, 1, &best,
	    &found) == CUBLAS_STATUS_SUCCESS && found && best.state == CUBLAS_STATUS_SUCCESS;
	p->algo = best.algo;
	CUBLAS(cublasLtMatmulPreferenceDestroy(wish));
}

static struct dense_plan *
dense_plan(struct dense_key of, const elem *bias, const elem *saved)
{
	static struct dense_plan plans[DENSE_PLANS];
	static int used, next;
	struct dense_plan *p;

	for (int i = 0; i < used; i++) {
		p = &plans[i];
		if (memcmp(&p->of, &of, sizeof(of)) == 0)
			return p;
	}
	p = &plans[next];
	next = (next + 1) % DENSE_PLANS;
	if (used == DENSE_PLANS) {
		CUBLAS(cublasLtMatrixLayoutDestroy(p->a));
		CUBLAS(cublasLtMatrixLayoutDestroy(p->b));
		CUBLAS(cublasLtMatrixLayoutDestroy(p->c));
		CUBLAS(cublasLtMatmulDescDestroy(p->what));
	} else {
		used++;
	}
	p->of = of;
	dense_plan_make(p, bias, saved);
	return p;
}

/* The factors of a product whose second depends on the step, which only the device knows. */
KERNEL(dense_factors_kernel, (real *factor, struct onto onto))
{
	EACH (i, 2)
		factor[i] = i ? onto_keep(onto) : 1;
}

/* False where cuBLASLt has no algorithm for such a product: then the tiles do it. SUMS are those of
 * the rows of op(a), where they are wanted; there is neither a bias nor an activation then. */
static bool
dense_library(elem *c, elem *sums, const elem *a, bool turn_a, const elem *b, bool turn_b,
    const elem *bias, struct onto onto, struct epilogue then, int64_t m, int64_t n, int64_t k,
    void *work, size_t size)
{
	real factor[2] = { 1, onto.keep }, *factors = factor;
	cublasLtEpilogue_t own = sums ? CUBLASLT_EPILOGUE_BGRADB : dense_epilogue(then);
	const elem *beside = sums ? sums : bias;
	struct dense_key of;
	struct dense_plan *p;

	if (onto.step && size < DENSE_FACTORS)
		return false;
	if (onto.step)
		size -= DENSE_FACTORS;
	memset(&of, 0, sizeof(of));	/* padding too: keys are compared by their bytes */
	of.turn_a = turn_a, of.turn_b = turn_b, of.step = onto.step != NULL;
	of.epilogue = bias ? dense_biased(own) : own;
	of.aligned = dense_aligned(c, a, b);
	of.m = m, of.n = n, of.k = k, of.size = size;
	p = dense_plan(of, beside, then.saved);
	if (!p->found && own != CUBLASLT_EPILOGUE_DEFAULT) {
		own = CUBLASLT_EPILOGUE_DEFAULT;
		of.epilogue = bias ? CUBLASLT_EPILOGUE_BIAS : own;
		beside = bias;
		p = dense_plan(of, beside, NULL);
	}
	if (!p->found)
		return false;
	if (onto.step) {
		factors = (real *)((char *)work + size);
		LAUNCH(dense_factors_kernel, 2, (factors, onto));
	}
	dense_point(p, beside, then.saved);
	CUBLAS(cublasLtMatmul(lt, p->what, &factors[0], b, p->b, a, p->a, &factors[1], c, p->c, c,
	    p->c, &p->algo, work, size, stream));
	if (own == CUBLASLT_EPILOGUE_DEFAULT && sums)
		bias_rows_backward(sums, work, a, k, m);
	else if (own == CUBLASLT_EPILOGUE_DEFAULT)
		epilogue_apply(c, then, m * n);
	return true;
}

#endif

/* c[m, n] = op(a) op(b), all in rows. BIAS, of n elements, is added to each row, and THEN is done;
 * there is neither where c is added to. */
static void
dense_product(elem *c, const elem *a, bool turn_a, const elem *b, bool turn_b, const elem *bias,
    struct onto onto, struct epilogue then, int64_t m, int64_t n, int64_t k, void *work,
    size_t size)
{
#ifdef USE_CUBLASLT
	if (dense_library(c, NULL, a, turn_a, b, turn_b, bias, onto, then, m, n, k, work, size))
		return;
#endif
	(void)work;
	(void)size;
	if (turn_a)
		dense_tiles<true, false>(c, NULL, a, b, bias, onto, then, m, n, k);
	else if (turn_b)
		dense_tiles<false, true>(c, NULL, a, b, bias, onto, then, m, n, k);
	else
		dense_tiles<false, false>(c, NULL, a, b, bias, onto, then, m, n, k);
}

#elif defined(USE_CBLAS) && !NARROW

#include <cblas.h>

#ifdef USE_DOUBLE
#define cblas_gemm	cblas_dgemm
#else
#define cblas_gemm	cblas_sgemm
#endif

/* Each thread makes a strip of C, of rows or of columns, with a call of its own. */
static void
dense_product(elem *c, const elem *a, bool turn_a, const elem *b, bool turn_b, const elem *bias,
    struct onto onto, struct epilogue then, int64_t m, int64_t n, int64_t k, void *work,
    size_t size)
{
	(void)work;
	(void)size;
	PRAGMA(omp parallel)
	{
		int64_t t = omp_get_thread_num(), all = omp_get_num_threads();
		int64_t m0 = m >= n ? m * t / all : 0, m1 = m >= n ? m * (t + 1) / all : m;
		int64_t n0 = m >= n ? 0 : n * t / all, n1 = m >= n ? n : n * (t + 1) / all;

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

#else

static void
product_run(const struct product *p, real *scratch)
{
	if (p->rows * p->cols * p->depth < WORTH_PRODUCT) {
		product_share(p, scratch, 0, 1);
		return;
	}
	PRAGMA(omp parallel)
	product_share(p, scratch, omp_get_thread_num(), omp_get_num_threads());
}

struct dense_step {
	int64_t a_term, c_col;
};

static void
places_dense(const struct product *p, struct place *at, int64_t k, int n)
{
	int64_t term = ((const struct dense_step *)p->shape)->a_term;

	for (int i = 0; i < n; i++)
		at[i].a = (k + i) * term;
}

static void
columns_dense(const struct product *p, int64_t *at, int64_t j, int n)
{
	int64_t col = ((const struct dense_step *)p->shape)->c_col;

	for (int i = 0; i < n; i++)
		at[i] = (j + i) * col;
}

/* B in rows: term k of column j is b[k * b_row + j]. */
static void
pack_rows(const struct product *p, real *panel, int64_t j, int cols, int64_t k, int n)
{
	const elem *b = p->b + k * p->b_row + j;

	for (int i = 0; i < n; i++, b += p->b_row, panel += TILE_COLS) {
#if !NARROW
		if (cols == TILE_COLS) {
			for (int v = 0; v < TILE_COLS; v += LANES)
				*(vec_at *)(panel + v) = *(const vec_at *)(b + v);
			continue;
		}
#endif
		for (int q = 0; q < TILE_COLS; q++)
			panel[q] = q < cols ? VALUE(b[q]) : 0;
	}
}

/* B in columns: term k of column j is b[j * b_col + k]. */
static void
pack_columns(const struct product *p, real *panel, int64_t j, int cols, int64_t k, int n)
{
	for (int q = 0; q < TILE_COLS; q++) {
		const elem *b = p->b + (j + least(q, cols - 1)) * p->b_col + k;

		for (int i = 0; i < n; i++)
			panel[(int64_t)i * TILE_COLS + q] = q < cols ? VALUE(b[i]) : 0;
	}
}

/* c[m, n] = op(a) op(b), all in rows, BIAS added to each row of c, and THEN done. With b turned, C
 * is made by columns (c' = b a'): see above. */
static void
dense_product(elem *c, const elem *a, bool turn_a, const elem *b, bool turn_b, const elem *bias,
    struct onto onto, struct epilogue then, int64_t m, int64_t n, int64_t k, void *work,
    size_t size)
{
	struct product p = { 0 };
	struct dense_step step = { .a_term = turn_a ? m : 1, .c_col = turn_b ? n : 1 };

	(void)size;
	p.rows = turn_b ? n : m;
	p.cols = turn_b ? m : n;
	p.depth = k;
	p.a = turn_b ? b : a;
	p.a_row = turn_a ? 1 : k;
	p.b = turn_b ? a : b;
	p.b_row = n, p.b_col = k;
	p.c = c;
	p.c_row = turn_b ? 1 : n;
	p.keep = onto_keep(onto);
	p.bias = bias;
	p.bias_row = 1;
	p.then = then;
	p.shape = &step;
	p.places = places_dense;
	p.pack = turn_b ? pack_columns : pack_rows;
	p.columns = columns_dense;
	product_run(&p, (real *)work);
}

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

static void
dense_backward_weight_bias(elem *dw, elem *db, const elem *dy, const elem *x, struct onto onto,
    void *work, int64_t size, int64_t rows, int64_t in, int64_t units)
{
#ifndef __CUDACC__
	dense_backward_weight(dw, dy, x, onto, work, size, rows, in, units);
	bias_rows_backward(db, work, dy, rows, units);
#else
#ifdef USE_CUBLASLT
	if (dense_library(dw, db, dy, true, x, false, NULL, onto, AS_IS, units, in, rows, work,
	    (size_t)size))
		return;
#endif
	(void)work;
	(void)size;
	dense_tiles<true, false>(dw, db, dy, x, NULL, onto, AS_IS, units, in, rows);
#endif
}
