/*
 * boxes/match.cu - for each anchor the box that it overlaps most, as torchvision's Matcher: no
 * matrix of overlaps is kept, they are computed where they are compared. With FORCE an anchor is
 * also matched where no other overlaps some box more, so that each box has one, with EACH with that
 * box; WORK then holds a real for each box, how much it is overlapped at most.
 */
#include "kernel.h"
#include "boxes/box.cu"

struct match {
	int64_t samples, boxes, anchors;
	bool own;		/* each sample has its own anchors */
	bool each;		/* what overlaps a box most is matched with it, whatever else it overlaps */
	real high, low;
};

DEVICE struct box
match_anchor(const elem *anchors, const struct match *m, int64_t sample, int64_t i)
{
	return box_at(anchors, (m->own ? sample * m->anchors : 0) + i);
}

KERNEL(match_most_kernel, (real *most, const elem *boxes, const elem *anchors, struct match m))
{
	ROWS (r, m.samples * m.boxes) {
		struct box b = box_at(boxes, r);
		int64_t sample = quotient(r, m.boxes);
		real top = 0;

		ALONG (i, box_is_some(b) ? m.anchors : 0) {
			real iou = box_iou(b, match_anchor(anchors, &m, sample, i));

			top = iou > top ? iou : top;
		}
		top = ROW_MAX(top);
		FIRST
			most[r] = top;
	}
}

/* Does no anchor before I overlap the box as much? Of few this is asked. */
DEVICE bool
match_is_first(const elem *anchors, const struct match *m, int64_t sample, int64_t i, struct box b, real iou)
{
	for (int64_t k = 0; k < i; k++)
		if (box_iou(b, match_anchor(anchors, m, sample, k)) == iou)
			return false;
	return true;
}

/* MOST may be NULL. */
KERNEL(match_kernel, (int32_t *y, const real *most, const elem *boxes, const elem *anchors, struct match m))
{
	ROWS (piece, m.samples * ((m.anchors + STRIP - 1) / STRIP)) {
		int64_t strips = (m.anchors + STRIP - 1) / STRIP, sample = quotient(piece, strips);
		int64_t from = (piece - sample * strips) * STRIP;

		ALONG (j, m.anchors - from < STRIP ? m.anchors - from : STRIP) {
			struct box a = match_anchor(anchors, &m, sample, from + j);
			real best = -1;
			int32_t at = -1, forced = -1;

			for (int64_t g = 0; g < m.boxes; g++) {
				struct box b = box_at(boxes, sample * m.boxes + g);
				real iou = box_is_some(b) ? box_iou(b, a) : -1;

				if (iou > best) {
					best = iou;
					at = (int32_t)g;
				}
				if (most && iou == most[sample * m.boxes + g] && (!m.each || (iou > 0 &&
				    match_is_first(anchors, &m, sample, from + j, b, iou))))
					forced = (int32_t)g;
			}
			if (forced >= 0 && m.each)
				at = forced;
			y[sample * m.anchors + from + j] = best >= m.high || forced >= 0 ? at : best >= m.low ? -2 : -1;
		}
	}
}

static void
match(int32_t *y, void *work, const elem *boxes, const elem *anchors, struct match m, real high, real low, int force)
{
	real *most = force ? (real *)work : NULL;

	m.high = high;
	m.low = low;
	if (force)
		LAUNCH_ROWS(match_most_kernel, m.samples * m.boxes, (most, boxes, anchors, m));
	LAUNCH_ROWS(match_kernel, m.samples * ((m.anchors + STRIP - 1) / STRIP), (y, most, boxes, anchors, m));
}
