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
	int64_t update = UPDATE(s, clip, u);
	double fix1 = 1 - power_of(beta1, update), fix2 = 1 - power_of(beta2, update);
	real factor = clip ? *clip : 1;
	real b1 = (real)beta1, b2 = (real)beta2, c1 = (real)(1 - beta1), c2 = (real)(1 - beta2);
	real spread = (real)(1 / sqrt(fix2)), tiny = (real)eps;

	ROWS (c, LEFT_OUT(clip) ? 0 : u.chunks) {
		struct update_share k = update_share_of(&u, c);
		double lr = s->lr * k.rate;
		real keep = (real)(decoupled ? 1 - lr * k.decay : 1), pace = (real)(lr / fix1);
		real wd = (real)(decoupled ? 0 : k.decay), *m = k.state[0], *v = k.state[1];

		ALONG_EACH (i, k.n) {
			real w = weight_of(&k, i), d = GRADIENT(k.g[i]) * factor + wd * w;
			real first = b1 * m[i] + c1 * d, second = b2 * v[i] + c2 * d * d;

			m[i] = first;
			v[i] = second;
			weight_set(&k, i,
			    w * keep - pace * first / (R(sqrt)(second) * spread + tiny));
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
