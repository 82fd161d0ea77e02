/*
 * product/wgmma_cuda.cu - tensor cores of sm_90a, by warpgroups: what wgmma.mma_async wants, an
 * instruction each. The 128 threads of a warpgroup call each together. A step multiplies 64 rows of
 * A by 32, 64 or 128 columns of B, over 16 terms of 16 bits. Warp w of the four has rows 16 w to
 * 16 w + 15 of A and of the sums, each in the same registers as mma.sync's 16 rows (mma_cuda.cu),
 * eight columns of the sums after the other. B is read from shared memory by a descriptor, and A
 * from registers or in the same way, its rows in place of B's columns (PTX ISA, "Asynchronous
 * Warpgroup Level Matrix Instructions"):
 *
 *     bits 0 to 13    where it begins, in units of 16 bytes, as are both strides
 *     bits 16 to 29   from one 64 columns to the next 64, where B is turned; else nothing
 *     bits 32 to 45   from eight lines to the next eight
 *     bits 62, 63     1: lines of 128 bytes whose packs of 16 change places, p ^ l % 8 in line l
 *
 * A line is a column of B, along the terms; or, turned, a term of B, along 64 columns. Either way
 * lines follow one another, and eight of them begin at a multiple of 1024 bytes:
 *
 *     line 0    0 1 2 3 4 5 6 7
 *     line 1    1 0 3 2 5 4 7 6     where the packs of a line lie: a column of eight is in
 *     line 2    2 3 0 1 6 7 4 5     different banks, for ldmatrix as well
 *     ...
 *
 * wgmma runs beside what follows it. Until wgmma_end() nothing may touch its registers, or write
 * what it reads; and it sees what threads wrote to shared memory only behind wgmma_seen() of each
 * of them, and a barrier.
 *
 * Tests have these in words (tests/program/emulated/wgmma.h), and decode the descriptor.
 */
#ifndef STOWAGE_PRODUCT_WGMMA_CUDA_CU
#define STOWAGE_PRODUCT_WGMMA_CUDA_CU

#include "product/mma_cuda.cu"

/* Has the code that is compiled warpgroups' products? Code for sm_90 has not, that for sm_90a has,
 * and both run on the same cards. */
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && NARROW
#define GPU_GROUPS	true
#else
#define GPU_GROUPS	false
#endif

#define WGMMA_LINE	64	/* elements of a line */

#if GPU_GROUPS

/* As the card knows it. */
INSTRUCTION uint32_t
wgmma_address(const void *at)
{
	return (uint32_t)__cvta_generic_to_shared(at);
}

