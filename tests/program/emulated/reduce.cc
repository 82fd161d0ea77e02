/*
 * Reductions, CUDA's and with IN_C the other ones, against their definition in double precision: sums, largest and smallest elements with their places and gradients, variances; over
 * groups of axes of every kind, rows shorter and longer than a block, with equals and not-a-numbers among them.
 */
#ifdef IN_C
#include <cmath>
#include <cstdlib>
#include <string>
#define restrict __restrict
#else
#include "cuda.h"
#endif

#include "../products/epilogues.h"
#include "pointwise/extreme.cu"
#include "pointwise/variance.cu"

#include "values.h"

struct span {
	int64_t n[GROUPS];
	int runs;		/* bit g: the result runs along group g */
};

/* Elements by result, in their order; and of each element, its result. */
struct members {
	std::vector<std::vector<int64_t>> of;
	std::vector<int64_t> result;
};

static struct members
members_of(const struct span &s)
{
	int64_t all = 1, outs = 1;
	struct members m;

	for (int g = 0; g < GROUPS; g++) {
		all *= s.n[g];
		outs *= s.runs >> g & 1 ? s.n[g] : 1;
	}
	m.of.resize((size_t)outs);
	for (int64_t i = 0; i < all; i++) {
		int64_t rest = i, o = 0, step = 1;

		for (int g = GROUPS - 1; g >= 0; g--) {
			if (s.runs >> g & 1) {
				o += rest % s.n[g] * step;
				step *= s.n[g];
			}
			rest /= s.n[g];
		}
		m.of[(size_t)o].push_back(i);
		m.result.push_back(o);
	}
	return m;
}

static void
check_sums(const std::string &name, struct axes of, const struct members &m, const Values &x)
{
	size_t outs = m.of.size();
	Sums sum(outs), work(3 * outs);
	Values y = nothing((int64_t)outs), beside = drawn((int64_t)outs);
	Sums passed(outs);

	for (size_t i = 0; i < x.size(); i++)
		sum[m.result[i]] += 0.25 * x[i];
	for (size_t o = 0; o < outs; o++)
		passed[o] = beside[o] > 0 ? sum[o] : 0;
	for (int64_t parts = 1; parts <= 3; parts += 2) {
		reduce_to(y.data(), work.data(), x.data(), 0.25, AS_IS, of, parts);
		same(name + ", sum", y, sum, 1e-5);
		reduce_to(y.data(), work.data(), x.data(), 0.25, THEN_WITH(RELU_GRAD, beside.data()), of, parts);
		same(name + ", sum where there is more than 0 beside", y, passed, 1e-5);
	}
}

static void
check_extremes(const std::string &name, struct axes of, const struct members &m, const Values &x, real sign)
{
	size_t outs = m.of.size();
	Values y = nothing((int64_t)outs), plain = y, want = y, dy = drawn((int64_t)outs), dx = nothing((int64_t)x.size());
	Values want_dx(x.size());
	std::vector<int32_t> index(outs, -1), want_index(outs);
	int wrong = 0;

	for (size_t o = 0; o < outs; o++) {
		size_t best = 0;

		for (size_t k = 0; k < m.of[o].size(); k++) {
			real e = sign * x[m.of[o][k]], top = sign * x[m.of[o][best]];

			if (e > top || (e != e && top == top))
				best = k;
		}
		want[o] = x[m.of[o][best]];
		want_index[o] = (int32_t)best;
		want_dx[m.of[o][best]] = dy[o];
	}
	extreme_forward(y.data(), index.data(), x.data(), sign, of);
	extreme_forward(plain.data(), NULL, x.data(), sign, of);
	extreme_backward(dx.data(), dy.data(), index.data(), of);
	for (size_t o = 0; o < outs; o++) {
		bool lost = want[o] != want[o];

		wrong += index[o] != want_index[o] || (lost ? y[o] == y[o] : y[o] != want[o]) ||
		    (lost ? plain[o] == plain[o] : plain[o] != want[o]);
	}
	checks++;
	if (wrong)
		failed(name + ", extremes", wrong, (double)outs);
	same(name + ", gradient of extremes", dx, want_dx, 0);
}

static void
check_variances(const std::string &name, struct axes of, const struct members &m, const Values &x)
{
	size_t outs = m.of.size();
	Values y = nothing((int64_t)outs), mean = y;
	Sums want(outs), want_mean(outs);
	double freedom = m.of[0].size() > 1 ? (double)m.of[0].size() - 1 : 1;

	for (size_t o = 0; o < outs; o++) {
		for (int64_t i : m.of[o])
			want_mean[o] += (double)x[i] / (double)m.of[o].size();
		for (int64_t i : m.of[o])
			want[o] += (x[i] - want_mean[o]) * (x[i] - want_mean[o]) / freedom;
	}
	variance_forward(y.data(), mean.data(), x.data(), freedom, false, of);
	same(name + ", variance", y, want, 1e-5);
	same(name + ", mean", mean, want_mean, 1e-5);
	variance_forward(y.data(), NULL, x.data(), freedom, true, of);
	for (double &w : want)
		w = std::sqrt(w);
	same(name + ", deviation", y, want, 1e-5);
}

static void
check(const struct span &s)
{
	struct axes of = { { s.n[0], s.n[1], s.n[2], s.n[3], s.n[4], s.n[5] }, s.runs, 0 };
	struct members m = members_of(s);
	Values x = drawn((int64_t)m.result.size()), shifted = x, some = x;
	std::string name = std::to_string(s.n[3]) + " x " + std::to_string(s.n[4]) + " x " + std::to_string(s.n[5]) +
	    ", " + std::to_string(s.runs);

	for (size_t i = 0; i < x.size(); i++) {
		shifted[i] += 100;	/* squares would cancel */
		some[i] = i % 37 == 5 ? (real)NAN : (real)((int)(x[i] * 4));	/* many are equal */
	}
	check_sums(name, of, m, x);
	check_extremes(name, of, m, x, 1);
	check_extremes(name, of, m, some, 1);
	check_extremes(name, of, m, some, -1);
	check_variances(name, of, m, shifted);
}

int
main()
{
	static const int64_t extents[][GROUPS] = {
		{ 1, 1, 1, 1, 3, 5 }, { 1, 1, 1, 2, 70, 3 }, { 1, 2, 3, 2, 3, 4 }, { 1, 1, 1, 1, 2, 5000 },
		{ 1, 1, 1, 1, 700, 2 }, { 1, 2, 1, 3, 2, 300 },
	};

	for (auto &n : extents)
		for (int runs = 0; runs < 64; runs++) {
			struct span s = { { n[0], n[1], n[2], n[3], n[4], n[5] }, runs };
			bool moot = false;

			for (int g = 0; g < GROUPS; g++)
				moot |= n[g] == 1 && !(runs >> g & 1);	/* the same span again */
			if (!moot)
				check(s);
		}
	return verdict();
}
