/* Whole numbers: classes, tokens and places (i32); bytes of pictures and small places (u8). */
#include "precision/precision.h"

const struct dtype dtype_i32 = {
	.name = "i32",
	.bytes = 4,
	.macro = "I32",
	.real = &dtype_f32,
};

const struct dtype dtype_u8 = {
	.name = "u8",
	.bytes = 1,
	.macro = "U8",
	.real = &dtype_f32,
};
