/*
 * A checkpoint of a program, or what import wrote: a safetensors file, mapped. Nothing in it is
 * trusted.
 */
#ifndef STOWAGE_EXPORT_CHECKPOINT_H
#define STOWAGE_EXPORT_CHECKPOINT_H

#include "base/map.h"
#include "base/vec.h"
#include "import/model.h"
#include "ir/ir.h"

struct checkpoint {
	struct arena *arena;
	bool trains;		/* weights are wanted as training has them, in place of their averages */
	struct map tensors;	/* struct numbers *, by name; also those of types that no weight has, as ELEMENT_OTHER */
};

/* NULL, with *WHY, where it is none. The file stays mapped while it is in use. */
struct checkpoint	*checkpoint_read(struct arena *, const unsigned char *file, size_t size, const char **why);

/* What the network's inference reads for a parameter or a running statistic, in f32; NULL, with
 * *WHY, where it is not there, or in another shape. */
const struct numbers	*checkpoint_weight(const struct checkpoint *, const struct module *, const struct tensor *,
			    const char **why);

#endif
