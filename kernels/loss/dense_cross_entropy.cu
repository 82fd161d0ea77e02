/*
 * loss/dense_cross_entropy.cu - the cross-entropy of a dense layer's outputs, some rows at a time,
 * so that the logits of all rows never exist together. For a language model they would be the
 * largest tensor of the step: a number for each position and word.
 *
 *     each chunk of rows:  logits = x w' + bias      in the workspace
 *                          its losses; logits <- (softmax - one-hot) / rows
 *                          dw += logits' x,  db += columns of logits,  dx = logits w
 *
 * Gradients are made on the spot, for a loss whose own gradient is 1, since making them later would
 * take the logits' product again; scale_gradient then multiplies them by what that gradient is.
 * Chunks follow one another, and sums run over them in that order. Stored in 16 bits, dw and db are
 * rounded after each chunk; holding their sums apart would take more than the logits do.
 *
 *     work:  scratch of the products | sums, LOSS_PARTS each of losses and of right answers |
 *            losses and right answers of a chunk's rows | logits of a chunk
 */
#include "product/dense.cu"
#include "loss/cross_entropy.cu"

/* A row's loss and whether it is right, as cross_entropy and accuracy have it (RIGHT may be NULL);
 * then the row becomes its gradient, in place. */
KERNEL(head_rows_kernel, (double *loss, double *right, elem *x, struct label_terms t, int64_t first,
    bool gradient, int64_t rows, int64_t all, int64_t k))
{
	ROWS (r, rows) {
		elem *row = x + r * k;
		int64_t at = t.label[first + r];
		bool counts = label_counts(t, first + r, k);
		real share = label_share(t, all) * label_weight(t, first + r);
		real own = counts ? VALUE(row[at]) : 0, lse = lse_of_row(row, k);
		double even = 0;
		int beaten = 0;

		if (right) {
			ALONG_MAX (j, k, beaten) {
				int wins = !(j < at ? VALUE(row[j]) < own : VALUE(row[j]) <= own);

				beaten = wins > beaten ? wins : beaten;
			}
			beaten = ROW_MAX(beaten);
		}
		if (t.smoothing > 0)
			ALONG_ADD (j, k, even)
				even += (double)lse - (double)VALUE(row[j]);
		even = ROW_SUM(even) * (double)t.smoothing / (double)k;
		FIRST {
			loss[r] = counts ? (even + (1 - (double)t.smoothing) * ((double)lse - (double)own)) *
			    (double)label_weight(t, first + r) : 0;
			if (right)
				right[r] = at >= 0 && at < k && !beaten;
		}
		if (gradient)
			ALONG_EACH (j, k) {
				real p = exp_of(VALUE(row[j]) - lse);

				p = t.smoothing > 0 ? label_slope(t, at, j, p, k) : p - (at == j);
				row[j] = ELEM(counts ? p * share : 0);
			}
	}
}

/* Adds the values of a chunk's rows to the parts of a sum, or begins it with them. */
KERNEL(head_sum_kernel, (double *part, const double *value, bool add, int64_t rows))
{
	ROWS (p, LOSS_PARTS) {
		int64_t from = PART_FROM(rows, p, LOSS_PARTS);
		int64_t count = PART_FROM(rows, p + 1, LOSS_PARTS) - from;
		double sum = 0;

		ALONG_ADD (j, count, sum)
			sum += value[from + j];
		sum = ROW_SUM(sum);
		FIRST
			part[p] = add ? part[p] + sum : sum;
	}
}

/* The sums of columns: a strip of neighbours at a time. */
KERNEL(head_bias_kernel, (elem *db, const elem *dy, bool add, int64_t rows, int64_t k))
{
	ROWS (s, (k + STRIP - 1) / STRIP) {
		int64_t at = s * STRIP, width = k - at < STRIP ? k - at : STRIP;
		double sum[STRIP_LANES] = { 0 };

		for (int64_t i = 0; i < rows; i++)
			ALONG_EACH (j, width)
				sum[LANE(j)] += VALUE(dy[i * k + at + j]);
		ALONG (j, width)
			db[at + j] = ELEM((real)sum[LANE(j)] + (add ? VALUE(db[at + j]) : 0));
	}
}

/* SIZE: bytes of WORK that the products may have. ACCURACY, DX, DW and DB may be NULL. KEEP, or
 * NULL, is shown each chunk's logits; AT: bytes from the first of all. */
static void
dense_cross_entropy_forward(real *out, real *accuracy, elem *dx, elem *dw, elem *db, const elem *x,
    const elem *w, const elem *bias, struct label_terms t, void *work, int64_t size, int64_t rows,
    int64_t in, int64_t units, int64_t chunk,
    void (*keep)(const void *logits, int64_t at, int64_t bytes))
{
	double *part = (double *)((char *)work + size), *part_right = part + LOSS_PARTS;
	double *loss = part + 2 * LOSS_PARTS, *right = accuracy ? loss + head_padded(chunk) : NULL;
	elem *logits = (elem *)(loss + 2 * head_padded(chunk));
	bool gradient = dx || dw || db;

	for (int64_t at = 0; at < rows; at += chunk) {
		int64_t n = least(chunk, rows - at);
		const elem *from = x + at * in;

		dense_product(logits, from, false, w, true, bias, ANEW, AS_IS, n, units, in, work,
		    (size_t)size);
		if (keep)
			keep(logits, at * units * (int64_t)sizeof(elem),
			    n * units * (int64_t)sizeof(elem));
		LAUNCH_ROWS(head_rows_kernel, n,
		    (loss, right, logits, t, at, gradient, n, rows, units));
		LAUNCH_ROWS(head_sum_kernel, LOSS_PARTS, (part, loss, at > 0, n));
		if (right)
			LAUNCH_ROWS(head_sum_kernel, LOSS_PARTS, (part_right, right, at > 0, n));
		if (dw)
			dense_product(dw, logits, true, from, false, NULL, ONTO(at > 0), AS_IS, units, in,
			    n, work, (size_t)size);
		if (db)
			LAUNCH_ROWS(head_bias_kernel, (units + STRIP - 1) / STRIP,
			    (db, logits, at > 0, n, units));
		if (dx)
			dense_product(dx + at * in, logits, false, w, false, NULL, ANEW, AS_IS, n, in,
			    units, work, (size_t)size);
	}
	LAUNCH(label_mean_kernel, 1, (out, (const double *)part, t, rows));
	if (accuracy)
		LAUNCH(mean_kernel, 1, (accuracy, (const double *)part_right, rows));
}

/* Mostly the loss's gradient is 1 and DY lies in place: then there is nothing to do. */
KERNEL(scale_gradient_kernel, (elem *y, const elem *dy, const real *by, int64_t n))
{
	real factor = *by;

	EACH (i, y == dy && factor == 1 ? 0 : n)
		y[i] = ELEM(VALUE(dy[i]) * factor);
}

/* Y may be DY. */
static void
scale_gradient(elem *y, const elem *dy, const real *by, int64_t n)
{
	LAUNCH(scale_gradient_kernel, n, (y, dy, by, n));
}
