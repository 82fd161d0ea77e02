/*
 * Tensor cores, for product/mma_cuda.cu, whose functions of one instruction emulated.test leaves
 * out (the programs of emulated.sh are compiled as if for no card, and have no tensor cores). What
 * a warp's lanes give is laid before all of them, and each takes what the PTX ISA says of its
 * registers, element by element ("Matrix Fragments for mma.m16n8k16 with floating point type", "...
 * for mma.m16n8k8"; before sm_80 two of m16n8k8, which have the same registers). Rows of ldmatrix
 * begin at multiples of 16 bytes, and the eight of a matrix lie in different banks.
 */
#define INSTRUCTION	static inline

static const unsigned char *emulated_rows[EMULATED_THREADS];
static uint32_t emulated_a[EMULATED_THREADS][4], emulated_b[EMULATED_THREADS][2];

/* The rows that this warp's lanes name, of one matrix after the other. */
static const unsigned char **
emulated_matrices(const void *from)
{
	const unsigned char **warp = emulated_rows + threadIdx.x / 32 * 32;

	emulated_rows[threadIdx.x] = (const unsigned char *)from;
	__syncwarp();
	for (int q = 0; q < 4; q++) {
		unsigned banks = 0;

		for (int r = 0; r < 8; r++) {
			uintptr_t at = (uintptr_t)warp[8 * q + r];

			if (at % 16)
				std::abort();
			banks |= 1u << at / 16 % 8;
		}
		if (banks != 0xff)
			std::abort();
	}
	return warp;
}

INSTRUCTION void
mma_load(uint32_t *to, const void *from)
{
	const unsigned char **row = emulated_matrices(from);
	unsigned lane = threadIdx.x % 32;

	for (int q = 0; q < 4; q++)
		std::memcpy(&to[q], row[8 * q + lane / 4] + lane % 4 * 4, 4);
	__syncwarp();
}

INSTRUCTION void
mma_load_turned(uint32_t *to, const void *from)
{
	const unsigned char **row = emulated_matrices(from);
	unsigned lane = threadIdx.x % 32, column = lane / 4;

	for (int q = 0; q < 4; q++)
		for (unsigned half = 0; half < 2; half++)
			std::memcpy((char *)&to[q] + 2 * half, row[8 * q + lane % 4 * 2 + half] + 2 * column, 2);
	__syncwarp();
}

template <class T> static T
emulated_of_lane(T x, int by)
{
	static T all[EMULATED_THREADS];

	all[threadIdx.x] = x;
	__syncwarp();
	x = all[threadIdx.x ^ (unsigned)by];
	__syncwarp();
	return x;
}

INSTRUCTION uint32_t
lane_bits(uint32_t x, int by)
{
	return emulated_of_lane(x, by);
}

INSTRUCTION float
lane_real(float x, int by)
{
	return emulated_of_lane(x, by);
}

#if NARROW

/* The elements that a register has, lower half first. */
static float
emulated_half(uint32_t x, int half)
{
	uint16_t bits = (uint16_t)(x >> 16 * half);
	elem e;

	std::memcpy(&e, &bits, sizeof(e));
	return VALUE(e);
}

static float
emulated_a_of(const uint32_t (*a)[4], int row, int k)
{
	return emulated_half(a[row % 8 * 4 + k % 8 / 2][(row >= 8) + 2 * (k >= 8)], k % 2);
}

static float
emulated_b_of(const uint32_t (*b)[2], int k, int column)
{
	return emulated_half(b[column * 4 + k % 8 / 2][k >= 8], k % 2);
}

#else

/* tf32, which has nothing in the last 13 bits. */
static float
emulated_tf32(uint32_t x)
{
	float value;

	if (x & 0x1fff)
		std::abort();
	std::memcpy(&value, &x, sizeof(value));
	return value;
}

static float
emulated_a_of(const uint32_t (*a)[4], int row, int k)
{
	return emulated_tf32(a[row % 8 * 4 + k % 4][(row >= 8) + 2 * (k >= 4)]);
}

static float
emulated_b_of(const uint32_t (*b)[2], int k, int column)
{
	return emulated_tf32(b[column * 4 + k % 4][k >= 4]);
}

/* Ten bits of fraction, ties away from zero. */
INSTRUCTION uint32_t
mma_round(uint32_t x)
{
	return (x + 0x1000) & ~0x1fffu;
}

#endif

INSTRUCTION void
mma_add(float *sum, const uint32_t *a, const uint32_t *b)
{
	unsigned warp = threadIdx.x / 32 * 32, lane = threadIdx.x % 32;

	std::memcpy(emulated_a[threadIdx.x], a, sizeof(*emulated_a));
	std::memcpy(emulated_b[threadIdx.x], b, sizeof(*emulated_b));
	__syncwarp();
	for (int c = 0; c < 4; c++)
		for (int k = 0; k < 32 / (int)sizeof(elem); k++)
			sum[c] += emulated_a_of(emulated_a + warp, lane / 4 + c / 2 * 8, k) *
			    emulated_b_of(emulated_b + warp, k, lane % 4 * 2 + c % 2);
	__syncwarp();
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && NARROW
#include "wgmma.h"
#endif
