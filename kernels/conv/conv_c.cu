/*
 * conv/conv_c.cu - convolution in C: windows packed into panels of the product, and the functions
 * that programs call (conv.cu).
 */
#ifndef STOWAGE_CONV_CONV_C_CU
#define STOWAGE_CONV_CONV_C_CU

#include "product/gemm_c.cu"
#include "conv/window.cu"
#include "conv/direct_c.cu"
#include "conv/weight_c.cu"
#include "conv/depthwise_first_c.cu"
#include "conv/depthwise_last.cu"

/* A run of columns of B: neighbours in a row of one image. */
struct span {
	int col, len;
	int64_t image;
	int z, y, x;		/* source position of its first column under the first tap */
};

struct copy {			/* one span under one tap, over N channels */
	real *to;
	const elem *from;
	int64_t to_step, from_step, step;	/* step: from lane to lane */
	int n, len, lo, hi;	/* lanes [lo, hi) lie inside the source row */
};

static void
copy_places(const struct copy *s)
{
	for (int i = 0; i < s->len; i++) {
		const elem *from = s->from + i * s->step;
		real *to = s->to + i;
		bool in = i >= s->lo && i < s->hi;

		for (int c = 0; c < s->n; c++, to += s->to_step)
			*to = in ? VALUE(from[c]) : 0;
	}
}

static void
copy_lanes(const struct copy *s)
{
	real *to = s->to;
	const elem *from = s->from;

	if (s->from_step == 1 && s->step != 1) {	/* channels are neighbours */
		copy_places(s);
		return;
	}
	for (int c = 0; c < s->n; c++, to += s->to_step, from += s->from_step) {
		for (int i = 0; i < s->lo; i++)
			to[i] = 0;
		for (int i = s->lo; i < s->hi; i++)
			to[i] = VALUE(from[i * s->step]);
		for (int i = s->hi; i < s->len; i++)
			to[i] = 0;
	}
}

#if !NARROW

/* The same for spans of exactly W lanes whose loads stay inside the tensor: W neighbours are
 * loaded, and those of another row masked out. */
#define COPY_WIDE(name, W)								\
static void										\
name(const struct copy *s)								\
{											\
	typedef bits mask __attribute__((vector_size(W * sizeof(real)), aligned(sizeof(real)),	\
	    may_alias));								\
	real *to = s->to;								\
	const real *from = s->from;							\
	mask in = *(const mask *)(lane_mask + 16 - s->lo) &				\
	    *(const mask *)(lane_mask + 32 - s->hi);					\
											\
	for (int c = 0; c < s->n; c++, to += s->to_step, from += s->from_step)		\
		*(mask *)to = *(const mask *)from & in;					\
}

COPY_WIDE(copy_wide, LANES)
#if VECTOR_BYTES > 16
COPY_WIDE(copy_half, (LANES / 2))
#endif
#if VECTOR_BYTES > 32
COPY_WIDE(copy_quarter, (LANES / 4))
#endif

#endif

static void
copy_span(const struct piece *w, const struct copy *s)
{
#if NARROW
	(void)w;
	copy_lanes(s);
#else
	const real *first = s->from, *last = s->from + (s->n - 1) * s->from_step + s->len;

	if (s->step != 1 || first < w->begin || last > w->end)
		copy_lanes(s);
	else if (s->len == LANES)
		copy_wide(s);
#if VECTOR_BYTES > 16
	else if (s->len == LANES / 2)
		copy_half(s);
#endif
#if VECTOR_BYTES > 32
	else if (s->len == LANES / 4)
		copy_quarter(s);
#endif
	else
		copy_lanes(s);
#endif
}

/* Cuts columns [j, j + cols) into spans of a power of two of lanes, at most a vector each. */
static int
cut_spans(const struct window *w, struct span *span, int64_t j, int cols)
{
	int64_t image = j / window_positions(w);
	int q = (int)(j % window_positions(w)), x = q % w->x.count, y = q / w->x.count % w->y.count;
	int z = q / w->x.count / w->y.count, n = 0, col, len;

	for (col = 0; col < cols; col += len, n++) {
		len = LANES;
		while (len > cols - col || len > w->x.count - x)
			len /= 2;
		span[n].col = col;
		span[n].len = len;
		span[n].image = image;
		span[n].z = z * w->z.step + w->z.first;
		span[n].y = y * w->y.step + w->y.first;
		span[n].x = x * w->x.step + w->x.first;
		x += len;
		if (x == w->x.count) {
			x = 0;
			if (++y == w->y.count) {
				y = 0;
				if (++z == w->z.count) {
					z = 0;
					image++;
				}
			}
		}
	}
	return n;
}

