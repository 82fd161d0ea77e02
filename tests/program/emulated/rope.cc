/*
 * CUDA's kernel for rotary embedding, and with IN_C the other one, against its definition in long double: both
 * kinds of pairs, heads turned in part, rows with a rest, positions far out, and back again in place.
 */
#ifdef IN_C
#include <cmath>
#include <string>
#define restrict __restrict
#else
#include "cuda.h"
#endif

#include "pointwise/rope.cu"

#include "values.h"

#if NARROW
#define TOLERANCE	4e-3
#elif defined(USE_DOUBLE)
#define TOLERANCE	2e-11	/* an angle of 10^5 has no more digits */
#else
#define TOLERANCE	4e-7
#endif

static void
check(struct rope r)
{
	int64_t rows = r.b * r.t, half = r.dims / 2;
	Values x = drawn(rows * r.row), y = nothing(rows * r.row);
	Sums want;
	std::string what = std::to_string(r.t) + " x " + std::to_string(r.heads) + " x " + std::to_string(r.d);

	for (elem v : x)
		want.push_back(value_of(v));
	Sums start = want;
	for (int64_t i = 0; i < rows * r.heads * half; i++) {
		int64_t k = i % half, h = i / half % r.heads, row = i / half / r.heads;
		size_t a = (size_t)(row * r.row + h * r.d + (r.interleaved ? 2 * k : k));
		size_t b = a + (size_t)(r.interleaved ? 1 : half);
		long double t = ((long double)r.first + row % r.t) / r.stretch *
		    powl((long double)r.base, -2.0L * k / r.dims);

		want[a] = (double)(start[a] * cosl(t) - start[b] * sinl(t));
		want[b] = (double)(start[a] * sinl(t) + start[b] * cosl(t));
	}
	rope(&y[0], &x[0], r);
	same(what, y, want, TOLERANCE);
	r.turn = -1;
	rope(&y[0], &y[0], r);
	same(what + ", and back", y, start, 2 * TOLERANCE);
}

int
main(void)
{
	/*      b  t   row  heads d  dims interleaved turn first stretch base */
	check({ 2, 35, 24, 3, 8, 8, 0, 1, 0, 1, 10000 });
	check({ 3, 17, 30, 2, 12, 10, 1, 1, 99990, 1, 10000 });
	check({ 9, 5, 300, 1, 300, 290, 0, 1, 0, 4, 500000 });
	check({ 1, 200, 6, 3, 2, 2, 0, 1, 99990, 1, 10000 });
	return verdict();
}
