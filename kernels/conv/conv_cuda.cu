/*
 * conv_cuda.cu - convolution on a GPU, where cuDNN does not do it (see engine_cudnn.cu): the three
 * products of conv.cu as jobs of gemm_cuda.cu, and depthwise convolution directly. Nothing is
 * unrolled into memory: elements of the windows are located when they are fetched.
 */
#ifndef STOWAGE_CONV_CONV_CUDA_CU
#define STOWAGE_CONV_CONV_CUDA_CU

#include "product/gemm_cuda.cu"
#include "conv/sources.cu"
#include "conv/window.cu"
#include "conv/depthwise_first_cuda.cu"
#include "conv/depthwise_last.cu"
#include "conv/conv_cudnn.cu"

/* A channel of the input under a tap, and where a window lies: together they say where an element
 * is. */
struct gpu_plane {
	const elem *at;
	int64_t image;		/* step from image to image */
	int64_t row, pixel;	/* from row to row, column to column */
	int y, x;		/* of the tap */
};

struct gpu_window {
	int64_t image;
	int y, x;
};

/* The same of volumes, all of which have the steps of the job. (Many of them are kept at a
 * time.) */
struct gpu_plane_deep {
	const elem *at;
	int z, y, x;
};

struct gpu_window_deep {
	int64_t image;
	int z, y, x;
};

template <bool DEEP> struct gpu_places {
	typedef struct gpu_plane Plane;
	typedef struct gpu_window Window;
};

template <> struct gpu_places<true> {
	typedef struct gpu_plane_deep Plane;
	typedef struct gpu_window_deep Window;
};

/* Where the element lies; NULL: outside the plane of H x W. */
DEVICE const elem *
gpu_element(const struct gpu_plane &p, const struct gpu_window &at, int h, int w)
{
	int y = at.y + p.y, x = at.x + p.x;

	if (y < 0 || y >= h || x < 0 || x >= w)
		return NULL;
	return &p.at[at.image * p.image + y * p.row + x * p.pixel];
}

/* The same of a volume of D planes of H x W. */
DEVICE const elem *
gpu_element_deep(const struct gpu_plane_deep &p, const struct gpu_window_deep &at, int64_t image, int d,
    int h, int w)
{
	int z = at.z + p.z, y = at.y + p.y, x = at.x + p.x;

	if (z < 0 || z >= d || y < 0 || y >= h || x < 0 || x >= w)
		return NULL;
	return &p.at[at.image * image + ((int64_t)z * h + y) * w + x];
}

/* Forward, and (BACK) one phase of the gradient of the input. Channels first, the terms of a sum
 * are tap by tap for one channel after the other, and what is made lies along columns; with
 * channels LAST they are channel by channel for one tap after the other, and it lies along rows.
 * DEEP: of volumes, whose channels come first. */