/* What this thread wrote to shared memory is there for tensor cores. */
INSTRUCTION void
wgmma_seen(void)
{
	asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

/* Registers are as they are to be read. */
INSTRUCTION void
wgmma_begin(void)
{
	asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}

/* All that were begun are over. */
INSTRUCTION void
wgmma_end(void)
{
	asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" : : : "memory");
}

/* Whatever a compiler makes of a register stays on its side of this. */
INSTRUCTION void
wgmma_hold(uint32_t *x)
{
	asm volatile("" : "+r"(*x) : : "memory");
}

INSTRUCTION void
wgmma_hold_sum(float *x)
{
	asm volatile("" : "+f"(*x) : : "memory");
}

#define WGMMA_FOUR(i)	"+f"(sum[i][0]), "+f"(sum[i][1]), "+f"(sum[i][2]), "+f"(sum[i][3])
#define WGMMA_TYPES	"k16.f32." ELEM_PTX "." ELEM_PTX

/* SUM += A B, 32 columns. */
INSTRUCTION void
wgmma_add_32(float (*sum)[4], const uint32_t *a, uint64_t b)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n32" WGMMA_TYPES " "
	    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
	    "{%16, %17, %18, %19}, %20, 1, 1, 1, 0;"
	    : WGMMA_FOUR(0), WGMMA_FOUR(1), WGMMA_FOUR(2), WGMMA_FOUR(3)
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

#define WGMMA_64(turned)	"wgmma.mma_async.sync.aligned.m64n64" WGMMA_TYPES " "		\
	"{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "		\
	"%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "	\
	"{%32, %33, %34, %35}, %36, 1, 1, 1, " turned ";"

/* The same, 64 columns. */
INSTRUCTION void
wgmma_add_64(float (*sum)[4], const uint32_t *a, uint64_t b)
{
	asm volatile(WGMMA_64("0")
	    : WGMMA_FOUR(0), WGMMA_FOUR(1), WGMMA_FOUR(2), WGMMA_FOUR(3), WGMMA_FOUR(4), WGMMA_FOUR(5),
	      WGMMA_FOUR(6), WGMMA_FOUR(7)
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

/* The same, of a B that is turned. */
INSTRUCTION void
wgmma_add_turned_64(float (*sum)[4], const uint32_t *a, uint64_t b)
{
	asm volatile(WGMMA_64("1")
	    : WGMMA_FOUR(0), WGMMA_FOUR(1), WGMMA_FOUR(2), WGMMA_FOUR(3), WGMMA_FOUR(4), WGMMA_FOUR(5),
	      WGMMA_FOUR(6), WGMMA_FOUR(7)
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

#define WGMMA_SUMS_128	WGMMA_FOUR(0), WGMMA_FOUR(1), WGMMA_FOUR(2), WGMMA_FOUR(3), WGMMA_FOUR(4),	\
	WGMMA_FOUR(5), WGMMA_FOUR(6), WGMMA_FOUR(7), WGMMA_FOUR(8), WGMMA_FOUR(9), WGMMA_FOUR(10),	\
	WGMMA_FOUR(11), WGMMA_FOUR(12), WGMMA_FOUR(13), WGMMA_FOUR(14), WGMMA_FOUR(15)

/* SUM += A B, 128 columns, where A is in shared memory as well, and each of both may be turned. */
template <bool A_TURNED, bool B_TURNED> INSTRUCTION void
wgmma_add_128(float (*sum)[4], uint64_t a, uint64_t b)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n128" WGMMA_TYPES " "
	    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
	    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
	    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
	    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
	    "%64, %65, 1, 1, 1, %66, %67;"
	    : WGMMA_SUMS_128 : "l"(a), "l"(b), "n"(A_TURNED), "n"(B_TURNED));
}

/* The descriptor of lines that begin at FROM, a multiple of 1024 bytes; turned, the next 64 columns
 * are LINES lines on. */
DEVICE uint64_t
wgmma_lines(const elem *from, int lines = 8)
{
	const uint64_t line = WGMMA_LINE * sizeof(elem);

	return (uint64_t)1 << 62 | 8 * line / 16 << 32 | lines * line / 16 << 16 | wgmma_address(from) / 16;
}

/* The same lines, but for the first TERMS of each, a multiple of 8; */
DEVICE uint64_t
wgmma_from_term(uint64_t lines, int terms)
{
	return lines + terms * sizeof(elem) / 16;
}

/* and but for the first N lines, a multiple of 8. */
DEVICE uint64_t
wgmma_from_line(uint64_t lines, int n)
{
	return lines + n * WGMMA_LINE * sizeof(elem) / 16;
}

/* So many fours of sums, */
template <int SUMS> DEVICE void
wgmma_hold_sums(float (*sum)[4])
{
#pragma unroll
	for (int i = 0; i < 4 * SUMS; i++)
		wgmma_hold_sum(&sum[i / 4][i % 4]);
}

/* and of registers of A. */
template <int SUMS, int TERMS> DEVICE void
wgmma_hold_all(float (*sum)[4], uint32_t (*a)[4])
{
	wgmma_hold_sums<SUMS>(sum);
#pragma unroll
	for (int i = 0; i < 4 * TERMS; i++)
		wgmma_hold(&a[i / 4][i % 4]);
}

#endif

#endif
