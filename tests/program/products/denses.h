/* Dense layers, alone, with what is done in the same go, and with their loss, against naive
 * loops. */
#ifndef STOWAGE_TESTS_DENSES_H
#define STOWAGE_TESTS_DENSES_H

#include "compare.h"
#include "epilogues.h"

/* c[m, n] = op(a) op(b): both operands by their steps along rows and columns */
static void
naive_product(double *c, const elem *a, int64_t a_row, int64_t a_col, const elem *b, int64_t b_row,
    int64_t b_col, int64_t m, int64_t n, int64_t k)
{
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++)
			for (int64_t q = 0; q < k; q++)
				c[i * n + j] += (double)VALUE(a[i * a_row + q * a_col]) *
				    VALUE(b[q * b_row + j * b_col]);
}

/* What the epilogues are by definition: of V, or of a gradient V and what it reads. */
static double
naive_epilogue(enum epilogue_kind kind, double v, double saved)
{
	const double root = sqrt(2 / acos(-1));	/* of 2 / pi */
	double x = kind < DO_RELU_GRAD ? v : saved;
	double t = tanh(root * (x + 0.044715 * x * x * x)), below = (1 + erf(x / sqrt(2))) / 2;
	double slope = root * (1 + 3 * 0.044715 * x * x);

	switch (kind) {
	case DO_RELU:
		return v > 0 ? v : 0;
	case DO_GELU:
		return x * below;
	case DO_GELU_TANH:
		return x * (1 + t) / 2;
	case DO_RELU_GRAD:
		return saved > 0 ? v : 0;
	case DO_GELU_GRAD:
		return v * (below + x * exp(-x * x / 2) * root / 2);
	case DO_GELU_TANH_GRAD:
		return v * ((1 + t) / 2 + x * (1 - t * t) * slope / 2);
	case DO_ADD_RELU:
		return v + saved > 0 ? v + saved : 0;
	default:
		return v;
	}
}

/* GOT was made with an epilogue, PLAIN without: as by definition and, but for gelus of 16 bits,
 * which were rounded once less, bit for bit what a kernel of its own makes of PLAIN. */
static void
compare_epilogue(enum epilogue_kind kind, const char *shape, const elem *got, const elem *plain,
    const double *sums, const elem *saved, int64_t n)
{
	static const char *const names[] = { "as it is", "relu", "gelu", "gelu, tanh", "relu_grad",
		"gelu_grad", "gelu_grad, tanh", "add_relu" };
	double *want = calloc((size_t)n, sizeof(*want));
	elem *own = fresh(n);
	char name[64];

	snprintf(name, sizeof(name), "dense, then %s", names[kind]);
	for (int64_t i = 0; i < n; i++)
		want[i] = naive_epilogue(kind, sums[i], VALUE(saved[i]));
	compare(name, shape, got, want, n);
	memcpy(own, plain, (size_t)n * sizeof(*own));
	epilogue_apply(own, epilogue_of(kind, kind < DO_RELU_GRAD ? NULL : saved), n);
	if ((!NARROW || kind == DO_RELU || kind == DO_RELU_GRAD) &&
	    memcmp(own, got, (size_t)n * sizeof(*own))) {
		printf("# %s %s: not the bits of two kernels\n", name, shape);
		failures++;
	}
	free(want), free(own);
}

/* Each epilogue after a product, of which Y and DX, TY and TX are without. */
static void
check_epilogues(const char *shape, const elem *x, const elem *w, const elem *bias, const elem *dy,
    const elem *y, const elem *dx, const double *ty, const double *tx, int64_t rows, int64_t in,
    int64_t units)
{
	elem *got = fresh(most(rows * units, rows * in)), *saved = filled(rows * in), *beside = filled(rows * units);
	real *work = scratch_of(THREADS * product_scratch(most(in, units), BLOCK_COLS, NARROW));

	saved[0] = ELEM(0);
	for (int kind = DO_RELU; kind <= DO_ADD_RELU; kind++) {
		TEAM(dense_forward(got, x, w, bias, epilogue_of((enum epilogue_kind)kind,
		    kind < DO_RELU_GRAD ? NULL : beside), work, 0, rows, in, units));
		compare_epilogue((enum epilogue_kind)kind, shape, got, y, ty, beside, rows * units);
	}
	for (int kind = DO_RELU_GRAD; kind <= DO_ADD_RELU; kind++) {
		TEAM(dense_backward_input(got, dy, w, ANEW, epilogue_of((enum epilogue_kind)kind, saved),
		    work, 0, rows, in, units));
		compare_epilogue((enum epilogue_kind)kind, shape, got, dx, tx, saved, rows * in);
	}
	free(got), free(saved), free(beside), free(work);
}

