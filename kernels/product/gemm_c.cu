/*
 * product/gemm_c.cu - the engine of all matrix products: C = A B, or C = keep * C + A B, where A is
 * read in place through a table of offsets, and B is either read in place or packed into panels.
 *
 * Convolutions, their gradients and dense layers have one shape in common: many rows (filters,
 * units), many columns (positions of all images, samples) and a long sum. What differs is where
 * an element lies, so that is all a caller says: a table of offsets along the sum, a step from row
 * to row, a function that packs columns, a table of offsets of the columns in C.
 *
 * In C the work is done by a register tile of TILE_ROWS x TILE_COLS. It broadcasts elements of A,
 * one for each row, and multiplies them into TILE_VECS vectors of B:
 *
 *            B panel   k x TILE_COLS, packed, in the second-level cache
 *              | | |
 *     A -- [ tile of C, in registers ]
 *
 * A broadcast reads one element wherever it lies, so weights are never packed or transposed: each
 * is used for few columns when images are small, and packing would cost as much as the product.
 *
 * Elements of 16 bits become reals when B is packed, and a tile's rows of A before they are used
 * for a block of columns; sums of several blocks are kept in the scratch memory until they are
 * whole, so that each is rounded once.
 *
 * Every element of C is summed in the same order whatever the number of threads.
 */
#ifndef STOWAGE_PRODUCT_GEMM_C_CU
#define STOWAGE_PRODUCT_GEMM_C_CU

#include "pointwise/epilogue.cu"
#include "product/tile_c.cu"
#include "sizes.h"

struct product {
	int64_t rows, cols, depth;
	const elem *a;		/* element (i, k): a[i * a_row + place(k).a] */
	int64_t a_row;
	elem *c;		/* element (i, j): c[i * c_row + column(j)] */
	int64_t c_row;
	real keep;		/* what becomes of what C holds: C = keep * C + A B */
	const elem *bias;	/* added to each row, or NULL; step from row to row. 0: each column
				 * of C, which are neighbours, has its own */
	int64_t bias_row;
	struct epilogue then;	/* done to what is stored, where keep is 0; all zero: nothing. What
				 * it reads lies as C does */
	const elem *b;		/* what pack() reads */
	int64_t b_row, b_col;
	const void *shape;	/* what else the functions below read */
	/* the offsets in A of terms [k, k + n) */
	void (*places)(const struct product *, struct place *, int64_t k, int n);
	/* panel[n][TILE_COLS] = terms [k, k + n) of columns [j, j + cols) of B */
	void (*pack)(const struct product *, real *panel, int64_t j, int cols, int64_t k, int n);
	/* the offsets in C of columns [j, j + n) */
	void (*columns)(const struct product *, int64_t *at, int64_t j, int n);
};

/* Neighbours of C from neighbours of a tile. START may be -0, which changes nothing, not even a 0
 * to another. */
static inline void
run_store(elem *to, const real *from, int n, real start, real keep)
{
	int q = 0;

#if NARROW
	if (keep != 0)
		for (; q < n; q++)
			to[q] = ELEM(keep * VALUE(to[q]) + (from[q] + start));
	else
		for (; q < n; q++)
			to[q] = ELEM(from[q] + start);
#else
	if (keep != 0) {
		for (; q + LANES <= n; q += LANES)
			*(vec_at *)(to + q) = keep * *(vec_at *)(to + q) +
			    (*(const vec_at *)(from + q) + start);
		for (; q < n; q++)
			to[q] = keep * to[q] + (from[q] + start);
	} else {
		for (; q + LANES <= n; q += LANES)
			*(vec_at *)(to + q) = *(const vec_at *)(from + q) + start;
		for (; q < n; q++)
			to[q] = from[q] + start;
	}
#endif
}

/* A tile that holds the whole sums: an epilogue is done in it, before it is stored; where that
 * reads an operand more and columns are neighbours, its result is stored. KIND, READS and LIE,
 * whether they are, are constants. */
