/*
 * norm/batchnorm_marked.cu - on CUDA, channels last: batch normalisation, the addition of a skip
 * and relu, where what passes relu is kept as bits, a byte for each pack of elements, so that
 * backward need not read y for it:
 *
 *     marks[i] = for each element of pack i, is y not <= 0?
 *
 * And where the skip is another normalisation, as beside the projection of a residual network, both
 * are done in one sweep, forward and backward: neither what is normalised of the skip nor what
 * passes relu is ever in memory. Channels are whole packs.
 */
#ifndef STOWAGE_NORM_BATCHNORM_MARKED_CU
#define STOWAGE_NORM_BATCHNORM_MARKED_CU

#include "norm/batchnorm_last_cuda.cu"

#define MARKED_PACK	struct column_pack<COLUMN_WIDTH>

/* Kernels that sum nothing, over all rows, for their last argument. */
#define LAUNCH_MARKED(name, rows, channels, ...)	do {					\
	int64_t cut_ = column_parts(rows, channels, COLUMN_WIDTH);				\
	LAUNCH_ROWS(name, column_strips(channels, COLUMN_WIDTH) * cut_, (__VA_ARGS__, cut_));	\
} while (0)

/* Stores what KIND makes of a pack of values and of a skip's, and marks it. */
DEVICE void
bn_store_marked(elem *y, uint8_t *marks, const real *value, const real *skip, enum epilogue_kind kind, int64_t at)
{
	MARKED_PACK made;
	unsigned bits = 0;

#define STORE(kind_, function, reads, known)							\
	case kind_:										\
		_Pragma("unroll")								\
		for (int j = 0; j < COLUMN_WIDTH; j++)						\
			made.at[j] = ELEM(epilogue_of_both(kind_, value[j], skip[j]));		\
		break;
	EPILOGUE_CASES_ALL(kind, STORE)
#undef STORE
#pragma unroll
	for (int j = 0; j < COLUMN_WIDTH; j++)
		bits |= (unsigned)!(VALUE(made.at[j]) <= 0) << j;
	column_store<COLUMN_WIDTH>(y + at, made);
	marks[at / COLUMN_WIDTH] = (uint8_t)bits;
}

/* Of a pack of dy, what passes. */
DEVICE void
bn_pass_marked(real *passed, const MARKED_PACK &dy, unsigned bits)
{
#pragma unroll
	for (int j = 0; j < COLUMN_WIDTH; j++)
		passed[j] = bits >> j & 1 ? VALUE(dy.at[j]) : 0;
}

/* ---- forward ---- */

KERNEL(bn_apply_marked_kernel, (elem *y, uint8_t *marks, const elem *x, const elem *weight, const elem *bias,
    struct epilogue then, const real *mean, const real *invstd, int64_t rows, int64_t channels, int64_t parts))
{
	ROWS (r, column_strips(channels, COLUMN_WIDTH) * parts) {
		struct column_place at = column_place_of<COLUMN_WIDTH>(r, rows, channels, parts);
		struct bn_line<COLUMN_WIDTH> line;
		real value[COLUMN_WIDTH], skip[COLUMN_WIDTH];

		line.load(weight, bias, mean, invstd, at.c);
		for (int64_t i = at.row; i < at.end; i += at.step) {
			int64_t k = i * channels + at.c;
			MARKED_PACK v = column_load<COLUMN_WIDTH>(x + k);
			MARKED_PACK beside = column_load<COLUMN_WIDTH>(then.saved + k);

			line.values(value, v);
#pragma unroll
			for (int j = 0; j < COLUMN_WIDTH; j++)
				skip[j] = VALUE(beside.at[j]);
			bn_store_marked(y, marks, value, skip, then.kind, k);
		}
	}
}

/* A tensor that is normalised, and by what. */
struct bn_of {
	const elem *x, *weight, *bias;
	real *mean, *invstd;
};

