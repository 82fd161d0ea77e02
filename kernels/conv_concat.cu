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
KERNEL(frame_kernel, (elem *dx, struct onto onto, int64_t planes, int64_t h, int64_t w, int64_t top,
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
part_frame(elem *dx, struct onto onto, int64_t b, const struct part *p, const struct conv *s)
{
	int64_t planes = b * p->channels;

	if (p->h != s->h || p->w != s->w)
		LAUNCH(frame_kernel, planes * p->h * p->w, (dx, onto, planes, p->h, p->w, p->top,
		    p->left, s->h, s->w));
}

#ifdef __CUDACC__

struct concat_window_job : conv_window_job {
	struct sources x;

	DEVICE_METHOD Term
	term(int z, int64_t k) const
	{
		int c = (int)(k / (at.y.taps * at.x.taps));
		const struct piece *from = piece_of(&x, &c);
		Term t = tap(z, k);

		t.plane.at = from->at + c * from->plane;
		t.plane.image = from->image, t.plane.row = from->row;
		return t;
	}
};

struct concat_weight_job : conv_weight_job {
	struct sources from;

	DEVICE_METHOD Col
	col(int, int64_t n) const
	{
		int within = (int)(n / (s.kh * s.kw));
		const struct piece *piece = piece_of(&from, &within);
		Col c = tap(n);

		c.at = piece->at + within * piece->plane;
		c.image = piece->image, c.row = piece->row;
		return c;
	}
};

static void
conv_concat_forward(elem *y, struct sources x, const elem *w, const elem *bias, void *work,
    int64_t b, struct conv s)
{
	struct concat_window_job job;

	(void)work;
	job.x = x;
	conv_forward_run(job, y, w, bias, ANEW, b, s);
}

static void
conv_concat_backward_weight(elem *dw, const elem *dy, struct sources x, struct onto onto,
    void *work, int64_t b, struct conv s)
{
	struct concat_weight_job job;

	job.from = x;
	conv_weight_run(job, dw, dy, onto, work, b, s);
}

static void
conv_concat_backward_input(elem *dx, const elem *dy, const elem *w, struct onto onto, void *work,
    int64_t b, struct conv s, struct part p)
{
	struct conv_window_job job;

	(void)work;
	job.source = dy, job.weight = w + (int64_t)p.first * s.kh * s.kw, job.bias = NULL;
	job.target = dx + (int64_t)p.top * p.w + p.left, job.onto = onto;
	job.rows = p.channels;
	job.step = (int64_t)s.kh * s.kw;
	job.group = 0;
	job.plane = (int64_t)p.h * p.w;
	part_frame(dx, onto, b, &p, &s);
	conv_backward_rows(job, p.w, b, s);
}

#else

static void
conv_concat_forward(elem *y, struct sources x, const elem *w, const elem *bias, void *work,
    int64_t b, struct conv s)
{
	conv_forward_of(y, &x, w, bias, ANEW, work, b, s);
}

static void
conv_concat_backward_weight(elem *dw, const elem *dy, struct sources x, struct onto onto,
    void *work, int64_t b, struct conv s)
{
	conv_weight_run(dw, dy, &x, onto_keep(onto), work, b, s);
}

static void
conv_concat_backward_input(elem *dx, const elem *dy, const elem *w, struct onto onto, void *work,
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
