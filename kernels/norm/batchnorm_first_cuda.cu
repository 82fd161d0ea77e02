/*
 * norm/batchnorm_first_cuda.cu - the CUDA side of norm/batchnorm.cu where each sample has a plane
 * of a channel, [b, channels, n] (sweep/first_cuda.cu).
 */
#ifndef STOWAGE_NORM_BATCHNORM_FIRST_CUDA_CU
#define STOWAGE_NORM_BATCHNORM_FIRST_CUDA_CU

#include "norm/element.cu"
#include "pointwise/pack_cuda.cu"
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

COLUMN_KERNEL(bn_moments_planes_kernel, (double *work, const elem *x, int64_t b,
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

/* What is known of a channel. */
struct bn_channel {
	real mean, gain, offset;
};

DEVICE struct bn_channel
bn_channel_of(const elem *weight, const elem *bias, const real *mean, const real *invstd, int64_t c)
{
	struct bn_channel k = { mean[c], VALUE(weight[c]) * invstd[c], bn_offset(bias, c) };

	return k;
}

template <int WIDTH> DEVICE void
bn_add_plane_dots(real *sum, real *dot, const struct column_pack<WIDTH> &x, const real *passed, real mean)
{
#pragma unroll
	for (int j = 0; j < WIDTH; j++) {
		*sum += passed[j];
		*dot += passed[j] * (VALUE(x.at[j]) - mean);
	}
}

/* Of dy, what passes KIND, the gradient of what is done to bn_value() of x. */
template <int WIDTH> DEVICE void
bn_pass_plane(real *passed, const struct column_pack<WIDTH> &dy, enum epilogue_kind kind,
    const struct column_pack<WIDTH> &x, const struct bn_channel &of)
{
	real value[WIDTH];

#pragma unroll
	for (int j = 0; j < WIDTH; j++)
		value[j] = bn_value(VALUE(x.at[j]) - of.mean, of.gain, of.offset);
	pack_pass<WIDTH>(passed, dy, kind, value);
}

/* STORED: the sums are of what THEN makes of dy and of what it reads beside, which goes to MADE,
 * and may lie where dy does; else of what of dy passes it by the value that the norm makes of x. */
template <int WIDTH, bool STORED> DEVICE void
bn_dots_planes(double *work, elem *made, const elem *dy, struct epilogue then, const elem *x, const elem *weight,
    const elem *bias, const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t parts, int64_t packs)
{
	ROWS (r, channels * parts) {
		int64_t c = quotient(r, parts), p = r - c * parts;
		struct plane_part part = plane_part_of(b * packs, p, parts);
		struct plane_walk walk(part.from, c, channels, packs);
		struct bn_channel known = { mean[c], STORED ? 0 : VALUE(weight[c]) * invstd[c],
			STORED ? 0 : bn_offset(bias, c) };
		int64_t i = part.from, far = (PLANE_DEPTH - 1) * BLOCK;
		double sum = 0, dot = 0;
		real s = 0, q = 0, g[WIDTH];

		for (; i + far < part.end; i += PLANE_DEPTH * BLOCK) {
			struct column_pack<WIDTH> v[PLANE_DEPTH], from[PLANE_DEPTH], beside[PLANE_DEPTH];
			int64_t at[PLANE_DEPTH];

#pragma unroll
			for (int k = 0; k < PLANE_DEPTH; k++, walk.next()) {
				at[k] = walk.at * WIDTH;
				v[k] = column_load<WIDTH>(x + at[k]);
				from[k] = column_load<WIDTH>(dy + at[k]);
				if (STORED)
					beside[k] = column_load<WIDTH>(then.saved + at[k]);
			}
#pragma unroll
			for (int k = 0; k < PLANE_DEPTH; k++) {
				if (STORED)
					pack_make<WIDTH>(made + at[k], g, from[k], then.kind, beside[k]);
				else
					bn_pass_plane<WIDTH>(g, from[k], then.kind, v[k], known);
				bn_add_plane_dots<WIDTH>(&s, &q, v[k], g, known.mean);
			}
			sum += s, dot += q;
			s = q = 0;
		}
		for (; i < part.end; i += BLOCK, walk.next()) {
			int64_t at = walk.at * WIDTH;
			struct column_pack<WIDTH> v = column_load<WIDTH>(x + at), from = column_load<WIDTH>(dy + at);

			if (STORED)
				pack_make<WIDTH>(made + at, g, from, then.kind, column_load<WIDTH>(then.saved + at));
			else
				bn_pass_plane<WIDTH>(g, from, then.kind, v, known);
			bn_add_plane_dots<WIDTH>(&s, &q, v, g, known.mean);
		}
		sum = ROW_SUM(sum + s);
		dot = ROW_SUM(dot + q);
		FIRST {
			work[2 * r] = sum;
			work[2 * r + 1] = dot;
		}
	}
}

COLUMN_KERNEL(bn_dots_planes_kernel, (double *work, const elem *dy, enum epilogue_kind kind, const elem *x,
    const elem *weight, const elem *bias, const real *mean, const real *invstd, int64_t b, int64_t channels,
    int64_t parts, int64_t packs))
{
	bn_dots_planes<WIDTH, false>(work, NULL, dy, epilogue_of(kind, NULL), x, weight, bias, mean, invstd, b, channels,
	    parts, packs);
}

COLUMN_KERNEL(bn_stored_dots_planes_kernel, (double *work, elem *made, const elem *dy,
    struct epilogue from, const elem *x, const real *mean, int64_t b, int64_t channels, int64_t parts, int64_t packs))
{
	bn_dots_planes<WIDTH, true>(work, made, dy, from, x, NULL, NULL, mean, NULL, b, channels, parts, packs);
}

/* y = what THEN makes of gain * x + offset */
COLUMN_KERNEL(bn_apply_planes_kernel, (elem *y, const elem *x, const elem *weight, const elem *bias,
    struct epilogue then, const real *mean, const real *invstd, struct plane_cut cut))
{
	ROWS (r, plane_blocks(cut)) {
		struct plane_place p = plane_place_of(r, cut);
		struct bn_channel k = bn_channel_of(weight, bias, mean, invstd, p.c);

		for (int64_t i = p.at; i < p.end; i += COLUMN_PAIR * p.step) {
			struct column_pack<WIDTH> v[COLUMN_PAIR], beside[COLUMN_PAIR];
			int n = i + p.step < p.end ? COLUMN_PAIR : 1;

#pragma unroll
			for (int m = 0; m < COLUMN_PAIR; m++)
				if (m < n) {
					v[m] = column_load<WIDTH>(x + (i + m * p.step) * WIDTH);
					if (then.saved)
						beside[m] = column_load<WIDTH>(then.saved + (i + m * p.step) * WIDTH);
				}
#pragma unroll
			for (int m = 0; m < COLUMN_PAIR; m++)
				if (m < n) {
					real value[WIDTH];

#pragma unroll
					for (int j = 0; j < WIDTH; j++)
						value[j] = bn_value(VALUE(v[m].at[j]) - k.mean, k.gain, k.offset);
					pack_store<WIDTH>(y, value, then, beside[m], (i + m * p.step) * WIDTH);
				}
		}
	}
}

/* SUMS are cut into SUMMED parts for each channel; of them the first has what is needed. */
COLUMN_KERNEL(bn_grad_planes_kernel, (elem *dx, const elem *dy, enum epilogue_kind kind, const elem *x,
    const elem *weight, const elem *bias, const real *mean, const real *invstd, const double *sums, int64_t summed,
    struct plane_cut cut))
{
	ROWS (r, plane_blocks(cut)) {
		struct plane_place p = plane_place_of(r, cut);
		struct bn_channel k = bn_channel_of(weight, bias, mean, invstd, p.c);
		real level = (real)sums[2 * p.c * summed], slope = (real)sums[2 * p.c * summed + 1];

		for (int64_t i = p.at; i < p.end; i += p.step) {
			struct column_pack<WIDTH> v = column_load<WIDTH>(x + i * WIDTH);
			real g[WIDTH];

			bn_pass_plane<WIDTH>(g, column_load<WIDTH>(dy + i * WIDTH), kind, v, k);
#pragma unroll
			for (int j = 0; j < WIDTH; j++)
				v.at[j] = ELEM(k.gain * (g[j] - level - (VALUE(v.at[j]) - k.mean) * slope));
			column_store<WIDTH>(dx + i * WIDTH, v);
		}
	}
}

#endif