static inline __attribute__((always_inline)) void
finish_as(const struct product *p, enum epilogue_kind kind, bool reads, bool lie, real *tile, int64_t row, int rows,
    const int64_t *column, int cols, const elem *bias)
{
	struct epilogue then = epilogue_of(kind, p->then.saved);
	int64_t line = row * p->c_row, at = line + column[0];

	for (int i = 0; i < rows; i++, tile += TILE_COLS, line += p->c_row, at += p->c_row) {
		real start = bias ? VALUE(bias[(row + i) * p->bias_row]) : 0;

		if (!reads) {
			PRAGMA(omp simd)
			for (int j = 0; j < TILE_COLS; j++)
				tile[j] = epilogue_value(then, tile[j] + start, 0);
		} else if (!lie) {
			for (int j = 0; j < cols; j++)
				tile[j] = epilogue_value(then, tile[j] + start, line + column[j]);
		} else if (cols == TILE_COLS) {
			PRAGMA(omp simd)
			for (int j = 0; j < TILE_COLS; j++)
				p->c[at + j] = ELEM(epilogue_value(then, tile[j] + start, at + j));
		} else {
			for (int j = 0; j < cols; j++)
				p->c[at + j] = ELEM(epilogue_value(then, tile[j] + start, at + j));
		}
	}
}

/* Has it stored them, too? */
static bool
tile_finish(const struct product *p, real *tile, int64_t row, int rows, const int64_t *column,
    int cols, bool first, const elem *bias)
{
	const elem *c = p->c + row * p->c_row;
	bool lie = column[cols - 1] == column[0] + cols - 1;

	for (int i = 0; !first && i < rows; i++)
		for (int j = 0; j < cols; j++)
			tile[i * TILE_COLS + j] += VALUE(c[i * p->c_row + column[j]]);
#define FINISH(kind_, function, reads, known)							\
	case kind_:										\
		if (!reads || lie)								\
			finish_as(p, kind_, reads, true, tile, row, rows, column, cols, bias);	\
		else										\
			finish_as(p, kind_, reads, false, tile, row, rows, column, cols, bias);	\
		break;
	EPILOGUE_CASES(p->then, FINISH)
#undef FINISH
	return p->then.saved && lie;
}

/* Adds a bias to each column; then there is none left to add. */
static const elem *
tile_bias(real *tile, int rows, const elem *bias, int cols)
{
	real put[TILE_COLS] = { 0 };

	for (int j = 0; j < cols; j++)
		put[j] = VALUE(bias[j]);
	for (int i = 0; i < rows; i++)
		PRAGMA(omp simd)
		for (int j = 0; j < TILE_COLS; j++)
			tile[i * TILE_COLS + j] += put[j];
	return NULL;
}

#if !NARROW

/* A whole row of a tile's columns, which are neighbours in C. */
static void
tile_store_rows(const struct product *p, const real *tile, real *c, int rows, const real *bias, real keep)
{
	for (int i = 0; i < rows; i++, tile += TILE_COLS, c += p->c_row)
		for (int v = 0; v < TILE_COLS; v += LANES) {
			vec sum = *(const vec *)(tile + v) + (bias ? bias[i * p->bias_row] : REAL(-0.0));

			if (keep != 0)
				sum = keep * *(vec_at *)(c + v) + sum;
			*(vec_at *)(c + v) = sum;
		}
}

#endif

/* Writes a tile to C, or adds it to KEEP times C; COLUMN says where its columns lie. The first part
 * of a sum brings the bias, the last the epilogue. */
