/*
 * update/lamb.cu - Adam's step, made as long as the parameter is. Its means are moved on first, while the
 * squares of weights and steps are summed in parts; then each part is updated, by the sums of all, and of all ranks, where
 * each has but a piece. The step is worked out twice, rather than kept.
 */
#ifndef STOWAGE_UPDATE_LAMB_CU
#define STOWAGE_UPDATE_LAMB_CU

#include "update/updates.cu"

struct lamb {
	struct adam_means a;
	struct adam_pace pace;	/* of the step, at a rate of 1 */
	real decay;
};

DEVICE struct lamb
lamb_of(const struct update_share *k, const struct adam_means *a, int64_t update)
{
	struct lamb l;

	l.a = *a;
	l.pace = adam_pace_of(1, a, update);
	l.decay = (real)k->decay;
	return l;
}

DEVICE real
lamb_step(const struct lamb *l, real m, real v, real w)
{
	return l->pace.first * m / (R(sqrt)(v) * l->pace.second + l->a.tiny) + l->decay * w;
}

/* part: for each, the sum of squares of weights, and that of steps */
KERNEL(lamb_means_kernel, (struct update_share k, const real *clip, const struct step *s, double *part,
    int64_t parts, struct adam_means a))
{
	struct lamb l = lamb_of(&k, &a, UPDATE(s, clip, k));
	real factor = clip ? *clip : 1;
	real *m = k.state[0], *v = k.state[1];

	ROWS (r, LEFT_OUT(clip) ? 0 : parts) {
		int64_t from = PART_FROM(k.n, r, parts), n = PART_FROM(k.n, r + 1, parts) - from;
		double weights = 0, steps = 0;

		ALONG_ADD (j, n, weights, steps) {
			int64_t i = from + j;
			real w = weight_of(&k, i), d = GRADIENT(k.g[i]) * factor, step;

			m[i] = a.b1 * m[i] + a.c1 * d;
			v[i] = a.b2 * v[i] + a.c2 * d * d;
			step = lamb_step(&l, m[i], v[i], w);
			weights += (double)w * (double)w;
			steps += (double)step * (double)step;
		}
		weights = ROW_SUM(weights);
		steps = ROW_SUM(steps);
		FIRST {
			part[2 * r] = weights;
			part[2 * r + 1] = steps;
		}
	}
}

KERNEL(lamb_kernel, (struct update_share k, const real *clip, const struct step *s, const double *part,
    int64_t parts, struct adam_means a, int adapts))
{
	struct lamb l = lamb_of(&k, &a, UPDATE(s, clip, k));
	const real *m = k.state[0], *v = k.state[1];

	ROWS (r, LEFT_OUT(clip) ? 0 : parts) {
		int64_t from = PART_FROM(k.n, r, parts), n = PART_FROM(k.n, r + 1, parts) - from;
		double weights = 0, steps = 0;
		real rate;

		ALONG (j, parts) {
			weights += part[2 * j];
			steps += part[2 * j + 1];
		}
		weights = ROW_SUM(weights);
		steps = ROW_SUM(steps);
		rate = (real)(s->lr * k.rate * (adapts && weights > 0 && steps > 0 ? sqrt(weights / steps) : 1));
		ALONG_EACH (j, n) {
			int64_t i = from + j;
			real w = weight_of(&k, i);

			weight_set(&k, i, w - rate * lamb_step(&l, m[i], v[i], w));
		}
	}
}

#ifdef SHARDS
/* The two sums of all parts, in place of those of the first, and 0 of the others. */
KERNEL(lamb_fold_kernel, (double *part, int64_t parts))
{
	ROWS (r, 1) {
		double weights = 0, steps = 0;

		ALONG_ADD (j, parts, weights, steps) {
			weights += part[2 * j];
			steps += part[2 * j + 1];
		}
		weights = ROW_SUM(weights);
		steps = ROW_SUM(steps);
		ALONG (j, 2 * parts)
			part[j] = 0;
		FIRST {
			part[0] = weights;
			part[1] = steps;
		}
	}
}

/* Of all ranks, each of which has the sums of its piece. */
static void
lamb_sums_of_all(double *part, int64_t parts)
{
	LAUNCH_ROWS(lamb_fold_kernel, 1, (part, parts));
	ALONE
		exchange_numbers(part, 2);
}
#endif

static void
lamb_update(struct update_share k, const real *clip, const struct step *s, void *work, int64_t parts,
    double beta1, double beta2, double eps, int adapts)
{
	struct adam_means a = adam_means_of(beta1, beta2, eps);

	LAUNCH_ROWS(lamb_means_kernel, parts, (k, clip, s, (double *)work, parts, a));
#ifdef SHARDS
	lamb_sums_of_all((double *)work, parts);
#endif
	LAUNCH_ROWS(lamb_kernel, parts, (k, clip, s, (const double *)work, parts, a, adapts));
}

#endif