/* The copy's N channels from C on, plane Z, row Y, column X of the span's image, whatever pieces
 * they are in. */
static void
copy_channels(const struct sources *sources, const struct window *w, const struct span *span,
    struct copy s, int c, int z, int y, int x)
{
	for (int n = s.n; n > 0; n -= s.n, s.to += s.n * s.to_step) {
		int within = c;
		const struct piece *from = piece_of(sources, &within);

		s.n = (int)least(n, from->channels - within);
		s.from_step = from->plane;
		s.step = w->x.step * from->pixel;
		s.from = from->at + span->image * from->image + within * from->plane +
		    z * w->slice + y * from->row + x * from->pixel;
		copy_span(from, &s);
		c += s.n;
	}
}

static void
pack_span(const struct product *p, const struct span *span, real *panel, int64_t k, int n)
{
	const struct windows *ws = (const struct windows *)p->shape;
	const struct window *w = &ws->at;
	int taps = window_taps(w), step;
	struct copy s;

	s.len = span->len;
	step = w->x.step;
	s.to_step = (int64_t)taps * TILE_COLS;
	for (int tx = 0; tx < w->x.taps; tx++) {
		int x = span->x + tx * w->x.delta, size = w->x.size, z = span->z, ty = 0;

		s.lo = x < 0 ? (int)least(s.len, (-x + step - 1) / step) : 0;
		s.hi = x >= size ? 0 : (int)least(s.len, (size - 1 - x) / step + 1);
		for (int t = tx; t < taps; t += w->x.taps, ty++) {
			int64_t c = k > t ? (k - t + taps - 1) / taps : 0;
			int y;

			if (ty == w->y.taps)
				ty = 0, z += w->z.delta;
			y = span->y + ty * w->y.delta;
			s.n = (int)((k + n - t + taps - 1) / taps - c);
			if (k + n <= t || s.n <= 0)
				continue;
			s.to = panel + (c * taps + t - k) * TILE_COLS + span->col;
			if (z < 0 || z >= w->z.size || y < 0 || y >= w->y.size || s.lo >= s.hi) {
				for (int i = 0; i < s.n; i++)
					for (int q = 0; q < s.len; q++)
						s.to[i * s.to_step + q] = 0;
				continue;
			}
			copy_channels(ws->from, w, span, s, ws->first + (int)c, z, y, x);
		}
	}
}

static void
pack_windows(const struct product *p, real *panel, int64_t j, int cols, int64_t k, int n)
{
	const struct windows *w = (const struct windows *)p->shape;
	struct span span[TILE_COLS];
	int spans = cut_spans(&w->at, span, j, cols);

	for (int i = 0; i < spans; i++)
		pack_span(p, &span[i], panel, k, n);
}

/* The weights' offsets, term k being tap k % taps of source channel k / taps. */
static void
places_taps(const struct product *p, struct place *at, int64_t k, int n)
{
	const struct window *w = &((const struct windows *)p->shape)->at;
	int taps = window_taps(w);
	int64_t c = k / taps;
	int t = (int)(k % taps), tx = t % w->x.taps, ty = t / w->x.taps % w->y.taps;
	int tz = t / w->x.taps / w->y.taps;

	for (int i = 0; i < n; i++) {
		at[i].a = c * w->channel_step + (w->z.tap + tz * w->z.tap_step) * w->tap_slice +
		    (w->y.tap + ty * w->y.tap_step) * w->tap_row +
		    (w->x.tap + tx * w->x.tap_step) * w->tap_col;
		if (++tx == w->x.taps) {
			tx = 0;
			if (++ty == w->y.taps) {
				ty = 0;
				if (++tz == w->z.taps) {
					tz = 0;
					c++;
				}
			}
		}
	}
}

