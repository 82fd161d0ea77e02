/*
 * The tiles of CUDA's products (product/gemm_cuda.cu), against sums by definition in double
 * precision: large and small ones, which must agree to the bit; in f32, in bf16, and on tensor cores
 * (mma.h), for cards that keep two slices or three, and by groups of warps (wgmma.h), where
 * emulation rounds as for a warp. Shapes are ragged in rows, columns and depth, with neighbours in
 * memory that go by packs and that do not; some are drawn.
 */
#include "cuda.h"
#include "copies.h"

#define CHANNELS_FIRST
#define CHANNELS_LAST
#include "conv/conv_concat.cu"
#include "product/matmul.cu"
#include "../products/shapes.h"
#include "host/hash.h"
#include "host/ask_tiles_cuda.cu"

#include "values.h"

#if NARROW
#define TOLERANCE	4e-3	/* half of the last of eight bits, of what may be next to the largest */
#elif defined(USE_TF32)
#define TOLERANCE	2e-3
#else
#define TOLERANCE	2e-6
#endif

static int large;

/* What PRODUCT makes of OLD by large tiles and by small ones, against WANT. */
template <class Product> static void
check(const std::string &what, const Values &old, const Sums &want, const Product &product)
{
	Values by[2] = { old, old };
	unsigned blocks[2];

	for (int i = 0; i < 2; i++) {
		emulated_processors = i ? 1 << 30 : 1;
		product(&by[i][0]);
		blocks[i] = gridDim.x;
	}
	large += blocks[0] < blocks[1];
	same(what, by[0], want, TOLERANCE);
	checks++;
	if (std::memcmp(&by[0][0], &by[1][0], old.size() * sizeof(elem)) != 0)
		failed(what + ": other bits by other tiles", 0, 0);
}

/* A half of what lies there, and SUMS. */
static Sums
onto(const Values &old, Sums sums)
{
	for (size_t i = 0; i < sums.size(); i++)
		sums[i] += 0.5 * VALUE(old[i]);
	return sums;
}

static void
check_conv(int64_t b, struct conv s)
{
	struct conv l = channels_last(s);
	int cg = s.c / s.groups, fg = s.f / s.groups, taps = s.kh * s.kw, in = s.h * s.w, out = s.oh * s.ow;
	Values x = drawn(b * s.c * in), w = drawn((int64_t)s.f * cg * taps), bias = drawn(s.f);
	Values dy = drawn(b * s.f * out), old_x = drawn(b * s.c * in), old_w = drawn((int64_t)s.f * cg * taps);
	Values xl = turned(x, b, s.c, in), wl = turned(w, s.f, cg, taps), dyl = turned(dy, b, s.f, out);
	Sums y((size_t)(b * s.f * out)), dx(x.size()), dw(w.size());
	std::vector<real> work((size_t)(conv_weights(&s) * conv_gpu_splits(&s)));
	std::string at = std::to_string(s.c) + " to " + std::to_string(s.f) + ": ";

	for (int64_t i = 0; i < (int64_t)y.size(); i++) {
		int64_t p = i % out, f = i / out % s.f, n = i / out / s.f;

		y[i] = VALUE(bias[f]);
		for (int c = 0; c < cg; c++)
			for (int t = 0; t < taps; t++) {
				int64_t iy = p / s.ow * s.sy - s.top + t / s.kw * s.dy;
				int64_t ix = p % s.ow * s.sx - s.left + t % s.kw * s.dx;
				int64_t from = ((n * s.c + f / fg * cg + c) * s.h + iy) * s.w + ix;
				int64_t by = (f * cg + c) * taps + t;

				if (iy < 0 || iy >= s.h || ix < 0 || ix >= s.w)
					continue;
				y[i] += (double)VALUE(w[by]) * VALUE(x[from]);
				dx[from] += (double)VALUE(w[by]) * VALUE(dy[i]);
				dw[by] += (double)VALUE(x[from]) * VALUE(dy[i]);
			}
	}
	check(at + "forward", Values(y.size()), y, [&](elem *to) {
		conv_forward(to, &x[0], &w[0], &bias[0], ANEW, AS_IS, NULL, 0, b, s); });
	check(at + "forward, channels-last", Values(y.size()), turned(y, b, s.f, out), [&](elem *to) {
		conv_forward(to, &xl[0], &wl[0], &bias[0], ANEW, AS_IS, NULL, 0, b, l); });
	check(at + "input", old_x, onto(old_x, dx), [&](elem *to) {
		conv_backward_input(to, &dy[0], &w[0], NULL, ONTO(0.5f), NULL, 0, b, s); });
	check(at + "input, channels-last", old_x, onto(old_x, turned(dx, b, s.c, in)), [&](elem *to) {
		conv_backward_input(to, &dyl[0], &wl[0], NULL, ONTO(0.5f), NULL, 0, b, l); });
	check(at + "weights", old_w, onto(old_w, dw), [&](elem *to) {
		conv_backward_weight(to, &dy[0], &x[0], ONTO(0.5f), &work[0], 0, b, s); });
	check(at + "weights, channels-last", old_w, onto(old_w, turned(dw, s.f, cg, taps)), [&](elem *to) {
		conv_backward_weight(to, &dyl[0], &xl[0], ONTO(0.5f), &work[0], 0, b, l); });
}

