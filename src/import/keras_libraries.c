/* Libraries by their names, as the linker would have written them into the program. */
#include "import/keras_libraries.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define TEXT(name)		TEXT_OF(name)
#define TEXT_OF(name)		#name
#define FIND(name)		&& find(handle, TEXT(name), &l->name)

#if defined HAVE_LIBZIP || defined HAVE_HDF5

static bool
find(void *handle, const char *name, void *pointer)
{
	void *found = dlsym(handle, name);

	memcpy(pointer, &found, sizeof(found));	/* ISO C has no cast from object to function */
	return found != NULL;
}

/* Once loaded it stays. */
static void *
load(const char *name)
{
	return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

#endif

#ifdef HAVE_LIBZIP

bool
zip_load(struct zip_library *l)
{
	void *handle = load(LIBZIP_NAME);

	return handle ZIP_FUNCTIONS(FIND);
}

#endif

#ifdef HAVE_HDF5

/* It prints nothing, and loads no filters. */
bool
hdf5_load(struct hdf5_library *l)
{
	void *handle = load(HDF5_NAME);

	return handle HDF5_FUNCTIONS(FIND) && l->H5open() >= 0 &&
	    find(handle, "H5T_NATIVE_FLOAT_g", &l->native_float) && l->H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0 &&
	    l->H5PLset_loading_state(0) >= 0;
}

#endif
