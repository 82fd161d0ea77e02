/*
 * loss/cross_entropy.cu - cross-entropy of logits and labels, alone or with its gradient.
 */
#ifndef STOWAGE_LOSS_CROSS_ENTROPY_CU
#define STOWAGE_LOSS_CROSS_ENTROPY_CU

#include "loss/labels.cu"
#include "loss/mean.cu"
#include "pointwise/exp.cu"

/* ---- cross-entropy over [outer, k, inner]: a row is the k logits of one label ---- */

/* The logarithm of the sum of exponentials of one row, in each thread of it. */
DEVICE real
lse_of_row(const elem *in, int64_t k)
{
	real top = -INFINITY;
	double sum = 0;

	ALONG_MAX (j, k, top)
		top = VALUE(in[j]) > top ? VALUE(in[j]) : top;
	top = ROW_MAX(top);
	ALONG_ADD (j, k, sum)
		sum += exp_of(VALUE(in[j]) - top);
	return (real)(top + log(ROW_SUM(sum)));
}

KERNEL(lse_rows_kernel, (real *lse, const elem *x, int64_t rows, int64_t k))
{
	ROWS (r, rows) {
		real of = lse_of_row(x + r * k, k);

		FIRST
			lse[r] = of;
	}
}

#ifdef __CUDACC__
#define SHORT_ROW	64	/* logits that one thread adds up, where rows are many */

KERNEL(lse_short_kernel, (real *lse, const elem *x, int64_t rows, int64_t k))
{
	EACH (r, rows) {
		const elem *in = x + r * k;
		real top = VALUE(in[0]), sum = 0;

		for (int64_t j = 1; j < k; j++)
			top = VALUE(in[j]) > top ? VALUE(in[j]) : top;
		for (int64_t j = 0; j < k; j++)
			sum += exp_of(VALUE(in[j]) - top);
		lse[r] = top + R(log)(sum);
	}
}
#endif

/* Of WIDTH neighbouring labels, whose logits are INNER apart. */
DEVICE void
lse_of_strip(real *lse, const elem *x, int64_t k, int64_t inner, int64_t width)
{
	real top[STRIP_LANES], sum[STRIP_LANES] = { 0 };

	ALONG_EACH (j, width)
		top[LANE(j)] = VALUE(x[j]);
	for (int64_t c = 1; c < k; c++)
		ALONG_EACH (j, width) {
			real v = VALUE(x[c * inner + j]);

			top[LANE(j)] = v > top[LANE(j)] ? v : top[LANE(j)];
		}
	for (int64_t c = 0; c < k; c++)
		ALONG_EACH (j, width)
			sum[LANE(j)] += exp_of(VALUE(x[c * inner + j]) - top[LANE(j)]);
	ALONG (j, width)
		lse[j] = top[LANE(j)] + R(log)(sum[LANE(j)]);
}

KERNEL(lse_strips_kernel, (real *lse, const elem *x, int64_t outer, int64_t k, int64_t inner))
{
	int64_t strips = (inner + STRIP - 1) / STRIP;

	ROWS (r, outer * strips) {
		int64_t i = r % strips * STRIP, width = inner - i < STRIP ? inner - i : STRIP;

		lse_of_strip(lse + r / strips * inner + i, x + r / strips * k * inner + i, k,
		    inner, width);
	}
}

KERNEL(cross_entropy_kernel, (double *part, const real *lse, const elem *x, const int32_t *label,
    int64_t rows, int64_t k, int64_t inner))
{
	ROWS (p, LOSS_PARTS) {
		int64_t from = PART_FROM(rows, p, LOSS_PARTS);
		int64_t count = PART_FROM(rows, p + 1, LOSS_PARTS) - from;
		double sum = 0;

		ALONG (j, count) {
			int64_t r = from + j, at = label[r];

			if (at >= 0 && at < k)
				sum += (double)lse[r] -
				    (double)VALUE(x[(r / inner * k + at) * inner + r % inner]);
		}
		sum = ROW_SUM(sum);
		FIRST
			part[p] = sum;
	}
}

