/*
 * CUDA's kernels for cross-entropy and its gradient in one, against their definition in double
 * precision: few labels, which one block takes; many of few classes, a thread each; long rows, a block
 * each; images. Some labels are no class. And those of formulas, as programs have them.
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
