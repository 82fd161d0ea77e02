/*
 * CUDA's kernels for layernorm, rmsnorm, groupnorm, instancenorm and l2norm, against their definition in double
 * precision: rows shorter and longer than a block, of one weight, of one for each element and for each channel;
 * gradients in bytes of their own, over dy, and added onto another. All with gelu behind them, too.
 */
#include "cuda.h"

#include "../products/epilogues.h"
#include "norm/normalize.cu"

#include "values.h"

struct shape {
	int by;
	int64_t rows, n, groups, places;
	bool affine, bias, then;	/* then: gelu, by tanh */
};

static const double eps = 1e-3;
static const double slack = NARROW ? 1e-2 : 3e-5;	/* of gradients, which may be made from a y that was rounded */

static double
gelu(double v, double *slope)
{
	double root = std::sqrt(2 / std::acos(-1)), t = std::tanh(root * (v + 0.044715 * v * v * v));

	*slope = (1 + t) / 2 + v * (1 - t * t) / 2 * root * (1 + 3 * 0.044715 * v * v);
	return v * (1 + t) / 2;
}

/* What there should be, all in double. */
struct answer {
	Sums y, mean, scale, dx, dweight, dbias;
};

static struct answer
defined(const struct shape &s, const Values &x, const Values &w, const Values &b, const Values &dy)
{
	int64_t channels = s.n / s.places;
	struct answer a = { Sums(x.size()), Sums((size_t)s.rows), Sums((size_t)s.rows), Sums(x.size()),
		Sums((size_t)(s.groups * channels)), Sums((size_t)(s.groups * channels)) };

	for (int64_t r = 0; r < s.rows; r++) {
		double mean = 0, squares = 0, sum = 0, dot = 0, share = 1 / (double)s.n, length;

		for (int64_t j = 0; j < s.n && s.by == BY_DEVIATION; j++)
			mean += VALUE(x[r * s.n + j]) * share;
		for (int64_t j = 0; j < s.n; j++)
			squares += std::pow(VALUE(x[r * s.n + j]) - mean, 2);
		length = s.by == BY_LENGTH ? std::fmax(std::sqrt(squares), eps) :
		    std::sqrt(squares * share + eps);
		a.mean[r] = mean, a.scale[r] = 1 / length;
		for (int pass = 0; pass < 2; pass++)
			for (int64_t j = 0; j < s.n; j++) {
				int64_t i = r * s.n + j, c = r % s.groups * channels + j / s.places;
				double h = (VALUE(x[i]) - mean) / length, slope = 1, weight = s.affine ? VALUE(w[c]) : 1;
				double v = h * weight + (s.bias ? VALUE(b[c]) : 0), y = s.then ? gelu(v, &slope) : v;
				double passed = VALUE(dy[i]) * slope, g = passed * weight;

				if (pass == 0) {
					sum += g, dot += g * h;
					a.dweight[c] += passed * h, a.dbias[c] += passed;
					a.y[i] = y;
					continue;
				}
				/* d y_k / d x_j, with the mean's share and that of the length */
				a.dx[i] = (g - (s.by == BY_DEVIATION ? sum * share : 0) - h * dot *
				    (s.by != BY_LENGTH ? share : std::sqrt(squares) > eps)) / length;
			}
	}
	return a;
}

static Sums
added(const Sums &a, const Values &base, double keep)
{
	Sums s = a;

	for (size_t i = 0; i < s.size(); i++)
		s[i] += keep * VALUE(base[i]);
	return s;
}

static void
check_one(const std::string &what, const struct shape &s)
{
	std::string name = what + " " + std::to_string(s.rows) + " x " + std::to_string(s.n);
	int64_t weights = s.groups * (s.n / s.places);
	Values x = drawn(s.rows * s.n), w = drawn(weights), b = drawn(weights), dy = drawn(s.rows * s.n);
	Values y = nothing(s.rows * s.n), dx = y, base = drawn(s.rows * s.n);
	Values dweight = nothing(weights), dbias = dweight, over = dy, onto = base;
	std::vector<real> mean((size_t)s.rows, NAN), scale = mean;
	Sums work((size_t)(2 * (s.rows * s.n + weights * row_parts(s.n, true))), NAN);
	const elem *weight = s.affine ? &w[0] : NULL, *bias = s.bias ? &b[0] : NULL;
	bool centred = s.by == BY_DEVIATION;

	for (elem &v : x)
		v = ELEM(VALUE(v) + 3);	/* so that what is not centred shows */
	for (int64_t j = 0; j < s.n && s.rows > 1; j++)
		x[s.n + j] = s.by == BY_LENGTH ? ELEM((real)1e-6) : x[s.n + j];
	struct answer a = defined(s, x, w, b, dy);

	struct epilogue then = s.then ? THEN(GELU_TANH) : AS_IS, passed = s.then ? THEN(GELU_TANH_GRAD) : AS_IS;

	normalize_forward(&y[0], centred ? &mean[0] : NULL, &scale[0], &x[0], weight, bias, then, s.by, eps, s.rows,
	    s.n, s.groups, s.places);
	same(name, y, a.y, NARROW ? 4e-3 : 1e-5);
	same(name + ": scale", scale, a.scale, 1e-5);
	if (centred)
		same(name + ": mean", mean, a.mean, 1e-6);
	const elem *of = s.affine || s.then ? &x[0] : &y[0];
	const real *m = centred && (s.affine || s.then) ? &mean[0] : NULL;
	elem *dw = s.affine ? &dweight[0] : NULL, *db = s.bias ? &dbias[0] : NULL;

	normalize_backward(&dx[0], dw, db, ANEW, &work[0], &dy[0], passed, of, weight, bias, m, &scale[0], s.by, eps, s.rows,
	    s.n, s.groups, s.places);
	same(name + ": dx", dx, a.dx, slack);
	if (dw)
		same(name + ": dweight", dweight, a.dweight, slack);
	if (db)
		same(name + ": dbias", dbias, a.dbias, slack);
	normalize_backward(&over[0], dw, db, ANEW, &work[0], &over[0], passed, of, weight, bias, m, &scale[0], s.by, eps,
	    s.rows, s.n, s.groups, s.places);
	same(name + ": dx over dy", over, dx, 0);
	normalize_backward(&onto[0], NULL, NULL, ONTO(0.5f), &work[0], &dy[0], passed, of, weight, bias, m, &scale[0], s.by,
	    eps, s.rows, s.n, s.groups, s.places);
	same(name + ": dx, added", onto, added(a.dx, base, 0.5), slack);
	if (!dw)
		return;
	dweight.assign(dweight.size(), ELEM((real)NAN));
	normalize_backward(NULL, dw, NULL, ANEW, &work[0], &dy[0], passed, of, weight, bias, m, &scale[0], s.by, eps, s.rows,
	    s.n, s.groups, s.places);
	same(name + ": dweight alone", dweight, a.dweight, slack);
	normalize_forward(&x[0], NULL, NULL, &x[0], weight, bias, then, s.by, eps, s.rows, s.n, s.groups, s.places);
	same(name + ": y over x", x, y, 0);
}

