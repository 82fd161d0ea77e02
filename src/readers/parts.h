/*
 * What readers of pictures with parts share: objects of which a box, a class and a mask are known.
 * The program's half is kernels/host/parts.c.
 */
#ifndef STOWAGE_READERS_PARTS_H
#define STOWAGE_READERS_PARTS_H

#include "readers/pictures.h"

#define READER_PARTS												\
	{ .name = "shorter", .type = ATTR_INT, .preset = "0", .min = 0, .max = 65536,				\
	  .doc = "pixels of the shorter side after scaling, where that fits; 0: as large as the input" },	\
	{ .name = "longer", .type = ATTR_INT, .preset = "0", .min = 0, .max = 65536,				\
	  .doc = "pixels of the longer side at most; 0: as many as the input has" },				\
	{ .name = "first", .type = ATTR_INT, .preset = "1", .min = 0, .max = 65536,				\
	  .doc = "which class the first kind of object is; before it is the background" },			\
	{ .name = "empty", .type = ATTR_BOOL, .preset = "true",							\
	  .doc = "uses pictures too that have no parts" }

#define PARTS_DOC												\
	"Inputs and targets are what their names say. boxes, f32[most, 4], are x1, y1, x2, y2 of each part in pixels of the "	\
	"input, up to as many as it has room for; rows of zeros are behind them. labels, class[K, most], are their classes; " 	\
	"by default 0 is no part's, but the background's. size, f32[4], is the height and the width of the picture in the " 	\
	"input, and those of the file; count, f32[1], how many boxes there are. truth, f32[most, 7], is what metrics ask: " 	\
	"of each part its box, class, area in pixels of the file, and 1 for a crowd, which nothing else shows; behind the "	\
	"last the class is -1. An input of any other name, f32[3, height, width] or f32[1, height, width], is the picture.\n\n"	\
	"Pictures of any size are scaled, boxes and masks with them, until they fill the input's height or width, or their " 	\
	"shorter side has `shorter` pixels or their longer side `longer`, whichever comes first, as torchvision's detectors " 	\
	"do it, bilinear without antialiasing; they lie at the left and top, and the rest is 0, also after mean and std. Of " 	\
	"more parts than there is room for the first are taken, and the program says how many are left out; it also says "	\
	"where masks have room that nearly no picture needs. A part without an area inside of its picture is none.\n\n"		\
	"proposals, f32[2000, 4], are boxes in which others, such as selective search, found that there may be something, the " \
	"best first; rows of zeros are behind them. They are in a file of their own, which is named last, in safetensors: a "	\
	"tensor [n, 4] for each picture, called as its file without .jpg or .png, of x1, y1, x2, y2 in pixels of the file, "	\
	"from 0 at its left and top. (A box that counts pixels from 1 and contains the last, as VOC's, is x1 - 1, y1 - 1, x2, "	\
	"y2 there.) They are scaled and mirrored with the picture, and cut where it ends; what there is no room for is said."

/* What of the network or of these arguments does not fit; NULL: nothing. MASKS: the reader knows
 * them. */
const char	*parts_unfit(struct arena *, const struct data_source *, struct tensor *const *staged, int n, bool masks);

/* Does it say something of as many parts as it has room for? Which of its type's numbers says of
 * how many: 0, or 1 behind the classes. */
bool	parts_bounded(const struct tensor *);
int	parts_bound_at(const struct tensor *);

#endif
