/* Files in which an ONNX model has weights beside it: mapped when they are first named, until the
 * model is done with. */
#ifndef STOWAGE_IMPORT_EXTERNAL_H
#define STOWAGE_IMPORT_EXTERNAL_H

#include <stdint.h>

#include "base/vec.h"

struct external {
	const char *location;	/* as the model names it */
	const unsigned char *at;
	size_t size;
};

struct externals {
	VEC(struct external) files;
};

/* SIZE bytes from OFFSET on of the file that the MODEL at that path names; NULL, with *WHY, where
 * they may not be read or are not there. */
const unsigned char	*external_at(struct arena *, struct externals *, const char *model, const char *location,
			    uint64_t offset, uint64_t size, const char **why);
void	external_close(struct externals *);

#endif
