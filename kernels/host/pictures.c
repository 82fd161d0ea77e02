/*
 * pictures.c - varying and normalising pictures. A picture is worked on as floats of 0 to 255,
 * channel by channel, in room that each thread of the host has; then it is written to where the
 * step reads it.
 *
 * What is drawn for a picture is a hash of the seed, the epoch and its row (random.c): the same for
 * a picture and its mask, in whatever order threads come to them.
 */
#ifdef _OPENMP
#include <omp.h>
#endif

enum {				/* what is drawn for a picture, by the counter */
	DRAW_FLIP, DRAW_FLIP_VERTICAL, DRAW_TOP, DRAW_LEFT, DRAW_BRIGHTNESS, DRAW_CONTRAST, DRAW_SATURATION, DRAW_HUE,
	DRAW_ORDER, DRAW_CUT_ROW, DRAW_CUT_COLUMN, DRAW_AREA, DRAW_COLOURS = 32, DRAW_OWN = 64, DRAWS = 128
};

struct picture {
	float *at;		/* [channels, height, width] */
	int64_t channels, height, width;
	int64_t row;		/* of the files: what it is drawn by */
	const struct sampling *sampling;
};

/* ---- threads ---- */

static int
pictures_threads(void)
{
#if defined __CUDACC__ && defined _OPENMP
	return omp_get_max_threads();
#elif defined __CUDACC__
	return 1;
#else
	return threads_wanted;
#endif
}

static int
pictures_thread(void)
{
#if defined __CUDACC__ && defined _OPENMP
	return omp_get_thread_num();
#elif defined __CUDACC__
	return 0;
#else
	return team_me();
#endif
}

/* ---- drawing ---- */

/* in [0, 1) */
static double
picture_draw(const struct picture *p, int what)
{
	uint64_t stream = seed_bits(seed_stream("pictures"), (uint64_t)p->sampling->epoch, 0);

	return seed_uniform(p->sampling->seed, stream, (uint64_t)p->row * DRAWS + (uint64_t)what);
}

/* A whole number from FROM to TO. */
static int64_t
picture_draw_whole(const struct picture *p, int what, int64_t from, int64_t to)
{
	return from + (int64_t)(picture_draw(p, what) * (double)(to - from + 1));
}

/* A factor around 1. */
static float
picture_draw_factor(const struct picture *p, int what, double by)
{
	double least = by < 1 ? 1 - by : 0;

	return (float)(least + (1 + by - least) * picture_draw(p, what));
}

/* ---- colours, as torchvision has them ---- */

static float
grey_of(const float *at, int64_t i, int64_t plane)
{
	return 0.2989f * at[i] + 0.587f * at[i + plane] + 0.114f * at[i + 2 * plane];
}

static float
clip_255(float x)
{
	return x < 0 ? 0 : x > 255 ? 255 : x;
}

static void
picture_brightness(const struct picture *p, float factor)
{
	for (int64_t i = 0; i < p->channels * p->height * p->width; i++)
		p->at[i] = clip_255(factor * p->at[i]);
}

static void
picture_contrast(const struct picture *p, float factor)
{
	int64_t plane = p->height * p->width;
	double sum = 0;
	float mean;

	for (int64_t i = 0; i < plane; i++)
		sum += p->channels == 3 ? grey_of(p->at, i, plane) : p->at[i];
	mean = (float)(sum / (double)plane);
	for (int64_t i = 0; i < p->channels * plane; i++)
		p->at[i] = clip_255(factor * p->at[i] + (1 - factor) * mean);
}

static void
picture_saturation(const struct picture *p, float factor)
{
	int64_t plane = p->height * p->width;

	for (int64_t i = 0; i < plane && p->channels == 3; i++) {
		float grey = grey_of(p->at, i, plane);

		for (int64_t c = 0; c < 3; c++)
			p->at[i + c * plane] = clip_255(factor * p->at[i + c * plane] + (1 - factor) * grey);
	}
}