static void
tile_store(const struct product *p, real *tile, int64_t row, int rows, const int64_t *column,
    int cols, bool first, bool last)
{
	const elem *bias = first ? p->bias : NULL;
	real keep = first ? p->keep : 1;
	elem *c = p->c + row * p->c_row;
	int i, j, end;

	if (bias && !p->bias_row)
		bias = tile_bias(tile, rows, bias + column[0], cols);
	if (last && p->then.kind != NO_EPILOGUE) {
		if (tile_finish(p, tile, row, rows, column, cols, first, bias))
			return;
		bias = NULL;
		keep = 0;
	}
	if (p->c_row == 1 && !bias && keep == 0) {
		for (j = 0; j < cols; j++)
			for (i = 0; i < rows; i++)
				c[column[j] + i] = ELEM(tile[i * TILE_COLS + j]);
		return;
	}
	if (p->c_row == 1) {	/* columns of C lie along memory */
		for (j = 0; j < cols; j++)
			for (i = 0; i < rows; i++)
				c[column[j] + i] = ELEM(tile[i * TILE_COLS + j] +
				    (bias ? VALUE(bias[(row + i) * p->bias_row]) : 0) +
				    (keep != 0 ? keep * VALUE(c[column[j] + i]) : 0));
		return;
	}
#if !NARROW
	if (cols == TILE_COLS && column[cols - 1] == column[0] + cols - 1) {
		tile_store_rows(p, tile, c + column[0], rows, bias ? bias + row * p->bias_row : NULL, keep);
		return;
	}
#endif
	for (j = 0; j < cols; j = end) {	/* runs of neighbours, mostly one or two */
		for (end = j + 1; end < cols && column[end] == column[j] + (end - j); end++)
			;
		for (i = 0; i < rows; i++)
			run_store(c + i * p->c_row + column[j], tile + i * TILE_COLS + j, end - j,
			    bias ? VALUE(bias[(row + i) * p->bias_row]) : REAL(-0.0), keep);
	}
}

/* A tile is read in place, unless elements are NARROW, or its rows are neighbours: then each term
 * lies in a cache line of its own, often at the same places of the cache, and from a few panels of
 * columns on a copy pays. */
#define COPY_ROWS	((TILE_ROWS + LANES - 1) / LANES * LANES)

static inline bool
tile_is_copied(const struct product *p, int cols)
{
	return NARROW || (p->a_row == 1 && cols > 2 * TILE_COLS);
}

/* Where the terms of a copy are. */
static void
copy_table(const struct product *p, struct place *to, const struct place *at, int terms)
{
	for (int k = 0; k < terms; k++) {
		to[k].a = p->a_row == 1 ? (int64_t)k * COPY_ROWS : k;
		to[k].b = at[k].b;
	}
}

/* Rows that are neighbours, term by term: COPY_ROWS, where A has so many. */
static void
copy_turned(real *to, const elem *a, bool whole, int rows, const struct place *at, int terms)
{
	for (int k = 0; k < terms; k++, to += COPY_ROWS) {
		const elem *from = a + at[k].a;

		if (whole)
			for (int i = 0; i < COPY_ROWS; i++)
				to[i] = VALUE(from[i]);
		else
			for (int i = 0; i < rows; i++)
				to[i] = VALUE(from[i]);
	}
}

static void
copy_rows(const struct product *p, real *to, int64_t row, int rows, const struct place *at, int terms)
{
	const elem *a = p->a + row * p->a_row;

	if (p->a_row == 1)
		copy_turned(to, a, row + COPY_ROWS <= p->rows, rows, at, terms);
	else
		for (int i = 0; i < rows; i++)
			for (int k = 0; k < terms; k++)
				to[i * terms + k] = VALUE(a[i * p->a_row + at[k].a]);
}

#if NARROW

/* A tile of one block's part of the sums, which is stored with the last. SUMS: of BLOCK_ROWS rows
 * of BLOCK_COLS columns; not used where the block is all there is. */
static void
tile_add(const struct product *p, real *tile, real *sums, int64_t row, int rows,
    const int64_t *column, int cols, int64_t k, int depth)
{
	for (int i = 0; i < rows && k > 0; i++)
		for (int j = 0; j < cols; j++)
			tile[i * TILE_COLS + j] += sums[i * BLOCK_COLS + j];
	if (k + depth == p->depth) {
		tile_store(p, tile, row, rows, column, cols, true, true);
		return;
	}
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < cols; j++)
			sums[i * BLOCK_COLS + j] = tile[i * TILE_COLS + j];
}

#else

static void
tile_add(const struct product *p, real *tile, real *sums, int64_t row, int rows, const int64_t *column, int cols,
    int64_t k, int depth)
{
	(void)sums;
	tile_store(p, tile, row, rows, column, cols, k == 0, k + depth == p->depth);
}

#endif

/* Rows [first, last) of C, at most BLOCK_ROWS of NARROW sums in several blocks, times a packed
 * block of COLS columns, by tiles of nearly equal height. */
