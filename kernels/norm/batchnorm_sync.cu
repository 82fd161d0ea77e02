/*
 * norm/batchnorm_sync.cu - batch normalisation over the samples of all ranks: what comes before and
 * after their sums, which are of doubles, 2 channels + 1 of them. The last is the number of
 * elements that a channel has on all ranks.
 *
 * Sums of squares are about the running mean, which all ranks have alike; a part's are about the
 * channel's first element (norm/batchnorm.cu), from where they are moved: with d' = d + o, sum d' =
 * sum d + n o, sum d'd' = sum dd + 2 o sum d + n o o.
 */
#ifndef STOWAGE_NORM_BATCHNORM_SYNC_CU
#define STOWAGE_NORM_BATCHNORM_SYNC_CU

#include "norm/batchnorm.cu"

/* Elements of a channel here that count: a rank without a sample has one of another's, of no
 * weight. */
DEVICE double
bn_sync_count(const struct step *s, int64_t b, int64_t n)
{
	return s->share > 0 ? (double)(b * n) : 0;
}

KERNEL(bn_sync_moments_kernel, (double *sums, const double *work, const elem *x, const real *running_mean,
    const struct step *s, int64_t b, int64_t channels, int64_t n, int64_t parts))
{
	ROWS (c, channels) {
		double count = bn_sync_count(s, b, n), sum = 0, squares = 0, o;

		ALONG (p, parts) {
			sum += work[2 * (c * parts + p)];
			squares += work[2 * (c * parts + p) + 1];
		}
		sum = ROW_SUM(sum);
		squares = ROW_SUM(squares);
		o = (double)VALUE(x[c * n]) - (double)running_mean[c];
		FIRST {
			sums[2 * c] = count > 0 ? sum + count * o : 0;
			sums[2 * c + 1] = count > 0 ? squares + 2 * o * sum + count * o * o : 0;
			if (c == 0)
				sums[2 * channels] = count;
		}
	}
}

static void
bn_sync_moments(double *sums, void *work, const elem *x, const real *running_mean, const struct step *s, int64_t b,
    int64_t channels, int64_t n, int64_t parts)
{
	bn_moments((double *)work, NULL, x, b, channels, n, parts);
	LAUNCH_CHANNELS(bn_sync_moments_kernel, channels, (sums, (const double *)work, x, running_mean, s, b, channels, n,
	    parts));
}

/* As bn_statistics_kernel, of the sums of all ranks. */
KERNEL(bn_sync_statistics_kernel, (real *mean, real *invstd, real *running_mean, real *running_var, const double *sums,
    double eps, double momentum, int64_t channels))
{
	EACH (c, channels) {
		bn_keep(c, sums[2 * channels], sums[2 * c], sums[2 * c + 1], running_mean[c], eps, momentum, mean, invstd,
		    running_mean, running_var);
	}
}

static void
bn_sync_statistics(real *mean, real *invstd, real *running_mean, real *running_var, const double *sums, double eps,
    double momentum, int64_t channels)
{
	LAUNCH(bn_sync_statistics_kernel, channels, (mean, invstd, running_mean, running_var, sums, eps, momentum, channels));
}

KERNEL(bn_sync_dots_kernel, (double *sums, elem *dweight, elem *dbias, const double *work, const real *invstd,
    const struct step *s, int64_t b, int64_t channels, int64_t n, int64_t parts))
{
	ROWS (c, channels) {
		double sum = 0, dot = 0;

		ALONG (p, parts) {
			sum += work[2 * (c * parts + p)];
			dot += work[2 * (c * parts + p) + 1];
		}
		sum = ROW_SUM(sum);
		dot = ROW_SUM(dot);
		FIRST {
			sums[2 * c] = sum;
			sums[2 * c + 1] = dot;
			if (c == 0)
				sums[2 * channels] = bn_sync_count(s, b, n);
			if (dweight)
				dweight[c] = ELEM((real)(dot * (double)invstd[c]));
			if (dbias)
				dbias[c] = ELEM((real)sum);
		}
	}
}

/* DWEIGHT and DBIAS may each be NULL; THEN and BIAS are as in batchnorm_backward(). */
static void
bn_sync_dots(double *sums, elem *dweight, elem *dbias, void *work, const elem *dy, struct epilogue then, const elem *x,
    const elem *weight, const elem *bias, const real *mean, const real *invstd, const struct step *s, int64_t b, int64_t channels,
    int64_t n, int64_t parts)
{
	bn_dots((double *)work, dy, then.kind, x, weight, bias, mean, invstd, b, channels, n, parts);
	LAUNCH_CHANNELS(bn_sync_dots_kernel, channels, (sums, dweight, dbias, (const double *)work, invstd, s, b, channels, n,
	    parts));
}

/* The means of a channel that dx needs; what does not count has none, and as its dy is 0, so is its
 * dx. */
KERNEL(bn_sync_means_kernel, (double *means, const double *sums, const real *invstd, const struct step *s, int64_t channels))
{
	EACH (c, channels) {
		double share = s->share > 0 ? 1 / sums[2 * channels] : 0, scale = invstd[c];

		means[2 * c] = sums[2 * c] * share;
		means[2 * c + 1] = sums[2 * c + 1] * scale * scale * share;
	}
}

/* DX may be dy or x. */
static void
bn_sync_distribute(elem *dx, void *work, const elem *dy, struct epilogue then, const elem *x, const elem *weight,
    const elem *bias, const real *mean, const real *invstd, const double *sums, const struct step *s, int64_t b, int64_t channels, int64_t n)
{
	LAUNCH(bn_sync_means_kernel, channels, ((double *)work, sums, invstd, s, channels));
	bn_spread(dx, dy, then.kind, x, weight, bias, mean, invstd, (const double *)work, b, channels, n, 1);
}

#endif
