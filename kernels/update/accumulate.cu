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

#ifdef PARTS
/* The same as a binary tree: what K parts in a row have is added to what as many before them have,
 * as soon as it is there. Who has the parts next to them, this rank or another, then does not
 * matter: theirs is a tree, too (update/ring.cu). */
KERNEL(accumulate_tree_kernel, (struct updates u, const struct step *s))
{
	bool last = s->part + 1 == PARTS_HERE;
	int ones = 0;		/* so many lowest bits of its number are set: so many branches wait for it */

	while (s->part >> ones & 1)
		ones++;
	ROWS (c, u.chunks) {
		int64_t from;
		const struct update *t = update_at(&u, c, &from);
		int64_t n = update_elements(t->n, from);
		real *sum = (real *)(u.arena + t->state[0]) + from;
		real *level = (real *)update_place(u.arena, t->state[1], from * (int64_t)sizeof(real));
		real *to = ones == 0 || last ? sum : level + (ones - 1) * t->n;
		const elem *g = (const elem *)(u.arena + t->gradient) + from;

		ALONG_EACH (i, n) {
			real x = VALUE(g[i]);

			if (ones > 0)
				x = sum[i] + x;
			for (int k = 1; k < ones; k++)
				x = level[(k - 1) * t->n + i] + x;
			to[i] = x;
		}
	}
}
#endif

static void
accumulate_gradients(struct updates u, const struct step *s)
{
#ifdef PARTS
	LAUNCH_CHUNKS(accumulate_tree_kernel, u.chunks, (u, s));
#else
	LAUNCH_CHUNKS(accumulate_kernel, u.chunks, (u, s));
#endif
}

#endif
