/*
 * What readers of pictures share: how a picture is varied from epoch to epoch, and normalised. The
 * program's half is kernels/host/pictures.c.
 */
#ifndef STOWAGE_READERS_PICTURES_H
#define STOWAGE_READERS_PICTURES_H

#include "readers/reader.h"

/* What colours, and where left and right are: for pictures of which something is known that has a
 * place in them. */
#define READER_COLOURS											\
	{ .name = "mean", .type = ATTR_REALS, .min = -1e6, .max = 1e6,					\
	  .doc = "taken off each channel after scale, one for all or one each" },			\
	{ .name = "std", .type = ATTR_REALS, .min = 1e-6, .max = 1e6,					\
	  .doc = "what each channel is then divided by, one for all or one each" },			\
	{ .name = "flip", .type = ATTR_REAL, .preset = "0", .min = 0, .max = 1,				\
	  .doc = "the probability that a picture is mirrored, left for right" },			\
	{ .name = "flip_vertical", .type = ATTR_REAL, .preset = "0", .min = 0, .max = 1,		\
	  .doc = "the probability that it is turned upside down" },					\
	{ .name = "brightness", .type = ATTR_REAL, .preset = "0", .min = 0, .max = 10,			\
	  .doc = "b: brightness is multiplied by a factor from 1 - b to 1 + b" },			\
	{ .name = "contrast", .type = ATTR_REAL, .preset = "0", .min = 0, .max = 10,			\
	  .doc = "the same of the distance from the mean grey" },					\
	{ .name = "saturation", .type = ATTR_REAL, .preset = "0", .min = 0, .max = 10,			\
	  .doc = "the same of the distance from each pixel's grey" },					\
	{ .name = "hue", .type = ATTR_REAL, .preset = "0", .min = 0, .max = 0.5,			\
	  .doc = "h: hue turns by up to h of the circle, either way" }

#define READER_PICTURES											\
	READER_COLOURS,											\
	{ .name = "pad", .type = ATTR_INT, .preset = "0", .min = 0, .max = 4096,			\
	  .doc = "pixels of 0 around it, of which a part of the input's size is cut at random" },	\
	{ .name = "cutout", .type = ATTR_INT, .preset = "0", .min = 0, .max = 4096,			\
	  .doc = "side of a square that becomes 0, somewhere in the picture" },				\
	{ .name = "mixup", .type = ATTR_REAL, .preset = "0", .min = 0, .max = 1,			\
	  .doc = "a: batches are mixed with themselves in reverse, by a share drawn from Beta(a, a); targets too, which "	\
	    "then are shares of classes, f32[classes]" }

#define PICTURES_DOC											\
	"Pictures vary by flip, flip_vertical, pad, brightness, contrast, saturation, hue, cutout and mixup, "	\
	"as the seed, the epoch and the sample's row decide: a run repeats itself, on any number of threads. "	\
	"The order is pad, colours (in an order drawn for each picture, with torchvision's formulas), flips, "	\
	"scale, mean and std, cutout, mixup."

/* What of the network or of these arguments does not fit; NULL: nothing. */
const char	*pictures_unfit(struct arena *, const struct data_source *, struct tensor *const *staged, int n);

/* For readers' alike(): are no pictures varied? And for those that decode each when it is needed:
 * no. */
bool		 pictures_alike(const struct data_source *);
bool		 pictures_decoded(const struct data_source *);

/* Is it a picture? An input or target of channels, height and width that is no map of classes. */
bool		 picture_is(const struct tensor *);

/* The shares of classes, f32[n], that stand for one class? 0: it is something else. */
int64_t		 picture_shares(const struct tensor *);

#endif
