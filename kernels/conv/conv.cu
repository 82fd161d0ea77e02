/*
 * conv/conv.cu - convolution of lines, images and volumes: forward, gradient of the input, gradient
 * of the weights.
 *
 *     y[b,f,oy,ox] = bias[f] + sum over c, ky, kx of
 *                    w[f,c,ky,kx] x[b, c, oy sy - top + ky dy, ox sx - left + kx dx]
 *
 * Forward and the gradient of the input are products (product/gemm_c.cu) of the weights, read where
 * they lie, with the windows of all images, so that small images still fill wide tiles. Windows are
 * packed straight from the source (window.cu), never written out as a matrix. A transposed
 * convolution calls the same functions with input and output exchanged. All of them can add to what
 * lies where they write (struct onto), a gradient to one that came before. ROOM is how many bytes
 * WORK has, which only cuDNN asks.
 */
#ifndef STOWAGE_CONV_CONV_CU
#define STOWAGE_CONV_CONV_CU

#ifdef __CUDACC__
#include "conv/conv_cuda.cu"
#else
#include "conv/conv_c.cu"
#endif

#endif
