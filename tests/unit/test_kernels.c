/*
 * Kernels against naive loops, on the CPU in double precision (test_kernels_f32.c: in float): what
 * the gradient checks of whole programs do not reach, such as ties, huge means, large windows,
 * running in place, labels that are no classes, and every number of parts of a sum.
 */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-function"

#ifndef KERNELS_IN_FLOAT
#define USE_DOUBLE
#define NEAR	1e-11
#else
#define NEAR	1e-5
#endif
/* what norms are asked to do here, as a program has it (src/calls/epilogue.c) */
#define EPILOGUES(CASE)						\
	CASE(DO_RELU, relu_then, false, OF_RELU)		\
	CASE(DO_SILU, silu_then, false, OF_NOBODY)		\
	CASE(DO_ADD_RELU, add_relu_then, true, OF_NOBODY)	\
	CASE(DO_RELU_GRAD, relu_grad_then, true, OF_NOBODY)	\
	CASE(DO_SILU_GRAD, silu_grad_then, true, OF_NOBODY)

#include "../../kernels/pointwise/epilogue.cu"
#include "../../kernels/pointwise/reduce.cu"
#include "../../kernels/copy/cast.cu"
#include "../../kernels/copy/concat.cu"
#include "../../kernels/copy/rectangle.cu"
#include "../../kernels/copy/upsample.cu"
#include "../../kernels/pointwise/dropout.cu"
#include "../../kernels/loss/accuracy.cu"
#include "../../kernels/loss/cross_entropy.cu"
#include "../../kernels/loss/seed.cu"
#include "../../kernels/norm/batchnorm.cu"
#include "../../kernels/update/accumulate.cu"
#include "../../kernels/update/adam.cu"
#include "../../kernels/update/loss_scale.cu"
#include "../../kernels/update/sgd.cu"
#include "../../kernels/pool/avgpool.cu"
#include "../../kernels/pool/global_avgpool.cu"
#include "../../kernels/pool/maxpool.cu"
#include "../../kernels/norm/softmax.cu"

#include <criterion/criterion.h>
#include <stdlib.h>

#define MOST	40000

/* ---- helpers ---- */

static uint64_t state = 1;

static double
uniform(void)	/* in (-1, 1) */
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(int64_t)(state >> 11) / 4503599627370496.0 - 1;
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

/* ---- functions of formulas ---- */

/* relu, as formulas have it, and its gradient */
static void
rectify(real *to, const real *from, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		to[i] = rectified(from[i]);
}

static void
rectify_back(real *to, const real *of, const real *made, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		to[i] = made[i] <= 0 ? 0 : of[i];
}

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

/* ---- functions of formulas ---- */

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

/* ---- pooling ---- */

static const struct pool pools[] = {
	{ 2, 2, 1, 1, 2, 2, 2, 2, 0, 0 }, { 7, 9, 3, 4, 2, 2, 2, 2, 0, 0 },
	{ 8, 8, 4, 4, 3, 3, 2, 2, 1, 1 }, { 13, 11, 13, 4, 3, 2, 1, 3, 1, 0 },
	{ 20, 21, 7, 11, 5, 4, 3, 2, 2, 2 }, { 20, 18, 20, 19, 17, 16, 1, 1, 8, 8 },
	{ 6, 40, 2, 7, 3, 3, 5, 6, 1, 1 }, { 5, 150, 3, 75, 3, 3, 2, 2, 1, 1 },
	/* windows whose cells are neighbours in memory, and some that padding cuts */
	{ 1024, 1, 1, 1, 1024, 1, 1024, 1, 0, 0 }, { 9, 5, 4, 1, 3, 5, 2, 1, 0, 0 }, { 3, 140, 3, 2, 1, 70, 1, 70, 0, 0 },
	{ 9, 1, 5, 1, 3, 1, 2, 1, 1, 0 },
};

#define PLANES	3

/* the naive maximum or mean, and where dy goes */
static void
naive_pool(const struct pool *g, bool mean)
{
	int64_t cells = g->kh * g->kw;

	memset(slow, 0, sizeof(slow));
	for (int64_t o = 0; o < PLANES * g->oh * g->ow; o++) {
		int64_t p = o / (g->oh * g->ow), oy = o / g->ow % g->oh, ox = o % g->ow, best = -1;

		want[o] = 0;
		for (int64_t c = 0; c < cells; c++) {
			int64_t iy = oy * g->sh - g->ph + c / g->kw;
			int64_t ix = ox * g->sw - g->pw + c % g->kw;
			int64_t i = (p * g->h + iy) * g->w + ix;

			if (iy < 0 || iy >= g->h || ix < 0 || ix >= g->w)
				continue;
			if (mean) {
				want[o] += (double)x[i] / (double)cells;
				slow[i] += (double)dy[o] / (double)cells;
			} else if (best < 0 || x[i] > x[best]) {
				best = i;
			}
		}
		if (!mean) {
			want[o] = (double)x[best];
			slow[best] += (double)dy[o];
		}
	}
}