template <bool LAST, bool BACK, bool DEEP = false> struct conv_window_job {
	static const bool A_ALONG_K = !LAST || !BACK, B_ALONG_K = LAST, C_ALONG_ROWS = LAST;
	static const bool SUMS_A = false;
	typedef int64_t Row;
	typedef typename gpu_places<DEEP>::Window Col;
	struct Term {
		int64_t weight;
		typename gpu_places<DEEP>::Plane plane;
	};
	int64_t rows, cols, depth;
	bool a_packs, b_packs;
	struct window at;
	const elem *source, *weight, *bias;
	elem *target;
	struct onto onto;
	struct epilogue then;
	int64_t step, group, plane;	/* steps in the weights; of the target's planes */

	DEVICE_METHOD int
	all_taps(void) const
	{
		return (DEEP ? at.z.taps : 1) * at.y.taps * at.x.taps;
	}

	DEVICE_METHOD int
	positions(void) const
	{
		return (DEEP ? at.z.count : 1) * at.y.count * at.x.count;
	}

	/* the channel of the K-th term */
	DEVICE_METHOD int
	channel(int64_t k) const
	{
		int taps = all_taps();

		return (int)(LAST ? k - quotient(k, at.channels) * at.channels : quotient(k, taps));
	}

	/* the K-th term, except for the plane */
	DEVICE_METHOD Term
	tap(int z, int64_t k) const
	{
		int taps = all_taps();
		int t = (int)(LAST ? quotient(k, at.channels) : k - quotient(k, taps) * taps);
		int ty = t / at.x.taps, tx = t % at.x.taps, tz = DEEP ? ty / at.y.taps : 0;
		Term term;

		if (DEEP)
			ty -= tz * at.y.taps;
		term.weight = z * group + channel(k) * at.channel_step +
		    (at.y.tap + ty * at.y.tap_step) * at.tap_row +
		    (at.x.tap + tx * at.x.tap_step) * at.tap_col;
		term.plane.y = ty * at.y.delta, term.plane.x = tx * at.x.delta;
		if constexpr (DEEP) {
			term.weight += (at.z.tap + tz * at.z.tap_step) * at.tap_slice;
			term.plane.z = tz * at.z.delta;
		}
		return term;
	}

	DEVICE_METHOD Term
	term(int z, int64_t k) const
	{
		Term t = tap(z, k);

		t.plane.at = source + (int64_t)(z * at.channels + channel(k)) * at.plane;
		if constexpr (!DEEP)
			t.plane.image = at.image, t.plane.row = at.row, t.plane.pixel = at.pixel;
		return t;
	}

	DEVICE_METHOD Row
	row(int, int64_t m) const
	{
		return m * step;
	}

	DEVICE_METHOD Col
	col(int, int64_t n) const
	{
		int q, y;
		Col c;

		c.image = quotient(n, positions()), q = (int)(n - c.image * positions());
		y = q / at.x.count;
		if constexpr (DEEP) {
			c.z = y / at.y.count * at.z.step + at.z.first;
			y %= at.y.count;
		}
		c.y = y * at.y.step + at.y.first;
		c.x = q % at.x.count * at.x.step + at.x.first;
		return c;
	}

	DEVICE_METHOD const elem *
	a(Row m, const Term &k) const
	{
		return &weight[m + k.weight];
	}

	DEVICE_METHOD const elem *
	b(const Term &k, const Col &n) const
	{
		if constexpr (DEEP)
			return gpu_element_deep(k.plane, n, at.image, at.z.size, at.y.size, at.x.size);
		else
			return gpu_element(k.plane, n, at.y.size, at.x.size);
	}

	DEVICE_METHOD void
	store(int z, int, int64_t m, int64_t n, real value) const
	{
		int64_t image = quotient(n, positions()), plane_index = z * rows + m, deep = 0;
		int q = (int)(n - image * positions()), y = q / at.x.count;

		if (DEEP) {
			deep = (at.z.out + y / at.y.count * at.z.out_step) * at.out_slice;
			y %= at.y.count;
		}
		int64_t to = image * at.out_image + plane_index * plane + deep +
		    (at.y.out + y * at.y.out_step) * at.out_row +
		    (at.x.out + q % at.x.count * at.x.out_step) * at.out_pixel;

		value = bias ? value + VALUE(bias[plane_index]) : value;
		onto_store(&target[to], epilogue_value(then, value, to), onto_keep(onto));
	}
};

