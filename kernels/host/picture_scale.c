/*
 * picture_scale.c - from a picture as its file has it, row by row, to the part that the network
 * sees, at its size.
 *
 *     file        box          scaled             window
 *     +------+    a part of    to any size,       of the input's size, which may
 *     | +--+ |    the file     with antialiasing  reach out of what is scaled: 0
 *     | |  | |
 *     | +--+ |    rows come from above and are scaled along x at once; each is added to the rows of the
 *     +------+    window that it is a part of, so that no picture is ever held whole
 *
 * The weights are Pillow's: a triangle as wide as a pixel of the result, in whole numbers of 22
 * bits, rounded to a byte after x and again after y: the same bytes, but for those that Pillow 13
 * scales along y first, as it does some tall pictures, which can differ by 1. Masks take the pixel
 * in whose middle, or next before it, a pixel of the result has its own.
 */
#define SCALE_BITS	22

struct scaled_axis {
	int begin, end;		/* of the file: pixels that any place of the window is made of */
	int most;		/* weights that a place has room for */
	int *first, *count;	/* by place of the window: pixels that it is made of */
	int32_t *weight;
};

struct canvas {
	const char *name;	/* of the file */
	const struct data *data;
	const struct variation *variation;
	bool mask;
	bool sharp;		/* scaled without antialiasing: of two pixels along each axis */
	struct picture picture;	/* what is made */
	int width, height;	/* of the file; */
	int channels;		/* and of the rows that are added: 1 or 3 */
	struct scaled_axis x, y;
	int32_t *sum;		/* of the window, [height, width, channels] */
	uint8_t *line;		/* a row of it */
	unsigned char *row;	/* room for the file's */
	unsigned char *room;	/* of all these, */
	size_t size;		/* so large */
};

struct seen_part {			/* which is seen, along an axis */
	int from, size;		/* the box */
	int scaled;		/* its size then */
	int window;		/* where the window begins in that */
};

/* A damaged picture ends the program in one line, though several threads may have found one. */
__attribute__((format(printf, 1, 2), noreturn)) static void
picture_fail(const char *format, ...)
{
	static int failing;
	char message[4096];
	va_list args;

	while (__atomic_exchange_n(&failing, 1, __ATOMIC_SEQ_CST))
		pause();
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	fail("%s", message);
}

/* ---- which part is seen ---- */

/* The middle, rounded as Python rounds; what is too small lies in the middle of zeros. */
static int
part_middle(int scaled, int size)
{
	return scaled < size ? -((size - scaled) / 2) : (int)rint((scaled - size) / 2.0);
}

/* All of it, scaled to the input's size; or so that the shorter side has RESIZE pixels, and a
 * window of that. */
static void
part_whole(const struct canvas *c, int resize, bool random, struct seen_part *x, struct seen_part *y)
{
	const struct picture *p = &c->picture;
	int shorter = c->width < c->height ? c->width : c->height, pad = c->variation->pad;

	x->from = y->from = 0;
	x->size = c->width;
	y->size = c->height;
	x->scaled = resize ? (int)((int64_t)resize * c->width / shorter) : random ? c->width : (int)p->width;
	y->scaled = resize ? (int)((int64_t)resize * c->height / shorter) : random ? c->height : (int)p->height;
	x->window = part_middle(x->scaled, (int)p->width);
	y->window = part_middle(y->scaled, (int)p->height);
	if ((random || pad) && x->scaled + 2 * pad > p->width)
		x->window = (int)picture_draw_whole(p, DRAW_LEFT, -pad, x->scaled + pad - p->width);
	if ((random || pad) && y->scaled + 2 * pad > p->height)
		y->window = (int)picture_draw_whole(p, DRAW_TOP, -pad, y->scaled + pad - p->height);
}

/* A part of random area and shape, as Inception was trained on; torchvision's RandomResizedCrop. */
static void
part_random(const struct canvas *c, struct seen_part *x, struct seen_part *y)
{
	const struct source *s = c->data->source;
	const struct picture *p = &c->picture;
	double least = source_number(s, "area", 0, 1), most = source_number(s, "area", 1, 1);
	double narrow = source_number(s, "aspect", 0, 3.0 / 4), wide = source_number(s, "aspect", 1, 4.0 / 3);
	double ratio = (double)c->width / c->height;
	int w = c->width, h = c->height, tries = 0;

	for (; tries < 10; tries++) {
		int draw = DRAW_OWN + 4 * tries;
		double area = (double)c->width * c->height * (least + (most - least) * picture_draw(p, draw));
		double shape = exp(log(narrow) + (log(wide) - log(narrow)) * picture_draw(p, draw + 1));

		w = (int)rint(sqrt(area * shape));
		h = (int)rint(sqrt(area / shape));
		if (w > 0 && w <= c->width && h > 0 && h <= c->height) {
			x->from = (int)picture_draw_whole(p, draw + 2, 0, c->width - w);
			y->from = (int)picture_draw_whole(p, draw + 3, 0, c->height - h);
			break;
		}
	}
	if (tries == 10) {	/* the middle, of the nearest shape that is allowed */
		w = ratio > wide ? (int)rint(c->height * wide) : c->width;
		h = ratio < narrow ? (int)rint(c->width / narrow) : c->height;
		x->from = (c->width - w) / 2;
		y->from = (c->height - h) / 2;
	}
	x->size = w;
	y->size = h;
	x->scaled = (int)p->width;
	y->scaled = (int)p->height;
	x->window = y->window = 0;
}

