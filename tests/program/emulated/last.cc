/*
 * CUDA's kernels for images that lie channels-last, against those for channels-first, which
 * tests/program/cuda.test and the GPU's script try on a GPU: the same numbers, turned around. Both run on the
 * host (cuda.h). Shapes have channels that are packed and that are not, fewer and more than a
 * strip, and rows fewer and more than threads. And what goes element by element, against loops.
 */
#include "cuda.h"

#include "../products/epilogues.h"

#include "norm/batchnorm.cu"
#include "product/bias.cu"
#include "pool/avgpool.cu"
#include "pool/global_avgpool.cu"
#include "pool/maxpool.cu"
#include "copy/cast.cu"
#include "copy/concat.cu"
#include "copy/rectangle.cu"
#include "copy/upsample.cu"
#include "copy/move.cu"
#include "pointwise/dropout.cu"
#include "pointwise/reduce.cu"
#define CHANNELS_FIRST
#define CHANNELS_LAST
#include "conv/conv_concat.cu"
#include "../products/shapes.h"

#include "values.h"

/* [b, rows, cols] to [b, cols, rows] */
static void
turn(real *y, const real *x, int64_t b, int64_t rows, int64_t cols)
{
	struct move m = { 3, { { b, rows * cols, rows * cols }, { cols, rows, 1 }, { rows, 1, cols } } };

	move_forward(y, x, 0, m);
}

/* Backward of what a formula makes of dy and of what lies beside it, in its first sweep and where dy lies, against backward
 * of that made before: the same bits. [rows, channels, places] */
static void
check_norm_of_made(int64_t rows, int64_t c, int64_t places, enum epilogue_kind kind, int64_t parts)
{
	std::string at = " " + std::to_string(rows) + "x" + std::to_string(c) + "x" + std::to_string(places);
	int64_t all = rows * c * places;
	std::vector<double> work((size_t)(2 * c * parts));
	Values x = drawn(all), y = drawn(all), w = drawn(c), m = drawn(c), s = drawn(c), dx(all);
	Values dw[2] = { Values(c), Values(c) }, db[2] = { dw[0], dw[0] };
	Values dy = drawn(all), passed = dy;

	for (size_t i = 0; i < (size_t)all; i++)
		passed[i] = kind == DO_RELU_GRAD ? relu_grad_then(dy[i], y[i]) : gelu_grad_then(dy[i], y[i]);
	batchnorm_backward(&dx[0], &dw[0][0], &db[0][0], &work[0], &passed[0], AS_IS, &x[0], &w[0], NULL, &m[0], &s[0], 0,
	    rows, c, places, parts);
	batchnorm_backward_of(&dy[0], &x[0], &dw[1][0], &db[1][0], &work[0], &dy[0], epilogue_of(kind, &y[0]), &x[0], &w[0],
	    &m[0], &s[0], rows, c, places, parts);
	same("what passes to a norm" + at, passed, dy, 0);
	same("a norm's dx of that" + at, dx, x, 0);
	same("a norm's dw of that" + at, dw[0], dw[1], 0);
	same("a norm's db of that" + at, db[0], db[1], 0);
}

/* A bias's gradient of what a formula makes of dy and of what lies beside it, where either lies, against that of it made
 * before: the same bits. [b, c, n], and as rows of channels. */
static void
check_bias_of_made(int64_t b, int64_t c, int64_t n, enum epilogue_kind kind)
{
	std::string at = " " + std::to_string(b) + "x" + std::to_string(c) + "x" + std::to_string(n);
	int64_t all = b * c * n;
	std::vector<double> work((size_t)(c * (bias_parts(c) + bias_plane_parts(c))), 1e9);

	for (int rows = 0; rows < 2; rows++) {
		Values dy = drawn(all), y = drawn(all), passed = dy, db[2] = { Values(c), Values(c) };

		for (size_t i = 0; i < (size_t)all; i++)
			passed[i] = kind == DO_RELU_GRAD ? relu_grad_then(dy[i], y[i]) : gelu_grad_then(dy[i], y[i]);
		if (rows) {
			bias_rows_backward(&db[0][0], &work[0], &passed[0], b * n, c);
			bias_rows_backward_of(&db[1][0], &dy[0], &work[0], &dy[0], epilogue_of(kind, &y[0]), b * n, c);
			same("what passes to a bias by rows" + at, passed, dy, 0);
		} else {
			bias_backward(&db[0][0], &work[0], &passed[0], b, c, n);
			bias_backward_of(&db[1][0], &y[0], &work[0], &dy[0], epilogue_of(kind, &y[0]), b, c, n);
			same("what passes to a bias" + at, passed, y, 0);
		}
		same("a bias of that" + at, db[0], db[1], 0);
	}
}