/* One channel of a colour of that hue, in sixths of the circle, OFFSET sixths on: 5 red, 3 green, 1
 * blue. */
static float
hue_channel(float offset, float hue, float value, float chroma)
{
	float k = fmodf(offset + hue, 6), down = 4 - k, least = k < down ? k : down;

	return value - chroma * (least < 0 ? 0 : least > 1 ? 1 : least);
}

static void
picture_hue(const struct picture *p, float turn)
{
	int64_t plane = p->height * p->width;

	for (int64_t i = 0; i < plane && p->channels == 3; i++) {
		float r = p->at[i], g = p->at[i + plane], b = p->at[i + 2 * plane];
		float most = fmaxf(r, fmaxf(g, b)), chroma = most - fminf(r, fminf(g, b)), hue;

		if (chroma <= 0)
			continue;
		hue = most == r ? (g - b) / chroma : most == g ? 2 + (b - r) / chroma : 4 + (r - g) / chroma;
		hue = fmodf(hue + 6 * turn + 12, 6);
		p->at[i] = hue_channel(5, hue, most, chroma);
		p->at[i + plane] = hue_channel(3, hue, most, chroma);
		p->at[i + 2 * plane] = hue_channel(1, hue, most, chroma);
	}
}

/*
 * What changes a picture's numbers as much as the spec says, BY above 0, and what is drawn. Each
 * has a row here and one of the same name in READER_PICTURES (src/readers/pictures.h).
 */
static void
colour_brightness(const struct picture *p, double by, int draw)
{
	picture_brightness(p, picture_draw_factor(p, draw, by));
}

static void
colour_contrast(const struct picture *p, double by, int draw)
{
	picture_contrast(p, picture_draw_factor(p, draw, by));
}

static void
colour_saturation(const struct picture *p, double by, int draw)
{
	picture_saturation(p, picture_draw_factor(p, draw, by));
}

static void
colour_hue(const struct picture *p, double by, int draw)
{
	picture_hue(p, (float)(by * (2 * picture_draw(p, draw) - 1)));
}

static const struct colour {
	const char *name;
	void (*vary)(const struct picture *, double by, int draw);
	int draw;		/* its counter: one of its own */
} colours[] = {
	{ "brightness", colour_brightness, DRAW_BRIGHTNESS },
	{ "contrast", colour_contrast, DRAW_CONTRAST },
	{ "saturation", colour_saturation, DRAW_SATURATION },
	{ "hue", colour_hue, DRAW_HUE },
};

#define COLOURS	((int)(sizeof(colours) / sizeof(*colours)))

/* ---- the spec ---- */

struct variation {		/* what the spec says of pictures */
	double flip, flip_vertical, colour[COLOURS], mixup;
	int pad, cutout;
	bool normal;		/* mean and std were given */
	float *room;		/* for each thread */
	int64_t room_each;	/* floats */
};

static bool
picture_input(const struct input *in)
{
	return in->rank == 3 && !in->classes;
}

static void
variation_read(struct variation *v, const struct source *s)
{
	v->flip = source_number(s, "flip", 0, 0);
	v->flip_vertical = source_number(s, "flip_vertical", 0, 0);
	for (int k = 0; k < COLOURS; k++)
		v->colour[k] = source_number(s, colours[k].name, 0, 0);
	v->mixup = source_number(s, "mixup", 0, 0);
	v->pad = (int)source_number(s, "pad", 0, 0);
	v->cutout = (int)source_number(s, "cutout", 0, 0);
	v->normal = source_number(s, "mean", 0, 0) != 0 || source_number(s, "std", 0, 1) != 1;
}

/* Room for a picture of any input that ASKS names, or of any, for each thread. */
static void
variation_room(struct variation *v, const struct data *d, const bool *asks)
{
	for (int k = 0; k < d->inputs; k++)
		if ((!asks || asks[k]) && d->input[k].elements > v->room_each)
			v->room_each = d->input[k].elements;
	v->room = (float *)data_alloc((uint64_t)(v->room_each * pictures_threads()) * sizeof(float), "pictures");
}

