/* bf16.h - bf16 is stored, and computed in f32: its upper half. */
#ifndef STOWAGE_ELEMENT_BF16_H
#define STOWAGE_ELEMENT_BF16_H

#define TYPE_BF16	TYPE_ELEM
#define BF16(offset)	((elem *)(arena + (offset)))

#define ELEM_NAME	"bf16"
#define ELEM_FILE_NAME	"BF16"		/* of the type, in safetensors */
#define ELEM_DIGITS	8		/* binary ones, of a fraction */
#define ELEM_CUBLAS	CUDA_R_16BF
#define ELEM_CUDNN	CUDNN_DATA_BFLOAT16
#define ELEM_NCCL	ncclBfloat16
#define ELEM_TENSOR_CORES	800	/* __CUDA_ARCH__ of the first that take it */
#define ELEM_PTX	"bf16"

#ifdef __CUDACC__

#include <cuda_bf16.h>
typedef __nv_bfloat16 elem;

/* For the host too, which converts what it reads. */
static __host__ __device__ __forceinline__ real
elem_value(elem x)
{
	return __bfloat162float(x);
}

static __host__ __device__ __forceinline__ elem
elem_of(real x)
{
	return __float2bfloat16(x);
}

#else

#include "element/bits.h"

static inline real
elem_value(elem x)
{
	return real_of((uint32_t)x.bits << 16);
}

static inline elem
elem_of(real x)
{
	uint32_t bits = bits_of(x), odd = bits >> 16 & 1;
	bool nan = (bits & 0x7fffffff) > 0x7f800000;
	elem e;

	e.bits = (uint16_t)(nan ? bits >> 16 | 0x40 : (bits + 0x7fff + odd) >> 16);
	return e;
}

#endif

#endif