static void
block_product(const struct product *p, int64_t first, int64_t last, const real *panels, real *sums,
    const int64_t *column, int cols, const struct place *at, int64_t k, int depth)
{
	real tile[TILE_ROWS * TILE_COLS] __attribute__((aligned(64))) = { 0 };
	real copy[COPY_ROWS * BLOCK_DEPTH] __attribute__((aligned(64)));
	struct place to[BLOCK_DEPTH];
	bool copied = tile_is_copied(p, cols);
	int64_t tiles = parts(last - first, TILE_ROWS), step = !copied ? p->a_row : p->a_row == 1 ? 1 : depth;

	if (copied)
		copy_table(p, to, at, depth);
	for (int64_t t = 0; t < tiles; t++) {
		int64_t row = first + (last - first) * t / tiles;
		int rows = (int)(first + (last - first) * (t + 1) / tiles - row);
		const real *a = copied ? copy : (const real *)(p->a + row * p->a_row);

		if (copied)
			copy_rows(p, copy, row, rows, at, depth);
		for (int j = 0; j < cols; j += TILE_COLS) {
			int n = (int)least(TILE_COLS, cols - j);

			tile_product(rows, n > LANES ? 2 : 1, tile, a, step, panels + (int64_t)j * depth, LANES,
			    copied ? to : at, depth);
			tile_add(p, tile, sums + (row - first) * BLOCK_COLS + j, row, rows, column + j, n, k, depth);
		}
	}
}

/* Rows that are taken at a time: all, where nothing is kept of them between blocks. */
static inline int64_t
block_rows(const struct product *p)
{
	return NARROW && p->depth > BLOCK_DEPTH ? BLOCK_ROWS : most(1, p->rows);
}

static inline int
block_depth(const struct product *p)
{
	return (int)parts(p->depth, most(1, parts(p->depth, BLOCK_DEPTH)));
}

static void
table_of(const struct product *p, struct place *at, int64_t k, int n)
{
	p->places(p, at, k, n);
	for (int i = 0; i < n; i++)
		at[i].b = (int64_t)i * TILE_COLS;
}

/* A thread's own columns: it packs them itself and needs no synchronisation. */
static void
product_by_columns(const struct product *p, real *scratch, int64_t first, int64_t last)
{
	real *sums = scratch + product_panels(p->depth, p->cols);
	int64_t column[BLOCK_COLS], step = block_rows(p);
	struct place at[BLOCK_DEPTH];
	int depth = block_depth(p);

	for (int64_t j = first; j < last; j += BLOCK_COLS) {
		int cols = (int)least(BLOCK_COLS, last - j);

		p->columns(p, column, j, cols);
		for (int64_t i = 0; i < p->rows; i += step)
			for (int64_t k = 0; k < p->depth; k += depth) {
				int n = (int)least(depth, p->depth - k);

				table_of(p, at, k, n);
				for (int q = 0; q < cols; q += TILE_COLS)
					p->pack(p, scratch + (int64_t)q * n, j + q,
					    (int)least(TILE_COLS, cols - q), k, n);
				block_product(p, i, least(p->rows, i + step), scratch, sums, column,
				    cols, at, k, n);
			}
	}
}

/* What the threads pack together before they share the rows among them: WIDE columns, of DEEP
 * terms. */
struct stage {
	int64_t wide, deep;
	int64_t each;		/* places of scratch memory that a thread has */
	int pieces;		/* of the rows */
};

/* Pieces of rows that a thread takes: enough that one whose processor is slower holds up the others
 * by little. */
#define ROW_PIECES	8

/* As many terms of all columns as the threads' scratch memory takes, else as many columns of a
 * block's terms; but sums that are kept between blocks have a place for each thread, of one block's
 * columns. */
static struct stage
product_stage(const struct product *p)
{
	int64_t depth = block_depth(p), padded = parts(p->cols, TILE_COLS) * TILE_COLS;
	int64_t room = team_size() * product_panels(p->depth, p->cols);
	struct stage s = { p->cols, depth, product_scratch(p->depth, p->cols, NARROW), team_size() };

	if (NARROW && p->depth > BLOCK_DEPTH) {
		s.wide = BLOCK_COLS;
		return s;
	}
	if (padded * depth > room)
		s.wide = room / depth / BLOCK_COLS * BLOCK_COLS;
	else
		s.deep = room / padded / depth * depth;
	s.pieces = (int)most(1, least(ROW_PIECES * team_size(), p->rows / (2 * TILE_ROWS)));
	return s;
}

