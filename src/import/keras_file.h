/*
 * What a model of Keras comes in: JSON as text, a .keras archive, or an HDF5 file. The text of its
 * configuration is small and is read; weights are fetched one by one as they are written.
 */
#ifndef STOWAGE_IMPORT_KERAS_FILE_H
#define STOWAGE_IMPORT_KERAS_FILE_H

#include "import/model.h"

#define KERAS_LARGEST_TEXT	((size_t)64 << 20)	/* of a configuration */

struct keras_store;

bool		 is_keras(const unsigned char *file, size_t size);
struct keras_source {
	const char *text;	/* the model's JSON */
	size_t n;
	const char *training;	/* JSON of what it was compiled with; NULL: the model's has it, or it was not */
	const char *version;	/* of Keras; NULL: the JSON says it, or nobody */
	struct keras_store *store;	/* where its weights are; NULL: it has none */
};

/* False, with *WHY. The store is to be closed in any case. */
bool		 keras_open(struct arena *, const char *path, const unsigned char *file, size_t size, struct keras_source *,
		    const char **why);
void		 keras_close(struct keras_store *);
/* Before the first keras_fetch(): a child process fetches all of these N, so that a file that
 * libhdf5 does not survive is refused (base/rehearse.h); false with *WHY. */
bool		 keras_prepare(struct arena *, struct keras_store *, const struct numbers *const *, int n,
		    const char **why);
/* The numbers of a constant that has a place, f32, in *TO, which free() is for; false, with
 * *WHY. */
bool		 keras_fetch(struct arena *, struct keras_store *, const struct numbers *, float **to, const char **why);

#endif
