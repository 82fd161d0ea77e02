/*
 * conv_gpu.cu - convolution on a GPU: the three products of conv.cu as jobs of gemm_gpu.cu, and
 * depthwise convolution directly. Nothing is unrolled into memory: an element of the windows is
 * found when it is fetched.
 */
#ifndef STOWAGE_CONV_GPU_CU
#define STOWAGE_CONV_GPU_CU

#include "gemm_gpu.cu"
#include "sources.cu"
#include "window.cu"
#include "depthwise.cu"
#include "conv_cudnn.cu"

#ifdef __CUDACC__

struct conv_window_job {		/* forward, and one phase of the gradient of the input */
	static const bool A_ALONG_K = true, B_ALONG_K = false;
	int64_t rows, cols, depth;
	struct window at;
	const real *source, *weight, *bias;
	real *target;
	struct onto onto;
	int64_t row, group, plane;	/* steps in the weights; of the target's planes */

	__device__ __forceinline__ real
	a(int z, int64_t m, int64_t k) const
	{
		int taps = at.y.taps * at.x.taps, t = (int)(k % taps);

		return weight[z * group + m * row + k / taps * at.channel_step +
		    (at.y.tap + t / at.x.taps * at.y.tap_step) * at.tap_row +
		    at.x.tap + t % at.x.taps * at.x.tap_step];
	}

	__device__ __forceinline__ real
	b(int z, int64_t k, int64_t n) const
	{
		int taps = at.y.taps * at.x.taps, t = (int)(k % taps), positions = at.y.count * at.x.count;
		int q = (int)(n % positions);
		int y = q / at.x.count * at.y.step + at.y.first + t / at.x.taps * at.y.delta;
		int x = q % at.x.count * at.x.step + at.x.first + t % at.x.taps * at.x.delta;

		if (y < 0 || y >= at.y.size || x < 0 || x >= at.x.size)
			return 0;
		return source[n / positions * at.image + (z * at.channels + k / taps) * at.plane +
		    (int64_t)y * at.x.size + x];
	}

	__device__ __forceinline__ void
	store(int z, int, int64_t m, int64_t n, real value) const
	{
		int positions = at.y.count * at.x.count, q = (int)(n % positions);
		int64_t plane_index = z * rows + m;

		onto_store(&target[n / positions * at.out_image + plane_index * plane +
		    (int64_t)(at.y.out + q / at.x.count * at.y.out_step) * at.out_row +
		    at.x.out + q % at.x.count * at.x.out_step],
		    bias ? value + bias[plane_index] : value, onto_keep(onto));
	}
};

struct conv_weight_job {		/* the gradient of the weights */
	static const bool A_ALONG_K = true, B_ALONG_K = true;
	int64_t rows, cols, depth;
	struct conv s;
	const real *dy, *x;
	real *target;		/* dw, or the partial results one after the other */
	struct onto onto;	/* for the partial results: anew */

	__device__ __forceinline__ real
	a(int z, int64_t m, int64_t k) const
	{
		int positions = s.oh * s.ow;

		return dy[(k / positions * s.f + z * rows + m) * positions + k % positions];
	}

	__device__ __forceinline__ real
	b(int z, int64_t k, int64_t n) const
	{
		int positions = s.oh * s.ow, q = (int)(k % positions), taps = s.kh * s.kw;
		int t = (int)(n % taps);
		int y = q / s.ow * s.sy - s.top + t / s.kw * s.dy;
		int xx = q % s.ow * s.sx - s.left + t % s.kw * s.dx;

		if (y < 0 || y >= s.h || xx < 0 || xx >= s.w)
			return 0;
		return x[((k / positions * s.c + z * (s.c / s.groups) + n / taps) * s.h + y) * s.w + xx];
	}

	__device__ __forceinline__ void
	store(int z, int split, int64_t m, int64_t n, real value) const
	{
		onto_store(&target[(((int64_t)split * s.groups + z) * rows + m) * cols + n], value,
		    onto_keep(onto));
	}
};

