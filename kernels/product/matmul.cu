/*
 * product/matmul.cu - products of many pairs of matrices: c[z] = op(a[z]) op(b[z]), all in rows.
 *
 * Z counts the axes before the last two. Along a run of them an operand goes along or stays where
 * it is; the innermost run is a batch of products at even distances, and the others are loops
 * around it. In C a product is a thread's where there are enough of them, and else all threads
 * share each. A formula of what is made is done as it is stored (pointwise/epilogue.cu).
 */
#ifndef STOWAGE_PRODUCT_MATMUL_CU
#define STOWAGE_PRODUCT_MATMUL_CU

#include "product/dense.cu"

#define MATMUL_RUNS	4

struct matmul {
	int64_t m, n, k;
	int turn_a, turn_b;	/* a is [k, m] and not [m, k]; b is [n, k] and not [k, n] */
	struct {
		int64_t n, a, b;	/* matrices, and from one to the next of a and of b */
	} run[MATMUL_RUNS];	/* outermost first; those without a number are one */
};

#ifdef __CUDACC__

template <bool TURN_A, bool TURN_B> static void
matmul_tiles(elem *c, const elem *a, const elem *b, struct onto onto, struct epilogue then,
    struct dense_batch batch, const struct matmul *s)
{
	int64_t most = (int64_t)1 << 20;	/* products are counted in 31 bits, and so are tiles */

	for (int64_t z = 0; z < batch.count; z += most) {
		struct dense_batch some = batch;

		some.count = batch.count - z < most ? batch.count - z : most;
		dense_tiles<TURN_A, TURN_B>(c + z * batch.c, NULL, a + z * batch.a, b + z * batch.b, NULL, onto,
		    epilogue_beyond(then, z * batch.c), some, s->m, s->n, s->k);
	}
}

static void
matmul_batch(elem *c, const elem *a, const elem *b, struct onto onto, struct epilogue then, int64_t count,
    int64_t a_step, int64_t b_step, const struct matmul *s, void *work, size_t size)
{
	struct dense_batch batch = dense_batch_of(count, a_step, b_step, s->m * s->n);

#ifdef USE_CUBLASLT
	if (dense_library(c, NULL, a, s->turn_a, b, s->turn_b, NULL, onto, then, batch, s->m, s->n, s->k, work,
	    size))
		return;
#endif
	(void)work;
	(void)size;
	if (s->turn_a && s->turn_b)
		matmul_tiles<true, true>(c, a, b, onto, then, batch, s);
	else if (s->turn_a)
		matmul_tiles<true, false>(c, a, b, onto, then, batch, s);
	else if (s->turn_b)
		matmul_tiles<false, true>(c, a, b, onto, then, batch, s);
	else
		matmul_tiles<false, false>(c, a, b, onto, then, batch, s);
}

#else

#if defined(USE_CBLAS) && !NARROW

static void
matmul_one(elem *c, const elem *a, const elem *b, real keep, struct epilogue then, const struct matmul *s, void *work)
{
	(void)work;
	cblas_gemm(CblasRowMajor, s->turn_a ? CblasTrans : CblasNoTrans, s->turn_b ? CblasTrans : CblasNoTrans,
	    (int)s->m, (int)s->n, (int)s->k, 1, a, (int)(s->turn_a ? s->m : s->k), b,
	    (int)(s->turn_b ? s->k : s->n), keep, c, (int)s->n);
	for (int64_t i = 0; then.kind != NO_EPILOGUE && i < s->m * s->n; i++)
		c[i] = epilogue_value(then, c[i], i);
}

#else

static void
matmul_one(elem *c, const elem *a, const elem *b, real keep, struct epilogue then, const struct matmul *s, void *work)
{
	struct dense_step step;
	struct product p;

	dense_describe(&p, &step, c, a, s->turn_a, b, s->turn_b, s->m, s->n, s->k);
	p.keep = keep;
	p.then = then;
	product_by_columns(&p, (real *)work + team_me() * product_scratch(p.depth, p.cols, NARROW), 0, p.cols);
}

#endif

KERNEL(matmul_kernel, (elem *c, const elem *a, const elem *b, struct onto onto, struct epilogue then, int64_t count,
    int64_t a_step, int64_t b_step, const struct matmul *s, void *work))
{
	real keep = onto_keep(onto);

	ROWS (z, count)
		matmul_one(c + z * s->m * s->n, a + z * a_step, b + z * b_step, keep, epilogue_beyond(then, z * s->m * s->n), s,
		    work);
}

static void
matmul_batch(elem *c, const elem *a, const elem *b, struct onto onto, struct epilogue then, int64_t count,
    int64_t a_step, int64_t b_step, const struct matmul *s, void *work, size_t size)
{
	if (count < team_size())
		for (int64_t z = 0; z < count; z++)
			dense_product(c + z * s->m * s->n, a + z * a_step, s->turn_a, b + z * b_step, s->turn_b, NULL,
			    onto, epilogue_beyond(then, z * s->m * s->n), s->m, s->n, s->k, work, size);
	else
		LAUNCH(matmul_kernel, count * s->m * s->n * s->k / 8, (c, a, b, onto, then, count, a_step, b_step, s,
		    work));
}

#endif

/* Products of the runs from R on. */
static void
matmul_runs(elem *c, const elem *a, const elem *b, struct onto onto, struct epilogue then, const struct matmul *s,
    int r, void *work, size_t size)
{
	int64_t below = s->m * s->n;

	if (r == MATMUL_RUNS - 1 || !s->run[r + 1].n) {
		matmul_batch(c, a, b, onto, then, s->run[r].n, s->run[r].a, s->run[r].b, s, work, size);
		return;
	}
	for (int q = r + 1; q < MATMUL_RUNS && s->run[q].n; q++)
		below *= s->run[q].n;
	for (int64_t z = 0; z < s->run[r].n; z++)
		matmul_runs(c + z * below, a + z * s->run[r].a, b + z * s->run[r].b, onto, epilogue_beyond(then, z * below), s,
		    r + 1, work, size);
}

static void
matmul_forward(elem *c, const elem *a, const elem *b, struct onto onto, struct epilogue then, void *work, int64_t size,
    struct matmul s)
{
	matmul_runs(c, a, b, onto, then, &s, 0, work, (size_t)size);
}

#endif