/* Is something of it drawn, anew in each epoch? */
static bool
variation_draws(const struct variation *v)
{
	bool any = v->flip > 0 || v->flip_vertical > 0 || v->mixup > 0 || v->pad || v->cutout;

	for (int k = 0; k < COLOURS; k++)
		any |= v->colour[k] > 0;
	return any;
}

/* Is a picture anything but its bytes, times the scale? */
static bool
variation_any(const struct variation *v)
{
	return v->normal || variation_draws(v);
}

/* This thread's room, as a picture of the input's shape. */
static struct picture
picture_room(const struct variation *v, const struct input *in, int64_t row, const struct sampling *s)
{
	int rank = in->rank;
	struct picture p = { v->room + v->room_each * pictures_thread(), rank > 2 ? in->dim[rank - 3] : 1,
		rank > 1 ? in->dim[rank - 2] : 1, rank ? in->dim[rank - 1] : 1, row, s };

	return p;
}

/* In an order that is drawn, too. */
static void
picture_colours(const struct variation *v, const struct picture *p)
{
	int64_t orders = 1, rest;
	int order[COLOURS];

	for (int k = 0; k < COLOURS; k++) {
		order[k] = k;
		orders *= k + 1;
	}
	rest = picture_draw_whole(p, DRAW_ORDER, 0, orders - 1);
	for (int n = COLOURS; n > 1; rest /= n--) {
		int j = (int)(rest % n), last = order[n - 1];

		order[n - 1] = order[j];
		order[j] = last;
	}
	for (int k = 0; k < COLOURS; k++)
		if (v->colour[order[k]] > 0)
			colours[order[k]].vary(p, v->colour[order[k]], colours[order[k]].draw);
}

/* ---- writing it ---- */

static bool
picture_is_flipped(const struct variation *v, const struct picture *p)
{
	return picture_draw(p, DRAW_FLIP) < v->flip;
}

static bool
picture_is_turned(const struct variation *v, const struct picture *p)
{
	return picture_draw(p, DRAW_FLIP_VERTICAL) < v->flip_vertical;
}

/* A row of N numbers, times A plus B, into an input's own type; from its end if FLIP. */
static void
picture_store(const struct input *in, void *to, int64_t at, const float *from, int64_t n, bool flip, float a, float b)
{
	for (int64_t i = 0; i < n; i++) {
		float x = from[flip ? n - 1 - i : i] * a + b;

		if (in->type == TYPE_F32)
			((float *)to)[at + i] = x;
		else if (in->type == TYPE_F64)
			((double *)to)[at + i] = x;
		else if (in->type == TYPE_I32)
			((int32_t *)to)[at + i] = (int32_t)x;
		else if (in->type == TYPE_U8)
			((uint8_t *)to)[at + i] = (uint8_t)(clip_255(x) + 0.5f);
		else
			((elem *)to)[at + i] = ELEM((real)x);
	}
}

/* 0 in a square whose middle is drawn; what of it is outside is lost. */
static void
picture_cut(const struct variation *v, const struct input *in, void *to, const struct picture *p)
{
	int64_t half = v->cutout / 2, row = picture_draw_whole(p, DRAW_CUT_ROW, 0, p->height - 1);
	int64_t column = picture_draw_whole(p, DRAW_CUT_COLUMN, 0, p->width - 1);
	int64_t left = column - half < 0 ? 0 : column - half, right = column - half + v->cutout;
	int64_t size = type_table[in->type].bytes;

	right = right < p->width ? right : p->width;
	for (int64_t c = 0; c < p->channels; c++)
		for (int64_t y = row - half; y < row - half + v->cutout; y++)
			if (y >= 0 && y < p->height)
				memset((char *)to + ((c * p->height + y) * p->width + left) * size, 0,
				    (size_t)((right - left) * size));
}

/* All that comes behind the cropping: colours, flips, numbers. One that is smaller than the input
 * lies at its left and top, and the rest is 0. */