/* A bias's gradient of what passes to the places of maxima, some of which are nowhere. */
static void
check_bias_behind_pool(int64_t b, int64_t c, int64_t n)
{
	std::string at = " " + std::to_string(b) + "x" + std::to_string(c) + "x" + std::to_string(n);
	std::vector<double> work((size_t)(c * (bias_parts(c) + bias_plane_parts(c))), 1e9);
	std::vector<uint8_t> place((size_t)(b * c * n));
	Values dy = drawn(b * c * n), db[2] = { Values(c), Values(c) }, sum[2] = { Values(c), Values(c) };
	std::vector<double> of[2] = { std::vector<double>((size_t)c), std::vector<double>((size_t)c) };

	for (size_t i = 0; i < dy.size(); i++) {
		place[i] = i % 7 == 3 ? 255 : i % 4;
		of[0][i / n % c] += place[i] == 255 ? 0 : dy[i];
		of[1][i % c] += place[i] == 255 ? 0 : dy[i];
	}
	for (int64_t k = 0; k < c; k++)
		sum[0][k] = (real)of[0][k], sum[1][k] = (real)of[1][k];
	bias_backward_pooled(&db[0][0], &work[0], &dy[0], &place[0], b, c, n);
	bias_rows_backward_pooled(&db[1][0], &work[0], &dy[0], &place[0], b * n, c);
	same("a bias behind a pool" + at, db[0], sum[0], 1e-4);
	same("a bias behind a pool by rows" + at, db[1], sum[1], 1e-4);
}

