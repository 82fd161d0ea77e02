/*
 * loss/average_precision.cu - what COCO's average precision asks of a sample: the overlaps of its
 * detections and its parts, f64. The host matches them (loss/detections.cu).
 *
 *     n, m, at | detections: score, class, area, extent | parts: class, area, crowd, extent | overlaps [n, m]
 *
 * An area is in pixels of the file, an extent in those of the input. Overlaps are intersections
 * over unions, or over the detection alone where the part is a crowd; those of different classes
 * are 0. Sums of pixels are whole numbers, and products of floats are exact in double: a detection
 * that overlaps just enough does so in every build.
 */
#ifndef STOWAGE_LOSS_AVERAGE_PRECISION_CU
#define STOWAGE_LOSS_AVERAGE_PRECISION_CU

#include "loss/detections.cu"
#include "loss/mean.cu"
#include "boxes/box.cu"

struct ap {
	int64_t samples, found, known;
	int64_t pixels;		/* of a mask */
	double at;
};

DEVICE int64_t
ap_numbers(struct ap p)
{
	return AP_NUMBERS(p.found, p.known);
}

/* How many pixels of the file one of the input stands for. */
DEVICE double
ap_pixel(const elem *size, int64_t sample)
{
	const elem *s = size + 4 * sample;

	return size ? (double)VALUE(s[2]) * (double)VALUE(s[3]) / ((double)VALUE(s[0]) * (double)VALUE(s[1])) : 1;
}

/* All but areas, extents and overlaps. */
KERNEL(ap_rows_kernel, (double *out, const elem *score, const elem *kind, const int32_t *label, const elem *truth, struct ap p))
{
	EACH (i, p.samples * (p.found + p.known)) {
		int64_t sample = i / (p.found + p.known), j = i % (p.found + p.known), at = sample * p.found + j;
		double *row = out + sample * ap_numbers(p) + AP_HEAD + AP_ROW * j;

		if (j == 0) {
			row[-3] = (double)p.found;
			row[-2] = (double)p.known;
			row[-1] = p.at;
		}
		if (j < p.found) {
			row[0] = (double)VALUE(score[at]);
			row[1] = label ? (double)label[at] : (double)VALUE(kind[at]);
		} else {
			const elem *t = truth + 7 * (sample * p.known + j - p.found);

			row[0] = (double)VALUE(t[4]);
			row[1] = (double)VALUE(t[5]);
			row[2] = (double)VALUE(t[6]);
		}
	}
}

DEVICE double
ap_box_area(struct box b)
{
	return ((double)b.x2 - (double)b.x1) * ((double)b.y2 - (double)b.y1);
}

DEVICE double
ap_box_shared(struct box a, struct box b)
{
	double w = (double)(a.x2 < b.x2 ? a.x2 : b.x2) - (double)(a.x1 > b.x1 ? a.x1 : b.x1);
	double h = (double)(a.y2 < b.y2 ? a.y2 : b.y2) - (double)(a.y1 > b.y1 ? a.y1 : b.y1);

	return w > 0 && h > 0 ? w * h : 0;
}

DEVICE double
ap_overlap(double both, double found, double known, bool crowd)
{
	return both > 0 ? both / (crowd ? found : found + known - both) : 0;
}

KERNEL(ap_boxes_kernel, (double *out, const elem *boxes, const elem *truth, const elem *size, struct ap p))
{
	EACH (i, p.samples * p.found) {
		int64_t sample = i / p.found;
		double *head = out + sample * ap_numbers(p) + AP_HEAD, *row = head + AP_ROW * (i % p.found);
		double *known = head + AP_ROW * p.found, *overlap = known + AP_ROW * p.known + i % p.found * p.known;
		struct box b = box_at(boxes, i);

		row[3] = ap_box_area(b);
		row[2] = row[3] * ap_pixel(size, sample);
		for (int64_t j = 0; j < p.known; j++) {
			const elem *t = truth + 7 * (sample * p.known + j);
			struct box k = { VALUE(t[0]), VALUE(t[1]), VALUE(t[2]), VALUE(t[3]) };

			overlap[j] = row[1] != known[AP_ROW * j] ? 0 : ap_overlap(ap_box_shared(b, k), row[3], ap_box_area(k),
			    known[AP_ROW * j + 2] > 0);
		}
	}
}

static void
ap_of_boxes(double *out, const elem *boxes, const elem *score, const elem *kind, const int32_t *label, const elem *truth,
    const elem *size, struct ap p, double at)
{
	p.at = at;
	LAUNCH(ap_rows_kernel, p.samples * (p.found + p.known), (out, score, kind, label, truth, p));
	LAUNCH(ap_boxes_kernel, p.samples * p.found, (out, boxes, truth, size, p));
}

/* ---- masks ---- */

KERNEL(ap_extents_kernel, (double *out, const elem *masks, const elem *known, const uint8_t *bytes, const elem *size,
    struct ap p))
{
	ROWS (r, p.samples * (p.found + p.known)) {
		int64_t sample = r / (p.found + p.known), j = r % (p.found + p.known);
		int64_t at = (j < p.found ? sample * p.found + j : sample * p.known + j - p.found) * p.pixels;
		double *row = out + sample * ap_numbers(p) + AP_HEAD + AP_ROW * j, sum = 0;

		ALONG (i, p.pixels)
			sum += j < p.found ? VALUE(masks[at + i]) > (real)0.5 : target_at(known, bytes, at + i) > (real)0.5;
		sum = ROW_SUM(sum);
		FIRST {
			row[3] = sum;
			if (j < p.found)
				row[2] = sum * ap_pixel(size, sample);
		}
	}
}

KERNEL(ap_masks_kernel, (double *out, const elem *masks, const elem *known, const uint8_t *bytes, struct ap p))
{
	ROWS (r, p.samples * p.found * p.known) {
		int64_t sample = r / (p.found * p.known), i = r / p.known % p.found, j = r % p.known;
		double *head = out + sample * ap_numbers(p) + AP_HEAD, *part = head + AP_ROW * (p.found + j);
		const double *row = head + AP_ROW * i;
		const elem *mask = masks + (sample * p.found + i) * p.pixels;
		int64_t pixels = row[1] == part[0] && row[3] > 0 && part[3] > 0 ? p.pixels : 0;
		double both = 0;

		ALONG (k, pixels)
			both += VALUE(mask[k]) > (real)0.5 && target_at(known, bytes, (sample * p.known + j) * p.pixels + k) > (real)0.5;
		both = ROW_SUM(both);
		FIRST
			head[AP_ROW * (p.found + p.known) + i * p.known + j] = ap_overlap(both, row[3], part[3], part[2] > 0);
	}
}

static void
ap_of_masks(double *out, const elem *masks, const elem *score, const elem *kind, const int32_t *label, const elem *known,
    const uint8_t *bytes, const elem *truth, const elem *size, struct ap p, double at)
{
	p.at = at;
	LAUNCH(ap_rows_kernel, p.samples * (p.found + p.known), (out, score, kind, label, truth, p));
	LAUNCH_ROWS(ap_extents_kernel, p.samples * (p.found + p.known), (out, masks, known, bytes, size, p));
	LAUNCH_ROWS(ap_masks_kernel, p.samples * p.found * p.known, (out, masks, known, bytes, p));
}

#endif
