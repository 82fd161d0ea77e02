/*
 * conv/weight_c.cu - the gradient of a convolution's weights:
 *
 *     dw[f,c,ky,kx] = sum over b, oy, ox of
 *                     dy[b,f,oy,ox] x[b, c, oy sy - top + ky dy, ox sx - left + kx dx]
 *
 * Here the sum runs over positions, and columns are channels. x is turned, a chunk at a time, into
 * rows of channels with its padding written out, [image][y][x][channel]. Then the channels under
 * one tap of one position are neighbours, a vector to be read in place: each element of x is moved
 * once, not once per tap. With few channels the taps of a row join in, since they are neighbours
 * too: one vector holds (kx, c).
 *
 * Small gradients are summed in parts, one a thread, each over its share of the images; large ones
 * are split by channels and filters, so that nothing is kept twice. Which of the two depends on the
 * shape and on THREADS alone, and so does the order of the sums. What dw held is added first, where
 * it is to be kept. A gradient of 16 bits is summed as reals in the scratch memory, and rounded
 * when it is whole.
 *
 * Of volumes each plane of the output is an image here, and the planes of the input that it sees
 * are its channels: plane p is that of channel p / kd under tap p % kd of the depth.
 */
#ifndef STOWAGE_CONV_WEIGHT_C_CU
#define STOWAGE_CONV_WEIGHT_C_CU

#include "product/gemm_c.cu"
#include "conv/sources.cu"
#include "conv/window.cu"

struct chunk {			/* some output positions of some images */
	int64_t image;
	int images, y, rows, x, cols;
};

struct conv_weight {
	struct conv s;
	int64_t b;		/* images: of volumes, all their planes */
	const struct sources *x;
	const elem *dy;
	real keep;		/* dw = keep * dw + the sum */
	int cg, fg;		/* channels and filters in a group */
	bool joined;		/* the taps of a row share a vector */
	struct conv_chunks size;	/* of the largest chunk */
};

/* Steps in dy from place to place, and from filter to filter. */
static inline int64_t
weight_pixel(const struct conv_weight *w)
{
	return w->s.last ? w->s.f : 1;
}

static inline int64_t
weight_plane(const struct conv_weight *w)
{
	return w->s.last ? 1 : conv_outputs(&w->s);
}

/* Where an image of dy begins. */
static inline int64_t
weight_image(const struct conv_weight *w, int64_t image)
{
	int64_t plane = (int64_t)w->s.oh * w->s.ow;

	if (!w->s.d)
		return image * w->s.f * plane;
	return image / w->s.od * w->s.f * w->s.od * plane + image % w->s.od * plane;
}

/* Steps in the weights, from channel to channel. */
static inline int64_t
weight_channel(const struct conv_weight *w)
{
	return w->s.last ? 1 : (int64_t)w->s.kh * w->s.kw;
}

/* The first filter of group G in a chunk of it. */
static inline const elem *
weight_dy(const struct conv_weight *w, const struct chunk *k, int g)
{
	return w->dy + weight_image(w, k->image) + (int64_t)g * w->fg * weight_plane(w) +
	    ((int64_t)k->y * w->s.ow + k->x) * weight_pixel(w);
}

/* With SHARE parts, a chunk has no more images than leave a chunk to each. */
static inline struct conv_weight
conv_weight_plan(struct conv s, int64_t b, int share)
{
	struct conv_weight w;

	memset(&w, 0, sizeof(w));
	w.s = s, w.b = b * conv_depth(&s);
	w.cg = (int)conv_planes(&s), w.fg = s.f / s.groups;
	w.joined = w.cg < FEW_CHANNELS && s.dx == 1;
	w.size = conv_chunks(&s);
	w.size.images = least(w.size.images, most(1, parts(w.b, share)));
	return w;
}