static void
check_dense(int64_t rows, int64_t in, int64_t units)
{
	Values x = drawn(rows * in), w = drawn(units * in), bias = drawn(units), dy = drawn(rows * units);
	Values old = drawn(units * in);
	Sums y((size_t)(rows * units)), dx(x.size()), dw(w.size() + (size_t)units);
	std::string at = std::to_string(rows) + ", " + std::to_string(in) + " to " + std::to_string(units);

	for (int64_t r = 0; r < rows; r++)
		for (int64_t u = 0; u < units; u++) {
			double d = VALUE(dy[r * units + u]);

			y[r * units + u] = VALUE(bias[u]);
			dw[units * in + u] += d;
			for (int64_t i = 0; i < in; i++) {
				y[r * units + u] += (double)VALUE(x[r * in + i]) * VALUE(w[u * in + i]);
				dx[r * in + i] += d * VALUE(w[u * in + i]);
				dw[u * in + i] += d * VALUE(x[r * in + i]);
			}
		}
	check(at + ": forward", Values(y.size()), y, [&](elem *to) {
		dense_forward(to, &x[0], &w[0], &bias[0], AS_IS, NULL, 0, rows, in, units); });
	check(at + ": input", Values(dx.size()), dx, [&](elem *to) {
		dense_backward_input(to, &dy[0], &w[0], ANEW, AS_IS, NULL, 0, rows, in, units); });
	for (int64_t i = 0; i < units * in; i++)
		dw[i] += 0.5 * VALUE(old[i]);
	old.resize(dw.size());
	check(at + ": weights, and a bias behind them", old, dw, [&](elem *to) {
		dense_backward_weight_bias(to, to + units * in, &dy[0], &x[0], ONTO(0.5f), NULL, 0, rows, in,
		    units); });
}

/* A product of each direction of its factors, as many times as COUNT. */
static void
check_matmul(int64_t count, int64_t m, int64_t n, int64_t k)
{
	Values a = drawn(count * m * k), b = drawn(count * k * n), old = drawn(count * m * n);
	Values at = turned(a, count, m, k), bt = turned(b, count, k, n);
	Sums c((size_t)(count * m * n));

	for (int64_t i = 0; i < (int64_t)c.size(); i++)
		for (int64_t j = 0; j < k; j++)
			c[i] += (double)VALUE(a[i / n * k + j]) * VALUE(b[(i / n / m * k + j) * n + i % n]);
	for (int turn = 0; turn < 4; turn++) {
		struct matmul s = { m, n, k, turn & 1, turn >> 1, { { count, m * k, k * n } } };

		check(std::to_string(count) + " of " + std::to_string(m) + " x " + std::to_string(k) + " x " +
		    std::to_string(n) + ", turned " + std::to_string(turn), old, onto(old, c), [&](elem *to) {
			matmul_forward(to, turn & 1 ? &at[0] : &a[0], turn & 2 ? &bt[0] : &b[0], ONTO(0.5f), AS_IS,
			    NULL, 0, s); });
	}
}

/* from 1 on, up to MOST; every other time a multiple of 8, which goes by packs */
static int64_t
side(int most)
{
	int64_t n = 1 + (int64_t)(uniform() * most);

	return uniform() < 0.5f ? n : (n + 7) / 8 * 8;
}

#if NARROW
/* A program asks once; where there is no room to ask in, tiles are small. */
static void
check_asked(void)
{
	static Values room(GPU_LARGE * (2 * ASKED_TERMS + GPU_LARGE));
	int64_t size = (int64_t)(room.size() * sizeof(elem));

	ask_tiles((unsigned char *)&room[0], size - 1);
	if (gpu_groups_agree)
		failed("tiles are known by what there was no room for", 0, 0);
	ask_tiles((unsigned char *)&room[0], size);
	checks++;
	if (GPU_BY_GROUPS_ON((gpu_code_of<GPU_LARGE, asked_job<true>>())) && !gpu_groups_agree)
		failed("groups of warps make something else", 0, 0);
}
#endif

int
main(void)
{
#if NARROW
	check_asked();
#endif
	check_conv(2, conv_shape(72, 7, 7, 88, 7, 7, 3, 1, 1, 1, 1, 0, 1, 1, 1));
	check_conv(5, conv_shape(67, 9, 7, 75, 4, 4, 3, 2, 2, 2, 0, 1, 1, 2, 1));
	check_conv(3, conv_shape(144, 6, 6, 136, 6, 6, 1, 1, 1, 1, 0, 0, 1, 1, 2));
	check_dense(120, 72, 104);
	check_dense(99, 70, 121);
	check_dense(140, 136, 200);
	for (int i = 0; i < 6; i++) {
		int64_t m = side(150), n = side(150), k = side(100);

		check_matmul(1 + i % 2, m, n, k);
	}
	if (large < 15) {	/* the others are split, or too few tiles */
		failures++;
		std::printf("only %d products by large tiles\n", large);
	}
#if GPU_BY_GROUPS
	if (!emulated_made[EMULATED_THREADS / 32 - 1]) {
		failures++;
		std::printf("no product by a group of warps\n");
	}
#endif
	return verdict();
}
