/*
 * boxes/nms.cu - of boxes that overlap much, the one with the largest score: in the order of their
 * scores, each that is still there is kept and takes those behind it away that overlap it more than
 * `most`. A sample is a row's; it ends when as many are kept as there is room for.
 *
 *     work, for each sample:   that of top_k | boxes in their order | which are taken away
 */
#include "kernel.h"
#include "boxes/box.cu"
#include "pointwise/top_k.cu"

struct nms {
	int64_t samples, boxes, kept;
	real most;
};

/* GROUP may be NULL; else boxes of different groups do not meet. */
KERNEL(nms_kernel, (int32_t *y, int32_t *gone, const int32_t *order, const elem *boxes, const int32_t *group, struct nms k))
{
	ROWS (r, k.samples) {
		int64_t base = r * k.boxes, kept = 0;

		ALONG (j, k.kept)
			y[r * k.kept + j] = -1;
		ALONG (j, k.boxes)
			gone[base + j] = !box_is_some(box_at(boxes, base + order[base + j]));
		(void)ROW_SUM(0.0);	/* all threads come here before one goes on */
		for (int64_t i = 0; i < k.boxes && kept < k.kept; i++) {
			int64_t at = order[base + i];
			struct box b = box_at(boxes, base + at);

			if (gone[base + i])
				continue;
			FIRST
				y[r * k.kept + kept] = (int32_t)at;
			kept++;
			ALONG (j, k.boxes - i - 1) {
				int64_t next = base + i + 1 + j, other = order[next];

				if (!gone[next] && (!group || group[base + other] == group[base + at]) &&
				    box_iou(b, box_at(boxes, base + other)) > k.most)
					gone[next] = 1;
			}
			(void)ROW_SUM(0.0);
		}
	}
}

static void
nms(int32_t *y, void *work, const elem *boxes, const elem *scores, const int32_t *group, struct nms k, real most)
{
	int32_t *order = (int32_t *)((char *)work + k.samples * top_bytes(k.boxes)), *gone = order + k.samples * k.boxes;

	k.most = most;
	top_k(order, work, scores, k.samples, k.boxes, k.boxes);
	LAUNCH_ROWS(nms_kernel, k.samples, (y, gone, order, boxes, group, k));
}
