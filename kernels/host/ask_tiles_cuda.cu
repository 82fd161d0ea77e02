/*
 * ask_tiles_cuda.cu - whether groups of warps make large tiles right (product/tile_groups_cuda.cu):
 * asked once, when a program starts, by products of -1, 0 and 1 whose sums are whole numbers that
 * an element holds, so that any order of terms makes the same. Operands lie along the sum in one
 * product and across it in the other; the last slice is not full. Where any number is another, all
 * tiles are small ones, which are by mma.sync.
 */
#if NARROW && defined(TILES_BY_GROUPS)

#define ASKED_TERMS	200	/* no sum of as many is beyond what bf16 counts */

template <bool ALONG_K> struct asked_job {
	static const bool A_ALONG_K = ALONG_K, B_ALONG_K = ALONG_K, C_ALONG_ROWS = false, SUMS_A = false;
	static const bool a_packs = true, b_packs = true;
	static const int64_t rows = GPU_LARGE, cols = GPU_LARGE, depth = ASKED_TERMS;
	typedef int64_t Row, Col, Term;
	const elem *left, *right;
	elem *target;

	DEVICE_METHOD Term
	term(int, int64_t k) const
	{
		return ALONG_K ? k : k * GPU_LARGE;
	}

	DEVICE_METHOD Row
	row(int, int64_t m) const
	{
		return ALONG_K ? m * ASKED_TERMS : m;
	}

	DEVICE_METHOD Col
	col(int, int64_t n) const
	{
		return ALONG_K ? n * ASKED_TERMS : n;
	}

	DEVICE_METHOD const elem *
	a(Row m, Term k) const
	{
		return &left[m + k];
	}

	DEVICE_METHOD const elem *
	b(Term k, Col n) const
	{
		return &right[k + n];
	}

	DEVICE_METHOD void
	store(int, int, int64_t m, int64_t n, real value) const
	{
		target[m * GPU_LARGE + n] = ELEM(value);
	}
};

static int8_t asked[2][GPU_LARGE][ASKED_TERMS];	/* the operands: a row, or a column, and its terms */

template <bool ALONG_K> static void
asked_operand(elem *to, int operand)
{
	for (int64_t i = 0; i < GPU_LARGE; i++)
		for (int64_t k = 0; k < ASKED_TERMS; k++)
			to[ALONG_K ? i * ASKED_TERMS + k : k * GPU_LARGE + i] = ELEM((real)asked[operand][i][k]);
}

static int
asked_sum(int64_t m, int64_t n)
{
	int sum = 0;

	for (int64_t k = 0; k < ASKED_TERMS; k++)
		sum += asked[0][m][k] * asked[1][n][k];
	return sum;
}

/* ROOM has a place for each of the three. */
template <bool ALONG_K> static bool
asked_agrees(unsigned char *room)
{
	static elem operand[2][GPU_LARGE * ASKED_TERMS], made[GPU_LARGE * GPU_LARGE];
	struct asked_job<ALONG_K> job;

	for (int i = 0; i < 2; i++)
		asked_operand<ALONG_K>(operand[i], i);
	job.left = (const elem *)room;
	job.right = job.left + GPU_LARGE * ASKED_TERMS;
	job.target = (elem *)(room + sizeof(operand));
	CUDA(cudaMemcpyAsync(room, operand, sizeof(operand), cudaMemcpyHostToDevice, stream));
	CUDA(cudaMemsetAsync(job.target, 0xff, sizeof(made), stream));
	gpu_product_by<GPU_LARGE>(job, 1, 1);
	CUDA(cudaMemcpyAsync(made, job.target, sizeof(made), cudaMemcpyDeviceToHost, stream));
	CUDA(cudaStreamSynchronize(stream));
	for (int64_t i = 0; i < GPU_LARGE * GPU_LARGE; i++)
		if (VALUE(made[i]) != (real)asked_sum(i / GPU_LARGE, i % GPU_LARGE))
			return false;
	return true;
}

/* Asks in ROOM, SIZE bytes of the device that hold nothing yet. Where they are too few, no product
 * has large tiles. */
static void
ask_tiles(unsigned char *room, int64_t size)
{
	if (!GPU_BY_GROUPS_ON((gpu_code_of<GPU_LARGE, asked_job<true>>())) ||
	    size < (int64_t)(GPU_LARGE * (2 * ASKED_TERMS + GPU_LARGE) * sizeof(elem)))
		return;
	for (int64_t i = 0; i < (int64_t)sizeof(asked); i++)
		(&asked[0][0][0])[i] = (int8_t)((int)(seed_bits(1, 0, (uint64_t)i) % 3) - 1);
	gpu_groups_agree = asked_agrees<true>(room) && asked_agrees<false>(room);
}

#endif
