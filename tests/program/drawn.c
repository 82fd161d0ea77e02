/*
 * Normal numbers of kernels/host/normal.h against logarithm and cosine in long double, their
 * moments, and how far they are from a normal distribution (Kolmogorov and Smirnov). On the last
 * line is a sum of the bits of all of them, as floats and as doubles, which must be the same
 * however this is compiled.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_TOO	static inline
#include "normal.h"

#define NUMBERS	400000
#define UNIT	0x1p-53

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* In units in the last place, of what it should be. */
static double
error(double x, long double want)
{
	return want == 0 ? x != 0 : (double)(fabsl((long double)x - want) / fabsl(want)) / (2 * UNIT);
}

static void
largest(double *most, double x)
{
	*most = x > *most ? x : *most;
}

/* How far a sample of so many is from the distribution, times the root of their number: above 1.95
 * once in a thousand times. */
static double
distance(double *x)
{
	double most = 0;

	qsort(x, NUMBERS, sizeof(*x), compare);
	for (int i = 0; i < NUMBERS; i++) {
		double below = erfc(-x[i] / sqrt(2)) / 2;

		largest(&most, fabs(below - (double)i / NUMBERS));
		largest(&most, fabs(below - (double)(i + 1) / NUMBERS));
	}
	return most * sqrt(NUMBERS);
}

int
main(void)
{
	static double x[NUMBERS];
	double log_error = 0, cos_error = 0, sum[5] = { 0 }, far;
	uint64_t bits = 0, of_floats = 0, ends[] = { 1, 2, 3, NORMAL_ONE - 1, NORMAL_ONE, NORMAL_ONE / 2, NORMAL_ONE / 2 + 1 };

	for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++)
		largest(&log_error, error(normal_log(ends[k]), logl((long double)ends[k] * UNIT)));
	for (uint64_t i = 0; i < NUMBERS; i++) {
		uint64_t k = NORMAL_ONE - (seed_bits(5, 11, 2 * i) >> 11), raw;
		double a = 6.283185307179586477 * ((double)(seed_bits(5, 11, 2 * i + 1) >> 11) * UNIT), power = 1;
		float f;
		uint32_t raw_float;

		largest(&log_error, error(normal_log(k), logl((long double)k * UNIT)));
		largest(&cos_error, error(normal_cos(a), cosl(a)));
		x[i] = seed_normal(5, 11, i);
		for (int p = 1; p <= 4; p++)
			sum[p] += power *= x[i];
		f = (float)x[i];
		memcpy(&raw, &x[i], sizeof(raw));
		memcpy(&raw_float, &f, sizeof(raw_float));
		bits = (bits ^ raw) * 0x100000001b3u;
		of_floats = (of_floats ^ raw_float) * 0x100000001b3u;
	}
	for (int p = 1; p <= 4; p++)
		sum[p] = sum[p] / NUMBERS;
	far = distance(x);
	printf("errors %.3f and %.3f, moments %.4f %.4f %.4f %.4f, distance %.3f\n", log_error, cos_error,
	    sum[1], sum[2], sum[3], sum[4], far);
	printf("bits %016llx %016llx\n", (unsigned long long)bits, (unsigned long long)of_floats);
	/* four deviations of means of so many powers: their variances are 1, 2, 15 and 96 */
	return !(log_error < 1 && cos_error < 1.1 && fabs(sum[1]) < 4 * sqrt(1.0 / NUMBERS) && fabs(sum[2] - 1) < 4 * sqrt(2.0 / NUMBERS) &&
	    fabs(sum[3]) < 4 * sqrt(15.0 / NUMBERS) && fabs(sum[4] - 3) < 4 * sqrt(96.0 / NUMBERS) && far < 1.95);
}
