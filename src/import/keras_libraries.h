/*
 * libzip and libhdf5, loaded when a file asks for them: with what they need in turn they are some
 * forty libraries, and Stowage, which is run at each keystroke, does not wait for them. Their
 * headers say what functions there are; a table of them is filled by name.
 */
#ifndef STOWAGE_IMPORT_KERAS_LIBRARIES_H
#define STOWAGE_IMPORT_KERAS_LIBRARIES_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdbool.h>

/* A name may be a macro for that of a version. */
#define LIBRARY_MEMBER(name)	__typeof__(name) *name;

#ifdef HAVE_LIBZIP
#include <zip.h>

#define ZIP_FUNCTIONS(F)								\
	F(zip_discard) F(zip_error_fini) F(zip_error_init) F(zip_error_strerror) F(zip_fclose) F(zip_fopen) F(zip_fread)	\
	F(zip_open_from_source) F(zip_source_buffer_create) F(zip_source_free) F(zip_stat) F(zip_strerror)

struct zip_library {
	ZIP_FUNCTIONS(LIBRARY_MEMBER)
};

bool	zip_load(struct zip_library *);
#endif

#ifdef HAVE_HDF5
#define H5_USE_110_API
#include <hdf5.h>

#define HDF5_FUNCTIONS(F)								\
	F(H5Aclose) F(H5Aexists) F(H5Aget_space) F(H5Aget_type) F(H5Aopen) F(H5Aread) F(H5Dget_create_plist)		\
	F(H5Dget_space) F(H5Dget_storage_size) F(H5Dget_type) F(H5Dread) F(H5Dvlen_reclaim) F(H5Eset_auto2) F(H5Fclose)	\
	F(H5Fopen) F(H5Iget_type) F(H5Lexists) F(H5Lget_info) F(H5Literate) F(H5Oclose) F(H5Oopen) F(H5Pclose)		\
	F(H5PLset_loading_state) F(H5Pget_external_count) F(H5Pget_layout) F(H5Sclose) F(H5Sget_simple_extent_dims)	\
	F(H5Sget_simple_extent_ndims) F(H5Sget_simple_extent_npoints) F(H5Tclose) F(H5Tcopy) F(H5Tget_class)		\
	F(H5Tget_size) F(H5Tis_variable_str) F(H5open)

struct hdf5_library {
	HDF5_FUNCTIONS(LIBRARY_MEMBER)
	hid_t *native_float;
};

bool	hdf5_load(struct hdf5_library *);
#endif

#endif
