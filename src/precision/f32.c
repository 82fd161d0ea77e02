/* f32: single precision, what a network is computed in unless it says otherwise. */
#include "precision/precision.h"

const struct dtype dtype_f32 = {
	.name = "f32",
	.bytes = 4,
	.is_float = true,
	.macro = "F32",
	.real = &dtype_f32,
	.cudnn = 0,	/* CUDNN_DATA_FLOAT */
};

const struct precision precision_f32 = {
	.name = "f32",
	.place = 10,
	.element = &dtype_f32,
	.narrower = &precision_bf16,
};
