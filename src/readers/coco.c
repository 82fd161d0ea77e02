/* coco: objects in pictures, as COCO's files of instances have them. */
#include "readers/parts.h"

static const struct attr_spec attrs[] = {
	READER_PARTS,
	{ .name = "ids", .type = ATTR_BOOL, .preset = "false",
	  .doc = "classes are the numbers that the file gives to categories, as torchvision has them: 1 to 90, with gaps" },
	READER_ROWS, READER_COLOURS, ATTRS_END
};

static const char *
unfit(struct arena *a, const struct data_source *d, struct tensor *const *staged, int n)
{
	return parts_unfit(a, d, staged, n, true);
}

const struct reader reader_coco = {
	.name = "coco",
	.brief = "objects in pictures, by COCO's files of instances",
	.doc = "A file of instances in COCO's JSON, and the folder of its pictures, JPEG or PNG; without one they are beside the "
	    "file. A sample is a picture with its annotations. Its categories are classes in the order of their ids, from "
	    "`first` on; so the labels of COCO's 80 are class[81, most]. Crowds (iscrowd) are no parts. masks, u8[most, height, "
	    "width], are 1 inside: polygons, and runs as a list or packed, are drawn to the pixel as COCO's tools draw them.\n\n"
	    PARTS_DOC "\n\nPictures vary by flip, flip_vertical, brightness, contrast, saturation and hue, as with images. The file "
	    "is mapped, pictures and masks are made when a batch needs them, by the threads that fill it. The program is built with "
	    "libjpeg and libpng (libjpeg-dev, libpng-dev), where pkg-config finds them.",
	.usage = "coco(\"instances_train2017.json\", \"train2017\", shorter=800, longer=1333, flip=0.5, scale=1/255)",
	.files = FILES_MANY,
	.attrs = attrs,
	.bytes = true,
	.packages = "libjpeg libpng",
	.links = "-ljpeg -lpng",
	.unfit = unfit,
};
