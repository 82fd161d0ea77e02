/*
 * Products of elements of 16 bits that are added to sums in f32 (dense_backward_weight_real),
 * against sums by definition in double precision: by tiles, large and small, and with USE_CUBLASLT
 * by what stands for cuBLASLt. The sums are never rounded to 16 bits.
 */
#include "cuda.h"

#ifdef USE_CUBLASLT
#include "cublasLt.h"
#define CUBLAS(call)	LT_WANT((call) == CUBLAS_STATUS_SUCCESS)
static cublasLtHandle_t lt;
#endif

#include "product/matmul.cu"

#include "values.h"

#define TOLERANCE	1e-6	/* elements of 16 bits are off by 2e-3 */

typedef std::vector<real> Whole;

static void
check(const std::string &what, const Whole &old, double keep, const Sums &sums, struct onto onto, const Values &dy,
    const Values &x, int64_t rows, int64_t in, int64_t units)
{
	std::vector<double> work(DENSE_FACTORS / sizeof(double) + 100);
	Whole by[2] = { old, old };
	Sums want = sums;

	for (size_t i = 0; i < want.size() && keep != 0; i++)
		want[i] += keep * old[i];
	for (int i = 0; i < 2; i++) {
		emulated_processors = i ? 1 << 30 : 1;
		dense_backward_weight_real(&by[i][0], &dy[0], &x[0], onto, &work[0], (int64_t)(work.size() * sizeof(double)),
		    rows, in, units);
	}
	same(what, by[0], want, TOLERANCE);
	checks++;
	if (std::memcmp(&by[0][0], &by[1][0], old.size() * sizeof(real)) != 0)
		failed(what + ": other bits by other tiles", 0, 0);
}

static void
check_all(int64_t rows, int64_t in, int64_t units)
{
	Values dy = drawn(rows * units), x = drawn(rows * in);
	Whole old((size_t)(units * in)), none((size_t)(units * in), (real)NAN);
	Sums sums(old.size());
	std::string at = std::to_string(rows) + " rows, " + std::to_string(in) + " to " + std::to_string(units) + ", ";
	struct step first = { 1, 2, 3, 0, 1, 0 }, next = { 1, 2, 3, 0, 1, 1 };

	for (real &v : old)
		v = uniform() * 2 - 1;
	for (int64_t r = 0; r < rows; r++)
		for (int64_t u = 0; u < units; u++)
			for (int64_t i = 0; i < in; i++)
				sums[u * in + i] += (double)VALUE(dy[r * units + u]) * VALUE(x[r * in + i]);
	check(at + "anew", none, 0, sums, ANEW, dy, x, rows, in, units);
	check(at + "onto a part", old, 0.75, sums, ONTO(0.75f), dy, x, rows, in, units);
	check(at + "the first of an update", none, 0, sums, ONTO_FIRST(0, &first), dy, x, rows, in, units);
	check(at + "the next of an update", old, 1, sums, ONTO_FIRST(0, &next), dy, x, rows, in, units);
}

int
main(void)
{
	check_all(1, 1, 1);
	check_all(7, 33, 10);
	check_all(40, 72, 104);
	check_all(99, 70, 121);
	check_all(64, 136, 200);
#ifdef USE_CUBLASLT
	LT_WANT(lt_calls[CUBLASLT_EPILOGUE_DEFAULT] > 0);
#endif
	return verdict();
}
