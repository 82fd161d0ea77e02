/*
 * Kernels against naive loops, on the CPU in double precision (test_kernels_f32.c: in float): what
 * the gradient checks of whole programs do not reach: functions at the ends of their range,
 * dropout's numbers, and copies.
 */
#include "precision.h"
#include "../../kernels/copy/cast.cu"
#include "../../kernels/copy/concat.cu"
#include "../../kernels/copy/rectangle.cu"
#include "../../kernels/copy/upsample.cu"
#include "../../kernels/pointwise/dropout.cu"
#include "naive.h"

/* ---- functions of formulas ---- */

Test(kernels, exponentials_at_the_ends)
{
	cr_assert_eq(tanh_of(REAL(50.0)), 1);
	cr_assert_eq(tanh_of(REAL(-50.0)), -1);
	cr_assert_eq(tanh_of(0), 0);
	cr_assert_eq(exp_of(0), 1);
	cr_assert(exp_of(REAL(-1000.0)) < REAL(1e-37));
	cr_assert(logistic(REAL(-1000.0)) < REAL(1e-37));
	cr_assert_eq(logistic(REAL(1000.0)), 1);
	cr_assert(exp_of((real)NAN) != exp_of((real)NAN));
	cr_assert(tanh_of((real)NAN) != tanh_of((real)NAN));
	cr_assert(normal_below((real)NAN) != normal_below((real)NAN));
	cr_assert_eq(normal_below(REAL(20.0)), 1);
	cr_assert(normal_below(REAL(-20.0)) < REAL(1e-30));
}

static double
logistic_exact(double v)
{
	return 1 / (1 + exp(-v));
}

static double
normal_exact(double v)
{
	return 0.5 * erfc(-v / sqrt(2));
}

static double
softplus_exact(double v)
{
	return log1p(exp(v));
}

static const struct function {
	const char *name;
	real (*mine)(real);
	double (*exact)(double);
	double from, to;
} functions[] = {
	{ "log", log_of, log, 1e-3, 4 }, { "log of large", log_of, log, 1, 1e30 },
	{ "log of small", log_of, log, 1e-37, 1e-30 }, { "log1p", log1p_of, log1p, -0.9, 3 },
	{ "log1p near 0", log1p_of, log1p, -1e-4, 1e-4 }, { "expm1", expm1_of, expm1, -10, 10 },
	{ "expm1 near 0", expm1_of, expm1, -1e-4, 1e-4 }, { "erf", erf_of, erf, -5, 5 },
	{ "erf near 0", erf_of, erf, -1e-4, 1e-4 }, { "softplus", softplus_of, softplus_exact, -30, 30 },
	{ "exp", exp_of, exp, -80, 80 }, { "tanh", tanh_of, tanh, -9, 9 },
	{ "tanh near 0", tanh_of, tanh, -1e-4, 1e-4 }, { "logistic", logistic, logistic_exact, -30, 30 },
	{ "normal", normal_below, normal_exact, -5, 8 },
};

Test(kernels, functions_and_those_of_the_library)
{
	const int n = 20000;
	size_t k;

	for (k = 0; k < sizeof(functions) / sizeof(functions[0]); k++) {
		const struct function *f = &functions[k];
		double worst = 0, at = 0;

		for (int i = 0; i <= n; i++) {
			real v = (real)(f->from + (f->to - f->from) * i / n);
			double exactly = f->exact((double)v), off = fabs((double)f->mine(v) - exactly) /
			    (fabs(exactly) > 1e-30 ? fabs(exactly) : 1);

			if (!(off <= worst)) {
				worst = off;
				at = (double)v;
			}
		}
		/* near 1, where log is 0, the rounding of its terms counts more */
		cr_assert(worst < (sizeof(real) == 4 ? 1e-6 : 1e-13), "%s(%g) is off by %g", f->name, at, worst);
	}
}

Test(kernels, functions_at_the_ends)
{
	cr_assert_eq(log_of(0), -INFINITY);
	cr_assert_eq(log_of(1), 0);
	cr_assert_eq(log_of((real)INFINITY), INFINITY);
	cr_assert(isnan((double)log_of(-1)) && isnan((double)log_of((real)NAN)));
	cr_assert_eq(log1p_of(0), 0);
	cr_assert_eq(log1p_of(-1), -INFINITY);
	cr_assert_eq(log1p_of((real)INFINITY), INFINITY);
	cr_assert_eq(expm1_of(REAL(-100.0)), -1);
	cr_assert_eq(erf_of(REAL(10.0)), 1);
	cr_assert_eq(erf_of(REAL(-10.0)), -1);
	cr_assert_eq(softplus_of(REAL(1000.0)), 1000);
	cr_assert(softplus_of(REAL(-80.0)) > 0 && softplus_of(REAL(-80.0)) < REAL(1e-34));
	cr_assert(isnan((double)softplus_of((real)NAN)) && isnan((double)max_of(1, (real)NAN)) &&
	    isnan((double)max_of((real)NAN, 1)) && isnan((double)min_of((real)NAN, 1)) &&
	    isnan((double)sign_of((real)NAN)));
	cr_assert_eq(sign_of(REAL(-3.0)), -1);
}

/* ---- dropout ---- */

