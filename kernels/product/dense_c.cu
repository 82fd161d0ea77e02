/*
 * product/dense_c.cu - dense layers in C: products of packed panels, or a CBLAS.
 */
#ifndef STOWAGE_PRODUCT_DENSE_C_CU
#define STOWAGE_PRODUCT_DENSE_C_CU

#include "product/gemm_c.cu"
#include "product/bias_c.cu"
#include "product/dense_cblas.cu"

#if !defined(USE_CBLAS) || NARROW

static void
product_run(const struct product *p, real *scratch)
{
	if (p->rows * p->cols * p->depth < WORTH_PRODUCT)
		ALONE
			product_share(p, scratch);
	else
		product_share(p, scratch);
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
	turn_rows(panel, TILE_COLS, p->b + j * p->b_col + k, p->b_col, cols, n);
	for (int i = 0; i < n && cols < TILE_COLS; i++)
		for (int q = cols; q < TILE_COLS; q++)
			panel[(int64_t)i * TILE_COLS + q] = 0;
}

/* Rows from which on it pays to pack the weights, so that what is made lies in rows. */
#define MANY_ROWS	128

/* c[m, n] = op(a) op(b), all in rows. With b turned and few rows, C is made by columns (c' = b a'):
 * see dense.cu. */
static void
dense_describe(struct product *p, struct dense_step *step, elem *c, const elem *a, bool turn_a, const elem *b,
    bool turn_b, int64_t m, int64_t n, int64_t k)
{
	bool swap = turn_b && (turn_a || m < MANY_ROWS || n < LANES);

	memset(p, 0, sizeof(*p));
	p->rows = swap ? n : m;
	p->cols = swap ? m : n;
	p->depth = k;
	p->a = swap ? b : a;
	p->a_row = turn_a && !swap ? 1 : k;
	p->b = swap ? a : b;
	p->b_row = swap ? m : n, p->b_col = k;
	p->c = c;
	p->c_row = swap ? 1 : n;
	p->bias_row = swap;
	p->shape = step;
	p->places = places_dense;
	p->pack = turn_b && !(swap && turn_a) ? pack_columns : pack_rows;
	p->columns = columns_dense;
	step->a_term = turn_a && !swap ? m : 1;
	step->c_col = swap ? n : 1;
}

/* The same, BIAS added to each row of c, and THEN done. */
static void
dense_product(elem *c, const elem *a, bool turn_a, const elem *b, bool turn_b, const elem *bias,
    struct onto onto, struct epilogue then, int64_t m, int64_t n, int64_t k, void *work,
    size_t size)
{
	struct dense_step step;
	struct product p;

	(void)size;
	dense_describe(&p, &step, c, a, turn_a, b, turn_b, m, n, k);
	p.keep = onto_keep(onto);
	p.bias = bias;
	p.then = then;
	product_run(&p, (real *)work);
}

#endif

#endif
