/*
 * update/lamb.cu - Adam's step, made as long as the parameter is. Its means are moved on first,
 * while the squares of weights and steps are summed in parts; then each part is updated, by the
 * sums of all, and of all ranks, where each has but a piece. The step is worked out twice, rather
 * than kept.
 */
#ifndef STOWAGE_UPDATE_LAMB_CU
#define STOWAGE_UPDATE_LAMB_CU

#include "update/updates.cu"

struct lamb {
	real first, second;	/* Adam's numbers */
	real tiny, decay;
};

DEVICE struct lamb
lamb_of(const struct update_share *k, const struct adam_means *a, const real *number)
{
	struct lamb l;

	l.first = number[ADAM_FIRST];
	l.second = number[ADAM_SECOND];
	l.tiny = a->tiny;
	l.decay = (real)k->decay;
	return l;
}

DEVICE real
lamb_step(const struct lamb *l, real m, real v, real w)
{
	return l->first * m / (R(sqrt)(v) * l->second + l->tiny) + l->decay * w;
}

/* part: for each, the sum of squares of weights, and that of steps */
KERNEL(lamb_means_kernel, (struct update_share k, const real *clip, const real *number, double *part,
    int64_t all, int64_t parts, struct adam_means a))
{
	struct lamb l = lamb_of(&k, &a, number);
	real factor = clip ? *clip : 1;
	real *m = k.state[0], *v = k.state[1];

	ROWS (r, LEFT_OUT(clip) ? 0 : parts) {
		struct own_piece piece = own_piece(all, r, parts);
		double weights = 0, steps = 0;

		ALONG_ADD (j, piece.n, weights, steps) {
			int64_t i = piece.first + j;
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

/* How many times the step is made, of the sums of squares of a parameter and of its step. */
DEVICE real
lamb_rate(double rate, double weights, double steps, int adapts)
{
	return (real)(rate * (adapts && weights > 0 && steps > 0 ? sqrt(weights / steps) : 1));
}

KERNEL(lamb_kernel, (struct update_share k, const real *clip, const struct step *s, const real *number, const double *part,
    int64_t all, int64_t parts, struct adam_means a, int adapts))
{
	struct lamb l = lamb_of(&k, &a, number);
	const real *m = k.state[0], *v = k.state[1];

	ROWS (r, LEFT_OUT(clip) ? 0 : parts) {
		struct own_piece piece = own_piece(all, r, parts);
		double weights = 0, steps = 0;

		ALONG (j, parts) {
			weights += part[2 * j];
			steps += part[2 * j + 1];
		}
		weights = ROW_SUM(weights);
		steps = ROW_SUM(steps);
		ONCE(real, rate, lamb_rate(s->lr * k.rate, weights, steps, adapts));
		ALONG_EACH (j, piece.n) {
			int64_t i = piece.first + j;
			real w = weight_of(&k, i);

			weight_set(&k, i, w - rate * lamb_step(&l, m[i], v[i], w));
		}
	}
}

#ifdef SHARDS
#ifndef PARTS
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
		ALONG (j, 2 * parts - 2)	/* no place that the first thread writes */
			part[2 + j] = 0;
		FIRST {
			part[0] = weights;
			part[1] = steps;
		}
	}
}
#endif

/* Of all ranks, each of which has the sums of its piece. */
static void
lamb_sums_of_all(double *part, int64_t parts)
{
#ifdef PARTS	/* each part is one rank's: with zeros of the others, no sum of them depends on their number */
	ALONE
		exchange_numbers(part, 2 * (int)parts);
#else
	LAUNCH_ROWS(lamb_fold_kernel, 1, (part, parts));
	ALONE
		exchange_numbers(part, 2);
#endif
}
#endif

static void
lamb_update(struct update_share k, const real *clip, const struct step *s, const real *number, void *work,
    int64_t all, int64_t parts, double beta1, double beta2, double eps, int adapts)
{
	struct adam_means a = adam_means_of(beta1, beta2, eps);

	LAUNCH_ROWS(lamb_means_kernel, parts, (k, clip, number, (double *)work, all, parts, a));
#ifdef SHARDS
	lamb_sums_of_all((double *)work, parts);
#endif
	LAUNCH_ROWS(lamb_kernel, parts, (k, clip, s, number, (const double *)work, all, parts, a, adapts));
}

#endif
