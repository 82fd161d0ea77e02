/*
 * CUDA's kernels for softmax against its definition in double precision: rows of parts of a warp, of a warp and of a block that
 * registers hold, and longer ones, at addresses that packs are read at and others; strips; in place and not.
 */
#include "cuda.h"

#include "norm/softmax.cu"

#include "values.h"

static const double slack = NARROW ? 1e-2 : sizeof(real) == 8 ? 1e-13 : 2e-6;

struct answer {
	Sums y, dx;
};

static struct answer
defined(const Values &x, const Values &dy, const Values &y, int64_t outer, int64_t k, int64_t inner, int64_t off)
{
	struct answer a = { Sums((size_t)(outer * k * inner)), Sums((size_t)(outer * k * inner)) };

	for (int64_t r = 0; r < outer * inner; r++) {
		int64_t first = r / inner * k * inner + r % inner;
		double top = -INFINITY, sum = 0, dot = 0;

		for (int64_t j = first; j < first + k * inner; j += inner)
			top = std::fmax(top, value_of(x[j + off]));
		for (int64_t j = first; j < first + k * inner; j += inner)
			sum += a.y[j] = std::exp(value_of(x[j + off]) - top);
		for (int64_t j = first; j < first + k * inner; j += inner) {
			a.y[j] /= sum;
			dot += value_of(dy[j + off]) * value_of(y[j + off]);
		}
		for (int64_t j = first; j < first + k * inner; j += inner)
			a.dx[j] = (value_of(dy[j + off]) - dot) * value_of(y[j + off]);
	}
	return a;
}

static Values
from(const Values &v, int64_t off)
{
	return Values(v.begin() + off, v.end());
}

/* Everything lies OFF elements behind where packs begin. */
static void
check(int64_t outer, int64_t k, int64_t inner, int64_t off)
{
	std::string what = std::to_string(outer) + " x " + std::to_string(k) + " x " + std::to_string(inner) + ", " +
	    std::to_string(off);
	int64_t all = outer * k * inner + off;
	Values x = drawn(all), dy = drawn(all), y(x.size(), (elem)ELEM((real)NAN)), dx = y;

	softmax_forward(&y[off], &x[off], outer, k, inner);
	struct answer a = defined(x, dy, y, outer, k, inner, off);

	softmax_backward(&dx[off], &dy[off], &y[off], outer, k, inner);
	same(what + ": y", from(y, off), a.y, slack);
	same(what + ": dx", from(dx, off), a.dx, slack);
	softmax_backward(&dy[off], &dy[off], &y[off], outer, k, inner);
	same(what + ": dx in place of dy", from(dy, off), a.dx, slack);
	softmax_forward(&x[off], &x[off], outer, k, inner);
	same(what + ": y in place", from(x, off), a.y, slack);
}

int
main(void)
{
	check(5, 7, 1, 0);		/* no whole packs */
	check(70, 8, 1, 0);
	check(37, 64, 1, 0);
	check(37, 64, 1, 1);		/* packs begin elsewhere */
	check(9, 200, 1, 0);
	check(5, 1000, 1, 0);
	check(3, 4096, 1, 0);
	check(2, 8200, 1, 0);		/* too long */
	check(3, 6, 70, 0);
	return verdict();
}
