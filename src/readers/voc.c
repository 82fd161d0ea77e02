/* voc: objects in pictures, as Pascal VOC has them. */
#include "readers/parts.h"

static const struct attr_spec attrs[] = {
	READER_PARTS,
	{ .name = "difficult", .type = ATTR_BOOL, .preset = "false",
	  .doc = "objects that are marked as difficult are parts, too" },
	READER_ROWS, READER_COLOURS, ATTRS_END
};

static const char *
unfit(struct arena *a, const struct data_source *d, struct tensor *const *staged, int n)
{
	return parts_unfit(a, d, staged, n, false);
}

const struct reader reader_voc = {
	.name = "voc",
	.brief = "objects in pictures, as Pascal VOC has them",
	.doc = "A folder with an XML file for each picture in Annotations, and the pictures in JPEGImages; or a list of names in its "
	    "ImageSets/Main, or beside Annotations. Classes are VOC's twenty names in their order, from `first` on, so labels are "
	    "class[21, most]; where Annotations has a file classes.txt beside it, they are the names in that, one a line. A box goes "
	    "from the left and top of its first pixel, which is counted from 1, to the right and bottom of its last. The parts "
	    "of objects (head, hand, foot) are none.\n\n"
	    PARTS_DOC "\n\nPictures vary by flip, flip_vertical, brightness, contrast, saturation and hue, as with images. The "
	    "program is built with libjpeg and libpng (libjpeg-dev, libpng-dev), where pkg-config finds them.",
	.usage = "voc(\"VOC2012/ImageSets/Main/train.txt\", shorter=800, longer=1333, flip=0.5, scale=1/255)",
	.files = FILES_MANY,
	.attrs = attrs,
	.bytes = true,
	.packages = "libjpeg libpng",
	.links = "-ljpeg -lpng",
	.unfit = unfit,
};