/* The gradient of the weights, whose columns are in the order in which they lie. */
template <bool LAST, bool DEEP = false> struct conv_weight_job {
	static const bool A_ALONG_K = !LAST, B_ALONG_K = !LAST, C_ALONG_ROWS = false;
	static const bool SUMS_A = false;
	typedef int64_t Row;
	typedef typename gpu_places<DEEP>::Plane Col;
	struct Term {
		int64_t dy;
		typename gpu_places<DEEP>::Window window;
	};
	int64_t rows, cols, depth;
	bool a_packs, b_packs;
	struct conv s;
	const elem *dy, *x;
	elem *target;		/* dw */
	real *partial;		/* not NULL: the partial results one after the other, instead */
	struct onto onto;

	DEVICE_METHOD Term
	term(int z, int64_t k) const
	{
		int64_t positions = (int64_t)(DEEP ? s.od : 1) * s.oh * s.ow, image = quotient(k, positions);
		int q = (int)(k - image * positions), y = q / s.ow;
		Term t;

		t.dy = LAST ? k * s.f + z * rows : (image * s.f + z * rows) * positions + q;
		t.window.image = image;
		if constexpr (DEEP) {
			t.window.z = y / s.oh * s.sz - s.front;
			y %= s.oh;
		}
		t.window.y = y * s.sy - s.top, t.window.x = q % s.ow * s.sx - s.left;
		return t;
	}

	DEVICE_METHOD Row
	row(int, int64_t m) const
	{
		return LAST ? m : m * (DEEP ? s.od : 1) * s.oh * s.ow;
	}

	DEVICE_METHOD int
	all_taps(void) const
	{
		return (DEEP ? s.kd : 1) * s.kh * s.kw;
	}

	/* the channel of the N-th column, in its group */
	DEVICE_METHOD int
	channel(int64_t n) const
	{
		int channels = s.c / s.groups;

		return (int)(LAST ? n - quotient(n, channels) * channels : quotient(n, all_taps()));
	}

	DEVICE_METHOD int64_t
	places(void) const
	{
		return (int64_t)(DEEP ? s.d : 1) * s.h * s.w;
	}

	/* the N-th column, except for the plane */
	DEVICE_METHOD Col
	tap(int64_t n) const
	{
		int taps = all_taps();
		int t = (int)(LAST ? quotient(n, s.c / s.groups) : n - quotient(n, taps) * taps);
		int ty = t / s.kw;
		Col c;

		if constexpr (DEEP) {
			c.z = ty / s.kh * s.dz;
			ty %= s.kh;
		}
		c.y = ty * s.dy, c.x = t % s.kw * s.dx;
		return c;
	}

	DEVICE_METHOD Col
	col(int z, int64_t n) const
	{
		Col c = tap(n);

		c.at = x + (z * (s.c / s.groups) + channel(n)) * (LAST ? 1 : places());
		if constexpr (!DEEP) {
			c.pixel = LAST ? s.c : 1;
			c.image = s.c * places(), c.row = s.w * c.pixel;
		}
		return c;
	}

	DEVICE_METHOD const elem *
	a(Row m, const Term &k) const
	{
		return &dy[m + k.dy];
	}

	DEVICE_METHOD const elem *
	b(const Term &k, const Col &n) const
	{
		if constexpr (DEEP)
			return gpu_element_deep(n, k.window, s.c * places(), s.d, s.h, s.w);
		else
			return gpu_element(n, k.window, s.h, s.w);
	}

	DEVICE_METHOD void
	store(int z, int split, int64_t m, int64_t n, real value) const
	{
		int64_t at = (((int64_t)split * s.groups + z) * rows + m) * cols + n;

		if (partial)
			partial[at] = value;
		else
			onto_store(&target[at], value, onto_keep(onto));
	}
};

/* Calls the instance of a function for the layout of S, of those that the program has. */
#ifndef CHANNELS_LAST
#define BY_LAYOUT(s, function, args)	function<false> args
#elif !defined(CHANNELS_FIRST)
#define BY_LAYOUT(s, function, args)	function<true> args
#else
#define BY_LAYOUT(s, function, args)	((s).last ? function<true> args : function<false> args)
#endif

/* And of volumes, where it has any. */
#ifdef VOLUMES
#define BY_SPACE(s, function, args)	((s).d ? function<false, true> args : BY_LAYOUT(s, function, args))
#else
#define BY_SPACE(s, function, args)	BY_LAYOUT(s, function, args)
#endif

