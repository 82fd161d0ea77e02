/*
 * conv/conv_concat_cuda.cu - convolution of channels in several tensors, on CUDA.
 */
#ifndef STOWAGE_CONV_CONV_CONCAT_CUDA_CU
#define STOWAGE_CONV_CONV_CONCAT_CUDA_CU

#include "conv/conv_cuda.cu"

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

#ifdef COOPERATIVE
#if !defined(CHANNELS_LAST) || defined(CHANNELS_FIRST)
LISTED(concat_forward_own, gpu_product_kernel<GPU_SMALL, concat_window_job<false>>);
LISTED(concat_weight_own, gpu_product_kernel<GPU_SMALL, concat_weight_job<false>>);
#endif
#ifdef CHANNELS_LAST
LISTED(concat_forward_own, gpu_product_kernel<GPU_SMALL, concat_window_job<true>>);
LISTED(concat_weight_own, gpu_product_kernel<GPU_SMALL, concat_weight_job<true>>);
#endif
#endif

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

#include "conv/conv_concat_cudnn.cu"

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

#endif
