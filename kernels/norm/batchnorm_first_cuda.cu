/*
 * norm/batchnorm_first_cuda.cu - the CUDA side of norm/batchnorm.cu where each sample has a plane
 * of a channel, [b, channels, n] (sweep/first_cuda.cu).
 */
#ifndef STOWAGE_NORM_BATCHNORM_FIRST_CUDA_CU
#define STOWAGE_NORM_BATCHNORM_FIRST_CUDA_CU

#include "norm/element.cu"
#include "sweep/first_cuda.cu"

template <int WIDTH> DEVICE void
bn_add_plane_moments(real *sum, real *squares, const struct column_pack<WIDTH> &x, real origin)
{
#pragma unroll
	for (int j = 0; j < WIDTH; j++) {
		real d = VALUE(x.at[j]) - origin;

		*sum += d;
		*squares += d * d;
	}
}

template <int WIDTH> KERNEL(bn_moments_planes_kernel, (double *work, const elem *x, int64_t b,
    int64_t channels, int64_t parts, int64_t packs))
{
	ROWS (r, channels * parts) {
		int64_t c = quotient(r, parts), p = r - c * parts;
		struct plane_part part = plane_part_of(b * packs, p, parts);
		struct plane_walk walk(part.from, c, channels, packs);
		real origin = VALUE(x[c * packs * WIDTH]);
		int64_t i = part.from, far = (PLANE_DEPTH - 1) * BLOCK;
		double sum = 0, squares = 0;
		real s = 0, q = 0;

		for (; i + far < part.end; i += PLANE_DEPTH * BLOCK) {
			struct column_pack<WIDTH> v[PLANE_DEPTH];

#pragma unroll
			for (int k = 0; k < PLANE_DEPTH; k++, walk.next())
				v[k] = column_load<WIDTH>(x + walk.at * WIDTH);
#pragma unroll
			for (int k = 0; k < PLANE_DEPTH; k++)
				bn_add_plane_moments<WIDTH>(&s, &q, v[k], origin);
			sum += s, squares += q;
			s = q = 0;
		}
		for (; i < part.end; i += BLOCK, walk.next())
			bn_add_plane_moments<WIDTH>(&s, &q, column_load<WIDTH>(x + walk.at * WIDTH),
			    origin);
		sum = ROW_SUM(sum + s);
		squares = ROW_SUM(squares + q);
		FIRST {
			work[2 * r] = sum;
			work[2 * r + 1] = squares;
		}
	}
}

/* What is known of a channel: for normalising, or with the gain and offset of bn_passed(). */
struct bn_channel {
	real mean, gain, offset;
};

template <int WIDTH> DEVICE void
bn_add_plane_dots(real *sum, real *dot, const struct column_pack<WIDTH> &x,
    const struct column_pack<WIDTH> &dy, const struct bn_channel &known, real top)
{
#pragma unroll
	for (int j = 0; j < WIDTH; j++) {
		real d = VALUE(x.at[j]) - known.mean;
		real passed = bn_passed(dy.at[j], d, known.gain, known.offset, top);

		*sum += passed;
		*dot += passed * d;
	}
}

/* Of dy, what passes the relu of which MADE is the result. It is stored, too. */
template <int WIDTH> DEVICE void
bn_pass(elem *passed, struct column_pack<WIDTH> &dy, const struct column_pack<WIDTH> &made, real top)
{
#pragma unroll
	for (int j = 0; j < WIDTH; j++)
		dy.at[j] = bn_masked(dy.at[j], made.at[j], top);
	column_store<WIDTH>(passed, dy);
}

/* MASKED: the sums are of PASSED, which this makes of dy by Y, and which may lie where dy does; else by what x, BIAS
 * and TOP say. */
template <int WIDTH, bool MASKED> DEVICE void
bn_dots_planes(double *work, elem *passed, const elem *dy, const elem *y, const elem *x, const elem *weight,
    const elem *bias, real top, const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t parts,
    int64_t packs)
{
	ROWS (r, channels * parts) {
		int64_t c = quotient(r, parts), p = r - c * parts;
		struct plane_part part = plane_part_of(b * packs, p, parts);
		struct plane_walk walk(part.from, c, channels, packs);
		struct bn_channel known = { mean[c], MASKED ? 0 : bn_relu_gain(weight, bias, invstd, c),
			MASKED ? 1 : bn_relu_offset(bias, c) };
		int64_t i = part.from, far = (PLANE_DEPTH - 1) * BLOCK;
		double sum = 0, dot = 0;
		real s = 0, q = 0;

		for (; i + far < part.end; i += PLANE_DEPTH * BLOCK) {
			struct column_pack<WIDTH> v[PLANE_DEPTH], g[PLANE_DEPTH], made[PLANE_DEPTH];
			int64_t at[PLANE_DEPTH];

#pragma unroll
			for (int k = 0; k < PLANE_DEPTH; k++, walk.next()) {
				at[k] = walk.at * WIDTH;
				v[k] = column_load<WIDTH>(x + at[k]);
				g[k] = column_load<WIDTH>(dy + at[k]);
				if (MASKED)
					made[k] = column_load<WIDTH>(y + at[k]);
			}
#pragma unroll
			for (int k = 0; MASKED && k < PLANE_DEPTH; k++)
				bn_pass<WIDTH>(passed + at[k], g[k], made[k], top);
#pragma unroll
			for (int k = 0; k < PLANE_DEPTH; k++)
				bn_add_plane_dots<WIDTH>(&s, &q, v[k], g[k], known, MASKED ? (real)NAN : top);
			sum += s, dot += q;
			s = q = 0;
		}
		for (; i < part.end; i += BLOCK, walk.next()) {
			int64_t at = walk.at * WIDTH;
			struct column_pack<WIDTH> g = column_load<WIDTH>(dy + at);

			if (MASKED)
				bn_pass<WIDTH>(passed + at, g, column_load<WIDTH>(y + at), top);
			bn_add_plane_dots<WIDTH>(&s, &q, column_load<WIDTH>(x + at), g, known, MASKED ? (real)NAN : top);
		}
		sum = ROW_SUM(sum + s);
		dot = ROW_SUM(dot + q);
		FIRST {
			work[2 * r] = sum;
			work[2 * r + 1] = dot;
		}
	}
}

