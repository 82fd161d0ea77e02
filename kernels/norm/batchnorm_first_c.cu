/*
 * norm/batchnorm_first_c.cu - batch normalisation in C where each sample has a plane of a channel,
 * [b, channels, n].
 */
#ifndef STOWAGE_NORM_BATCHNORM_FIRST_C_CU
#define STOWAGE_NORM_BATCHNORM_FIRST_C_CU

#include "norm/batchnorm_last_c.cu"
#include "product/tile_c.cu"

/* Two sums over the planes of a channel, in lanes of reals that are emptied into doubles before
 * they are long. Planes may be smaller than a vector, so their ends are vectors too, of which lanes
 * are masked out. */
#define BN_TERMS	32	/* vectors */

typedef bits bn_mask __attribute__((vector_size(VECTOR_BYTES)));
typedef bits bn_mask_at __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real)), may_alias));

struct bn_sums {
	vec first, second;
	double whole[2][LANES];
	int terms;
};

static inline void
bn_empty(struct bn_sums *s)
{
	for (int l = 0; l < LANES; l++) {
		s->whole[0][l] += s->first[l];
		s->whole[1][l] += s->second[l];
	}
	s->first = s->second = (vec){ 0 };
	s->terms = 0;
}

static inline void
bn_write(double *to, struct bn_sums *s)
{
	bn_empty(s);
	to[0] = to[1] = 0;
	for (int l = 0; l < LANES; l++) {
		to[0] += s->whole[0][l];
		to[1] += s->whole[1][l];
	}
}

/* N of the elements that follow, in a vector; what is behind them may be anything. END is the
 * tensor's. */
static inline vec
bn_take(const elem *from, int64_t n, const elem *end)
{
	real lane[LANES] = { 0 };

#if !NARROW
	if (n == LANES || end - from >= LANES)
		return *(const vec_at *)from;
#else
	(void)end;
#endif
	for (int l = 0; l < n; l++)
		lane[l] = VALUE(from[l]);
	return *(const vec_at *)lane;
}

static inline vec
bn_only(vec v, int64_t n)
{
	return (vec)((bn_mask)v & *(const bn_mask_at *)(lane_mask + 32 - n));
}

/* CALL(from, n) for each of the pieces, of N elements each, that part P of channel C is in
 * planes. */
#define BN_PIECES(c, p, parts, b, channels, n, CALL) do {							\
	int64_t t_ = PART_FROM((b) * (n), p, parts), end_ = PART_FROM((b) * (n), (p) + 1, parts);	\
	int64_t at_ = t_ % (n), plane_ = t_ / (n) * (channels) + (c);					\
													\
	for (int64_t count_; t_ < end_; t_ += count_, at_ = 0, plane_ += channels) {			\
		count_ = least((n) - at_, end_ - t_);							\
		CALL(plane_ * (n) + at_, count_);							\
	}												\
} while (0)

static inline void
bn_add_moments(struct bn_sums *s, const elem *x, int64_t n, real origin, const elem *end)
{
	for (int64_t j = 0; j < n; j += LANES) {
		vec d = bn_take(x + j, least(LANES, n - j), end) - origin;

		if (n - j < LANES)
			d = bn_only(d, n - j);
		s->first += d;
		s->second = fused(d, d, s->second);
		if (++s->terms == BN_TERMS)
			bn_empty(s);
	}
}

static void
bn_moments_kernel(double *work, const elem *x, int64_t b, int64_t channels, int64_t n,
    int64_t parts)
{
	const elem *end = x + b * channels * n;

	if (n == 1) {
		bn_moments_columns(work, x, b, channels, parts);
		return;
	}
	ROWS (r, channels * parts) {
		struct bn_sums s = { { 0 }, { 0 }, { { 0 } }, 0 };
		int64_t c = r / parts;
		real origin = VALUE(x[c * n]);

#define ADD(from, count)	bn_add_moments(&s, x + (from), count, origin, end)
		BN_PIECES (c, r % parts, parts, b, channels, n, ADD);
#undef ADD
		bn_write(work + 2 * r, &s);
	}
}

struct bn_dot {		/* a channel, and where tensors end */
	real mean, gain, offset;
	const elem *dy_end, *x_end;
};

/* epilogue_of_both() of vectors */
static inline __attribute__((always_inline)) vec
bn_pass(enum epilogue_kind kind, vec dy, vec of)
{
	real v[LANES], s[LANES];

	*(vec_at *)v = dy;
	*(vec_at *)s = of;
	PRAGMA(omp simd)
	for (int l = 0; l < LANES; l++)
		v[l] = epilogue_of_both(kind, v[l], s[l]);
	return *(const vec_at *)v;
}