Test(kernels, dropout)
{
	struct step s = step_of(1, 0, 0);
	const int64_t n = 39999;
	int64_t dropped = 0, same = 0;

	s.seed = 42;
	s.draw = 7;
	for (int64_t i = 0; i < n; i++)
		x[i] = 1;
	dropout(y, x, AS_IS, &s, 3, 0.25, n);
	for (int64_t i = 0; i < n; i++) {
		cr_assert(y[i] == 0 || fabs((double)y[i] - 4.0 / 3) < 1e-6);
		dropped += y[i] == 0;
	}
	/* five standard deviations */
	cr_assert(llabs(dropped - n / 4) < 450, "%lld dropped", (long long)dropped);
	dropout(x, x, AS_IS, &s, 3, 0.25, n);	/* the same numbers, in place */
	cr_assert_arr_eq(x, y, (size_t)n * sizeof(*x));
	s.draw = 8;
	for (int64_t i = 0; i < n; i++)
		dx[i] = 1;
	dropout(dx, dx, AS_IS, &s, 3, 0.25, n);
	for (int64_t i = 0; i < n; i++)
		same += dx[i] == y[i];
	cr_assert(llabs(same - n * 10 / 16) < 500, "draws are alike in %lld places",
	    (long long)same);
}

/* the known answers that the authors of Philox publish for seven rounds (Random123, kat_vectors) */
Test(kernels, philox_gives_the_published_numbers)
{
	static const uint32_t zeros[] = { 0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48 };
	static const uint32_t ones[] = { 0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662 };
	struct philox a = philox(0, 0, 0), b = philox(UINT64_MAX, UINT64_MAX, UINT64_MAX);

	cr_assert_arr_eq(a.v, zeros, sizeof(zeros));
	cr_assert_arr_eq(b.v, ones, sizeof(ones));
}

/* ---- copies ---- */

Test(kernels, upsample_shows_each_element_in_a_block)
{
	static const int64_t sizes[][4] = {
		{ 3, 4, 6, 8 }, { 3, 5, 7, 11 }, { 1, 1, 3, 2 }, { 4, 6, 3, 5 },
	};

	for (int k = 0; k < 4; k++) {
		int64_t h = sizes[k][0], w = sizes[k][1], oh = sizes[k][2], ow = sizes[k][3];

		fill(x, 2 * h * w, 1, 0);
		fill(dy, 2 * oh * ow, 1, 0);
		memset(slow, 0, sizeof(slow));
		for (int64_t i = 0; i < 2 * oh * ow; i++) {
			int64_t row = i / (oh * ow) * h + i / ow % oh * h / oh;
			int64_t from = row * w + i % ow * w / ow;

			want[i] = (double)x[from];
			slow[from] += (double)dy[i];
		}
		upsample_forward(y, x, 1, 2, (struct upsample){ oh, ow, h, w });
		close_to(y, want, 2 * oh * ow, "upsample %d", k);
		spoil(dx, sizeof(dx));
		upsample_backward(dx, dy, ANEW, 2, 1, (struct upsample){ oh, ow, h, w });
		close_to(dx, slow, 2 * h * w, "upsample's gradient %d", k);
		upsample_backward(dx, dy, ONTO(ADDED), 2, 1, (struct upsample){ oh, ow, h, w });
		close_to(dx, added(slow, 2 * h * w), 2 * h * w, "upsample's gradient %d, added", k);
	}
}

Test(kernels, pad_crop_and_concat)
{
	fill(x, 2 * 3 * 4, 1, 0);
	/* [2, 3, 4] to [2, 6, 9] at (1, 3) */
	rectangle_copy(y, x, 1, 2, (struct rectangle){ 6, 9, 3, 4, 1, 3 }, 7);
	for (int64_t i = 0; i < 2 * 6 * 9; i++) {
		int64_t iy = i / 9 % 6 - 1, ix = i % 9 - 3;
		bool there = iy >= 0 && iy < 3 && ix >= 0 && ix < 4;

		cr_assert_eq(y[i], there ? x[(i / 54 * 3 + iy) * 4 + ix] : 7);
	}
	rectangle_copy(dx, y, 1, 2, (struct rectangle){ 3, 4, 6, 9, -1, -3 }, 0);
	cr_assert_arr_eq(dx, x, 24 * sizeof(*x));
	/* onto 7s, and x where it is */
	rectangle_add(y, x, ONTO(2), 1, 2, (struct rectangle){ 6, 9, 3, 4, 1, 3 });
	for (int64_t i = 0; i < 2 * 6 * 9; i++) {
		int64_t iy = i / 9 % 6 - 1, ix = i % 9 - 3;
		bool there = iy >= 0 && iy < 3 && ix >= 0 && ix < 4;
		real at = there ? x[(i / 54 * 3 + iy) * 4 + ix] : 0;

		cr_assert_eq(y[i], there ? 2 * at + at : 14);
	}
	spoil(y, sizeof(y));
	rectangle_add(y, x, ANEW, 1, 2, (struct rectangle){ 6, 9, 3, 4, 1, 3 });
	cr_assert_eq(y[0], 0);
	concat_forward(y, x, 2, 5000, 0, 12);
	fill(dy, 2 * 4988, 1, 0);
	concat_forward(y, dy, 2, 5000, 12, 4988);
	concat_backward(dx, y, 2, 5000, 12, 4988);
	cr_assert_arr_eq(dx, dy, 2 * 4988 * sizeof(*x));
	cr_assert_arr_eq(y + 5000, x + 12, 12 * sizeof(*x));
}
