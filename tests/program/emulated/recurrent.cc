/*
 * The steps of recurrent layers and their gradients, CUDA's and with IN_C the other ones, against their definition in
 * double precision and its central differences: every cell, both directions, with and without first states, biases
 * and lengths, and more units than a tile has.
 */
#ifdef IN_C
#include <cmath>
#include <cstdlib>
#include <string>
#define restrict __restrict
#else
#include "cuda.h"
#endif

#ifdef USE_CUBLASLT
#include "cublasLt.h"
#define CUBLAS(call)	LT_WANT((call) == CUBLAS_STATUS_SUCCESS)
static cublasLtHandle_t lt;
#endif

#include "recurrent/recurrent.cu"

#include "values.h"

#if NARROW
#define TOLERANCE	3e-2
#elif defined(USE_DOUBLE)
#define TOLERANCE	1e-7	/* of differences */
#else
#define TOLERANCE	1e-5
#endif

struct given {			/* in double precision; what there is not is empty */
	Sums x, h0, c0, w, bias, dy, dlast, dcarried;
	std::vector<int32_t> lengths;
};

struct made {
	Sums y, last, carried;
};

static double
sigma(double x)
{
	return 1 / (1 + std::exp(-x));
}

/* One unit of one sample: PyTorch's documentation, line by line. X and S are its gates' sums. */
static void
unit(enum recurrent_cell cell, const double *x, const double *s, double *h, double *c)
{
	double n;

	switch (cell) {
	case RNN_TANH:
		*h = std::tanh(x[0] + s[0]);
		break;
	case RNN_RELU:
		*h = std::fmax(0, x[0] + s[0]);
		break;
	case GRU:
		n = std::tanh(x[2] + sigma(x[0] + s[0]) * s[2]);
		*h = (1 - sigma(x[1] + s[1])) * n + sigma(x[1] + s[1]) * *h;
		break;
	case LSTM:
		*c = sigma(x[1] + s[1]) * *c + sigma(x[0] + s[0]) * std::tanh(x[2] + s[2]);
		*h = sigma(x[3] + s[3]) * std::tanh(*c);
		break;
	}
}

static struct made
defined(const struct recurrent &r, const struct given &g)
{
	struct made m;
	int gates = recurrent_gates(r.cell);

	m.y.resize((size_t)(r.b * r.t * r.h));
	m.last = g.h0.empty() ? Sums((size_t)(r.b * r.h)) : g.h0;
	m.carried = g.c0.empty() ? Sums((size_t)(r.b * r.h)) : g.c0;
	for (int64_t b = 0; b < r.b; b++) {
		int64_t n = g.lengths.empty() ? r.t : g.lengths[(size_t)b];

		for (int64_t i = 0; i < n; i++) {
			int64_t t = r.reverse ? n - 1 - i : i;
			Sums h(m.last.begin() + b * r.h, m.last.begin() + (b + 1) * r.h);

			for (int64_t k = 0; k < r.h; k++) {
				double x[4] = { 0 }, s[4] = { 0 };

				for (int j = 0; j < gates; j++) {
					x[j] = g.x[((b * r.t + t) * gates + j) * r.h + k];
					s[j] = g.bias.empty() ? 0 : g.bias[j * r.h + k];
					for (int64_t q = 0; q < r.h; q++)
						s[j] += g.w[(j * r.h + k) * r.h + q] * h[q];
				}
				unit(r.cell, x, s, &m.last[b * r.h + k], &m.carried[b * r.h + k]);
				m.y[(b * r.t + t) * r.h + k] = m.last[b * r.h + k];
			}
		}
	}
	return m;
}

/* What dy, dlast and dcarried are the gradients of. */
static double
loss(const struct recurrent &r, const struct given &g)
{
	struct made m = defined(r, g);
	double sum = 0;

	for (size_t i = 0; i < g.dy.size(); i++)
		sum += g.dy[i] * m.y[i];
	for (size_t i = 0; i < g.dlast.size(); i++)
		sum += g.dlast[i] * m.last[i];
	for (size_t i = 0; i < g.dcarried.size(); i++)
		sum += g.dcarried[i] * m.carried[i];
	return sum;
}

static Sums
differences(const struct recurrent &r, struct given &g, Sums &of)
{
	const double step = 1e-6;
	Sums d(of.size());

	for (size_t i = 0; i < of.size(); i++) {
		double was = of[i], up;

		of[i] = was + step;
		up = loss(r, g);
		of[i] = was - step;
		d[i] = (up - loss(r, g)) / (2 * step);
		of[i] = was;
	}
	return d;
}

/* N numbers of at most SIZE, which elements can hold. */
static Sums
some(int64_t n, double size)
{
	Sums v((size_t)n);

	for (double &x : v)
		x = VALUE(ELEM((real)(size * (uniform() * 2 - 1))));
	return v;
}

static Values
elements(const Sums &v)
{
	Values to(v.size());

	for (size_t i = 0; i < v.size(); i++)
		to[i] = ELEM((real)v[i]);
	return to;
}

