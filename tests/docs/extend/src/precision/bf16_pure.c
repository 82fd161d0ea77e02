/*
 * bf16_pure: bf16 without master copies. Weights are updated as they are stored, which saves 4
 * bytes a parameter. What it costs: an update below about a 512th of its weight is rounded away, so
 * that training stalls where learning rates get small.
 */
#include "precision/precision.h"

const struct precision precision_bf16_pure = {
	.name = "bf16_pure",
	.place = 35,	/* behind bf16 */
	.element = &dtype_bf16,
	.tensor_cores = true,
	.arch = 80,
	.too_old = "use f16, which keeps f32 copies of the weights, or f32",
	.instead = &precision_f16,
};