/* ---- weights ---- */

/* How many pixels one of the result can be made of. */
static int
axis_most(const struct canvas *c, const struct seen_part *p)
{
	double scale = (double)p->size / p->scaled;

	return c->mask ? 1 : 2 * (int)ceil(scale > 1 && !c->sharp ? scale : 1) + 1;
}

/* The weights of place I of the scaled box; the pixels are counted from the box. */
static int
axis_weigh(const struct canvas *c, const struct seen_part *p, int place, int *first, int32_t *weight)
{
	double scale = (double)p->size / p->scaled, wide = scale > 1 && !c->sharp ? scale : 1, at = (place + 0.5) * scale;
	int low = (int)(at - wide + 0.5), high = (int)(at + wide + 0.5), n;
	double total = 0;

	low = low < 0 || at - wide + 0.5 < 0 ? 0 : low;
	high = high > p->size ? p->size : high;
	n = high - low;
	for (int i = 0; i < n; i++) {
		double away = fabs((i + low - at + 0.5) * (1 / wide));

		total += away < 1 ? 1 - away : 0;
	}
	for (int i = 0; i < n; i++) {
		double away = fabs((i + low - at + 0.5) * (1 / wide)), share = away < 1 ? 1 - away : 0;

		weight[i] = (int32_t)(0.5 + (total != 0 ? share / total : share) * (1 << SCALE_BITS));
	}
	*first = low;
	return n;
}

static void
axis_fill(const struct canvas *c, struct scaled_axis *a, const struct seen_part *p, int places)
{
	a->begin = INT_MAX;
	a->end = 0;
	for (int i = 0; i < places; i++) {
		int place = p->window + i;

		a->count[i] = 0;
		a->first[i] = 0;
		if (place < 0 || place >= p->scaled)
			continue;
		if (c->mask) {
			a->first[i] = (int)((place + 0.5) * ((double)p->size / p->scaled));
			a->count[i] = 1;
		} else {
			a->count[i] = axis_weigh(c, p, place, &a->first[i], a->weight + (int64_t)i * a->most);
		}
		a->first[i] += p->from;
		a->begin = a->first[i] < a->begin ? a->first[i] : a->begin;
		a->end = a->first[i] + a->count[i] > a->end ? a->first[i] + a->count[i] : a->end;
	}
}

/* ---- the canvas ---- */

static void *
room_take(size_t *at, unsigned char *room, size_t bytes)
{
	void *taken = room ? room + *at : NULL;

	*at += (bytes + 63) / 64 * 64;
	return taken;
}

/* Lays the canvas' tables into ROOM; returns how much of it they take. */
static size_t
canvas_lay(struct canvas *c, unsigned char *room)
{
	size_t w = (size_t)c->picture.width, h = (size_t)c->picture.height, at = 0;

	c->x.first = (int *)room_take(&at, room, w * sizeof(int));
	c->x.count = (int *)room_take(&at, room, w * sizeof(int));
	c->x.weight = (int32_t *)room_take(&at, room, w * (size_t)c->x.most * sizeof(int32_t));
	c->y.first = (int *)room_take(&at, room, h * sizeof(int));
	c->y.count = (int *)room_take(&at, room, h * sizeof(int));
	c->y.weight = (int32_t *)room_take(&at, room, h * (size_t)c->y.most * sizeof(int32_t));
	c->sum = (int32_t *)room_take(&at, room, w * h * 3 * sizeof(int32_t));
	c->line = (uint8_t *)room_take(&at, room, w * 3);
	c->row = (unsigned char *)room_take(&at, room, (size_t)c->width * 8 + 128);
	return at;
}

#define MOST_PIXELS	((int64_t)1 << 30)	/* of a file that is read row by row */
#define MOST_HELD	((int64_t)64 << 20)	/* bytes of one that must be held whole */

