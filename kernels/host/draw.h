/*
 * draw.h - the numbers of data that are drawn (read/synthetic.c): by the host as they are sent, or
 * by the device itself (feed_cuda.cu), with the same bits.
 */
#ifndef STOWAGE_HOST_DRAW_H
#define STOWAGE_HOST_DRAW_H

#include "normal.h"

/* Of how many whole numbers an input's are drawn. */
static int64_t
draw_classes(const struct input *in)
{
	return in->classes ? in->classes : 256;
}

/* Number AT of an input's, whose stream that is, as element I of TO: normal, or one of so many
 * whole ones. */
DEVICE_TOO void
draw(int type, void *to, int64_t i, uint64_t seed, uint64_t stream, uint64_t at, int64_t whole)
{
	if (type == TYPE_F32)
		((float *)to)[i] = (float)seed_normal(seed, stream, at);
	else if (type == TYPE_F64)
		((double *)to)[i] = seed_normal(seed, stream, at);
	else if (type == TYPE_ELEM)
		((elem *)to)[i] = ELEM((real)seed_normal(seed, stream, at));
	else if (type == TYPE_I32)
		((int32_t *)to)[i] = (int32_t)(seed_bits(seed, stream, at) % (uint64_t)whole);
	else
		((uint8_t *)to)[i] = (uint8_t)seed_bits(seed, stream, at);
}

#endif