/* With a formula behind and without. */
static void
check(const char *what, struct shape s)
{
	check_one(what, s);
	s.then = true;
	check_one(std::string(what) + ", then gelu", s);
}

/* Along the middle of [outer, k, inner], as rows of what is turned. */
static void
check_axis(int64_t outer, int64_t k, int64_t inner)
{
	Values x = drawn(outer * k * inner), dy = drawn(outer * k * inner), y = nothing(outer * k * inner);
	Values dx = y, onto = dy;
	std::vector<real> scale((size_t)(outer * inner), NAN);

	for (int64_t c = 0; c < k; c++)
		x[c * inner] = ELEM((real)1e-6);	/* shorter than eps */
	struct answer a = defined({ BY_LENGTH, outer * inner, k, 1, 1, false, false, false }, turned(x, outer, k, inner),
	    x, x, turned(dy, outer, k, inner));
	normalize_axis_forward(&y[0], &scale[0], &x[0], eps, outer, k, inner);
	same("l2norm along an axis", turned(y, outer, k, inner), a.y, NARROW ? 4e-3 : 1e-5);
	same("l2norm's scale", scale, a.scale, 1e-5);
	normalize_axis_backward(&dx[0], ANEW, &dy[0], &y[0], &scale[0], eps, outer, k, inner);
	same("l2norm's dx", turned(dx, outer, k, inner), a.dx, slack);
	normalize_axis_backward(&onto[0], ONTO(0.5f), &dy[0], &y[0], &scale[0], eps, outer, k, inner);
	same("l2norm's dx, added", turned(onto, outer, k, inner), added(a.dx, turned(dy, outer, k, inner), 0.5),
	    slack);
}

int
main(void)
{
	check("layernorm", { BY_DEVIATION, 37, 96, 1, 1, true, true, false });
	check("layernorm", { BY_DEVIATION, 1030, 20, 1, 1, true, true, false });
	check("layernorm", { BY_DEVIATION, 9, 771, 1, 1, true, false, false });
	check("layernorm", { BY_DEVIATION, 3, 70004, 1, 1, true, true, false });	/* one part */
	check("layernorm, plain", { BY_DEVIATION, 5, 300, 1, 1, false, false, false });
	check("rmsnorm", { BY_ROOT_MEAN, 50, 384, 1, 1, true, false, false });
	check("rmsnorm, plain", { BY_ROOT_MEAN, 4, 33, 1, 1, false, false, false });
	check("groupnorm", { BY_DEVIATION, 3 * 4, 3 * 49, 4, 49, true, true, false });
	check("groupnorm", { BY_DEVIATION, 2 * 2, 5 * 600, 2, 600, true, true, false });
	check("groupnorm", { BY_DEVIATION, 2 * 2, 5 * 2400, 2, 2400, true, true, false });
	check("groupnorm", { BY_DEVIATION, 2 * 2, 3 * 8008, 2, 8008, true, true, false });	/* several blocks of a row of dx */
	check("groupnorm", { BY_DEVIATION, 2 * 2, 9 * 2401, 2, 2401, true, true, false });
	check("groupnorm", { BY_DEVIATION, 5 * 4, 3 * 16, 4, 16, true, false, false });
	check("groupnorm, flat", { BY_DEVIATION, 7 * 3, 8, 3, 1, true, true, false });
	check("instancenorm", { BY_DEVIATION, 2 * 6, 35, 6, 35, true, true, false });
	check_one("l2norm", { BY_LENGTH, 11, 65, 1, 1, false, false, false });
	for (int64_t n : { 4, 64, 192, 256, 384, 516, 1024, 1028, 4096, 4100 })	/* of 8 threads, 16, a warp, a block, or none */
		check("layernorm", { BY_DEVIATION, 35, n, 1, 1, true, true, false });
	check("rmsnorm", { BY_ROOT_MEAN, 300, 64, 1, 1, true, false, false });
	check("groupnorm, flat", { BY_DEVIATION, 7 * 3, 96, 3, 1, true, true, false });
	check_one("l2norm", { BY_LENGTH, 11, 64, 1, 1, false, false, false });
	check_axis(2, 7, 300);
	check_axis(3, 40, 5);
	return verdict();
}