KERNEL(bn_apply_both_kernel, (elem *y, uint8_t *marks, struct bn_of one, struct bn_of two, enum epilogue_kind kind,
    int64_t rows, int64_t channels, int64_t parts))
{
	ROWS (r, column_strips(channels, COLUMN_WIDTH) * parts) {
		struct column_place at = column_place_of<COLUMN_WIDTH>(r, rows, channels, parts);
		struct bn_line<COLUMN_WIDTH> first, second;
		real value[COLUMN_WIDTH], skip[COLUMN_WIDTH];

		first.load(one.weight, one.bias, one.mean, one.invstd, at.c);
		second.load(two.weight, two.bias, two.mean, two.invstd, at.c);
		for (int64_t i = at.row; i < at.end; i += COLUMN_PAIR * at.step) {
			MARKED_PACK v[COLUMN_PAIR], w[COLUMN_PAIR];
			int n = column_left<COLUMN_PAIR>(i, at);

#pragma unroll
			for (int k = 0; k < COLUMN_PAIR; k++)
				if (k < n) {
					v[k] = column_load<COLUMN_WIDTH>(one.x + (i + k * at.step) * channels + at.c);
					w[k] = column_load<COLUMN_WIDTH>(two.x + (i + k * at.step) * channels + at.c);
				}
#pragma unroll
			for (int k = 0; k < COLUMN_PAIR; k++)
				if (k < n) {
					first.values(value, v[k]);
					second.values(skip, w[k]);
					bn_store_marked(y, marks, value, skip, kind, (i + k * at.step) * channels + at.c);
				}
		}
	}
}

/* THEN reads the skip. WORK as batchnorm_forward() has it; [rows, channels]. */
static void
batchnorm_marked_forward(elem *y, real *mean, real *invstd, real *running_mean, real *running_var, uint8_t *marks,
    void *work, const real *known, const elem *x, const elem *weight, const elem *bias, struct epilogue then, double eps,
    double momentum, int64_t rows, int64_t channels, int64_t parts)
{
	bn_statistics(&mean, &invstd, running_mean, running_var, work, known, x, eps, momentum, rows, channels, 1, parts);
	LAUNCH_MARKED(bn_apply_marked_kernel, rows, channels, y, marks, x, weight, bias, then, mean, invstd, rows, channels);
}

static inline struct bn_of
bn_by(const elem *x, const elem *weight, const elem *bias, real *mean, real *invstd)
{
	struct bn_of n;

	n.x = x, n.weight = weight, n.bias = bias, n.mean = mean, n.invstd = invstd;
	return n;
}

/* What becomes of the running statistics of one that is normalised, and what sums of it are
 * known. */
struct bn_running {
	real *mean, *var;
	const real *known;
	double eps, momentum;
};

static inline struct bn_running
bn_kept(real *mean, real *var, const real *known, double eps, double momentum)
{
	struct bn_running r;

	r.mean = mean, r.var = var, r.known = known, r.eps = eps, r.momentum = momentum;
	return r;
}

/* y is THEN of what is normalised of both. */
static void
batchnorm_both_forward(elem *y, uint8_t *marks, struct bn_of one, struct bn_running first, struct bn_of two,
    struct bn_running second, struct epilogue then, void *work, int64_t rows, int64_t channels, int64_t parts)
{
	bn_statistics(&one.mean, &one.invstd, first.mean, first.var, work, first.known, one.x, first.eps, first.momentum,
	    rows, channels, 1, parts);
	bn_statistics(&two.mean, &two.invstd, second.mean, second.var, work, second.known, two.x, second.eps,
	    second.momentum, rows, channels, 1, parts);
	LAUNCH_MARKED(bn_apply_both_kernel, rows, channels, y, marks, one, two, then.kind, rows, channels);
}

/* ---- backward ---- */

/* What passes of dy, by its marks; it is stored in MADE. */
struct bn_marked {
	elem *made;
	const elem *dy;
	const uint8_t *marks;
	int64_t channels;
	struct column_rows<COLUMN_WIDTH> from;
	unsigned bits[COLUMN_DEPTH];

	static constexpr bool BY_VALUE = false, AHEAD = true;