static void
columns_out(const struct product *p, int64_t *at, int64_t j, int n)
{
	const struct window *w = &((const struct windows *)p->shape)->at;
	int64_t positions = window_positions(w), image = j / positions;
	int q = (int)(j % positions), x = q % w->x.count, y = q / w->x.count % w->y.count;
	int z = q / w->x.count / w->y.count;

	for (int i = 0; i < n; i++) {
		at[i] = image * w->out_image + (w->z.out + z * w->z.out_step) * w->out_slice +
		    (w->y.out + y * w->y.out_step) * w->out_row +
		    (w->x.out + x * w->x.out_step) * w->out_pixel;
		if (++x == w->x.count) {
			x = 0;
			if (++y == w->y.count) {
				y = 0;
				if (++z == w->z.count) {
					z = 0;
					image++;
				}
			}
		}
	}
}

static struct product
conv_product(const struct conv_job *job, const struct windows *windows, int g)
{
	const struct window *w = &windows->at;
	struct product p = { 0 };

	p.rows = job->rows;
	p.cols = job->b * window_positions(w);
	p.depth = (int64_t)w->channels * window_taps(w);
	p.a = job->weight + g * job->group;
	p.a_row = job->row;
	p.c = job->target + (int64_t)g * job->rows * job->target_plane;
	p.c_row = job->target_plane;
	p.keep = job->keep;
	p.bias = job->bias ? job->bias + (int64_t)g * job->rows : NULL;
	p.bias_row = 1;
	p.then = epilogue_beyond(job->then, (int64_t)g * job->rows * job->target_plane);
	p.shape = windows;
	p.places = places_taps;
	p.pack = pack_windows;
	p.columns = columns_out;
	return p;
}

/* One group's product, which the threads share or this one makes. */
static void
conv_group(const struct conv_job *job, real *scratch, int g, bool shared)
{
	struct windows windows = job->windows;
	struct product p;

	windows.first = g * windows.at.channels;
	p = conv_product(job, &windows, g);
	if (shared)
		product_share(&p, scratch);
	else
		product_by_columns(&p, scratch + team_me() * product_scratch(p.depth, p.cols, NARROW),
		    0, p.cols);
}

/* The threads share groups, as far as each gets as many, and then the products of the others. */
static void
conv_share(const struct conv_job *job, real *scratch)
{
	int whole = job->groups / team_size() * team_size();

	ROWS (g, whole)
		conv_group(job, scratch, (int)g, false);
	for (int g = whole; g < job->groups; g++)
		conv_group(job, scratch, g, true);
}

/* Does one row of a plane follow the other? */
static bool
sources_whole(const struct sources *s, const struct window *w)
{
	bool whole = true;

	for (int i = 0; i < s->n; i++)
		whole = whole && s->s[i].row == w->x.size * s->s[i].pixel;
	return whole;
}

static void
conv_run(struct conv_job *job, real *scratch)
{
	const struct window *w = &job->windows.at;

	if (sources_whole(job->windows.from, &job->windows.at))
		window_flatten(&job->windows.at);
#if !NARROW
	struct direct direct = direct_plan(job);

	if (direct.strips) {
		direct_run(job, &direct, scratch);
		epilogue_apply(job->target, job->then,
		    job->b * job->groups * job->rows * window_positions(w));
		return;
	}
#endif
	if (job->b * window_positions(w) * w->channels * window_taps(w) * job->rows * job->groups <
	    WORTH_PRODUCT)
		ALONE
			conv_share(job, scratch);
	else
		conv_share(job, scratch);
}

/* Y from X, whose channels lie in any number of tensors. */
static void
conv_forward_of(elem *y, const struct sources *x, const elem *w, const elem *bias,
    struct onto onto, struct epilogue then, void *work, int64_t b, struct conv s)
{
	struct conv_job job = { 0 };

	job.windows.at = window_forward(&s);
	job.windows.from = x;
	job.weight = w, job.bias = bias, job.target = y, job.keep = onto_keep(onto), job.b = b;
	job.rows = job.whole = s.f / s.groups, job.groups = s.groups;
	job.row = conv_planes(&s) * s.kh * s.kw;
	job.group = job.rows * job.row;
	job.target_plane = s.last ? 1 : conv_outputs(&s);
	job.last = s.last;
	job.then = then;
	conv_run(&job, (real *)work);
}

