/*
 * copy/embedding_cuda.cu - the gradient of an embedding on CUDA. Keys are sorted by merging: of two
 * sorted runs side by side, a key's place among those of both is its place in its own and how many
 * of the other are smaller. Each thread finds that for its own keys: tiles in shared memory first,
 * and then as many sweeps as there are doublings from a tile to all keys.
 */
#ifndef STOWAGE_COPY_EMBEDDING_CUDA_CU
#define STOWAGE_COPY_EMBEDDING_CUDA_CU

#define SORT_TILE	2048	/* keys that a block sorts */
#define SUM_DEPTH	8	/* rows that a thread has on the way at once */

/* Moves key I of N to its place, where runs of RUN keys, a power of two, are sorted: in its pair of
 * runs. */
DEVICE void
embedding_merge(uint64_t *to, const uint64_t *from, int64_t i, int64_t n, int64_t run)
{
	int64_t own = i & ~(run - 1), other = own ^ run, end = other + run < n ? other + run : n;
	int64_t low = other, high = end;
	uint64_t key = from[i];

	while (low < high) {
		int64_t mid = (low + high) / 2;

		if (from[mid] < key)
			low = mid + 1;
		else
			high = mid;
	}
	to[(own & ~run) + (i - own) + (low - other)] = key;
}

KERNEL(embedding_tiles_kernel, (uint64_t *key, const int32_t *ids, int64_t tokens, int64_t first, int64_t rows,
    int64_t padding))
{
	__shared__ uint64_t tile[2][SORT_TILE];

	ROWS (r, (tokens + SORT_TILE - 1) / SORT_TILE) {
		int64_t at = r * SORT_TILE, n = tokens - at < SORT_TILE ? tokens - at : SORT_TILE;
		int in = 0;

		ALONG (j, n)
			tile[0][j] = KEY(embedding_row(ids[at + j], first, rows, padding), at + j);
		__syncthreads();
		for (int64_t run = 1; run < SORT_TILE; run *= 2, in = !in) {
			ALONG (j, n)
				embedding_merge(tile[!in], tile[in], j, n, run);
			__syncthreads();
		}
		ALONG (j, n)
			key[at + j] = tile[in][j];
		__syncthreads();
	}
}

KERNEL(embedding_merge_kernel, (uint64_t *to, const uint64_t *from, int64_t n, int64_t run))
{
	EACH (i, n)
		embedding_merge(to, from, i, n, run);
}

/* Returns where in WORK, which has room for them twice, the keys lie. */
static const uint64_t *
embedding_sort(uint64_t *work, const int32_t *ids, int64_t tokens, int64_t first, int64_t rows, int64_t padding)
{
	uint64_t *from = work, *to = work + tokens;

	LAUNCH_ROWS(embedding_tiles_kernel, (tokens + SORT_TILE - 1) / SORT_TILE,
	    (work, ids, tokens, first, rows, padding));
	for (int64_t run = SORT_TILE; run < tokens; run *= 2) {
		uint64_t *was = from;

		LAUNCH(embedding_merge_kernel, tokens, (to, from, tokens, run));
		from = to;
		to = was;
	}
	return from;
}

/* Adds an element of each row of DY that keys with the first one's number name; some rows are asked
 * for at once, since each comes from afar. */
DEVICE void
embedding_sum(real *sum, const elem *dy, const uint64_t *key, int64_t keys, int64_t width, int64_t n)
{
	int64_t row = KEY_ROW(key[0]);

	if (threadIdx.x >= n)
		return;
	for (int64_t k = 0; k < keys && KEY_ROW(key[k]) == row; k += SUM_DEPTH) {
		real v[SUM_DEPTH];

#pragma unroll
		for (int d = 0; d < SUM_DEPTH; d++) {
			bool more = k + d < keys && KEY_ROW(key[k + d]) == row;

			v[d] = more ? VALUE(dy[KEY_PLACE(key[k + d]) * width + threadIdx.x]) : 0;
		}
#pragma unroll
		for (int d = 0; d < SUM_DEPTH; d++)
			*sum += v[d];
	}
}

#endif
