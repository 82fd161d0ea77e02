/*
 * update/adafactor.cu - Adafactor. A parameter is matrices of its last two axes, whose squared
 * gradients are kept as means of rows and of columns; or a vector, whose squared gradients are
 * kept. What is worked out of them for an element is worked out twice: for the size of the whole
 * step, and for the step.
 *
 *                 c ->
 *          r   g g g g   row_var    their product / the mean of row_var
 *          |   g g g g   row_var    estimates the mean square of each g
 *          v
 *              col_var ...
 */
#ifndef STOWAGE_UPDATE_ADAFACTOR_CU
#define STOWAGE_UPDATE_ADAFACTOR_CU

#include "update/updates.cu"

struct factors {
	int64_t outer, rows, cols;	/* matrices, and their extents; cols 0: it is a vector */
	/* matrices lie behind one another, or INNER of them side by side, an element of each
	 * (INNER_STEP 1) */
	int64_t inner, inner_step;
	int64_t pieces;		/* of the rows, for the sums of columns */
};

static inline struct factors
factors_of(int64_t outer, int64_t rows, int64_t cols, int64_t inner, int64_t inner_step, int64_t pieces)
{
	struct factors f;

	f.outer = outer, f.rows = rows, f.cols = cols;
	f.inner = inner, f.inner_step = inner_step;
	f.pieces = pieces;
	return f;
}

/* Where row R of matrix O begins; its elements are INNER apart. */
DEVICE int64_t
factors_row(const struct factors *f, int64_t o, int64_t r)
{
	int64_t group = quotient(o, f->inner);

	return (group * f->rows + r) * f->cols * f->inner + (o - group * f->inner) * f->inner_step;
}

struct adafactor {		/* of one update */
	struct factors f;
	double *squares, *steps;	/* sums of each part: of squares of weights, of steps */
	double *inverse;	/* one over the mean of each matrix's row_var */
	double *sums;		/* of squares, of each piece of each column */
	int64_t parts;
	double eps1, eps2, d;
};

/* Of update T: of gradients the share of a new mean, and what the relative rate is at most. */
#define ADAFACTOR_SHARE	0
#define ADAFACTOR_RATE	1

DEVICE void
adafactor_numbers(real *to, int64_t t, double decay)
{
	to[ADAFACTOR_SHARE] = (real)pow((double)t, decay);
	to[ADAFACTOR_RATE] = 1 / R(sqrt)((real)t);
}

KERNEL(adafactor_squares_kernel, (struct update_share k, struct adafactor a, const real *clip))
{
	ROWS (p, LEFT_OUT(clip) ? 0 : a.parts) {
		int64_t from = PART_FROM(k.n, p, a.parts), n = PART_FROM(k.n, p + 1, a.parts) - from;
		double sum = 0;

		ALONG_ADD (j, n, sum)
			sum += (double)weight_of(&k, from + j) * (double)weight_of(&k, from + j);
		sum = ROW_SUM(sum);
		FIRST
			a.squares[p] = sum;
	}
}

KERNEL(adafactor_vector_kernel, (struct update_share k, const real *clip, const real *number))
{
	real factor = clip ? *clip : 1, share = number[ADAFACTOR_SHARE], *v = k.state[0];

	EACH (i, LEFT_OUT(clip) ? 0 : k.n) {
		real g = GRADIENT(k.g[i]) * factor;

		v[i] += share * (g * g - v[i]);
	}
}

KERNEL(adafactor_rows_kernel, (struct update_share k, struct adafactor a, const real *clip, const real *number))
{
	real factor = clip ? *clip : 1, share = number[ADAFACTOR_SHARE], *v = k.state[0];

	ROWS (q, LEFT_OUT(clip) ? 0 : a.f.outer * a.f.rows) {
		int64_t o = quotient(q, a.f.rows), at = factors_row(&a.f, o, q - o * a.f.rows);
		double sum = 0;

		ALONG_ADD (c, a.f.cols, sum) {
			real g = GRADIENT(k.g[at + c * a.f.inner]) * factor;

			sum += (double)g * (double)g;
		}
		sum = ROW_SUM(sum);
		FIRST
			v[q] += share * ((real)(sum / (double)a.f.cols) - v[q]);
	}
}

/* Pieces of columns' sums: a row is a piece of a strip of columns of a matrix. */
KERNEL(adafactor_pieces_kernel, (struct update_share k, struct adafactor a, const real *clip))
{
	real factor = clip ? *clip : 1;
	int64_t strips = (a.f.cols + STRIP - 1) / STRIP;

	ROWS (t, LEFT_OUT(clip) ? 0 : a.f.outer * a.f.pieces * strips) {
		int64_t q = quotient(t, strips), c = (t - q * strips) * STRIP;
		int64_t o = quotient(q, a.f.pieces), p = q - o * a.f.pieces;
		int64_t width = a.f.cols - c < STRIP ? a.f.cols - c : STRIP;
		double sum[STRIP_LANES];

		ALONG (j, width)
			sum[LANE(j)] = 0;
		for (int64_t r = PART_FROM(a.f.rows, p, a.f.pieces); r < PART_FROM(a.f.rows, p + 1, a.f.pieces); r++) {
			int64_t at = factors_row(&a.f, o, r) + c * a.f.inner;

			ALONG (j, width) {
				real g = GRADIENT(k.g[at + j * a.f.inner]) * factor;

				sum[LANE(j)] += (double)g * (double)g;
			}
		}
		ALONG (j, width)
			a.sums[q * a.f.cols + c + j] = sum[LANE(j)];
	}
}

