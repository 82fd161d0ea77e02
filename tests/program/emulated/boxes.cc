/*
 * Kernels of boxes as CUDA, on boxes of which some are none: matching, nms, top_k and roi_pool against their definition; and
 * of roi_align, which is linear in the map, that its gradient is its transpose.
 */
#ifdef IN_C
#include <cmath>
#include <cstring>
#include <vector>
#else
#include "cuda.h"
#endif

#include "boxes/match.cu"
#include "boxes/nms.cu"
#include "boxes/roi_align.cu"
#include "boxes/roi_pool.cu"

#include "values.h"

static void
expect(const char *what, int64_t is, int64_t should)
{
	checks++;
	if (is != should)
		failed(what, (double)is, (double)should);
}

static Values
boxes_of(int64_t n)
{
	Values v((size_t)(4 * n));

	for (int64_t i = 0; i < n; i++) {
		real x = uniform() * 60, y = uniform() * 60, some = (real)(i % 7 != 3);

		v[(size_t)(4 * i)] = ELEM(x);
		v[(size_t)(4 * i + 1)] = ELEM(y);
		v[(size_t)(4 * i + 2)] = ELEM(x + some * (uniform() * 30 + 1));
		v[(size_t)(4 * i + 3)] = ELEM(y + uniform() * 30 + 1);
	}
	return v;
}

static void
check_match(int64_t samples, int64_t n, int64_t m)
{
	Values boxes = boxes_of(samples * n), anchors = boxes_of(m);
	std::vector<real> most((size_t)(samples * n));
	std::vector<int32_t> y((size_t)(samples * m));

	match(&y[0], &most[0], &boxes[0], &anchors[0], (struct match){ samples, n, m, false }, (real)0.5, (real)0.3, true);
	for (int64_t s = 0; s < samples; s++)
		for (int64_t i = 0; i < m; i++) {
			real best = -1;
			int64_t at = -1;
			bool forced = false;

			for (int64_t g = 0; g < n; g++) {
				struct box b = box_at(&boxes[0], s * n + g);
				real top = 0, iou = box_iou(b, box_at(&anchors[0], i));

				if (!box_is_some(b))
					continue;
				for (int64_t j = 0; j < m; j++)
					top = std::fmax(top, box_iou(b, box_at(&anchors[0], j)));
				forced |= iou == top;
				if (iou > best)
					best = iou, at = g;
			}
			expect("match", y[(size_t)(s * m + i)],
			    forced || best >= (real)0.5 ? at : best >= (real)0.3 ? -2 : -1);
		}
}

static void
check_nms(int64_t samples, int64_t n, int64_t k)
{
	Values boxes = boxes_of(samples * n), scores;
	std::vector<int32_t> y((size_t)(samples * k)), group;
	std::vector<double> work((size_t)(samples * (top_bytes(n) + 8 * n) / 8 + 1));

	for (int64_t i = 0; i < samples * n; i++) {
		scores.push_back(ELEM((real)(int64_t)(uniform() * 9) - 4));
		group.push_back((int32_t)(uniform() * 2));
	}
	nms(&y[0], &work[0], &boxes[0], &scores[0], &group[0], (struct nms){ samples, n, k, 0 }, (real)0.3);
	for (int64_t s = 0; s < samples; s++) {
		std::vector<bool> gone((size_t)n);

		for (int64_t i = 0; i < k; i++) {
			int64_t best = -1;

			for (int64_t j = 0; j < n; j++)
				if (!gone[(size_t)j] && box_is_some(box_at(&boxes[0], s * n + j)) &&
				    (best < 0 || VALUE(scores[(size_t)(s * n + j)]) > VALUE(scores[(size_t)(s * n + best)])))
					best = j;
			expect("nms", y[(size_t)(s * k + i)], best);
			for (int64_t j = 0; j < n && best >= 0; j++)
				if (j == best || (group[(size_t)(s * n + j)] == group[(size_t)(s * n + best)] &&
				    box_iou(box_at(&boxes[0], s * n + best), box_at(&boxes[0], s * n + j)) > (real)0.3))
					gone[(size_t)j] = true;
		}
	}
}

