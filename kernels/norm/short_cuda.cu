/*
 * norm/short_cuda.cu - norms of rows on CUDA that registers hold. A row is a few neighbouring threads', of which each has
 * at most DEPTH packs of 16 bytes of it, and asks for all of them before it needs the first; it is read once, and no
 * barrier of a block is waited for where it is a warp's, or a part's of one.
 *
 *     a warp of rows of 192 bytes    thread   0 1 .. 7 | 8 9 .. 15 | 16 17 .. 23 | 24 25 .. 31
 *                                    row         0     |     1     |      2      |      3
 *                                    packs    0 1 .. 7, then 8 .. 11 for the first four
 *
 * Rows longer than a warp holds are a block's. Which rows are short follows from their length and where they begin, so
 * that sums have one order.
 */
#ifndef STOWAGE_NORM_SHORT_CUDA_CU
#define STOWAGE_NORM_SHORT_CUDA_CU

#include "pointwise/epilogue.cu"

#define SHORT_LANES	8	/* threads of a row, at least: so that they read 128 bytes side by side */
#define SHORT_DEPTH	4	/* packs of a thread, at most */

struct short_rows {
	int lanes;		/* threads of a row; 0: they are not short */
	int packs;		/* of a row */
	bool deep;		/* more than two of them a thread */
};

/* Of N elements each; OFF has the bits of all addresses that packs are read and written at. */
static struct short_rows
short_rows_of(uintptr_t off, int64_t n)
{
	struct short_rows s = { 0, (int)least(n / MAP_PACK, BLOCK * SHORT_DEPTH + 1), false };

	if (n % MAP_PACK || off % sizeof(struct map_pack) || s.packs > BLOCK * SHORT_DEPTH)
		return s;
	for (s.lanes = SHORT_LANES; s.packs > s.lanes * SHORT_DEPTH; s.lanes = s.lanes < 32 ? 2 * s.lanes : BLOCK)
		;
	s.deep = s.packs > 2 * s.lanes;
	return s;
}

/* Calls the instance for that many packs of a thread. */
#define LAUNCH_SHORT(name, s, rows, args)	do {				\
	int64_t blocks_ = parts(rows, BLOCK / (s).lanes);			\
										\
	if ((s).deep)								\
		LAUNCH_ROWS(name<SHORT_DEPTH>, blocks_, args);			\
	else									\
		LAUNCH_ROWS(name<2>, blocks_, args);				\
} while (0)

/* A thread's packs of a row. */
template <int DEPTH> struct short_row {
	struct map_pack at[DEPTH];

	DEVICE_METHOD void
	load(const elem *row, const struct short_rows &s)
	{
#pragma unroll
		for (int k = 0; k < DEPTH; k++)
			if (short_pack(s, k) < s.packs)
				at[k] = ((const struct map_pack *)row)[short_pack(s, k)];
			else
				at[k] = {};
	}

	/* Its K-th one is this of the row: none, where there are not so many. */
	static DEVICE_METHOD int
	short_pack(const struct short_rows &s, int k)
	{
		return threadIdx.x % s.lanes + k * s.lanes;
	}
};

/* Goes over all rows, R of this thread's; at the end there are fewer than threads for them, and then they do the last one,
 * too, but are not MINE: all threads of a warp sum together. */
#define SHORT_ROWS(r, mine, rows, s)								\
	for (int64_t each_ = BLOCK / (s).lanes, first_ = blockIdx.x * each_, at_, r, mine;	\
	    first_ < (rows) && (at_ = first_ + threadIdx.x / (s).lanes, mine = at_ < (rows),	\
	    r = mine ? at_ : (rows) - 1, true); first_ += gridDim.x * each_)
#define SHORT_PACKS(k, p, s)	_Pragma("unroll") for (int k = 0; k < DEPTH; k++)		\
	if (int p = short_row<DEPTH>::short_pack(s, k); p < (s).packs)

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

/* The weights of pack P, each 1 where there are none; and its biases, 0 where there are none. Each is that of PLACES
 * neighbours, one or whole packs. */
DEVICE void
short_weights(real *to, const elem *from, int p, int64_t places, real none)
{
	struct map_pack w;
	real all = none;

	if (from && places == 1)
		w = ((const struct map_pack *)from)[p];
	else if (from)
		all = VALUE(from[quotient((int64_t)p * MAP_PACK, places)]);
#pragma unroll
	for (int j = 0; j < MAP_PACK; j++)
		to[j] = from && places == 1 ? VALUE(w.at[j]) : all;
}

template <int DEPTH> DEVICE void
short_store(enum epilogue_kind kind, elem *y, const struct short_row<DEPTH> &x, const elem *weight, const elem *bias,
    struct row r, int64_t places, const struct short_rows &s)
{
	SHORT_PACKS (k, p, s) {
		struct map_pack made;
		real w[MAP_PACK], b[MAP_PACK];

		short_weights(w, weight, p, places, 1);
		short_weights(b, bias, p, places, 0);
#pragma unroll
		for (int j = 0; j < MAP_PACK; j++)
			made.at[j] = ELEM(epilogue_of_both(kind, plane_value((VALUE(x.at[k].at[j]) - r.mean) * r.scale,
			    w[j], b[j]), 0));
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
#define STORE(kind_, function, reads, known)							\
	case kind_:										\
		short_store<DEPTH>(kind_, y + i * n, v, weight ? weight + at : NULL, bias ? bias + at : NULL, r,	\
		    places, s);									\
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

/* What of dy passes KIND, times the weights; and their sum, and that of it times the distance from the mean. */
template <int DEPTH> DEVICE struct row_dots
short_passed(real (*g)[MAP_PACK], enum epilogue_kind kind, const struct short_row<DEPTH> &dy,
    const struct short_row<DEPTH> &v, const elem *weight, const elem *bias, const struct row_slope &of,
    const struct short_rows &s)
{
	struct row_dots sums = { 0, 0 };

	SHORT_PACKS (k, p, s) {
		real w[MAP_PACK], b[MAP_PACK];

		short_weights(w, weight, p, 1, 1);
		short_weights(b, kind != NO_EPILOGUE ? bias : NULL, p, 1, 0);
#pragma unroll
		for (int j = 0; j < MAP_PACK; j++) {
			real d = VALUE(v.at[k].at[j]) - of.mean;

			g[k][j] = epilogue_of_both(kind, VALUE(dy.at[k].at[j]), plane_value(d * of.scale, w[j], b[j])) * w[j];
			sums.sum += g[k][j];
			sums.dot += g[k][j] * d;
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
		struct row_dots sums = { 0, 0 };
		real g[DEPTH][MAP_PACK];

		from.load(dy + i * n, s);
		x.load(v + i * n, s);
#define PASSED(kind_, function, reads, known)							\
	case kind_:										\
		sums = short_passed<DEPTH>(g, kind_, from, x, weight, bias, of, s);		\
		break;
		EPILOGUE_CASES_ALL(kind, PASSED)
#undef PASSED
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
