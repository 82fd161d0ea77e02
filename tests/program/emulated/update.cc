/*
 * Kernels, CUDA's and with IN_C the other ones, for Adam and for optimizers that see a whole parameter, or blocks of
 * it, before they change it, against their definitions in double precision over three updates: fewer elements than a
 * block, parts and blocks that are not whole, matrices in pieces, matrices that lie side by side, rates of their own.
 */
#ifdef IN_C
#include <cmath>
#include <string>
#define restrict __restrict
#else
#include "cuda.h"
#endif

#include "update/lamb.cu"
#include "update/adafactor.cu"
#include "update/adam.cu"
#include "update/adamw8bit.cu"

#include "values.h"

#define UPDATES_TRIED	3

static struct update table[1];
static real number[2];		/* of an update */

DEVICE const struct update *
update_table(void)
{
	return table;
}

static double
size_of(const Sums &x)
{
	double sum = 0;

	for (double v : x)
		sum += v * v;
	return std::sqrt(sum);
}

static Sums
wide(const Values &v)
{
	return Sums(v.begin(), v.end());
}

static void
check_lamb(int64_t n, int64_t parts, double decay)
{
	Values w = drawn(n), m((size_t)n), v((size_t)n);
	Sums should = wide(w), first((size_t)n), second((size_t)n), work((size_t)(2 * parts));

	for (int64_t t = 1; t <= UPDATES_TRIED; t++) {
		Values g = drawn(n);
		struct step s = { t, 0, 0, 0.25, 1, 0 };
		Sums step((size_t)n);
		double ratio = 1;

		for (size_t i = 0; i < (size_t)n; i++) {
			first[i] = 0.9 * first[i] + 0.1 * g[i];
			second[i] = 0.99 * second[i] + 0.01 * g[i] * g[i];
			step[i] = first[i] / (1 - std::pow(0.9, (double)t)) /
			    (std::sqrt(second[i] / (1 - std::pow(0.99, (double)t))) + 1e-6) + decay * should[i];
		}
		if (decay > 0)
			ratio = size_of(should) / size_of(step);
		for (size_t i = 0; i < (size_t)n; i++)
			should[i] -= 0.25 * ratio * step[i];
		adam_numbers(number, t, std::log(0.9), std::log(0.99));
		lamb_update(share_of(&w[0], NULL, &g[0], &m[0], &v[0], NULL, decay, 1, n), NULL, &s, number, &work[0], n, parts,
		    0.9, 0.99, 1e-6, decay > 0);
	}
	same("lamb", w, should, 1e-5);
}

/* Matrices, one after the other, or where LAST side by side: all of them, or the last INNER axis of them. */
static void
check_adafactor(int64_t outer, int64_t rows, int64_t cols, int64_t inner, int64_t pieces)
{
	int64_t n = outer * rows * cols, groups = outer / inner;
	Values w = drawn(n), row((size_t)(outer * rows)), col((size_t)(outer * cols));
	Sums should = wide(w), r(row.size()), c(col.size()), step((size_t)n), work((size_t)(6 + outer + outer * pieces * cols));

	for (int64_t t = 1; t <= UPDATES_TRIED; t++) {
		double share = std::pow((double)t, -0.8), rate = 1 / std::sqrt((double)t), cut, before;
		Values drawn_now = drawn(n);
		std::vector<gradient> g(drawn_now.begin(), drawn_now.end());
		struct step s = { t, 0, 0, 0.75, 1, 0 };
		Sums laid = inner > 1 ? turned(wide(drawn_now), groups, rows * cols, inner) : wide(drawn_now);
		Sums weight = inner > 1 ? turned(should, groups, rows * cols, inner) : should;

		rate = rate < 0.75 ? rate : 0.75;
		for (double &x : r)
			x *= 1 - share;
		for (double &x : c)
			x *= 1 - share;
		for (int64_t i = 0; i < n; i++) {
			double x = laid[(size_t)i] * laid[(size_t)i];
			int64_t o = i / (rows * cols);

			r[(size_t)(i / cols)] += share * x / (double)cols;
			c[(size_t)(o * cols + i % cols)] += share * x / (double)rows;
		}
		for (int64_t i = 0; i < n; i++) {
			int64_t o = i / (rows * cols);
			double mean = 0;

			for (int64_t k = 0; k < rows; k++)
				mean += r[(size_t)(o * rows + k)] / (double)rows;
			step[(size_t)i] = laid[(size_t)i] / std::sqrt(r[(size_t)(i / cols)] *
			    c[(size_t)(o * cols + i % cols)] / mean);
		}
		cut = size_of(step) / std::sqrt((double)n);
		before = size_of(weight) / std::sqrt((double)n);
		for (size_t i = 0; i < (size_t)n; i++)
			weight[i] = weight[i] * (1 - 0.75 * 0.1) - rate * before * step[i] / (cut > 1 ? cut : 1);
		should = inner > 1 ? turned(weight, groups, inner, rows * cols) : weight;
		adafactor_numbers(number, t, -0.8);
		adafactor_update(share_of(&w[0], NULL, &g[0], &row[0], &col[0], NULL, 0.1, 1, n),
		    factors_of(outer, rows, cols, inner, inner > 1, pieces), NULL, &s, number, &work[0], 3, 1e-7, 1e-3, 1);
	}
	same("adafactor", w, should, 1e-5);
}