KERNEL(adafactor_columns_kernel, (struct update_share k, struct adafactor a, const real *clip, const real *number))
{
	real share = number[ADAFACTOR_SHARE], *v = k.state[1];

	EACH (q, LEFT_OUT(clip) ? 0 : a.f.outer * a.f.cols) {
		int64_t o = quotient(q, a.f.cols), c = q - o * a.f.cols;
		double sum = 0;

		for (int64_t p = 0; p < a.f.pieces; p++)
			sum += a.sums[(o * a.f.pieces + p) * a.f.cols + c];
		v[q] += share * ((real)(sum / (double)a.f.rows) - v[q]);
	}
}

KERNEL(adafactor_mean_kernel, (struct update_share k, struct adafactor a, const real *clip))
{
	ROWS (o, LEFT_OUT(clip) ? 0 : a.f.outer) {
		double sum = 0;

		ALONG_ADD (r, a.f.rows, sum)
			sum += (double)k.state[0][o * a.f.rows + r];
		sum = ROW_SUM(sum) / (double)a.f.rows;
		FIRST
			a.inverse[o] = 1 / (sum > a.eps1 ? sum : a.eps1);
	}
}

/* The step of element I, of matrices one after the other; *AT is where it lies. */
DEVICE real
adafactor_step(const struct update_share *k, const struct adafactor *a, real factor, int64_t i, int64_t *at)
{
	real least = (real)(a->eps1 * a->eps1), v;

	if (a->f.cols) {
		int64_t q = quotient(i, a->f.cols), c = i - q * a->f.cols;
		int64_t o = quotient(q, a->f.rows), r = q - o * a->f.rows;

		*at = factors_row(&a->f, o, r) + c * a->f.inner;
		v = k->state[0][q] * (real)a->inverse[o] * k->state[1][o * a->f.cols + c];
	} else {
		*at = i;
		v = k->state[0][i];
	}
	return GRADIENT(k->g[*at]) * factor / R(sqrt)(v > least ? v : least);
}

KERNEL(adafactor_steps_kernel, (struct update_share k, struct adafactor a, const real *clip))
{
	real factor = clip ? *clip : 1;

	ROWS (p, LEFT_OUT(clip) ? 0 : a.parts) {
		int64_t from = PART_FROM(k.n, p, a.parts), n = PART_FROM(k.n, p + 1, a.parts) - from;
		double sum = 0;

		ALONG (j, n) {
			int64_t at;
			real step = adafactor_step(&k, &a, factor, from + j, &at);

			sum += (double)step * (double)step;
		}
		sum = ROW_SUM(sum);
		FIRST
			a.steps[p] = sum;
	}
}

/* What steps are multiplied by, of the sums of squares of N weights and of their steps. */
DEVICE real
adafactor_rate(const struct adafactor *a, double rate, double squares, double steps, double n)
{
	double size = sqrt(squares / n), cut = sqrt(steps / n) / a->d;

	return (real)(rate * (size > a->eps2 ? size : a->eps2) / (cut > 1 ? cut : 1));
}

KERNEL(adafactor_kernel, (struct update_share k, struct adafactor a, const real *clip, const struct step *s,
    const real *number))
{
	real factor = clip ? *clip : 1, keep = (real)(1 - s->lr * k.rate * k.decay);
	double most = (double)number[ADAFACTOR_RATE], rate = s->lr * k.rate < most ? s->lr * k.rate : most;

	ROWS (p, LEFT_OUT(clip) ? 0 : a.parts) {
		int64_t from = PART_FROM(k.n, p, a.parts), n = PART_FROM(k.n, p + 1, a.parts) - from;
		double squares = 0, steps = 0;

		ALONG (j, a.parts) {
			squares += a.squares[j];
			steps += a.steps[j];
		}
		squares = ROW_SUM(squares);
		steps = ROW_SUM(steps);
		ONCE(real, pace, adafactor_rate(&a, rate, squares, steps, (double)k.n));
		ALONG (j, n) {
			int64_t at;
			real step = adafactor_step(&k, &a, factor, from + j, &at);

			weight_set(&k, at, weight_of(&k, at) * keep - pace * step);
		}
	}
}

static void
adafactor_update(struct update_share k, struct factors f, const real *clip, const struct step *s, const real *number,
    void *work, int64_t parts, double eps1, double eps2, double d)
{
	struct adafactor a;
	int64_t strips = (f.cols + STRIP - 1) / STRIP;

	a.f = f;
	a.squares = (double *)work;
	a.steps = a.squares + parts;
	a.inverse = a.steps + parts;
	a.sums = a.inverse + f.outer;
	a.parts = parts;
	a.eps1 = eps1, a.eps2 = eps2, a.d = d;
	LAUNCH_ROWS(adafactor_squares_kernel, parts, (k, a, clip));
	if (f.cols) {
		LAUNCH_ROWS(adafactor_rows_kernel, f.outer * f.rows, (k, a, clip, number));
		LAUNCH_ROWS(adafactor_pieces_kernel, f.outer * f.pieces * strips, (k, a, clip));
		LAUNCH(adafactor_columns_kernel, f.outer * f.cols, (k, a, clip, number));
		LAUNCH_ROWS(adafactor_mean_kernel, f.outer, (k, a, clip));
	} else {
		LAUNCH(adafactor_vector_kernel, k.n, (k, clip, number));
	}
	LAUNCH_ROWS(adafactor_steps_kernel, parts, (k, a, clip));
	LAUNCH_ROWS(adafactor_kernel, parts, (k, a, clip, s, number));
}

#endif
