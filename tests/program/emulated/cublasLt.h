/*
 * As much of cuBLASLt as kernels/product/dense.cu asks for, on a host: matrices in columns, and
 * epilogues as NVIDIA documents them. What it would not do for a given type or shape is not known
 * here; whether it does anything with an epilogue at all is the test's choice (lt_refused).
 */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

typedef int cublasLtHandle_t;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_NOT_SUPPORTED };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum cublasLtPointerMode_t { CUBLASLT_POINTER_MODE_HOST, CUBLASLT_POINTER_MODE_DEVICE };
enum { CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_64F };
enum { CUDA_R_32F, CUDA_R_64F, CUDA_R_16BF };
enum cublasLtEpilogue_t {
	CUBLASLT_EPILOGUE_DEFAULT = 1, CUBLASLT_EPILOGUE_RELU = 2, CUBLASLT_EPILOGUE_BIAS = 4,
	CUBLASLT_EPILOGUE_RELU_BIAS = 6, CUBLASLT_EPILOGUE_GELU = 32, CUBLASLT_EPILOGUE_GELU_BIAS = 36,
	CUBLASLT_EPILOGUE_RELU_AUX = 130, CUBLASLT_EPILOGUE_RELU_AUX_BIAS = 134, CUBLASLT_EPILOGUE_DRELU = 136,
	CUBLASLT_EPILOGUE_DGELU = 192, CUBLASLT_EPILOGUE_BGRADA = 256, CUBLASLT_EPILOGUE_BGRADB = 512
};
enum {
	CUBLASLT_MATMUL_DESC_TRANSA, CUBLASLT_MATMUL_DESC_TRANSB, CUBLASLT_MATMUL_DESC_POINTER_MODE,
	CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
	CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, LT_FACTORS, LT_ATTRIBUTES
};
enum cublasLtMatmulPreferenceAttributes_t {
	CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
	CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
	CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
	LT_PREFERENCES
};
enum { CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE = 2, CUBLASLT_REDUCTION_SCHEME_MASK = 7 };

enum { CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET };

struct lt_matrix { int type; int64_t rows, cols, ld, count, step; };
struct cublasLtMatmulAlgo_t {
	size_t workspace;
	int epilogue;
	uint64_t aligned;	/* what it assumes of the operands' addresses */
};
struct cublasLtMatmulHeuristicResult_t {
	struct cublasLtMatmulAlgo_t algo;
	enum cublasStatus_t state;
};
typedef int64_t *cublasLtMatmulDesc_t;	/* by attribute */
typedef struct lt_matrix *cublasLtMatrixLayout_t;
typedef uint64_t *cublasLtMatmulPreference_t;	/* by attribute */

static int lt_refused;		/* an epilogue for which there is no algorithm */
static int lt_calls[1024];	/* products, by epilogue */
static bool lt_marks_zero;	/* relu's bits say that 0 passes, too; */
static bool lt_marks_last_first;	/* or the first of eight is the highest */

#define LT_WANT(what)	do {									\
	if (!(what)) {										\
		std::printf("cuBLASLt: not so: %s\n", #what);					\
		std::exit(1);									\
	}											\
} while (0)

static inline cublasStatus_t
cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *d, int, int factors)
{
	*d = (int64_t *)std::calloc(LT_ATTRIBUTES, sizeof(**d));
	(*d)[LT_FACTORS] = factors;
	(*d)[CUBLASLT_MATMUL_DESC_EPILOGUE] = CUBLASLT_EPILOGUE_DEFAULT;
	return CUBLAS_STATUS_SUCCESS;
}

static inline cublasStatus_t
cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t d)
{
	std::free(d);
	return CUBLAS_STATUS_SUCCESS;
}

static inline cublasStatus_t
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d, int what, const void *value, size_t n)
{
	LT_WANT(n <= sizeof(d[what]));
	std::memcpy(&d[what], value, n);
	return CUBLAS_STATUS_SUCCESS;
}

static inline cublasStatus_t
cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *m, int type, uint64_t rows, uint64_t cols, int64_t ld)
{
	*m = (struct lt_matrix *)std::malloc(sizeof(**m));
	(*m)->type = type, (*m)->rows = (int64_t)rows, (*m)->cols = (int64_t)cols, (*m)->ld = ld;
	(*m)->count = 1, (*m)->step = 0;
	LT_WANT(ld >= (*m)->rows);
	return CUBLAS_STATUS_SUCCESS;
}

