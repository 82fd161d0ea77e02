/*
 * Pooling, batch normalisation and sums over axes, against naive loops in double precision
 * (test_kernels_maps_f32.c: in float): ties, large windows, huge means, what is done with a result
 * in the same go, running in place, and every number of parts of a sum.
 */
#include "precision.h"

/* what norms are asked to do here, as a program has it (src/calls/epilogue.c) */
#define EPILOGUES(CASE)						\
	CASE(DO_RELU, relu_then, false, OF_RELU)		\
	CASE(DO_SILU, silu_then, false, OF_NOBODY)		\
	CASE(DO_ADD_RELU, add_relu_then, true, OF_NOBODY)	\
	CASE(DO_RELU_GRAD, relu_grad_then, true, OF_NOBODY)	\
	CASE(DO_SILU_GRAD, silu_grad_then, true, OF_NOBODY)

#include "../../kernels/pointwise/epilogue.cu"
#include "../../kernels/pointwise/reduce.cu"
#include "../../kernels/norm/batchnorm.cu"
#include "../../kernels/pool/avgpool.cu"
#include "../../kernels/pool/global_avgpool.cu"
#include "../../kernels/pool/maxpool.cu"
#include "naive.h"

/* ---- pooling ---- */

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
