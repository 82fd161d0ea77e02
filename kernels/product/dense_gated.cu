/*
 * product/dense_gated.cu - dense layers behind which a relu is of whose result backward reads
 * nothing but what passes: that is kept as bits, in place of the result.
 *
 *     row r    | u = 0 .. 7 | 8 .. 15 | ...  units | 0 |    a bit is 1 where y[r, u] passes
 *              GATED_ROW(units) bytes, a multiple of 16; the first of eight is the lowest bit
 *
 * cuBLASLt makes such bits as it stores y (RELU_AUX, with a bias RELU_AUX_BIAS), and applies them
 * to what it makes of dy (DRELU). To it rows of y are columns, of which each begins at a multiple
 * of 128 bits. Where it knows no way, and in tiles, relu is done as ever, and a sweep over y makes
 * the bits; a sweep over the gradient applies them. That also serves a gradient that no product
 * makes.
 *
 * The order of bits, and whether 0 itself passes, which backward here must not let, cuBLASLt's
 * manual does not say. So a program asks it when it starts, by a small product whose results are
 * -1, 0 and 1 (dense_gated_ask). Where any bit is another, it is not used for this.
 *
 * DRELU_BGRAD, which sums what passes besides, is not used: where the weights are trained, too,
 * their gradient reads what passes anyway, and sums it as it does (BGRADB).
 */
#ifndef STOWAGE_PRODUCT_DENSE_GATED_CU
#define STOWAGE_PRODUCT_DENSE_GATED_CU

#include "product/dense.cu"

/* Eight elements, which a byte is of. */
#ifdef __CUDACC__
struct alignas(16) gated_pack {
	elem at[8];
};
#endif

/* What of the N elements from Y on passes, at most 8; WHOLE: they are a pack. */
DEVICE uint8_t
gated_bits(const elem *y, int64_t n, bool whole)
{
	unsigned bits = 0;

#ifdef __CUDACC__
	if (whole) {
		struct gated_pack p = *(const struct gated_pack *)y;

#pragma unroll
		for (int j = 0; j < 8; j++)
			bits |= (unsigned)!(VALUE(p.at[j]) <= 0) << j;
		return (uint8_t)bits;
	}
#endif
	(void)whole;
	for (int j = 0; j < 8 && j < n; j++)
		bits |= (unsigned)!(VALUE(y[j]) <= 0) << j;
	return (uint8_t)bits;
}

/* Those of the N from DY on that pass; the others are 0. DX may be DY. */
DEVICE void
gated_pass(elem *dx, const elem *dy, unsigned bits, int64_t n, bool whole)
{
#ifdef __CUDACC__
	if (whole) {
		struct gated_pack p = *(const struct gated_pack *)dy;

#pragma unroll
		for (int j = 0; j < 8; j++)
			p.at[j] = bits >> j & 1 ? p.at[j] : ELEM((real)0);
		*(struct gated_pack *)dx = p;
		return;
	}
#endif
	(void)whole;
	for (int j = 0; j < 8 && j < n; j++)
		dx[j] = bits >> j & 1 ? dy[j] : ELEM((real)0);
}

KERNEL(dense_gated_mark_kernel, (uint8_t *bits, const elem *y, int64_t rows, int64_t units))
{
	bool whole = units % 8 == 0 && (uintptr_t)y % 16 == 0;

	SPREAD (r, j, rows, GATED_ROW(units))
		bits[r * GATED_ROW(units) + j] = gated_bits(y + r * units + 8 * j, units - 8 * j, whole && 8 * j < units);
}

KERNEL(dense_gated_pass_kernel, (elem *dx, const elem *dy, const uint8_t *bits, int64_t rows, int64_t units))
{
	bool whole = units % 8 == 0 && ((uintptr_t)dx | (uintptr_t)dy) % 16 == 0;

	SPREAD (r, j, rows, (units + 7) / 8) {
		int64_t at = r * units + 8 * j;

		gated_pass(dx + at, dy + at, bits[r * GATED_ROW(units) + j], units - 8 * j, whole);
	}
}

/* Of [rows, units]. */
static void
dense_gated_pass(elem *dx, const elem *dy, const uint8_t *bits, int64_t rows, int64_t units)
{
	LAUNCH(dense_gated_pass_kernel, rows * ((units + 7) / 8), (dx, dy, bits, rows, units));
}

#ifdef USE_CUBLASLT

#define GATES_PRODUCTS		/* device_open() asks */

static bool dense_gated_agrees;	/* cuBLASLt's bits are those that are read here */

static struct dense_plan *
dense_gated_plan(cublasLtEpilogue_t epilogue, const struct dense_places *at, bool turn_b, int64_t size, int64_t m,
    int64_t n, int64_t k)
{
	cublasLtEpilogue_t own = at->beside ? dense_biased(epilogue) : epilogue;

	return dense_plan(dense_key_of(own, at->c, at->a, false, at->b, turn_b, DENSE_ALONE, m, n, k, (size_t)size),
	    at->beside, at->saved);
}

