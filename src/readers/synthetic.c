/* synthetic: samples drawn at random, the same for the same seed. */
#include "readers/reader.h"

static const struct attr_spec attrs[] = {
	{ .name = "samples", .type = ATTR_INT, .required = true, .min = 1, .max = READER_MOST,
	  .doc = "how many there are" },
	ATTRS_END
};

const struct reader reader_synthetic = {
	.name = "synthetic",
	.brief = "random samples",
	.doc = "Random samples, for measuring speed and memory: normal numbers, and classes, from the seed alone, "
	    "the same on every machine, in C and on a GPU, which draws them itself.",
	.usage = "synthetic(samples=1000)",
	.files = FILES_NONE,
	.attrs = attrs,
	.needs = "a count",
	.drawn = true,
};
