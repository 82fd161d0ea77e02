/*
 * product/dense_cublas.cu - products by cuBLASLt, with what it can do to them as it stores.
 */
#ifndef STOWAGE_PRODUCT_DENSE_CUBLAS_CU
#define STOWAGE_PRODUCT_DENSE_CUBLAS_CU

#include "host/choices_cuda.cu"

#ifdef USE_CUBLASLT

#define BY_CUBLASLT

/* All that cuBLASLt chooses an algorithm by. */
struct dense_key {
	struct dense_batch batch;
	bool turn_a, turn_b;
	bool step;		/* its factors are the device's */
	bool whole;		/* what it makes is not narrow, though its operands are */
	cublasLtEpilogue_t epilogue;
	uint32_t aligned;	/* bytes that addresses are a multiple of */
	int64_t m, n, k;
	size_t size;		/* of the workspace */
};

struct dense_places {		/* what a product reads and makes */
	real factor[2];		/* of the product, and of what lies there */
	const real *on_device;	/* in place of these; NULL: they count */
	void *c;
	const elem *a, *b, *beside;	/* the last NULL where there is none, */
	const void *saved;		/* and so is this: of elements, or of bits, which a product may make */
	void *work;
};

/* One kind of product as cuBLASLt has it, and the algorithm it chose: asked for once, before or in
 * the first step, since the choice takes longer than a small product. */
struct dense_plan {
	struct dense_key of;
	bool found;
	bool known;		/* to be the fastest: it is not to be measured */
	cublasLtMatmulDesc_t what;
	cublasLtMatrixLayout_t a, b, c;
	cublasLtMatmulAlgo_t algo;
	struct dense_places at;	/* of its first run; c NULL: it has not run */
};

#define DENSE_PLANS	256	/* more shapes than that take turns */
#define DENSE_PROPOSALS	8	/* algorithms that cuBLASLt is asked for */

static struct dense_plan dense_plans[DENSE_PLANS];
static int dense_plans_used;

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
#if NARROW
#define DENSE_TYPE	ELEM_CUBLAS
#else
#define DENSE_TYPE	DENSE_REAL
#endif

/* As cuBLASLt calls it, whose gelu is the one by tanh; CUBLASLT_EPILOGUE_DEFAULT: not at all. */
static cublasLtEpilogue_t
dense_epilogue(struct epilogue then)
{
	switch (epilogue_known(then)) {
	case OF_RELU:
		return CUBLASLT_EPILOGUE_RELU;
	case OF_GELU_TANH:
		return CUBLASLT_EPILOGUE_GELU;
	case OF_GELU_TANH_GRAD:
		return CUBLASLT_EPILOGUE_DGELU;
	default:
		return CUBLASLT_EPILOGUE_DEFAULT;
	}
}

/* The same after a bias. */
static cublasLtEpilogue_t
dense_biased(cublasLtEpilogue_t epilogue)
{
	return epilogue == CUBLASLT_EPILOGUE_RELU ? CUBLASLT_EPILOGUE_RELU_BIAS :
	    epilogue == CUBLASLT_EPILOGUE_RELU_AUX ? CUBLASLT_EPILOGUE_RELU_AUX_BIAS :
	    epilogue == CUBLASLT_EPILOGUE_GELU ? CUBLASLT_EPILOGUE_GELU_BIAS :
	    CUBLASLT_EPILOGUE_BIAS;
}

/* How far rows of N are apart in the matrix that it reads or makes beside, in elements, or of bits
 * in these; 0: there is none. */
static int64_t
dense_apart(cublasLtEpilogue_t epilogue, int64_t n)
{
	return epilogue == CUBLASLT_EPILOGUE_DGELU ? n :
	    epilogue == CUBLASLT_EPILOGUE_RELU_AUX || epilogue == CUBLASLT_EPILOGUE_RELU_AUX_BIAS ||
	    epilogue == CUBLASLT_EPILOGUE_DRELU ? 8 * GATED_ROW(n) : 0;
}

/* What a product reads or makes beside its operands and its result: each time anew. BIAS is the
 * bias, or where the gradient of one goes. */
static void
dense_point(struct dense_plan *p, const elem *bias, const void *saved)
{
	if (bias)
		CUBLAS(cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
		    &bias, sizeof(bias)));
	if (dense_apart(p->of.epilogue, p->of.n))
		CUBLAS(cublasLtMatmulDescSetAttribute(p->what,
		    CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &saved, sizeof(saved)));
}

/* What the addresses of a product's operands are a multiple of: fewer than the 256 bytes of a
 * tensor's where a product is of some of its rows. */
