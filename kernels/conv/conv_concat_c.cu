/*
 * conv/conv_concat_c.cu - convolution of channels in several tensors, in C.
 */
#ifndef STOWAGE_CONV_CONV_CONCAT_C_CU
#define STOWAGE_CONV_CONV_CONCAT_C_CU

#include "conv/conv_c.cu"

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
