/*
 * copy/embedding.cu - rows of a table by the numbers of tokens, and the gradient of the table.
 *
 * A row's gradient is the sum of dy over the tokens of its number, in their order whoever adds them
 * up. For that the tokens are sorted: a key is a token's number and, in its lower bits, its place,
 * so that no two are alike and every correct sort gives the same. A row then belongs to whoever
 * meets its first key.
 *
 *     ids      7 2 7 0        keys   0:3 2:1 7:0 7:2        dw[7] = dy[0] + dy[2]
 *
 * Only rows that are met are added to. What else the gradient has is 0, or where it is added onto
 * something what lies there.
 */
#ifndef STOWAGE_COPY_EMBEDDING_CU
#define STOWAGE_COPY_EMBEDDING_CU

#include "kernel.h"
#include "sizes.h"

#define KEY_BITS	33	/* of a place: that many tokens need more memory than there is */
#define KEY(row, place)	((uint64_t)(row) << KEY_BITS | (uint64_t)(place))
#define KEY_ROW(key)	((int64_t)((key) >> KEY_BITS))
#define KEY_PLACE(key)	((int64_t)((key) & (((uint64_t)1 << KEY_BITS) - 1)))

/* Which row is read for a token, where the first row is that of token FIRST; ROWS, which is none,
 * for what has no row here, and for the padding. */
DEVICE int64_t
embedding_row(int32_t id, int64_t first, int64_t rows, int64_t padding)
{
	return id < first || id - first >= rows || id == padding ? rows : id - first;
}

KERNEL(embedding_kernel, (elem *y, const elem *w, const int32_t *ids, int64_t tokens, int64_t first, int64_t rows,
    int64_t width, int64_t padding))
{
	EACH_PLACE (one, t, j, 1, tokens, width) {
		int64_t row = embedding_row(ids[one + t], first, rows, padding);

		y[t * width + j] = row < rows ? w[row * width + j] : ELEM(0);
	}
}

static void
embedding_forward(elem *y, const elem *w, const int32_t *ids, int64_t tokens, int64_t first, int64_t rows,
    int64_t width, int64_t padding)
{
	LAUNCH(embedding_kernel, tokens * width, (y, w, ids, tokens, first, rows, width, padding));
}

/* ---- backward ---- */

#ifdef __CUDACC__
#include "copy/embedding_cuda.cu"
#else
#include "copy/embedding_c.cu"
#endif

/* What the sums are added to: nothing, or a share of what lies there. */
KERNEL(embedding_start_kernel, (elem *dw, struct onto o, int64_t n))
{
	real keep = onto_keep(o);

	EACH (i, keep == 1 ? 0 : n)
		dw[i] = ELEM(keep != 0 ? keep * VALUE(dw[i]) : 0);
}

/* Adds to each row of TO its sum; where there is S, takes lr times that off it, and off its MASTER
 * copy. */
KERNEL(embedding_rows_kernel, (elem *to, real *master, const struct step *s, const elem *dy,
    const uint64_t *key, int64_t tokens, int64_t rows, int64_t width))
{
	real factor = s ? -(real)s->lr : 1;
	int64_t strips = (width + STRIP - 1) / STRIP;

	ROWS (r, tokens * strips) {
		int64_t k = quotient(r, strips), at = (r - k * strips) * STRIP, row = KEY_ROW(key[k]);
		int64_t n = width - at < STRIP ? width - at : STRIP;
		real sum[STRIP_LANES] = { 0 };

		if (row == rows || (k > 0 && KEY_ROW(key[k - 1]) == row))
			continue;
		embedding_sum(sum, dy + at, key + k, tokens - k, width, n);
		ALONG_EACH (j, n) {
			int64_t i = row * width + at + j;
			real value = (master ? master[i] : VALUE(to[i])) + factor * sum[LANE(j)];

			if (master)
				master[i] = value;
			to[i] = ELEM(value);
		}
	}
}

static void
embedding_backward(elem *dw, const elem *dy, const int32_t *ids, struct onto o, void *work,
    int64_t tokens, int64_t first, int64_t rows, int64_t width, int64_t padding)
{
	const uint64_t *key = embedding_sort((uint64_t *)work, ids, tokens, first, rows, padding);

	LAUNCH(embedding_start_kernel, rows * width, (dw, o, rows * width));
	LAUNCH_ROWS(embedding_rows_kernel, tokens * ((width + STRIP - 1) / STRIP),
	    (dw, NULL, NULL, dy, key, tokens, rows, width));
}

/* A step of gradient descent, of the rows that tokens name alone. */
static void
embedding_sgd(elem *w, real *master, const elem *dy, const int32_t *ids, const struct step *s,
    void *work, int64_t tokens, int64_t first, int64_t rows, int64_t width, int64_t padding)
{
	const uint64_t *key = embedding_sort((uint64_t *)work, ids, tokens, first, rows, padding);

	LAUNCH_ROWS(embedding_rows_kernel, tokens * ((width + STRIP - 1) / STRIP),
	    (w, master, s, dy, key, tokens, rows, width));
}

#endif
