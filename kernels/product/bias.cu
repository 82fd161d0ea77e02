/*
 * product/bias.cu - the gradient of a bias: the sum of dy over samples and positions.
 *
 * db[c] = sum over b and p of dy[b,c,p]. A dense layer's bias has one position; local's bias, which
 * has one value per filter and position, is the same with its values as channels.
 */
#ifndef STOWAGE_PRODUCT_BIAS_CU
#define STOWAGE_PRODUCT_BIAS_CU

#ifdef __CUDACC__
#include "product/bias_cuda.cu"
#else
#include "product/bias_c.cu"
#endif

#endif