static void
lse_of_labels(real *lse, const elem *x, int64_t outer, int64_t k, int64_t inner)
{
	int64_t rows = outer * inner;

#ifdef __CUDACC__
	if (inner == 1 && k <= SHORT_ROW && rows > SHORT_ROW * BLOCK)
		LAUNCH(lse_short_kernel, rows, (lse, x, rows, k));
	else
#endif
	if (inner == 1)
		LAUNCH_ROWS(lse_rows_kernel, rows, (lse, x, rows, k));
	else
		LAUNCH_ROWS(lse_strips_kernel, outer * ((inner + STRIP - 1) / STRIP),
		    (lse, x, outer, k, inner));
	(void)rows;
}

static void
cross_entropy_forward(real *out, real *lse, void *work, const elem *x, const int32_t *label,
    int64_t outer, int64_t k, int64_t inner)
{
	int64_t rows = outer * inner;

	lse_of_labels(lse, x, outer, k, inner);
	LAUNCH_ROWS(cross_entropy_kernel, LOSS_PARTS,
	    ((double *)work, lse, x, label, rows, k, inner));
	LAUNCH(mean_kernel, 1, (out, (const double *)work, rows));
}

/* The same of labels that do not all count alike. */
static void
label_cross_entropy_forward(real *out, real *lse, void *work, const elem *x, struct label_terms t,
    int64_t outer, int64_t k, int64_t inner)
{
	int64_t rows = outer * inner;

	lse_of_labels(lse, x, outer, k, inner);
	LAUNCH_ROWS(label_losses_kernel, LOSS_PARTS, ((double *)work, lse, x, t, rows, k, inner));
	LAUNCH(label_mean_kernel, 1, (out, (const double *)work, t, rows));
}

KERNEL(cross_entropy_grad_kernel, (elem *dx, const real *dy, const elem *x, const int32_t *label,
    const real *lse, int64_t outer, int64_t k, int64_t inner))
{
	real share = *dy / (real)(outer * inner);

	EACH_PLACE (o, j, i, outer, k, inner) {
		int64_t at = (o * k + j) * inner + i, r = o * inner + i;
		bool counts = label[r] >= 0 && label[r] < k;
		real p = exp_of(VALUE(x[at]) - lse[r]) - (label[r] == j);

		dx[at] = ELEM(counts ? p * share : 0);
	}
}

/* DX may be X. */
static void
cross_entropy_backward(elem *dx, const real *dy, const elem *x, const int32_t *label,
    const real *lse, int64_t outer, int64_t k, int64_t inner)
{
	LAUNCH(cross_entropy_grad_kernel, outer * k * inner,
	    (dx, dy, x, label, lse, outer, k, inner));
}

/* ---- the same with the gradient of the logits, in one sweep: no logarithm is kept ---- */

/* A row of logits at a time, [rows, k]. */
KERNEL(cross_entropy_rows_kernel, (double *part, elem *dx, const real *scale, const struct step *s,
    const elem *x, const int32_t *label, int64_t rows, int64_t k))
{
	real share = seed_of(scale, s) / (real)rows;

	ROWS (p, LOSS_PARTS) {
		int64_t end = PART_FROM(rows, p + 1, LOSS_PARTS);
		double loss = 0;

		for (int64_t r = PART_FROM(rows, p, LOSS_PARTS); r < end; r++) {
			const elem *in = x + r * k;
			int64_t at = label[r];
			bool counts = at >= 0 && at < k;
			real hit = counts ? VALUE(in[at]) : 0, lse = lse_of_row(in, k);

			if (counts)
				loss += (double)lse - (double)hit;
			ALONG_EACH (j, k) {
				real d = exp_of(VALUE(in[j]) - lse) - (at == j);

				dx[r * k + j] = ELEM(counts ? d * share : 0);
			}
		}
		FIRST
			part[p] = loss;
	}
}

#ifdef __CUDACC__