/* A file of that size comes. */
static void
canvas_begin(struct canvas *c, int64_t width, int64_t height, int channels)
{
	const struct source *s = c->data->source;
	struct seen_part x, y;
	size_t need;

	if (width < 1 || height < 1 || width > MOST_PIXELS / height)
		picture_fail("%s: %lld by %lld pixels are more than a picture may have (%lld)", c->name,
		    (long long)width, (long long)height, (long long)MOST_PIXELS);
	c->width = (int)width;
	c->height = (int)height;
	c->channels = channels;
	if (source_number(s, "area", 0, 0) > 0)
		part_random(c, &x, &y);
	else
		part_whole(c, (int)source_number(s, "resize", 0, 0), source_number(s, "random_crop", 0, 0) != 0, &x, &y);
	c->x.most = axis_most(c, &x);
	c->y.most = axis_most(c, &y);
	need = canvas_lay(c, NULL);
	if (need > c->size) {
		free(c->room);
		c->room = (unsigned char *)data_alloc(need + 64, c->name);
		c->size = need;
	}
	canvas_lay(c, (unsigned char *)(((uintptr_t)c->room + 63) / 64 * 64));
	axis_fill(c, &c->x, &x, (int)c->picture.width);
	axis_fill(c, &c->y, &y, (int)c->picture.height);
	if (c->mask)
		memset(c->picture.at, 0, (size_t)(c->picture.width * c->picture.height) * sizeof(float));
	memset(c->sum, 0, (size_t)(c->picture.width * c->picture.height * 3) * sizeof(int32_t));
}

/* Is a file that must be decoded as a whole too large for that? */
static void
canvas_hold(const struct canvas *c, int64_t bytes, const char *how)
{
	if (bytes > MOST_HELD)
		picture_fail("%s: is %s and %d by %d pixels, which take %lld MiB at once, more than %lld; one that is not %s "
		    "is read row by row", c->name, how, c->width, c->height, (long long)(bytes >> 20),
		    (long long)(MOST_HELD >> 20), how);
}

static inline uint8_t
scale_byte(int32_t sum)
{
	int32_t x = (sum + (1 << (SCALE_BITS - 1))) >> SCALE_BITS;

	return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
}

/* One row of the file, scaled along x. */
static void
canvas_line(struct canvas *c, const unsigned char *row)
{
	const struct scaled_axis *x = &c->x;

	for (int64_t i = 0; i < c->picture.width; i++) {
		const int32_t *weight = x->weight + i * x->most;
		int n = x->count[i];

		if (c->channels == 3) {
			const unsigned char *from = row + 3 * (int64_t)x->first[i];
			int32_t r = 0, g = 0, b = 0;

			for (int j = 0; j < n; j++, from += 3) {
				r += weight[j] * from[0];
				g += weight[j] * from[1];
				b += weight[j] * from[2];
			}
			c->line[3 * i] = scale_byte(r);
			c->line[3 * i + 1] = scale_byte(g);
			c->line[3 * i + 2] = scale_byte(b);
		} else {
			const unsigned char *from = row + x->first[i];
			int32_t sum = 0;

			for (int j = 0; j < n; j++)
				sum += weight[j] * from[j];
			c->line[i] = scale_byte(sum);
		}
	}
}

/* Row Y of the file: bytes, CHANNELS a pixel. Rows come from above; not all need come. */
static void
canvas_row(struct canvas *c, int y, const unsigned char *row)
{
	int64_t n = c->picture.width * c->channels;
	bool scaled = false;

	if (y < c->y.begin || y >= c->y.end)
		return;
	for (int64_t i = 0; i < c->picture.height; i++) {
		int at = y - c->y.first[i];
		int32_t weight, *sum = c->sum + i * n;

		if (at < 0 || at >= c->y.count[i])
			continue;
		if (!scaled)
			canvas_line(c, row);
		scaled = true;
		weight = c->y.weight[i * c->y.most + at];
		for (int64_t j = 0; j < n; j++)
			sum[j] += weight * c->line[j];
	}
}

/* The picture, all of whose rows are there. A grey one has the same in all channels. */
static void
canvas_end(struct canvas *c)
{
	struct picture *p = &c->picture;
	int64_t plane = p->width * p->height;

	for (int64_t k = 0; k < p->channels; k++)
		for (int64_t i = 0; i < plane; i++)
			p->at[k * plane + i] = scale_byte(c->sum[i * c->channels + (c->channels == 3 ? k : 0)]);
}

/* A row of a mask: numbers of 16 bits. */
static void
canvas_mask_row(struct canvas *c, int y, const uint16_t *row)
{
	struct picture *p = &c->picture;

	for (int64_t i = 0; i < p->height; i++)
		for (int64_t j = 0; c->y.count[i] && c->y.first[i] == y && j < p->width; j++)
			p->at[i * p->width + j] = c->x.count[j] ? row[c->x.first[j]] : 0;
}

/* RGB to grey, as Pillow does it; in place. */
static void
row_to_grey(unsigned char *row, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		row[i] = (unsigned char)((row[3 * i] * 19595 + row[3 * i + 1] * 38470 + row[3 * i + 2] * 7471 +
		    0x8000) >> 16);
}