KERNEL(depthwise_forward_kernel, (real *y, const real *x, const real *w, const real *bias,
    struct onto onto, int64_t n, struct conv s))
{
	real keep = onto_keep(onto);

	EACH (i, n) {
		int ox = (int)(i % s.ow), oy = (int)(i / s.ow % s.oh);
		int64_t plane = i / ((int64_t)s.ow * s.oh), f = plane % s.f;
		const real *from = x + (plane / s.f * s.c + f / (s.f / s.groups)) * s.h * s.w;
		real sum = bias ? bias[f] : 0;

		for (int ky = 0; ky < s.kh; ky++)
			for (int kx = 0; kx < s.kw; kx++) {
				int iy = oy * s.sy - s.top + ky * s.dy;
				int ix = ox * s.sx - s.left + kx * s.dx;

				if (iy >= 0 && iy < s.h && ix >= 0 && ix < s.w)
					sum += w[(f * s.kh + ky) * s.kw + kx] *
					    from[(int64_t)iy * s.w + ix];
			}
		onto_store(&y[i], sum, keep);
	}
}

KERNEL(depthwise_input_kernel, (real *dx, const real *dy, const real *w, const real *bias,
    struct onto onto, int64_t n, struct conv s))
{
	real keep = onto_keep(onto);

	EACH (i, n) {
		int ix = (int)(i % s.w), iy = (int)(i / s.w % s.h), fg = s.f / s.groups;
		int64_t plane = i / ((int64_t)s.w * s.h), c = plane % s.c;
		real sum = bias ? bias[c] : 0;

		for (int64_t f = c * fg; f < (c + 1) * fg; f++)
			for (int ky = 0; ky < s.kh; ky++)
				for (int kx = 0; kx < s.kw; kx++) {
					int oy = iy + s.top - ky * s.dy, ox = ix + s.left - kx * s.dx;

					if (oy < 0 || oy % s.sy || ox < 0 || ox % s.sx)
						continue;
					oy /= s.sy, ox /= s.sx;
					if (oy < s.oh && ox < s.ow)
						sum += w[(f * s.kh + ky) * s.kw + kx] *
						    dy[((plane / s.c * s.f + f) * s.oh + oy) * s.ow +
						    ox];
				}
		onto_store(&dx[i], sum, keep);
	}
}

KERNEL(depthwise_weight_kernel, (real *dw, const real *dy, const real *x, struct onto onto,
    int64_t b, struct conv s))
{
	real keep = onto_keep(onto);

	ROWS (r, (int64_t)s.f * s.kh * s.kw) {
		int kx = (int)(r % s.kw), ky = (int)(r / s.kw % s.kh), positions = s.oh * s.ow;
		int64_t f = r / ((int64_t)s.kw * s.kh);
		double sum = 0;

		ALONG (j, b * positions) {
			int q = (int)(j % positions);
			int iy = q / s.ow * s.sy - s.top + ky * s.dy;
			int ix = q % s.ow * s.sx - s.left + kx * s.dx;

			if (iy >= 0 && iy < s.h && ix >= 0 && ix < s.w)
				sum += (double)dy[(j / positions * s.f + f) * positions + q] *
				    x[((j / positions * s.c + f / (s.f / s.groups)) * s.h + iy) *
				    s.w + ix];
		}
		sum = ROW_SUM(sum);
		FIRST
			onto_store(&dw[r], (real)sum, keep);
	}
}

/* A job that knows how to find elements of the input; conv_concat.cu has one of its own. */
template <class Job> static void
conv_forward_run(Job &job, real *y, const real *w, const real *bias, struct onto onto, int64_t b,
    const struct conv &s)
{
	job.at = window_forward(&s);
	job.weight = w, job.bias = bias, job.target = y, job.onto = onto;
	job.rows = s.f / s.groups;
	job.depth = (int64_t)(s.c / s.groups) * s.kh * s.kw;
	job.plane = (int64_t)s.oh * s.ow;
	job.cols = b * job.plane;
	job.row = job.depth;
	job.group = job.rows * job.row;
	gpu_product(job, s.groups, 1);
}

