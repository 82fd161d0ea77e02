/*
 * The kernels of ctc as CUDA: against all ways through a few steps, one by one, and with more states than a block
 * has threads against central differences. Labels repeat, samples have lengths, and some no way spells.
 */
#include "cuda.h"

#include "loss/ctc.cu"

#include "values.h"

struct run {
	int64_t b, t, k, most;
	std::vector<real> x, dx, lse;
	std::vector<int32_t> label, lengths, counts;
	std::vector<double> mark, work;
	struct ctc c;
	real loss;
};

static struct run
run_of(int64_t b, int64_t t, int64_t k, int64_t most, bool zero, bool each)
{
	struct run r = { b, t, k, most };

	r.c = { NULL, NULL, NULL, b, t, k, most, ctc_stride(t), 0, ctc_states(most), 1, zero, each };
	r.c.marks = (t - 1) / r.c.stride + 1;
	r.x.resize((size_t)(b * t * k));
	r.dx.resize(r.x.size());
	r.lse.resize((size_t)(b * t));
	r.mark.resize((size_t)(b * r.c.marks * r.c.width));
	r.work.resize((size_t)(b * (1 + (r.c.stride + CTC_ROWS) * r.c.width)));
	for (real &v : r.x)
		v = uniform() * 6 - 3;
	for (int64_t i = 0; i < b * most; i++)
		r.label.push_back(((int32_t)(uniform() * (float)(k - 1)) + 2) % (int32_t)k);	/* not 1, the blank */
	for (int64_t i = 0; i < b; i++) {
		r.lengths.push_back((int32_t)(uniform() * (float)(most + 1)));
		r.counts.push_back((int32_t)(uniform() * (float)(t + 1)));
	}
	r.lengths[0] = (int32_t)most;
	r.counts[0] = (int32_t)t;
	return r;
}

static void
forward(struct run *r)
{
	r->c.label = r->label.data();
	r->c.lengths = r->lengths.data();
	r->c.counts = r->counts.data();
	ctc_forward(&r->loss, r->lse.data(), r->mark.data(), r->work.data(), r->x.data(), r->c);
}

static void
near(const char *what, double is, double should, double tolerance)
{
	checks++;
	if (!(std::fabs(is - should) <= tolerance))
		failed(what, is - should, should);
}

/* Does the way, a class for each step, spell the labels? */
static bool
spells(const std::vector<int> &way, const int32_t *label, int64_t n)
{
	int64_t at = 0;

	for (size_t t = 0; t < way.size(); t++) {
		if (way[t] == 1 || (t > 0 && way[t] == way[t - 1]))
			continue;
		if (at == n || label[at++] != way[t])
			return false;
	}
	return at == n;
}

/* The loss of a sample, and its gradient, by its definition. */
static double
defined(const struct run &r, int64_t b, std::vector<double> &dx)
{
	size_t steps = (size_t)r.counts[(size_t)b], k = (size_t)r.k;
	std::vector<double> p(steps * k), of_class(steps * k);
	std::vector<int> way(steps);
	double total = 0;

	dx.assign((size_t)(r.t * r.k), 0);
	for (size_t t = 0; t < steps; t++) {
		double sum = 0;

		for (size_t c = 0; c < k; c++)
			sum += p[t * k + c] = std::exp((double)r.x[(size_t)(b * r.t) * k + t * k + c]);
		for (size_t c = 0; c < k; c++)
			p[t * k + c] /= sum;
	}
	for (;;) {
		size_t t = 0;
		double of = 1;

		for (size_t i = 0; i < steps; i++)
			of *= p[i * k + (size_t)way[i]];
		if (spells(way, &r.label[(size_t)(b * r.most)], r.lengths[(size_t)b])) {
			total += of;
			for (size_t i = 0; i < steps; i++)
				of_class[i * k + (size_t)way[i]] += of;
		}
		while (t < steps && ++way[t] == (int)k)
			way[t++] = 0;
		if (t == steps)
			break;
	}
	for (size_t i = 0; i < steps * k && total > 0; i++)
		dx[i] = p[i] - of_class[i] / total;
	return total > 0 ? -std::log(total) : INFINITY;
}

static void
check_ways(int64_t t, int64_t k, int64_t most, bool each)
{
	struct run r = run_of(5, t, k, most, true, each);
	std::vector<double> dx;
	double mean = 0;
	real dy = 2;

	forward(&r);
	ctc_backward(r.dx.data(), &dy, r.mark.data(), r.work.data(), r.lse.data(), r.x.data(), r.c);
	for (int64_t b = 0; b < r.b; b++) {
		double loss = defined(r, b, dx), by = (double)r.b * (each && r.lengths[(size_t)b] > 1 ? r.lengths[(size_t)b] : 1);

		mean += std::isinf(loss) ? 0 : loss / by;
		for (size_t i = 0; i < dx.size(); i++)
			near("gradient", r.dx[(size_t)b * dx.size() + i], 2 * dx[i] / by, 1e-6);
	}
	near("loss", r.loss, mean, 1e-5);
}

#ifdef USE_DOUBLE
static void
check_slopes(void)
{
	struct run r = run_of(2, 300, 5, 140, false, true);
	real dy = 1;

	r.lengths[1] = 40;
	r.counts[1] = 200;
	forward(&r);
	ctc_backward(r.dx.data(), &dy, r.mark.data(), r.work.data(), r.lse.data(), r.x.data(), r.c);
	for (size_t i : { 3, 740, 1498, 1502, 2000, 2499, 2500 }) {
		double up, down;

		r.x[i] += 1e-5;
		forward(&r);
		up = r.loss;
		r.x[i] -= 2e-5;
		forward(&r);
		down = r.loss;
		r.x[i] += 1e-5;
		near("slope", r.dx[i], (up - down) / 2e-5, 1e-9);
	}
}
#endif

int
main(void)
{
	check_ways(6, 3, 2, true);
	check_ways(5, 4, 3, false);
	check_ways(7, 3, 3, true);
	check_ways(1, 3, 1, true);
#ifdef USE_DOUBLE
	check_slopes();
#endif
	return verdict();
}
