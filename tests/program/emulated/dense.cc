/*
 * CUDA's products of dense layers, against sums by definition: by tiles, and with USE_CUBLASLT by a
 * stand-in for cuBLASLt (cublasLt.h), which shows that it is asked for the right thing, and what
 * happens where it knows no way. Shapes are smaller and larger than a tile and a slice, and no
 * multiples of one.
 */
#include "cuda.h"

#include "../products/epilogues.h"

#ifdef USE_CUBLASLT
#include "cublasLt.h"
#define CUBLAS(call)	LT_WANT((call) == CUBLAS_STATUS_SUCCESS)
static cublasLtHandle_t lt;
#endif

#include "product/matmul.cu"

#include "values.h"

static void
check(const char *what, int64_t rows, int64_t in, int64_t units, const Values &got, const Sums &want)
{
	same(std::string(what) + ", rows " + std::to_string(rows) + ", in " + std::to_string(in) +
	    ", units " + std::to_string(units), got, want, sizeof(real) == 8 ? 1e-14 : 2e-6);
}

/* Both gradients, in a workspace of SIZE bytes: anew, added to a part of what is there, and added
 * to it as the second micro-batch of an update. */
static void
check_weight(int64_t rows, int64_t in, int64_t units, size_t size)
{
	Values dy = drawn(rows * units), x = drawn(rows * in), old = drawn(units * in), dw = nothing(units * in);
	Values db = nothing(units), alone = dw, first = old;
	std::vector<double> w((size_t)(units * in)), b((size_t)units), added;
	std::vector<double> work(size / sizeof(double));
	struct step step = { 1, 2, 3, 0, 1, 1 };

	for (int64_t r = 0; r < rows; r++)
		for (int64_t u = 0; u < units; u++) {
			b[u] += dy[r * units + u];
			for (int64_t i = 0; i < in; i++)
				w[u * in + i] += (double)dy[r * units + u] * x[r * in + i];
		}
	dense_backward_weight(&alone[0], &dy[0], &x[0], ANEW, &work[0], size, rows, in, units);
	check("weights alone", rows, in, units, alone, w);
	dense_backward_weight_bias(&dw[0], &db[0], &dy[0], &x[0], ANEW, &work[0], size, rows, in, units);
	check("weights", rows, in, units, dw, w);
	check("bias", rows, in, units, db, b);
	db = nothing(units), added = w;
	for (size_t i = 0; i < w.size(); i++)
		added[i] += 0.75 * old[i];
	dw = old;
	dense_backward_weight_bias(&dw[0], &db[0], &dy[0], &x[0], ONTO(0.75), &work[0], size, rows, in,
	    units);
	check("weights, added onto", rows, in, units, dw, added);
	check("bias beside weights added onto", rows, in, units, db, b);
	db = nothing(units), added = w;
	for (size_t i = 0; i < w.size(); i++)
		added[i] += old[i];
	dw = old;
	dense_backward_weight_bias(&dw[0], &db[0], &dy[0], &x[0], ONTO_FIRST(0, &step), &work[0], size,
	    rows, in, units);
	check("weights of a second micro-batch", rows, in, units, dw, added);
	check("bias of a second micro-batch", rows, in, units, db, b);
}

static double
gelu(double x)
{
	return x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))) / 2;
}

static void
check_others(int64_t rows, int64_t in, int64_t units)
{
	Values x = drawn(rows * in), w = drawn(units * in), bias = drawn(units), dy = drawn(rows * units);
	Values y = nothing(rows * units), dx = nothing(rows * in), saved = drawn(rows * in);
	std::vector<double> wy((size_t)(rows * units)), wx((size_t)(rows * in)), then, work(1000);
	size_t size = work.size() * sizeof(double);

	for (int64_t r = 0; r < rows; r++)
		for (int64_t u = 0; u < units; u++) {
			wy[r * units + u] = bias[u];
			for (int64_t i = 0; i < in; i++) {
				wy[r * units + u] += (double)x[r * in + i] * w[u * in + i];
				wx[r * in + i] += (double)dy[r * units + u] * w[u * in + i];
			}
		}
	dense_forward(&y[0], &x[0], &w[0], &bias[0], AS_IS, &work[0], size, rows, in, units);
	check("forward", rows, in, units, y, wy);
	then = wy;
	for (double &v : then)
		v = v > 0 ? v : 0;
	dense_forward(&y[0], &x[0], &w[0], &bias[0], THEN(RELU), &work[0], size, rows, in, units);
	check("forward, relu", rows, in, units, y, then);
	then = wy;
	for (double &v : then)
		v = gelu(v);
	dense_forward(&y[0], &x[0], &w[0], &bias[0], THEN(GELU_TANH), &work[0], size, rows, in, units);
	check("forward, gelu", rows, in, units, y, then);
	dense_backward_input(&dx[0], &dy[0], &w[0], ANEW, AS_IS, &work[0], size, rows, in, units);
	check("input", rows, in, units, dx, wx);
	then = wx;
	for (size_t i = 0; i < then.size(); i++)
		then[i] *= (gelu(saved[i] + 1e-4) - gelu(saved[i] - 1e-4)) / 2e-4;
	dense_backward_input(&dx[0], &dy[0], &w[0], ANEW, THEN_WITH(GELU_TANH_GRAD, &saved[0]), &work[0], size,
	    rows, in, units);
	if (sizeof(real) == 4)	/* as exact as the difference */
		check("input, gelu", rows, in, units, dx, then);
}

