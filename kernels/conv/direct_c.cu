/*
 * conv/direct_c.cu - windows that are read in place. Where rows of the output fill vectors well,
 * the source is copied once, a band of rows at a time, with its padding written out:
 *
 *     [channel][row][phase][position]        source x = x0 + position * step + phase
 *
 * (a step is split into phases, so that neighbours in the output are neighbours here). Then the
 * operand of any tap is a plain vector, its offset the same for all positions: nothing is copied
 * once per tap. What is lost is the end of a row that does not fill its vector. Elements of 16 bits
 * have to be converted before they are used, so for them windows are always packed; so they are
 * where channels lie last, since neighbours in a row then are none in memory.
 *
 * Of volumes a plane of the output is made at a time. It sees as many planes of each channel as
 * there are taps along the depth, which are here channels: plane p is that of channel p / taps
 * under tap p % taps.
 */
#ifndef STOWAGE_CONV_DIRECT_C_CU
#define STOWAGE_CONV_DIRECT_C_CU

#include "product/gemm_c.cu"
#include "conv/sources.cu"
#include "conv/window.cu"

struct windows {		/* a product's shape */
	struct window at;
	const struct sources *from;
	int first;		/* of the channels that are meant: of a group */
};

/* ROWS rows of weights, ROW apart and GROUP apart from group to group, times the windows of the
 * sources, into TARGET. */
struct conv_job {
	struct windows windows;
	const elem *weight, *bias;
	elem *target;
	real keep;		/* target = keep * target + the product */
	int rows, groups;
	int whole;		/* rows of the product that this is a part of: they decide how sums
				 * are cut, so that a part is the same to the bit */
	int64_t row, group, b, target_plane;
	bool last;		/* channels lie last */
	struct epilogue then;	/* forward */
};

#if !NARROW

#define DIRECT_LEAST	64	/* terms at a time: fewer, and the sums are written and read too often */
#define DIRECT_DEPTH	640	/* most terms at a time: the table of their places is on the stack */

struct direct {
	int strips;		/* vectors to a row of the output; 0: windows are packed instead */
	int planes, bands;	/* that are seen of the source, in blocks; bands of rows of a plane */
	int block, rows;	/* in each */
	int x0, y0;		/* source position of a row's first column under its leftmost tap */
	int phase, row;		/* steps in the copy */
	int64_t channel;
};

static inline int
axis_low(const struct axis *a)
{
	int last = a->first + (a->taps - 1) * a->delta;

	return a->first < last ? a->first : last;
}

/* Rows of the copy that N rows of the output need. */
static inline int
direct_rows(const struct axis *y, int n)
{
	int reach = (y->taps - 1) * y->delta;

	return (n - 1) * y->step + (reach < 0 ? -reach : reach) + 1;
}

/* Is the work at the ends of rows less than that of packing? Packing costs about as much as so many
 * rows of the product, more where rows are short. */
static inline bool
direct_pays(const struct conv_job *job)
{
	int64_t count = job->windows.at.x.count, filled = parts(count, LANES) * LANES;
	int64_t packing = count % (LANES / 4 + (LANES < 4)) || count < LANES ? 40 : 10;

	return job->whole * (filled - count) <= packing * count;
}

static inline struct direct
direct_plan(const struct conv_job *job)
{
	const struct window *w = &job->windows.at;
	int taps = w->y.taps * w->x.taps, reach = (w->x.taps - 1) * w->x.delta;
	int planes = w->channels * w->z.taps;
	int64_t room = product_panels((int64_t)planes * taps, BLOCK_COLS), width;
	struct direct d;

	memset(&d, 0, sizeof(d));
	if (job->last || taps > DIRECT_DEPTH || !direct_pays(job))
		return d;
	width = parts(w->x.count, LANES) * LANES + (reach < 0 ? -reach : reach) / w->x.step + 1;
	width *= w->x.step;
	d.block = (int)parts(planes, parts(planes, DIRECT_DEPTH / taps));
	d.rows = (int)least(w->y.count, parts(w->y.count * w->z.count * job->b, THREADS));
	while (d.rows > 1 && d.block * width * direct_rows(&w->y, d.rows) > room)
		d.rows = (d.rows + 1) / 2;
	while (d.block > 1 && d.block * width * direct_rows(&w->y, d.rows) > room)
		d.block = (d.block + 1) / 2;
	if (d.block * width * direct_rows(&w->y, d.rows) > room ||
	    (d.block < planes && d.block * taps < DIRECT_LEAST))
		return d;
	d.strips = (int)parts(w->x.count, LANES);
	d.planes = planes;
	d.bands = (int)parts(w->y.count, d.rows);
	d.x0 = axis_low(&w->x), d.y0 = axis_low(&w->y);
	d.phase = (int)(width / w->x.step);
	d.row = (int)width;
	d.channel = width * direct_rows(&w->y, d.rows);
	return d;
}

