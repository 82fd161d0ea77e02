/*
 * conv/conv_concat.cu - convolution of channels that lie in several tensors, each perhaps larger
 * than what is seen of it (sources.cu): conv.cu without the concat, and crops, that would come
 * first. Sums are taken in the same order, so that results are the same to the bit; but for cuDNN,
 * which sums over one tensor after the other (conv_concat_cudnn.cu).
 *
 * The gradient of the input is one product for each tensor that wants one, of that part of the
 * weights; where a tensor is seen through a crop, what lies outside gets zeros.
 */
#ifndef STOWAGE_CONV_CONV_CONCAT_CU
#define STOWAGE_CONV_CONV_CONCAT_CU

#include "conv/conv.cu"
#include "conv/sources.cu"

/* What a gradient is outside the rectangle of OH x OW at (top, left): nothing is added there. */
KERNEL(frame_kernel, (elem *dx, struct onto onto, int64_t planes, int64_t h, int64_t w, int64_t top,
    int64_t left, int64_t oh, int64_t ow))
{
	real keep = onto_keep(onto);

	EACH_PLACE (p, y, x, planes, h, w)
		if (y < top || y >= top + oh || x < left || x >= left + ow)
			onto_store(&dx[(p * h + y) * w + x], 0, keep);
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
#include "conv/conv_concat_cuda.cu"
#else
#include "conv/conv_concat_c.cu"
#endif

#endif