/* maxpool with a relu behind it against the two of them; x gets windows that have nothing above
 * 0 */
static void
check_rectified(const struct pool *g, uint8_t *small, int32_t *large, size_t k)
{
	int64_t in = PLANES * g->h * g->w, out = PLANES * g->oh * g->ow, i;

	for (i = 0; i < in; i++)
		x[i] -= REAL(0.9);
	maxpool_forward(y, small, large, x, AS_IS, AS_IS, 1, PLANES, *g);
	for (i = 0; i < out; i++) {
		want[i] = y[i] > 0 ? (double)y[i] : 0;
		y[i] = y[i] > 0 ? dy[i] : 0;	/* the rectifier's gradient */
	}
	maxpool_backward(dx, y, small, large, ANEW, PLANES, 1, *g);
	for (i = 0; i < in; i++)
		slow[i] = (double)dx[i];
	maxpool_forward(y, small, large, x, THEN(RELU), THEN(RELU_GRAD), 1, PLANES, *g);
	close_to(y, want, out, "maxpool, then relu %zu", k);
	fill(dx, in, 1, 0);
	maxpool_backward(dx, dy, small, large, ANEW, PLANES, 1, *g);
	close_to(dx, slow, in, "maxpool, then relu: gradient %zu", k);
}

Test(kernels, pooling)
{
	for (size_t k = 0; k < sizeof(pools) / sizeof(*pools); k++) {
		struct pool g = pools[k];
		int64_t in = PLANES * g.h * g.w, out = PLANES * g.oh * g.ow;
		uint8_t *small = g.kh * g.kw <= 256 ? malloc((size_t)out) : NULL;
		int32_t *large = small ? NULL : malloc((size_t)out * sizeof(*large));

		fill(x, in, 1, 0);
		for (int64_t i = 0; i < in; i += 3)
			x[i] = (real)((i / 3) % 2);	/* ties: the first must win */
		fill(dy, out, 1, 0);
		naive_pool(&g, false);
		maxpool_forward(y, small, large, x, AS_IS, AS_IS, 1, PLANES, g);
		close_to(y, want, out, "maxpool %zu", k);
		spoil(dx, sizeof(dx));
		maxpool_backward(dx, dy, small, large, ANEW, PLANES, 1, g);
		close_to(dx, slow, in, "maxpool's gradient %zu", k);
		maxpool_backward(dx, dy, small, large, ONTO(ADDED), PLANES, 1, g);
		close_to(dx, added(slow, in), in, "maxpool's gradient %zu, added", k);
		if (g.kh * g.kw != 256)
			check_rectified(&g, small, large, k);
		naive_pool(&g, true);
		avgpool_forward(y, x, AS_IS, 1, PLANES, g);
		close_to(y, want, out, "avgpool %zu", k);
		spoil(dx, sizeof(dx));
		avgpool_backward(dx, dy, ANEW, PLANES, 1, g);
		close_to(dx, slow, in, "avgpool's gradient %zu", k);
		avgpool_backward(dx, dy, ONTO(ADDED), PLANES, 1, g);
		close_to(dx, added(slow, in), in, "avgpool's gradient %zu, added", k);
		free(small);
		free(large);
	}
}

Test(kernels, maxpool_passes_not_a_number_on)
{
	uint8_t index[4];

	fill(x, 16, 1, 0);
	x[5] = (real)NAN;
	maxpool_forward(y, index, NULL, x, AS_IS, AS_IS, 1, 1, (struct pool){ 4, 4, 2, 2, 2, 2, 2, 2, 0, 0 });
	cr_assert(y[0] != y[0]);
	cr_assert_eq(index[0], 3);
	cr_assert(y[1] == y[1]);
	x[6] = (real)NAN;
	maxpool_forward(y, index, NULL, x, AS_IS, AS_IS, 1, 1, (struct pool){ 16, 1, 1, 1, 16, 1, 16, 1, 0, 0 });
	cr_assert(y[0] != y[0]);
	cr_assert_eq(index[0], 6);
}