/* One row of the source, NULL above and below it, as its phases. */
static void
direct_row(const struct direct *d, const struct axis *x, real *to, const real *from)
{
	for (int phase = 0; phase < x->step; phase++, to += d->phase) {
		int at = d->x0 + phase, lo, hi;

		lo = at < 0 ? (-at + x->step - 1) / x->step : 0;
		hi = !from || at >= x->size ? 0 : (x->size - 1 - at) / x->step + 1;
		hi = (int)least(hi, d->phase);
		lo = (int)least(lo, hi);
		for (int i = 0; i < lo; i++)
			to[i] = 0;
		if (x->step == 1 && lo < hi)
			memcpy(to + lo, from + at + lo, (size_t)(hi - lo) * sizeof(real));
		for (int i = lo; i < hi && x->step != 1; i++)
			to[i] = from[at + i * x->step];
		for (int i = hi; i < d->phase; i++)
			to[i] = 0;
	}
}

static void
direct_copy(const struct conv_job *job, const struct direct *d, real *to, int64_t image, int group, int z,
    int first, int planes, int y, int rows)
{
	const struct window *w = &job->windows.at;
	int n = direct_rows(&w->y, rows);
	int64_t row;

	for (int p = 0; p < planes; p++) {
		int c = group * w->channels + (first + p) / w->z.taps;
		int deep = z * w->z.step + w->z.first + (first + p) % w->z.taps * w->z.delta;
		const real *channel = piece_plane(job->windows.from, image, c, &row);

		for (int r = 0; r < n; r++) {
			int at = y * w->y.step + d->y0 + r;
			bool in = deep >= 0 && deep < w->z.size && at >= 0 && at < w->y.size;

			direct_row(d, &w->x, to + p * d->channel + (int64_t)r * d->row,
			    in ? channel + deep * w->slice + at * row : NULL);
		}
	}
}

/* Offsets of the weights, from the channel of plane FIRST on, and of the vectors under each tap of
 * PLANES planes. */
static int
direct_places(const struct window *w, const struct direct *d, struct place *at, int first, int planes)
{
	int n = 0;

	for (int p = 0; p < planes; p++)
		for (int ty = 0; ty < w->y.taps; ty++)
			for (int tx = 0; tx < w->x.taps; tx++, n++) {
				int x = w->x.first + tx * w->x.delta - d->x0;
				int y = w->y.first + ty * w->y.delta - d->y0;

				int deep = first % w->z.taps + p;

				at[n].a = deep / w->z.taps * w->channel_step + w->x.tap + tx * w->x.tap_step +
				    (w->z.tap + deep % w->z.taps * w->z.tap_step) * w->tap_slice +
				    (w->y.tap + ty * w->y.tap_step) * w->tap_row;
				at[n].b = p * d->channel + (int64_t)y * d->row +
				    x % w->x.step * d->phase + x / w->x.step;
			}
	return n;
}

struct strip {			/* a vector of columns */
	int64_t from, to;	/* offsets in the copy and in the output */
	int lanes;
};

static inline struct strip
strip_at(const struct window *w, const struct direct *d, int y, int i)
{
	int row = i / d->strips, x = i % d->strips * LANES;
	struct strip s;

	s.from = (int64_t)row * w->y.step * d->row + x;
	s.to = (int64_t)(w->y.out + (y + row) * w->y.out_step) * w->out_row + w->x.out +
	    (int64_t)x * w->x.out_step;
	s.lanes = (int)least(LANES, w->x.count - x);
	return s;
}

