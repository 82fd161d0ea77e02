/*
 * CUDA's kernels for an embedding and the gradient of its table, against their definition in double precision:
 * fewer tokens than a tile of the sort, several tiles of which the last is not full, one row for nearly all
 * tokens, rows as wide as several blocks; made anew, added onto what lies there, and made a step of descent at once.
 */
#include "cuda.h"

#include "copy/embedding.cu"

#include "values.h"

static void
near(const char *what, double is, double should, double tolerance)
{
	checks++;
	if (!(std::fabs(is - should) <= tolerance))
		failed(what, is - should, should);
}

static bool
known(int32_t id, int64_t rows, int64_t padding)
{
	return id >= 0 && id < rows && id != padding;
}

static void
check(int64_t tokens, int64_t rows, int64_t width, int64_t padding, float common, real keep)
{
	std::vector<elem> w((size_t)(rows * width)), dw(w.size()), y((size_t)(tokens * width)), dy(y.size());
	std::vector<int32_t> ids((size_t)tokens);
	std::vector<uint64_t> work((size_t)(2 * tokens));
	std::vector<double> should(w.size()), terms(w.size());

	for (int32_t &id : ids)
		id = uniform() < common ? 1 : (int32_t)(uniform() * (float)(rows + 2)) - 1;
	for (size_t i = 0; i < w.size(); i++) {
		w[i] = ELEM(uniform() * 2 - 1), dw[i] = ELEM(uniform() * 2 - 1);
		should[i] = keep * (double)VALUE(dw[i]);
		if (keep == 0)
			dw[i] = ELEM(NAN);
	}
	for (size_t i = 0; i < y.size(); i++) {
		int32_t id = ids[i / (size_t)width];
		size_t at = (size_t)id * (size_t)width + i % (size_t)width;

		dy[i] = ELEM(uniform() * 2 - 1);
		if (known(id, rows, padding))
			should[at] += VALUE(dy[i]), terms[at] += std::fabs((double)VALUE(dy[i]));
	}
	embedding_forward(&y[0], &w[0], &ids[0], tokens, 0, rows, width, padding);
	for (size_t i = 0; i < y.size(); i++) {
		int32_t id = ids[i / (size_t)width];

		near("row", VALUE(y[i]), !known(id, rows, padding) ? 0 :
		    VALUE(w[(size_t)id * (size_t)width + i % (size_t)width]), 0);
	}
	embedding_backward(&dw[0], &dy[0], &ids[0], ONTO(keep), &work[0], tokens, 0, rows, width, padding);
	for (size_t i = 0; i < dw.size(); i++)
		near("gradient", VALUE(dw[i]), should[i],
		    (NARROW ? std::ldexp(std::fabs(should[i]) + 1, -8) : 0) + 1e-6 * (terms[i] + 1));
}

/* A step from a master copy, whose rounding the table then is, or of the table itself. */
static void
check_sgd(int64_t tokens, int64_t rows, int64_t width, bool master)
{
	std::vector<elem> w((size_t)(rows * width)), dy((size_t)(tokens * width));
	std::vector<real> copy(w.size());
	std::vector<int32_t> ids((size_t)tokens);
	std::vector<uint64_t> work((size_t)(2 * tokens));
	std::vector<double> should(w.size());
	struct step s = { 1, 2, 3, 0.25, 0.5f, 0 };

	for (size_t i = 0; i < w.size(); i++)
		w[i] = ELEM(copy[i] = uniform() * 2 - 1), should[i] = master ? copy[i] : VALUE(w[i]);
	for (int32_t &id : ids)
		id = (int32_t)(uniform() * (float)rows);
	for (size_t i = 0; i < dy.size(); i++) {
		dy[i] = ELEM(uniform() * 2 - 1);
		should[(size_t)ids[i / (size_t)width] * (size_t)width + i % (size_t)width] -= 0.25 * VALUE(dy[i]);
	}
	embedding_sgd(&w[0], master ? &copy[0] : NULL, &dy[0], &ids[0], &s, &work[0], tokens, 0, rows, width, -1);
	for (size_t i = 0; i < w.size(); i++) {
		near("table", VALUE(w[i]), should[i], (NARROW ? std::ldexp(std::fabs(should[i]), -8) : 0) + 1e-5);
		if (master)
			near("master copy", copy[i], should[i], 1e-5);
	}
}

int
main(void)
{
	check_sgd(300, 400, 9, true);
	check_sgd(5000, 40, 3, false);
	check(1, 1, 1, -1, 0, 0);
	check(3, 5, 7, -1, 0, 0);
	check(100, 13, 300, 4, 0, 1);
	check(2048, 50, 3, 0, 0, 0.9f);
	check(2049, 9000, 2, -1, 0, 0);
	check(7001, 300, 5, -1, 0.9f, 1);
	check(13000, 70000, 4, 17, 0.5f, 0);
	return verdict();
}