/* relu after pooling is pooling after relu, forward and backward, bit for bit. */
static void
swap_pool_and_relu(const struct pool *g, real *const out[2], real *const in[2])
{
	int64_t n = PLANES * g->h * g->w, m = PLANES * g->oh * g->ow;
	int32_t *index = malloc((size_t)m * sizeof(*index));

	rectify(in[0], x, n);
	maxpool_forward(out[0], NULL, index, in[0], AS_IS, AS_IS, 1, PLANES, *g);
	maxpool_backward(in[1], dy, NULL, index, ANEW, PLANES, 1, *g);
	rectify_back(in[0], in[1], in[0], n);

	maxpool_forward(out[1], NULL, index, x, AS_IS, AS_IS, 1, PLANES, *g);
	rectify(out[1], out[1], m);
	rectify_back(dy, dy, out[1], m);
	maxpool_backward(in[1], dy, NULL, index, ANEW, PLANES, 1, *g);
	free(index);
}

Test(kernels, a_rectifier_may_follow_a_maximum)
{
	static const double odd[] = { -INFINITY, -1, -0.0, 0, 1e-310, 1, 1, INFINITY, NAN };
	static real out[2][MOST], in[2][MOST];

	for (size_t k = 0; k < 2 * sizeof(pools) / sizeof(*pools); k++) {
		const struct pool *g = &pools[k / 2];
		int64_t n = PLANES * g->h * g->w, m = PLANES * g->oh * g->ow;

		for (int64_t i = 0; i < n; i++)	/* with NaN, and without, which would win often */
			x[i] = (real)odd[(int)((uniform() + 1) * (k % 2 ? 4.49 : 4))];
		fill(dy, m, 1, 0);
		swap_pool_and_relu(g, (real *[]){ out[0], out[1] }, (real *[]){ in[0], in[1] });
		cr_assert_eq(memcmp(out[0], out[1], (size_t)m * sizeof(real)), 0, "y, %zu", k);
		cr_assert_eq(memcmp(in[0], in[1], (size_t)n * sizeof(real)), 0, "dx, %zu", k);
	}
}

/* ---- batch normalisation ---- */

struct layout {
	int64_t b, channels, n;
};

static const struct layout layouts[] = {
	{ 1, 3, 5 }, { 4, 1, 1 }, { 30, 130, 1 }, { 3, 5, 49 }, { 5, 600, 2 }, { 2, 1, 3001 },
};

static void
naive_batchnorm(struct layout l, const real *weight, const real *bias, double *mean, double *var)
{
	double count = (double)(l.b * l.n);

	for (int64_t c = 0; c < l.channels; c++) {
		mean[c] = var[c] = 0;
		for (int64_t t = 0; t < l.b * l.n; t++)
			mean[c] += (double)x[(t / l.n * l.channels + c) * l.n + t % l.n] / count;
		for (int64_t t = 0; t < l.b * l.n; t++) {
			double d = (double)x[(t / l.n * l.channels + c) * l.n + t % l.n] - mean[c];

			var[c] += d * d / count;
		}
		for (int64_t t = 0; t < l.b * l.n; t++) {
			int64_t i = (t / l.n * l.channels + c) * l.n + t % l.n;

			want[i] = ((double)x[i] - mean[c]) / sqrt(var[c] + 1e-5) *
			    (double)weight[c] + (double)bias[c];
		}
	}
}

/* dx by the chain rule, written out term by term */
static void
naive_batchnorm_gradient(struct layout l, const real *weight, const double *mean, const double *var,
    double *dweight, double *dbias)
{
	double count = (double)(l.b * l.n);

	for (int64_t c = 0; c < l.channels; c++) {
		double root = sqrt(var[c] + 1e-5), to_mean = 0, to_var = 0;

		dweight[c] = dbias[c] = 0;
		for (int64_t t = 0; t < l.b * l.n; t++) {
			int64_t i = (t / l.n * l.channels + c) * l.n + t % l.n;
			double d = (double)x[i] - mean[c], g = (double)dy[i];

			dweight[c] += g * d / root;
			dbias[c] += g;
			to_var -= 0.5 * g * (double)weight[c] * d / (root * root * root);
			to_mean -= g * (double)weight[c] / root;
		}
		for (int64_t t = 0; t < l.b * l.n; t++) {
			int64_t i = (t / l.n * l.channels + c) * l.n + t % l.n;

			slow[i] = (double)dy[i] * (double)weight[c] / root +
			    to_var * 2 * ((double)x[i] - mean[c]) / count + to_mean / count;
		}
	}
}

