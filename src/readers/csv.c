/* csv: one table for all inputs and targets, whose fields stand side by side in a line. */
#include "readers/reader.h"

static const struct attr_spec attrs[] = {
	READER_ROWS,
	{ .name = "header", .type = ATTR_BOOL, .preset = "false",
	  .doc = "skips the first line, which names the columns" },
	{ .name = "label_first", .type = ATTR_BOOL, .preset = "false",
	  .doc = "targets come before inputs" },
	ATTRS_END
};

const struct reader reader_csv = {
	.name = "csv",
	.brief = "a table of numbers, a sample a line",
	.doc = "One table of numbers, a sample in each row: the values of the inputs, then those of "
	    "the targets.",
	.usage = "csv(\"rows.csv\", header=true)",
	.files = FILES_ONE,
	.attrs = attrs,
};
