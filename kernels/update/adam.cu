/*
 * update/adam.cu - Adam, and AdamW.
 */
#ifndef STOWAGE_UPDATE_ADAM_CU
#define STOWAGE_UPDATE_ADAM_CU

#include "update/updates.cu"

/* Weight decay is added to the gradient, or (adamw) DECOUPLED: lr * decay taken off the weight. */
KERNEL(adam_kernel, (struct updates u, const real *clip, const struct step *s, double beta1,
    double beta2, double eps, int decoupled))
{
	ONCE(struct adam_pace, pace, adam_pace_of(s->lr, beta1, beta2, UPDATE(s, clip, u)));
	real factor = clip ? *clip : 1;
	real b1 = (real)beta1, b2 = (real)beta2, c1 = (real)(1 - beta1), c2 = (real)(1 - beta2);
	real tiny = (real)eps;

	ROWS (c, LEFT_OUT(clip) ? 0 : u.chunks) {
		struct update_share k = update_share_of(&u, c);
		real of_rate = (real)k.rate, decay = (real)k.decay, step = pace.first * of_rate;
		real keep = decoupled ? 1 - pace.rate * of_rate * decay : 1, wd = decoupled ? 0 : decay;
		real *m = k.state[0], *v = k.state[1];

		ALONG_EACH (i, k.n) {
			real w = weight_of(&k, i), d = GRADIENT(k.g[i]) * factor + wd * w;
			real first = b1 * m[i] + c1 * d, second = b2 * v[i] + c2 * d * d;

			m[i] = first;
			v[i] = second;
			weight_set(&k, i,
			    w * keep - step * first / (R(sqrt)(second) * pace.second + tiny));
		}
	}
}

static void
adam_update(struct updates u, const real *clip, const struct step *s, double beta1, double beta2,
    double eps, int decoupled)
{
	LAUNCH_CHUNKS(adam_kernel, u.chunks, (u, clip, s, beta1, beta2, eps, decoupled));
}

#endif
