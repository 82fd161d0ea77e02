/*
 * sizes.h - how products are cut into blocks, and the scratch memory that takes. The planner
 * (src/ops/product.c) includes this file too, so that plan and program never disagree.
 */
#ifndef STOWAGE_SIZES_H
#define STOWAGE_SIZES_H

#include <stdbool.h>
#include <stdint.h>

/* In C, what a thread packs at a time. BLOCK_COLS is a multiple of WIDEST_TILE, and that of every
 * width of a tile. */
#define BLOCK_DEPTH	384
#define BLOCK_COLS	256
#define WIDEST_TILE	32
#define BLOCK_ROWS	256	/* sums kept apart at a time, where they are longer and stored in 16 bits */

/* In C, gradients of convolutions' weights (conv/weight_c.cu). */
#define CHUNK_POSITIONS	1024	/* terms of a sum taken at a time */
#define CHUNK_CHANNELS	64
#define FEW_CHANNELS	32	/* below this the taps of a row share a vector */
#define SPLIT_ELEMENTS	((int64_t)1 << 20)	/* in all parts of a gradient together */

/* On a GPU. */
#define GPU_TILE	64
#define GPU_BLOCKS	256	/* enough to fill a card */
#define GPU_SPLITS	32	/* most blocks that share a sum */

#define SAMPLES_MOST	((int64_t)4 << 30)	/* bytes of samples that stay on it: seconds until they are there */
#define SAMPLES_LEAVE	16	/* beside them 1 / 16 of its memory stays free */

#define DEPTHWISE_ROOM	2048	/* reals that a depthwise convolution makes at a time, in C */


#define BIAS_ROWS	512	/* of [rows, channels] that a block adds up for a bias */
#define BIAS_PLANES	16384	/* places of all planes of a channel that it does */

/* Attention: a block of queries against a block of keys (attention/attend.cu). The first is a
 * multiple of WIDEST_TILE, the second of what one call of the generator of random numbers gives. */
#define ATTEND_QUERIES	64
#define ATTEND_KEYS	64
#define ATTEND_WIDEST	256	/* numbers of a head */
#define ATTEND_DIFFERENCES	65536	/* that all parts of a sum by differences have, but for very many */

#define DENSE_FACTORS	256	/* bytes at the end of a product's workspace, where its factors are
				 * known on the card alone (product/dense.cu) */

/* Bytes of what of a row of so many numbers passes relu, a bit each (product/dense_gated.cu): whole
 * packs of 128 bits, as cuBLASLt wants them. */
#define GATED_ROW(units)	(((units) + 127) / 128 * 16)

#define CONV_SOURCES	8	/* most tensors that a convolution reads as one input */

#define UPDATE_CHUNK	1024	/* elements that a block updates at a time (update/updates.cu) */
#define UPDATE_PARTS	256	/* most pieces of a sum over a parameter, on any target */
#define FACTOR_ROWS	256	/* rows of a matrix that are summed at a time (update/adafactor.cu), */
#define FACTOR_PIECES	32	/* unless those are more pieces than so many */
#define CODED_BLOCK	256	/* weights whose means are coded together (update/adamw8bit.cu) */

/* Recurrent layers (recurrent/recurrent.cu): their cells, as src/ops/recurrent.c describes them,
 * and the samples that a thread of a C program takes through all steps together. */
enum recurrent_cell {
	RNN_TANH, RNN_RELU, GRU, LSTM
};

#define RECURRENT_ROWS	32

#define TOP_PARTS	64	/* of a row in which the largest numbers are looked for (pointwise/top_k.cu) */

/* Scratch memory of a row of which K are wanted. */
static inline int64_t
top_bytes(int64_t k)
{
	return 16 + 8 * TOP_PARTS + 4 * k;
}

#define LOSS_PARTS	256	/* pieces of a mean over samples, on any target */
#define CTC_ROWS	5	/* rows of a sample's states that its backward has beside a stretch (loss/ctc.cu) */

