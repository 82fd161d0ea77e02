/*
 * Kernels for attention, CUDA's and with IN_C the other ones, against their definition in double
 * precision, where all scores are in memory: heads of every width of a tile, several tiles of either
 * side, masks, groups of heads, biases of every shape and rule, dropout.
 */
#ifdef IN_C
#include <cmath>
#include <cstdlib>
#include <string>
#define restrict __restrict
#else
#include "cuda.h"
#endif

#include "attention/attend.cu"

#include "values.h"

#if NARROW
#define TOLERANCE	2e-2	/* y has been rounded when backward reads it */
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

	a.q_row = a.heads * a.d + 3, a.k_row = a.kv_heads * a.d + 1, a.v_row = a.kv_heads * a.d;
	a.scale = (real)(1 / std::sqrt((double)a.d));
	a.stream_id = 5;
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
	/*      b  t   s            heads kv d   causal window   bias         rate */
	check({ 2, 5, 7, 0, 0, 0, 2, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 0);
	check({ 1, 70, 70, 0, 0, 0, 2, 1, 20, 1, 0, 0, 0, 0, 0, 0, 0, 0 }, 0);
	check({ 1, 130, 40, 0, 0, 0, 1, 1, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 0);
	check({ 1, 33, 70, 0, 0, 0, 2, 2, 100, 1, 0, 0, 0, 0, 0, 0, 0, 0 }, 0);
	check({ 1, 40, 40, 0, 0, 0, 1, 1, 256, 1, 0, 0, 0, 0, 0, 0, 0, 0 }, 0);
	check({ 1, 140, 140, 0, 0, 0, 2, 2, 8, 0, 3, 0, 0, 0, 0, 0, 0, 0 }, 0);
	check({ 1, 140, 140, 0, 0, 0, 1, 1, 8, 1, 66, 0, 0, 0, 0, 0, 0, 0 }, 0);
	check({ 2, 9, 70, 0, 0, 0, 2, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 9 * 70);
	check({ 2, 66, 9, 0, 0, 0, 2, 2, 4, 0, 0, 0, 0, 0, 0, 66 * 9, 0, 0 }, 2 * 66 * 9);
	/*                                                                       alibi buckets grid */
	check({ 1, 70, 140, 0, 0, 0, 6, 6, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0 }, 0);
	check({ 2, 70, 70, 0, 0, 0, 3, 1, 4, 1, 66, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0 }, 70 * 70);
	check({ 2, 140, 70, 0, 0, 0, 2, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12, 40, 0, 0 }, 12 * 2);
	check({ 1, 150, 150, 0, 0, 0, 3, 1, 4, 1, 0, 0, 0, 0, 0, 0, 0.3, 0, 1, 32, 128, 0, 0 }, 32 * 3);
	check({ 2, 77, 77, 0, 0, 0, 2, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 11 }, 13 * 21 * 2);
	check({ 1, 70, 70, 0, 0, 0, 1, 1, 70, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 35, 2 }, 69 * 3);
	/*                                       biases each, and behind all others shift and windows */
	check({ 12, 12, 12, 0, 0, 0, 1, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 3, 2, 1, 2, 3 }, 35);
	check({ 2, 70, 70, 0, 0, 0, 2, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 10, 3, 0, 1, 2 }, 13 * 19 * 2);
	check({ 2, 9, 9, 0, 0, 0, 2, 2, 4, 1, 0, 0, 2, 1, 81, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 2 * 81);
	check({ 6, 9, 9, 0, 0, 0, 2, 2, 4, 1, 0, 0, 2, 3, 81, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 2 * 81);
	check({ 6, 9, 9, 0, 0, 0, 2, 2, 4, 1, 0, 0, 3, 1, 162, 81, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 3 * 162);
	check({ 2, 66, 67, 0, 0, 0, 4, 2, 6, 0, 0, 0, 2, 1, 4 * 66 * 67, 66 * 67, 0.3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
	    2 * 4 * 66 * 67);
	return verdict();
}
