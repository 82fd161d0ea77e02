/* Weights of Keras in HDF5, in either of its two layouts, and the configuration that the older one
 * has beside them. */
#ifndef STOWAGE_IMPORT_KERAS_HDF5_H
#define STOWAGE_IMPORT_KERAS_HDF5_H

#include <stdio.h>

#include "import/keras_file.h"

/* Writes the HDF5 file that is packed in another to a stream. */
typedef bool (*hdf5_unpack)(struct arena *, const unsigned char *file, size_t size, FILE *to, const char **why);

/* A file that is opened now, for its configuration; false, with *WHY. */
bool			 hdf5_open(struct arena *, const char *path, struct keras_source *, const char **why);
/* One that is opened when a weight is fetched. */
struct keras_store	*hdf5_packed(struct arena *, const unsigned char *file, size_t size, hdf5_unpack);

#endif
