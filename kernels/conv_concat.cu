/*
 * conv_concat.cu - convolution of channels that lie in several tensors, each perhaps larger than
 * what is seen of it (sources.cu): conv.cu without the concat, and crops, that would come first.
 * Sums are taken in the same order, so that results are the same to the bit.
 *
 * The gradient of the input is one product for each tensor that wants one, of that part of the
 * weights; where a tensor is seen through a crop, what lies outside gets zeros.
 */
#include "conv.cu"

/* What a gradient is outside the rectangle of OH x OW at (top, left): nothing is added there. */
KERNEL(frame_kernel, (real *dx, struct onto onto, int64_t planes, int64_t h, int64_t w, int64_t top,
    int64_t left, int64_t oh, int64_t ow))
{
	real keep = onto_keep(onto);

	EACH_PLACE (p, y, x, planes, h, w)
		if (y < top || y >= top + oh || x < left || x >= left + ow)
			onto_store(&dx[(p * h + y) * w + x], 0, keep);
}

struct part {			/* of the input, a tensor: its channels, and what is seen of it */
	int first, channels, h, w, top, left;
};

static inline struct part
part_of(int first, int channels, int h, int w, int top, int left)
{
	struct part p;

	p.first = first, p.channels = channels;
	p.h = h, p.w = w, p.top = top, p.left = left;
	return p;
}

static void
part_frame(real *dx, struct onto onto, int64_t b, const struct part *p, const struct conv *s)
{
	int64_t planes = b * p->channels;

	if (p->h != s->h || p->w != s->w)
		LAUNCH(frame_kernel, planes * p->h * p->w, (dx, onto, planes, p->h, p->w, p->top,
		    p->left, s->h, s->w));
}

#ifdef __CUDACC__

struct concat_window_job : conv_window_job {
	struct sources x;

	__device__ __forceinline__ real
	b(int, int64_t k, int64_t n) const
	{
		int taps = at.y.taps * at.x.taps, t = (int)(k % taps), row;
		int positions = at.y.count * at.x.count, q = (int)(n % positions);
		int y = q / at.x.count * at.y.step + at.y.first + t / at.x.taps * at.y.delta;
		int xx = q % at.x.count * at.x.step + at.x.first + t % at.x.taps * at.x.delta;
		const real *from;

		if (y < 0 || y >= at.y.size || xx < 0 || xx >= at.x.size)
			return 0;
		from = piece_plane(&x, n / positions, (int)(k / taps), &row);
		return from[(int64_t)y * row + xx];
	}
};

struct concat_weight_job : conv_weight_job {
	struct sources from;

	__device__ __forceinline__ real
	b(int, int64_t k, int64_t n) const
	{
		int positions = s.oh * s.ow, q = (int)(k % positions), taps = s.kh * s.kw, row;
		int t = (int)(n % taps);
		int y = q / s.ow * s.sy - s.top + t / s.kw * s.dy;
		int xx = q % s.ow * s.sx - s.left + t % s.kw * s.dx;
		const real *plane;

		if (y < 0 || y >= s.h || xx < 0 || xx >= s.w)
			return 0;
		plane = piece_plane(&from, k / positions, (int)(n / taps), &row);
		return plane[(int64_t)y * row + xx];
	}
};

static void
conv_concat_forward(real *y, struct sources x, const real *w, const real *bias, void *work,
    int64_t b, struct conv s)
{
	struct concat_window_job job;

	(void)work;
	job.x = x;
	conv_forward_run(job, y, w, bias, ANEW, b, s);
}

static void
conv_concat_backward_weight(real *dw, const real *dy, struct sources x, struct onto onto,
    void *work, int64_t b, struct conv s)
{
	struct concat_weight_job job;

	job.from = x;
	conv_weight_run(job, dw, dy, onto, work, b, s);
}

static void
conv_concat_backward_input(real *dx, const real *dy, const real *w, struct onto onto, void *work,
    int64_t b, struct conv s, struct part p)
{
	struct conv_window_job job;

	(void)work;
	job.source = dy, job.weight = w + (int64_t)p.first * s.kh * s.kw, job.bias = NULL;
	job.target = dx + (int64_t)p.top * p.w + p.left, job.onto = onto;
	job.rows = p.channels;
	job.row = (int64_t)s.kh * s.kw;
	job.group = 0;
	job.plane = (int64_t)p.h * p.w;
	part_frame(dx, onto, b, &p, &s);
	conv_backward_rows(job, p.w, b, s);
}

#else

static void
conv_concat_forward(real *y, struct sources x, const real *w, const real *bias, void *work,
    int64_t b, struct conv s)
{
	conv_forward_of(y, &x, w, bias, ANEW, work, b, s);
}

static void
conv_concat_backward_weight(real *dw, const real *dy, struct sources x, struct onto onto,
    void *work, int64_t b, struct conv s)
{
	conv_weight_run(dw, dy, &x, onto_keep(onto), work, b, s);
}

static void
conv_concat_backward_input(real *dx, const real *dy, const real *w, struct onto onto, void *work,
    int64_t b, struct conv s, struct part p)
{
	struct conv_job job = { 0 };

	job.weight = w + (int64_t)p.first * s.kh * s.kw;
	job.target = dx + (int64_t)p.top * p.w + p.left;
	job.keep = onto_keep(onto), job.b = b;
	job.rows = p.channels, job.whole = s.c, job.groups = 1;
	job.row = (int64_t)s.kh * s.kw;
	job.target_plane = (int64_t)p.h * p.w;
	part_frame(dx, onto, b, &p, &s);
	conv_backward_rows(&job, dy, p.w, work, s);
}

#endif