/* HOW: 0 plain; 1 with an activation; 2 with what reads a tensor beside x; from that on, where there are 8 channels. */
static void
check_norm(int64_t b, int64_t c, int64_t n, int how)
{
	std::string at = " " + std::to_string(b) + "x" + std::to_string(c) + "x" + std::to_string(n);
	int64_t all = b * c * n, first = norm_parts(c, false), last = norm_parts(c, true);
	std::vector<double> work((size_t)(2 * c * last + c));
	Values x = drawn(all), dy = drawn(all), skip = drawn(all), w = drawn(c), bias = drawn(c);
	Values xl = turned(x, b, c, n), dyl = turned(dy, b, c, n), skipl = turned(skip, b, c, n), passed = dy;
	Values y[2] = { Values(all), Values(all) }, m[2] = { Values(c), Values(c) }, s[2] = { m[0], m[1] };
	Values rm[2] = { m[0], m[1] }, rv[2] = { m[0], m[1] }, dw[2] = { m[0], m[1] }, db[2] = { m[0], m[1] };

	for (; how < 3; how += c == 8 ? 1 : 3) {
		struct epilogue then = how == 1 ? THEN(GELU) : AS_IS, back = how == 1 ? THEN(GELU_GRAD) : AS_IS;

		batchnorm_forward(&y[0][0], &m[0][0], &s[0][0], &rm[0][0], &rv[0][0], &work[0], NULL, &x[0], &w[0], &bias[0],
		    how == 2 ? THEN_WITH(RELU_GRAD, &skip[0]) : then, 1e-5, 0.1, b, c, n, first);
		batchnorm_forward(&y[1][0], &m[1][0], &s[1][0], &rm[1][0], &rv[1][0], &work[0], NULL, &xl[0], &w[0], &bias[0],
		    how == 2 ? THEN_WITH(RELU_GRAD, &skipl[0]) : then, 1e-5, 0.1, b * n, c, 1, last);
		same("norm" + at, turned(y[0], b, c, n), y[1], 2e-5);
		same("norm's mean" + at, m[0], m[1], 1e-5);
		same("norm's deviation" + at, s[0], s[1], 1e-5);
		same("norm's running variance" + at, rv[0], rv[1], 1e-5);
		/* by loops, of the same statistics */
		for (int64_t i = 0; i < all; i++) {
			int64_t ch = i / n % c;
			float v = (x[i] - m[0][ch]) * (w[ch] * s[0][ch]) + bias[ch];

			y[1][i] = how == 1 ? gelu_then(v, 0) : how == 2 ? relu_grad_then(v, skip[i]) : v;
		}
		same("norm by its formula" + at, y[0], y[1], 2e-5);
		batchnorm_backward(&y[0][0], &dw[0][0], &db[0][0], &work[0], &dy[0], back, &x[0], &w[0], &bias[0],
		    &m[0][0], &s[0][0], 0, b, c, n, first);
		batchnorm_backward(&y[1][0], &dw[1][0], &db[1][0], &work[0], &dyl[0], back, &xl[0], &w[0], &bias[0],
		    &m[0][0], &s[0][0], 0, b * n, c, 1, last);
		same("norm's dx" + at, turned(y[0], b, c, n), y[1], 2e-5);
		same("norm's dw" + at, dw[0], dw[1], 1e-5);
		same("norm's db" + at, db[0], db[1], 1e-5);
		if (how != 1)
			continue;
		for (int64_t i = 0; i < all; i++) {	/* what passes, and then plain backward */
			int64_t ch = i / n % c;

			passed[i] = gelu_grad_then(dy[i], (x[i] - m[0][ch]) * (w[ch] * s[0][ch]) + bias[ch]);
		}
		batchnorm_backward(&y[1][0], &dw[1][0], &db[1][0], &work[0], &passed[0], AS_IS, &x[0], &w[0], NULL,
		    &m[0][0], &s[0][0], 0, b, c, n, first);
		same("norm's dx through an activation" + at, y[0], y[1], 2e-5);
		same("norm's dw through an activation" + at, dw[0], dw[1], 1e-5);
		same("norm's db through an activation" + at, db[0], db[1], 1e-5);
	}
	work.assign(work.size(), 1e9);
	bias_backward(&db[0][0], &work[0], &dy[0], b, c, n);
	bias_rows_backward(&db[1][0], &work[0], &dyl[0], b * n, c);
	same("bias" + at, db[0], db[1], 1e-5);
	turn(&y[0][0], &x[0], b, c, n);
	same("turned" + at, xl, y[0], 0);
	turn(&y[1][0], &y[0][0], b, n, c);
	same("turned back" + at, x, y[1], 0);
}

