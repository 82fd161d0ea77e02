/*
 * product/tile_groups_cuda.cu - the sums of a large tile on sm_90a, by wgmma (wgmma_cuda.cu): each
 * of a block's two groups of four warps has half the rows of it, and all columns. Both operands are
 * read from shared memory as they lie there (tile_cuda.cu), whichever way that is, so that no
 * thread loads any of them. What one block waits for is another's time on the same multiprocessor.
 *
 * Small tiles are by mma.sync there as everywhere. The order in which terms are added is the same,
 * but nobody says that the hardware rounds alike on the way, so bits may differ between the two.
 */
#ifndef STOWAGE_PRODUCT_TILE_GROUPS_CUDA_CU
#define STOWAGE_PRODUCT_TILE_GROUPS_CUDA_CU

#include "product/tile_cuda.cu"

#if GPU_BY_GROUPS

/* The lines that a step's terms from K on are in, of the rows or columns from I on. */
template <int SIDE, bool ALONG_K> DEVICE uint64_t
gpu_lines(const struct gpu_panel<SIDE, ALONG_K> &panel, int k, int i)
{
	uint64_t lines = wgmma_lines(panel.at(0, i), ALONG_K ? 8 : GPU_SLICE);

	return ALONG_K ? wgmma_from_term(lines, k) : wgmma_from_line(lines, k);
}

template <> struct gpu_sums<GPU_LARGE> : gpu_pieces<1, GPU_LARGE / 16> {
	static DEVICE_METHOD int
	row()
	{
		return threadIdx.x / 32 * 16;
	}

	static DEVICE_METHOD int
	col()
	{
		return 0;
	}

	template <class Job> DEVICE_METHOD void
	add(const struct gpu_slice<GPU_LARGE, Job> &s)
	{
		int group = threadIdx.x / 128 * 64;

		wgmma_hold_sums<GPU_LARGE / 8>(sum[0][0]);
		wgmma_begin();
#pragma unroll
		for (int k = 0; k < GPU_SLICE; k += MMA_STEP)
			wgmma_add_128<!Job::A_ALONG_K, !Job::B_ALONG_K>(sum[0][0], gpu_lines(s.a, k, group),
			    gpu_lines(s.b, k, 0));
		wgmma_end();
		wgmma_hold_sums<GPU_LARGE / 8>(sum[0][0]);
	}
};

#endif

#endif