static void
conv_forward(real *y, const real *x, const real *w, const real *bias, struct onto onto, void *work,
    int64_t b, struct conv s)
{
	struct conv_window_job job;

	if (conv_is_depthwise(&s)) {
		int64_t n = b * s.f * s.oh * s.ow;

		LAUNCH(depthwise_forward_kernel, n, (y, x, w, bias, onto, n, s));
		return;
	}
	if (dnn_run(DNN_FORWARD, x, w, y, bias, onto, work, b, &s))
		return;
	job.source = x;
	conv_forward_run(job, y, w, bias, onto, b, s);
}

/* The gradient of the job's rows of channels, whose rows of elements lie ROW apart. */
static void
conv_backward_rows(struct conv_window_job &job, int row, int64_t b, const struct conv &s)
{
	for (int ry = 0; ry < s.sy && ry < s.h; ry++)
		for (int rx = 0; rx < s.sx && rx < s.w; rx++) {
			job.at = window_backward(&s, ry, rx);
			job.at.out_row = row;
			job.at.out_image = job.rows * s.groups * job.plane;
			job.cols = b * job.at.y.count * job.at.x.count;
			job.depth = (int64_t)job.at.channels * job.at.y.taps * job.at.x.taps;
			gpu_product(job, s.groups, 1);
		}
}

static void
conv_backward_input(real *dx, const real *dy, const real *w, const real *bias, struct onto onto,
    void *work, int64_t b, struct conv s)
{
	struct conv_window_job job;

	if (conv_is_depthwise(&s)) {
		int64_t n = b * s.c * s.h * s.w;

		LAUNCH(depthwise_input_kernel, n, (dx, dy, w, bias, onto, n, s));
		return;
	}
	if (dnn_run(DNN_INPUT, dx, w, dy, bias, onto, work, b, &s))
		return;
	job.source = dy, job.weight = w, job.bias = bias, job.target = dx, job.onto = onto;
	job.rows = s.c / s.groups;
	job.row = (int64_t)s.kh * s.kw;
	job.group = (int64_t)(s.f / s.groups) * job.rows * job.row;
	job.plane = (int64_t)s.h * s.w;
	conv_backward_rows(job, s.w, b, s);
}

template <class Job> static void
conv_weight_run(Job &job, real *dw, const real *dy, struct onto onto, void *work, int64_t b,
    const struct conv &s)
{
	int splits = conv_gpu_splits(&s);

	job.s = s, job.dy = dy;
	job.rows = s.f / s.groups;
	job.cols = (int64_t)(s.c / s.groups) * s.kh * s.kw;
	job.depth = b * s.oh * s.ow;
	job.target = splits > 1 ? (real *)work : dw;
	job.onto = splits > 1 ? ANEW : onto;
	gpu_product(job, s.groups, splits);
	if (splits > 1) {
		int64_t n = job.rows * job.cols * s.groups;

		LAUNCH(gpu_sum_kernel, n, (dw, job.target, onto, n, splits));
	}
}

static void
conv_backward_weight(real *dw, const real *dy, const real *x, struct onto onto, void *work,
    int64_t b, struct conv s)
{
	struct conv_weight_job job;

	if (conv_is_depthwise(&s)) {
		int64_t rows = (int64_t)s.f * s.kh * s.kw;

		LAUNCH_ROWS(depthwise_weight_kernel, rows, (dw, dy, x, onto, b, s));
		return;
	}
	if (dnn_run(DNN_WEIGHT, x, dw, dy, NULL, onto, work, b, &s))
		return;
	job.x = x;
	conv_weight_run(job, dw, dy, onto, work, b, s);
}

#endif

#endif