/* The largest number of a block is itself a code's; the others are within half a cell of theirs. */
static void
check_codes(void)
{
	double before = -1;

	for (int code = 0; code < 256; code++) {
		double x = code_value(code, 2);

		checks++;
		if (!(x > before) || code_nearest((real)x, 2) != code)
			failed("code", code, x);
		before = x;
	}
	for (int code = 0; code < 256; code++) {
		double x = mean_value((uint8_t)code);

		checks++;
		if (mean_code((real)x) != code || (x < 0) != (code > 128))
			failed("code with a sign", code, x);
	}
	for (int i = 0; i < 4000; i++) {
		real x = (real)std::pow(10, -8 * uniform());
		int code = code_nearest(x, 2);
		double off = std::fabs((double)x - code_value(code, 2));

		checks++;
		for (int other = 0; other < 256; other++)
			if (std::fabs((double)x - code_value(other, 2)) < off * (1 - 1e-5))
				failed("nearest code", code - other, x);
	}
}

static void
check_adamw8bit(int64_t n)
{
	int64_t blocks = (n + CODED_BLOCK - 1) / CODED_BLOCK, bytes = (n + 7) / 8 * 8;
	int64_t tensor = (int64_t)sizeof(real) * n;
	std::vector<unsigned char> arena((size_t)(2 * tensor + 2 * bytes + 2 * (int64_t)sizeof(real) * blocks));
	real *w = (real *)&arena[0], *g = (real *)&arena[(size_t)tensor], *largest;
	Sums should((size_t)n), first((size_t)n), second((size_t)n);

	table[0] = { 0, ABSENT, tensor, { 2 * tensor, 2 * tensor + bytes, 2 * tensor + 2 * bytes }, 0.1, 1, n, 0 };
	largest = (real *)&arena[(size_t)table[0].state[2]];
	for (size_t i = 0; i < (size_t)n; i++)
		should[i] = w[i] = uniform() * 2 - 1;
	for (int64_t t = 1; t <= UPDATES_TRIED; t++) {
		struct step s = { t, 0, 0, 0.01, 1, 0 };

		for (size_t i = 0; i < (size_t)n; i++) {	/* the means from the codes, as they are */
			g[i] = uniform() * 2 - 1;
			first[i] = 0.9 * mean_value(arena[(size_t)table[0].state[0] + i]) *
			    largest[i / CODED_BLOCK] + 0.1 * g[i];
			second[i] = 0.99 * code_value(arena[(size_t)table[0].state[1] + i], 2) *
			    largest[(size_t)blocks + i / CODED_BLOCK] + 0.01 * g[i] * g[i];
			should[i] = should[i] * (1 - 0.01 * 0.1) - 0.01 * first[i] / (1 - std::pow(0.9, (double)t)) /
			    (std::sqrt(second[i] / (1 - std::pow(0.99, (double)t))) + 1e-8);
		}
		adam_numbers(number, t, std::log(0.9), std::log(0.99));
		adamw8bit_update(updates_of(&arena[0], 0, 1, (n + UPDATE_CHUNK - 1) / UPDATE_CHUNK), NULL, &s, number, 0.9,
		    0.99, 1e-8);
		for (size_t i = 0; i < (size_t)n; i++) {	/* within a 64th: half of a cell of the highest decade */
			double is = mean_value(arena[(size_t)table[0].state[0] + i]) * largest[i / CODED_BLOCK];

			checks++;
			if (std::fabs(is - first[i]) > largest[i / CODED_BLOCK] / 64)
				failed("mean", is - first[i], first[i]);
		}
	}
	same("adamw8bit", Values(w, w + n), should, 1e-5);
}