/* KIND is a constant. */
static inline __attribute__((always_inline)) void
bn_add_dots(struct bn_sums *s, enum epilogue_kind kind, const elem *dy, const elem *x, int64_t n,
    const struct bn_dot *of)
{
	for (int64_t j = 0; j < n; j += LANES) {
		int64_t some = least(LANES, n - j);
		vec d = bn_take(x + j, some, of->x_end) - of->mean, g = bn_take(dy + j, some, of->dy_end);

		if (kind != NO_EPILOGUE)
			g = bn_pass(kind, g, d * of->gain + of->offset);	/* bn_value() */
		if (some < LANES) {
			d = bn_only(d, some);
			g = bn_only(g, some);
		}
		s->first += g;
		s->second = fused(g, d, s->second);
		if (++s->terms == BN_TERMS)
			bn_empty(s);
	}
}

static void
bn_dots_kernel(double *work, const elem *dy, enum epilogue_kind kind, const elem *x, const elem *weight,
    const elem *bias, const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	int64_t all = b * channels * n;

	if (n == 1) {
		bn_dots_columns(work, dy, kind, x, weight, bias, mean, invstd, b, channels, parts);
		return;
	}
	ROWS (r, channels * parts) {
		struct bn_sums s = { { 0 }, { 0 }, { { 0 } }, 0 };
		int64_t c = r / parts;
		struct bn_dot of = { mean[c], VALUE(weight[c]) * invstd[c], bn_offset(bias, c), dy + all, x + all };

#define ADD(from, count)	bn_add_dots(&s, as, dy + (from), x + (from), count, &of)
#define DOTS(kind_, function, reads, known)							\
	case kind_: {										\
		const enum epilogue_kind as = kind_;						\
												\
		BN_PIECES (c, r % parts, parts, b, channels, n, ADD);				\
		break;										\
	}
		EPILOGUE_CASES_ALL(kind, DOTS)
#undef DOTS
#undef ADD
		bn_write(work + 2 * r, &s);
	}
}

/* N elements of a channel. KIND and READS are constants. */
static inline __attribute__((always_inline)) void
bn_apply_row(enum epilogue_kind kind, bool reads, elem *y, const elem *x, const elem *skip, int64_t n, real mean,
    real gain, real offset)
{
	ALONG_EACH (j, n)
		y[j] = ELEM(epilogue_of_both(kind, bn_value(VALUE(x[j]) - mean, gain, offset),
		    reads ? VALUE(skip[j]) : 0));
}

/* y = what THEN makes of gain * x + offset, with the two numbers of a channel worked out once for
 * each row */
KERNEL(bn_apply_planes_kernel, (elem *y, const elem *x, const elem *weight, const elem *bias, struct epilogue then,
    const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t n))
{
	ROWS (r, b * channels) {
		int64_t c = r % channels, at = r * n;
		real gain = VALUE(weight[c]) * invstd[c], offset = VALUE(bias[c]);

#define APPLY(kind_, function, reads, known)							\
	case kind_:										\
		bn_apply_row(kind_, reads, y + at, x + at, reads ? then.saved + at : NULL, n, mean[c], gain,	\
		    offset);									\
		break;
		EPILOGUE_CASES_ALL(then.kind, APPLY)
#undef APPLY
	}
}

/* N elements of a channel. KIND is a constant. */
static inline __attribute__((always_inline)) void
bn_grad_row(enum epilogue_kind kind, elem *dx, const elem *dy, const elem *x, int64_t n, real mean, real gain,
    real offset, real level, real slope)
{
	ALONG_EACH (j, n) {
		real d = VALUE(x[j]) - mean;

		dx[j] = ELEM(gain * (epilogue_of_both(kind, VALUE(dy[j]), bn_value(d, gain, offset)) - level -
		    d * slope));
	}
}

KERNEL(bn_grad_planes_kernel, (elem *dx, const elem *dy, enum epilogue_kind kind, const elem *x, const elem *weight,
    const elem *bias, const real *mean, const real *invstd, const double *work, int64_t parts, int64_t b,
    int64_t channels, int64_t n))
{
	ROWS (r, b * channels) {
		int64_t c = r % channels, at = r * n;
		real gain = VALUE(weight[c]) * invstd[c], offset = bn_offset(bias, c);
		real level = (real)work[2 * c * parts], slope = (real)work[2 * c * parts + 1];

#define GRAD(kind_, function, reads, known)							\
	case kind_:										\
		bn_grad_row(kind_, dx + at, dy + at, x + at, n, mean[c], gain, offset, level, slope);	\
		break;
		EPILOGUE_CASES_ALL(kind, GRAD)
#undef GRAD
	}
}

#endif
