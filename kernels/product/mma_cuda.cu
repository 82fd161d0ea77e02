/*
 * product/mma_cuda.cu - tensor cores: the instructions of PTX that tiles are made of
 * (tile_cuda.cu), a function each. The 32 threads of a warp call each together. A step multiplies
 * 16 rows of A by 8 columns of B, over 32 bytes of terms: 16 of 16 bits, or 8 of f32. Which
 * elements a thread has is laid down by the PTX ISA, "Matrix Fragments for mma.m16n8k16 with
 * floating point type", "... for mma.m16n8k8" and "Warp-level matrix load instruction: ldmatrix".
 * With g = lane / 4 and t = lane % 4, and of 16 bits the lower terms in the lower half of a
 * register:
 *
 *                  16 bits                                     tf32
 *     a[0], a[1]   row g, row g + 8; terms 2 t, 2 t + 1        row g, row g + 8; term t
 *     a[2], a[3]   the same rows; terms 2 t + 8, 2 t + 9       the same rows; term t + 4
 *     b[0], b[1]   column g; terms 2 t and 2 t + 1, + 8        column g; terms t, t + 4
 *     sum[0], [1]  row g; columns 2 t, 2 t + 1                 the same
 *     sum[2], [3]  row g + 8; columns 2 t, 2 t + 1             the same
 *
 * sm_90 runs these, too: mma.sync reaches about 63 % of a H100's peak there (Luo and others,
 * "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking", 2024).
 * wgmma, which is faster, is an instruction of sm_90a alone: code for that runs on every card of
 * capability 9.0, but code for sm_90 has none of it, and PTX of it is translated for no later card,
 * so what is made of wgmma (wgmma_cuda.cu) is a second kind beside these and not in their place.
 * Attention has that, and so have large tiles of products (tile_groups_cuda.cu), both in 16 bits:
 * of tf32 wgmma reads only what lies along the terms, and it does not round.
 *
 * Tests have them in words (tests/program/emulated/mma.h), register by register.
 */
#ifndef STOWAGE_PRODUCT_MMA_CUDA_CU
#define STOWAGE_PRODUCT_MMA_CUDA_CU

#include "kernel.h"

#ifdef USE_TF32
#define ELEM_TENSOR_CORES	800
#define ELEM_PTX	"tf32"
#endif

/* What code is compiled for: 80 is sm_80; 0: the host. */
#ifdef __CUDA_ARCH__
#define GPU_ARCH	(__CUDA_ARCH__ / 10)
#else
#define GPU_ARCH	0
#endif
/* Are products of these elements made on tensor cores there? */
#ifdef ELEM_TENSOR_CORES
#define GPU_TENSORS_ON(arch)	((arch) * 10 >= ELEM_TENSOR_CORES)
#else
#define GPU_TENSORS_ON(arch)	false
#endif
#define GPU_TENSORS	GPU_TENSORS_ON(GPU_ARCH)

#if GPU_TENSORS

#define INSTRUCTION	DEVICE

#define MMA_STEP	(32 / (int)sizeof(elem))	/* terms */

/* Four matrices of 8 x 16 bytes in shared memory: row R of matrix Q lies where lane 8 Q + R says.
 * In to[Q] lane l has bytes 4 (l % 4) to 4 (l % 4) + 3 of row l / 4. */
INSTRUCTION void
mma_load(uint32_t *to, const void *from)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
	    : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
	    : "r"((uint32_t)__cvta_generic_to_shared(from)) : "memory");
}

/* The same of matrices of 8 x 8 elements of 16 bits, which are turned around: of column l / 4 those
 * of rows 2 (l % 4) and 2 (l % 4) + 1. */
INSTRUCTION void
mma_load_turned(uint32_t *to, const void *from)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
	    : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
	    : "r"((uint32_t)__cvta_generic_to_shared(from)) : "memory");
}

/* What the lane whose number differs by BY has. */
INSTRUCTION uint32_t
lane_bits(uint32_t x, int by)
{
	return __shfl_xor_sync(0xffffffffu, x, by);
}

INSTRUCTION float
lane_real(float x, int by)
{
	return __shfl_xor_sync(0xffffffffu, x, by);
}

#ifdef USE_TF32

/* f32 to the nearest tf32, ties away from 0. */
INSTRUCTION uint32_t
mma_round(uint32_t x)
{
	uint32_t y;

	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(__uint_as_float(x)));
	return y;
}

#endif

#if __CUDA_ARCH__ < 800

/* SUM += A B. Until sm_80 there is only half a step, whose registers are the same. */
INSTRUCTION void
mma_add(float *sum, const uint32_t *a, const uint32_t *b)
{
#pragma unroll
	for (int i = 0; i < 2; i++)
		asm volatile("mma.sync.aligned.m16n8k8.row.col.f32." ELEM_PTX "." ELEM_PTX ".f32 "
		    "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
		    : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
		    : "r"(a[2 * i]), "r"(a[2 * i + 1]), "r"(b[i]));
}

#else

#if NARROW
#define MMA_SHAPE	"m16n8k16"
#else
#define MMA_SHAPE	"m16n8k8"
#endif

/* SUM += A B */
INSTRUCTION void
mma_add(float *sum, const uint32_t *a, const uint32_t *b)
{
	asm volatile("mma.sync.aligned." MMA_SHAPE ".row.col.f32." ELEM_PTX "." ELEM_PTX ".f32 "
	    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
	    : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#endif

#endif

#endif