/* Not a number, whatever follows. */
static void
check_nan(void)
{
	elem one = ELEM(1), nan = ELEM((real)NAN), y;
	real *work = scratch_of(THREADS * product_scratch(1, BLOCK_COLS, NARROW));

	for (int kind = DO_RELU; kind <= DO_GELU_TANH_GRAD; kind++) {
		struct epilogue then = epilogue_of((enum epilogue_kind)kind,
		    kind < DO_RELU_GRAD ? NULL : &one);

		TEAM(dense_forward(&y, &nan, &one, NULL, then, work, 0, 1, 1, 1));
		if (!isnan(VALUE(y))) {
			printf("# dense, then %d: not-a-number became %g\n", kind, (double)VALUE(y));
			failures++;
		}
	}
	free(work);
}

/* Of weights and bias in one call: the bits of two. DW was added onto by then, DB was not. */
static void
both_gradients(const char *shape, const elem *dy, const elem *x, elem *dw, const elem *db, int64_t rows,
    int64_t in, int64_t units)
{
	elem *weight = fresh(units * in), *bias = fresh(units);
	real *work = scratch_of(THREADS * product_scratch(rows, in, NARROW));

	TEAM(dense_backward_weight(dw, dy, x, ANEW, work, 0, rows, in, units));
	TEAM(dense_backward_weight_bias(weight, bias, dy, x, ANEW, work, 0, rows, in, units));
	same("dense, weights with bias", shape, weight, dw, units * in);
	same("dense, bias with weights", shape, bias, db, units);
	free(weight), free(bias), free(work);
}

static void
check_dense(int64_t rows, int64_t in, int64_t units)
{
	int64_t nx = rows * in, ny = rows * units, nw = in * units;
	elem *x = filled(nx), *w = filled(nw), *dy = filled(ny), *bias = filled(units);
	elem *y = fresh(ny), *dx = fresh(nx), *dw = fresh(nw), *db = fresh(units);
	real *work;
	double *ty = calloc((size_t)ny, sizeof(*ty)), *tx = calloc((size_t)nx, sizeof(*tx));
	double *tw = calloc((size_t)nw, sizeof(*tw)), *tb = calloc((size_t)units, sizeof(*tb));
	char name[100];

	snprintf(name, sizeof(name), "rows %d, in %d, units %d", (int)rows, (int)in, (int)units);
	for (int64_t i = 0; i < ny; i++) {
		ty[i] = VALUE(bias[i % units]);
		tb[i % units] += VALUE(dy[i]);
	}
	naive_product(ty, x, in, 1, w, 1, in, rows, units, in);
	naive_product(tx, dy, units, 1, w, in, 1, rows, in, units);
	naive_product(tw, dy, 1, units, x, in, 1, units, in, rows);
	work = scratch_of(THREADS * product_scratch(in, most(rows, units), NARROW));
	TEAM(dense_forward(y, x, w, bias, AS_IS, work, 0, rows, in, units));
	compare("dense", name, y, ty, ny);
	free(work);
	work = scratch_of(THREADS * product_scratch(units, in, NARROW));
	TEAM(dense_backward_input(dx, dy, w, ANEW, AS_IS, work, 0, rows, in, units));
	compare("dense, input", name, dx, tx, nx);
	check_epilogues(name, x, w, bias, dy, y, dx, ty, tx, rows, in, units);
	TEAM(dense_backward_input(dx, dy, w, ONTO(ADDED), AS_IS, work, 0, rows, in, units));
	compare_added("dense, input", name, dx, tx, nx);
	free(work);
	work = scratch_of(THREADS * product_scratch(rows, in, NARROW));
	TEAM(dense_backward_weight(dw, dy, x, ANEW, work, 0, rows, in, units));
	compare("dense, weights", name, dw, tw, nw);
	TEAM(dense_backward_weight(dw, dy, x, ONTO(ADDED), work, 0, rows, in, units));
	compare_added("dense, weights", name, dw, tw, nw);
	free(work);
	TEAM(bias_rows_backward(db, NULL, dy, rows, units));
	compare("dense, bias", name, db, tb, units);
	both_gradients(name, dy, x, dw, db, rows, in, units);
	free(x), free(w), free(dy), free(bias), free(y), free(dx), free(dw), free(db);
	free(ty), free(tx), free(tw), free(tb);
}

