/*
 * A fuzzer of Pascal VOC's descriptions of pictures, XML, as built programs read them; see fuzz.h.
 * The first byte of a text chooses what is asked of the pictures and the reader's arguments, the
 * rest are the file of one picture.
 */
#include "fuzz_parts.h"
#include "read/voc.c"
#include "fuzz_parts_check.h"

static const char *const words[] = {
	"<annotation>", "</annotation>", "<filename>a.jpg</filename>", "<size>", "</size>", "<width>20</width>",
	"<height>30</height>", "<object>", "</object>", "<name>dog</name>", "<name>", "</name>", "<bndbox>", "</bndbox>",
	"<xmin>1</xmin>", "<ymin>2</ymin>", "<xmax>9</xmax>", "<ymax>11</ymax>", "<difficult>1</difficult>", "<part>", "</part>",
	"<object/>", "<!--", "-->", "<?xml version=\"1.0\"?>", "<!DOCTYPE", "&amp;", "&lt;", "/>", "=\"", "'", "\n", "<", ">",
	"-1", "0", "1e5", "1e308", "nan", "inf", "0x1p3", "1000000", "0.5", "person", "/",
};

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	mutate_parts(t, from, nfrom, words, COUNT_OF(words));
}

static void
open_text(struct data *d, struct parts *p)
{
	struct voc *v = (struct voc *)data_alloc(sizeof(*v), "pictures");

	memset(v, 0, sizeof *v);
	v->classes = (int)COUNT_OF(voc_names);
	memcpy(v->names, voc_names, sizeof(voc_names));
	v->first = (int64_t)source_number(d->source, "first", 0, 1);
	v->difficult = source_number(d->source, "difficult", 0, 0) != 0;
	p->file = p->root = "text";
	voc_file(v, p, "text");
	parts_settle(d, p);
}

static long
try(const struct sample *t)
{
	return t->n > 1 && parts_try(t->text + 1, t->n - 1, (unsigned)t->text[0] & ~1u, 1 + (int)COUNT_OF(voc_names), open_text);
}

const struct fuzzer fuzzer = {
	.name = "fuzz_voc",
	.outcome = "pictures read",
	.longest = 2000,
	.mutate = mutate,
	.try = try,
};