/* A thread takes a label, [outer, k, inner]. Where there is one part, its sum is the mean's. */
KERNEL(cross_entropy_labels_kernel, (real *out, double *part, int64_t parts, elem *dx,
    const real *scale, const struct step *s, const elem *x, const int32_t *label, int64_t rows,
    int64_t k, int64_t inner))
{
	real share = seed_of(scale, s) / (real)rows;

	ROWS (p, parts) {
		int64_t from = PART_FROM(rows, p, parts);
		int64_t count = PART_FROM(rows, p + 1, parts) - from;
		double loss = 0;

		ALONG (j, count) {
			int64_t r = from + j, at = label[r], first = r / inner * k * inner + r % inner;
			const elem *in = x + first;
			elem *to = dx + first;
			bool counts = at >= 0 && at < k;
			real top = VALUE(in[0]), sum = 0, lse;

			for (int64_t c = 1; c < k; c++)
				top = VALUE(in[c * inner]) > top ? VALUE(in[c * inner]) : top;
			for (int64_t c = 0; c < k; c++)
				sum += exp_of(VALUE(in[c * inner]) - top);
			lse = top + R(log)(sum);
			if (counts)
				loss += (double)lse - (double)VALUE(in[at * inner]);
			for (int64_t c = 0; c < k; c++) {
				real d = exp_of(VALUE(in[c * inner]) - lse) - (at == c);

				to[c * inner] = ELEM(counts ? d * share : 0);
			}
		}
		loss = ROW_SUM(loss);
		FIRST {
			if (parts == 1)
				*out = (real)(loss / (double)rows);
			else
				part[p] = loss;
		}
	}
}

#else

/* A strip of neighbouring labels at a time, [outer, k, inner]. */
KERNEL(cross_entropy_strips_kernel, (double *part, elem *dx, const real *scale,
    const struct step *s, const elem *x, const int32_t *label, int64_t rows, int64_t k,
    int64_t inner))
{
	real share = seed_of(scale, s) / (real)rows;

	ROWS (p, LOSS_PARTS) {
		int64_t end = PART_FROM(rows, p + 1, LOSS_PARTS), width;
		double loss = 0;

		for (int64_t r = PART_FROM(rows, p, LOSS_PARTS); r < end; r += width) {
			int64_t left = inner - r % inner, at = r / inner * k * inner + r % inner;
			real lse[STRIP];

			width = left < end - r ? left : end - r;
			width = width < STRIP ? width : STRIP;
			lse_of_strip(lse, x + at, k, inner, width);
			for (int64_t j = 0; j < width; j++)
				if (label[r + j] >= 0 && label[r + j] < k)
					loss += (double)lse[j] -
					    (double)VALUE(x[at + label[r + j] * inner + j]);
			for (int64_t c = 0; c < k; c++)
				ALONG_EACH (j, width) {
					int64_t here = at + c * inner + j, l = label[r + j];
					real d = exp_of(VALUE(x[here]) - lse[j]) - (l == c);

					dx[here] = ELEM(l >= 0 && l < k ? d * share : 0);
				}
		}
		part[p] = loss;
	}
}

#endif

/* The mean loss of logits X, and their gradient, the loss's own being the seed. DX may be X. */
static void
cross_entropy_with_gradient(elem *dx, real *out, void *work, const real *scale,
    const struct step *s, const elem *x, const int32_t *label, int64_t outer, int64_t k,
    int64_t inner)
{
	int64_t rows = outer * inner;
	double *part = (double *)work;

#ifdef __CUDACC__
	bool few = k <= SHORT_ROW && rows * k <= SHORT_ROW * BLOCK;

	if (few || inner > 1 || (k <= SHORT_ROW && rows > SHORT_ROW * BLOCK)) {
		int64_t parts = few ? 1 : LOSS_PARTS;

		LAUNCH_ROWS(cross_entropy_labels_kernel, parts,
		    (out, part, parts, dx, scale, s, x, label, rows, k, inner));
		if (few)
			return;
	} else
#else
	if (inner > 1)
		LAUNCH_ROWS(cross_entropy_strips_kernel, LOSS_PARTS,
		    (part, dx, scale, s, x, label, rows, k, inner));
	else
#endif
		LAUNCH_ROWS(cross_entropy_rows_kernel, LOSS_PARTS,
		    (part, dx, scale, s, x, label, rows, k));
	LAUNCH(mean_kernel, 1, (out, (const double *)part, rows));
}

#endif