/* What is the same in a step for all weights is rounded a few times, and no more after a million updates than after
 * one, whatever the means keep. */
static void
check_numbers(double beta1, double beta2)
{
	for (int64_t t = 1; t <= 4000000; t = t * 3 / 2 + 1) {
		long double first = 1 / (1 - powl(beta1, t)), second = 1 / sqrtl(1 - powl(beta2, t));

		adam_numbers(number, t, std::log(beta1), std::log(beta2));
		checks++;
		if (!(std::fabs(number[0] / first - 1) < 4e-7L && std::fabs(number[1] / second - 1) < 4e-7L))
			failed("numbers", (double)(number[0] - first), (double)first);
		adafactor_numbers(number, t, -0.8);
		first = powl(t, -0.8L), second = 1 / sqrtl(t);
		checks++;
		if (!(std::fabs(number[0] / first - 1) < 2e-7L && std::fabs(number[1] / second - 1) < 2e-7L))
			failed("numbers", (double)(number[0] - first), (double)first);
	}
}

/* RATE: of the step's. */
static void
check_adam(int64_t n, double rate, int decoupled)
{
	int64_t tensor = (int64_t)sizeof(real) * n;
	Values arena((size_t)(4 * n));
	Sums should((size_t)n), first((size_t)n), second((size_t)n);

	table[0] = { 0, ABSENT, tensor, { 2 * tensor, 3 * tensor, ABSENT }, 0.1, rate, n, 0 };
	for (size_t i = 0; i < (size_t)n; i++)
		should[i] = arena[i] = uniform() * 2 - 1;
	for (int64_t t = 1; t <= UPDATES_TRIED; t++) {
		struct step s = { t, 0, 0, 0.01, 1, 0 };

		for (size_t i = 0; i < (size_t)n; i++) {
			double g = arena[(size_t)n + i] = uniform() * 2 - 1;

			g += decoupled ? 0 : 0.1 * should[i];
			first[i] = 0.9 * first[i] + 0.1 * g;
			second[i] = 0.99 * second[i] + 0.01 * g * g;
			should[i] = should[i] * (decoupled ? 1 - 0.01 * rate * 0.1 : 1) -
			    0.01 * rate * first[i] / (1 - std::pow(0.9, (double)t)) /
			    (std::sqrt(second[i] / (1 - std::pow(0.99, (double)t))) + 1e-8);
		}
		adam_numbers(number, t, std::log(0.9), std::log(0.99));
		adam_update(updates_of((unsigned char *)&arena[0], 0, 1, (n + UPDATE_CHUNK - 1) / UPDATE_CHUNK), NULL, &s,
		    number, 0.9, 0.99, 1e-8, decoupled);
	}
	same("adam", Values(arena.begin(), arena.begin() + n), should, 1e-5);
}

int
main(void)
{
	check_numbers(0.9, 0.999);
	check_numbers(0, 0.9999999);
	check_numbers(0.5, 0);
	check_adam(7, 1, 0);
	check_adam(5000, 0.5, 1);
	check_lamb(7, 1, 0.1);
	check_lamb(5000, 3, 0.1);
	check_lamb(5000, 3, 0);
	check_adafactor(1, 600, 9, 1, 3);
	check_adafactor(1, 5, 300, 1, 1);
	check_adafactor(6, 3, 5, 1, 1);
	check_adafactor(6, 3, 5, 3, 1);
	check_codes();
	check_adamw8bit(9);
	check_adamw8bit(4130);
	return verdict();
}
