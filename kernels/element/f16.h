/* f16.h - f16 is stored, and computed in f32: five bits of exponent, ten of fraction. */
#ifndef STOWAGE_ELEMENT_F16_H
#define STOWAGE_ELEMENT_F16_H

#define TYPE_F16	TYPE_ELEM
#define F16(offset)	((elem *)(arena + (offset)))

#define ELEM_NAME	"f16"
#define ELEM_FILE_NAME	"F16"		/* of the type, in safetensors */
#define ELEM_DIGITS	11		/* binary ones, of a fraction */
#define ELEM_CUBLAS	CUDA_R_16F
#define ELEM_CUDNN	CUDNN_DATA_HALF
#define ELEM_NCCL	ncclHalf
#define ELEM_TENSOR_CORES	750	/* __CUDA_ARCH__ of the first that take it */
#define ELEM_PTX	"f16"

#ifdef __CUDACC__

#include <cuda_fp16.h>
typedef __half elem;

/* For the host too, which converts what it reads. */
static __host__ __device__ __forceinline__ real
elem_value(elem x)
{
	return __half2float(x);
}

static __host__ __device__ __forceinline__ elem
elem_of(real x)
{
	return __float2half(x);
}

#else

#include "element/bits.h"

/* Those below 2^-14 are whole multiples of 2^-24: put below the exponent of 2^-14, the fraction is
 * one more than that. */
static inline real
elem_value(elem x)
{
	uint32_t sign = (uint32_t)(x.bits & 0x8000) << 16, size = (uint32_t)(x.bits & 0x7fff) << 13;
	uint32_t large = size + ((uint32_t)112 << 23) + (size >= 0x0f800000 ? 112u << 23 : 0);
	real small = real_of(size + ((uint32_t)113 << 23)) - 6.103515625e-05f;

	return real_of(sign | (size < 0x00800000 ? bits_of(small) : large));
}

/* Below 2^-14, adding 1/2 leaves a multiple of 2^-24 in the low bits, rounded by the addition. */
static inline elem
elem_of(real x)
{
	uint32_t bits = bits_of(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
	uint32_t normal = (size - ((uint32_t)112 << 23) + 0xfff + (size >> 13 & 1)) >> 13;
	uint32_t small = bits_of(real_of(size) + 0.5f) - bits_of(0.5f);
	uint32_t half = size < 0x38800000 ? small : size >= 0x477ff000 ? 0x7c00 : normal;
	elem e;

	e.bits = (uint16_t)(sign | (size > 0x7f800000 ? 0x7e00 | (size >> 13 & 0x3ff) : half));
	return e;
}

#endif

#endif
