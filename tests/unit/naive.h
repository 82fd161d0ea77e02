/*
 * What tests of kernels share that hold them against naive loops: numbers to begin with, and how
 * far results are off. It comes behind kernels, whose arguments have the same names.
 */
#ifndef STOWAGE_TESTS_NAIVE_H
#define STOWAGE_TESTS_NAIVE_H

#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/chance.h"

#define MOST	40000

static uint64_t state = 1;

static double
uniform(void)	/* in (-1, 1) */
{
	return (double)(int64_t)(chance_bits(&state) >> 11) / 4503599627370496.0 - 1;
}

static void
fill(real *x, int64_t n, double size, double centre)
{
	for (int64_t i = 0; i < n; i++)
		x[i] = (real)(centre + size * uniform());
}

static void
spoil(void *x, size_t bytes)	/* bytes that are not numbers */
{
	memset(x, 0xff, bytes);
}

/* |a - b| / |b| in the Euclidean norm */
static double
distance(const real *a, const double *b, int64_t n)
{
	double d = 0, size = 0;

	for (int64_t i = 0; i < n; i++) {
		d += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
		size += b[i] * b[i];
	}
	return size > 0 ? sqrt(d / size) : sqrt(d);
}

#define close_to(a, b, n, ...)	do {							\
	double far_ = distance(a, b, n);						\
	cr_assert(far_ <= NEAR, "off by %g: " __VA_ARGS__, far_);			\
} while (0)

static real x[MOST], y[MOST], dy[MOST], dx[MOST];
static double want[MOST], slow[MOST];
static double work[MOST];

#define ADDED	REAL(0.75)

/* What the same once more, onto 0.75 times itself, gives. */
static const double *
added(double *once, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		once[i] *= 1 + ADDED;
	return once;
}

struct layout {
	int64_t b, channels, n;
};

static struct step
step_of(int64_t update, double lr, double keep)
{
	struct step s;

	memset(&s, 0, sizeof(s));
	s.update = update;
	s.lr = lr;
	s.keep = (real)keep;
	return s;
}

#endif
