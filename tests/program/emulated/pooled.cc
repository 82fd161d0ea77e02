/*
 * Normalisation and the maximum pooling behind it in one sweep each way, channels last, against the kernels that do one after
 * the other: the same bits, but where 16 bits had rounded between. There the places may differ of what rounding makes
 * equal, so that each is looked at, and backward of both is given the same ones.
 */
#include "cuda.h"

#include "../products/epilogues.h"

#include "norm/batchnorm_pool.cu"

#include "values.h"

struct done {
	Values y, dx, dw, db;
	std::vector<uint8_t> small;
	std::vector<real> mean, invstd, rm, rv;

	done(int64_t rows, int64_t outputs, int64_t c) : y(nothing(outputs * c)), dx(nothing(rows * c)), dw(nothing(c)),
	    db(nothing(c)), small((size_t)(outputs * c), 0xa5), mean((size_t)c), invstd((size_t)c),
	    rm((size_t)c, (real)0.5), rv((size_t)c, (real)0.5) { }
};

/* Is y what is normalised at the place of each maximum, or nowhere 0? */
static void
check_places(const std::string &what, const done &a, const Values &z, int64_t b, int64_t c, struct pool g)
{
	int wrong = 0;

	for (int64_t o = 0; o < b * g.oh * g.ow * c; o++) {
		int64_t place = o / c, x = place % g.ow, y = place / g.ow % g.oh, image = place / g.ow / g.oh;
		int at = a.small[(size_t)o];
		int64_t iy = y * g.sh - g.ph + at / g.kw, ix = x * g.sw - g.pw + at % g.kw;
		real v = at == 255 ? 0 : iy < 0 || ix < 0 || iy >= g.h || ix >= g.w ? NAN :
		    VALUE(z[(size_t)(((image * g.h + iy) * g.w + ix) * c + o % c)]);

		wrong += v != VALUE(a.y[(size_t)o]);
	}
	checks++;
	if (wrong)
		failed(what, wrong, (double)a.y.size());
}

static void
check(int64_t b, int64_t c, struct pool g, bool relu)
{
	std::string at = " " + std::to_string(b) + "x" + std::to_string(g.h) + "x" + std::to_string(g.w) + "x" +
	    std::to_string(c) + " by " + std::to_string(g.kh) + "/" + std::to_string(g.sh) + (relu ? " with relu" : "");
	int64_t rows = b * g.h * g.w, outputs = b * g.oh * g.ow, parts = norm_parts(c, true);
	Sums work((size_t)(2 * c * parts + c));
	Values x = drawn(rows * c), w = drawn(c), bias = drawn(c), dy = drawn(outputs * c), z = nothing(rows * c), dz = z;
	done one(rows, outputs, c), two = one;
	double tolerance = NARROW ? 1e-2 : 0;
	struct epilogue then = relu ? THEN(RELU) : AS_IS, passed = relu ? THEN(RELU_GRAD) : AS_IS;

	batchnorm_forward(&z[0], &one.mean[0], &one.invstd[0], &one.rm[0], &one.rv[0], &work[0], NULL, &x[0], &w[0], &bias[0],
	    AS_IS, 1e-5, 0.1, rows, c, 1, parts);
	maxpool_last_forward(&one.y[0], &one.small[0], NULL, &z[0], then, passed, b, c, g);
	batchnorm_pool_forward(&two.y[0], &two.small[0], &two.mean[0], &two.invstd[0], &two.rm[0], &two.rv[0], &work[0],
	    &x[0], &w[0], &bias[0], then, passed, 1e-5, 0.1, b, c, g, parts);
	same("y" + at, two.y, one.y, 0);
	same("mean" + at, two.mean, one.mean, 0);
	same("deviation" + at, two.invstd, one.invstd, 0);
	same("running mean" + at, two.rm, one.rm, 0);
	same("running variance" + at, two.rv, one.rv, 0);
	check_places("places" + at, two, z, b, c, g);
	if (!NARROW)
		same("places" + at, two.small, one.small, 0);

	maxpool_last_backward(&dz[0], &dy[0], &two.small[0], NULL, ANEW, b, c, g);
	batchnorm_backward(&one.dx[0], &one.dw[0], &one.db[0], &work[0], &dz[0], AS_IS, &x[0], &w[0], NULL, &one.mean[0],
	    &one.invstd[0], 0, rows, c, 1, parts);
	z = x;
	batchnorm_pool_backward(&x[0], &two.dw[0], &two.db[0], &work[0], &dy[0], &two.small[0], &x[0], &w[0],
	    &two.mean[0], &two.invstd[0], b, c, g, parts);
	same("dx where x lies" + at, x, one.dx, tolerance);
	same("dw" + at, two.dw, one.dw, tolerance);
	same("db" + at, two.db, one.db, tolerance);

	/* fixed statistics; of places nobody asks */
	x = z;
	batchnorm_inference(&z[0], &work[0], &x[0], &w[0], &bias[0], AS_IS, &one.rm[0], &one.rv[0], 1e-5, rows, c, 1);
	maxpool_last_forward(&one.y[0], NULL, NULL, &z[0], then, passed, b, c, g);
	batchnorm_pool_inference(&two.y[0], NULL, &work[0], &x[0], &w[0], &bias[0], &one.rm[0], &one.rv[0], then, passed, 1e-5, b, c,
	    g);
	same("y by fixed statistics" + at, two.y, one.y, 0);
}

static void
check_shapes(int64_t b, int64_t c, int64_t h, int64_t w, int64_t k, int64_t stride, int64_t pad, bool ceil)
{
	int64_t more = ceil ? stride - 1 : 0;
	struct pool g = { h, w, (h + 2 * pad - k + more) / stride + 1, (w + 2 * pad - k + more) / stride + 1, k, k, stride,
	    stride, pad, pad };

	check(b, c, g, false);
	check(b, c, g, true);
}

int
main(void)
{
	check_shapes(2, 8, 9, 12, 3, 2, 1, false);
	check_shapes(3, 24, 13, 7, 3, 2, 0, true);
	check_shapes(2, 264, 6, 6, 2, 2, 0, false);
	check_shapes(5, 3, 8, 10, 3, 2, 1, false);
	check_shapes(2, 16, 40, 50, 3, 1, 1, false);
	return verdict();
}