/* One row of LOGITS: its loss, and what it becomes: its gradient. Labels out of range do not
 * count. */
static double
naive_loss(double *logits, int64_t k, int64_t label, int64_t rows, double *right)
{
	double sum = 0, own;
	bool best = true;

	if (label < 0 || label >= k) {
		memset(logits, 0, (size_t)k * sizeof(*logits));
		return 0;
	}
	own = logits[label];
	for (int64_t j = 0; j < k; j++) {
		sum += exp(logits[j] - own);
		best &= j < label ? logits[j] < own : logits[j] <= own;
	}
	*right += best;
	for (int64_t j = 0; j < k; j++)
		logits[j] = (exp(logits[j] - own) / sum - (j == label)) / (double)rows;
	return log(sum);
}

static int64_t
head_scratch(int64_t rows, int64_t in, int64_t units)
{
	return THREADS * product_scratch(most(in, most(units, rows)), BLOCK_COLS, NARROW);
}

/* The loss of a dense layer, made CHUNK rows at a time. Few labels, so that some rows are right. */
static void
check_head(int64_t rows, int64_t in, int64_t units, int64_t chunk)
{
	int64_t nx = rows * in, nw = in * units, scratch = head_scratch(chunk, in, units);
	int64_t bytes = scratch * (int64_t)sizeof(real);
	elem *x = filled(nx), *w = filled(nw), *bias = filled(units);
	real loss, accuracy, alone;
	elem *dx = fresh(nx), *dw = fresh(nw), *db = fresh(units);
	real *work = scratch_of(scratch + (head_sums(chunk) + chunk * units * (int64_t)sizeof(elem)) /
	    (int64_t)sizeof(real) + 1);
	double *t = calloc((size_t)(rows * units), sizeof(*t)), *tx = calloc((size_t)nx, sizeof(*tx));
	double *tw = calloc((size_t)nw, sizeof(*tw)), *tb = calloc((size_t)units, sizeof(*tb));
	double sum = 0, right = 0;
	struct label_terms terms;
	int32_t *label = malloc((size_t)rows * sizeof(*label));
	char name[100];

	snprintf(name, sizeof(name), "rows %d, in %d, units %d, %d at a time", (int)rows, (int)in,
	    (int)units, (int)chunk);
	for (int64_t i = 0; i < rows; i++)
		label[i] = i % 7 == 3 ? -1 : (int32_t)draw(units < 4 ? units : 4);
	for (int64_t i = 0; i < rows * units; i++)
		t[i] = VALUE(bias[i % units]);
	naive_product(t, x, in, 1, w, 1, in, rows, units, in);
	for (int64_t i = 0; NARROW && i < rows * units; i++)
		t[i] = VALUE(ELEM((real)t[i]));		/* as they are stored */
	for (int64_t r = 0; r < rows; r++) {
		sum += naive_loss(t + r * units, units, label[r], rows, &right) / (double)rows;
		for (int64_t j = 0; j < units; j++) {
			tb[j] += t[r * units + j];
			for (int64_t i = 0; i < in; i++) {
				tx[r * in + i] += t[r * units + j] * VALUE(w[j * in + i]);
				tw[j * in + i] += t[r * units + j] * VALUE(x[r * in + i]);
			}
		}
	}
	right /= (double)rows;
	terms = label_terms(label, -1, NULL, NULL, 1, NULL, 0, (real)units);
	TEAM(dense_cross_entropy_forward(&loss, &accuracy, dx, dw, db, x, w, bias, terms, work, bytes, rows,
	    in, units, chunk, NULL));
	compare_number("loss", name, loss, sum);
	compare_number("accuracy", name, accuracy, right);
	compare_rounded(3, "loss, input", name, dx, tx, nx);
	compare_rounded(3, "loss, weights", name, dw, tw, nw);
	compare_rounded(3, "loss, bias", name, db, tb, units);
	TEAM(dense_cross_entropy_forward(&alone, NULL, NULL, NULL, NULL, x, w, bias, terms, work, bytes,
	    rows, in, units, chunk, NULL));
	compare_number("loss alone", name, alone, sum);
	free(x), free(w), free(bias), free(dx), free(dw), free(db), free(work);
	free(t), free(tx), free(tw), free(tb), free(label);
}

#endif
