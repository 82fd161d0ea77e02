/*
 * What may spill registers: the large tiles of all products of our own, with epilogues behind them, norms, and softmax of
 * rows that registers hold. For tests/program/spills.test, which compiles it and does not run it.
 */
#define CHANNELS_FIRST
#define CHANNELS_LAST
#define VOLUMES
#define EPILOGUES(CASE)	CASE(DO_SILU, silu_then, false, OF_NOBODY) CASE(DO_ERF_GRAD, erf_grad_then, true, OF_NOBODY)

#include "conv/conv_concat.cu"
#include "norm/normalize.cu"
#include "norm/softmax.cu"
#include "product/dense.cu"

DEVICE real
silu_then(real v, real)
{
	return v / (1 + R(exp)(-v));
}

DEVICE real
erf_grad_then(real v, real s)
{
	real t = R(tanh)(s);

	return v * (1 - t * t) * R(erf)(s);
}

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
	products<false>();
	products<true>();
	product<conv_window_job<false, false, true>>();
	product<conv_window_job<false, true, true>>();
	product<conv_weight_job<false, true>>();
	product<dense_job<false, false>>();
	product<dense_job<false, true>>();
	product<dense_job<true, false>>();
	normalize_forward(NULL, NULL, NULL, NULL, NULL, NULL, AS_IS, BY_DEVIATION, 0, 1, 1, 1, 1);
	softmax_forward(NULL, NULL, 1, 1, 1);
	softmax_backward(NULL, NULL, NULL, 1, 1, 1);
	normalize_backward(NULL, NULL, NULL, ANEW, NULL, NULL, AS_IS, NULL, NULL, NULL, NULL, NULL, BY_DEVIATION, 0, 1, 1, 1, 1);
}
