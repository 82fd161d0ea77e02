/*
 * norm/short_rows_cuda.cu - rows on CUDA that registers hold. A row is a few neighbouring threads',
 * of which each has at most DEPTH packs of 16 bytes of it, and asks for all of them before it needs
 * the first; it is read once, and no barrier of a block is waited for where it is a warp's, or a
 * part's of one.
 *
 *     a warp of rows of 192 bytes    thread   0 1 .. 7 | 8 9 .. 15 | 16 17 .. 23 | 24 25 .. 31
 *                                    row         0     |     1     |      2      |      3
 *                                    packs    0 1 .. 7, then 8 .. 11 for the first four
 *
 * Rows longer than a warp holds are a block's. Which rows are short follows from their length and
 * where they begin, so that sums have one order.
 */
#ifndef STOWAGE_NORM_SHORT_ROWS_CUDA_CU
#define STOWAGE_NORM_SHORT_ROWS_CUDA_CU

#include "kernel.h"
#include "sizes.h"

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

/* Goes over all rows, R of this thread's; at the end there are fewer than threads for them, and
 * then they do the last one, too, but are not MINE: all threads of a warp sum together. */
#define SHORT_ROWS(r, mine, rows, s)								\
	for (int64_t each_ = BLOCK / (s).lanes, first_ = blockIdx.x * each_, at_, r, mine;	\
	    first_ < (rows) && (at_ = first_ + threadIdx.x / (s).lanes, mine = at_ < (rows),	\
	    r = mine ? at_ : (rows) - 1, true); first_ += gridDim.x * each_)
#define SHORT_PACKS(k, p, s)	_Pragma("unroll") for (int k = 0; k < DEPTH; k++)		\
	if (int p = short_row<DEPTH>::short_pack(s, k); p < (s).packs)

#endif