static void
picture_finish(const struct data *d, const struct variation *v, int k, void *to, const struct picture *p)
{
	const struct input *in = &d->input[k];
	bool numbers = picture_input(in) && in->type != TYPE_U8;
	bool flip = picture_is_flipped(v, p), turn = picture_is_turned(v, p);
	int64_t wide = in->rank ? in->dim[in->rank - 1] : 1, high = in->rank > 1 ? in->dim[in->rank - 2] : 1;

	if (p->width * p->height * p->channels < in->elements)
		memset(to, 0, (size_t)(in->elements * type_table[in->type].bytes));
	if (picture_input(in) && !in->target)
		picture_colours(v, p);
	for (int64_t c = 0; c < p->channels; c++) {
		double mean = source_number(d->source, "mean", (int)c, source_number(d->source, "mean", 0, 0));
		double std = source_number(d->source, "std", (int)c, source_number(d->source, "std", 0, 1));
		float a = numbers ? (float)(data_scale(d, in) / (in->target ? 1 : std)) : 1;
		float b = numbers && !in->target ? (float)(-mean / std) : 0;

		for (int64_t y = 0; y < p->height; y++) {
			int64_t from = turn ? p->height - 1 - y : y;

			picture_store(in, to, (c * high + y) * wide,
			    p->at + (c * p->height + from) * p->width, p->width, flip, a, b);
		}
	}
	if (v->cutout && picture_input(in) && !in->target)
		picture_cut(v, in, to, p);
}

/* 1 for the class, 0 for the others. */
static void
picture_shares(const struct input *in, void *to, int64_t label)
{
	float one = 1;

	memset(to, 0, (size_t)(in->elements * type_table[in->type].bytes));
	picture_store(in, to, label, &one, 1, false, 1, 0);
}

/* ---- mixing ---- */

/* A share from Beta(A, A), A at most 1, by Joehnk's method. */
static double
mixup_share(double a, const struct sampling *s, int64_t row)
{
	uint64_t stream = seed_bits(seed_stream("mixup"), (uint64_t)s->epoch, (uint64_t)row);

	for (uint64_t i = 0; i < 1000; i++) {
		double x = pow(seed_uniform(s->seed, stream, 2 * i), 1 / a);
		double y = pow(seed_uniform(s->seed, stream, 2 * i + 1), 1 / a);

		if (x + y > 0 && x + y <= 1)
			return x / (x + y);
	}
	return 1;
}

#define MIX(T, AS)	do {								\
	T *x_ = (T *)to + i * n, *y_ = (T *)to + j * n;					\
	for (int64_t e = 0; e < n; e++) {						\
		double one = (double)VALUE_OF(x_[e]), other = (double)VALUE_OF(y_[e]);	\
		x_[e] = AS(share * one + (1 - share) * other);				\
		y_[e] = AS(share * other + (1 - share) * one);				\
	}										\
} while (0)

/* Samples I and J of N numbers each. */
static void
mixup_pair(const struct input *in, void *to, int64_t i, int64_t j, double share)
{
	int64_t n = in->elements;

#define VALUE_OF(x)	(x)
	if (in->type == TYPE_F32)
		MIX(float, (float));
	else if (in->type == TYPE_F64)
		MIX(double, (double));
#undef VALUE_OF
#define VALUE_OF(x)	VALUE(x)
	else if (in->type == TYPE_ELEM)
		MIX(elem, AS_ELEM);
#undef VALUE_OF
}

/* Each sample with the one as far from the other end of the batch. */
static void
variation_mix(const struct variation *v, const struct data *d, void *const *to, int64_t batch,
    const struct sampling *s)
{
	double share = v->mixup > 0 ? mixup_share(v->mixup, s, d->row[0]) : 1;

	for (int k = 0; k < d->inputs && v->mixup > 0; k++)
		for (int64_t i = 0; i < batch / 2 && to[k]; i++)
			mixup_pair(&d->input[k], to[k], i, batch - 1 - i, share);
}