struct conv {
	int c, h, w;		/* input: channels, height, width */
	int f, oh, ow;		/* output: filters, height, width */
	int kh, kw;		/* kernel, */
	int sy, sx;		/* stride, down and to the right, */
	int top, left;		/* padding, */
	int dy, dx;		/* dilation */
	int groups;
	int last;		/* channels lie last in memory: images [h, w, c], weights
				 * [f, kh, kw, c / groups] */
	/* of volumes, which are never so: what h, oh, kh, sy, top and dy are, of the depth; all 0
	 * in images, which have none */
	int d, od, kd, sz, front, dz;
};

/* How the planes lie in memory of which a convolution's input is a rectangle. */
struct conv_view {
	int h, w;
	int aligned;		/* its address is a multiple of so many bytes */
	int down, across;	/* and so many elements of them are from one of its own to the next */
};

enum dnn_kind {
	DNN_FORWARD,		/* y from x and w */
	DNN_INPUT,		/* dx from dy and w */
	DNN_WEIGHT		/* dw from dy and x */
};

/* Steps in the weights, from tap to tap and from channel to channel. */
static inline int64_t
conv_tap_step(const struct conv *s)
{
	return s->last ? s->c / s->groups : 1;
}

/* Planes of the output that a channel has, and taps along the depth: in an image one. */
static inline int
conv_depth(const struct conv *s)
{
	return s->d ? s->od : 1;
}

static inline int
conv_deep_taps(const struct conv *s)
{
	return s->d ? s->kd : 1;
}

/* Planes of the input, and places of the output. */
static inline int
conv_deep(const struct conv *s)
{
	return s->d ? s->d : 1;
}

static inline int64_t
conv_outputs(const struct conv *s)
{
	return (int64_t)conv_depth(s) * s->oh * s->ow;
}

static inline int64_t
conv_channel_step(const struct conv *s)
{
	return s->last ? 1 : (int64_t)conv_deep_taps(s) * s->kh * s->kw;
}

/* Planes of its input that a filter sees for one plane of the output: channels, in an image. */
static inline int64_t
conv_planes(const struct conv *s)
{
	return (int64_t)(s->c / s->groups) * conv_deep_taps(s);
}

/* Has it kernels of its own? Those are for images. */
static inline bool
conv_is_depthwise(const struct conv *s)
{
	return s->groups > 1 && s->c == s->groups && !s->d;
}

static inline int64_t
conv_weights(const struct conv *s)
{
	return s->f * conv_planes(s) * s->kh * s->kw;
}

/* CORNER bytes from the beginning of planes of H x W. */
static inline struct conv_view
conv_view(int h, int w, int64_t corner)
{
	struct conv_view v;

	v.h = h, v.w = w;
	v.down = v.across = 1;
	for (v.aligned = 16; corner % v.aligned; v.aligned /= 2)
		;
	return v;
}

/* Does a kernel of one element pass over some of the image, such that it sees none of it, and
 * nothing beside it? */
static inline bool
conv_skips(const struct conv *s)
{
	return s->kh == 1 && s->kw == 1 && (s->sy > 1 || s->sx > 1) && !s->top && !s->left && !s->d &&
	    (s->oh - 1) * s->sy < s->h && (s->ow - 1) * s->sx < s->w;
}

/* Does the gradient of its input, added KEEP times to what lies there, leave alone what it does
 * not see? Such of a library is one of what it sees (conv_seen()), unless a bias is added
 * everywhere. */
static inline bool
conv_adds_seen(const struct conv *s, bool bias, double keep)
{
	return !bias && keep == 1 && conv_skips(s);
}

/* Then it is one without a stride, of the elements that it sees, which VIEW says. */
static inline struct conv
conv_seen(struct conv s, struct conv_view *view)
{
	*view = conv_view(s.h, s.w, 0);
	view->down = s.sy, view->across = s.sx;
	s.h = s.oh, s.w = s.ow;
	s.sy = s.sx = 1;
	return s;
}

/* The same convolution of so many of its input's channels, */
static inline struct conv
conv_part(struct conv s, int channels)
{
	s.c = channels;
	return s;
}

/* and bytes for a copy of its weights, which are not together among those of all channels. */
static inline int64_t
conv_part_bytes(const struct conv *part, int64_t size)
{
	return (conv_weights(part) * size + 255) / 256 * 256;
}

/* Formulas that the products and norms of a program do before they store, at most
 * (pointwise/epilogue.cu): each is a branch of all of these kernels, in which none of so many
 * spills registers. */
