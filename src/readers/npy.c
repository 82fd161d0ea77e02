/* npy: arrays of NumPy, a file each. */
#include "readers/reader.h"

static const struct attr_spec attrs[] = { READER_ROWS, ATTRS_END };

const struct reader reader_npy = {
	.name = "npy",
	.brief = "NumPy arrays",
	.doc = "NumPy arrays, one file for each input and then each target, in the order in which "
	    "the network declares them; name=file assigns one by name. The first axis counts the "
	    "samples.",
	.usage = "npy(\"x.npy\", \"y.npy\")",
	.files = FILES_EACH,
	.attrs = attrs,
};
