/*
 * Windows of convolutions and pooling (window.c). ONNX has pads as all the beginnings, then all the
 * ends; ours go axis by axis.
 */
#ifndef STOWAGE_IMPORT_WINDOW_H
#define STOWAGE_IMPORT_WINDOW_H

#include "import/importer.h"

#define MOST_SPACE	3

/* kernel_shape, strides, pads and dilations, as both have them. */
struct window {
	int n;
	bool lower;		/* as many as make ceil(input / stride), of which the larger half is in front */
	int64_t kernel[MOST_SPACE], stride[MOST_SPACE], dilation[MOST_SPACE], pad[2 * MOST_SPACE];
	bool same;		/* auto_pad=SAME_UPPER */
	bool plain;		/* no padding */
};

/* False after cannot(). */
bool	window_of(struct importer *, const struct model_node *, const struct val *x, struct window *);
/* Pads of SAME_LOWER, once the kernel is known; with UPPER those of SAME_UPPER too, which our
 * layers have as a word. */
bool	window_pad_same(struct importer *, struct window *, const struct tensor *x, bool upper);
bool	window_all_one(const int64_t *, int n);
void	window_give_pad(struct call *, const struct window *);

#endif