static void
check_roi(struct roi_align k)
{
	int64_t nx = k.samples * k.channels * k.height * k.width, ny = k.samples * k.boxes * k.channels * k.rows * k.columns;
	Values boxes = boxes_of(k.samples * k.boxes), x = drawn(nx), dy = drawn(ny), y((size_t)ny), dx = nothing(nx);
	double forward = 0, backward = 0, size = 0;

	k.scale = (real)0.25;
	k.canonical = 32;
	roi_align_forward(&y[0], &boxes[0], &x[0], k);
	roi_align_backward(&dx[0], &dy[0], &boxes[0], k);
	for (size_t i = 0; i < y.size(); i++)
		forward += (double)VALUE(y[i]) * VALUE(dy[i]), size += std::fabs((double)VALUE(y[i]) * VALUE(dy[i]));
	for (size_t i = 0; i < dx.size(); i++)
		backward += (double)VALUE(dx[i]) * VALUE(x[i]);
	checks++;
	if (!(std::fabs(forward - backward) <= 1e-5 * size) || size == 0)
		failed("roi_align", forward - backward, size);
}

/* The elements of bin I of N, of those that a box has from its first to its last. */
static void
elements_of(real first, real last, int64_t i, int64_t n, int64_t *from, int64_t *to)
{
	double begin = std::round((double)first), all = std::round((double)last) - begin + 1;

	*from = (int64_t)(begin + std::floor((double)i * all / (double)n));
	*to = (int64_t)(begin + std::ceil((double)(i + 1) * all / (double)n));
}

static void
check_roi_pool(struct roi_pool k)
{
	int64_t nx = k.samples * k.channels * k.height * k.width, ny = k.samples * k.boxes * k.channels * k.rows * k.columns;
	Values boxes = boxes_of(k.samples * k.boxes), x = drawn(nx), dy = drawn(ny), y((size_t)ny), dx = nothing(nx);
	std::vector<int32_t> index((size_t)ny);
	std::vector<double> expected((size_t)nx);
	int64_t o = 0;

	k.scale = (real)0.25;
	roi_pool_forward(&y[0], &index[0], &boxes[0], &x[0], k);
	roi_pool_backward(&dx[0], &dy[0], &boxes[0], &index[0], k);
	for (int64_t r = 0; r < k.samples * k.boxes; r++)
		for (int64_t c = 0; c < k.channels; c++)
			for (int64_t i = 0; i < k.rows * k.columns; i++, o++) {
				struct box b = box_at(&boxes[0], r);
				int64_t plane = (r / k.boxes * k.channels + c) * k.height * k.width, top, bottom, left, right, at = -1;

				elements_of(b.y1 * k.scale, b.y2 * k.scale, i / k.columns, k.rows, &top, &bottom);
				elements_of(b.x1 * k.scale, b.x2 * k.scale, i % k.columns, k.columns, &left, &right);
				for (int64_t p = top; p < bottom && box_is_some(b); p++)
					for (int64_t q = left; q < right; q++)
						if (p < k.height && q < k.width && (at < 0 || VALUE(x[(size_t)(plane + p * k.width + q)]) >
						    VALUE(x[(size_t)(plane + at)])))
							at = p * k.width + q;
				expect("roi_pool", index[(size_t)o], at);
				if (at >= 0)
					expected[(size_t)(plane + at)] += VALUE(dy[(size_t)o]);
				checks++;
				if (VALUE(y[(size_t)o]) != (at < 0 ? 0 : VALUE(x[(size_t)(plane + at)])))
					failed("roi_pool", VALUE(y[(size_t)o]), at);
			}
	same("roi_pool_backward", dx, expected, 1e-6);
}

int
main(void)
{
	check_match(2, 11, 300);
	check_match(3, 300, 70);
	check_nms(3, 200, 40);
	check_nms(2, 9, 9);
	/* samples, boxes, channels, height, width, rows, columns, points, scale, shift, least, canonical, level, first, last */
	check_roi({ 2, 9, 13, 20, 24, 7, 7, 2, 0, 0, 1, 0, 2, 2, 2 });
	check_roi({ 1, 30, 3, 15, 19, 2, 3, 0, 0, (real)0.5, 0, 0, 2, 2, 2 });
	check_roi({ 2, 12, 5, 18, 17, 3, 3, 2, 0, 0, 1, 0, 2, 2, 4 });
	/* bins in powers of two, by which a float divides without rounding */
	check_roi_pool({ 2, 9, 13, 20, 24, 4, 8, 0 });
	check_roi_pool({ 1, 30, 3, 15, 19, 2, 1, 0 });
	check_roi_pool({ 3, 7, 9, 16, 17, 16, 2, 0 });
	return verdict();
}
