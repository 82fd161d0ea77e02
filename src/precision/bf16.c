/*
 * bf16: the range of f32 in 16 bits, with 7 bits of fraction. Weights are updated in f32 copies,
 * for most updates are smaller than what 16 bits can tell apart.
 */
#include "precision/precision.h"

const struct dtype dtype_bf16 = {
	.name = "bf16",
	.bytes = 2,
	.is_float = true,
	.macro = "BF16",
	.element = "element/bf16.h",
	.real = &dtype_f32,
	.cudnn = 9,	/* CUDNN_DATA_BFLOAT16 */
};

const struct precision precision_bf16 = {
	.name = "bf16",
	.place = 30,
	.element = &dtype_bf16,
	.masters = true,
	.tensor_cores = true,
	.arch = 80,	/* it came with Ampere */
	.too_old = "use f16, which loses range, or f32",
	.instead = &precision_f16,
	.note = "master weights, optimizer, statistics and losses stay f32",
};
