/*
 * norm/normalize_cuda.cu - the gradients of normalisations on CUDA: those of weights, which run
 * down the rows, are summed before dx is made, which may lie where dy or x did.
 */
#ifndef STOWAGE_NORM_NORMALIZE_CUDA_CU
#define STOWAGE_NORM_NORMALIZE_CUDA_CU

#include "norm/element.cu"
#include "pointwise/pack_cuda.cu"
#include "sweep/last_cuda.cu"

KERNEL(normalize_planes_kernel, (double *work, const elem *dy, enum epilogue_kind kind, const elem *x,
    const elem *weight, const elem *bias, const real *mean, const real *scale, int64_t planes, int64_t channels,
    int64_t groups, int64_t places))
{
	ROWS (p, planes) {
		int64_t row = quotient(p, channels), c = p - row * channels + row % groups * channels;

#define SUMS(kind_, function, reads, known)							\
	case kind_:										\
		plane_sums(kind_, work, dy, x, VALUE(weight[c]), bias ? VALUE(bias[c]) : 0, mean, scale, p, row, places);	\
		break;
		EPILOGUE_CASES_ALL(kind, SUMS)
#undef SUMS
	}
}

/* A pack of dx, all of a channel of that WEIGHT and BIAS. */
FOR_KIND void
planes_pack_dx(enum epilogue_kind kind, struct map_pack *to, real keep, const struct map_pack &dy,
    const struct map_pack &x, const struct row_slope *s, real weight, real bias)
{
	struct map_pack made;

	if (keep != 0)
		made = *to;
#pragma unroll
	for (int j = 0; j < MAP_PACK; j++)
		onto_store(&made.at[j], plane_dx(kind, s, dy.at[j], x.at[j], weight, bias), keep);
	*to = made;
}

#define PLANES_PIECE	(8 * BLOCK * MAP_PACK)	/* elements of a row of dx that a block makes */

/* A thread's way along such a piece, a pack or an element of each BLOCK, and where on it channels
 * begin: found without a division, which is a call if it is long, around which what registers hold
 * is put away. */
struct planes_way {
	int64_t at, end;	/* of the row's */
	int64_t place, places;	/* of a channel's */
	int c;
	int channels, rest;	/* by so many, and that many places, a step goes on */
};

DEVICE struct planes_way
planes_way(int64_t at, int64_t end, int64_t places)
{
	struct planes_way w;

	w.at = at, w.end = end, w.places = places;
	w.c = (int)quotient(at, places), w.channels = (int)quotient(BLOCK, places);
	w.place = at - w.c * places, w.rest = (int)(BLOCK - w.channels * places);
	return w;
}

DEVICE void
planes_step(struct planes_way *w)
{
	w->at += BLOCK;
	w->c += w->channels;
	w->place += w->rest;
	if (w->place >= w->places) {
		w->place -= w->places;
		w->c++;
	}
}

/* What lies on that way: PACKS, if each is of one channel, or elements. */
FOR_KIND void
planes_way_dx(enum epilogue_kind kind, elem *dx, real keep, const elem *dy, const elem *x, const elem *weight,
    const elem *bias, const struct row_slope *s, bool packs, struct planes_way w)
{
#pragma unroll 1	/* several at once need more registers than there are */
	for (; packs && w.at < w.end; planes_step(&w))
		planes_pack_dx(kind, (struct map_pack *)dx + w.at, keep, row_pack(dy, w.at), row_pack(x, w.at), s,
		    VALUE(weight[w.c]), bias ? VALUE(bias[w.c]) : 0);
#pragma unroll 1
	for (; !packs && w.at < w.end; planes_step(&w))
		onto_store(&dx[w.at], plane_dx(kind, s, dy[w.at], x[w.at], VALUE(weight[w.c]), bias ? VALUE(bias[w.c]) : 0),
		    keep);
}

/* PIECES of N elements of each row, ALL of them: made by the host, as registers are few. The
 * formulas of doubles take more of these than two blocks have. */
static __global__ void __launch_bounds__(BLOCK, sizeof(real) > 4 ? 1 : 2)
normalize_planes_dx_kernel(elem *dx, struct onto onto, const double *work, const elem *dy,
    enum epilogue_kind kind, const elem *x, const elem *weight, const elem *bias, const real *mean, const real *scale,
    int64_t all, int64_t pieces, int64_t n, int64_t channels, int64_t groups, int64_t places)
{
	real keep = onto_keep(onto);

	ROWS (r, all) {
		int64_t i = quotient(r, pieces), at = i * n, first = i % groups * channels;
		int64_t from = (r - i * pieces) * PLANES_PIECE, end = n - from < PLANES_PIECE ? n : from + PLANES_PIECE;
		struct row_slope s = planes_slope(work + 2 * i * channels, weight + first, mean, scale, i, channels, places);
		bool packs = plane_packs((uintptr_t)(dx + at) | (uintptr_t)(dy + at) | (uintptr_t)(x + at), end, places) > 0;
		struct planes_way w = packs ? planes_way(from / MAP_PACK + threadIdx.x, end / MAP_PACK, places / MAP_PACK) :
		    planes_way(from + threadIdx.x, end, places);

#define DX(kind_, function, reads, known)							\
	case kind_:										\
		planes_way_dx(kind_, dx + at, keep, dy + at, x + at, weight + first, bias ? bias + first : NULL, &s, packs, w);	\
		break;
		EPILOGUE_CASES_ALL(kind, DX)
#undef DX
	}
}