/* False: it knows no way. */
static bool
dense_gated_library(cublasLtEpilogue_t epilogue, elem *c, const elem *a, const elem *b, bool turn_b, const elem *bias,
    const uint8_t *bits, void *work, int64_t size, int64_t m, int64_t n, int64_t k)
{
	struct dense_places at = { { 1, 0 }, NULL, c, a, b, bias, bits, work };
	struct dense_plan *p = dense_gated_agrees ? dense_gated_plan(epilogue, &at, turn_b, size, m, n, k) : NULL;

	if (!p || !p->found)
		return false;
	dense_run(p, &at);
	return true;
}

#define ASKED_ROWS	8
#define ASKED_UNITS	136	/* more than 128, so that rows are further apart than they are long */

/* -1, 0 or 1 */
static int
dense_gated_asked(int64_t r, int64_t u)
{
	return (int)((5 * u + 7 * r + u / 3) % 3) - 1;
}

/* Finds out whether it agrees, in ROOM, SIZE bytes of the device that hold nothing yet: x is 1 on
 * its diagonal, so that y is the transpose of w. */
static void
dense_gated_ask(unsigned char *room, int64_t size)
{
	static elem x[ASKED_ROWS * ASKED_ROWS], w[ASKED_UNITS * ASKED_ROWS];
	static uint8_t bits[ASKED_ROWS * GATED_ROW(ASKED_UNITS)];
	const int64_t page = 256, at_w = (sizeof(x) + page - 1) / page * page;
	const int64_t at_bits = at_w + (sizeof(w) + page - 1) / page * page;
	const int64_t at_y = at_bits + (sizeof(bits) + page - 1) / page * page;
	struct dense_places at = { { 1, 0 }, NULL, room + at_y, (const elem *)room, (const elem *)(room + at_w), NULL,
	    room + at_bits, NULL };
	struct dense_plan *p;

	if (at_y + (int64_t)(ASKED_ROWS * ASKED_UNITS * sizeof(elem)) > size)
		return;
	for (int r = 0; r < ASKED_ROWS; r++) {
		for (int k = 0; k < ASKED_ROWS; k++)
			x[r * ASKED_ROWS + k] = ELEM((real)(r == k));
		for (int u = 0; u < ASKED_UNITS; u++)
			w[u * ASKED_ROWS + r] = ELEM((real)dense_gated_asked(r, u));
	}
	CUDA(cudaMemcpyAsync(room, x, sizeof(x), cudaMemcpyHostToDevice, stream));
	CUDA(cudaMemcpyAsync(room + at_w, w, sizeof(w), cudaMemcpyHostToDevice, stream));
	p = dense_gated_plan(CUBLASLT_EPILOGUE_RELU_AUX, &at, true, 0, ASKED_ROWS, ASKED_UNITS, ASKED_ROWS);
	if (!p->found)
		return;
	p->known = true;	/* no step has it */
	CUBLAS(dense_start(p, &p->algo, &at));
	CUDA(cudaMemcpyAsync(bits, room + at_bits, sizeof(bits), cudaMemcpyDeviceToHost, stream));
	CUDA(cudaStreamSynchronize(stream));
	dense_gated_agrees = true;
	for (int r = 0; r < ASKED_ROWS; r++)
		for (int u = 0; u < ASKED_UNITS; u++)
			if ((bits[r * GATED_ROW(ASKED_UNITS) + u / 8] >> u % 8 & 1) != (dense_gated_asked(r, u) > 0))
				dense_gated_agrees = false;
}

#endif

/* THEN is relu. */
static void
dense_gated_forward(elem *y, uint8_t *bits, const elem *x, const elem *w, const elem *bias, struct epilogue then,
    void *work, int64_t size, int64_t rows, int64_t in, int64_t units)
{
#ifdef USE_CUBLASLT
	if (dense_gated_library(CUBLASLT_EPILOGUE_RELU_AUX, y, x, w, true, bias, bits, work, size,
	    rows, units, in))
		return;
#endif
	dense_forward(y, x, w, bias, then, work, size, rows, in, units);
	LAUNCH(dense_gated_mark_kernel, rows * GATED_ROW(units), (bits, y, rows, units));
}

/* What passes of dy w, [rows, in]. */
static void
dense_gated_backward_input(elem *dx, const elem *dy, const elem *w, const uint8_t *bits, void *work, int64_t size,
    int64_t rows, int64_t in, int64_t units)
{
#ifdef USE_CUBLASLT
	if (dense_gated_library(CUBLASLT_EPILOGUE_DRELU, dx, dy, w, false, NULL, bits, work, size,
	    rows, in, units))
		return;
#endif
	dense_backward_input(dx, dy, w, ANEW, AS_IS, work, size, rows, in, units);
	dense_gated_pass(dx, dx, bits, rows, in);
}

#endif
