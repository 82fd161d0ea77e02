/* idx: the format of the MNIST set. A header says type and shape; the first axis counts samples. */
#include "readers/reader.h"

static const struct attr_spec attrs[] = { READER_ROWS, ATTRS_END };

const struct reader reader_idx = {
	.name = "idx",
	.brief = "files in the format of the MNIST set",
	.doc = "Files in the format of the MNIST set, one for each input and then each target, in "
	    "the order in which the network declares them; name=file assigns one by name.",
	.usage = "idx(\"images\", \"labels\", scale=1/255)",
	.files = FILES_EACH,
	.attrs = attrs,
	.bytes = true,
};
