/*
 * loss/seed.cu - the seed of the backward pass.
 */
#ifndef STOWAGE_LOSS_SEED_CU
#define STOWAGE_LOSS_SEED_CU

#include "loss/mean.cu"

KERNEL(seed_kernel, (real *out, const real *scale, const struct step *s))
{
	EACH (i, 1)
		out[i] = seed_of(scale, s);
}

/* The gradient of the loss: the share of the update's samples in this micro-batch, times the scale
 * of the loss where it has one. */
static void
seed_gradient(real *out, const real *scale, const struct step *s)
{
	LAUNCH(seed_kernel, 1, (out, scale, s));
}

#endif
