/*
 * part_masks.c - masks as COCO's files say them, to the pixel as COCO's own tools make them. Pixels
 * are counted column by column: that of column x and row y is number x * height + y.
 *
 *     polygons   [[x, y, x, y, ...], ...]: their union. An edge is walked on a grid five times as fine, along the axis on
 *                which it is longer, from its end that is further left or further up, so that two parts with an edge in
 *                common agree on it; where it comes to the middle of a column, all pixels behind it change sides.
 *     runs       how many pixels are outside, inside, outside, ..., as a list, or packed into text: a number is digits
 *                of 5 bits, the lowest first, from '0' on, 32 more if another follows, with the sign in the last; from
 *                the fourth on it is the difference from the one before the last
 *
 * Without a mask to draw, a place of the file is only checked.
 */
#define FINE		5		/* steps of a pixel */
#define FURTHEST	65536.0		/* corners, from the picture's */

struct drawing {
	uint8_t *mask, *edge;	/* width * height each; or NULL, NULL. Edges are all 0 between polygons */
	int64_t width, height;
};

/* By itself: a sum that takes the product in unrounded would round otherwise. */
static __attribute__((noinline)) double
part_times(double a, double b)
{
	return a * b;
}

static int64_t
floor_of(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* From a point of the fine grid to the next: is the middle of a column passed? */
static void
edge_step(const struct drawing *d, const int64_t *from, const int64_t *to)
{
	int64_t x = (from[0] < to[0] ? from[0] : to[0]) - FINE / 2, y = (from[1] < to[1] ? from[1] : to[1]) - FINE / 2;

	if (from[0] == to[0] || x < 0 || x % FINE || x / FINE >= d->width)
		return;
	x /= FINE;
	y = -floor_of(-y, FINE);
	y = y < 0 ? 0 : y > d->height ? d->height : y;
	if (x * d->height + y < d->width * d->height)
		d->edge[x * d->height + y] ^= 1;
}

static void
edge_walk(const struct drawing *d, const int64_t *a, const int64_t *b)
{
	int64_t across = a[0] < b[0] ? b[0] - a[0] : a[0] - b[0], down = a[1] < b[1] ? b[1] - a[1] : a[1] - b[1];
	int along = across >= down ? 0 : 1, other = 1 - along;
	bool back = a[along] > b[along];
	const int64_t *first = back ? b : a, *last = back ? a : b;
	int64_t n = last[along] - first[along], at[2][2];
	double slope = n ? (double)(last[other] - first[other]) / (double)n : 0;

	for (int64_t i = 0; i <= n; i++) {
		int64_t *p = at[i % 2];

		p[along] = first[along] + i;
		p[other] = (int64_t)((double)first[other] + part_times(slope, (double)i) + 0.5);
		if (i)
			edge_step(d, at[(i + 1) % 2], p);
	}
}

/* The polygon whose edges were walked joins the mask. */
static void
edges_fill(const struct drawing *d)
{
	uint8_t inside = 0;

	for (int64_t i = 0; i < d->width * d->height; i++) {
		inside ^= d->edge[i];
		d->mask[i] |= inside;
		d->edge[i] = 0;
	}
}

static void
polygon_corner(struct json *j, int64_t *to)
{
	for (int k = 0; k < 2; k++) {
		const char *at = (json_peek(j), j->at);
		double x = json_real(j);

		if (!(fabs(x) <= FURTHEST))
			json_fail_at(j, at, "a corner within 65536 pixels");
		to[k] = (int64_t)(part_times(FINE, x) + 0.5);
		if (k == 0)
			json_need(j, ',', "a second coordinate");
	}
}

static void
polygon_draw(struct json *j, const struct drawing *d)
{
	const char *at = (json_peek(j), j->at);
	int64_t first[2], corner[2], next[2];
	int n = 1;

	json_need(j, '[', "a polygon");
	polygon_corner(j, first);
	memcpy(corner, first, sizeof(first));
	for (; json_take(j, ','); n++) {
		polygon_corner(j, next);
		if (d->mask)
			edge_walk(d, corner, next);
		memcpy(corner, next, sizeof(next));
	}
	json_need(j, ']', "] or a coordinate");
	if (n < 3)
		json_fail_at(j, at, "at least three corners of a polygon");
	if (d->mask) {
		edge_walk(d, corner, first);
		edges_fill(d);
	}
}

/* N pixels from AT on, of which the next begin where this says. */
static int64_t
run_draw(struct json *j, const struct drawing *d, int64_t at, int64_t n, bool inside)
{
	if (n < 0 || n > d->width * d->height - at)
		json_fail(j, "runs of no more pixels than the picture has, which end");
	if (d->mask && inside)
		memset(d->mask + at, 1, (size_t)n);
	return at + n;
}

static int64_t
runs_listed(struct json *j, const struct drawing *d)
{
	int64_t at = 0;
	bool inside = false;

	json_need(j, '[', "[");
	if (json_take(j, ']'))
		return 0;
	do {
		at = run_draw(j, d, at, json_count(j), inside);
		inside = !inside;
	} while (json_take(j, ','));
	json_need(j, ']', "]");
	return at;
}

/* The next number of packed runs. */
static int64_t
run_unpacked(struct json *j)
{
	int64_t x = 0, digit;
	int shift = 0;
	char c[4];

	do {
		if (j->at >= j->end || *j->at == '"' || json_character(j, c) != 1 || c[0] < '0' || c[0] >= '0' + 64 || shift > 30)
			json_fail(j, "a digit of packed runs");
		digit = c[0] - '0';
		x |= (digit & 31) << shift;
		shift += 5;
	} while (digit & 32);
	return digit & 16 ? x - ((int64_t)1 << shift) : x;
}

static int64_t
runs_packed(struct json *j, const struct drawing *d)
{
	int64_t at = 0, run[2] = { 0, 0 };
	int n = 0;

	json_need(j, '"', "\"");
	for (; j->at < j->end && *j->at != '"'; n = n < 4 ? n + 1 : 3) {
		int64_t x = run_unpacked(j);

		run[n % 2] = n > 2 ? run[n % 2] + x : x;
		at = run_draw(j, d, at, run[n % 2], n % 2);
	}
	json_need(j, '"', "\"");
	return at;
}

static void
runs_draw(struct json *j, const struct drawing *d)
{
	const char *begin = (json_peek(j), j->at);
	int64_t at = -1, size[2] = { d->height, d->width };
	char key[16];

	json_need(j, '{', "{");
	do {
		json_string(j, key, sizeof(key));
		json_need(j, ':', ":");
		if (!strcmp(key, "size")) {
			if (json_list(j, size, 2) != 2 || size[0] != d->height || size[1] != d->width)
				json_fail_at(j, begin, "runs of the picture's height and width");
		} else if (strcmp(key, "counts")) {
			json_fail_at(j, begin, "runs that are size and counts");
		} else if (at >= 0) {
			json_fail_at(j, begin, "counts once");
		} else {
			at = json_peek(j) == '[' ? runs_listed(j, d) : runs_packed(j, d);
		}
	} while (json_take(j, ','));
	json_need(j, '}', "}");
	if (at != d->width * d->height)
		json_fail_at(j, begin, "runs of as many pixels as the picture has");
}

/* What "segmentation" says, from where it begins. */
static void
part_draw(struct json *j, const struct drawing *d)
{
	if (d->mask)
		memset(d->mask, 0, (size_t)(d->width * d->height));
	if (json_peek(j) == '{') {
		runs_draw(j, d);
		return;
	}
	json_need(j, '[', "polygons or runs");
	if (json_take(j, ']'))
		return;
	do
		polygon_draw(j, d);
	while (json_take(j, ','));
	json_need(j, ']', "]");
}