	DEVICE_METHOD void
	fetch(int k, int64_t row, int64_t c)
	{
		int64_t e = row * channels + c;

		from.at[k] = column_load<COLUMN_WIDTH>(dy + e);
		bits[k] = marks[e / COLUMN_WIDTH];
	}

	DEVICE_METHOD void
	pass(real *passed, int k, int64_t row, int64_t c, const struct bn_line<COLUMN_WIDTH> &, const MARKED_PACK &)
	{
		bn_pass_marked(passed, from.at[k], bits[k]);
#pragma unroll
		for (int j = 0; j < COLUMN_WIDTH; j++)
			from.at[k].at[j] = ELEM(passed[j]);
		column_store<COLUMN_WIDTH>(made + row * channels + c, from.at[k]);
	}
};

KERNEL(bn_dots_marked_kernel, (double *work, elem *made, const elem *dy, const uint8_t *marks, const elem *x,
    const real *mean, int64_t rows, int64_t channels, int64_t parts))
{
	struct bn_marked from;

	from.made = made, from.dy = dy, from.marks = marks, from.channels = channels;
	bn_dots_columns<COLUMN_WIDTH>(work, from, x, NULL, NULL, mean, NULL, rows, channels, parts);
}

/* MADE is what passes; it may be dy, and dx may be x. */
static void
batchnorm_marked_backward(elem *made, elem *dx, elem *dweight, elem *dbias, void *work, const elem *dy,
    const uint8_t *marks, const elem *x, const elem *weight, const real *mean, const real *invstd, int64_t rows,
    int64_t channels, int64_t parts)
{
	LAUNCH_ROWS(bn_dots_marked_kernel, column_strips(channels, COLUMN_WIDTH) * parts,
	    ((double *)work, made, dy, marks, x, mean, rows, channels, parts));
	bn_gradients(dx, dweight, dbias, (double *)work, made, NO_EPILOGUE, x, weight, NULL, mean, invstd, 0, rows, channels,
	    1, parts);
}

/* The sums of what passes of dy, and of that times ONE's and TWO's distances from their means: for
 * each of the two as bn_gradients_kernel() wants them, one behind the other. */
KERNEL(bn_dots_both_kernel, (double *work, const elem *dy, const uint8_t *marks, struct bn_of one, struct bn_of two,
    int64_t rows, int64_t channels, int64_t parts))
{
	__shared__ double each[2 * COLUMN_WIDTH][BLOCK];

	ROWS (r, column_strips(channels, COLUMN_WIDTH) * parts) {
		struct column_place at = column_place_of<COLUMN_WIDTH>(r, rows, channels, parts);
		double sum[2 * COLUMN_WIDTH] = { 0 }, dots[COLUMN_WIDTH] = { 0 };
		struct column_reals<COLUMN_WIDTH> mean = column_known<COLUMN_WIDTH>(two.mean + at.c);
		struct bn_line<COLUMN_WIDTH> line;
		int64_t i = at.row;

		line.load_mean(one.mean, at.c);
		while (i < at.end) {
			struct column_rows<COLUMN_WIDTH> v, w, from;
			unsigned bits[COLUMN_DEPTH];
			real s[COLUMN_WIDTH] = { 0 }, q[COLUMN_WIDTH] = { 0 }, d[COLUMN_WIDTH] = { 0 }, g[COLUMN_WIDTH];
			int n = column_left<COLUMN_DEPTH>(i, at);

#pragma unroll
			for (int k = 0; k < COLUMN_DEPTH; k++)
				if (k < n) {
					int64_t e = (i + k * at.step) * channels + at.c;

					v.at[k] = column_load<COLUMN_WIDTH>(one.x + e);
					w.at[k] = column_load<COLUMN_WIDTH>(two.x + e);
					from.at[k] = column_load<COLUMN_WIDTH>(dy + e);
					bits[k] = marks[e / COLUMN_WIDTH];
				}
#pragma unroll
			for (int k = 0; k < COLUMN_DEPTH; k++)
				if (k < n) {
					bn_pass_marked(g, from.at[k], bits[k]);
					line.add(s, q, v.at[k], g);
#pragma unroll
					for (int j = 0; j < COLUMN_WIDTH; j++)
						d[j] += g[j] * (VALUE(w.at[k].at[j]) - mean.at[j]);
				}
			bn_add_up<COLUMN_WIDTH>(sum, s, q);
#pragma unroll
			for (int j = 0; j < COLUMN_WIDTH; j++)
				dots[j] += d[j];
			i += COLUMN_DEPTH * at.step;
		}
#pragma unroll
		for (int j = 0; j < 2 * COLUMN_WIDTH; j++)
			each[j][threadIdx.x] = sum[j];
		column_sums<COLUMN_WIDTH, 2>(work, each, at, channels, parts);
#pragma unroll
		for (int j = 0; j < COLUMN_WIDTH; j++)
			each[2 * j + 1][threadIdx.x] = dots[j];
		column_sums<COLUMN_WIDTH, 2>(work + 2 * channels * parts, each, at, channels, parts);
	}
}

