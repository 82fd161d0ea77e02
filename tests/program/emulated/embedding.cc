/*
 * CUDA's kernels for an embedding and the gradient of its table, against their definition in double precision:
 * fewer tokens than a tile of the sort, several tiles of which the last is not full, one row for nearly all
 * tokens, rows as wide as several blocks; made anew, and added onto what lies there.
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
	embedding_forward(&y[0], &w[0], &ids[0], tokens, rows, width, padding);
	for (size_t i = 0; i < y.size(); i++) {
		int32_t id = ids[i / (size_t)width];

		near("row", VALUE(y[i]), !known(id, rows, padding) ? 0 :
		    VALUE(w[(size_t)id * (size_t)width + i % (size_t)width]), 0);
	}
	embedding_backward(&dw[0], &dy[0], &ids[0], ONTO(keep), &work[0], tokens, rows, width, padding);
	for (size_t i = 0; i < dw.size(); i++)
		near("gradient", VALUE(dw[i]), should[i],
		    (NARROW ? std::ldexp(std::fabs(should[i]) + 1, -8) : 0) + 1e-6 * (terms[i] + 1));
}

int
main(void)
{
	check(1, 1, 1, -1, 0, 0);
	check(3, 5, 7, -1, 0, 0);
	check(100, 13, 300, 4, 0, 1);
	check(2048, 50, 3, 0, 0, 0.9f);
	check(2049, 9000, 2, -1, 0, 0);
	check(7001, 300, 5, -1, 0.9f, 1);
	check(13000, 70000, 4, 17, 0.5f, 0);
	return verdict();
}