static void
one_batchnorm(struct layout l, double centre)
{
	static real weight[700], bias[700], m[700], s[700], run_m[700], run_v[700];
	static real dw[700], db[700];
	static double mean[700], var[700], dweight[700], dbias[700], running[700];
	int64_t all = l.b * l.channels * l.n;
	double count = (double)(l.b * l.n);

	fill(x, all, 1, centre);
	fill(dy, all, 1, 0);
	fill(weight, l.channels, 0.5, 1);
	fill(bias, l.channels, 1, 0);
	for (int64_t c = 0; c < l.channels; c++)
		run_m[c] = 3, run_v[c] = 2;
	naive_batchnorm(l, weight, bias, mean, var);
	spoil(work, sizeof(work));
	batchnorm_forward(y, m, s, run_m, run_v, work, NULL, x, weight, bias, AS_IS, 1e-5, 0.1, l.b, l.channels,
	    l.n, norm_parts(l.channels, false));
	/* in float a centre of 1000 costs the input itself three digits */
	cr_assert(distance(y, want, all) < NEAR * (centre > 0 ? 100 : 1), "batchnorm of %lld: %g",
	    (long long)all, distance(y, want, all));
	for (int64_t c = 0; c < l.channels; c++)
		running[c] = 2 * 0.9 + 0.1 * var[c] * count / (count - 1);
	close_to(run_v, running, l.channels, "running variance");
	for (int64_t c = 0; c < l.channels; c++)
		running[c] = 3 * 0.9 + 0.1 * mean[c];
	close_to(run_m, running, l.channels, "running mean");
	if (centre > 0)
		return;
	naive_batchnorm_gradient(l, weight, mean, var, dweight, dbias);
	spoil(work, sizeof(work));
	batchnorm_backward(dx, dw, db, work, dy, AS_IS, x, weight, NULL, m, s, 0, l.b, l.channels, l.n,
	    norm_parts(l.channels, false));
	close_to(dx, slow, all, "batchnorm's dx");
	close_to(dw, dweight, l.channels, "batchnorm's dweight");
	close_to(db, dbias, l.channels, "batchnorm's dbias");
	memcpy(y, dy, (size_t)all * sizeof(*y));
	batchnorm_backward(y, NULL, NULL, work, y, AS_IS, x, weight, NULL, m, s, 0, l.b, l.channels,
	    l.n, norm_parts(l.channels, false));
	cr_assert_arr_eq(y, dx, (size_t)all * sizeof(*y), "batchnorm's dx in place of dy");
}

DEVICE real
relu_then(real v, real s)
{
	(void)s;
	return rectified(v);
}

DEVICE real
silu_then(real v, real s)
{
	(void)s;
	return v * logistic(v);
}

DEVICE real
add_relu_then(real v, real s)
{
	return rectified(v + s);
}

DEVICE real
relu_grad_then(real v, real s)
{
	return s <= 0 ? 0 : v;
}

DEVICE real
silu_grad_then(real v, real s)
{
	real share = logistic(s);

	return v * share * (1 + s * (1 - share));
}

/* Forward with a formula inside, and perhaps a skip: the bits of one kernel after another; also in
 * place of either operand. Among the elements are not-a-number and what relu makes 0 of. */
static void
one_fused_batchnorm(struct layout l, enum epilogue_kind kind, bool with_skip, bool fixed)
{
	static real out[2][MOST], skip[MOST], weight[700], bias[700], m[700], s[700], run[4][700];
	size_t bytes = (size_t)(l.b * l.channels * l.n) * sizeof(real);
	struct epilogue then = epilogue_of(kind, with_skip ? skip : NULL);
	int64_t all = l.b * l.channels * l.n;

	fill(x, all, 1, 0);
	fill(skip, all, 1, 0);
	fill(weight, l.channels, 0.5, 1);
	fill(bias, l.channels, 1, 0);
	skip[all / 2] = (real)NAN;
	for (int64_t c = 0; c < l.channels; c++)
		run[0][c] = run[2][c] = (real)0.1, run[1][c] = run[3][c] = 2;
	for (int k = 0; k < 2; k++)
		if (fixed)
			batchnorm_inference(out[k], work, x, weight, bias, k ? then : AS_IS, run[2 * k],
			    run[2 * k + 1], 1e-5, l.b, l.channels, l.n);
		else
			batchnorm_forward(out[k], m, s, run[2 * k], run[2 * k + 1], work, NULL, x, weight, bias,
			    k ? then : AS_IS, 1e-5, 0.1, l.b, l.channels, l.n, norm_parts(l.channels, false));
	epilogue_apply(out[0], then, all);
	cr_assert_eq(memcmp(out[0], out[1], bytes), 0, "formula %d of batchnorm of %lld", (int)kind, (long long)all);
	cr_assert_eq(memcmp(run[0], run[2], 2 * sizeof(run[0])), 0, "running statistics");
	if (fixed)
		return;
	memcpy(y, with_skip ? skip : x, bytes);
	bn_apply(y, with_skip ? x : y, weight, bias, epilogue_of(kind, with_skip ? y : NULL), m, s, l.b, l.channels, l.n);
	cr_assert_eq(memcmp(out[0], y, bytes), 0, "once more, in place, of %lld", (long long)all);
}