static elem *
at(Values &v)
{
	return v.empty() ? NULL : &v[0];
}

/* Its size in bytes is what is asked for, and not what WORK has. */
static int64_t
bytes(const struct recurrent &r, bool weights)	/* WEIGHTS: of states that lie among others */
{
	int gates = recurrent_gates(r.cell);

	return r.b * (weights ? r.t * r.h * (int64_t)sizeof(elem) :
	    recurrent_gpu_scratch(r.h, gates, sizeof(elem), sizeof(real)));
}

/* What a dense layer does: dw = the sum over all steps of dx and the state before. */
static void
product_of_all(Values &dw, const Values &dx, const Values &before, const struct recurrent &r)
{
	int64_t rows = recurrent_gates(r.cell) * r.h;

	for (int64_t i = 0; i < rows * r.h; i++) {
		double sum = 0;

		for (int64_t step = 0; step < r.b * r.t; step++)
			sum += (double)VALUE(dx[step * rows + i / r.h]) * (double)VALUE(before[step * r.h + i % r.h]);
		dw[i] = ELEM((real)sum);
	}
}

static void
check(struct recurrent r, bool states, bool ends, bool bias)
{
	int gates = recurrent_gates(r.cell);
	int64_t all = r.b * r.t * gates * r.h, n = r.b * r.t * r.h, one = r.b * r.h, w = gates * r.h * r.h;
	double size = 1 / std::sqrt((double)r.h);
	bool lstm = r.cell == LSTM;
	struct given g = { some(all, 1), some(states ? one : 0, 1), some(states && lstm ? one : 0, 1), some(w, size),
		some(bias ? gates * r.h : 0, size), some(n, 1), some(one, 1), some(lstm ? one : 0, 1), {} };
	std::vector<double> work((size_t)(recurrent_packed(r.h, gates) + recurrent_scratch(r.h, gates) + n + 999999));
	std::string what = "cell " + std::to_string(r.cell) + (r.reverse ? " reversed, " : ", ") +
	    std::to_string(r.h) + " units: ";
	struct recurrent_states from;
	struct made m;

	for (int64_t b = 0; ends && b < r.b; b++)
		g.lengths.push_back((int32_t)(b % (r.t + 1)));
	m = defined(r, g);

	Values x = elements(g.x), h0 = elements(g.h0), c0 = elements(g.c0), weight = elements(g.w);
	Values biases = elements(g.bias), dy = elements(g.dy), dlast = elements(g.dlast), dcarried = elements(g.dcarried);
	Values y = nothing(n), kept = nothing(gates > 1 ? n : 0), last = nothing(one), carried = nothing(lstm ? one : 0);
	Values dh0 = nothing(one), dc0 = nothing(lstm ? one : 0), dw = nothing(w), db = nothing(gates * r.h);
	elem *gate = gates > 1 ? at(x) : at(y), *dkept = r.cell == GRU ? at(kept) : NULL, *before;

	from = recurrent_begin(at(h0), at(c0), g.lengths.empty() ? NULL : &g.lengths[0]);
	recurrent_forward(at(y), gates > 1 ? gate : NULL, at(kept), at(last), at(carried), at(x), from, at(weight),
	    at(biases), &work[0], bytes(r, false), r);
	same(what + "y", y, m.y, TOLERANCE);
	same(what + "last", last, m.last, TOLERANCE);
	if (lstm)
		same(what + "carried", carried, m.carried, TOLERANCE);
	before = lstm ? at(kept) : NULL;
	recurrent_backward(at(x), dkept, at(dh0), at(dc0), before, at(dy), at(dlast), at(dcarried), gate,
	    lstm ? NULL : at(y), at(kept), from, at(weight), &work[0], bytes(r, false), r);
	if (lstm)
		product_of_all(dw, x, kept, r);
	else
		recurrent_backward_weight(at(dw), at(x), dkept, at(y), from, &work[0], bytes(r, true), r);
	recurrent_backward_bias(at(db), &work[0], at(x), dkept, r);
	same(what + "dx", x, differences(r, g, g.x), TOLERANCE);
	same(what + "dw", dw, differences(r, g, g.w), TOLERANCE);
	if (bias)
		same(what + "db", db, differences(r, g, g.bias), TOLERANCE);
	if (states)
		same(what + "dh0", dh0, differences(r, g, g.h0), TOLERANCE);
	if (states && lstm)
		same(what + "dc0", dc0, differences(r, g, g.c0), TOLERANCE);
}

int
main(void)
{
	for (int cell = RNN_TANH; cell <= LSTM; cell++)
		for (int way = 0; way < 8; way++)
			check({ 5, 4, 3, (enum recurrent_cell)cell, way & 1 }, way & 2, way & 4, way != 1);
	check({ 2, 3, 37, GRU, 0 }, true, false, true);
	check({ 2, 2, 35, LSTM, 1 }, true, false, true);
	return verdict();
}
