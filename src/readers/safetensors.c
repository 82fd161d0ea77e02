/* safetensors: named tensors of one file, which most frameworks write. */
#include "readers/reader.h"

static const struct attr_spec attrs[] = { READER_ROWS, ATTRS_END };

const struct reader reader_safetensors = {
	.name = "safetensors",
	.brief = "named tensors of one file",
	.doc = "One file of tensors with names, as safetensors.numpy.save_file() writes it: each input and target is "
	    "the tensor of its name. The first axis counts the samples; tensors of other names are left alone. Types "
	    "are F32, F64, I8, I16, I32, I64, U8, U16, U32 and BOOL.",
	.usage = "safetensors(\"digits.safetensors\")",
	.files = FILES_ONE,
	.attrs = attrs,
};