static void
check_pool(int64_t b, int64_t c, int64_t h, int64_t w, int64_t k, int64_t stride, int64_t pad)
{
	int64_t oh = (h + 2 * pad - k) / stride + 1, ow = (w + 2 * pad - k) / stride + 1;
	struct pool g = { h, w, oh, ow, k, k, stride, stride, pad, pad };
	Values x = drawn(b * c * h * w), dy = drawn(b * c * oh * ow), y[2], dx[2];
	Values xl = turned(x, b, c, h * w), dyl = turned(dy, b, c, oh * ow), mean[2];
	std::vector<uint8_t> index[2];

	for (int i = 0; i < 2; i++) {
		y[i].resize(dy.size()), dx[i].resize(x.size()), index[i].resize(dy.size());
		mean[i].resize((size_t)(b * c));
	}
	maxpool_forward(&y[0][0], &index[0][0], NULL, &x[0], AS_IS, AS_IS, b, c, g);
	maxpool_last_forward(&y[1][0], &index[1][0], NULL, &xl[0], AS_IS, AS_IS, b, c, g);
	same("maxpool", turned(y[0], b, c, oh * ow), y[1], 0);
	same("maxpool's places", turned(index[0], b, c, oh * ow), index[1], 0);
	maxpool_backward(&dx[0][0], &dy[0], &index[0][0], NULL, ANEW, b, c, g);
	maxpool_last_backward(&dx[1][0], &dyl[0], &index[1][0], NULL, ANEW, b, c, g);
	same("maxpool's dx", turned(dx[0], b, c, h * w), dx[1], 0);
	/* a rectifier behind it: the pooled values were in y, their places in index */
	for (float &v : x)
		v -= 0.5f;
	xl = turned(x, b, c, h * w);
	maxpool_forward(&y[0][0], &index[0][0], NULL, &x[0], AS_IS, AS_IS, b, c, g);
	for (size_t i = 0; i < dy.size(); i++) {
		dy[i] = y[0][i] > 0 ? dy[i] : 0;
		y[0][i] = y[0][i] > 0 ? y[0][i] : 0;
	}
	maxpool_backward(&dx[0][0], &dy[0], &index[0][0], NULL, ANEW, b, c, g);
	maxpool_forward(&y[1][0], &index[1][0], NULL, &x[0], THEN(RELU), THEN(RELU_GRAD), b, c, g);
	same("maxpool, then relu", y[0], y[1], 0);
	for (float &v : dy)
		v = v == 0 ? 7 : v;	/* where none of it may arrive */
	maxpool_backward(&dx[1][0], &dy[0], &index[1][0], NULL, ANEW, b, c, g);
	same("maxpool, then relu's dx", dx[0], dx[1], 0);
	index[0] = turned(index[1], b, c, oh * ow);
	maxpool_last_forward(&y[1][0], &index[1][0], NULL, &xl[0], THEN(RELU), THEN(RELU_GRAD), b, c, g);
	same("maxpool, then relu, channels-last", turned(y[0], b, c, oh * ow), y[1], 0);
	same("maxpool, then relu's places", index[0], index[1], 0);
	dyl = turned(dy, b, c, oh * ow);
	avgpool_forward(&y[0][0], &x[0], AS_IS, b, c, g);
	avgpool_last_forward(&y[1][0], &xl[0], AS_IS, b, c, g);
	same("avgpool", turned(y[0], b, c, oh * ow), y[1], 0);
	avgpool_backward(&dx[0][0], &dy[0], ANEW, b, c, g);
	avgpool_last_backward(&dx[1][0], &dyl[0], ANEW, b, c, g);
	same("avgpool's dx", turned(dx[0], b, c, h * w), dx[1], 0);
	/* places of more than a byte, and a gradient added onto another */
	std::vector<int32_t> far[2] = { std::vector<int32_t>(dy.size()), std::vector<int32_t>(dy.size()) };

	maxpool_forward(&y[0][0], NULL, &far[0][0], &x[0], AS_IS, AS_IS, b, c, g);
	maxpool_last_forward(&y[1][0], NULL, &far[1][0], &xl[0], AS_IS, AS_IS, b, c, g);
	same("maxpool's places, as words", turned(far[0], b, c, oh * ow), far[1], 0);
	dx[0] = x, dx[1] = xl;
	maxpool_backward(&dx[0][0], &dy[0], NULL, &far[0][0], ONTO(0.5f), b, c, g);
	maxpool_last_backward(&dx[1][0], &dyl[0], NULL, &far[1][0], ONTO(0.5f), b, c, g);
	same("maxpool's dx, added", turned(dx[0], b, c, h * w), dx[1], 0);
	global_avgpool_forward(&mean[0][0], &x[0], b, c, h * w);
	global_avgpool_last_forward(&mean[1][0], &xl[0], b, c, h * w);
	same("global_avgpool", mean[0], mean[1], 1e-6);
}

