/*
 * Normalisation of what a convolution has added up the channels of, channels last, against the kernels that read it for its
 * statistics: as near as floats are where the sums tell the deviation, the same bits where most of it would cancel out, or where
 * they are no numbers.
 */
#include "cuda.h"

#include "../products/epilogues.h"

#include "norm/batchnorm.cu"

#include "values.h"

static const double SHIFT = 7;	/* of the sums of a channel, to see that they are what is taken */

struct norm {
	Values x, w, b, y;
	std::vector<real> mean, invstd, rm, rv, known;

	norm(int64_t rows, int64_t c) : x(drawn(rows * c)), w(drawn(c)), b(drawn(c)), y(nothing(rows * c)), mean((size_t)c),
	    invstd((size_t)c), rm((size_t)c, (real)0.5), rv((size_t)c, (real)0.5), known((size_t)(2 * c)) { }
};

/* Which way channel C goes: 0 to 2 by its sums, exact, with a mean of several deviations, and of elements that all lie elsewhere;
 * 3 to 5 by its elements, whose mean is large, or as the sums say, or they are no numbers. */
static int
way(int64_t c, bool known)
{
	return (int)(known ? c % 3 : c % 6);
}

static void
add_up(norm &n, int64_t rows, int64_t channels, bool known)
{
	for (int64_t c = 0; c < channels; c++) {
		double sum = 0, squares = 0, far = way(c, known) == 1 ? 5 : way(c, known) == 3 ? 500 : 0;
		double by = way(c, known) == 2 ? SHIFT : 0;

		for (int64_t i = 0; i < rows; i++) {
			elem &x = n.x[(size_t)(i * channels + c)];

			x = ELEM((real)(VALUE(x) + far));
			sum += VALUE(x) + by;
			squares += (VALUE(x) + by) * (VALUE(x) + by);
		}
		n.known[(size_t)c] = (real)(way(c, known) == 4 ? 1000.0 * (double)rows : way(c, known) == 5 ? NAN : sum);
		n.known[(size_t)(channels + c)] = (real)(way(c, known) == 4 ? 1000001.0 * (double)rows : squares);
	}
}

/* Channels that go way W. */
template <class T> static std::vector<T>
of_way(const std::vector<T> &v, int w, int64_t channels, bool known)
{
	std::vector<T> some;

	for (size_t i = 0; i < v.size(); i++)
		if (way((int64_t)i % channels, known) == w)
			some.push_back(v[i]);
	return some;
}

/* What is KNOWN, and not of X. */
static void
compare(const std::string &what, const norm &a, const norm &b, int64_t c, bool known)
{
	std::vector<real> moved = b.mean, run = b.rm;

	for (int w = 0; w < (known ? 3 : 6); w++) {
		double near = w < 3 ? 1e-4 : 0;
		std::string at = what + ", way " + std::to_string(w);

		if (w == 2)
			for (int64_t k = 0; k < c; k++)
				moved[(size_t)k] += (real)SHIFT, run[(size_t)k] += (real)(SHIFT * 0.1);
		same(at + ": mean", of_way(a.mean, w, c, known), of_way(moved, w, c, known), near);
		same(at + ": deviation", of_way(a.invstd, w, c, known), of_way(b.invstd, w, c, known), near);
		same(at + ": running mean", of_way(a.rm, w, c, known), of_way(run, w, c, known), near);
		same(at + ": running variance", of_way(a.rv, w, c, known), of_way(b.rv, w, c, known), near);
		if (w != 2)
			same(at + ": y", of_way(a.y, w, c, known), of_way(b.y, w, c, known), w >= 3 ? 0 : NARROW ? 1e-2 : 1e-4);
		moved = b.mean, run = b.rm;
	}
}

static void
check(int64_t rows, int64_t c, bool known)
{
	std::string at = " " + std::to_string(rows) + "x" + std::to_string(c) + (known ? ", all known" : "");
	int64_t parts = norm_parts(c, true);
	Sums work((size_t)(2 * c * parts), NAN);	/* where nothing is read it says nothing */
	Values skip = drawn(rows * c);
	norm sums(rows, c), two(rows, c);

	add_up(sums, rows, c, known), add_up(two, rows, c, known);
	for (int how = 0; how < 3; how++) {
		norm a = sums, b = sums, a_2 = two, b_2 = two;
		std::vector<uint8_t> marks((size_t)(rows * c / COLUMN_WIDTH));
		struct epilogue then = how ? THEN_WITH(ADD_RELU, &skip[0]) : AS_IS;

		for (int k = 0; k < 2; k++) {
			norm &n = k ? b : a, &m = k ? b_2 : a_2;
			const real *known_of = k ? NULL : &n.known[0], *known_of_2 = k ? NULL : &m.known[0];

			work.assign(work.size(), NAN);
			if (how == 2)
				batchnorm_both_forward(&n.y[0], &marks[0], bn_by(&n.x[0], &n.w[0], &n.b[0], &n.mean[0],
				    &n.invstd[0]), bn_kept(&n.rm[0], &n.rv[0], known_of, 1e-5, 0.1), bn_by(&m.x[0], &m.w[0],
				    &m.b[0], &m.mean[0], &m.invstd[0]), bn_kept(&m.rm[0], &m.rv[0], known_of_2, 1e-5, 0.1),
				    THEN(ADD_RELU), &work[0], rows, c, parts);
			else if (how == 1)
				batchnorm_marked_forward(&n.y[0], &n.mean[0], &n.invstd[0], &n.rm[0], &n.rv[0], &marks[0],
				    &work[0], known_of, &n.x[0], &n.w[0], &n.b[0], then, 1e-5, 0.1, rows, c, parts);
			else
				batchnorm_forward(&n.y[0], &n.mean[0], &n.invstd[0], &n.rm[0], &n.rv[0], &work[0], known_of,
				    &n.x[0], &n.w[0], &n.b[0], then, 1e-5, 0.1, rows, c, 1, parts);
		}
		compare((how == 2 ? "the first of both" : how ? "a marked norm" : "a norm") + at, a, b, c, known);
		if (how == 2) {
			a_2.y.clear(), b_2.y.clear();	/* they have none */
			compare("the second of both" + at, a_2, b_2, c, known);
		}
	}
}

int
main(void)
{
	check(50, 8, false);
	check(700, 24, false);
	check(3000, 264, false);
	check(90, 528, true);
	check(3000, 48, true);
	return verdict();
}
