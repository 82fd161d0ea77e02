/* idx: the format of the MNIST set. A header says type and shape; the first axis counts samples. */
#include "readers/look.h"

static const struct attr_spec attrs[] = { READER_ROWS, ATTRS_END };

static bool
look(struct look *l)
{
	static const struct {
		int code;
		enum look_type type;
	} types[] = {
		{ 0x08, LOOK_U8 }, { 0x09, LOOK_I8 }, { 0x0b, LOOK_I16 }, { 0x0c, LOOK_I32 },
		{ 0x0d, LOOK_F32 }, { 0x0e, LOOK_F64 },
	};
	const unsigned char *p = l->bytes;
	int64_t dim[255];
	size_t i;
	int k;

	if (l->size < 4 || p[0] || p[1] || l->size < 4 + 4 * (size_t)p[3])
		return false;
	for (k = 0; k < p[3]; k++)
		dim[k] = (int64_t)p[4 + 4 * k] << 24 | p[5 + 4 * k] << 16 | p[6 + 4 * k] << 8 |
		    p[7 + 4 * k];
	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (types[i].code == p[2])
			return look_numbers(l, 4 + 4 * (size_t)p[3], types[i].type, true, p[3],
			    dim);
	return false;
}

const struct reader reader_idx = {
	.name = "idx",
	.brief = "files in the format of the MNIST set",
	.doc = "Files in the format of the MNIST set, one for each input and then each target, in "
	    "the order in which the network declares them; name=file assigns one by name.",
	.usage = "idx(\"images\", \"labels\", scale=1/255)",
	.files = FILES_EACH,
	.attrs = attrs,
	.look = look,
	.bytes = true,
};