/* The kernels for any windows, of windows that the others have: with channels first, and inside. */
static void
check_axes(int64_t b, int64_t c, int64_t h, int64_t w, int64_t k, int64_t stride, int64_t pad)
{
	int64_t oh = (h + 2 * pad - k) / stride + 1, ow = (w + 2 * pad - k) / stride + 1;
	struct pool g = { h, w, oh, ow, k, k, stride, stride, pad, pad };
	struct pool_axes any = { { { 1, 1, 1, 1, 0, 0 }, { h, oh, k, stride, pad, pad },
	    { w, ow, k, stride, pad, pad } }, 1, true }, last = any;
	Values x = drawn(b * c * h * w), dy = drawn(b * c * oh * ow), y[3], dx[3];
	Values xl = turned(x, b, c, h * w), dyl = turned(dy, b, c, oh * ow);
	std::vector<uint8_t> at[3];

	last.inner = c;
	for (int i = 0; i < 3; i++)
		y[i].resize(dy.size()), dx[i] = i < 2 ? x : xl, at[i].resize(dy.size());
	maxpool_forward(&y[0][0], &at[0][0], NULL, &x[0], THEN(RELU), THEN(RELU_GRAD), b, c, g);
	maxpool_axes_forward(&y[1][0], &at[1][0], NULL, &x[0], THEN(RELU), THEN(RELU_GRAD), b, c, any);
	maxpool_axes_forward(&y[2][0], &at[2][0], NULL, &xl[0], THEN(RELU), THEN(RELU_GRAD), b, 1, last);
	same("maxpool, then relu of any windows", y[0], y[1], 0);
	same("maxpool, then relu of any windows, its places", at[0], at[1], 0);
	same("maxpool, then relu of any windows, channels-last", turned(y[1], b, c, oh * ow), y[2], 0);
	maxpool_backward(&dx[0][0], &dy[0], &at[0][0], NULL, ONTO(0.5f), b, c, g);
	maxpool_axes_backward(&dx[1][0], &dy[0], &at[1][0], NULL, ONTO(0.5f), b, c, any);
	maxpool_axes_backward(&dx[2][0], &dyl[0], &at[2][0], NULL, ONTO(0.5f), b, 1, last);
	same("maxpool's dx of any windows", dx[0], dx[1], 1e-6);
	same("maxpool's dx of any windows, channels-last", turned(dx[1], b, c, h * w), dx[2], 0);
	avgpool_forward(&y[0][0], &x[0], AS_IS, b, c, g);
	avgpool_axes_forward(&y[1][0], &x[0], AS_IS, b, c, any);
	avgpool_axes_forward(&y[2][0], &xl[0], AS_IS, b, 1, last);
	same("avgpool of any windows", y[0], y[1], 1e-6);
	same("avgpool of any windows, channels-last", turned(y[1], b, c, oh * ow), y[2], 0);
	for (size_t i = 0; i < y[1].size(); i++)
		y[1][i] = dy[i] > 0 ? y[1][i] : 0;
	avgpool_forward(&y[0][0], &x[0], THEN_WITH(RELU_GRAD, &dy[0]), b, c, g);
	same("avgpool, where there is more than 0 beside", y[0], y[1], 1e-6);
	avgpool_axes_forward(&y[0][0], &x[0], THEN_WITH(RELU_GRAD, &dy[0]), b, c, any);
	same("avgpool of any windows, where there is more than 0 beside", y[0], y[1], 0);
	avgpool_last_forward(&y[2][0], &xl[0], THEN_WITH(RELU_GRAD, &dyl[0]), b, c, g);
	same("avgpool channels-last, where there is more than 0 beside", turned(y[1], b, c, oh * ow), y[2], 1e-6);
	avgpool_backward(&dx[0][0], &dy[0], ANEW, b, c, g);
	avgpool_axes_backward(&dx[1][0], &dy[0], ANEW, b, c, any);
	avgpool_axes_backward(&dx[2][0], &dyl[0], ANEW, b, 1, last);
	same("avgpool's dx of any windows", dx[0], dx[1], 1e-6);
	same("avgpool's dx of any windows, channels-last", turned(dx[1], b, c, h * w), dx[2], 0);
}