/* Elements [lo, hi) of a row that starts at column X0. */
static void
turn_row(const struct sources *x, int64_t image, int y, int x0, int c, int n, real *to, int lo,
    int hi)
{
	for (int at = 0, m; at < n; at += m) {
		int within = c + at;
		const struct piece *s = piece_of(x, &within);
		const elem *from = s->at + image * s->image + within * s->plane + y * s->row +
		    x0 * s->pixel;

		m = (int)least(n - at, s->channels - within);
		if (s->pixel == 1) {
			turn_rows(to + (int64_t)lo * n + at, n, from + lo, s->plane, m, hi - lo);
			continue;
		}
		for (int q = lo; q < hi; q += 16)
			for (int ch = 0; ch < m; ch++)
				for (int e = q; e < q + 16 && e < hi; e++)
					to[(int64_t)e * n + at + ch] =
					    VALUE(from[ch * s->plane + e * s->pixel]);
	}
}

/* The same of planes of volumes. */
static void
turn_deep_row(const struct conv_weight *w, int64_t image, int y, int x0, int c, int n, real *to, int lo,
    int hi)
{
	const struct conv *s = &w->s;
	const struct piece *x = w->x->s;

	for (int p = 0; p < n; p++) {
		int z = (int)(image % s->od) * s->sz - s->front + (c + p) % s->kd * s->dz;
		const elem *channel = x->at + image / s->od * x->image + (c + p) / s->kd * x->plane;
		bool in = z >= 0 && z < s->d;

		for (int e = lo; e < hi; e++)
			to[(int64_t)e * n + p] = in ? VALUE(channel[((int64_t)z * s->h + y) * x->row + x0 + e]) :
			    0;
	}
}

/* x of a chunk, channels [c, c + n) of the tensor, as [image][y][x][channel]. */
static void
turn(const struct conv_weight *w, const struct chunk *k, int c, int n, real *to)
{
	const struct conv *s = &w->s;
	int x0 = k->x * s->sx - s->left;
	int lo = (int)least(w->size.w, x0 < 0 ? -x0 : 0);
	int hi = (int)most(lo, least(w->size.w, s->w - x0));

	for (int i = 0; i < k->images; i++)
		for (int r = 0; r < w->size.h; r++, to += (int64_t)w->size.w * n) {
			int y = k->y * s->sy - s->top + r;

			if (y < 0 || y >= s->h) {
				memset(to, 0, (size_t)w->size.w * n * sizeof(real));
				continue;
			}
			memset(to, 0, (size_t)lo * n * sizeof(real));
			if (s->d)
				turn_deep_row(w, k->image + i, y, x0, c, n, to, lo, hi);
			else
				turn_row(w->x, k->image + i, y, x0, c, n, to, lo, hi);
			memset(to + (int64_t)hi * n, 0,
			    (size_t)(w->size.w - hi) * n * sizeof(real));
		}
}

/* The terms under tap (ky, kx) that do not fall on padding, with the places of their dy in the
 * tensor, or of 16 bits among what widen_chunk() makes of them; a joined row of taps has kx 0 and
 * keeps what falls on padding at its sides. */
static int
weight_places(const struct conv_weight *w, const struct chunk *k, struct place *at, int n, int ky,
    int kx)
{
	const struct conv *s = &w->s;
	int terms = 0;

	for (int i = 0; i < k->images; i++) {
		int64_t image = weight_image(w, k->image + i) - weight_image(w, k->image);

		for (int r = 0; r < k->rows; r++) {
			int y = (k->y + r) * s->sy - s->top + ky * s->dy;

			if (y < 0 || y >= s->h)
				continue;
			for (int q = 0; q < k->cols; q++) {
				int x = (k->x + q) * s->sx - s->left + kx * s->dx;

				if (!w->joined && (x < 0 || x >= s->w))
					continue;
				at[terms].a = NARROW ? ((int64_t)i * k->rows + r) * k->cols + q :
				    image + ((int64_t)r * s->ow + q) * weight_pixel(w);
				at[terms].b = (((int64_t)i * w->size.h + r * s->sy + ky * s->dy) *
				    w->size.w + q * s->sx + kx * s->dx) * n;
				terms++;
			}
		}
	}
	return terms;
}

