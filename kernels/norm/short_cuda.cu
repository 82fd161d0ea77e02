/*
 * norm/short_cuda.cu - norms of rows on CUDA that registers hold (short_rows_cuda.cu).
 */
#ifndef STOWAGE_NORM_SHORT_CUDA_CU
#define STOWAGE_NORM_SHORT_CUDA_CU

#include "norm/short_rows_cuda.cu"
#include "pointwise/epilogue.cu"

/* ---- forward ---- */

template <int DEPTH> DEVICE struct row
short_row_of(const struct short_row<DEPTH> &x, real first, const struct short_rows &s, int by, real eps, int64_t n)
{
	struct row r = { 0, 0 };
	real sum = 0, squares = 0;

	if (by == BY_DEVIATION) {
		SHORT_PACKS (k, p, s)
#pragma unroll
			for (int j = 0; j < MAP_PACK; j++)
				sum += VALUE(x.at[k].at[j]) - first;
		r.mean = first + lanes_sum(sum, s.lanes) / (real)n;
	}
	SHORT_PACKS (k, p, s)
#pragma unroll
		for (int j = 0; j < MAP_PACK; j++) {
			real d = VALUE(x.at[k].at[j]) - r.mean;

			squares += d * d;
		}
	r.scale = row_scale(lanes_sum(squares, s.lanes), by, eps, n);
	return r;
}

/* The weights of pack P, each 1 where there are none; and its biases, 0 where there are none. Each
 * is that of PLACES neighbours, one or whole packs. */
DEVICE void
short_weights(real *to, const elem *from, int p, int64_t places, real none)
{
	struct map_pack w;
	real all = none;

	if (from && places == 1)
		w = ((const struct map_pack *)from)[p];
	else if (from)
		all = VALUE(from[plane_of_pack(p, places)]);
#pragma unroll
	for (int j = 0; j < MAP_PACK; j++)
		to[j] = from && places == 1 ? VALUE(w.at[j]) : all;
}

/* What a row is given to the formula: made once for all of these, as compilers move what each
 * begins with before the question which it is, and then all packs of weights and biases are in
 * registers together, which are not so many. */
template <int DEPTH> DEVICE void
short_values(real (*to)[MAP_PACK], const struct short_row<DEPTH> &x, const elem *weight, const elem *bias, struct row r,
    int64_t places, const struct short_rows &s)
{
	SHORT_PACKS (k, p, s) {
		real w[MAP_PACK], b[MAP_PACK];

		short_weights(w, weight, p, places, 1);
		short_weights(b, bias, p, places, 0);
#pragma unroll
		for (int j = 0; j < MAP_PACK; j++)
			to[k][j] = plane_value((VALUE(x.at[k].at[j]) - r.mean) * r.scale, w[j], b[j]);
	}
}

template <int DEPTH> DEVICE void
short_store(enum epilogue_kind kind, elem *y, const real (*value)[MAP_PACK], const struct short_rows &s)
{
	SHORT_PACKS (k, p, s) {
		struct map_pack made;

#pragma unroll
		for (int j = 0; j < MAP_PACK; j++)
			made.at[j] = ELEM(epilogue_of_both(kind, value[k][j], 0));
		((struct map_pack *)y)[p] = made;
	}
}

template <int DEPTH> static __global__ void __launch_bounds__(BLOCK, 2)
short_kernel(elem *y, real *mean, real *scale, const elem *x, const elem *weight, const elem *bias,
    enum epilogue_kind kind, int by, real eps, int64_t rows, int64_t n, int64_t groups, int64_t places,
    struct short_rows s)
{
	SHORT_ROWS (i, mine, rows, s) {
		int64_t at = i % groups * quotient(n, places);
		struct short_row<DEPTH> v;

		v.load(x + i * n, s);
		struct row r = short_row_of<DEPTH>(v, VALUE(x[i * n]), s, by, eps, n);

		if (!mine)
			continue;
		if (threadIdx.x % s.lanes == 0) {
			if (mean)
				mean[i] = r.mean;
			if (scale)
				scale[i] = r.scale;
		}
		real value[DEPTH][MAP_PACK];

		short_values<DEPTH>(value, v, weight ? weight + at : NULL, bias ? bias + at : NULL, r, places, s);
#define STORE(kind_, function, reads, known)							\
	case kind_:										\
		short_store<DEPTH>(kind_, y + i * n, value, s);					\
		break;
		EPILOGUE_CASES_ALL(kind, STORE)
#undef STORE
	}
}