/* DX may be NULL, and BIAS. */
static void
planes_backward(elem *dx, struct onto onto, double *work, const elem *dy, enum epilogue_kind kind, const elem *x,
    const elem *weight, const elem *bias, const real *mean, const real *scale, int64_t rows, int64_t channels,
    int64_t groups, int64_t places)
{
	int64_t n = channels * places, pieces = parts(n, PLANES_PIECE);

	LAUNCH_ROWS(normalize_planes_kernel, rows * channels,
	    (work, dy, kind, x, weight, bias, mean, scale, rows * channels, channels, groups, places));
	if (dx)
		LAUNCH_ROWS(normalize_planes_dx_kernel, rows * pieces,
		    (dx, onto, work, dy, kind, x, weight, bias, mean, scale, rows * pieces, pieces, n, channels, groups, places));
}

/* ---- a weight for each element ---- */

/* A thread's columns: the formula that was done behind, weights and biases. */
template <int WIDTH> struct row_columns {
	enum epilogue_kind kind;
	real weight[WIDTH], bias[WIDTH];
};

template <int WIDTH> DEVICE struct row_columns<WIDTH>
row_columns_of(enum epilogue_kind kind, const elem *weight, const elem *bias, int64_t c)
{
	struct row_columns<WIDTH> of;

	of.kind = kind;
	if (kind != NO_EPILOGUE)
#pragma unroll
		for (int j = 0; j < WIDTH; j++) {
			of.weight[j] = VALUE(weight[c + j]);
			of.bias[j] = bias ? VALUE(bias[c + j]) : 0;
		}
	return of;
}

/* What a row adds to a thread's sums of dy and of dy h. */
template <int WIDTH> DEVICE void
row_add(real *sum, real *dot, const struct row_columns<WIDTH> &of, const struct column_pack<WIDTH> &dy,
    const struct column_pack<WIDTH> &x, real mean, real scale)
{
	real passed[WIDTH], value[WIDTH];

	if (of.kind != NO_EPILOGUE)
#pragma unroll
		for (int j = 0; j < WIDTH; j++)
			value[j] = (VALUE(x.at[j]) - mean) * scale * of.weight[j] + of.bias[j];
	pack_pass<WIDTH>(passed, dy, of.kind, value);
#pragma unroll
	for (int j = 0; j < WIDTH; j++) {
		sum[j] += passed[j];
		dot[j] += passed[j] * ((VALUE(x.at[j]) - mean) * scale);
	}
}

COLUMN_KERNEL(normalize_columns_kernel, (double *work, const elem *dy,
    enum epilogue_kind kind, const elem *x, const elem *weight, const elem *bias, const real *mean, const real *scale,
    int64_t rows, int64_t n, int64_t parts))
{
	__shared__ double each[2 * WIDTH][BLOCK];

	ROWS (r, column_strips(n, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, n, parts);
		struct row_columns<WIDTH> of = row_columns_of<WIDTH>(kind, weight, bias, at.c);
		double sum[2 * WIDTH] = { 0 };
		int64_t i = at.row, far = (COLUMN_DEPTH - 1) * at.step;

		while (i < at.end) {
			real s[WIDTH] = { 0 }, d[WIDTH] = { 0 };

			if (i + far < at.end) {
				struct column_rows<WIDTH> g, v;

				g.load(dy + at.c, i, at.step, n);
				v.load(x + at.c, i, at.step, n);
#pragma unroll
				for (int k = 0; k < COLUMN_DEPTH; k++, i += at.step)
					row_add<WIDTH>(s, d, of, g.at[k], v.at[k], mean ? mean[i] : 0, scale[i]);
			} else {
				row_add<WIDTH>(s, d, of, column_load<WIDTH>(dy + i * n + at.c),
				    column_load<WIDTH>(x + i * n + at.c), mean ? mean[i] : 0, scale[i]);
				i += at.step;
			}
#pragma unroll
			for (int j = 0; j < WIDTH; j++) {
				sum[2 * j] += s[j];
				sum[2 * j + 1] += d[j];
			}
		}
#pragma unroll
		for (int j = 0; j < 2 * WIDTH; j++)
			each[j][threadIdx.x] = sum[j];
		column_sums<WIDTH, 2>(work, each, at, n, parts);
	}
}

KERNEL(normalize_total_kernel, (elem *dweight, elem *dbias, const double *work, int64_t n,
    int64_t parts))
{
	EACH (j, n) {
		double sum = 0, dot = 0;

		for (int64_t p = 0; p < parts; p++) {
			sum += work[2 * (j * parts + p)];
			dot += work[2 * (j * parts + p) + 1];
		}
		if (dweight)
			dweight[j] = ELEM((real)dot);
		if (dbias)
			dbias[j] = ELEM((real)sum);
	}
}

/* DX, and one of DWEIGHT and DBIAS, may be NULL, and BIAS. */
static void
rows_backward(elem *dx, elem *dweight, elem *dbias, struct onto onto, double *work, const elem *dy,
    enum epilogue_kind kind, const elem *x, const elem *weight, const elem *bias, const real *mean, const real *scale,
    int by, double eps, int64_t rows, int64_t n)
{
	int64_t parts = row_parts(n, true);

	LAUNCH_COLUMNS(normalize_columns_kernel, n, parts,
	    (work, dy, kind, x, weight, bias, mean, scale, rows, n, parts));
	LAUNCH(normalize_total_kernel, n, (dweight, dbias, (const double *)work, n, parts));
	if (dx)
		rows_dx(dx, onto, dy, kind, x, weight, bias, mean, scale, by, eps, rows, n);
}

#endif
