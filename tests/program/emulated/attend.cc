/*
 * Kernels for attention, CUDA's and with IN_C the other ones, against their definition in double
 * precision, where all scores are in memory: heads of every width of a tile, several tiles of
 * either side, masks, groups of heads, biases of every shape and rule, dropout.
 */
#ifdef IN_C
#include <cmath>
#include <cstdlib>
#include <string>
#define restrict __restrict
#else
#include "cuda.h"
#endif

#include "pointwise/groups.cu"	/* programs may have that, whose names attention must leave alone */
#include "attention/attend.cu"

#include "values.h"

#if NARROW
#define TOLERANCE	(ELEM_DIGITS > 8 ? 2e-3 : 2e-2)	/* y has been rounded when backward reads it */
#elif GPU_TENSORS	/* tf32 */
#define TOLERANCE	2e-3
#elif defined(USE_DOUBLE)
#define TOLERANCE	1e-13
#else
#define TOLERANCE	3e-6
#endif

struct made {
	Sums y, dq, dk, dv, dbias, logsum;
};

struct given {
	Values q, k, v, bias, dy;
};

static double
gain_of(const struct attend &a, const struct step &s, int64_t row, int64_t j)
{
	struct philox c = philox(philox_key(s.seed, a.stream_id), (uint64_t)(row * ((a.s + 3) / 4) + j / 4),
	    s.draw);

	return a.rate == 0 ? 1 : c.v[j % 4] < (uint64_t)(a.rate * 4294967296.0) ? 0 : 1 / (1 - a.rate);
}

static double
slope_of(int64_t h, int64_t heads)
{
	int64_t n = 1;

	for (; n * 2 <= heads; n *= 2)
		;
	return h < n ? std::pow(2, -8.0 * (double)(h + 1) / (double)n) : slope_of(2 * (h - n), 2 * n);
}

/* The row of the table, by the definitions of T5 and of Swin. */
static int64_t
entry_of(const struct attend &a, int64_t i, int64_t j)
{
	int64_t n = a.causal ? a.buckets : a.buckets / 2, apart =
	    a.causal ? std::max(i - j, (int64_t)0) : (int64_t)std::llabs(i - j);
	int64_t first = !a.causal && j > i ? n : 0, far;

	if (a.grid_w)
		return (i / a.grid_w - j / a.grid_w + a.grid_h - 1) * (2 * a.grid_w - 1) + i % a.grid_w - j % a.grid_w +
		    a.grid_w - 1;
	if (apart < n / 2)
		return first + apart;
	far = n / 2;
	while (far < n - 1 && (double)apart * 1.0000001 >= (double)(n / 2) * std::pow((double)a.distance /
	    (double)(n / 2), (double)(far + 1 - n / 2) / (double)(n - n / 2)))
		far++;
	return first + far;
}

/* Where the bias of a score lies, if any does. */
static int64_t
bias_at(const struct attend &a, int64_t b, int64_t h, int64_t i, int64_t j)
{
	if (a.buckets || a.grid_w)
		return entry_of(a, i, j) * a.heads + h;
	return (a.biases ? b / a.bias_each % a.biases * a.bias_b : 0) + h * a.bias_head + i * a.s + j;
}

/* Do both places come from the same end of the image, or neither from the other end? */
static bool
are_apart(const struct attend &a, int64_t b, int64_t i, int64_t j)
{
	int64_t high = a.windows_h * a.grid_h, wide = a.windows_w * a.grid_w;
	int64_t top = b / a.windows_w % a.windows_h * a.grid_h, left = b % a.windows_w * a.grid_w;

	return (top + i / a.grid_w >= high - a.shift_h) != (top + j / a.grid_w >= high - a.shift_h) ||
	    (left + i % a.grid_w >= wide - a.shift_w) != (left + j % a.grid_w >= wide - a.shift_w);
}