/* Backward that finds out by itself what passes the formula, against one that is told. */
static void
one_fused_gradient(struct layout l, enum epilogue_kind kind, bool fixed)
{
	static real out[2][MOST], passed[MOST], weight[700], bias[700], m[700], s[700], run[2][700];
	static real dw[2][700], db[2][700];
	int64_t all = l.b * l.channels * l.n;

	fill(x, all, 1, 0);
	fill(dy, all, 1, 0);
	fill(weight, l.channels, 0.5, 1);
	fill(bias, l.channels, 1, 0);
	for (int64_t c = 0; c < l.channels; c++)
		run[0][c] = (real)0.1, run[1][c] = 2;
	batchnorm_forward(y, m, s, run[0], run[1], work, NULL, x, weight, bias, AS_IS, 1e-5, 0.1, l.b, l.channels, l.n,
	    norm_parts(l.channels, false));
	if (fixed)
		batchnorm_inference(y, work, x, weight, bias, AS_IS, run[0], run[1], 1e-5, l.b, l.channels, l.n);
	for (int64_t i = 0; i < all; i++)
		passed[i] = kind == DO_RELU_GRAD ? relu_grad_then(dy[i], y[i]) : silu_grad_then(dy[i], y[i]);
	for (int k = 0; k < 2; k++) {
		const real *from = k ? dy : passed;
		struct epilogue then = k ? epilogue_of(kind, NULL) : AS_IS;

		if (fixed)
			batchnorm_fixed_backward(out[k], dw[k], db[k], work, from, then, x, weight, k ? bias : NULL,
			    run[0], run[1], 1e-5, l.b, l.channels, l.n, norm_parts(l.channels, false));
		else
			batchnorm_backward(out[k], dw[k], db[k], work, from, then, x, weight, k ? bias : NULL, m, s,
			    0, l.b, l.channels, l.n, norm_parts(l.channels, false));
	}
	cr_assert_eq(memcmp(out[0], out[1], (size_t)all * sizeof(real)), 0, "dx of %lld",
	    (long long)all);
	cr_assert_eq(memcmp(dw[0], dw[1], (size_t)l.channels * sizeof(real)), 0, "dweight");
	cr_assert_eq(memcmp(db[0], db[1], (size_t)l.channels * sizeof(real)), 0, "dbias");
}

Test(kernels, batchnorm_with_a_formula)
{
	for (size_t k = 0; k < 2 * sizeof(layouts) / sizeof(*layouts); k++) {
		one_fused_batchnorm(layouts[k / 2], DO_RELU, false, k % 2);
		one_fused_batchnorm(layouts[k / 2], DO_SILU, false, k % 2);
		one_fused_batchnorm(layouts[k / 2], DO_ADD_RELU, true, k % 2);
		one_fused_gradient(layouts[k / 2], DO_RELU_GRAD, k % 2);
		one_fused_gradient(layouts[k / 2], DO_SILU_GRAD, k % 2);
	}
}

Test(kernels, batchnorm)
{
	for (size_t k = 0; k < sizeof(layouts) / sizeof(*layouts); k++) {
		one_batchnorm(layouts[k], 0);
		one_batchnorm(layouts[k], 1000);
	}
}

/* ---- sums over groups of axes ---- */

/* the naive sum of dy over what the result stays put in */
static void
naive_sums(const int64_t n[GROUPS], int runs)
{
	int64_t all = 1;

	for (int g = 0; g < GROUPS; g++)
		all *= n[g];
	memset(slow, 0, sizeof(slow));
	for (int64_t i = 0; i < all; i++) {
		int64_t at = 0, rest = i, step = 1;

		for (int g = GROUPS - 1; g >= 0; g--) {
			at += runs >> g & 1 ? rest % n[g] * step : 0;
			step *= runs >> g & 1 ? n[g] : 1;
			rest /= n[g];
		}
		slow[at] += (double)dy[i];
	}
}

Test(kernels, sums_over_groups_of_axes)
{
	static const int64_t extents[][GROUPS] = {
		{ 1, 1, 1, 1, 3, 5 }, { 1, 1, 1, 2, 70, 3 }, { 1, 2, 3, 2, 3, 4 },
		{ 1, 1, 1, 1, 1, 9001 }, { 1, 1, 1, 1, 2, 5000 }, { 1, 1, 1, 1, 3000, 2 }, { 2, 2, 3, 3, 2, 130 },
	};
	static const int64_t parts[] = { 1, 3, 64 };

	for (size_t k = 0; k < sizeof(extents) / sizeof(*extents); k++)
		for (int mask = 0; mask < 64; mask++) {
			const int64_t *n = extents[k];
			struct axes of = { { n[0], n[1], n[2], n[3], n[4], n[5] }, mask, 0 };
			int64_t all = n[0] * n[1] * n[2] * n[3] * n[4] * n[5], outs = 1;

			for (int g = 0; g < GROUPS; g++)
				outs *= mask >> g & 1 ? n[g] : 1;
			fill(dy, all, 1, 0);
			naive_sums(n, mask);
			for (int p = 0; p < 3; p++) {
				if (outs * parts[p] > MOST)
					continue;
				spoil(work, sizeof(work));
				reduce_to(y, work, dy, 1, AS_IS, of, parts[p]);
				close_to(y, slow, outs, "sum %zu, mask %d", k, mask);
			}
		}
}