#define EPILOGUES_MOST	16

static inline int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t
most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static inline int64_t
parts(int64_t n, int64_t size)
{
	return (n + size - 1) / size;
}

/* Reals of scratch memory for one thread's share of a product of COLS columns: a packed block, */
static inline int64_t
product_panels(int64_t depth, int64_t cols)
{
	return least(depth, BLOCK_DEPTH) * least(parts(cols, WIDEST_TILE) * WIDEST_TILE, BLOCK_COLS);
}

/* and the sums of several blocks, where the result has too few bits (NARROW) to add up there. */
static inline int64_t
product_scratch(int64_t depth, int64_t cols, bool narrow)
{
	return product_panels(depth, cols) +
	    (narrow && depth > BLOCK_DEPTH ? BLOCK_ROWS * BLOCK_COLS : 0);
}

/* Taps so far apart fall into the same phase of a strided convolution's way back
 * (conv/window.cu). */
static inline int
tap_period(int stride, int dilation)
{
	int period = 1;

	while ((int64_t)period * dilation % stride)
		period++;
	return period;
}

/* The gradient of the input: the longest sum of any phase. */
static inline int64_t
conv_backward_depth(const struct conv *s)
{
	return s->f / s->groups * parts(s->kh, tap_period(s->sy, s->dy)) *
	    parts(s->kw, tap_period(s->sx, s->dx)) *
	    (s->d ? parts(s->kd, tap_period(s->sz, s->dz)) : 1);
}

/* The gradient of the weights: output positions taken at a time, and what they need of x. Of a
 * volume the planes are images, and those planes of the input that one sees its channels. */
struct conv_chunks {
	int block;		/* channels */
	int rows, cols;
	int64_t images;
	int h, w;		/* of the input that ROWS and COLS need */
};

static inline struct conv_chunks
conv_chunks(const struct conv *s)
{
	struct conv_chunks k;

	k.block = (int)least(conv_planes(s), CHUNK_CHANNELS);
	k.cols = (int)least(s->ow, CHUNK_POSITIONS);
	k.rows = (int)least(s->oh, CHUNK_POSITIONS / k.cols);
	k.images = k.rows < s->oh ? 1 : CHUNK_POSITIONS / ((int64_t)k.rows * k.cols);
	k.h = (k.rows - 1) * s->sy + (s->kh - 1) * s->dy + 1;
	k.w = (k.cols - 1) * s->sx + (s->kw - 1) * s->dx + 1;
	return k;
}

/* Reals for one thread's chunk of x; the last vector may be read past its end. */
static inline int64_t
conv_chunk_scratch(const struct conv *s)
{
	struct conv_chunks k = conv_chunks(s);

	return k.images * k.h * k.w * k.block + 64;
}

/* Is the gradient small enough for each thread to sum its own? */
static inline bool
conv_in_parts(const struct conv *s, int threads)
{
	return conv_weights(s) <= SPLIT_ELEMENTS / threads;
}

/* A large gradient is made a block of channels and a slice of filters at a time; slices make enough
 * of them for the threads. */
static inline int
conv_slices(const struct conv *s, int threads)
{
	int64_t blocks = parts(conv_planes(s), least(conv_planes(s), CHUNK_CHANNELS));

	return (int)least(s->f / s->groups, parts(threads, blocks * s->groups));
}

/* Reals of a thread's sums, where the gradient is narrow: of all it has, or of one such piece. */
static inline int64_t
conv_weight_sums(const struct conv *s, int threads)
{
	if (conv_in_parts(s, threads))
		return conv_weights(s);
	return parts(s->f / s->groups, conv_slices(s, threads)) *
	    least(conv_planes(s), CHUNK_CHANNELS) * s->kh * s->kw;
}

static inline int64_t
conv_weight_scratch(const struct conv *s, int threads, bool narrow)
{
	int64_t others = conv_in_parts(s, threads) ? conv_weights(s) * (threads - 1) : 0;

	return conv_chunk_scratch(s) * threads +
	    (narrow ? conv_weight_sums(s, threads) * threads : others);
}

