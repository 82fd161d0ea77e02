/* raw: files that are nothing but bytes, sample after sample; the size says how many there are. */
#include "readers/reader.h"

static const struct attr_spec attrs[] = { READER_ROWS, ATTRS_END };

const struct reader reader_raw = {
	.name = "raw",
	.brief = "files that are nothing but bytes",
	.doc = "Bytes without any header, one file for each input and then each target, in the order "
	    "in which the network declares them; name=file assigns one by name. A file holds as many "
	    "samples as its size says.",
	.usage = "raw(\"images.bin\", \"labels.bin\", scale=1/255)",
	.files = FILES_EACH,
	.attrs = attrs,
	.bytes = true,
};
