/*
 * What may spill registers: the large tiles of all products of our own, with epilogues behind them,
 * norms, softmax of rows that registers hold, and attention, in all kinds of its kernels. For
 * tests/program/spills.test, which compiles it and does not run it.
 */
#define ALWAYS_GROUPS
#define CHANNELS_FIRST
#define CHANNELS_LAST
#define VOLUMES
/* as many as a program may have */
#define FOUR(CASE, n)	CASE(DO_SILU_##n, silu_##n##_then, false, OF_NOBODY)				\
	CASE(DO_SILU_GRAD_##n, silu_grad_##n##_then, true, OF_NOBODY)				\
	CASE(DO_GELU_##n, gelu_##n##_then, false, OF_NOBODY)					\
	CASE(DO_GELU_GRAD_##n, gelu_grad_##n##_then, true, OF_NOBODY)
#define EPILOGUES(CASE)	FOUR(CASE, 1) FOUR(CASE, 2) FOUR(CASE, 3) FOUR(CASE, 4)

#include "attention/attend.cu"
#include "conv/conv_concat.cu"
#include "norm/normalize.cu"
#include "norm/softmax.cu"
#include "product/dense.cu"

#define FOUR_OF(n)											\
	DEVICE real silu_##n##_then(real v, real) { return v * logistic(n * v); }			\
	DEVICE real silu_grad_##n##_then(real v, real s)						\
	{											\
		real t = logistic(n * s);							\
												\
		return v * t + v * s * n * t * (1 - t);						\
	}											\
	DEVICE real gelu_##n##_then(real v, real) { return v * normal_below(n * v); }		\
	DEVICE real gelu_grad_##n##_then(real v, real s)						\
	{											\
		real t = tanh_of(REAL(0.8) * n * (s + REAL(0.044715) * s * s * s));		\
												\
		return v * REAL(0.5) * (1 + t + s * (1 - t * t) * n * (1 + REAL(0.13) * s * s));	\
	}

FOUR_OF(1)
FOUR_OF(2)
FOUR_OF(3)
FOUR_OF(4)

#define ONE_MORE(kind, function, reads, known)	+ 1

static_assert(EPILOGUES(ONE_MORE) == EPILOGUES_MOST, "as many as there may be");

template <class Job> static void
product(void)
{
	Job job;

	gpu_product_by<GPU_LARGE>(job, 1, 1);
}

template <bool LAST> static void
products(void)
{
	product<conv_window_job<LAST, false>>();
	product<conv_window_job<LAST, true>>();
	product<conv_weight_job<LAST>>();
	product<concat_window_job<LAST>>();
	product<concat_weight_job<LAST>>();
}

void
all(void)
{
	struct attend attention = {};

	products<false>();
	products<true>();
	product<conv_window_job<false, false, true>>();
	product<conv_window_job<false, true, true>>();
	product<conv_weight_job<false, true>>();
	product<dense_job<false, false>>();
	product<dense_job<false, true>>();
	product<dense_job<true, false>>();
#if NARROW
	product<dense_job<true, false, real>>();
#endif
	normalize_forward(NULL, NULL, NULL, NULL, NULL, NULL, AS_IS, BY_DEVIATION, 0, 1, 1, 1, 1);
	softmax_forward(NULL, NULL, 1, 1, 1);
	softmax_backward(NULL, NULL, NULL, 1, 1, 1);
	attend_forward(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, attention);
	attend_backward(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, attention);
	attend_bias_backward(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, attention);
	attend_relative_backward(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, attention);
	normalize_backward(NULL, NULL, NULL, ANEW, NULL, NULL, AS_IS, NULL, NULL, NULL, NULL, NULL, BY_DEVIATION, 0, 1, 1, 1, 1);
}