/* Reals of the sums that a depthwise convolution makes at a time of planes of so many rows. */
static inline int64_t
depthwise_sums(int64_t rows, int64_t wide)
{
	return least(rows * wide, most(DEPTHWISE_ROOM, wide)) + WIDEST_TILE;
}

/* Those, and what they are made of: STEPS phases of the source, in which taps are HIGH and WIDE
 * apart. */
static inline int64_t
depthwise_strip_room(int64_t rows, int64_t cols, int64_t high, int64_t wide, int64_t steps)
{
	int64_t sums = depthwise_sums(rows, cols + wide);

	return sums + steps * (sums + high * (cols + wide)) + WIDEST_TILE;
}

/* Reals for a thread of a depthwise convolution, there and back, and for its weights' gradient. */
static inline int64_t
depthwise_scratch(const struct conv *s)
{
	int64_t high = (int64_t)(s->kh - 1) * s->dy / s->sy, wide = (int64_t)(s->kw - 1) * s->dx / s->sx;
	int64_t there = depthwise_strip_room(s->oh, s->ow, high + 1, wide + 1, (int64_t)s->sy * s->sx);
	int64_t back = depthwise_strip_room(parts(s->h, s->sy), parts(s->w, s->sx), high, wide, 1);

	there += (int64_t)s->kh * s->kw * (WIDEST_TILE / 2 + 2);
	return parts(most(there, back), WIDEST_TILE) * WIDEST_TILE;
}

/* Channels-last, the gradient of a depthwise convolution's weights: parts that its sums are cut
 * into, and the reals of all of them. */
static inline int64_t
depthwise_last_parts(const struct conv *s)
{
	int64_t sums = (int64_t)s->f * s->kh * s->kw;

	return most(1, least(64, SPLIT_ELEMENTS / 8 / sums));
}

static inline int64_t
depthwise_last_sums(const struct conv *s)
{
	return (int64_t)s->f * s->kh * s->kw * depthwise_last_parts(s);
}

/* Blocks of a GPU that share each sum, so that few elements with long sums still fill it. */
static inline int
gpu_splits(int64_t rows, int64_t cols, int64_t products)
{
	int64_t tiles = parts(rows, GPU_TILE) * parts(cols, GPU_TILE) * products;

	return (int)most(1, least(GPU_SPLITS, GPU_BLOCKS / tiles));
}

static inline int
conv_gpu_splits(const struct conv *s)
{
	return gpu_splits(s->f / s->groups, conv_planes(s) * s->kh * s->kw, s->groups);
}

/* Parts that the sums over a channel are cut into (norm/batchnorm.cu), so that few channels still
 * occupy all cores; more where channels lie LAST on a GPU, which takes many of them side by
 * side. */
static inline int64_t
norm_parts(int64_t channels, bool last)
{
	if (last)
		return most(32, least(512, 65536 / channels));
	return most(1, least(64, 512 / channels));
}

/* The same of the gradient of a bias (product/bias.cu). */
static inline int64_t
bias_parts(int64_t channels)
{
	return norm_parts(channels, true);
}

/* And where each sample has a plane of a channel. */
static inline int64_t
bias_plane_parts(int64_t channels)
{
	return norm_parts(channels, false);
}

/* Rows of N weights (norm/normalize.cu): the parts that sums over rows are cut into. In C each has
 * ROW_SUMS * N doubles, or there are none and each few weights are summed by themselves; on a GPU 2
 * N. */
#define ROW_SUMS	4

static inline int64_t
row_parts(int64_t n, bool gpu)
{
	if (gpu)
		return most(1, least(512, 65536 / n));
	return n <= 8192 ? most(8, least(16, 32768 / n)) : 0;
}

/* In C: the numbers of a head as rows of whole vectors; and the reals of a thread, forward: queries
 * and values turned, scores, and where elements are NARROW keys or values; */
static inline int64_t
attend_padded(int64_t d)
{
	return parts(d, WIDEST_TILE) * WIDEST_TILE;
}

static inline int64_t
attend_scratch(int64_t d, bool narrow)
{
	return ATTEND_QUERIES * (2 * attend_padded(d) + ATTEND_KEYS) +
	    (narrow ? ATTEND_KEYS * attend_padded(d) : 0);
}

/* backward: queries and dy turned and as they are, keys and values, two blocks of scores, sums of
 * dq, and of dk and dv of all keys; */