/* ---- losses ---- */

static const struct layout rows[] = {
	{ 1, 10, 1 }, { 37, 7, 1 }, { 3, 4, 77 }, { 2, 33, 5 }, { 5, 300, 1 },
};

static double
naive_cross_entropy(struct layout l, const int32_t *label, double dloss)
{
	double loss = 0, count = (double)(l.b * l.n);

	for (int64_t r = 0; r < l.b * l.n; r++) {
		int64_t at = r / l.n * l.channels * l.n + r % l.n;
		bool counts = label[r] >= 0 && label[r] < l.channels;
		long double sum = 0;

		for (int64_t k = 0; k < l.channels; k++)
			sum += expl((long double)x[at + k * l.n]);
		for (int64_t k = 0; k < l.channels; k++)
			slow[at + k * l.n] = !counts ? 0 : dloss / count *
			    ((double)(expl((long double)x[at + k * l.n]) / sum) - (label[r] == k));
		if (counts)
			loss += (double)(logl(sum) - (long double)x[at + label[r] * l.n]) / count;
	}
	return loss;
}

Test(kernels, cross_entropy)
{
	static int32_t label[1000];
	static real lse[1000];

	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		struct layout l = rows[k];
		int64_t all = l.b * l.channels * l.n;
		struct step s = { .share = REAL(0.6) };
		real loss = 0, both = 0, scale = REAL(0.5), dloss = s.share * scale;
		double naive;

		fill(x, all, 20, 0);
		for (int64_t r = 0; r < l.b * l.n; r++)
			label[r] = (int32_t)(state % (uint64_t)l.channels), uniform();
		if (k > 0)
			label[0] = -1, label[1] = 1000000;
		naive = naive_cross_entropy(l, label, (double)dloss);
		cross_entropy_forward(&loss, lse, work, x, label, l.b, l.channels, l.n);
		close_to(&loss, &naive, 1, "cross-entropy %zu", k);
		cross_entropy_backward(dx, &dloss, x, label, lse, l.b, l.channels, l.n);
		close_to(dx, slow, all, "cross-entropy's gradient %zu", k);
		cross_entropy_with_gradient(dy, &both, work, &scale, &s, x, label, l.b, l.channels, l.n);
		cr_assert_eq(both, loss, "the loss beside its gradient %zu", k);
		cr_assert_arr_eq(dy, dx, (size_t)all * sizeof(*x), "at once %zu", k);
		memcpy(dy, x, (size_t)all * sizeof(*x));
		cross_entropy_backward(x, &dloss, x, label, lse, l.b, l.channels, l.n);
		cr_assert_arr_eq(x, dx, (size_t)all * sizeof(*x), "in place of the logits");
		cross_entropy_with_gradient(dy, &both, work, &scale, &s, dy, label, l.b, l.channels, l.n);
		cr_assert_arr_eq(dy, dx, (size_t)all * sizeof(*x), "at once, in place %zu", k);
	}
}

Test(kernels, losses_that_would_overflow)
{
	static const int32_t label[] = { 1 };
	real logits[] = { REAL(1000.0), REAL(-1000.0) }, loss, lse;

	cross_entropy_forward(&loss, &lse, work, logits, label, 1, 2, 1);
	cr_assert_eq(loss, 2000);
}

Test(kernels, accuracy_takes_the_first_of_equals)
{
	static const real logits[] = { 1, 1, 0, 0, 1, 1, 2, 0, 1 };
	static const int32_t labels[] = { 0, 2, 0 };
	real right;

	accuracy_forward(&right, work, logits, labels, 3, 3, 1, 1);
	cr_assert(fabs((double)right - 2.0 / 3) < 1e-6);
}

/* The second of three equals is among two, the third is not; a label that is no class is
 * nowhere. */
