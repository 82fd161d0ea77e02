/*
 * Attention by warps and by groups of four, in one program: that both make the same of the whole
 * numbers that they are tried with when a program starts (host/tune_attention_cuda.cu), what that
 * is, by its definition, and that what makes something else is not taken.
 */
#include "cuda.h"
#include "copies.h"

#include <cstdio>

#define USE_CUBLASLT	/* or no program would measure anything; it has no products of its own */

static inline int
cudaGetLastError(void)
{
	return cudaSuccess;
}

#include "attention/attend.cu"

#include "values.h"

/* As in host/tune_cuda.cu; groups take half of the time. */
static struct { int attentions; } tuning;

static bool
tune_has_room(void)
{
	return true;
}

static float	tune_time(bool (*run)(const void *), const void *with, float best);

static int
tune_best(const float *ms, int)
{
	return ms[1] < ms[0];
}

#include "host/tune_numbers_cuda.cu"
#include "host/tune_attention_cuda.cu"

static float
tune_time(bool (*)(const void *), const void *with, float)
{
	return ((const struct tune_attend *)with)->by_groups ? 1.0f : 2.0f;
}

static void
truth(const std::string &what, bool is)
{
	checks++;
	if (!is)
		failed(what, 1, 0);
}

struct tensors {
	Values q, k, v, dy, y, dq, dk, dv;
	std::vector<real> logsum, delta;
};

/* Of query I of a head in a sample: Y, and the keys that it sees. */
static void
define(const struct attend &a, const struct tensors &x, int64_t b, int64_t h, int64_t i, std::vector<double> &p, Sums &y)
{
	int64_t kv = h / (a.heads / a.kv_heads) * a.d;
	double top = -INFINITY, sum = 0;

	for (int64_t j = 0; j < a.s; j++) {
		p[j] = 0;
		for (int c = 0; c < a.d; c++)
			p[j] += value_of(x.q[(b * a.t + i) * a.q_row + h * a.d + c]) * value_of(x.k[(b * a.s + j) * a.k_row + kv + c]);
		if (a.causal && j > i)
			p[j] = -INFINITY;
		top = std::max(top, p[j]);
	}
	for (double &e : p)
		sum += e = e == top;
	for (int64_t j = 0; j < a.s; j++)
		for (int c = 0; c < a.d; c++)
			y[(b * a.t + i) * a.heads * a.d + h * a.d + c] += p[j] / sum * value_of(x.v[(b * a.s + j) * a.v_row + kv + c]);
}

static void
check(struct attend a)
{
	struct step s = { 1, 2, 3, 0, REAL(0.5), 0 };
	int64_t rows = a.b * a.heads * a.t, sees = 0;
	struct tensors x;

	a.d = 64, a.scale = REAL(0.125), a.all_heads = a.heads;
	a.q_row = a.heads * a.d + 8, a.k_row = a.kv_heads * a.d, a.v_row = a.kv_heads * a.d + 16;
	x.q = x.dq = nothing(a.b * a.t * a.q_row), x.k = x.dk = nothing(a.b * a.s * a.k_row);
	x.v = x.dv = nothing(a.b * a.s * a.v_row), x.y = x.dy = nothing(rows * a.d);
	x.logsum.resize(rows), x.delta.resize(rows);

	struct attend_tensors of_y = { NULL, &x.q[0], &x.k[0], &x.v[0], NULL, NULL, NULL };
	struct attend_tensors back = { &x.dy[0], &x.q[0], &x.k[0], &x.v[0], NULL, &x.logsum[0], &x.delta[0] };
	const struct attend_call call[] = {
		{ ATTEND_Y, a, of_y, &s, &x.y[0], NULL, &x.logsum[0] },
		{ ATTEND_DQ, a, back, &s, &x.dq[0], NULL, NULL },
		{ ATTEND_DKV, a, back, &s, &x.dk[0], &x.dv[0], NULL }
	};

	for (const struct attend_call &c : call) {
		struct attend_plan *p = attend_plan(&c);

		p->at = c;
		tune_attention(p);
		truth("groups make the same, " + std::to_string(c.makes), p->by_groups);
		for (int by_groups = 0; by_groups < 2; by_groups++) {
			struct tune_attend t = { c, by_groups != 0 };
			double sum[2][TUNE_SUMS];

			tune_attend_make(&t, sum);
			tune_attend_fill(&c);	/* the sums lie in q */
			if (c.makes == ATTEND_Y && !a.window) {
				std::vector<double> keys((size_t)a.s);
				Sums y(x.y.size());

				for (int64_t b = 0; b < a.b; b++)
					for (int64_t h = 0; h < a.heads; h++)
						for (int64_t i = 0; i < a.t; i++) {
							define(a, x, b, h, i, keys, y);
							for (double k : keys)
								sees += k > 0;
						}
				for (size_t i = 0; i < y.size(); i++)
					y[i] = value_of(ELEM((real)y[i]));
				same("y", x.y, y, 1e-2);
			}
		}
	}
	if (!a.causal && !a.window)
		truth("about a third of the keys are seen", sees > 2 * rows * a.s / 4 && sees < 2 * rows * a.s / 2);
}

int
main(void)
{
	check({ .b = 1, .t = 200, .s = 300, .heads = 2, .kv_heads = 1 });
	check({ .b = 2, .t = 130, .s = 130, .heads = 1, .kv_heads = 1, .causal = 1 });
	check({ .b = 1, .t = 150, .s = 150, .heads = 1, .kv_heads = 1, .causal = 1, .window = 40 });
	return verdict();
}