static void
check_all(int refused)
{
	static const int64_t shape[][3] = { { 1, 1, 1 }, { 7, 33, 10 }, { 64, 64, 64 }, { 130, 70, 150 },
		{ 16, 129, 65 }, { 40, 3, 200 }, { 2000, 5, 9 } };

	for (const int64_t *s : shape) {
		size_t sums = (size_t)(s[2] * bias_parts(s[2])) * sizeof(double);

#ifdef USE_CUBLASLT
		lt_refused = refused;
		check_weight(s[0], s[1] + (refused != 0), s[2], sums + DENSE_FACTORS + 128);
#endif
		check_weight(s[0], s[1] + (refused != 0), s[2], sums);
		check_others(s[0], s[1] + (refused != 0), s[2]);
	}
}

/* What is done to each element of all products, which library or tiles do, alone or with one beside it. */
static void
check_matmul_then(const Values &a, const Values &b, const struct matmul &s, size_t n)
{
	Values plain(n), c(n), saved = drawn((int64_t)n);
	std::vector<double> want(n), work(1000);
	int64_t size = (int64_t)(work.size() * sizeof(double));

	matmul_forward(&plain[0], &a[0], &b[0], ANEW, AS_IS, &work[0], size, s);
	matmul_forward(&c[0], &a[0], &b[0], ANEW, THEN(RELU), &work[0], size, s);
	for (size_t i = 0; i < n; i++)
		want[i] = plain[i] > 0 ? plain[i] : 0;
	check("matmul, then relu", s.m, s.k, s.n, c, want);
	matmul_forward(&c[0], &a[0], &b[0], ANEW, THEN_WITH(GELU_TANH_GRAD, &saved[0]), &work[0], size, s);
	for (size_t i = 0; i < n; i++)
		want[i] = gelu_tanh_grad_then(plain[i], saved[i]);
	check("matmul, then the gradient of gelu", s.m, s.k, s.n, c, want);
}

/* c[g, h] = op(a[g, h]) op(b[g, h]) of two runs of products, along which an operand may stay where it is. */
static void
check_matmul(int64_t m, int64_t n, int64_t k, int turn, int stays)
{
	bool ta = turn & 1, tb = turn & 2;
	int64_t g = 3, h = 2, of_a = m * k, of_b = n * k;
	int64_t ah = stays & 1 ? 0 : of_a, ag = stays & 2 ? 0 : h * of_a, bh = stays & 4 ? 0 : of_b, bg = h * of_b;
	struct matmul s = { m, n, k, ta, tb, { { g, ag, bg }, { h, ah, bh } } };
	Values a = drawn(g * h * of_a), b = drawn(g * h * of_b), c = drawn(g * h * m * n);
	std::vector<double> want((size_t)(g * h * m * n)), work(1000);

	for (size_t i = 0; i < want.size(); i++)
		want[i] = 0.75 * c[i];
	for (int64_t z = 0; z < g * h; z++)
		for (int64_t i = 0; i < m; i++)
			for (int64_t j = 0; j < n; j++)
				for (int64_t t = 0; t < k; t++)
					want[(size_t)((z * m + i) * n + j)] +=
					    (double)a[(size_t)(z / h * ag + z % h * ah + (ta ? t * m + i : i * k + t))] *
					    b[(size_t)(z / h * bg + z % h * bh + (tb ? j * k + t : t * n + j))];
	matmul_forward(&c[0], &a[0], &b[0], ONTO(0.75), AS_IS, &work[0], (int64_t)(work.size() * sizeof(double)), s);
	check("matmul", m, k, n, c, want);
	check_matmul_then(a, b, s, (size_t)(g * h * m * n));
}

static void
check_matmuls(void)
{
	for (int turn = 0; turn < 4; turn++) {
		check_matmul(5, 7, 9, turn, 0);
		check_matmul(70, 33, 12, turn, 1);
		check_matmul(8, 130, 40, turn, 2);
		check_matmul(64, 16, 8, turn, 4);
	}
}

int
main(void)
{
	check_all(0);
	check_matmuls();
#ifdef USE_CUBLASLT
	int products = lt_calls[CUBLASLT_EPILOGUE_BGRADB];

	LT_WANT(products > 0);
	check_all(CUBLASLT_EPILOGUE_BGRADB);	/* in other shapes: what was found is remembered */
	LT_WANT(lt_calls[CUBLASLT_EPILOGUE_BGRADB] == products);
#endif
	return verdict();
}