template <int WIDTH> KERNEL(bn_dots_planes_kernel, (double *work, const elem *dy, const elem *x,
    const elem *weight, const elem *bias, real top, const real *mean, const real *invstd, int64_t b,
    int64_t channels, int64_t parts, int64_t packs))
{
	bn_dots_planes<WIDTH, false>(work, NULL, dy, NULL, x, weight, bias, top, mean, invstd, b, channels, parts, packs);
}

template <int WIDTH> KERNEL(bn_masked_dots_planes_kernel, (double *work, elem *passed, const elem *dy,
    const elem *y, const elem *x, real top, const real *mean, int64_t b, int64_t channels, int64_t parts,
    int64_t packs))
{
	bn_dots_planes<WIDTH, true>(work, passed, dy, y, x, NULL, NULL, top, mean, NULL, b, channels, parts, packs);
}

DEVICE struct bn_channel
bn_channel_of(const elem *weight, const elem *bias, const real *mean, const real *invstd, int64_t c)
{
	struct bn_channel k = { mean[c], VALUE(weight[c]) * invstd[c], VALUE(bias[c]) };

	return k;
}

/* y = gain * x + offset */
template <int WIDTH> KERNEL(bn_apply_planes_kernel, (elem *y, const elem *x, const elem *weight,
    const elem *bias, const real *mean, const real *invstd, struct plane_cut cut))
{
	ROWS (r, plane_blocks(cut)) {
		struct plane_place p = plane_place_of(r, cut);
		struct bn_channel k = bn_channel_of(weight, bias, mean, invstd, p.c);

		for (int64_t i = p.at; i < p.end; i += p.step) {
			struct column_pack<WIDTH> v = column_load<WIDTH>(x + i * WIDTH);

#pragma unroll
			for (int j = 0; j < WIDTH; j++)
				v.at[j] = ELEM(bn_value(VALUE(v.at[j]) - k.mean, k.gain, k.offset));
			column_store<WIDTH>(y + i * WIDTH, v);
		}
	}
}

/* y = relu(what bn_apply makes of x, plus skip) */
template <int WIDTH> KERNEL(bn_apply_relu_planes_kernel, (elem *y, const elem *x,
    const elem *weight, const elem *bias, const elem *skip, real top, const real *mean, const real *invstd,
    struct plane_cut cut))
{
	ROWS (r, plane_blocks(cut)) {
		struct plane_place p = plane_place_of(r, cut);
		struct bn_channel k = bn_channel_of(weight, bias, mean, invstd, p.c);

		for (int64_t i = p.at; i < p.end; i += p.step) {
			struct column_pack<WIDTH> v = column_load<WIDTH>(x + i * WIDTH), more = v;

			if (skip)
				more = column_load<WIDTH>(skip + i * WIDTH);
#pragma unroll
			for (int j = 0; j < WIDTH; j++) {
				real value = bn_value(VALUE(v.at[j]) - k.mean, k.gain, k.offset);

				v.at[j] = bn_rectified(skip ? value + VALUE(more.at[j]) : value, top);
			}
			column_store<WIDTH>(y + i * WIDTH, v);
		}
	}
}

/* SUMS are cut into SUMMED parts for each channel; of them the first has what is needed. */
template <int WIDTH> KERNEL(bn_grad_planes_kernel, (elem *dx, const elem *dy, const elem *x,
    const elem *weight, const elem *bias, real top, const real *mean, const real *invstd, const double *sums,
    int64_t summed, struct plane_cut cut))
{
	ROWS (r, plane_blocks(cut)) {
		struct plane_place p = plane_place_of(r, cut);
		real gain = VALUE(weight[p.c]) * invstd[p.c], m = mean[p.c];
		real relu_gain = bn_relu_gain(weight, bias, invstd, p.c);
		real offset = bn_relu_offset(bias, p.c);
		real level = (real)sums[2 * p.c * summed], slope = (real)sums[2 * p.c * summed + 1];

		for (int64_t i = p.at; i < p.end; i += p.step) {
			struct column_pack<WIDTH> v = column_load<WIDTH>(x + i * WIDTH);
			struct column_pack<WIDTH> g = column_load<WIDTH>(dy + i * WIDTH);

#pragma unroll
			for (int j = 0; j < WIDTH; j++) {
				real d = VALUE(v.at[j]) - m;

				v.at[j] = ELEM(gain * (bn_passed(g.at[j], d, relu_gain, offset, top) -
				    level - d * slope));
			}
			column_store<WIDTH>(dx + i * WIDTH, v);
		}
	}
}

#endif
