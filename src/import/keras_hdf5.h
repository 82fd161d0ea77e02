/* Weights of Keras in HDF5, in either of its two layouts, and the configuration that the older one has beside them. */
#ifndef STOWAGE_IMPORT_KERAS_HDF5_H
#define STOWAGE_IMPORT_KERAS_HDF5_H

#include <stdio.h>

#include "import/keras_file.h"

/* Why a file is refused that libhdf5 does not survive; it is read in a child process first (base/rehearse.h). */
#define HDF5_ENDS	"it is broken: libhdf5, which reads it, crashes or does not end"

/* Writes the HDF5 file that is packed in another to a stream. */
typedef bool (*hdf5_unpack)(struct arena *, const unsigned char *file, size_t size, FILE *to, const char **why);

/* A file that is opened now, for its configuration; false, with *WHY. */
bool			 hdf5_open(struct arena *, const char *path, struct keras_source *, const char **why);
/* One that is opened when a weight is fetched. */
struct keras_store	*hdf5_packed(struct arena *, const unsigned char *file, size_t size, hdf5_unpack);

#endif