static void
check_upsample(int64_t b, int64_t c, int64_t h, int64_t w, int64_t oh, int64_t ow)
{
	Values x = drawn(b * c * h * w), dy = drawn(b * c * oh * ow), y(dy.size()), yl = y, dx(x.size());
	Values xl = turned(x, b, c, h * w), dyl = turned(dy, b, c, oh * ow), dxl = dx;
	struct step s = { 1, 2, 3, 0, 1, 0 };

	upsample_forward(&y[0], &x[0], b, c, upsample{ oh, ow, h, w });
	upsample_last_forward(&yl[0], &xl[0], b, c, upsample{ oh, ow, h, w });
	same("upsample", turned(y, b, c, oh * ow), yl, 0);
	upsample_backward(&dx[0], &dy[0], ANEW, b, c, upsample{ oh, ow, h, w });
	upsample_last_backward(&dxl[0], &dyl[0], ANEW, b, c, upsample{ oh, ow, h, w });
	same("upsample's dx", turned(dx, b, c, h * w), dxl, 1e-6);
	for (int taps = 1; taps <= 4; taps *= 2)	/* linear and cubic are tried against PyTorch, in C */
		for (int corners = 0; corners < (taps > 1 ? 2 : 1); corners++) {
			struct resize r = { { { 1, 1 }, { h, oh }, { w, ow } }, 1, taps, corners > 0 }, rl = r;
			Values z(dy.size()), dz(x.size());

			rl.inner = c;
			resize_forward(&z[0], &x[0], b, c, r);
			resize_forward(&yl[0], &xl[0], b, 1, rl);
			same("resize", turned(z, b, c, oh * ow), yl, 0);
			resize_backward(&dz[0], &dy[0], ANEW, b, c, r);
			resize_backward(&dxl[0], &dyl[0], ANEW, b, 1, rl);
			same("resize's dx", turned(dz, b, c, h * w), dxl, 0);
			if (taps == 1) {
				same("resize by the nearest", y, z, 0);
				same("resize's dx by the nearest", dx, dz, 1e-6);
			}
		}
	dropout(&dx[0], &x[0], AS_IS, &s, 7, 0.4, b * c * h * w);
	dropout_last(&dxl[0], &xl[0], AS_IS, &s, 7, 0.4, b, c, h * w);
	same("dropout", turned(dx, b, c, h * w), dxl, 0);
}

static void
check_depthwise(int64_t b, int c, int each, int h, int w, int k, int stride)
{
	struct conv s = conv_shape(c, h, w, c * each, (h + 2 - k) / stride + 1, (w + 2 - k) / stride + 1, k, k,
	    stride, stride, 1, 1, 1, 1, c), last = channels_last(s);
	int64_t nx = b * c * h * w, ny = b * s.f * s.oh * s.ow, taps = (int64_t)s.f * k * k;
	Values x = drawn(nx), dy = drawn(ny), wt = drawn(taps), bias = drawn(s.f), y(ny), dx(nx), dw(taps);
	Values xl = turned(x, b, c, (int64_t)h * w), dyl = turned(dy, b, s.f, (int64_t)s.oh * s.ow);
	Values yl = y, dxl = dx, dwl = dw, work((size_t)depthwise_last_sums(&last));

	for (int64_t i = 0; i < ny; i++) {	/* by the definition */
		int64_t p = i % (s.oh * s.ow), f = i / (s.oh * s.ow) % s.f, n = i / ((int64_t)s.oh * s.ow * s.f);
		double sum = bias[f];

		for (int t = 0; t < k * k; t++) {
			int64_t iy = p / s.ow * stride - 1 + t / k, ix = p % s.ow * stride - 1 + t % k;
			int64_t at = ((n * c + f / each) * h + iy) * w + ix;

			if (iy < 0 || iy >= h || ix < 0 || ix >= w)
				continue;
			sum += (double)wt[f * k * k + t] * x[at];
			dx[at] += wt[f * k * k + t] * dy[i];
			dw[f * k * k + t] += x[at] * dy[i];
		}
		y[i] = (float)sum;
	}
	depthwise_last_forward(&yl[0], &xl[0], &wt[0], &bias[0], ANEW, b, last);
	same("depthwise", turned(y, b, s.f, (int64_t)s.oh * s.ow), yl, 1e-5);
	depthwise_last_backward_input(&dxl[0], &dyl[0], &wt[0], NULL, ANEW, b, last);
	same("depthwise's dx", turned(dx, b, c, (int64_t)h * w), dxl, 1e-5);
	depthwise_last_backward_weight(&dwl[0], &dyl[0], &xl[0], ANEW, &work[0], b, last);
	same("depthwise's dw", dw, dwl, 1e-5);
}