struct weight_tile {		/* where a tile of dw goes */
	real *to;
	int64_t row, channel, tap;	/* steps from filter to filter, channel to channel, tap to tap */
	int n, taps, lane;	/* joined: lane l is tap l / n, channel l % n; else channel l */
	real keep;		/* what it is added to: so many times what lies there */
};

/* Channels that are neighbours. */
static void
weight_store_rows(const struct weight_tile *s, const real *tile, int rows, int cols)
{
	real *to = s->to + s->lane;

	for (int i = 0; i < rows; i++, tile += TILE_COLS, to += s->row)
		if (s->keep != 0)
			PRAGMA(omp simd)
			for (int j = 0; j < cols; j++)
				to[j] = tile[j] + s->keep * to[j];
		else
			memcpy(to, tile, (size_t)cols * sizeof(real));
}

static void
weight_store(const struct weight_tile *s, const real *tile, int rows, int cols)
{
	if (s->taps <= 1 && s->channel == 1) {
		weight_store_rows(s, tile, rows, cols);
		return;
	}
	for (int j = 0; j < cols; j++) {
		int l = s->lane + j;
		real *to = s->to + (s->taps > 1 ? l / s->n * s->tap + l % s->n * s->channel :
		    l * s->channel);

		for (int i = 0; i < rows; i++, to += s->row)
			*to = tile[i * TILE_COLS + j] + (s->keep != 0 ? s->keep * *to : 0);
	}
}

/* One chunk's part of the gradient: filters [first, last) and channels [c, c + n) of group g. */
struct weight_piece {
	int g, c, n, first, last;
	real *at;		/* its first element, and steps as in a tile */
	int64_t row, channel, tap;
	real keep;		/* what it is added to: so many times what lies there */
};

static inline struct weight_tile
weight_tile_of(const struct conv_weight *w, const struct weight_piece *p)
{
	struct weight_tile to = { .row = p->row, .channel = p->channel, .tap = p->tap, .n = p->n,
		.taps = w->joined ? w->s.kw : 1, .keep = p->keep };

	return to;
}

#if NARROW

/* ROWS filters' dy of a chunk as reals: [filter][image][y][x]. */
static void
widen_chunk(const struct conv_weight *w, const struct chunk *k, const elem *dy, int rows, real *wide)
{
	int64_t pixel = weight_pixel(w), first = weight_image(w, k->image);

	for (int f = 0; f < rows; f++)
		for (int i = 0; i < k->images; i++)
			for (int r = 0; r < k->rows; r++, wide += k->cols) {
				const elem *from = dy + weight_image(w, k->image + i) - first +
				    f * weight_plane(w) +
				    (int64_t)r * w->s.ow * pixel;

				for (int q = 0; q < k->cols; q++)
					wide[q] = VALUE(from[q * pixel]);
			}
}

static void
weight_chunk(const struct conv_weight *w, const struct chunk *k, const real *turned,
    const struct weight_piece *p)
{
	const struct conv *s = &w->s;
	struct place at[CHUNK_POSITIONS];
	real tile[TILE_ROWS * TILE_COLS] __attribute__((aligned(64)));
	real wide[TILE_ROWS * CHUNK_POSITIONS];
	int64_t plane = weight_plane(w), positions = (int64_t)k->images * k->rows * k->cols;
	int tiles = (int)parts(p->last - p->first, TILE_ROWS), steps = w->joined ? 1 : s->kw;
	int lanes = w->joined ? s->kw * p->n : p->n;
	const elem *dy = weight_dy(w, k, p->g);
	struct weight_tile to = weight_tile_of(w, p);

	for (int i = 0; i < tiles; i++) {
		int row = p->first + (p->last - p->first) * i / tiles;
		int rows = p->first + (p->last - p->first) * (i + 1) / tiles - row;

		widen_chunk(w, k, dy + row * plane, rows, wide);
		for (int t = 0; t < s->kh * steps; t++) {
			int ky = t / steps, kx = t % steps;
			int terms = weight_places(w, k, at, p->n, ky, kx);

			to.to = p->at + (row - p->first) * p->row +
			    ((int64_t)ky * s->kw + kx) * p->tap;
			for (to.lane = 0; to.lane < lanes; to.lane += TILE_COLS) {
				int cols = (int)least(TILE_COLS, lanes - to.lane);

				tile_product(rows, cols > LANES ? 2 : 1, tile, wide, positions,
				    turned + to.lane, LANES, at, terms);
				weight_store(&to, tile, rows, cols);
			}
		}
	}
}

