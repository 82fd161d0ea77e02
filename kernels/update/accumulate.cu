/*
 * update/accumulate.cu - gradients of micro-batches, added up.
 */
#ifndef STOWAGE_UPDATE_ACCUMULATE_CU
#define STOWAGE_UPDATE_ACCUMULATE_CU

#include "update/updates.cu"

/* With keep = 0 the old sum is not read: it may be anything, even NaN. */
KERNEL(accumulate_kernel, (struct updates u, const struct step *s))
{
	real keep = s->keep;

	ROWS (c, u.chunks) {
		int64_t from;
		const struct update *t = update_at(&u, c, &from);
		int64_t n = update_elements(t->n, from);
		real *sum = (real *)(u.arena + t->state[0]) + from;
		const elem *g = (const elem *)(u.arena + t->gradient) + from;

		if (keep == 0) {
			ALONG_EACH (i, n)
				sum[i] = VALUE(g[i]);
		} else {
			ALONG_EACH (i, n)
				sum[i] = keep * sum[i] + VALUE(g[i]);
		}
	}
}

static void
accumulate_gradients(struct updates u, const struct step *s)
{
	LAUNCH_CHUNKS(accumulate_kernel, u.chunks, (u, s));
}

#endif