Test(kernels, accuracy_among_the_largest)
{
	static const real logits[] = { 1, 1, 1, 1, 1, 1, 3, 2, 1, 0, 0, 0 };
	static const int32_t labels[] = { 1, 2, 1, -1 };
	real right;

	accuracy_forward(&right, work, logits, labels, 4, 3, 1, 2);
	cr_assert_eq(right, REAL(0.5));
	accuracy_forward(&right, work, logits, labels, 4, 3, 1, 3);
	cr_assert_eq(right, REAL(0.75));
}

/* ---- optimizers ---- */

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

/* What an emitted program has as tables; offsets count from `memory`. */
static struct {
	real p[3][2], g[2][2], v[2], m[2][2], q[2][2];
	real long_p[3000], long_g[3000], short_p, short_g;
} memory;
static struct update updates[4];
static struct clipped clipped[2];

DEVICE const struct update *
update_table(void)
{
	return updates;
}

DEVICE const struct clipped *
clipped_table(void)
{
	return clipped;
}

static int64_t
at(const void *p)
{
	return (const unsigned char *)p - (const unsigned char *)&memory;
}

static struct updates
together(int first, int count, int64_t chunks)
{
	return updates_of((unsigned char *)&memory, first, count, chunks);
}

static void
squares(int count)
{
	for (int i = 0; i < 2; i++)
		clipped[i] = (struct clipped){ at(memory.g[i]), 2 };
	spoil(work, sizeof(work));
	clip_squares(work, (unsigned char *)&memory, 0, count);
}

Test(kernels, optimizers)
{
	real (*p)[2] = memory.p, *g = memory.g[0];
	real clip = REAL(0.5), number[2];
	double e[3][2] = { { 1, -2 }, { 1, -2 }, { 1, -2 } }, ev[2] = { 0 }, em[2][2] = { { 0 } };
	double eq[2][2] = { { 0 } };

	memset(&memory, 0, sizeof(memory));
	g[0] = REAL(0.5), g[1] = -1;
	for (int k = 0; k < 3; k++)
		p[k][0] = 1, p[k][1] = -2;
	updates[0] = (struct update){ at(p[0]), ABSENT, at(g), { at(memory.v), ABSENT }, 0.01, 1, 2, 0 };
	for (int k = 0; k < 2; k++)
		updates[1 + k] = (struct update){ at(p[1 + k]), ABSENT, at(g),
			{ at(memory.m[k]), at(memory.q[k]) }, 0.1, 1, 2, 0 };
	for (int t = 1; t <= 5; t++) {
		struct step s = step_of(t, 0.1 / t, 0);

		sgd_update(together(0, 1, 1), &clip, &s, 0.9, 1);
		adam_numbers(number, t, log(0.9), log(0.999));
		adam_update(together(1, 1, 1), NULL, &s, number, 0.9, 0.999, 1e-8, 0);
		adam_numbers(number, t, log(0.8), log(0.99));
		adam_update(together(2, 1, 1), NULL, &s, number, 0.8, 0.99, 1e-3, 1);
		for (int i = 0; i < 2; i++) {
			double d = (double)g[i] * 0.5 + 0.01 * e[0][i];

			ev[i] = 0.9 * ev[i] + d;
			e[0][i] -= s.lr * (d + 0.9 * ev[i]);
			for (int k = 0; k < 2; k++) {
				double b1 = k ? 0.8 : 0.9, b2 = k ? 0.99 : 0.999;

				d = (double)g[i] + (k ? 0 : 0.1 * e[1][i]);
				e[2][i] *= k ? 1 - s.lr * 0.1 : 1;
				em[k][i] = b1 * em[k][i] + (1 - b1) * d;
				eq[k][i] = b2 * eq[k][i] + (1 - b2) * d * d;
				e[1 + k][i] -= s.lr * em[k][i] / (1 - pow(b1, t)) /
				    (sqrt(eq[k][i] / (1 - pow(b2, t))) + (k ? 1e-3 : 1e-8));
			}
		}
	}
	for (int k = 0; k < 3; k++)
		close_to(p[k], e[k], 2, "optimizer %d", k);
}

