/*
 * f16: half precision, with 10 bits of fraction. Its range ends at 65,504 and, towards 0, at 6e-8:
 * small gradients would become 0, so that backward starts from a scaled loss.
 */
#include "precision/precision.h"

const struct dtype dtype_f16 = {
	.name = "f16",
	.bytes = 2,
	.is_float = true,
	.macro = "F16",
	.element = "element/f16.h",
	.real = &dtype_f32,
	.cudnn = 2,	/* CUDNN_DATA_HALF */
	.cudnn_sums = true,
};

const struct precision precision_f16 = {
	.name = "f16",
	.place = 40,
	.element = &dtype_f16,
	.masters = true,
	.scales_loss = true,
	.tensor_cores = true,
	.note = "master weights, optimizer, statistics and losses stay f32",
};