#else

static void
weight_chunk(const struct conv_weight *w, const struct chunk *k, const real *turned,
    const struct weight_piece *p)
{
	const struct conv *s = &w->s;
	struct place at[CHUNK_POSITIONS];
	real tile[TILE_ROWS * TILE_COLS] __attribute__((aligned(64)));
	int64_t plane = weight_plane(w);
	int tiles = (int)parts(p->last - p->first, TILE_ROWS), steps = w->joined ? 1 : s->kw;
	int lanes = w->joined ? s->kw * p->n : p->n;
	const real *dy = weight_dy(w, k, p->g);
	struct weight_tile to = weight_tile_of(w, p);

	for (int t = 0; t < s->kh * steps; t++) {
		int ky = t / steps, kx = t % steps;
		int terms = weight_places(w, k, at, p->n, ky, kx);

		if (p->keep == 1 && terms == 0)
			continue;
		for (to.lane = 0; to.lane < lanes; to.lane += TILE_COLS)
			for (int i = 0; i < tiles; i++) {
				int row = p->first + (p->last - p->first) * i / tiles;
				int rows = p->first + (p->last - p->first) * (i + 1) / tiles - row;
				int cols = (int)least(TILE_COLS, lanes - to.lane);

				tile_product(rows, cols > LANES ? 2 : 1, tile, dy + row * plane,
				    plane, turned + to.lane, LANES, at, terms);
				to.to = p->at + (row - p->first) * p->row +
				    ((int64_t)ky * s->kw + kx) * p->tap;
				weight_store(&to, tile, rows, cols);
			}
	}
}

#endif

/* The i-th chunk; false past the last. */
static bool
chunk_at(const struct conv_weight *w, int64_t i, struct chunk *k)
{
	int64_t across = parts(w->s.ow, w->size.cols), down = parts(w->s.oh, w->size.rows);

	k->x = (int)(i % across) * w->size.cols;
	k->y = (int)(i / across % down) * w->size.rows;
	k->image = i / (across * down) * w->size.images;
	if (k->image >= w->b)
		return false;
	k->cols = (int)least(w->size.cols, w->s.ow - k->x);
	k->rows = (int)least(w->size.rows, w->s.oh - k->y);
	k->images = (int)least(w->size.images, w->b - k->image);
	return true;
}

/* The sums of a piece that is complete become a part of dw. */
#if NARROW
static void
weight_round(const struct conv_weight *w, elem *dw, const struct weight_piece *p)
{
	int64_t taps = (int64_t)w->s.kh * w->s.kw, channel = weight_channel(w);

	for (int f = p->first; f < p->last; f++) {
		elem *to = dw + (int64_t)(p->g * w->fg + f) * w->cg * taps + p->c * channel;
		const real *from = p->at + (f - p->first) * p->row;

		for (int c = 0; c < p->n; c++)
			for (int64_t t = 0; t < taps; t++)
				onto_store(&to[c * channel + t * conv_tap_step(&w->s)],
				    from[c * p->channel + t * p->tap], w->keep);
	}
}
#endif

/* Large gradients: one task per group, block of channels and slice of filters. SCRATCH and SUMS are
 * a thread's own. */