static uint32_t
dense_aligned(const void *c, const elem *a, const elem *b, struct dense_batch batch)
{
	uintptr_t steps = (uintptr_t)(batch.a | batch.b | batch.c) * sizeof(elem);
	uintptr_t all = (uintptr_t)c | (uintptr_t)a | (uintptr_t)b | steps | 256;

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

static void
dense_plan_batch(cublasLtMatrixLayout_t matrix, int64_t count, int64_t step)
{
	int32_t n = (int32_t)count;

	CUBLAS(cublasLtMatrixLayoutSetAttribute(matrix, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &n, sizeof(n)));
	CUBLAS(cublasLtMatrixLayoutSetAttribute(matrix, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step,
	    sizeof(step)));
}

/* What cuBLASLt proposes, the best first; how many there are. */
static int
dense_proposals(const struct dense_plan *p, cublasLtMatmulHeuristicResult_t proposed[DENSE_PROPOSALS], int most)
{
	cublasLtMatmulPreference_t wish;
	int found = 0;

	memset(proposed, 0, (size_t)most * sizeof(*proposed));
	CUBLAS(cublasLtMatmulPreferenceCreate(&wish));
	dense_wish(wish, p->of.size, p->of.aligned);
	if (cublasLtMatmulAlgoGetHeuristic(lt, p->what, p->b, p->a, p->c, p->c, wish, most, proposed, &found) !=
	    CUBLAS_STATUS_SUCCESS)
		found = 0;
	CUBLAS(cublasLtMatmulPreferenceDestroy(wish));
	return found;
}

#ifdef TUNES
/* Its question, and what an algorithm is called in an answer: cuBLASLt knows it by its bytes. */
static uint64_t
dense_question(const struct dense_key *of)
{
	int64_t type[] = { DENSE_TYPE, DENSE_REAL, DENSE_COMPUTE };

	return fnv_add(fnv_add(FNV_BEGIN, type, sizeof(type)), of, sizeof(*of));
}

static int64_t
dense_name(const cublasLtMatmulAlgo_t *algo)
{
	return (int64_t)(fnv_add(FNV_BEGIN, algo, sizeof(*algo)) >> 1);
}

/* Takes the algorithm that is known to be the fastest, if one is; false: none, or it is not
 * proposed. */
static bool
dense_take_kept(struct dense_plan *p)
{
	const struct choice *c = choice_find(&choices, CHOICE_PRODUCT, dense_question(&p->of));
	cublasLtMatmulHeuristicResult_t proposed[DENSE_PROPOSALS];
	int n = c ? dense_proposals(p, proposed, DENSE_PROPOSALS) : 0;

	for (int k = 0; k < n; k++)
		if (proposed[k].state == CUBLAS_STATUS_SUCCESS && dense_name(&proposed[k].algo) == c->number[0]) {
			p->algo = proposed[k].algo;
			return p->found = p->known = true;
		}
	return false;
}
#endif

/* cuBLASLt's matrices are in columns, so it is asked for the transpose, c' = op(b)' op(a)'. */
static void
dense_plan_make(struct dense_plan *p, const elem *bias, const void *saved)
{
	const struct dense_key *of = &p->of;
	cublasOperation_t first = of->turn_b ? CUBLAS_OP_T : CUBLAS_OP_N;
	cublasOperation_t second = of->turn_a ? CUBLAS_OP_T : CUBLAS_OP_N;
	cublasLtPointerMode_t there = CUBLASLT_POINTER_MODE_DEVICE;
	cublasLtMatmulHeuristicResult_t best;
	int64_t a_row = of->turn_a ? of->m : of->k, b_row = of->turn_b ? of->k : of->n;
	int64_t apart = dense_apart(of->epilogue, of->n);

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
	if (apart)
		CUBLAS(cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD,
		    &apart, sizeof(apart)));
	dense_point(p, bias, saved);
	CUBLAS(cublasLtMatrixLayoutCreate(&p->b, DENSE_TYPE, (uint64_t)b_row,
	    (uint64_t)(of->turn_b ? of->n : of->k), b_row));
	CUBLAS(cublasLtMatrixLayoutCreate(&p->a, DENSE_TYPE, (uint64_t)a_row,
	    (uint64_t)(of->turn_a ? of->k : of->m), a_row));
	CUBLAS(cublasLtMatrixLayoutCreate(&p->c, of->whole ? DENSE_REAL : DENSE_TYPE, (uint64_t)of->n,
	    (uint64_t)of->m, of->n));
	if (of->batch.count > 1) {
		dense_plan_batch(p->a, of->batch.count, of->batch.a);
		dense_plan_batch(p->b, of->batch.count, of->batch.b);
		dense_plan_batch(p->c, of->batch.count, of->batch.c);
	}
#ifdef TUNES
	if (dense_take_kept(p))
		return;
#endif
	p->found = dense_proposals(p, &best, 1) > 0 && best.state == CUBLAS_STATUS_SUCCESS;
	p->algo = best.algo;
}

