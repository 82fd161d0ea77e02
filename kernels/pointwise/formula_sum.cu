/*
 * pointwise/formula_sum.cu - what kernels that are written for sums of formulas are made of: those
 * of reduce_to, in whose loops a program's own formula stands.
 *
 *     ALONG_ADD (j, count, sum) {
 *             real a = VALUE(x0[at + j]);
 *             real b = VALUE(x1[o]);
 *             real t0 = a - b;
 *
 *             sum += (double)(t0 * t0);
 *     }
 *
 * `at` is where an operand lies that has all of the elements; `o` the sum's place; `at_b` the place
 * of one that is repeated along other axes.
 */
#ifndef STOWAGE_POINTWISE_FORMULA_SUM_CU
#define STOWAGE_POINTWISE_FORMULA_SUM_CU

#include "pointwise/formula.cu"
#include "pointwise/reduce.cu"

#endif
