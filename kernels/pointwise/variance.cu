/*
 * pointwise/variance.cu - variances, or with ROOT their square roots, over the groups of a span
 * that operand a does not run along, and the means that backward reads. Deviations are from the
 * mean itself, in a second sweep: a difference of squares would cancel.
 */
#include "pointwise/reduce.cu"

/* What is stored of SQUARES, a sum over FREEDOM and more of them. */
DEVICE elem
variance_of(double squares, double freedom, bool root)
{
	return ELEM((real)(root ? sqrt(squares / freedom) : squares / freedom));
}

KERNEL(variance_rows_kernel, (elem *out, real *mean, const elem *x, double freedom, bool root,
    struct groups s, int64_t outs))
{
	int64_t inner = s.n[GROUPS - 1], segments = groups_count(&s, false);

	ROWS (o, outs) {
		const elem *from = x + groups_place(&s, true, o, s.full);
		double sum = 0, squares = 0, middle;

		for (int64_t t = 0; t < segments; t++) {
			const elem *v = from + groups_place(&s, false, t, s.full);

			ALONG_ADD (j, inner, sum)
				sum += (double)VALUE(v[j]);
		}
		middle = ROW_SUM(sum) / (double)(segments * inner);
		for (int64_t t = 0; t < segments; t++) {
			const elem *v = from + groups_place(&s, false, t, s.full);

			ALONG_ADD (j, inner, squares) {
				double d = (double)VALUE(v[j]) - middle;

				squares += d * d;
			}
		}
		squares = ROW_SUM(squares);
		FIRST {
			out[o] = variance_of(squares, freedom, root);
			if (mean)
				mean[o] = (real)middle;
		}
	}
}

KERNEL(variance_columns_kernel, (elem *out, real *mean, const elem *x, double freedom, bool root,
    struct groups s, int64_t outs))
{
	int64_t inner = s.n[GROUPS - 1], chunks = (inner + STRIP - 1) / STRIP;
	int64_t segments = groups_count(&s, false);

	ROWS (r, outs / inner * chunks) {
		int64_t o = r / chunks, j0 = r % chunks * STRIP;
		int64_t count = inner - j0 < STRIP ? inner - j0 : STRIP;
		const elem *from = x + groups_place(&s, true, o, s.full) + j0;
		double middle[STRIP_LANES] = { 0 }, squares[STRIP_LANES] = { 0 };

		for (int64_t t = 0; t < segments; t++) {
			const elem *v = from + groups_place(&s, false, t, s.full);

			ALONG (j, count)
				middle[LANE(j)] += (double)VALUE(v[j]);
		}
		ALONG (j, count)
			middle[LANE(j)] /= (double)segments;
		for (int64_t t = 0; t < segments; t++) {
			const elem *v = from + groups_place(&s, false, t, s.full);

			ALONG (j, count) {
				double d = (double)VALUE(v[j]) - middle[LANE(j)];

				squares[LANE(j)] += d * d;
			}
		}
		ALONG (j, count) {
			out[o * inner + j0 + j] = variance_of(squares[LANE(j)], freedom, root);
			if (mean)
				mean[o * inner + j0 + j] = (real)middle[LANE(j)];
		}
	}
}

/* FREEDOM is what squares are divided by; MEAN may be NULL. */
static void
variance_forward(elem *out, real *mean, const elem *x, double freedom, bool root, struct axes of)
{
	struct groups s = groups_of(of);
	int64_t outs = groups_outs(s), inner = s.n[GROUPS - 1], chunks = (inner + STRIP - 1) / STRIP;

	if (s.a[GROUPS - 1])
		LAUNCH_ROWS(variance_columns_kernel, outs / inner * chunks,
		    (out, mean, x, freedom, root, s, outs));
	else
		LAUNCH_ROWS(variance_rows_kernel, outs, (out, mean, x, freedom, root, s, outs));
}