/* One longer than a chunk between two short ones; of the last, the gradient is in the momentum. */
Test(kernels, updates_together)
{
	struct step s = step_of(1, 0.5, 0);

	memset(&memory, 0, sizeof(memory));
	for (int i = 0; i < 3000; i++)
		memory.long_p[i] = (real)i, memory.long_g[i] = (real)(i % 7);
	memory.short_p = 1, memory.short_g = 4;
	memory.p[0][0] = 8, memory.p[0][1] = 16;
	memory.v[0] = 2, memory.v[1] = 4;
	updates[0].n = -1;	/* not of this launch */
	updates[1] = (struct update){ at(&memory.short_p), ABSENT, at(&memory.short_g),
		{ ABSENT, ABSENT }, 0, 1, 1, 0 };
	updates[2] = (struct update){ at(memory.long_p), ABSENT, at(memory.long_g),
		{ ABSENT, ABSENT }, 0.5, 1, 3000, 1 };
	updates[3] = (struct update){ at(memory.p[0]), ABSENT, ABSENT, { at(memory.v), ABSENT },
		0.25, 1, 2, 4 };
	sgd_update(together(1, 3, 5), NULL, &s, 0.9, 0);
	cr_assert_eq(memory.short_p, -1);
	for (int i = 0; i < 3000; i++)
		cr_assert_eq(memory.long_p[i], (real)(i - 0.5 * (i % 7 + 0.5 * i)), "%d", i);
	cr_assert(memory.v[0] == 4 && memory.v[1] == 8);	/* 2 + 8 / 4, 4 + 16 / 4 */
	cr_assert(memory.p[0][0] == 6 && memory.p[0][1] == 12);
}

Test(kernels, gradients_accumulate_and_clip)
{
	struct step first = step_of(1, 0, 0), next = step_of(1, 0, 1);
	real (*g)[2] = memory.g, scale;

	g[0][0] = 3, g[0][1] = g[1][0] = 0, g[1][1] = 4;
	for (int i = 0; i < 3000; i++)
		memory.long_g[i] = (real)i;
	spoil(memory.v, sizeof(memory.v));
	spoil(memory.long_p, sizeof(memory.long_p));
	updates[0].n = -1;	/* not of this launch */
	for (int k = 0; k < 2; k++) {
		updates[1] = (struct update){ ABSENT, ABSENT, at(g[k]), { at(memory.v), ABSENT }, 0, 1, 2, 0 };
		updates[2] = (struct update){ ABSENT, ABSENT, at(memory.long_g),
			{ at(memory.long_p), ABSENT }, 0, 1, 3000, 1 };
		accumulate_gradients(together(1, 2, 4), k ? &next : &first);
	}
	cr_assert(memory.v[0] == 3 && memory.v[1] == 4);
	for (int i = 0; i < 3000; i++)
		cr_assert_eq(memory.long_p[i], (real)(2 * i), "%d", i);
	squares(2);
	clip_scale(&scale, work, 2, 1);
	cr_assert(fabs((double)scale - 1 / (5 + 1e-6)) < 1e-7);
	clip_scale(&scale, work, 2, 6);
	cr_assert_eq(scale, 1);
	g[0][0] = (real)NAN;
	squares(2);
	clip_scale(&scale, work, 2, 6);
	cr_assert(scale != scale, "a norm that is not a number must not pass for a small one");
}

Test(kernels, the_scale_of_the_loss)
{
	real *g = memory.g[0], scale = 1000, count[2] = { 0 }, factor[2];

	g[0] = 3000, g[1] = 4000;
	squares(1);
	loss_scale(factor, &scale, count, work, 1, 0);
	cr_assert(factor[0] == (real)(1 / 1000.0) && scale == 1000 && count[0] == 1);
	loss_scale(factor, &scale, count, work, 1, 1);		/* unscaled, the norm is 5 */
	cr_assert(fabs((double)factor[0] * 5000 - 1) < 1e-5 && count[0] == 2 && factor[1] == 0);
	g[1] = (real)INFINITY;
	squares(1);
	loss_scale(factor, &scale, count, work, 1, 1);
	cr_assert(factor[0] == 0 && factor[1] == 1 && scale == 500);
	cr_assert(count[0] == 0 && count[1] == 1);
	g[1] = 1;
	squares(1);
	for (int i = 0; i < 2000; i++)
		loss_scale(factor, &scale, count, work, 1, 0);
	cr_assert(scale == 1000 && count[0] == 0 && count[1] == 1);
}

/* Gradients of zero for ever, or of no number: the scale, and what undoes it, stay numbers, and
 * training can go on. */
Test(kernels, loss_scale_stays_a_number)
{
	real scale = 65536, count[2] = { 0, 0 }, factor[2];
	double part[CLIP_PARTS] = { 0 };

	for (int i = 0; i < 2000 * 1100; i++) {	/* of doublings, more than double precision has */
		loss_scale(factor, &scale, count, part, 1, i % 2);
		cr_assert(isfinite(scale) && factor[0] > 0 && isfinite(factor[0]), "update %d", i);
	}
	part[0] = INFINITY;
	for (int i = 0; i < 1200; i++)
		loss_scale(factor, &scale, count, part, 1, 0);
	cr_assert(scale > 0 && factor[0] == 0 && factor[1] == 1200);
	part[0] = 0;
	loss_scale(factor, &scale, count, part, 1, 0);
	cr_assert(factor[0] > 0 && isfinite(factor[0]) && 0 * factor[0] == 0);
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