/* Weights [f, c, taps] to [f, taps, c] are images as any. */
static void
check_conv(int64_t b, struct conv s)
{
	struct conv l = channels_last(s);
	int cg = s.c / s.groups, taps = s.kh * s.kw, in = s.h * s.w, out = s.oh * s.ow;
	Values x = drawn(b * s.c * in), w = drawn((int64_t)s.f * cg * taps), bias = drawn(s.f);
	Values dy = drawn(b * s.f * out), y = dy, yl = y, dx = x, dxl = x, dw = w, dwl = w;
	Values xl = turned(x, b, s.c, in), wl = turned(w, s.f, cg, taps), dyl = turned(dy, b, s.f, out);
	Values work((size_t)(conv_weights(&s) * conv_gpu_splits(&s)));

	conv_forward(&y[0], &x[0], &w[0], &bias[0], ANEW, AS_IS, &work[0], 0, b, s);
	conv_forward(&yl[0], &xl[0], &wl[0], &bias[0], ANEW, AS_IS, &work[0], 0, b, l);
	same("conv", turned(y, b, s.f, out), yl, 1e-5);
	conv_backward_input(&dx[0], &dy[0], &w[0], NULL, ANEW, &work[0], 0, b, s);
	conv_backward_input(&dxl[0], &dyl[0], &wl[0], NULL, ANEW, &work[0], 0, b, l);
	same("conv's dx", turned(dx, b, s.c, in), dxl, 1e-5);
	conv_backward_weight(&dw[0], &dy[0], &x[0], ANEW, &work[0], 0, b, s);
	conv_backward_weight(&dwl[0], &dyl[0], &xl[0], ANEW, &work[0], 0, b, l);
	same("conv's dw", turned(dw, s.f, cg, taps), dwl, 1e-5);
}

/* Of two tensors, the second of them seen through a crop. */
static void
check_concat(int64_t b, int c1, int c2, int f)
{
	struct conv s = conv_shape(c1 + c2, 6, 5, f, 6, 5, 3, 3, 1, 1, 1, 1, 1, 1, 1), l = channels_last(s);
	Values p = drawn(b * c1 * 30), q = drawn(b * c2 * 9 * 7), w = drawn((int64_t)f * s.c * 9);
	Values dy = drawn(b * f * 30), y = dy, yl = y, dw = w, dwl = w, dq = q, dql = turned(q, b, c2, 63);
	Values pl = turned(p, b, c1, 30), ql = dql, wl = turned(w, f, s.c, 9), dyl = turned(dy, b, f, 30);
	Values work((size_t)(conv_weights(&s) * conv_gpu_splits(&s)));
	struct part one = { 0, c1, 6, 5, 0, 0 }, two = { c1, c2, 9, 7, 2, 1 };
	struct sources from = beside(beside(no_sources(), &p[0], b, one), &q[0], b, two);
	struct sources last = beside_last(beside_last(no_sources(), &pl[0], b, one), &ql[0], b, two);

	conv_concat_forward(&y[0], from, &w[0], NULL, NULL, 0, b, s);
	conv_concat_forward(&yl[0], last, &wl[0], NULL, NULL, 0, b, l);
	same("conv_concat", turned(y, b, f, 30), yl, 1e-5);
	conv_concat_backward_weight(&dw[0], &dy[0], from, ANEW, &work[0], 0, b, s);
	conv_concat_backward_weight(&dwl[0], &dyl[0], last, ANEW, &work[0], 0, b, l);
	same("conv_concat's dw", turned(dw, f, s.c, 9), dwl, 1e-5);
	conv_concat_backward_input(&dq[0], &dy[0], &w[0], ONTO(0.5f), NULL, 0, b, s, two);
	conv_concat_backward_input(&dql[0], &dyl[0], &wl[0], ONTO(0.5f), NULL, 0, b, l, two);
	same("conv_concat's dx", turned(dq, b, c2, 63), dql, 1e-5);
}