/* Terms [k, end) of columns [j, j + cols), a block of terms behind another. */
static void
stage_pack(const struct product *p, real *scratch, int64_t j, int64_t cols, int64_t k, int64_t end)
{
	int64_t depth = block_depth(p), panels = parts(cols, TILE_COLS);

	ROWS (at, panels * parts(end - k, depth)) {
		int64_t term = k + at / panels * depth, q = at % panels * TILE_COLS;
		int n = (int)least(depth, end - term);

		p->pack(p, scratch + (term - k) * panels * TILE_COLS + q * n, j + q,
		    (int)least(TILE_COLS, cols - q), term, n);
	}
}

/* Rows [first, last) times what a stage has packed. */
static void
stage_product(const struct product *p, int64_t first, int64_t last, const real *scratch, real *sums, int64_t j,
    int64_t cols, int64_t k, int64_t end)
{
	int64_t depth = block_depth(p), padded = parts(cols, TILE_COLS) * TILE_COLS, column[BLOCK_COLS];
	struct place at[BLOCK_DEPTH];

	for (int64_t q = 0; q < cols; q += BLOCK_COLS) {
		int some = (int)least(BLOCK_COLS, cols - q);

		p->columns(p, column, j + q, some);
		for (int64_t term = k; term < end; term += depth) {
			int n = (int)least(depth, end - term);

			table_of(p, at, term, n);
			block_product(p, first, last, scratch + (term - k) * padded + q * n, sums, column, some, at,
			    term, n);
		}
	}
}

/* The threads pack columns together; then each piece of the rows is one thread's. Sums are the
 * piece's, behind the panels of the thread of that number. */
static void
product_by_rows(const struct product *p, real *scratch)
{
	struct stage s = product_stage(p);
	int64_t units = parts(p->rows, TILE_ROWS), step = block_rows(p), highest = parts(units, s.pieces) * TILE_ROWS;
	real *sums = scratch + product_panels(p->depth, p->cols);

	for (int64_t j = 0; j < p->cols; j += s.wide)
		for (int64_t i = 0; i < highest; i += step)
			for (int64_t k = 0; k < p->depth; k += s.deep) {
				int64_t cols = least(s.wide, p->cols - j), stop = least(p->depth, k + s.deep);

				stage_pack(p, scratch, j, cols, k, stop);
				SHARE (t, end, s.pieces, 1, s.pieces) {
					int64_t first = units * t / s.pieces * TILE_ROWS + i;
					int64_t last = least(p->rows, units * end / s.pieces * TILE_ROWS);

					stage_product(p, least(last, first), least(last, first + step), scratch,
					    sums + t % team_size() * s.each, j, cols, k, stop);
				}
			}
}

/* Is it better to share the rows? There are few columns; or there are many rows, not so many
 * columns that each thread had pieces enough of them, and what is packed takes a few goes. */
static bool
product_has_rows(const struct product *p)
{
	struct stage s = product_stage(p);

	return parts(p->cols, TILE_COLS) < 4 * team_size() ||
	    (p->rows >= 2 * TILE_ROWS * ROW_PIECES * team_size() &&
	    parts(p->cols, BLOCK_COLS) < TEAM_PIECES * team_size() &&
	    parts(p->cols, s.wide) * parts(p->depth, s.deep) <= 4);
}

/* A product that the threads share; SCRATCH is all threads' together. */
static void
product_share(const struct product *p, real *scratch)
{
	int64_t pieces = most(1, least(TEAM_PIECES, parts(parts(p->cols, BLOCK_COLS), team_size())));
	real *own = scratch + team_me() * product_scratch(p->depth, p->cols, NARROW);

	if (team_size() > 1 && product_has_rows(p)) {
		product_by_rows(p, scratch);
		return;
	}
	SHARE (first, last, p->cols, TILE_COLS, pieces * team_size())
		product_by_columns(p, own, first, last);
}

/* Multiply-adds that are not worth sharing. */
#define WORTH_PRODUCT	100000

#endif