static inline int64_t
attend_backward_scratch(int64_t keys, int64_t d)
{
	return attend_padded(d) * (5 * ATTEND_QUERIES + 2 * ATTEND_KEYS + 2 * keys) +
	    2 * ATTEND_QUERIES * ATTEND_KEYS;
}

/* and for the gradient of the bias: as much as for a block, and its sums for all keys. */
static inline int64_t
attend_bias_scratch(int64_t keys, int64_t d)
{
	return attend_padded(d) * (2 * ATTEND_QUERIES + ATTEND_KEYS) +
	    ATTEND_QUERIES * (2 * ATTEND_KEYS + parts(keys, ATTEND_KEYS) * ATTEND_KEYS);
}

/* A bias by relative positions: how many differences of two positions there are, of a grid of WIDE
 * columns or of a line, and the parts that sums over all queries are cut into for the gradient of
 * its table. */
static inline int64_t
attend_differences(int64_t queries, int64_t keys, int64_t high, int64_t wide)
{
	return wide ? (2 * high - 1) * (2 * wide - 1) : queries + keys - 1;
}

static inline int64_t
attend_parts(int64_t differences)
{
	return least(most(ATTEND_DIFFERENCES / differences, 4), 32);
}

/* Bytes of those, for each head. */
static inline int64_t
attend_relative_bytes(int64_t queries, int64_t keys, int64_t high, int64_t wide)
{
	int64_t differences = attend_differences(queries, keys, high, wide);

	return attend_parts(differences) * differences * (int64_t)sizeof(double);
}

/* In C, a row of N reals of a state, of which neighbours do not begin in the same cache lines; the
 * packed weights, with a row of biases for each gate and one of zeros; and what a thread has: two
 * states and what is carried from step to step, or their gradients and those of the gates. */
static inline int64_t
recurrent_row(int64_t n)
{
	return parts(n, WIDEST_TILE) * WIDEST_TILE + 16;
}

static inline int64_t
recurrent_packed(int64_t h, int64_t gates)
{
	return gates * (parts(h, WIDEST_TILE) * WIDEST_TILE * h + recurrent_row(h)) + recurrent_row(h);
}

static inline int64_t
recurrent_scratch(int64_t h, int64_t gates)
{
	return RECURRENT_ROWS * (recurrent_row(gates * h) + 3 * recurrent_row(h));
}

/* On a GPU, behind what libraries may have, a sample's: reals of what is carried from step to step,
 * and elements of the state and of the sums of all gates, or of their gradients. */
static inline int64_t
recurrent_gpu_scratch(int64_t h, int64_t gates, int64_t element, int64_t number)
{
	return h * (2 * number + (gates + 1) * element);
}

/* A loss made some rows at a time: rows are rounded up so that what follows them is aligned. */
static inline int64_t
head_padded(int64_t rows)
{
	return parts(rows, 32) * 32;
}

/* Bytes beside the products' scratch and the logits (loss/dense_cross_entropy.cu). */
static inline int64_t
head_sums(int64_t rows)
{
	return 2 * (LOSS_PARTS + head_padded(rows)) * (int64_t)sizeof(double);
}

/* Of T steps, how many there are from one that is kept to the next, as many as are kept; and states
 * of N labels with blanks around them (loss/ctc.cu). */
static inline int64_t
ctc_stride(int64_t t)
{
	int64_t stride = 1;

	while (stride * stride < t)
		stride++;
	return stride;
}

static inline int64_t
ctc_states(int64_t n)
{
	return 2 * n + 1;
}

#define AP_HEAD		3	/* numbers of a sample of detections (loss/average_precision.cu), */
#define AP_ROW		4	/* of a detection or a part, */
#define AP_KEPT		6	/* and of what is kept of each (loss/detections.cu) */
#define AP_NUMBERS(found, known)	(AP_HEAD + AP_ROW * ((found) + (known)) + (found) * (known))	/* of a sample in all */
#define ANCHOR_SHAPES	32	/* at a cell, at most (boxes/anchors.cu) */
#define ROI_POINTS	1024	/* of a bin along an axis, at most, and bins of a box (boxes/roi_align.cu) */

#endif