static void
weight_tasks(const struct conv_weight *w, elem *dw, real *scratch, real *sums)
{
	int blocks = (int)parts(w->cg, w->size.block), slices = conv_slices(&w->s, THREADS);
	int64_t taps = (int64_t)w->s.kh * w->s.kw;
	struct chunk k;

	(void)sums;
	ROWS (task, (int64_t)w->s.groups * blocks * slices) {
		int block = (int)(task / slices % blocks), slice = (int)(task % slices);
		struct weight_piece p = { .g = (int)(task / (blocks * slices)), .c = block * w->size.block };

		p.n = (int)least(w->size.block, w->cg - p.c);
		p.first = w->fg * slice / slices, p.last = w->fg * (slice + 1) / slices;
		p.channel = weight_channel(w);
#if NARROW
		p.at = sums, p.row = p.n * taps;
		p.tap = w->s.last ? p.n : 1;
#else
		p.at = dw + (int64_t)(p.g * w->fg + p.first) * w->cg * taps + p.c * p.channel;
		p.row = w->cg * taps, p.tap = conv_tap_step(&w->s);
#endif
		for (int64_t i = 0; chunk_at(w, i, &k); i++) {
			turn(w, &k, p.g * w->cg + p.c, p.n, scratch);
			p.keep = i > 0 ? 1 : NARROW ? 0 : w->keep;
			weight_chunk(w, &k, scratch, &p);
		}
#if NARROW
		weight_round(w, dw, &p);
#endif
	}
}

/* Small gradients: part P of THREADS takes every THREADS-th chunk, and adds to KEEP times what is
 * there. */
static void
weight_part(const struct conv_weight *w, real *dw, real *scratch, int part, real keep)
{
	int64_t taps = (int64_t)w->s.kh * w->s.kw;
	struct chunk k;

	if (!chunk_at(w, part, &k)) {
		memset(dw, 0, (size_t)conv_weights(&w->s) * sizeof(real));
		return;
	}
	for (int g = 0; g < w->s.groups; g++)
		for (int c = 0; c < w->cg; c += w->size.block) {
			struct weight_piece p = { .g = g, .c = c, .last = w->fg, .row = w->cg * taps,
				.channel = weight_channel(w), .tap = conv_tap_step(&w->s),
				.at = dw + (int64_t)g * w->fg * w->cg * taps +
				    c * weight_channel(w) };

			p.n = (int)least(w->size.block, w->cg - c);
			for (int64_t i = part; chunk_at(w, i, &k); i += THREADS) {
				turn(w, &k, g * w->cg + c, p.n, scratch);
				p.keep = i != part ? 1 : keep;
				weight_chunk(w, &k, scratch, &p);
			}
		}
}

#if NARROW

static void
weight_in_parts(const struct conv_weight *w, elem *dw, real *scratch)
{
	int64_t n = conv_weights(&w->s), each = conv_chunk_scratch(&w->s);
	real *part = scratch + THREADS * each;

	ROWS (t, THREADS)
		weight_part(w, part + t * n, scratch + t * each, (int)t, 0);
	EACH (i, n) {
		real sum = part[i];

		for (int t = 1; t < THREADS; t++)
			sum += part[t * n + i];
		onto_store(&dw[i], sum, w->keep);
	}
}

#else

/* The first part adds to what is in dw, the others lie in the scratch memory. */
static void
weight_in_parts(const struct conv_weight *w, real *dw, real *scratch)
{
	int64_t n = conv_weights(&w->s), each = conv_chunk_scratch(&w->s);
	real *part = scratch + THREADS * each;

	ROWS (t, THREADS)
		weight_part(w, t ? part + (t - 1) * n : dw, scratch + t * each, (int)t,
		    t ? 0 : w->keep);
	if (THREADS == 1)
		return;
	EACH (i, n)
		for (int t = 1; t < THREADS; t++)
			dw[i] += part[(t - 1) * n + i];
}

#endif

static void
conv_weight_run(elem *dw, const elem *dy, const struct sources *x, real keep, void *work, int64_t b,
    struct conv s)
{
	bool in_parts = conv_in_parts(&s, THREADS);
	struct conv_weight w = conv_weight_plan(s, b, in_parts ? THREADS : 1);
	int64_t each = conv_chunk_scratch(&s), sums = NARROW ? conv_weight_sums(&s, THREADS) : 0;
	real *scratch = (real *)work;

	w.x = x, w.dy = dy, w.keep = keep;
	if (in_parts) {
		weight_in_parts(&w, dw, scratch);
		return;
	}
	weight_tasks(&w, dw, scratch + team_me() * each, scratch + THREADS * each + team_me() * sums);
}

#endif