/* Element by element, by packs and what is left of them, wherever the tensors begin. */
static void
check_map(int64_t n, int from)
{
	Values x = drawn(n + from), y = drawn(n + from), relu = x, two = x;

	epilogue_apply(&two[from], THEN(RELU), n);
	epilogue_apply(&relu[from], THEN_WITH(RELU_GRAD, &y[from]), n);
	for (int64_t i = 0; i < n + from; i++) {
		bool there = i >= from;
		float d = there && y[i] <= 0 ? 0 : x[i];

		relu[i] -= d;
		two[i] -= there && x[i] <= 0 ? 0 : x[i];
	}
	x.assign(x.size(), 0);
	same("relu", x, two, 0);
	same("relu's dx behind a product", x, relu, 0);
}

static void
check_turn(int64_t b, int64_t rows, int64_t cols)
{
	Values x = drawn(b * rows * cols), y = x;

	turn(&y[0], &x[0], b, rows, cols);
	same("turned", turned(x, b, rows, cols), y, 0);
}

int
main(void)
{
	check_map(3, 0);
	check_map(4 * 70000 + 3, 0);
	check_map(1030, 1);
	check_turn(2, 3, 700);
	check_turn(3, 8, 35);
	check_turn(2, 37, 70);
	check_norm(2, 8, 35, 0);
	check_norm(3, 7, 700, 1);
	check_norm(1, 268, 70, 2);
	check_norm(2, 3, 4608, 0);
	check_norm(5, 8, 196, 0);	/* planes of fewer packs than threads, and of several tiles */
	check_norm(2, 16, 12, 1);
	check_norm(17, 3, 1000, 2);
	check_norm(2, 3, 8203, 1);
	check_norm(40, 5, 49, 2);
	check_norm(2, 530, 20, 0);
	for (enum epilogue_kind kind : { DO_RELU_GRAD, DO_GELU_GRAD }) {
		check_norm_of_made(2, 8, 35, kind, norm_parts(8, false));
		check_norm_of_made(5, 3, 4608, kind, norm_parts(3, false));
		check_norm_of_made(3, 7, 701, kind, norm_parts(7, false));
		check_norm_of_made(70, 8, 1, kind, norm_parts(8, true));
		check_norm_of_made(3000, 264, 1, kind, norm_parts(264, true));
		check_norm_of_made(700, 13, 1, kind, norm_parts(13, true));
		check_bias_behind_pool(2, 8, 36);
		check_bias_behind_pool(5, 3, 4608);
		check_bias_behind_pool(3, 7, 701);
		check_bias_behind_pool(70, 264, 8);
		check_bias_of_made(2, 8, 35, kind);
		check_bias_of_made(5, 3, 4608, kind);
		check_bias_of_made(3, 7, 701, kind);
		check_bias_of_made(70, 264, 8, kind);
	}
	check_pool(2, 8, 9, 11, 3, 2, 1);
	check_pool(2, 37, 8, 8, 2, 2, 0);
	check_pool(1, 70, 7, 5, 3, 1, 1);
	check_axes(2, 8, 9, 11, 3, 2, 1);
	check_axes(1, 7, 8, 6, 2, 2, 0);
	check_upsample(2, 12, 4, 5, 8, 10);
	check_upsample(2, 5, 4, 5, 7, 9);
	check_depthwise(2, 9, 1, 8, 7, 3, 1);
	check_depthwise(2, 300, 2, 7, 7, 3, 2);
	check_conv(2, conv_shape(5, 7, 6, 9, 7, 6, 3, 3, 1, 1, 1, 1, 1, 1, 1));
	check_conv(2, conv_shape(8, 9, 7, 12, 4, 4, 3, 2, 2, 2, 0, 1, 1, 2, 4));
	check_conv(1, conv_shape(70, 5, 5, 66, 5, 5, 1, 1, 1, 1, 0, 0, 1, 1, 1));
	check_concat(2, 3, 6, 10);
	check_concat(2, 4, 8, 10);	/* by packs */
	return verdict();
}
