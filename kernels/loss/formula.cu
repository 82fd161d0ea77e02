/*
 * loss/formula.cu - what kernels that are written for losses of elements are made of: the mean of a
 * formula of prediction and target, its gradient, or both in one sweep.
 *
 *     KERNEL(l1_with_gradient_kernel, (double *part, elem *dx, const real *scale, const struct step *s,
 *         const elem *x0, const elem *x1, int64_t n))
 *     {
 *             real share = seed_of(scale, s) / (real)n;
 *
 *             ROWS (p, LOSS_PARTS) {
 *                     ...
 *                     ALONG_ADD (j, count, sum) {
 *                             real a = VALUE(x0[from + j]);
 *                             real b = VALUE(x1[from + j]);
 *                             real t0 = a - b;
 *
 *                             sum += (double)R(fabs)(t0);
 *                             dx[from + j] = ELEM(sign_of(t0) * share);
 *                     }
 *                     part[p] = sum;
 *             }
 *     }
 *
 * An element's loss is of the type real, their sum double. The gradient may lie in place of an
 * operand.
 */
#ifndef STOWAGE_LOSS_FORMULA_CU
#define STOWAGE_LOSS_FORMULA_CU

#include "loss/mean.cu"
#include "pointwise/formula.cu"

#endif
