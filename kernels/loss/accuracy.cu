/*
 * loss/accuracy.cu - the share of samples that are told right.
 */
#ifndef STOWAGE_LOSS_ACCURACY_CU
#define STOWAGE_LOSS_ACCURACY_CU

#include "loss/labels.cu"
#include "loss/mean.cu"

/* A row is right when fewer than TOP others beat its label's logit; among equals the first
 * counts. */
DEVICE bool
is_right(const elem *in, int64_t at, int64_t k, int64_t inner, int64_t top)
{
	int64_t beaten = at >= 0 && at < k ? 0 : top;

	for (int64_t j = 0; beaten < top && j < k; j++)
		beaten += !(j < at ? VALUE(in[j * inner]) < VALUE(in[at * inner]) :
		    VALUE(in[j * inner]) <= VALUE(in[at * inner]));
	return beaten < top;
}

KERNEL(accuracy_kernel, (double *part, const elem *x, const int32_t *label, int64_t rows,
    int64_t k, int64_t inner, int64_t top))
{
	ROWS (p, LOSS_PARTS) {
		int64_t from = PART_FROM(rows, p, LOSS_PARTS);
		int64_t count = PART_FROM(rows, p + 1, LOSS_PARTS) - from;
		double right = 0;

		ALONG (i, count) {
			int64_t r = from + i;

			right += is_right(x + r / inner * k * inner + r % inner, label[r], k, inner, top);
		}
		right = ROW_SUM(right);
		FIRST
			part[p] = right;
	}
}

static void
accuracy_forward(real *out, void *work, const elem *x, const int32_t *label, int64_t outer,
    int64_t k, int64_t inner, int64_t top)
{
	LAUNCH_ROWS(accuracy_kernel, LOSS_PARTS,
	    ((double *)work, x, label, outer * inner, k, inner, top));
	LAUNCH(mean_kernel, 1, (out, (const double *)work, outer * inner));
}

/* The same of the labels that count. */
KERNEL(label_accuracy_kernel, (double *part, const elem *x, struct label_terms t, int64_t rows,
    int64_t k, int64_t inner, int64_t top))
{
	ROWS (p, LOSS_PARTS) {
		int64_t from = PART_FROM(rows, p, LOSS_PARTS);
		int64_t count = PART_FROM(rows, p + 1, LOSS_PARTS) - from;
		double right = 0;

		ALONG (i, count) {
			int64_t r = from + i;

			right += label_counts(t, r, k) &&
			    is_right(x + r / inner * k * inner + r % inner, t.label[r], k, inner, top);
		}
		right = ROW_SUM(right);
		FIRST
			part[p] = right;
	}
}

static void
label_accuracy_forward(real *out, void *work, const elem *x, struct label_terms t, int64_t outer,
    int64_t k, int64_t inner, int64_t top)
{
	LAUNCH_ROWS(label_accuracy_kernel, LOSS_PARTS,
	    ((double *)work, x, t, outer * inner, k, inner, top));
	LAUNCH(label_mean_kernel, 1, (out, (const double *)work, t, outer * inner));
}

KERNEL(sign_accuracy_kernel, (double *part, const elem *x, const elem *t, const uint8_t *u8,
    int64_t n))
{
	ROWS (p, LOSS_PARTS) {
		int64_t from = PART_FROM(n, p, LOSS_PARTS);
		int64_t count = PART_FROM(n, p + 1, LOSS_PARTS) - from;
		double right = 0;

		ALONG (j, count)
			right += (VALUE(x[from + j]) > 0) == (target_at(t, u8, from + j) > REAL(0.5));
		right = ROW_SUM(right);
		FIRST
			part[p] = right;
	}
}

static void
sign_accuracy_forward(real *out, void *work, const elem *x, const elem *t, const uint8_t *u8,
    int64_t n)
{
	LAUNCH_ROWS(sign_accuracy_kernel, LOSS_PARTS, ((double *)work, x, t, u8, n));
	LAUNCH(mean_kernel, 1, (out, (const double *)work, n));
}

#endif
