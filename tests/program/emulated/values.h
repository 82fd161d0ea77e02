/*
 * What the tests of emulated kernels share: numbers drawn at random, the same ones every time, and
 * comparisons that are counted. To be included after a file of kernels/, which says what an elem
 * is.
 */
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

typedef std::vector<elem> Values;
typedef std::vector<double> Sums;

static int failures, checks;
static uint64_t state = 5;

/* from 0 on, below 1 */
static real
uniform(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (real)(state >> 40) / 16777216;
}

/* N numbers from -1 on, below 1 */
static inline Values
drawn(int64_t n)
{
	Values v((size_t)n);

	for (elem &x : v)
		x = ELEM(uniform() * 2 - 1);
	return v;
}

static inline Values
nothing(int64_t n)
{
	return Values((size_t)n, ELEM((real)NAN));
}

/* [b, rows, cols] to [b, cols, rows] */
template <class T> static std::vector<T>
turned(const std::vector<T> &v, int64_t b, int64_t rows, int64_t cols)
{
	std::vector<T> to(v.size());

	for (int64_t i = 0; i < b; i++)
		for (int64_t r = 0; r < rows; r++)
			for (int64_t c = 0; c < cols; c++)
				to[(size_t)((i * cols + c) * rows + r)] =
				    v[(size_t)((i * rows + r) * cols + c)];
	return to;
}

static inline void
failed(const std::string &what, double off, double size)
{
	if (failures++ < 20)
		std::printf("%s: off by %g of %g\n", what.c_str(), off, size);
}

static inline double
value_of(double x)
{
	return x;
}

#if NARROW
static inline double
value_of(elem x)
{
	return VALUE(x);
}
#endif

/* Is all of A within TOLERANCE, of the largest, of B? */
template <class A, class B> static void
same(const std::string &what, const std::vector<A> &a, const std::vector<B> &b, double tolerance)
{
	double off = 0, size = 1e-30;

	for (size_t i = 0; i < a.size() && i < b.size(); i++) {
		double d = std::fabs(value_of(a[i]) - value_of(b[i])), large = std::fabs(value_of(b[i]));

		off = d > off || d != d ? d : off;
		size = large > size ? large : size;
	}
	checks++;
	if (a.size() != b.size() || !(off <= tolerance * size))
		failed(what, off, size);
}

static inline int
verdict(void)
{
	std::printf("%d of %d checks failed\n", failures, checks);
	return failures != 0;
}