static inline cublasStatus_t
cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t m, int what, const void *value, size_t n)
{
	LT_WANT(n == (what == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT ? sizeof(int32_t) : sizeof(int64_t)));
	if (what == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
		m->count = *(const int32_t *)value;
	else
		m->step = *(const int64_t *)value;
	return CUBLAS_STATUS_SUCCESS;
}

static inline cublasStatus_t
cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t m)
{
	std::free(m);
	return CUBLAS_STATUS_SUCCESS;
}

static inline cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *p)
{
	*p = (uint64_t *)std::calloc(LT_PREFERENCES, sizeof(**p));
	return CUBLAS_STATUS_SUCCESS;
}

static inline cublasStatus_t
cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t p, int what, const void *value,
    size_t n)
{
	LT_WANT(n <= sizeof(p[what]));
	std::memcpy(&p[what], value, n);
	return CUBLAS_STATUS_SUCCESS;
}

static inline cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t p)
{
	std::free(p);
	return CUBLAS_STATUS_SUCCESS;
}

/* The algorithm takes all the workspace there may be. */
static inline cublasStatus_t
cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t d, cublasLtMatrixLayout_t,
    cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
    cublasLtMatmulPreference_t p, int, struct cublasLtMatmulHeuristicResult_t *best, int *found)
{
	best->state = CUBLAS_STATUS_SUCCESS;
	best->algo.workspace = p[CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES];
	best->algo.aligned = p[CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES];
	best->algo.epilogue = (int)d[CUBLASLT_MATMUL_DESC_EPILOGUE];
	*found = best->algo.epilogue != lt_refused;
	return *found ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

static inline size_t
lt_bytes(int type)
{
	return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2;
}

static inline double
lt_value(const void *p, int type, int64_t i)
{
	uint32_t bits;
	float value;

	if (type == CUDA_R_64F)
		return ((const double *)p)[i];
	if (type == CUDA_R_32F)
		return ((const float *)p)[i];
	bits = (uint32_t)((const uint16_t *)p)[i] << 16;
	std::memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline void
lt_store(void *p, int type, int64_t i, double x)
{
	float value = (float)x;
	uint32_t bits;

	if (type == CUDA_R_64F)
		((double *)p)[i] = x;
	else if (type == CUDA_R_32F)
		((float *)p)[i] = value;
	else {
		std::memcpy(&bits, &value, sizeof(bits));
		((uint16_t *)p)[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
	}
}

static inline bool
lt_has_bits(int epilogue)
{
	return epilogue == CUBLASLT_EPILOGUE_RELU_AUX || epilogue == CUBLASLT_EPILOGUE_RELU_AUX_BIAS ||
	    epilogue == CUBLASLT_EPILOGUE_DRELU;
}

/* Of element I of column J, that is M long: its byte, and its bit of that. Columns begin at
 * multiples of 128 bits. */
static inline uint8_t *
lt_byte(const int64_t *d, int64_t i, int64_t j, int64_t m)
{
	uint8_t *bits = (uint8_t *)d[CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER];
	int64_t apart = d[CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD];

	LT_WANT(bits && (uintptr_t)bits % 16 == 0 && apart >= m && apart % 128 == 0);
	return bits + (i + j * apart) / 8;
}

static inline int
lt_bit(int64_t i)
{
	return 1 << (lt_marks_last_first ? 7 - i % 8 : i % 8);
}

/* d = alpha op(a) op(b) + beta c. Sums over the depth are those of op(a)'s rows or op(b)'s
 * columns. What lies beside is of the result's type. */
static inline cublasStatus_t
lt_matmul(const int64_t *d, double alpha, const void *a, const struct lt_matrix *la, const void *b,
    const struct lt_matrix *lb, double beta, const void *c, void *result, const struct lt_matrix *lc)
{
	bool ta = d[CUBLASLT_MATMUL_DESC_TRANSA] == CUBLAS_OP_T;
	bool tb = d[CUBLASLT_MATMUL_DESC_TRANSB] == CUBLAS_OP_T;
	int epilogue = (int)d[CUBLASLT_MATMUL_DESC_EPILOGUE];
	int64_t m = lc->rows, n = lc->cols, depth = ta ? la->rows : la->cols;
	void *beside = (void *)d[CUBLASLT_MATMUL_DESC_BIAS_POINTER];
	const void *saved = (const void *)d[CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER];

	LT_WANT((ta ? la->cols : la->rows) == m && (tb ? lb->rows : lb->cols) == n);
	LT_WANT((tb ? lb->cols : lb->rows) == depth);
	lt_calls[epilogue]++;
	for (int64_t j = 0; j < n; j++) {
		double of_b = 0;

		for (int64_t k = 0; k < depth; k++)
			of_b += lt_value(b, lb->type, tb ? j + k * lb->ld : k + j * lb->ld);
		if (epilogue == CUBLASLT_EPILOGUE_BGRADB)
			lt_store(beside, lc->type, j, of_b);
	}
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++) {
			double sum = 0, x;

			for (int64_t k = 0; k < depth; k++)
				sum += lt_value(a, la->type, ta ? k + i * la->ld : i + k * la->ld) *
				    lt_value(b, lb->type, tb ? j + k * lb->ld : k + j * lb->ld);
			sum = alpha * sum + (beta != 0 ? beta * lt_value(c, lc->type, i + j * lc->ld) : 0);
			if (epilogue == CUBLASLT_EPILOGUE_BIAS ||
			    epilogue == CUBLASLT_EPILOGUE_RELU_BIAS || epilogue == CUBLASLT_EPILOGUE_RELU_AUX_BIAS ||
			    epilogue == CUBLASLT_EPILOGUE_GELU_BIAS)
				sum += lt_value(beside, lc->type, i);
			if (epilogue == CUBLASLT_EPILOGUE_DRELU) {
				sum = *lt_byte(d, i, j, m) & lt_bit(i) ? sum : 0;
			} else if (lt_has_bits(epilogue)) {
				uint8_t *byte = lt_byte(d, i, j, m);
				bool passes = lt_marks_zero ? sum >= 0 : sum > 0;

				*byte = (uint8_t)(passes ? *byte | lt_bit(i) : *byte & ~lt_bit(i));
				sum = sum > 0 ? sum : 0;
			}
			if (epilogue == CUBLASLT_EPILOGUE_RELU || epilogue == CUBLASLT_EPILOGUE_RELU_BIAS)
				sum = sum > 0 ? sum : 0;
			if (epilogue == CUBLASLT_EPILOGUE_GELU || epilogue == CUBLASLT_EPILOGUE_GELU_BIAS)
				sum *= (1 + std::tanh(std::sqrt(2 / M_PI) *
				    (sum + 0.044715 * sum * sum * sum))) / 2;
			if (epilogue == CUBLASLT_EPILOGUE_DGELU) {
				double t, r = std::sqrt(2 / M_PI);

				x = lt_value(saved, lc->type, i + j * d[CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD]);
				t = std::tanh(r * (x + 0.044715 * x * x * x));
				sum *= ((1 + t) + x * (1 - t * t) * r * (1 + 3 * 0.044715 * x * x)) / 2;
			}
			lt_store(result, lc->type, i + j * lc->ld, sum);
		}
	return CUBLAS_STATUS_SUCCESS;
}

static inline const char *
lt_product(const void *p, const struct lt_matrix *m, int64_t z)
{
	return (const char *)p + z * m->step * (int64_t)lt_bytes(m->type);
}

/* The workspace is overwritten, as an algorithm may. Of 16 bits, sums may be stored in 32: by
 * themselves, since of which type what lies beside is then is not looked into here. */
static inline cublasStatus_t
cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t d, const void *alpha, const void *a,
    cublasLtMatrixLayout_t la, const void *b, cublasLtMatrixLayout_t lb, const void *beta, const void *c,
    cublasLtMatrixLayout_t, void *result, cublasLtMatrixLayout_t lc,
    const struct cublasLtMatmulAlgo_t *algo, void *work, size_t size, cudaStream_t)
{
	int factors = (int)d[LT_FACTORS];

	LT_WANT(algo->workspace <= size);
	LT_WANT(algo->epilogue == d[CUBLASLT_MATMUL_DESC_EPILOGUE]);
	LT_WANT(((uintptr_t)a | (uintptr_t)b | (uintptr_t)result) % algo->aligned == 0);
	LT_WANT(la->type == lb->type && (lc->type == la->type || (la->type == CUDA_R_16BF && lc->type == CUDA_R_32F &&
	    algo->epilogue == CUBLASLT_EPILOGUE_DEFAULT)));
	if (size)
		std::memset(work, 0xff, size);
	LT_WANT(la->count == lc->count && lb->count == lc->count);
	LT_WANT(!lt_has_bits(algo->epilogue) || lc->count == 1);	/* whose bits would be each others' */
	for (int64_t z = 0; z < lc->count; z++)
		lt_matmul(d, lt_value(alpha, factors, 0), lt_product(a, la, z), la, lt_product(b, lb, z), lb,
		    lt_value(beta, factors, 0), lt_product(c, lc, z), (void *)lt_product(result, lc, z), lc);
	return CUBLAS_STATUS_SUCCESS;
}