/* Has it been done? MEAN, SCALE, WEIGHT and BIAS may each be NULL; y may be x. */
static bool
short_forward(elem *y, real *mean, real *scale, const elem *x, const elem *weight, const elem *bias,
    enum epilogue_kind kind, int by, double eps, int64_t rows, int64_t n, int64_t groups, int64_t places)
{
	struct short_rows s = short_rows_of((uintptr_t)y | (uintptr_t)x | (uintptr_t)weight | (uintptr_t)bias, n);
	bool done = s.lanes && (!weight || places == 1 || places % MAP_PACK == 0);

	if (done)
		LAUNCH_SHORT(short_kernel, s, rows,
		    (y, mean, scale, x, weight, bias, kind, by, (real)eps, rows, n, groups, places, s));
	return done;
}

/* ---- backward: dx, where the elements of a row have a weight each, or none ---- */

/* What of dy passes KIND, in place of what was given to that. */
template <int DEPTH> DEVICE void
short_passed(real (*g)[MAP_PACK], enum epilogue_kind kind, const struct short_row<DEPTH> &dy, const struct short_rows &s)
{
	SHORT_PACKS (k, p, s)
#pragma unroll
		for (int j = 0; j < MAP_PACK; j++)
			g[k][j] = epilogue_of_both(kind, VALUE(dy.at[k].at[j]), g[k][j]);
}

/* That times the weights, in place; and its sum, and that of it times the distance from the
 * mean. */
template <int DEPTH> DEVICE struct row_dots
short_dots(real (*g)[MAP_PACK], const struct short_row<DEPTH> &v, const elem *weight, real mean, const struct short_rows &s)
{
	struct row_dots sums = { 0, 0 };

	SHORT_PACKS (k, p, s) {
		real w[MAP_PACK];

		short_weights(w, weight, p, 1, 1);
#pragma unroll
		for (int j = 0; j < MAP_PACK; j++) {
			g[k][j] *= w[j];
			sums.sum += g[k][j];
			sums.dot += g[k][j] * (VALUE(v.at[k].at[j]) - mean);
		}
	}
	return sums;
}

template <int DEPTH> static __global__ void __launch_bounds__(BLOCK, 2)
short_dx_kernel(elem *dx, struct onto onto, const elem *dy, enum epilogue_kind kind, const elem *v, const elem *weight,
    const elem *bias, const real *mean, const real *scale, int by, real eps, int64_t rows, int64_t n,
    struct short_rows s)
{
	real keep = onto_keep(onto);

	SHORT_ROWS (i, mine, rows, s) {
		struct row_slope of = row_slope_begin(weight || kind != NO_EPILOGUE, mean, scale, i);
		struct short_row<DEPTH> from, x;
		struct row_dots sums;
		real g[DEPTH][MAP_PACK] = {};

		from.load(dy + i * n, s);
		x.load(v + i * n, s);
		if (kind != NO_EPILOGUE)
			short_values<DEPTH>(g, x, weight, bias, { of.mean, of.scale }, 1, s);
#define PASSED(kind_, function, reads, known)							\
	case kind_:										\
		short_passed<DEPTH>(g, kind_, from, s);						\
		break;
		EPILOGUE_CASES_ALL(kind, PASSED)
#undef PASSED
		sums = short_dots<DEPTH>(g, x, weight, of.mean, s);
		sums.sum = lanes_sum(sums.sum, s.lanes);
		sums.dot = lanes_sum(sums.dot, s.lanes);
		row_tilt(&of, sums.sum, sums.dot * of.times, by, eps, n);
		if (!mine)
			continue;
		SHORT_PACKS (k, p, s) {
			struct map_pack *to = (struct map_pack *)(dx + i * n) + p, made;

			if (keep != 0)
				made = *to;
#pragma unroll
			for (int j = 0; j < MAP_PACK; j++)
				onto_store(&made.at[j], row_dx(&of, g[k][j], x.at[k].at[j]), keep);
			*to = made;
		}
	}
}

/* Has it been done? Of what it is given, all that normalize_dx_kernel has. */
static bool
short_dx(elem *dx, struct onto onto, const elem *dy, enum epilogue_kind kind, const elem *v, const elem *weight,
    const elem *bias, const real *mean, const real *scale, int by, double eps, int64_t rows, int64_t n)
{
	struct short_rows s = short_rows_of((uintptr_t)dx | (uintptr_t)dy | (uintptr_t)v | (uintptr_t)weight |
	    (uintptr_t)bias, n);

	if (s.lanes)
		LAUNCH_SHORT(short_dx_kernel, s, rows,
		    (dx, onto, dy, kind, v, weight, bias, mean, scale, by, (real)eps, rows, n, s));
	return s.lanes > 0;
}

#endif
