/*
 * CUDA's kernels for cross-entropy and its gradient in one, against their definition in double
 * precision: few labels, which one block takes; many of few classes, a thread each; long rows, a block
 * each; images. Some labels are no class, or do not count. And those of formulas, as programs have them.
 */
#include "cuda.h"

#include "loss/accuracy.cu"
#include "loss/cross_entropy.cu"
#include "loss/formula.cu"
#include "loss/seed.cu"

#include "values.h"

KERNEL(bce_with_gradient_kernel, (double *part, elem *dx, const real *scale, const struct step *s,
    const elem *x0, const uint8_t *x1, int64_t n))
{
	real share = seed_of(scale, s) / (real)n;

	ROWS (p, LOSS_PARTS) {
		int64_t from = PART_FROM(n, p, LOSS_PARTS);
		int64_t count = PART_FROM(n, p + 1, LOSS_PARTS) - from;
		double sum = 0;

		ALONG_ADD (j, count, sum) {
			real a = VALUE(x0[from + j]);
			real b = (real)x1[from + j];

			sum += (double)(softplus_of(a) - b * a);
			dx[from + j] = ELEM((-b + logistic(a)) * share);
		}
		sum = ROW_SUM(sum);
		FIRST
			part[p] = sum;
	}
}

static void
bce_with_gradient(elem *dx, real *out, void *work, const real *scale, const struct step *s,
    const elem *x0, const uint8_t *x1, int64_t n)
{
	LAUNCH_ROWS(bce_with_gradient_kernel, LOSS_PARTS, ((double *)work, dx, scale, s, x0, x1, n));
	LAUNCH(mean_kernel, 1, (out, (const double *)work, n));
}

static void
near(const char *what, double is, double should, double tolerance)
{
	checks++;
	if (!(std::fabs(is - should) <= tolerance))
		failed(what, is - should, should);
}

static void
check(int64_t outer, int64_t k, int64_t inner)
{
	int64_t rows = outer * inner;
	Values x((size_t)(rows * k)), dx(x.size());
	std::vector<int32_t> label((size_t)rows);
	std::vector<double> work(LOSS_PARTS), should(x.size());
	struct step s = { 1, 2, 3, 0, 0.5f, 0 };
	float scale = 8, loss = -1, again = -1;
	double mean = 0;

	for (float &v : x)
		v = uniform() * 20 - 10;
	for (int32_t &l : label)
		l = uniform() < 0.1f ? -1 : (int32_t)(uniform() * (float)k);
	for (int64_t r = 0; r < rows; r++) {
		int64_t at = r / inner * k * inner + r % inner;
		double sum = 0;

		for (int64_t c = 0; c < k; c++)
			sum += std::exp((double)x[at + c * inner]);
		for (int64_t c = 0; c < k && label[r] >= 0; c++)
			should[at + c * inner] = (std::exp((double)x[at + c * inner]) / sum -
			    (label[r] == c)) * 4 / (double)rows;
		if (label[r] >= 0)
			mean += (std::log(sum) - x[at + label[r] * inner]) / (double)rows;
	}
	cross_entropy_with_gradient(&dx[0], &loss, &work[0], &scale, &s, &x[0], &label[0], outer, k, inner);
	near("loss", loss, mean, 1e-6 * mean);
	for (size_t i = 0; i < dx.size(); i++)
		near("gradient", dx[i], should[i], 1e-5 * 4 / (double)rows);
	cross_entropy_with_gradient(&x[0], &again, &work[0], &scale, &s, &x[0], &label[0], outer, k, inner);
	near("loss, in place", again, loss, 0);
	for (size_t i = 0; i < dx.size(); i++)
		near("gradient, in place", x[i], dx[i], 0);
}

