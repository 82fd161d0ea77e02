/*
 * conv/concat.cu - convolution of channels that lie in several tensors, each perhaps larger than
 * what is seen of it (sources.cu): conv.cu without the concat, and crops, that would come first.
 * Sums are taken in the same order, so that results are the same to the bit; but for cuDNN, which
 * sums over one tensor after the other (concat_cudnn.cu).
 *
 * The gradient of the input is one product for each tensor that wants one, of that part of the
 * weights; where a tensor is seen through a crop, what lies outside gets zeros.
 */
#include "conv/conv.cu"

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

/* Elements that a step to the right is long. */
static inline int64_t
part_pixel(const struct part *p, const struct conv *s)
{
	return s->last ? p->channels : 1;
}

/* Where the first one is that is seen. */
static inline int64_t
part_corner(const struct part *p, const struct conv *s)
{
	return ((int64_t)p->top * p->w + p->left) * part_pixel(p, s);
}

static void
part_frame(elem *dx, struct onto onto, int64_t b, const struct part *p, const struct conv *s)
{
	int64_t pixel = part_pixel(p, s), planes = b * p->channels / pixel;

	if (p->h != s->h || p->w != s->w)
		LAUNCH(frame_kernel, planes * p->h * p->w * pixel, (dx, onto, planes, p->h,
		    p->w * pixel, p->top, p->left * pixel, s->h, s->w * pixel));
}

#ifdef __CUDACC__

template <bool LAST> struct concat_window_job : conv_window_job<LAST, false> {
	typedef typename conv_window_job<LAST, false>::Term Term;
	struct sources x;

	DEVICE_METHOD Term
	term(int z, int64_t k) const
	{
		int c = this->channel(k);
		const struct piece *from = piece_of(&x, &c);
		Term t = this->tap(z, k);

		t.plane.at = from->at + c * from->plane;
		t.plane.image = from->image, t.plane.row = from->row, t.plane.pixel = from->pixel;
		return t;
	}
};

template <bool LAST> struct concat_weight_job : conv_weight_job<LAST> {
	typedef typename conv_weight_job<LAST>::Col Col;
	struct sources from;

	DEVICE_METHOD Col
	col(int, int64_t n) const
	{
		int within = this->channel(n);
		const struct piece *piece = piece_of(&from, &within);
		Col c = this->tap(n);

		c.at = piece->at + within * piece->plane;
		c.image = piece->image, c.row = piece->row, c.pixel = piece->pixel;
		return c;
	}
};

/* Do channels that are fetched at once lie in one tensor? */
static bool
sources_pack(const struct sources &x)
{
	for (int i = 0; i < x.n; i++)
		if (!gpu_packs(x.s[i].at, x.s[i].channels))
			return false;
	return true;
}

template <bool LAST> static void
concat_forward_own(elem *y, const struct sources &x, const elem *w, const elem *bias,
    struct onto onto, int64_t b, const struct conv &s)
{
	struct concat_window_job<LAST> job;

	job.x = x;
	job.b_packs = LAST && sources_pack(x);
	conv_forward_run(job, y, w, bias, onto, AS_IS, b, s);
}

template <bool LAST> static void
concat_weight_own(elem *dw, const elem *dy, const struct sources &x, struct onto onto, void *work,
    int64_t b, const struct conv &s)
{
	struct concat_weight_job<LAST> job;

	job.from = x;
	job.b_packs = LAST && sources_pack(x);
	conv_weight_run(job, dw, dy, onto, work, b, s);
}

template <bool LAST> static void
concat_input_own(elem *dx, const elem *dy, const elem *w, struct onto onto, int64_t b,
    const struct conv &s, const struct part &p)
{
	struct conv_window_job<LAST, true> job;

	job.source = dy, job.weight = w, job.bias = NULL;
	job.target = dx + part_corner(&p, &s), job.onto = onto, job.then = AS_IS;
	job.rows = p.channels;
	job.group = 0;
	conv_backward_rows(job, p.h, p.w, b, s);
}

#include "conv/concat_cudnn.cu"

static void
conv_concat_forward(elem *y, struct sources x, const elem *w, const elem *bias, void *work,
    int64_t room, int64_t b, struct conv s)
{
	if (concat_forward_dnn(y, x, w, bias, work, room, b, s))
		return;
	BY_LAYOUT(s, concat_forward_own, (y, x, w, bias, ANEW, b, s));
}

static void
conv_concat_backward_weight(elem *dw, const elem *dy, struct sources x, struct onto onto,
    void *work, int64_t room, int64_t b, struct conv s)
{
	if (concat_weight_dnn(dw, dy, x, onto, work, room, b, s))
		return;
	BY_LAYOUT(s, concat_weight_own, (dw, dy, x, onto, work, b, s));
}

static void
conv_concat_backward_input(elem *dx, const elem *dy, const elem *w, struct onto onto, void *work,
    int64_t room, int64_t b, struct conv s, struct part p)
{
	w += p.first * conv_channel_step(&s);
	part_frame(dx, onto, b, &p, &s);
	if (concat_input_dnn(dx, dy, w, onto, work, room, b, s, p))
		return;
	BY_LAYOUT(s, concat_input_own, (dx, dy, w, onto, b, s, p));
}

#else

static void
conv_concat_forward(elem *y, struct sources x, const elem *w, const elem *bias, void *work,
    int64_t room, int64_t b, struct conv s)
{
	(void)room;
	conv_forward_of(y, &x, w, bias, ANEW, AS_IS, work, b, s);
}

static void
conv_concat_backward_weight(elem *dw, const elem *dy, struct sources x, struct onto onto,
    void *work, int64_t room, int64_t b, struct conv s)
{
	(void)room;
	conv_weight_run(dw, dy, &x, onto_keep(onto), work, b, s);
}

static void
conv_concat_backward_input(elem *dx, const elem *dy, const elem *w, struct onto onto, void *work,
    int64_t room, int64_t b, struct conv s, struct part p)
{
	struct conv_job job = { 0 };

	(void)room;
	job.weight = w + p.first * conv_channel_step(&s);
	job.target = dx + part_corner(&p, &s);
	job.keep = onto_keep(onto), job.b = b;
	job.rows = p.channels, job.whole = s.c, job.groups = 1;
	part_frame(dx, onto, b, &p, &s);
	conv_backward_rows(&job, dy, p.h, p.w, work, s);
}

#endif
