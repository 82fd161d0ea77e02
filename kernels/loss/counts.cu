/*
 * loss/counts.cu - what metrics count that are no means: of each class, or of numbers. Counts are
 * f64 and add up over batches; the host makes the metric of them at the end (loss/metrics.cu).
 * Labels outside 0 .. k-1 do not count.
 */
#ifndef STOWAGE_LOSS_COUNTS_CU
#define STOWAGE_LOSS_COUNTS_CU

#include "loss/metrics.cu"
#include "loss/mean.cu"
#include "pointwise/exp.cu"

/* The class of each label's largest logit; among equals the first. */
KERNEL(counts_answers_kernel, (int32_t *answer, const elem *x, int64_t rows, int64_t k, int64_t inner))
{
	EACH (r, rows) {
		const elem *in = x + r / inner * k * inner + r % inner;
		int64_t best = 0;

		for (int64_t j = 1; j < k; j++)
			best = VALUE(in[j * inner]) > VALUE(in[best * inner]) ? j : best;
		answer[r] = (int32_t)best;
	}
}

/* How often each class is answered rightly, is answered, and is the label: k of each. */
KERNEL(counts_classes_kernel, (double *out, const int32_t *answer, const int32_t *label, int64_t rows, int64_t k))
{
	ROWS (c, k) {
		double right = 0, said = 0, there = 0;

		ALONG_ADD (r, rows, right, said, there) {
			bool counts = label[r] >= 0 && label[r] < k;

			right += answer[r] == c && label[r] == c;
			said += answer[r] == c && counts;
			there += label[r] == c;
		}
		right = ROW_SUM(right);
		said = ROW_SUM(said);
		there = ROW_SUM(there);
		FIRST {
			out[c] = right;
			out[k + c] = said;
			out[2 * k + c] = there;
		}
	}
}

static void
counts_classes(double *out, void *work, const elem *x, const int32_t *label, int64_t outer, int64_t k, int64_t inner)
{
	int64_t rows = outer * inner;

	LAUNCH(counts_answers_kernel, rows, ((int32_t *)work, x, rows, k, inner));
	LAUNCH_ROWS(counts_classes_kernel, k, (out, (const int32_t *)work, label, rows, k));
}

/* Row C of the table: how often label C was answered as each class. */
KERNEL(counts_table_kernel, (double *out, const int32_t *answer, const int32_t *label, int64_t rows, int64_t k))
{
	ROWS (c, k) {
		FIRST {
			for (int64_t j = 0; j < k; j++)
				out[c * k + j] = 0;
			for (int64_t r = 0; r < rows; r++)
				if (label[r] == c)
					out[c * k + answer[r]]++;
		}
	}
}

static void
counts_table(double *out, void *work, const elem *x, const int32_t *label, int64_t outer, int64_t k, int64_t inner)
{
	int64_t rows = outer * inner;

	LAUNCH(counts_answers_kernel, rows, ((int32_t *)work, x, rows, k, inner));
	LAUNCH_ROWS(counts_table_kernel, k, (out, (const int32_t *)work, label, rows, k));
}

/* Of numbers and their targets: how many, the sums of targets and of their squares, and of squared
 * distances. */
KERNEL(counts_fit_kernel, (double *out, const elem *x, const elem *t, const uint8_t *u8, int64_t n))
{
	ROWS (row, 1) {
		double sum = 0, squares = 0, missed = 0;

		ALONG_ADD (i, n, sum, squares, missed) {
			double is = (double)VALUE(x[i]), should = (double)target_at(t, u8, i);

			sum += should;
			squares += should * should;
			missed += (is - should) * (is - should);
		}
		sum = ROW_SUM(sum);
		squares = ROW_SUM(squares);
		missed = ROW_SUM(missed);
		FIRST {
			out[row] = (double)n;
			out[row + 1] = sum;
			out[row + 2] = squares;
			out[row + 3] = missed;
		}
	}
}

static void
counts_fit(double *out, const elem *x, const elem *t, const uint8_t *u8, int64_t n)
{
	LAUNCH_ROWS(counts_fit_kernel, 1, (out, x, t, u8, n));
}

/* How many labels count, and the sum of their cross-entropies. */
KERNEL(counts_surprise_kernel, (double *part, const elem *x, const int32_t *label, int64_t rows, int64_t k, int64_t inner))
{
	ROWS (p, LOSS_PARTS) {
		int64_t from = PART_FROM(rows, p, LOSS_PARTS);
		int64_t count = PART_FROM(rows, p + 1, LOSS_PARTS) - from;
		double labels = 0, sum = 0;

		ALONG (i, count) {
			int64_t r = from + i, at = label[r];
			const elem *in = x + r / inner * k * inner + r % inner;
			double top = -INFINITY, all = 0;

			if (at < 0 || at >= k)
				continue;
			for (int64_t j = 0; j < k; j++)
				top = (double)VALUE(in[j * inner]) > top ? (double)VALUE(in[j * inner]) : top;
			for (int64_t j = 0; j < k; j++)
				all += (double)exp_of((real)((double)VALUE(in[j * inner]) - top));
			labels++;
			sum += top + log(all) - (double)VALUE(in[at * inner]);
		}
		labels = ROW_SUM(labels);
		sum = ROW_SUM(sum);
		FIRST {
			part[p] = labels;
			part[LOSS_PARTS + p] = sum;
		}
	}
}

KERNEL(counts_parts_kernel, (double *out, const double *part))
{
	ROWS (i, 2) {
		double sum = 0;

		ALONG (p, LOSS_PARTS)
			sum += part[i * LOSS_PARTS + p];
		sum = ROW_SUM(sum);
		FIRST
			out[i] = sum;
	}
}

static void
counts_surprise(double *out, void *work, const elem *x, const int32_t *label, int64_t outer, int64_t k, int64_t inner)
{
	LAUNCH_ROWS(counts_surprise_kernel, LOSS_PARTS, ((double *)work, x, label, outer * inner, k, inner));
	LAUNCH_ROWS(counts_parts_kernel, 2, (out, (const double *)work));
}

#endif
