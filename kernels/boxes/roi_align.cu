/*
 * boxes/roi_align.cu - maps as boxes see them: each bin of a box is the mean of points within it,
 * and each point lies between four elements of the map. Of a pyramid, a box is seen in the map that
 * suits its size, and a call has one map.
 *
 * What an element of the map counts in a bin is the product of what its row counts and what its
 * column does. So backward needs no sums in memory that several threads reach: an element looks
 * through the boxes of its sample for those near it, in their order, and adds up what their bins
 * make of it, for some channels at a time.
 */
#include "kernel.h"
#include "sizes.h"
#include "boxes/box.cu"

#define ROI_CHANNELS	8	/* sums that a thread has at a time */

struct roi_align {
	int64_t samples, boxes, channels, height, width, rows, columns;
	int64_t points;		/* of a bin along each axis; 0: one for each element it is high or wide */
	real scale, shift;	/* from the picture to the map; where the middle of the first element lies */
	real least;		/* extent of a box in the map */
	real canonical;		/* size of a box at level 4 */
	int64_t level, first, last;	/* of the map: it is 2^level times as small; the pyramid's */
};

struct roi_axis {
	real start, bin;
	int64_t n, bins, points;
};

DEVICE struct roi_axis
roi_axis(const struct roi_align *k, real from, real to, int64_t n, int64_t bins)
{
	struct roi_axis a;
	real extent;

	a.start = from * k->scale - k->shift;
	extent = to * k->scale - k->shift - a.start;
	extent = extent < k->least ? k->least : extent;
	a.bin = extent / (real)bins;
	a.n = n;
	a.bins = bins;
	a.points = k->points;
	if (!a.points) {
		real points = R(ceil)(a.bin);

		a.points = points < ROI_POINTS ? (int64_t)points : ROI_POINTS;
	}
	return a;
}

/* A box of this map? One without an area, or without numbers, is none. */
DEVICE bool
roi_is_here(const struct roi_align *k, struct box b)
{
	real level;

	if (!box_is_some(b) || !(b.x2 - b.x1 < REAL(1e8)) || !(b.y2 - b.y1 < REAL(1e8)))
		return false;
	if (k->first == k->last)
		return true;
	level = R(floor)(4 + R(log2)(R(sqrt)((b.x2 - b.x1) * (b.y2 - b.y1)) / k->canonical) + REAL(1e-6));
	level = level < (real)k->first ? (real)k->first : level > (real)k->last ? (real)k->last : level;
	return level == (real)k->level;
}

/* The element before a point, and how far behind it the point lies; false outside of the map. */
DEVICE bool
roi_point(const struct roi_axis *a, int64_t bin, int64_t i, int64_t *low, real *past)
{
	real at = a->start + (real)bin * a->bin + ((real)i + REAL(0.5)) * a->bin / (real)a->points;

	if (!(at >= -1 && at <= (real)a->n))
		return false;
	at = at > 0 ? at : 0;
	*low = (int64_t)at;
	if (*low >= a->n - 1) {
		*low = a->n - 1;
		at = (real)*low;
	}
	*past = at - (real)*low;
	return true;
}

/* The sum over the points of a bin in one row of the map's elements, ROW of WIDTH. */
DEVICE real
roi_along(const elem *row, const struct roi_axis *x, int64_t bin)
{
	real sum = 0, past;
	int64_t low;

	for (int64_t i = 0; i < x->points; i++)
		if (roi_point(x, bin, i, &low, &past))
			sum += (1 - past) * VALUE(row[low]) + (past > 0 ? past * VALUE(row[low + 1]) : 0);
	return sum;
}