KERNEL(bn_grad_both_kernel, (elem *dx, elem *dx2, const elem *dy, const uint8_t *marks, struct bn_of one,
    struct bn_of two, const double *sums, int64_t summed, int64_t rows, int64_t channels, int64_t parts))
{
	ROWS (r, column_strips(channels, COLUMN_WIDTH) * parts) {
		struct column_place at = column_place_of<COLUMN_WIDTH>(r, rows, channels, parts);
		struct bn_line<COLUMN_WIDTH> first, second;
		struct bn_means<COLUMN_WIDTH> means, other;
		real g[COLUMN_WIDTH];

		first.load(one.weight, NULL, one.mean, one.invstd, at.c);
		second.load(two.weight, NULL, two.mean, two.invstd, at.c);
		means.load(sums, at.c, summed);
		other.load(sums + 2 * channels * summed, at.c, summed);
		for (int64_t i = at.row; i < at.end; i += at.step) {
			int64_t k = i * channels + at.c;
			MARKED_PACK v = column_load<COLUMN_WIDTH>(one.x + k), w = column_load<COLUMN_WIDTH>(two.x + k);
			MARKED_PACK from = column_load<COLUMN_WIDTH>(dy + k);

			bn_pass_marked(g, from, marks[k / COLUMN_WIDTH]);
			first.spread(dx + k, v, g, means.level, means.slope);
			second.spread(dx2 + k, w, g, means.level, other.slope);
		}
	}
}

/* The gradients of a parameter's two tensors, each NULL where it is not wanted. */
struct bn_wanted {
	elem *weight, *bias;
};

static inline struct bn_wanted
bn_wants(elem *weight, elem *bias)
{
	struct bn_wanted w;

	w.weight = weight, w.bias = bias;
	return w;
}

/* dx may be dy or x, and dx2 is neither. WORK holds the sums of both. */
static void
batchnorm_both_backward(elem *dx, struct bn_wanted first, elem *dx2, struct bn_wanted second, void *work,
    const elem *dy, const uint8_t *marks, struct bn_of one, struct bn_of two, int64_t rows, int64_t channels,
    int64_t parts)
{
	double *sums = (double *)work, *other = sums + 2 * channels * parts;

	LAUNCH_ROWS(bn_dots_both_kernel, column_strips(channels, COLUMN_WIDTH) * parts,
	    (sums, dy, marks, one, two, rows, channels, parts));
	LAUNCH_CHANNELS(bn_gradients_kernel, channels, (first.weight, first.bias, sums, one.invstd, 0, rows, channels, 1,
	    parts));
	LAUNCH_CHANNELS(bn_gradients_kernel, channels, (second.weight, second.bias, other, two.invstd, 0, rows, channels, 1,
	    parts));
	LAUNCH_MARKED(bn_grad_both_kernel, rows, channels, dx, dx2, dy, marks, one, two, sums, parts, rows, channels);
}

#endif
