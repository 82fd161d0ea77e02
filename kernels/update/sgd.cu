/*
 * update/sgd.cu - gradient descent, with momentum or without.
 */
#ifndef STOWAGE_UPDATE_SGD_CU
#define STOWAGE_UPDATE_SGD_CU

#include "update/updates.cu"

/* The gradient was added to momentum * V already: what is left is weight decay, and the step. */
DEVICE void
sgd_rest(const struct update_share *k, real lr)
{
	real *v = k->state[0], wd = (real)k->decay;

	if (wd == 0) {
		ALONG_EACH (i, k->n)
			weight_set(k, i, weight_of(k, i) - lr * v[i]);
	} else {
		ALONG_EACH (i, k->n) {
			real w = weight_of(k, i), d = v[i] + wd * w;

			v[i] = d;
			weight_set(k, i, w - lr * d);
		}
	}
}

APART void
sgd_share(const struct update_share *k, real lr, real factor, real m, bool nesterov)
{
	real *momentum = k->state[0], wd = (real)k->decay;

	if (!momentum) {
		ALONG_EACH (i, k->n) {
			real w = weight_of(k, i);

			weight_set(k, i, w - lr * (GRADIENT(k->g[i]) * factor + wd * w));
		}
	} else if (nesterov) {
		ALONG_EACH (i, k->n) {
			real w = weight_of(k, i), d = GRADIENT(k->g[i]) * factor + wd * w;
			real v = m * momentum[i] + d;

			momentum[i] = v;
			weight_set(k, i, w - lr * (d + m * v));
		}
	} else {
		ALONG_EACH (i, k->n) {
			real w = weight_of(k, i);
			real v = m * momentum[i] + (GRADIENT(k->g[i]) * factor + wd * w);

			momentum[i] = v;
			weight_set(k, i, w - lr * v);
		}
	}
}

KERNEL(sgd_kernel, (struct updates u, const real *clip, const struct step *s, double momentum,
    int nesterov))
{
	real factor = clip ? *clip : 1, m = (real)momentum;

	ROWS (c, LEFT_OUT(clip) ? 0 : u.chunks) {
		struct update_share k = update_share_of(&u, c);
		real lr = (real)(s->lr * k.rate);

		if (k.g)
			sgd_share(&k, lr, factor, m, nesterov);
		else
			sgd_rest(&k, lr);
	}
}

static void
sgd_update(struct updates u, const real *clip, const struct step *s, double momentum, int nesterov)
{
	LAUNCH_CHUNKS(sgd_kernel, u.chunks, (u, clip, s, momentum, nesterov));
}

#endif