/* Labels that do not all count alike: forward, the count, the gradients of logits and of weights, accuracy. */
static void
check_labels(int64_t outer, int64_t k, int64_t inner)
{
	int64_t rows = outer * inner;
	Values x((size_t)(rows * k)), dx(x.size()), lse((size_t)rows), of_class((size_t)k), of_label(lse.size()), dw(lse.size());
	std::vector<int32_t> label((size_t)rows);
	std::vector<double> work(LOSS_PARTS), should(x.size()), slope(lse.size());
	float count = -1, loss = -1, right = -1, dy = 3, total = 0;
	double weighs = 0, mean = 0, hits = 0, smooth = 0.1f;

	for (float &v : x)
		v = uniform() * 20 - 10;
	for (float &v : of_class)
		v = uniform() * 2, total += v;
	for (float &v : of_label)
		v = uniform() + 0.5f;
	for (int32_t &l : label)
		l = uniform() < 0.1f ? -1 : (int32_t)(uniform() * (float)k);
	for (int64_t r = 0; r < rows; r++)
		weighs += label[r] >= 0 && label[r] != 1 ? of_class[label[r]] : 0;
	for (int64_t r = 0; r < rows; r++) {
		int64_t at = r / inner * k * inner + r % inner, l = label[r], best = 0;
		double sum = 0, own = 0;

		for (int64_t c = 0; c < k; c++) {
			sum += std::exp((double)x[at + c * inner]);
			best = x[at + c * inner] > x[at + best * inner] ? c : best;
		}
		if (l < 0 || l == 1)
			continue;
		for (int64_t c = 0; c < k; c++) {
			double p = std::exp((double)x[at + c * inner]) / sum, one = c == l;

			own += -std::log(p) * of_class[c] * ((1 - smooth) * one + smooth / (double)k);
			should[at + c * inner] = ((1 - smooth) * of_class[l] * (p - one) + smooth / (double)k *
			    (total * p - of_class[c])) * of_label[r] * dy / weighs;
		}
		mean += own * of_label[r] / weighs;
		slope[r] = own * dy / weighs;
		hits += (best == l) * 1.0;
	}
	struct label_terms t = label_terms(&label[0], 1, &of_class[0], &of_label[0], 1, &count, (real)smooth, total);

	label_count(&count, &work[0], t, rows, k);
	near("count", count, weighs, 1e-6 * weighs);
	label_cross_entropy_forward(&loss, &lse[0], &work[0], &x[0], t, outer, k, inner);
	near("loss of labels", loss, mean, 2e-6 * mean);
	label_cross_entropy_backward(&dx[0], &dy, &x[0], t, &lse[0], outer, k, inner);
	for (size_t i = 0; i < dx.size(); i++)
		near("gradient of labels", dx[i], should[i], 2e-5 * dy / weighs);
	label_weights_backward(&dw[0], &dy, &x[0], t, &lse[0], rows, rows, k, inner);
	for (size_t i = 0; i < dw.size(); i++)
		near("gradient of weights", dw[i], slope[i], 1e-5 * (1 + slope[i]));
	t = label_terms(&label[0], 1, NULL, NULL, 1, &count, 0, (real)k);
	label_count(&count, &work[0], t, rows, k);
	label_accuracy_forward(&right, &work[0], &x[0], t, outer, k, inner, 1);
	near("accuracy of labels", right, count > 0 ? hits / count : 0, 1e-6);
}

/* Element by element, against a target of bytes. */
static void
check_evenly(int64_t n)
{
	Values x((size_t)n), dx(x.size());
	std::vector<uint8_t> t(x.size());
	std::vector<double> work(LOSS_PARTS);
	struct step s = { 1, 2, 3, 0, 0.5f, 0 };
	float scale = 8, loss;
	double mean = 0;

	for (size_t i = 0; i < x.size(); i++) {
		x[i] = uniform() * 6 - 3, t[i] = uniform() < 0.5f;
		mean += (std::log1p(std::exp((double)x[i])) - (double)x[i] * t[i]) / (double)n;
	}
	dx = x;
	bce_with_gradient(&dx[0], &loss, &work[0], &scale, &s, &dx[0], &t[0], n);
	near("bce", loss, mean, 1e-6 * mean);
	for (size_t i = 0; i < x.size(); i++)
		near("bce's gradient", dx[i], (1 / (1 + std::exp(-(double)x[i])) - t[i]) * 4 / (double)n,
		    1e-5 / (double)n);
}

int
main(void)
{
	check_evenly(3);
	check_labels(70, 4, 1);
	check_labels(3, 70, 50);
	check_labels(300, 65, 1);
	check_evenly(70001);
	check(1, 10, 1);
	check(64, 10, 1);
	check(700, 10, 1);
	check(4, 7, 90);	/* one block */
	check(17000, 3, 1);	/* a thread a label, in parts */
	check(3, 70, 50);
	check(2, 2, 9000);
	check(5, 700, 1);	/* a block a row */
	check(300, 65, 1);
	return verdict();
}