#ifdef COOPERATIVE
#if !defined(CHANNELS_LAST) || defined(CHANNELS_FIRST)
LISTED(conv_forward_own, gpu_product_kernel<GPU_SMALL, conv_window_job<false, false>>);
LISTED(conv_backward_rows, gpu_product_kernel<GPU_SMALL, conv_window_job<false, true>>);
LISTED(conv_weight_own, gpu_product_kernel<GPU_SMALL, conv_weight_job<false>>);
#endif
#ifdef CHANNELS_LAST
LISTED(conv_forward_own, gpu_product_kernel<GPU_SMALL, conv_window_job<true, false>>);
LISTED(conv_backward_rows, gpu_product_kernel<GPU_SMALL, conv_window_job<true, true>>);
LISTED(conv_weight_own, gpu_product_kernel<GPU_SMALL, conv_weight_job<true>>);
#endif
#ifdef VOLUMES
LISTED(conv_forward_own, gpu_product_kernel<GPU_SMALL, conv_window_job<false, false, true>>);
LISTED(conv_backward_rows, gpu_product_kernel<GPU_SMALL, conv_window_job<false, true, true>>);
LISTED(conv_weight_own, gpu_product_kernel<GPU_SMALL, conv_weight_job<false, true>>);
#endif
#endif

/* A job that knows how to find elements of the input, and whether by packs; concat.cu has one of
 * its own. */
template <class Job> static void
conv_forward_run(Job &job, elem *y, const elem *w, const elem *bias, struct onto onto,
    struct epilogue then, int64_t b, const struct conv &s)
{
	job.at = window_forward(&s);
	job.weight = w, job.bias = bias, job.target = y, job.onto = onto, job.then = then;
	job.rows = s.f / s.groups;
	job.depth = conv_planes(&s) * s.kh * s.kw;
	job.plane = s.last ? 1 : conv_outputs(&s);
	job.cols = b * conv_outputs(&s);
	job.step = job.depth;
	job.group = job.rows * job.step;
	job.a_packs = gpu_packs(w, job.depth);	/* in both orders they lie as the sum goes */
	gpu_product(job, s.groups, 1);
}

template <bool LAST, bool DEEP = false> static void
conv_forward_own(elem *y, const elem *x, const elem *w, const elem *bias, struct onto onto,
    struct epilogue then, int64_t b, const struct conv &s)
{
	struct conv_window_job<LAST, false, DEEP> job;

	job.source = x;
	job.b_packs = LAST && gpu_packs(x, s.c / s.groups);
	conv_forward_run(job, y, w, bias, onto, then, b, s);
}

static void
conv_forward(elem *y, const elem *x, const elem *w, const elem *bias, struct onto onto,
    struct epilogue then, void *work, int64_t room, int64_t b, struct conv s)
{
	if (conv_is_depthwise(&s) && s.last) {
		depthwise_last_forward(y, x, w, bias, onto, b, s);
		epilogue_apply(y, then, b * s.f * s.oh * s.ow);
		return;
	}
	if (conv_is_depthwise(&s)) {
		int64_t n = b * s.f * s.oh * s.ow;

		LAUNCH(depthwise_forward_kernel, n, (y, x, w, bias, onto, n, s));
		epilogue_apply(y, then, n);
		return;
	}
	if (dnn_run(DNN_FORWARD, x, w, y, bias, onto, then, work, room, b, &s))
		return;
	BY_SPACE(s, conv_forward_own, (y, x, w, bias, onto, then, b, s));
}

/* The same, and where cuDNN can, [2, channels] SUMS of y's elements and of their squares:
 * conv_sums() tells. */
static void
conv_summed_forward(elem *y, real *sums, const elem *x, const elem *w, void *work, int64_t room, int64_t b, struct conv s)
{
	if (!dnn_run_sums(x, w, y, sums, work, room, b, &s))
		conv_forward(y, x, w, NULL, ANEW, AS_IS, work, room, b, s);
}

/* The SUMS that conv_summed_forward() made with the same numbers; NULL: it made none. */
static const real *
conv_sums(const real *sums, int64_t room, int64_t b, struct conv s)
{
	return dnn_makes_sums(room, b, &s) ? sums : NULL;
}

/* The gradient of the job's rows of channels, which are the target's: H x W, of which S has a
 * part. */
