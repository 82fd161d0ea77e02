/*
 * sweep/first_cuda.cu - the CUDA side of what goes by channels where each sample has a plane of
 * them: [b, channels, n].
 *
 * A thread takes packs of WIDTH elements, in one access of 16 bytes where planes are made of such.
 * In a sum over a channel, a block takes a part of the packs of all its planes. In a sweep, a few
 * threads side by side take a tile of a plane, up to PLANE_ROUNDS packs each: what they have to
 * know of its channel they read once, and blocks are full whatever the size of planes.
 */
#ifndef STOWAGE_SWEEP_FIRST_CUDA_CU
#define STOWAGE_SWEEP_FIRST_CUDA_CU

#include "sweep/last_cuda.cu"

#define PLANE_DEPTH	4	/* packs that a thread has on their way to a sum */
#define PLANE_ROUNDS	4

/* Can planes of N elements be cut into packs of COLUMN_WIDTH? */
static inline bool
plane_is_wide(int64_t n)
{
	return n % COLUMN_WIDTH == 0;
}

/* ---- sums ---- */

/* A thread's way through the packs of a channel, every BLOCK-th of them: what it adds to go on, and
 * what when that is past the end of a plane, so that nothing is divided on the way. */
struct plane_walk {
	int64_t at;		/* from the tensor's first pack */
	int64_t place, packs;	/* in the plane, and how many it has */
	int64_t step, rest, gap;

	DEVICE_METHOD
	plane_walk(int64_t i, int64_t c, int64_t channels, int64_t packs_) : packs(packs_)
	{
		int64_t image = quotient(i, packs), images = quotient(BLOCK, packs);

		place = i - image * packs;
		at = (image * channels + c) * packs + place;
		rest = BLOCK - images * packs;
		step = images * channels * packs + rest;
		gap = (channels - 1) * packs;
	}

	DEVICE_METHOD void
	next(void)
	{
		at += step;
		place += rest;
		if (place >= packs) {
			place -= packs;
			at += gap;
		}
	}
};

/* A thread's packs in part P of PARTS of a channel, which has so many: every BLOCK-th of these. */
struct plane_part {
	int64_t from, end;
};

DEVICE struct plane_part
plane_part_of(int64_t packs, int64_t p, int64_t parts)
{
	struct plane_part k;

	k.from = PART_FROM(packs, p, parts) + threadIdx.x;
	k.end = PART_FROM(packs, p + 1, parts);
	return k;
}

/* ---- sweeps ---- */

struct plane_cut {		/* planes, in TILES of TALL packs at most, for LANES threads each */
	int64_t planes, channels, packs, tiles;
	int tall, lanes;
};

static inline struct plane_cut
plane_cut_of(int64_t b, int64_t channels, int64_t packs)
{
	const int64_t most = COLUMN_LANES * PLANE_ROUNDS;
	struct plane_cut k;
	int64_t rounds;

	k.planes = b * channels, k.channels = channels, k.packs = packs;
	k.tiles = (packs + most - 1) / most;
	k.tall = (int)((packs + k.tiles - 1) / k.tiles);
	rounds = (k.tall + COLUMN_LANES - 1) / COLUMN_LANES;
	k.lanes = (int)((k.tall + rounds - 1) / rounds);
	return k;
}

static __host__ __device__ __forceinline__ int64_t
plane_blocks(const struct plane_cut &k)
{
	int64_t side = BLOCK / k.lanes;

	return (k.planes * k.tiles + side - 1) / side;
}

/* What block R has this thread do: packs [at, end) of the tensor, every STEP-th, of channel C. */
struct plane_place {
	int64_t c, at, end;
	int step;
};

DEVICE struct plane_place
plane_place_of(int64_t r, const struct plane_cut &k)
{
	int row = (int)threadIdx.x / k.lanes, side = BLOCK / k.lanes;
	int64_t tile = r * side + row, plane = quotient(tile, k.tiles), first, end;
	struct plane_place p;

	p.step = k.lanes;
	if (row >= side || plane >= k.planes) {
		p.c = p.at = p.end = 0;
		return p;
	}
	p.c = plane - quotient(plane, k.channels) * k.channels;
	first = (tile - plane * k.tiles) * k.tall;
	end = first + k.tall < k.packs ? first + k.tall : k.packs;
	p.at = plane * k.packs + first + ((int)threadIdx.x - row * k.lanes);
	p.end = plane * k.packs + end;
	return p;
}

/* Calls the instance of a sweep for planes of N elements; the last argument is how they are cut. */
#define LAUNCH_PLANES(name, b, channels, n, ...)	do {				\
	int width_ = plane_is_wide(n) ? COLUMN_WIDTH : 1;				\
	struct plane_cut cut_ = plane_cut_of(b, channels, (n) / width_);		\
	if (plane_is_wide(n))								\
		LAUNCH_ROWS(name<COLUMN_WIDTH>, plane_blocks(cut_), (__VA_ARGS__, cut_));	\
	else										\
		LAUNCH_ROWS(name<1>, plane_blocks(cut_), (__VA_ARGS__, cut_));		\
} while (0)
/* The same of a sum, of all channels in PARTS each, whose last argument are a plane's packs. */
#define LAUNCH_PLANE_SUMS(name, channels, n, parts, ...)	do {			\
	if (plane_is_wide(n))								\
		LAUNCH_ROWS(name<COLUMN_WIDTH>, (channels) * (parts),			\
		    (__VA_ARGS__, (n) / COLUMN_WIDTH));					\
	else										\
		LAUNCH_ROWS(name<1>, (channels) * (parts), (__VA_ARGS__, n));		\
} while (0)

#endif
