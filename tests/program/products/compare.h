/* What every check of check.c needs: numbers to begin with, and how far a result may be off. */
#ifndef STOWAGE_TESTS_COMPARE_H
#define STOWAGE_TESTS_COMPARE_H

#if defined(USE_DOUBLE)
#define TOLERANCE	1e-13
#elif NARROW
#define TOLERANCE	(1.0 / (1 << ELEM_DIGITS))	/* the most by which rounding is off */
#else
#define TOLERANCE	2e-6
#endif

/* A call that all threads run, as they run a step. */
#if defined(TEAM_THREADS) && !defined(__clang__)
#define TEAM(...)	do {				\
	void run_(void *with)				\
	{						\
		(void)with;				\
		__VA_ARGS__;				\
	}						\
							\
	team_run(run_, NULL);				\
} while (0)
#else
#define TEAM(...)	(__VA_ARGS__)
#endif

static uint64_t state = 88172645463325252u;
static int failures;

static int64_t
draw(int64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (int64_t)(state >> 33) % n;
}

static elem *
fresh(int64_t n)		/* not a number anywhere, so that what is not written shows */
{
	elem *x = (elem *)malloc((size_t)(n ? n : 1) * sizeof(*x));

	for (int64_t i = 0; i < n; i++)
		x[i] = ELEM((real)NAN);
	return x;
}

static real *
scratch_of(int64_t n)
{
	real *x = (real *)malloc((size_t)(n ? n : 1) * sizeof(*x));

	for (int64_t i = 0; i < n; i++)
		x[i] = (real)NAN;
	return x;
}

static elem *
filled(int64_t n)
{
	elem *x = fresh(n);

	for (int64_t i = 0; i < n; i++)
		x[i] = ELEM((real)(draw(2001) - 1000) / 500);
	return x;
}

/* Of 16 bits, many elements that were rounded once are off by 0.42 of the most that one can be,
 * twice by 0.6, three times by 0.73; a few, by chance, by more. */
static double
tolerance(int roundings, int64_t n)
{
	if (!NARROW)
		return TOLERANCE;
	return (n < 500 ? 2 : roundings == 1 ? 0.5 : roundings == 2 ? 0.75 : 1) * TOLERANCE;
}

static void
compare_rounded(int roundings, const char *what, const char *shape, const elem *got,
    const double *want, int64_t n)
{
	double off = 0, norm = 0;

	for (int64_t i = 0; i < n; i++) {
		off += (VALUE(got[i]) - want[i]) * (VALUE(got[i]) - want[i]);
		norm += want[i] * want[i];
	}
	if (sqrt(off) <= tolerance(roundings, n) * sqrt(norm))
		return;
	printf("# %s %s: relative error %g\n", what, shape, sqrt(off / norm));
	failures++;
}

static void
compare(const char *what, const char *shape, const elem *got, const double *want, int64_t n)
{
	compare_rounded(1, what, shape, got, want, n);
}

static void
compare_number(const char *what, const char *shape, real got, double want)
{
	if (fabs((double)got - want) <= TOLERANCE * fabs(want))
		return;
	printf("# %s %s: %g, expected %g\n", what, shape, (double)got, want);
	failures++;
}

#define ADDED	REAL(0.75)

/* The same once more, added to 0.75 times itself. */
static void
compare_added(const char *what, const char *shape, const elem *got, double *want, int64_t n)
{
	char name[64];

	snprintf(name, sizeof(name), "%s, added onto", what);
	for (int64_t i = 0; i < n; i++)
		want[i] *= 1 + ADDED;
	compare_rounded(2, name, shape, got, want, n);
}

#endif