template <class Job> static void
conv_backward_rows(Job &job, int h, int w, int64_t b, const struct conv &s)
{
	job.step = conv_channel_step(&s);
	struct phases phases = phases_of(&s);
	int deep = conv_deep(&s);

	job.plane = s.last ? 1 : (int64_t)deep * h * w;
	job.a_packs = s.last && gpu_packs(job.weight, s.c / s.groups) && job.rows % MAP_PACK == 0;
	job.b_packs = s.last && gpu_packs(job.source, s.f / s.groups);
	for (int64_t r = 0; r < phases.z * phases.y * phases.x; r++) {
		job.at = window_backward(&s, (int)(r / phases.x / phases.y), (int)(r / phases.x % phases.y),
		    (int)(r % phases.x));
		window_out(&job.at, &s, (int)job.rows * s.groups, deep, h, w);
		job.cols = b * window_positions(&job.at);
		job.depth = (int64_t)job.at.channels * window_taps(&job.at);
		gpu_product(job, s.groups, 1);
	}
}

template <bool LAST, bool DEEP = false> static void
conv_input_own(elem *dx, const elem *dy, const elem *w, const elem *bias, struct onto onto, int64_t b,
    const struct conv &s)
{
	struct conv_window_job<LAST, true, DEEP> job;

	job.source = dy, job.weight = w, job.bias = bias, job.target = dx, job.onto = onto;
	job.then = AS_IS;
	job.rows = s.c / s.groups;
	job.group = (int64_t)(s.f / s.groups) * conv_planes(&s) * s.kh * s.kw;
	conv_backward_rows(job, s.h, s.w, b, s);
}

static void
conv_backward_input(elem *dx, const elem *dy, const elem *w, const elem *bias, struct onto onto,
    void *work, int64_t room, int64_t b, struct conv s)
{
	if (conv_is_depthwise(&s) && s.last) {
		depthwise_last_backward_input(dx, dy, w, bias, onto, b, s);
		return;
	}
	if (conv_is_depthwise(&s)) {
		int64_t n = b * s.c * s.h * s.w;

		LAUNCH(depthwise_input_kernel, n, (dx, dy, w, bias, onto, n, s));
		return;
	}
	if (dnn_run_input(dx, w, dy, bias, onto, work, room, b, &s))
		return;
	BY_SPACE(s, conv_input_own, (dx, dy, w, bias, onto, b, s));
}

template <class Job> static void
conv_weight_run(Job &job, elem *dw, const elem *dy, struct onto onto, void *work, int64_t b,
    const struct conv &s)
{
	int splits = conv_gpu_splits(&s);

	job.s = s, job.dy = dy;
	job.rows = s.f / s.groups;
	job.cols = conv_planes(&s) * s.kh * s.kw;
	job.depth = b * conv_outputs(&s);
	job.target = dw, job.onto = onto;
	job.a_packs = gpu_packs(dy, s.last ? job.rows : conv_outputs(&s));
	job.partial = splits > 1 ? (real *)work : NULL;
	gpu_product(job, s.groups, splits);
	if (splits > 1) {
		int64_t n = job.rows * job.cols * s.groups;

		LAUNCH(gpu_sum_kernel, n, (dw, job.partial, onto, n, splits));
	}
}

template <bool LAST, bool DEEP = false> static void
conv_weight_own(elem *dw, const elem *dy, const elem *x, struct onto onto, void *work, int64_t b,
    const struct conv &s)
{
	struct conv_weight_job<LAST, DEEP> job;

	job.x = x;
	job.b_packs = LAST && gpu_packs(x, s.c / s.groups);
	conv_weight_run(job, dw, dy, onto, work, b, s);
}

static void
conv_backward_weight(elem *dw, const elem *dy, const elem *x, struct onto onto, void *work,
    int64_t room, int64_t b, struct conv s)
{
	if (conv_is_depthwise(&s) && s.last) {
		depthwise_last_backward_weight(dw, dy, x, onto, work, b, s);
		return;
	}
	if (conv_is_depthwise(&s)) {
		int64_t rows = (int64_t)s.f * s.kh * s.kw;

		LAUNCH_ROWS(depthwise_weight_kernel, rows, (dw, dy, x, onto, b, s));
		return;
	}
	if (dnn_run(DNN_WEIGHT, x, dw, dy, NULL, onto, AS_IS, work, room, b, &s))
		return;
	BY_SPACE(s, conv_weight_own, (dw, dy, x, onto, work, b, s));
}

#endif
