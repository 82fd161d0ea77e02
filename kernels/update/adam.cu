/*
 * update/adam.cu - Adam, and AdamW.
 */
#ifndef STOWAGE_UPDATE_ADAM_CU
#define STOWAGE_UPDATE_ADAM_CU

#include "update/updates.cu"

/* Weight decay is added to the gradient, or (adamw) DECOUPLED: lr * decay taken off the weight. */
KERNEL(adam_kernel, (struct updates u, const real *clip, const struct step *s, const real *number,
    struct adam_means a, int decoupled))
{
	real rate = (real)s->lr, first_whole = rate * number[ADAM_FIRST], second_whole = number[ADAM_SECOND];
	real factor = clip ? *clip : 1;

	ROWS (c, LEFT_OUT(clip) ? 0 : u.chunks) {
		struct update_share k = update_share_of(&u, c);
		real of_rate = (real)k.rate, decay = (real)k.decay, step = first_whole * of_rate;
		real keep = decoupled ? 1 - rate * of_rate * decay : 1, wd = decoupled ? 0 : decay;
		real *m = k.state[0], *v = k.state[1];

		ALONG_EACH (i, k.n) {
			real w = weight_of(&k, i), d = GRADIENT(k.g[i]) * factor + wd * w;
			real first = a.b1 * m[i] + a.c1 * d, second = a.b2 * v[i] + a.c2 * d * d;

			m[i] = first;
			v[i] = second;
			weight_set(&k, i,
			    w * keep - step * first / (R(sqrt)(second) * second_whole + a.tiny));
		}
	}
}

static void
adam_update(struct updates u, const real *clip, const struct step *s, const real *number, double beta1,
    double beta2, double eps, int decoupled)
{
	LAUNCH_CHUNKS(adam_kernel, u.chunks, (u, clip, s, number, adam_means_of(beta1, beta2, eps), decoupled));
}

#endif