static struct dense_plan *
dense_plan(struct dense_key of, const elem *bias, const void *saved)
{
	static int next;
	struct dense_plan *p;

	for (int i = 0; i < dense_plans_used; i++) {
		p = &dense_plans[i];
		if (memcmp(&p->of, &of, sizeof(of)) == 0)
			return p;
	}
	p = &dense_plans[next];
	next = (next + 1) % DENSE_PLANS;
	if (dense_plans_used == DENSE_PLANS) {
		CUBLAS(cublasLtMatrixLayoutDestroy(p->a));
		CUBLAS(cublasLtMatrixLayoutDestroy(p->b));
		CUBLAS(cublasLtMatrixLayoutDestroy(p->c));
		CUBLAS(cublasLtMatmulDescDestroy(p->what));
	} else {
		dense_plans_used++;
	}
	memset(p, 0, sizeof(*p));
	p->of = of;
	dense_plan_make(p, bias, saved);
	return p;
}

static cublasStatus_t
dense_start(struct dense_plan *p, const cublasLtMatmulAlgo_t *algo, const struct dense_places *at)
{
	const real *factor = at->on_device ? at->on_device : at->factor;

	dense_point(p, at->beside, at->saved);
	return cublasLtMatmul(lt, p->what, &factor[0], at->b, p->b, at->a, p->a, &factor[1], at->c, p->c, at->c, p->c,
	    algo, at->work, p->of.size, stream);
}

static void
dense_run(struct dense_plan *p, const struct dense_places *at)
{
	if (!p->at.c)
		p->at = *at;
	CUBLAS(dense_start(p, &p->algo, at));
}

/* Of a product of elements as they lie there, in that workspace. */
static struct dense_key
dense_key_of(cublasLtEpilogue_t epilogue, const void *c, const elem *a, bool turn_a, const elem *b, bool turn_b,
    struct dense_batch batch, int64_t m, int64_t n, int64_t k, size_t size)
{
	struct dense_key of;

	memset(&of, 0, sizeof(of));	/* padding too: keys are compared by their bytes */
	of.turn_a = turn_a, of.turn_b = turn_b;
	of.epilogue = epilogue;
	of.batch = batch;
	of.aligned = dense_aligned(c, a, b, batch);
	of.m = m, of.n = n, of.k = k, of.size = size;
	return of;
}

/* The factors of a product whose second depends on the step, which only the device knows. */
KERNEL(dense_factors_kernel, (real *factor, struct onto onto))
{
	EACH (i, 2)
		factor[i] = i ? onto_keep(onto) : 1;
}

/* False where cuBLASLt has no algorithm for such a product: then the tiles do it. SUMS are those of
 * the rows of op(a), where they are wanted; there is neither a bias nor an activation then. Nor are
 * there any of the three where what is made is not narrow, but its operands are. */
template <typename Made> static bool
dense_library(Made *c, elem *sums, const elem *a, bool turn_a, const elem *b, bool turn_b,
    const elem *bias, struct onto onto, struct epilogue then, struct dense_batch batch, int64_t m, int64_t n,
    int64_t k, void *work, size_t size)
{
	struct dense_places at = { { 1, onto.keep }, NULL, c, a, b, NULL, then.saved, work };
	bool apart = then.saved && batch.count > 1;	/* it is told of one matrix to read beside, not of many */
	cublasLtEpilogue_t own = sums ? CUBLASLT_EPILOGUE_BGRADB : apart ? CUBLASLT_EPILOGUE_DEFAULT : dense_epilogue(then);
	const elem *beside = sums ? sums : bias;
	struct dense_key of;
	struct dense_plan *p;

	if ((onto.step && size < DENSE_FACTORS) || batch.count > INT32_MAX)
		return false;
	if (onto.step)
		size -= DENSE_FACTORS;
	of = dense_key_of(bias ? dense_biased(own) : own, c, a, turn_a, b, turn_b, batch, m, n, k, size);
	of.step = onto.step != NULL, of.whole = sizeof(Made) > sizeof(elem);
	p = dense_plan(of, beside, then.saved);
	if (!p->found && own != CUBLASLT_EPILOGUE_DEFAULT) {
		own = CUBLASLT_EPILOGUE_DEFAULT;
		of.epilogue = bias ? CUBLASLT_EPILOGUE_BIAS : own;
		beside = bias;
		p = dense_plan(of, beside, NULL);
	}
	if (!p->found)
		return false;
	at.beside = beside;
	if (onto.step) {
		real *factors = (real *)((char *)work + size);

		LAUNCH(dense_factors_kernel, 2, (factors, onto));
		at.on_device = factors;
	}
	dense_run(p, &at);
	if (own == CUBLASLT_EPILOGUE_DEFAULT && sums)
		bias_rows_backward(sums, work, a, k, m);
	else if (own == CUBLASLT_EPILOGUE_DEFAULT && !of.whole)
		epilogue_apply((elem *)c, then, batch.count * m * n);
	return true;
}

#endif

#endif
