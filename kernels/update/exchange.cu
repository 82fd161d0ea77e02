/*
 * update/exchange.cu - what goes between ranks while the step goes on:
 *
 *     exchange_begin     what some tensors have on all ranks is added up, or brought to all of them, where it lies
 *     exchange_end       it is there
 *     exchange_numbers   both, of a few sums
 *
 * All ranks begin the same in the same order, which is that of the step.
 */
#ifndef STOWAGE_UPDATE_EXCHANGE_CU
#define STOWAGE_UPDATE_EXCHANGE_CU

#include "update/ranks.cu"

#ifdef __CUDACC__
#include "update/exchange_cuda.cu"
#else
#include "update/exchange_c.cu"
#endif

#endif
