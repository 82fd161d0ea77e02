/*
 * norm/part_statistics.cu - running statistics where an update is the parts of a batch: what a part
 * makes of them is put aside as a change, which is added up over parts as gradients are. ALL holds
 * N numbers of this statistic from AT on, between those of others.
 */
#ifndef STOWAGE_NORM_PART_STATISTICS_CU
#define STOWAGE_NORM_PART_STATISTICS_CU

#include "kernel.h"

KERNEL(part_hold_kernel, (real *held, const real *running, int64_t n))
{
	EACH (i, n)
		held[i] = running[i];
}

static void
part_statistics_hold(real *all, int64_t at, const real *running, int64_t n, const struct step *s)
{
	(void)s;
	LAUNCH(part_hold_kernel, n, (all + at, running, n));
}

/* A part without a sample repeats one of another's, of no weight, and changes nothing. */
KERNEL(part_change_kernel, (real *held, real *running, int64_t n, const struct step *s))
{
	real share = s->share;

	EACH (i, n) {
		real was = held[i];

		held[i] = share > 0 ? share * (was - running[i]) : 0;
		running[i] = was;
	}
}

static void
part_statistics_change(real *all, int64_t at, real *running, int64_t n, const struct step *s)
{
	LAUNCH(part_change_kernel, n, (all + at, running, n, s));
}

KERNEL(part_settle_kernel, (const real *changes, real *running, int64_t n))
{
	EACH (i, n)
		running[i] -= changes[i];
}

static void
part_statistics_settle(const real *all, int64_t at, real *running, int64_t n, const struct step *s)
{
	(void)s;
	LAUNCH(part_settle_kernel, n, (all + at, running, n));
}

#endif
