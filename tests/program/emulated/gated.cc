/*
 * Dense layers whose relu is kept as bits, against sums by definition, and against relu's gradient
 * of what they make: by tiles, and with USE_CUBLASLT by a stand-in for cuBLASLt, which is used only
 * if what it says of -1, 0 and 1 is what is read here.
 */
#include "cuda.h"

#include "../products/epilogues.h"

#ifdef USE_CUBLASLT
#include "cublasLt.h"
#include "copies.h"
#define CUBLAS(call)	LT_WANT((call) == CUBLAS_STATUS_SUCCESS)
static cublasLtHandle_t lt;
#endif

#include "product/dense_gated.cu"

#include "values.h"

#define TOLERANCE	(sizeof(real) == 8 ? 1e-14 : sizeof(elem) == 2 ? 5e-3 : 2e-6)

static bool
passes(const std::vector<uint8_t> &bits, int64_t units, int64_t r, int64_t u)
{
	return bits[(size_t)(r * ((units + 127) / 128 * 16) + u / 8)] >> u % 8 & 1;
}

/* Some rows of x are 0, and so is the bias of some units: there y is 0 exactly, and passes nothing. */
static void
check(int64_t rows, int64_t in, int64_t units, bool biased)
{
	Values x = drawn(rows * in), w = drawn(units * in), bias = drawn(units), y = nothing(rows * units);
	Values dy = drawn(rows * units), own = nothing(rows * units), whole = dy, to = drawn(in * units);
	std::vector<double> want((size_t)(rows * units)), through((size_t)(rows * units)), work(1000);
	std::vector<uint8_t> room((size_t)(rows * ((units + 127) / 128 * 16)) + 16, 0xa5), bits;
	uint8_t *at = &room[(16 - (uintptr_t)&room[0] % 16) % 16];	/* where it lies in an arena */
	std::string name = std::to_string(rows) + " rows, " + std::to_string(in) + " to " + std::to_string(units);
	int64_t size = (int64_t)(work.size() * sizeof(double)), row = (units + 127) / 128 * 16;
	int wrong = 0;

	for (int64_t i = 0; i < in; i++)
		x[(size_t)(rows / 2 * in + i)] = ELEM((real)0);
	for (int64_t u = 0; u < units; u += 3)
		bias[u] = ELEM((real)0);
	for (int64_t r = 0; r < rows; r++)
		for (int64_t u = 0; u < units; u++) {
			double &sum = want[r * units + u];

			sum = biased ? (double)VALUE(bias[u]) : 0;
			for (int64_t i = 0; i < in; i++)
				sum += (double)VALUE(x[r * in + i]) * VALUE(w[u * in + i]);
			sum = sum > 0 ? sum : 0;
		}
	dense_gated_forward(&y[0], at, &x[0], &w[0], biased ? &bias[0] : NULL, THEN(RELU), &work[0], size, rows, in, units);
	same(name + ": y", y, want, TOLERANCE);
	bits.assign(at, at + rows * row);
	for (int64_t r = 0; r < rows; r++)
		for (int64_t u = 0; u < units; u++)
			wrong += passes(bits, units, r, u) != (VALUE(y[r * units + u]) > 0);
	checks++;
	if (wrong)
		failed(name + ": bits", wrong, 0);

	for (size_t i = 0; i < want.size(); i++)
		through[i] = VALUE(y[i]) > 0 ? (double)VALUE(dy[i]) : 0;
	dense_gated_pass(&own[0], &dy[0], at, rows, units);
	same(name + ": what passes", own, through, 0);
	dense_gated_pass(&whole[0], &whole[0], at, rows, units);
	same(name + ": what passes, in place", whole, through, 0);

	for (int64_t r = 0; r < rows; r++)	/* of a layer from these units to IN others */
		for (int64_t u = 0; u < units; u++) {
			double &sum = through[r * units + u];

			sum = 0;
			for (int64_t i = 0; i < in; i++)
				sum += (double)VALUE(x[r * in + i]) * VALUE(to[i * units + u]);
			sum = VALUE(y[r * units + u]) > 0 ? sum : 0;
		}
	dense_gated_backward_input(&own[0], &x[0], &to[0], at, &work[0], size, rows, units, in);
	same(name + ": what passes of the next layer's", own, through, TOLERANCE);
}

static void
check_all(void)
{
	static const int64_t shape[][3] = { { 1, 1, 1 }, { 7, 33, 10 }, { 64, 64, 64 }, { 5, 9, 127 }, { 6, 5, 128 },
		{ 130, 70, 150 }, { 16, 129, 264 } };

	for (const int64_t *s : shape)
		for (int biased = 0; biased < 2; biased++)
			check(s[0], s[1], s[2], biased);
}

#ifdef USE_CUBLASLT
/* A program asks once: so of the algorithm that was found for that, only the answer is new. */
static bool
agrees(int64_t bytes)
{
	static double room[8192];
	char *from = (char *)room + (256 - (uintptr_t)room % 256) % 256;

	std::memset(room, 0, sizeof(room));
	dense_gated_agrees = false;
	dense_gated_ask((unsigned char *)from, bytes);
	return dense_gated_agrees;
}

static int
by_library(void)
{
	return lt_calls[CUBLASLT_EPILOGUE_RELU_AUX] + lt_calls[CUBLASLT_EPILOGUE_RELU_AUX_BIAS] +
	    lt_calls[CUBLASLT_EPILOGUE_DRELU];
}

static void
check_library(void)
{
	int before;

	LT_WANT(!agrees(4096) && by_library() == 0);	/* there is no room to ask in */
	check_all();
	LT_WANT(by_library() == 0);
	for (int how = 0; how < 2; how++) {
		lt_marks_zero = how == 0, lt_marks_last_first = how == 1;
		LT_WANT(!agrees(sizeof(double) * 8000));
		before = by_library();
		check_all();	/* right all the same */
		LT_WANT(by_library() == before);
	}
	lt_marks_zero = lt_marks_last_first = false;
	LT_WANT(agrees(sizeof(double) * 8000));
	check_all();
	LT_WANT(lt_calls[CUBLASLT_EPILOGUE_RELU_AUX] > 7 && lt_calls[CUBLASLT_EPILOGUE_RELU_AUX_BIAS] > 6);
	LT_WANT(lt_calls[CUBLASLT_EPILOGUE_DRELU] > 13);
	lt_refused = CUBLASLT_EPILOGUE_DRELU;
	check(48, 40, 72, true);	/* another shape: bits of the one are read by the other */
	lt_refused = CUBLASLT_EPILOGUE_RELU_AUX_BIAS;
	check(48, 40, 80, true);
}
#endif

int
main(void)
{
#ifdef USE_CUBLASLT
	check_library();
#else
	check_all();
#endif
	return verdict();
}
