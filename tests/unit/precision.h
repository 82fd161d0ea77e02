/*
 * Kernels as tests have them that hold them against naive loops (naive.h): on the CPU, in double
 * precision, or in float where another file defines KERNELS_IN_FLOAT. It comes before kernels.
 */
#ifndef STOWAGE_TESTS_PRECISION_H
#define STOWAGE_TESTS_PRECISION_H

#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"

#ifndef KERNELS_IN_FLOAT
#define USE_DOUBLE
#define NEAR	1e-11
#else
#define NEAR	1e-5
#endif

#endif
