/*
 * boxes/roi_masks.cu - what boxes see of a mask each, as roi_align sees a map: a box reads the one
 * of the sample's masks that its index says, whose numbers may be bytes.
 */
#include "boxes/roi_align.cu"
#include "loss/mean.cu"

/* A mask at a point that lies that far behind two of its elements. */
DEVICE real
roi_mask_at(const elem *x, const uint8_t *u8, int64_t at, int64_t width, real down, real right)
{
	real high = (1 - right) * target_at(x, u8, at) + (right > 0 ? right * target_at(x, u8, at + 1) : 0);

	if (!(down > 0))
		return high;
	at += width;
	return (1 - down) * high + down * ((1 - right) * target_at(x, u8, at) + (right > 0 ? right *
	    target_at(x, u8, at + 1) : 0));
}

KERNEL(roi_masks_kernel, (elem *y, const elem *boxes, const int32_t *index, const elem *x, const uint8_t *u8,
    struct roi_align k))
{
	int64_t bins = k.rows * k.columns;

	ROWS (r, k.samples * k.boxes) {
		struct box b = box_at(boxes, r);
		bool here = roi_is_here(&k, b) && index[r] >= 0 && index[r] < k.channels;
		int64_t mask = (quotient(r, k.boxes) * k.channels + (here ? index[r] : 0)) * k.height * k.width;
		struct roi_axis down = roi_axis(&k, b.y1, b.y2, k.height, k.rows);
		struct roi_axis right = roi_axis(&k, b.x1, b.x2, k.width, k.columns);

		ALONG (j, bins) {
			int64_t row = quotient(j, k.columns), column = j - row * k.columns, y1, x1;
			real sum = 0, low, left;

			for (int64_t i = 0; i < (here ? down.points : 0); i++)
				for (int64_t p = 0; roi_point(&down, row, i, &y1, &low) && p < right.points; p++)
					if (roi_point(&right, column, p, &x1, &left))
						sum += roi_mask_at(x, u8, mask + y1 * k.width + x1, k.width, low, left);
			y[r * bins + j] = ELEM(here ? sum / (real)(down.points * right.points) : 0);
		}
	}
}

/* X or U8 is NULL. */
static void
roi_masks(elem *y, const elem *boxes, const int32_t *index, const elem *x, const uint8_t *u8, struct roi_align k)
{
	LAUNCH_ROWS(roi_masks_kernel, k.samples * k.boxes, (y, boxes, index, x, u8, k));
}