/* One query of one head. */
static void
define_row(const struct attend &a, const struct step &s, const struct given &x, struct made &m, int64_t b,
    int64_t h, int64_t i)
{
	int64_t kv = h / (a.heads / a.kv_heads) * a.d, row = (b * a.heads + h) * a.t + i;
	int64_t at_q = (b * a.t + i) * a.q_row + h * a.d, at_y = (b * a.t + i) * a.heads * a.d + h * a.d;
	Sums p((size_t)a.s), dp(p.size());
	double top = -INFINITY, sum = 0, delta = 0;

	for (int64_t j = 0; j < a.s; j++) {
		bool hidden = (a.causal && j > i) || (a.window && std::llabs(i - j) >= a.window) ||
		    (a.windows_w && are_apart(a, b, i, j));

		for (int c = 0; c < a.d; c++)
			p[j] += (double)a.scale * value_of(x.q[at_q + c]) *
			    value_of(x.k[(b * a.s + j) * a.k_row + kv + c]);
		p[j] -= a.alibi ? slope_of(h, a.heads) * (double)std::llabs(i - j) : 0;
		p[j] = hidden ? -INFINITY : p[j] + (x.bias.size() ? value_of(x.bias[bias_at(a, b, h, i, j)]) : 0);
		top = p[j] > top ? p[j] : top;
	}
	for (double &e : p)
		sum += e = std::exp(e - top);
	m.logsum[row] = top + std::log(sum);
	for (int64_t j = 0; j < a.s; j++) {
		int64_t at_v = (b * a.s + j) * a.v_row + kv;
		double gain = gain_of(a, s, row, j);

		p[j] /= sum;
		for (int c = 0; c < a.d; c++) {
			m.y[at_y + c] += p[j] * gain * value_of(x.v[at_v + c]);
			m.dv[at_v + c] += p[j] * gain * value_of(x.dy[at_y + c]);
			dp[j] += gain * value_of(x.dy[at_y + c]) * value_of(x.v[at_v + c]);
		}
		delta += p[j] * dp[j];
	}
	for (int64_t j = 0; j < a.s; j++) {
		double ds = p[j] * (dp[j] - delta);

		if (x.bias.size())
			m.dbias[bias_at(a, b, h, i, j)] += ds;
		for (int c = 0; c < a.d; c++) {
			int64_t at_k = (b * a.s + j) * a.k_row + kv + c;

			m.dq[at_q + c] += a.scale * ds * value_of(x.k[at_k]);
			m.dk[at_k] += a.scale * ds * value_of(x.q[at_q + c]);
		}
	}
}

static void
check(struct attend a, int64_t biases)
{
	struct step s = { 1, 2, 3, 0, REAL(0.5), 0 };
	struct given x;
	struct made m;
	size_t rows = (size_t)(a.b * a.heads * a.t);

	bool packs = a.d % 64 == 0;	/* rows are copied by 16 bytes */

	a.q_row = a.heads * a.d + (packs ? 8 : 3), a.k_row = a.kv_heads * a.d + (packs ? 16 : 1);
	a.v_row = a.kv_heads * a.d;
	a.scale = (real)(1 / std::sqrt((double)a.d));
	a.stream_id = 5;
	a.all_heads = a.heads;
	x.q = drawn(a.b * a.t * a.q_row), x.k = drawn(a.b * a.s * a.k_row);
	x.v = drawn(a.b * a.s * a.v_row), x.dy = drawn((int64_t)rows * a.d);
	x.bias = drawn(biases);
	m.y.resize(x.dy.size()), m.dq.resize(x.q.size()), m.dk.resize(x.k.size()), m.dv.resize(x.v.size());
	m.dbias.resize(x.bias.size()), m.logsum.resize(rows);
	for (int64_t b = 0; b < a.b; b++)
		for (int64_t h = 0; h < a.heads; h++)
			for (int64_t i = 0; i < a.t; i++)
				define_row(a, s, x, m, b, h, i);

	Values y = nothing((int64_t)x.dy.size()), dbias(x.bias.size());
	Values dq(x.q.size()), dk(x.k.size()), dv(x.v.size());
	size_t sums = (size_t)(a.heads * attend_relative_bytes(a.t, a.s, a.grid_h, a.grid_w)) / sizeof(real);
	std::vector<real> logsum(rows), work(rows + sums + (size_t)(attend_backward_scratch(a.s, a.d) +
	    attend_bias_scratch(a.s, a.d) + attend_scratch(a.d, NARROW)), (real)NAN);
	const elem *bias = biases ? &x.bias[0] : NULL;

	attend_forward(&y[0], &logsum[0], &work[0], &x.q[0], &x.k[0], &x.v[0], bias, &s, a);
	attend_backward(&dq[0], &dk[0], &dv[0], &work[0], &x.dy[0], &x.q[0], &x.k[0], &x.v[0], bias, &y[0],
	    &logsum[0], &s, a);
	if (a.buckets || a.grid_w)
		attend_relative_backward(&dbias[0], &work[0], &x.dy[0], &x.q[0], &x.k[0], &x.v[0], bias, &y[0],
		    &logsum[0], &s, a);
	else if (biases)
		attend_bias_backward(&dbias[0], &work[0], &x.dy[0], &x.q[0], &x.k[0], &x.v[0], bias, &y[0],
		    &logsum[0], &s, a);
	std::string what = std::to_string(a.t) + " x " + std::to_string(a.s) + ", " + std::to_string(a.d);

	same(what + ": y", y, m.y, TOLERANCE);
	same(what + ": logsum", logsum, m.logsum, TOLERANCE);
	same(what + ": dq", dq, m.dq, TOLERANCE);
	same(what + ": dk", dk, m.dk, TOLERANCE);
	same(what + ": dv", dv, m.dv, TOLERANCE);
	same(what + ": dbias", dbias, m.dbias, TOLERANCE);
}

