/*
 * Slices and elements by their indices, and the gradient of what they were taken from, against their definition in
 * double precision: for all samples or of each, with axes before and behind, several strips of columns; some indices
 * are none. The gradient is made by search and by columns, anew and added onto what lies there.
 */
#ifdef IN_C
#include <cmath>
#include <cstring>
#include <vector>
#else
#include "cuda.h"
#endif

#include "copy/take.cu"

#include "values.h"

static void
near(const char *what, double is, double should, double tolerance)
{
	checks++;
	if (!(std::fabs(is - should) <= tolerance))
		failed(what, is - should, should);
}

/* Element E of y: where it comes from in x, or -1. */
static int64_t
source(const struct take &k, const std::vector<int32_t> &index, int64_t e)
{
	int64_t i = e % k.inner, t = e / k.inner % k.t, o = e / k.inner / k.t % k.outer, s = e / k.inner / k.t / k.outer;
	int64_t from = k.own ? s : 0;
	int64_t at = index[(size_t)(k.each ? ((from * k.outer + o) * k.t + t) * k.inner + i : from * k.t + t)];

	return at < 0 || at >= k.n ? -1 : (((k.shared ? 0 : s) * k.outer + o) * k.n + at) * k.inner + i;
}

static void
check(struct take k, real keep)
{
	size_t nx = (size_t)((k.shared ? 1 : k.samples) * k.outer * k.n * k.inner);
	size_t ny = (size_t)(k.samples * k.outer * k.t * k.inner);
	std::vector<elem> x(nx), y(ny), dy(ny), start(nx);
	std::vector<int32_t> index((size_t)((k.own ? k.samples : 1) * (k.each ? k.outer * k.t * k.inner : k.t)));
	std::vector<double> should(nx), terms(nx);
	std::vector<real> work(nx);

	for (int32_t &at : index)
		at = (int32_t)(uniform() * (float)(k.n + 2)) - 1;
	for (size_t i = 0; i < nx; i++) {
		x[i] = ELEM(uniform() * 2 - 1), start[i] = ELEM(uniform() * 2 - 1);
		should[i] = keep * (double)VALUE(start[i]);
		if (keep == 0)
			start[i] = ELEM(NAN);
	}
	for (elem &d : dy)
		d = ELEM(uniform() * 2 - 1);
	take_forward(&y[0], &x[0], &index[0], k);
	for (size_t i = 0; i < ny; i++) {
		int64_t at = source(k, index, (int64_t)i);

		near("element", VALUE(y[i]), at < 0 ? 0 : VALUE(x[(size_t)at]), 0);
		if (at >= 0)
			should[(size_t)at] += VALUE(dy[i]), terms[(size_t)at] += std::fabs((double)VALUE(dy[i]));
	}
	for (int way = k.shared; way < 2; way++) {
		std::vector<elem> dx = start;

		if (way == 0)
			take_search(&dx[0], &dy[0], &index[0], ONTO(keep), k);
		else
			take_columns(&dx[0], &dy[0], &index[0], ONTO(keep), &work[0], k);
		for (size_t i = 0; i < nx; i++)
			near("gradient", VALUE(dx[i]), should[i],
			    (NARROW ? std::ldexp(std::fabs(should[i]) + 1, -8) : 0) + 1e-6 * (terms[i] + 1));
	}
}

int
main(void)
{
	/* samples, outer, n, t, inner, each, shared, own */
	check({ 3, 1, 40, 300, 5, false, false, true }, 0);
	check({ 3, 2, 7, 9, 300, false, false, true }, 1);
	check({ 5, 4, 9, 1, 1, false, false, true }, 0);
	check({ 3, 2, 6, 11, 3, false, false, false }, 0.9f);
	check({ 4, 3, 5, 6, 2, false, true, true }, 0);
	check({ 1, 3, 12, 40, 2, false, false, false }, 1);
	check({ 3, 2, 4, 50, 7, true, false, true }, 0);
	check({ 2, 3, 8, 5, 70, true, false, true }, 0.9f);
	check({ 3, 2, 4, 6, 1, true, false, false }, 1);
	return verdict();
}