static void
strip_store(real *c, int64_t row, int step, const real *tile, int rows, int lanes,
    const real *bias, real keep)
{
	for (int i = 0; i < rows; i++, c += row, tile += TILE_COLS) {
		real start = bias ? bias[i] : 0;

		if (lanes == LANES && step == 1 && keep != 0)
			*(vec_at *)c = keep * *(vec_at *)c + (*(const vec_at *)tile + start);
		else if (lanes == LANES && step == 1)
			*(vec_at *)c = *(const vec_at *)tile + start;
		else if (step == 1)
			for (int q = 0; q < lanes; q++)
				c[q] = tile[q] + start + (keep != 0 ? keep * c[q] : 0);
		else
			for (int q = 0; q < lanes; q++)
				c[q * step] = tile[q] + start +
				    (keep != 0 ? keep * c[q * step] : 0);
	}
}

/* Band [y, y + rows) of one plane, for one block of planes of the source. */
static void
direct_band(const struct conv_job *job, const struct direct *d, const real *copy, real *c,
    const real *weight, const real *bias, const struct place *at, int depth, int y, int rows,
    real keep)
{
	const struct window *w = &job->windows.at;
	real tile[TILE_ROWS * TILE_COLS] __attribute__((aligned(64)));
	int tiles = (int)parts(job->rows, TILE_ROWS), n = rows * d->strips;

	for (int i = 0; i < n; i += TILE_VECS) {
		struct strip s[TILE_VECS] = { strip_at(w, d, y, i),
			i + 1 < n ? strip_at(w, d, y, i + 1) : (struct strip){ 0, 0, 0 } };

		for (int t = 0; t < tiles; t++) {
			int row = (int)((int64_t)job->rows * t / tiles);
			int m = (int)((int64_t)job->rows * (t + 1) / tiles) - row;

			tile_product(m, s[1].lanes ? 2 : 1, tile, weight + row * job->row, job->row,
			    copy + s[0].from, s[1].from - s[0].from, at, depth);
			for (int v = 0; v < TILE_VECS && s[v].lanes; v++)
				strip_store(c + row * job->target_plane + s[v].to,
				    job->target_plane, w->x.out_step, tile + v * LANES, m,
				    s[v].lanes, bias ? bias + row : NULL, keep);
		}
	}
}

/* The threads share whole bands, each with all its channels. */
static void
direct_share(const struct conv_job *job, const struct direct *d, real *scratch)
{
	const struct window *w = &job->windows.at;
	int64_t units = job->b * job->groups * w->z.count * d->bands;
	struct place at[DIRECT_DEPTH];
	int depth = 0, tabled = 0, of = 0;

	scratch += team_me() * product_scratch((int64_t)w->channels * window_taps(w), BLOCK_COLS, NARROW);
	ROWS (u, units) {
		int64_t v = u / d->bands, image = v / w->z.count / job->groups;
		int z = (int)(v % w->z.count), g = (int)(v / w->z.count % job->groups);
		int y = (int)(u % d->bands) * d->rows, rows = (int)least(d->rows, w->y.count - y);

		for (int p = 0; p < d->planes; p += d->block) {
			int n = (int)least(d->block, d->planes - p);

			if (n != tabled || p % w->z.taps != of) {
				depth = direct_places(w, d, at, p, n);
				tabled = n, of = p % w->z.taps;
			}
			direct_copy(job, d, scratch, image, g, z, p, n, y, rows);
			direct_band(job, d, scratch, job->target + image * w->out_image +
			    (int64_t)g * job->rows * job->target_plane +
			    (w->z.out + z * w->z.out_step) * w->out_slice,
			    job->weight + g * job->group + p / w->z.taps * w->channel_step,
			    job->bias && p == 0 ? job->bias + (int64_t)g * job->rows : NULL, at, depth, y,
			    rows, p == 0 ? job->keep : 1);
		}
	}
}

static void
direct_run(const struct conv_job *job, const struct direct *d, real *scratch)
{
	const struct window *w = &job->windows.at;

	if (job->b * window_positions(w) * w->channels * window_taps(w) * job->rows * job->groups <
	    WORTH_PRODUCT)
		ALONE
			direct_share(job, d, scratch);
	else
		direct_share(job, d, scratch);
}

#endif

#endif
