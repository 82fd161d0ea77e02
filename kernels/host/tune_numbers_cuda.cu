/*
 * tune_numbers_cuda.cu - whole numbers, of which two ways to do the same must make the same: their
 * sums are exact in any order. Results are compared by sums of theirs.
 */
#if defined(GATES_GRADIENTS) || defined(BY_GROUPS)

#define TUNE_SUMS	64	/* of parts of a result: by these two are compared */

/* Whole numbers from -1 to 1, and some as large as MOST, in an order that is in nothing else. */
KERNEL(tune_fill_kernel, (elem *to, int64_t n, uint32_t seed, int most))
{
	EACH (i, n) {
		uint32_t r = ((uint32_t)i + seed * 2654435769u) * 2654435761u;

		r = (r ^ r >> 15) * 2246822519u;
		r ^= r >> 13;
		to[i] = ELEM((real)(((int)(r % 3) - 1) * (r >> 16 & 1 ? most : 1)));
	}
}

KERNEL(tune_sums_kernel, (double *to, const elem *x, int64_t n))
{
	ROWS (r, TUNE_SUMS) {
		double sum = 0;

		ALONG (j, n / TUNE_SUMS + 1) {
			int64_t i = j * TUNE_SUMS + r;

			if (i < n)
				sum += VALUE(x[i]) * (double)(1 + i % 1021);
		}
		sum = ROW_SUM(sum);
		FIRST
			to[r] = sum;
	}
}

static void
tune_fill(const elem *at, int64_t n, uint32_t seed, int most)
{
	LAUNCH(tune_fill_kernel, n, ((elem *)at, n, seed, most));
}

/* The sums of N elements, by way of ROOM on the device. */
static void
tune_sum(double sum[TUNE_SUMS], void *room, const elem *x, int64_t n)
{
	LAUNCH_ROWS(tune_sums_kernel, TUNE_SUMS, ((double *)room, x, n));
	CUDA(cudaMemcpyAsync(sum, room, TUNE_SUMS * sizeof(double), cudaMemcpyDeviceToHost, stream));
	CUDA(cudaStreamSynchronize(stream));
}

#endif