static void
conv_forward(elem *y, const elem *x, const elem *w, const elem *bias, struct onto onto,
    struct epilogue then, void *work, int64_t room, int64_t b, struct conv s)
{
	struct sources from = only_source(x, b, s.c, s.d, s.h, s.w, &s);

	(void)room;
	if (conv_is_depthwise(&s) && s.last)
		depthwise_last_forward(y, x, w, bias, onto, b, s);
	else if (conv_is_depthwise(&s))
		depthwise_forward(y, x, w, bias, onto_keep(onto), work, b, s);
	else
		conv_forward_of(y, &from, w, bias, onto, then, work, b, s);
	if (conv_is_depthwise(&s))
		epilogue_apply(y, then, b * s.f * s.oh * s.ow);
}

/* Positions of the input that no tap reaches. */
static void
conv_unreached(const struct conv_job *job)
{
	const struct window *w = &job->windows.at;
	int channels = job->rows * job->groups;
	int64_t planes = job->b * channels;

	ROWS (i, planes)
		for (int zy = 0; zy < w->z.count * w->y.count; zy++) {
			elem *row = job->target + i / channels * w->out_image +
			    i % channels * job->target_plane +
			    (w->z.out + zy / w->y.count * w->z.out_step) * w->out_slice +
			    (w->y.out + zy % w->y.count * w->y.out_step) * w->out_row;

			for (int x = 0; x < w->x.count; x++) {
				elem *to = row + (w->x.out + x * w->x.out_step) * w->out_pixel;

				*to = ELEM((job->bias ? VALUE(job->bias[i % channels]) : 0) +
				    (job->keep != 0 ? job->keep * VALUE(*to) : 0));
			}
		}
}

/* The gradient of JOB's rows of channels, which are the target's: H x W, of which S has a part. */
static void
conv_backward_rows(struct conv_job *job, const elem *dy, int h, int w, void *work, struct conv s)
{
	struct sources from = only_source(dy, job->b, s.f, s.od, s.oh, s.ow, &s);
	struct phases phases = phases_of(&s);
	int deep = conv_deep(&s);

	job->windows.from = &from;
	job->target_plane = s.last ? 1 : (int64_t)deep * h * w;
	job->row = conv_channel_step(&s);
	job->last = s.last;
	for (int64_t r = 0; r < phases.z * phases.y * phases.x; r++) {
		job->windows.at = window_backward(&s, (int)(r / phases.x / phases.y),
		    (int)(r / phases.x % phases.y), (int)(r % phases.x));
		window_out(&job->windows.at, &s, job->rows * job->groups, deep, h, w);
		if (window_taps(&job->windows.at) == 0)
			conv_unreached(job);
		else
			conv_run(job, (real *)work);
	}
	job->windows.from = NULL;
}

/* dx from dy; with a bias, the forward pass of a transposed convolution. */
static void
conv_backward_input(elem *dx, const elem *dy, const elem *w, const elem *bias, struct onto onto,
    void *work, int64_t room, int64_t b, struct conv s)
{
	struct conv_job job = { 0 };

	(void)room;
	job.keep = onto_keep(onto);
	if (conv_is_depthwise(&s) && s.last) {
		depthwise_last_backward_input(dx, dy, w, bias, onto, b, s);
		return;
	}
	if (conv_is_depthwise(&s)) {
		depthwise_backward_input(dx, dy, w, bias, job.keep, work, b, s);
		return;
	}
	job.weight = w, job.bias = bias, job.target = dx, job.b = b;
	job.rows = job.whole = s.c / s.groups, job.groups = s.groups;
	job.group = (int64_t)(s.f / s.groups) * conv_planes(&s) * s.kh * s.kw;
	conv_backward_rows(&job, dy, s.h, s.w, work, s);
}

static void
conv_backward_weight(elem *dw, const elem *dy, const elem *x, struct onto onto, void *work,
    int64_t room, int64_t b, struct conv s)
{
	struct sources from = only_source(x, b, s.c, s.d, s.h, s.w, &s);

	(void)room;
	if (conv_is_depthwise(&s) && s.last)
		depthwise_last_backward_weight(dw, dy, x, onto, work, b, s);
	else if (conv_is_depthwise(&s))
		depthwise_backward_weight(dw, dy, x, onto_keep(onto), work, b, s);
	else
		conv_weight_run(dw, dy, &from, onto_keep(onto), work, b, s);
}

#endif