KERNEL(roi_align_kernel, (elem *y, const elem *boxes, const elem *x, struct roi_align k))
{
	int64_t bins = k.rows * k.columns;

	ROWS (r, k.samples * k.boxes) {
		struct box b = box_at(boxes, r);
		const elem *map = x + quotient(r, k.boxes) * k.channels * k.height * k.width;
		bool here = roi_is_here(&k, b), clear = k.level == k.first && !box_is_some(b);
		struct roi_axis down = roi_axis(&k, b.y1, b.y2, k.height, k.rows);
		struct roi_axis right = roi_axis(&k, b.x1, b.x2, k.width, k.columns);

		ALONG (j, here || clear ? k.channels * bins : 0) {
			int64_t c = quotient(j, bins), row = quotient(j - c * bins, k.columns);
			int64_t column = j - c * bins - row * k.columns, low;
			real sum = 0, past;

			for (int64_t i = 0; i < (here ? down.points : 0); i++)
				if (roi_point(&down, row, i, &low, &past)) {
					const elem *at = map + (c * k.height + low) * k.width;

					sum += (1 - past) * roi_along(at, &right, column);
					sum += past > 0 ? past * roi_along(at + k.width, &right, column) : 0;
				}
			y[r * k.channels * bins + j] = ELEM(here ? sum / (real)(down.points * right.points) : 0);
		}
	}
}

static void
roi_align_forward(elem *y, const elem *boxes, const elem *x, struct roi_align k)
{
	LAUNCH_ROWS(roi_align_kernel, k.samples * k.boxes, (y, boxes, x, k));
}

/* ---- backward ---- */

/* What element AT of an axis counts in a bin. */
DEVICE real
roi_share(const struct roi_axis *a, int64_t bin, int64_t at)
{
	real sum = 0, past;
	int64_t low;

	for (int64_t i = 0; i < a->points; i++)
		if (roi_point(a, bin, i, &low, &past))
			sum += low == at ? 1 - past : low + 1 == at ? past : 0;
	return sum / (real)a->points;
}

/* A bin with points near element AT: the first, or the last and one more. */
DEVICE int64_t
roi_bin(const struct roi_axis *a, int64_t at, bool last)
{
	real edge = last ? (real)(at == a->n - 1 ? a->n : at + 1) : (real)at - 1;
	real bin = (edge - a->start) / a->bin + (last ? 2 : -1);

	return bin > 0 ? bin < (real)a->bins ? (int64_t)bin : a->bins : 0;
}

KERNEL(roi_align_grad_kernel, (elem *dx, const elem *dy, const elem *boxes, struct roi_align k))
{
	int64_t chunks = (k.channels + ROI_CHANNELS - 1) / ROI_CHANNELS, bins = k.rows * k.columns;

	EACH_PLACE (p, i, j, k.samples * chunks, k.height, k.width) {
		int64_t sample = quotient(p, chunks), from = (p - sample * chunks) * ROI_CHANNELS;
		int64_t n = k.channels - from < ROI_CHANNELS ? k.channels - from : ROI_CHANNELS;
		real sum[ROI_CHANNELS];

		for (int64_t c = 0; c < ROI_CHANNELS; c++)
			sum[c] = 0;
		for (int64_t r = sample * k.boxes; r < (sample + 1) * k.boxes; r++) {
			struct box b = box_at(boxes, r);
			struct roi_axis down, right;
			int64_t last, across;

			if (!roi_is_here(&k, b))
				continue;
			down = roi_axis(&k, b.y1, b.y2, k.height, k.rows);
			right = roi_axis(&k, b.x1, b.x2, k.width, k.columns);
			last = roi_bin(&down, i, true);
			across = roi_bin(&right, j, true);
			for (int64_t row = roi_bin(&down, i, false); row < last; row++) {
				real share = roi_share(&down, row, i);

				for (int64_t column = roi_bin(&right, j, false); column < across && share > 0; column++) {
					real both = share * roi_share(&right, column, j);
					const elem *at = dy + (r * k.channels + from) * bins + row * k.columns + column;

					for (int64_t c = 0; c < n && both > 0; c++)
						sum[c] += both * VALUE(at[c * bins]);
				}
			}
		}
		for (int64_t c = 0; c < n; c++)
			dx[((sample * k.channels + from + c) * k.height + i) * k.width + j] = ELEM(sum[c]);
	}
}

static void
roi_align_backward(elem *dx, const elem *dy, const elem *boxes, struct roi_align k)
{
	LAUNCH(roi_align_grad_kernel, k.samples * ((k.channels + ROI_CHANNELS - 1) / ROI_CHANNELS) * k.height * k.width,
	    (dx, dy, boxes, k));
}