int
main(void)
{
	check({ .b = 2, .t = 5, .s = 7, .heads = 2, .kv_heads = 2, .d = 4 }, 0);
	check({ .b = 1, .t = 70, .s = 70, .heads = 2, .kv_heads = 1, .d = 20, .causal = 1 }, 0);
	check({ .b = 1, .t = 130, .s = 40, .heads = 1, .kv_heads = 1, .d = 64 }, 0);
	check({ .b = 1, .t = 33, .s = 70, .heads = 2, .kv_heads = 2, .d = 100, .causal = 1 }, 0);
	check({ .b = 1, .t = 40, .s = 40, .heads = 1, .kv_heads = 1, .d = 256, .causal = 1 }, 0);
	check({ .b = 1, .t = 140, .s = 140, .heads = 2, .kv_heads = 2, .d = 8, .window = 3 }, 0);
	check({ .b = 1, .t = 140, .s = 140, .heads = 1, .kv_heads = 1, .d = 8, .causal = 1,
	    .window = 66 }, 0);
	check({ .b = 2, .t = 9, .s = 70, .heads = 2, .kv_heads = 1, .d = 4 }, 9 * 70);
	check({ .b = 2, .t = 66, .s = 9, .heads = 2, .kv_heads = 2, .d = 4,
	    .bias_head = 66 * 9 }, 2 * 66 * 9);
	/* several tiles of either side, and of heads that share keys */
	check({ .b = 2, .t = 200, .s = 200, .heads = 4, .kv_heads = 2, .d = 64, .causal = 1, .rate = 0.2 }, 0);
	check({ .b = 1, .t = 140, .s = 270, .heads = 2, .kv_heads = 1, .d = 128, .rate = 0.1 }, 0);
	check({ .b = 1, .t = 150, .s = 150, .heads = 1, .kv_heads = 1, .d = 128, .causal = 1, .window = 40 }, 0);
	check({ .b = 1, .t = 20, .s = 150, .heads = 1, .kv_heads = 1, .d = 64, .causal = 1 }, 0);
	check({ .b = 2, .t = 70, .s = 70, .heads = 2, .kv_heads = 2, .d = 64, .causal = 1, .window = 33,
	    .bias_head = 70 * 70 }, 2 * 70 * 70);
	check({ .b = 1, .t = 150, .s = 210, .heads = 2, .kv_heads = 1, .d = 64, .rate = 0.2, .alibi = 1 }, 0);
	check({ .b = 1, .t = 70, .s = 70, .heads = 1, .kv_heads = 1, .d = 64, .grid_h = 35, .grid_w = 2 }, 69 * 3);
	/* rules of distance */
	check({ .b = 1, .t = 70, .s = 140, .heads = 6, .kv_heads = 6, .d = 4, .alibi = 1 }, 0);
	check({ .b = 2, .t = 70, .s = 70, .heads = 3, .kv_heads = 1, .d = 4, .causal = 1,
	    .window = 66, .alibi = 1 }, 70 * 70);
	check({ .b = 2, .t = 140, .s = 70, .heads = 2, .kv_heads = 2, .d = 4, .buckets = 12,
	    .distance = 40 }, 12 * 2);
	check({ .b = 1, .t = 150, .s = 150, .heads = 3, .kv_heads = 1, .d = 4, .causal = 1,
	    .rate = 0.3, .alibi = 1, .buckets = 32, .distance = 128 }, 32 * 3);
	check({ .b = 2, .t = 77, .s = 77, .heads = 2, .kv_heads = 1, .d = 4, .grid_h = 7,
	    .grid_w = 11 }, 13 * 21 * 2);
	check({ .b = 1, .t = 70, .s = 70, .heads = 1, .kv_heads = 1, .d = 70, .grid_h = 35,
	    .grid_w = 2 }, 69 * 3);
	/* biases of several tiles, which samples and heads have in common or not */
	check({ .b = 3, .t = 150, .s = 130, .heads = 2, .kv_heads = 1, .d = 100, .causal = 1, .rate = 0.2 }, 150 * 130);
	check({ .b = 4, .t = 130, .s = 141, .heads = 2, .kv_heads = 2, .d = 64, .biases = 2, .bias_each = 2,
	    .bias_b = 2 * 130 * 141, .bias_head = 130 * 141 }, 2 * 2 * 130 * 141);
	check({ .b = 2, .t = 150, .s = 150, .heads = 2, .kv_heads = 1, .d = 128, .buckets = 32, .distance = 128 }, 32 * 2);
	/* wide heads, whose tiles are smaller */
	check({ .b = 1, .t = 33, .s = 40, .heads = 2, .kv_heads = 1, .d = 140, .rate = 0.3 }, 33 * 40);
	check({ .b = 1, .t = 35, .s = 35, .heads = 1, .kv_heads = 1, .d = 130, .grid_h = 7,
	    .grid_w = 5 }, 13 * 9);
	/* windows that were rolled, and biases of samples */
	check({ .b = 12, .t = 12, .s = 12, .heads = 1, .kv_heads = 1, .d = 4, .grid_h = 4,
	    .grid_w = 3, .shift_h = 2, .shift_w = 1, .windows_h = 2, .windows_w = 3 }, 35);
	check({ .b = 2, .t = 70, .s = 70, .heads = 2, .kv_heads = 1, .d = 4, .grid_h = 7,
	    .grid_w = 10, .shift_h = 3, .windows_h = 1, .windows_w = 2 }, 13 * 19 * 2);
	check({ .b = 2, .t = 9, .s = 9, .heads = 2, .kv_heads = 2, .d = 4, .causal = 1, .biases = 2,
	    .bias_each = 1, .bias_b = 81 }, 2 * 81);
	check({ .b = 6, .t = 9, .s = 9, .heads = 2, .kv_heads = 2, .d = 4, .causal = 1, .biases = 2,
	    .bias_each = 3, .bias_b = 81 }, 2 * 81);
	check({ .b = 6, .t = 9, .s = 9, .heads = 2, .kv_heads = 2, .d = 4, .causal = 1, .biases = 3,
	    .bias_each = 1, .bias_b = 162, .bias_head = 81 }, 3 * 162);
	check({ .b = 2, .t = 66, .s = 67, .heads = 4, .kv_heads = 2, .d = 6, .biases = 2,
	    .bias_each = 1, .bias_b = 4 * 66 * 67, .bias_head = 66 * 67, .rate = 0.3 },
	    2 * 4 * 66 * 67);
	return verdict();
}
