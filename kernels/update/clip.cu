/*
 * update/clip.cu - what all gradients are multiplied by before weights are updated, so that their
 * common norm keeps to a limit. The squares of each gradient are summed in CLIP_PARTS pieces, all
 * pieces of all gradients in one launch, then the pieces in their order.
 */
#ifndef STOWAGE_UPDATE_CLIP_CU
#define STOWAGE_UPDATE_CLIP_CU

#include "update/updates.cu"
#if defined(SPLIT) || defined(STAGES)
#include "update/exchange.cu"
#endif

#define CLIP_PARTS	64

struct clipped {		/* a gradient */
	int64_t at, n;		/* its offset in the arena, its elements */
#ifdef SPLIT
	bool alike;		/* all ranks have all of it */
#endif
};

/* The table of all gradients whose norm is taken: defined with the steps. */
DEVICE const struct clipped *clipped_table(void);

/* Of COUNT gradients of the table from FIRST on. */
KERNEL(clip_squares_kernel, (double *part, const unsigned char *arena, int first, int64_t count))
{
	ROWS (r, count * CLIP_PARTS) {
		const struct clipped *t = clipped_table() + first + r / CLIP_PARTS;
		struct own_piece piece = own_piece(t->n, r % CLIP_PARTS, CLIP_PARTS);
		const gradient *g = (const gradient *)(arena + t->at) + GRADIENT_FROM(t->n) + piece.first;
		double sum = 0;

		ALONG_ADD (j, piece.n, sum)
			sum += (double)GRADIENT(g[j]) * (double)GRADIENT(g[j]);
		sum = ROW_SUM(sum);
		FIRST
			part[r] = sum;
	}
}

static void
clip_squares(void *work, const unsigned char *arena, int first, int64_t count)
{
	LAUNCH_ROWS(clip_squares_kernel, count * CLIP_PARTS, ((double *)work, arena, first, count));
}

#ifdef SPLIT
KERNEL(clip_once_kernel, (double *part, int first, int64_t count))
{
	EACH (i, count * CLIP_PARTS)
		if (clipped_table()[first + i / CLIP_PARTS].alike)
			part[i] = 0;
}

/* Of what all ranks have alike, the first alone has squares. */
static void
clip_squares_once(void *work, int first, int64_t count)
{
	if (ranks.rank > 0)
		LAUNCH(clip_once_kernel, count * CLIP_PARTS, ((double *)work, first, count));
}
#endif

#if defined(SHARDS) || defined(SPLIT) || defined(STAGES)
#ifndef PARTS
/* Their sum, in place of the first, and 0 of the others. */
KERNEL(clip_fold_kernel, (double *part, int64_t n))
{
	ROWS (r, 1) {
		double sum = 0;

		ALONG_ADD (j, n, sum)
			sum += part[j];
		sum = ROW_SUM(sum);
		ALONG (j, n)
			part[j] = 0;
		FIRST
			part[0] = sum;
	}
}
#endif

/* Of all ranks, each of which has the squares of its piece, or part, of every gradient, or
 * gradients of its own. */
static void
clip_squares_of_all(void *work, int64_t gradients)
{
	double *part = (double *)work;

#ifndef STAGES
	if (!gradients)
		return;
#endif
#ifdef PARTS	/* each piece is one rank's: with zeros of the others, no sum of them depends on their number */
	ALONE
		exchange_numbers(part, (int)gradients * CLIP_PARTS);
#else
	LAUNCH_ROWS(clip_fold_kernel, 1, (part, gradients * CLIP_PARTS));
	ALONE
		exchange_numbers(part, 1);
#endif
}
#endif

/* min(1, limit / (norm + 1e-6)); a norm that is NaN is passed on */
KERNEL(clip_scale_kernel, (real *out, const double *part, int64_t gradients, double limit))
{
	ROWS (r, 1) {
		double sum = 0, scale;

		ALONG (j, gradients * CLIP_PARTS)
			sum += part[j];
		sum = ROW_SUM(sum);
		scale = limit / (sqrt(sum) + 1e-6);
		FIRST
			out[r] = scale >= 1 ? 1 : (real)scale;
	}
}

static void
clip_scale(real *out, const void *work, int64_t gradients, double limit)
{
	LAUNCH_ROWS(clip_scale_kernel, 1, (out, (const double *)work, gradients, limit));
}

#endif
