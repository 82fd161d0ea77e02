/*
 * The device that a program is to fit: what a spec's device section, its project's, or --device
 * say.
 */
#ifndef STOWAGE_TARGET_DEVICE_H
#define STOWAGE_TARGET_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"

struct device {
	bool given;		/* a device block, or --device */
	const char *name;	/* the GPU's or the block's name, or NULL */
	int64_t memory;		/* bytes */
	int arch;		/* 86 for sm_86; 0 unknown */
	struct loc loc;		/* of the memory or name setting */
};

#endif
