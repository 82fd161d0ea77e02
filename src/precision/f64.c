/* f64: double precision, for checking gradients. */
#include "precision/precision.h"

const struct dtype dtype_f64 = {
	.name = "f64",
	.bytes = 8,
	.is_float = true,
	.macro = "F64",
	.real = &dtype_f64,
	.cudnn = 1,	/* CUDNN_DATA_DOUBLE */
};

const struct precision precision_f64 = {
	.name = "f64",
	.place = 50,
	.element = &dtype_f64,
	.macro = "USE_DOUBLE",
	.serves = &precision_f32,
};
