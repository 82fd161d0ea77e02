/*
 * boxes/roi_pool.cu - the largest element of a map in each bin of a box. Corners are rounded to
 * whole elements, and both are within the box, so that its bins are whole elements, too: those of
 * neighbouring bins may be the same.
 *
 * Forward keeps where in the map each largest one lies. So backward needs no sums in memory that
 * several threads reach: an element looks through the boxes of its sample for bins that it is in,
 * in their order, and adds up the gradients of those whose largest it is, for some channels at a
 * time.
 */
#include "kernel.h"
#include <float.h>
#include "boxes/box.cu"

#define ROI_POOL_CHANNELS	8	/* sums that a thread has at a time */
#define ROI_POOL_FAR	(1 << 20)	/* elements beside the map: no corner is farther away */

struct roi_pool {
	int64_t samples, boxes, channels, height, width, rows, columns;
	real scale;		/* from the picture to the map */
};

struct roi_pool_axis {
	int64_t from, n;	/* the first element of the box, and how many the map has */
	real bin;
};

DEVICE int64_t
roi_pool_corner(real at, int64_t n)
{
	real far = (real)(n + ROI_POOL_FAR);

	at = R(round)(at);
	return (int64_t)(!(at > -far) ? -far : at > far ? far : at);
}

DEVICE struct roi_pool_axis
roi_pool_axis(real from, real to, int64_t n, int64_t bins)
{
	struct roi_pool_axis a;

	a.from = roi_pool_corner(from, n);
	a.n = n;
	a.bin = (real)(roi_pool_corner(to, n) - a.from + 1) / (real)bins;
	return a;
}

/* What is no box sees a map without elements. */
DEVICE void
roi_pool_axes(const struct roi_pool *k, struct box b, struct roi_pool_axis *down, struct roi_pool_axis *right)
{
	bool some = box_is_some(b);

	*down = roi_pool_axis(b.y1 * k->scale, b.y2 * k->scale, some ? k->height : 0, k->rows);
	*right = roi_pool_axis(b.x1 * k->scale, b.x2 * k->scale, some ? k->width : 0, k->columns);
}

/* Elements [*low, *high) of the map, of which there may be none. */
DEVICE void
roi_pool_bin(const struct roi_pool_axis *a, int64_t bin, int64_t *low, int64_t *high)
{
	*low = (int64_t)R(floor)((real)bin * a->bin) + a->from;
	*high = (int64_t)R(ceil)((real)(bin + 1) * a->bin) + a->from;
	*low = *low > 0 ? *low : 0;
	*high = *high < a->n ? *high : a->n;
}

/* In the order of rows the first that is largest; none where nothing is above -FLT_MAX. */
KERNEL(roi_pool_kernel, (elem *y, int32_t *index, const elem *boxes, const elem *x, struct roi_pool k))
{
	int64_t bins = k.rows * k.columns;

	ROWS (r, k.samples * k.boxes) {
		const elem *map = x + quotient(r, k.boxes) * k.channels * k.height * k.width;
		struct roi_pool_axis down, right;

		roi_pool_axes(&k, box_at(boxes, r), &down, &right);
		ALONG (j, k.channels * bins) {
			int64_t c = quotient(j, bins), row = quotient(j - c * bins, k.columns);
			int64_t column = j - c * bins - row * k.columns, top, bottom, left, end, at = -1;
			real most;

			roi_pool_bin(&down, row, &top, &bottom);
			roi_pool_bin(&right, column, &left, &end);
			most = top < bottom && left < end ? -FLT_MAX : 0;
			for (int64_t i = top; i < bottom; i++)
				for (int64_t p = left; p < end; p++) {
					real v = VALUE(map[(c * k.height + i) * k.width + p]);

					at = v > most ? i * k.width + p : at;
					most = v > most ? v : most;
				}
			y[r * k.channels * bins + j] = ELEM(most);
			if (index)
				index[r * k.channels * bins + j] = (int32_t)at;
		}
	}
}

/* INDEX, where in its channel each of Y lies, may be NULL. */
static void
roi_pool_forward(elem *y, int32_t *index, const elem *boxes, const elem *x, struct roi_pool k)
{
	LAUNCH_ROWS(roi_pool_kernel, k.samples * k.boxes, (y, index, boxes, x, k));
}

/* ---- backward ---- */

/* Bins [*first, *last) that element AT is in: quotients are near them, and bins themselves say
 * which they are. */
DEVICE void
roi_pool_near(const struct roi_pool_axis *a, int64_t at, int64_t bins, int64_t *first, int64_t *last)
{
	real past = (real)(at - a->from);
	int64_t low, high = 0;

	*first = *last = 0;
	if (!a->n || past < 0 || past > a->bin * (real)bins)
		return;
	*first = (int64_t)(past / a->bin) - 1;
	*first = *first > 0 ? *first : 0;
	*last = (int64_t)((past + 1) / a->bin) + 1;
	*last = *last < bins ? *last : bins;
	for (; *first < *last && (roi_pool_bin(a, *first, &low, &high), high <= at); ++*first)
		;
	for (; *first < *last && (roi_pool_bin(a, *last - 1, &low, &high), low > at); --*last)
		;
}

KERNEL(roi_pool_grad_kernel, (elem *dx, const elem *dy, const elem *boxes, const int32_t *index, struct roi_pool k))
{
	int64_t chunks = (k.channels + ROI_POOL_CHANNELS - 1) / ROI_POOL_CHANNELS, bins = k.rows * k.columns;

	EACH_PLACE (p, i, j, k.samples * chunks, k.height, k.width) {
		int64_t sample = quotient(p, chunks), from = (p - sample * chunks) * ROI_POOL_CHANNELS;
		int64_t n = k.channels - from < ROI_POOL_CHANNELS ? k.channels - from : ROI_POOL_CHANNELS;
		real sum[ROI_POOL_CHANNELS];

		for (int64_t c = 0; c < ROI_POOL_CHANNELS; c++)
			sum[c] = 0;
		for (int64_t r = sample * k.boxes; r < (sample + 1) * k.boxes; r++) {
			struct roi_pool_axis down, right;
			int64_t row, last, left, end;

			roi_pool_axes(&k, box_at(boxes, r), &down, &right);
			roi_pool_near(&down, i, k.rows, &row, &last);
			roi_pool_near(&right, j, k.columns, &left, &end);
			for (; row < last; row++)
				for (int64_t column = left; column < end; column++) {
					int64_t at = (r * k.channels + from) * bins + row * k.columns + column;

					for (int64_t c = 0; c < n; c++)
						if (index[at + c * bins] == i * k.width + j)
							sum[c] += VALUE(dy[at + c * bins]);
				}
		}
		for (int64_t c = 0; c < n; c++)
			dx[((sample * k.channels + from + c) * k.height + i) * k.width + j] = ELEM(sum[c]);
	}
}

static void
roi_pool_backward(elem *dx, const elem *dy, const elem *boxes, const int32_t *index, struct roi_pool k)
{
	LAUNCH(roi_pool_grad_kernel, k.samples * ((k.channels + ROI_POOL_CHANNELS - 1) / ROI_POOL_CHANNELS) * k.height *
	    k.width, (dx, dy, boxes, index, k));
}
