#include "import/resample.h"

#include <math.h>
#include <string.h>

static bool
is(const char *s, const char *t)
{
	return strcmp(s, t) == 0;
}

bool
resample_place(const struct resample *r, int64_t j, double *at)
{
	double in = (double)r->in, out = r->scale * in, x = (double)j, part = r->to - r->from;

	if (is(r->where, "align_corners")) {
		*at = out == 1 ? 0 : x * (in - 1) / (out - 1);
	} else if (is(r->where, "asymmetric")) {
		*at = x / r->scale;
	} else if (is(r->where, "tf_crop_and_resize")) {
		*at = r->from * (in - 1) + (out == 1 ? part * (in - 1) / 2 : x * part * (in - 1) / (out - 1));
		return *at >= 0 && *at <= in - 1;
	} else {
		*at = (x + 0.5) / r->scale - 0.5;
		if (is(r->where, "pytorch_half_pixel") && out == 1)
			*at = -0.5;
		if (is(r->where, "half_pixel_symmetric"))
			*at += in / 2 * (1 - (double)r->out / out);
	}
	return true;
}

static int64_t
inside(const struct resample *r, int64_t i)
{
	return i < 0 ? 0 : i >= r->in ? r->in - 1 : i;
}

int64_t
resample_nearest(const struct resample *r, double at)
{
	double below = floor(at), more = at - below;
	bool up = is(r->nearest, "ceil") ? more > 0 : is(r->nearest, "floor") ? false :
	    is(r->nearest, "round_prefer_ceil") ? more >= 0.5 : more > 0.5;

	return inside(r, (int64_t)below + up);
}

/* What a neighbour counts that is X away. */
static double
weight_at(const struct resample *r, double x)
{
	x = fabs(x);
	if (r->mode == BY_LINES)
		return x < 1 ? 1 - x : 0;
	if (x <= 1)
		return ((r->a + 2) * x - (r->a + 3)) * x * x + 1;
	return x < 2 ? ((r->a * x - 5 * r->a) * x + 8 * r->a) * x - 4 * r->a : 0;
}

/* Where it shrinks and is smoothed, neighbours count from so much farther away. */
bool
resample_weights(const struct resample *r, double at, double *row)
{
	double shrunk = r->antialias && r->scale < 1 ? r->scale : 1, reach = (r->mode == BY_LINES ? 1 : 2) / shrunk, sum = 0;
	int64_t i, first = (int64_t)floor(at - reach), last = (int64_t)ceil(at + reach);

	if (!(reach < MOST_TAPS))
		return false;
	for (i = first; i <= last; i++)
		if (!r->exclude_outside || (i >= 0 && i < r->in))
			sum += weight_at(r, ((double)i - at) * shrunk);
	for (i = first; i <= last && sum != 0; i++)
		if (!r->exclude_outside || (i >= 0 && i < r->in))
			row[inside(r, i)] += weight_at(r, ((double)i - at) * shrunk) / sum;
	return true;
}
