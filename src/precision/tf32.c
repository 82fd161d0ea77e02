/*
 * tf32: f32 whose products tensor cores do, on factors rounded to 10 bits of fraction. It takes the
 * bytes of f32.
 */
#include "precision/precision.h"

const struct precision precision_tf32 = {
	.name = "tf32",
	.place = 20,
	.element = &dtype_f32,
	.tensor_cores = true,
	.rounds_products = true,
	.macro = "USE_TF32",
	.arch = 80,	/* it came with Ampere */
	.too_old = "use f32",
	.narrower = &precision_bf16,
};
