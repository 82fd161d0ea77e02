/*
 * Loops of kernels for formulas, as programs have them (kernels/pointwise/formula.cu): tensors that begin at 16
 * bytes, or in between; lengths that fill packs, or not; in place; operands that are repeated along axes.
 */
#include "cuda.h"

#include "pointwise/formula.cu"

#include "values.h"

KERNEL(mixed_kernel, (elem *y0, elem *y1, const elem *x0, const elem *x1, int64_t n))
{
	EACH_PACK (i, n, ADDRESS(y0) | ADDRESS(y1) | ADDRESS(x0) | ADDRESS(x1)) {
		TAKE (x0, i, n);
		TAKE (x1, i, n);
		GIVE (y0);
		GIVE (y1);
		EACH_LANE (j) {
			real a = VALUE(ITEM(x0, i, j));
			real b = VALUE(ITEM(x1, i, j));

			ITEM(y0, i, j) = ELEM(2 * a - b);
			ITEM(y1, i, j) = ELEM(a * b);
		}
		PUT (y0, i, n);
		PUT (y1, i, n);
	}
}

static void
mixed(elem *y0, elem *y1, const elem *x0, const elem *x1, int64_t n)
{
	LAUNCH(mixed_kernel, PACKS_IN(n), (y0, y1, x0, x1, n));
}

KERNEL(spread_kernel, (elem *y0, const elem *x0, const elem *x1, int64_t rows, int64_t inner, int64_t n0))
{
	SPREAD (r, j, rows, inner) {
		real a = VALUE(x0[r * inner + j]);
		real b = VALUE(x1[rest_of(r, n0)]);

		y0[r * inner + j] = ELEM(a - b);
	}
}

static void
spread(elem *y0, const elem *x0, const elem *x1, int64_t rows, int64_t inner, int64_t n0)
{
	LAUNCH(spread_kernel, rows * inner, (y0, x0, x1, rows, inner, n0));
}

static void
same(const char *what, double is, double should)
{
	checks++;
	if (is != should)
		failed(what, is, should);
}

static void
check_packs(int64_t n, int from, bool in_place)
{
	Values x((size_t)n + 8), z((size_t)n + 8), y((size_t)n + 8), w((size_t)n + 8, -7);
	const float guard = -7;

	for (size_t i = 0; i < x.size(); i++) {
		x[i] = uniform();
		z[i] = uniform();
	}
	const Values a = x, b = z;

	y.assign(y.size(), guard);
	mixed(in_place ? &x[(size_t)from] : &y[(size_t)from], &w[0], &x[(size_t)from], &z[0], n);
	const Values &got = in_place ? x : y;

	for (int64_t i = 0; i < n; i++) {
		same("first", got[(size_t)(i + from)], 2 * a[(size_t)(i + from)] - b[(size_t)i]);
		same("second", w[(size_t)i], a[(size_t)(i + from)] * b[(size_t)i]);
	}
	same("behind", got[(size_t)(n + from)], in_place ? a[(size_t)(n + from)] : guard);
	same("behind the second", w[(size_t)n], guard);
}

static void
check_spread(int64_t rows, int64_t inner, int64_t n0)
{
	Values x((size_t)(rows * inner)), z((size_t)n0), y(x.size());

	for (float &v : x)
		v = uniform();
	for (float &v : z)
		v = uniform();
	spread(&y[0], &x[0], &z[0], rows, inner, n0);
	for (int64_t i = 0; i < rows * inner; i++)
		same("spread", y[(size_t)i], x[(size_t)i] - z[(size_t)(i / inner % n0)]);
}

int
main(void)
{
	for (int64_t n : { 1, 3, 4, 5, 1023, 1024, 4097 })
		for (int from = 0; from < 4; from++)
			for (bool in_place : { false, true })
				check_packs(n, from, in_place);
	check_spread(1, 1, 1);
	check_spread(12, 7, 4);
	check_spread(300, 33, 10);
	return verdict();
}
