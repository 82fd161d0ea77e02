/*
 * The sizes that kernels and plan must agree on: how products are cut, scratch memory, the
 * description of a convolution. They are the kernels' own file, included here and nowhere else in
 * src/.
 */
#ifndef STOWAGE_CALLS_SIZES_H
#define STOWAGE_CALLS_SIZES_H

#include "../../kernels/sizes.h"

#endif
