/*
 * What a model of Keras comes in, told apart by its first bytes. A .keras file is an archive of
 * config.json and model.weights.h5: the first is read, the second is unpacked into a file without a
 * name only when it is asked for. What an archive says of its sizes is believed only where it can
 * be true.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "import/keras.h"
#include "import/keras_hdf5.h"
#include "import/keras_libraries.h"

#include <string.h>

#define ZIP_MAGIC	"PK\003\004"
#define HDF5_MAGIC	"\211HDF\r\n\032\n"
#define LARGEST_RATIO	1100	/* deflate makes no more than 1,032 bytes of one */

enum container { TEXT, ZIP, HDF5, OTHER };

/* JSON begins with a brace, before which there may be blanks. */
static bool
is_text(const unsigned char *file, size_t size)
{
	size_t i = 0;

	while (i < size && i < 64 && (file[i] == ' ' || (file[i] >= '\t' && file[i] <= '\r')))
		i++;
	return i < size && file[i] == '{';
}

static enum container
container_of(const unsigned char *file, size_t size)
{
	if (size >= 4 && memcmp(file, ZIP_MAGIC, 4) == 0)
		return ZIP;
	if (size >= 8 && memcmp(file, HDF5_MAGIC, 8) == 0)
		return HDF5;
	return is_text(file, size) ? TEXT : OTHER;
}

bool
is_keras(const unsigned char *file, size_t size)
{
	return container_of(file, size) != OTHER;
}

#ifdef HAVE_LIBZIP

/* The member, which is opened; NULL, with *WHY. */
static zip_file_t *
member_open(const struct zip_library *l, struct arena *a, zip_t *z, const char *name, uint64_t most, uint64_t *size, const char **why)
{
	zip_stat_t st;
	zip_file_t *f;

	if (l->zip_stat(z, name, 0, &st) != 0 || !(st.valid & ZIP_STAT_SIZE) || !(st.valid & ZIP_STAT_COMP_SIZE)) {
		*why = arena_printf(a, "there is no %s in it", name);
		return NULL;
	}
	if (st.size > most || st.size / LARGEST_RATIO > st.comp_size) {
		*why = arena_printf(a, "its %s says that it has %llu bytes, unpacked from %llu: that is refused", name,
		    (unsigned long long)st.size, (unsigned long long)st.comp_size);
		return NULL;
	}
	f = l->zip_fopen(z, name, 0);
	if (!f)
		*why = arena_printf(a, "its %s: %s", name, l->zip_strerror(z));
	*size = st.size;
	return f;
}

static const char *
text_read(const struct zip_library *l, struct arena *a, zip_t *z, const char *name, size_t *n, const char **why)
{
	uint64_t size, have = 0;
	zip_int64_t got = 0;
	zip_file_t *f = member_open(l, a, z, name, KERAS_LARGEST_TEXT, &size, why);
	char *text;

	if (!f)
		return NULL;
	text = arena_array(a, (size_t)size + 1, 1);
	while (have < size && (got = l->zip_fread(f, text + have, size - have)) > 0)
		have += (uint64_t)got;
	l->zip_fclose(f);
	*n = (size_t)have;
	if (have == size)
		return text;
	*why = arena_printf(a, "its %s breaks off", name);
	return NULL;
}

/* The archive in memory; NULL, with *WHY. */
static zip_t *
archive(struct zip_library *l, struct arena *a, const unsigned char *file, size_t size, const char **why)
{
	zip_error_t error;
	zip_source_t *source;
	zip_t *z = NULL;

	if (!zip_load(l)) {
		*why = "the library " LIBZIP_NAME ", with which stowage was built, is not there";
		return NULL;
	}
	l->zip_error_init(&error);
	source = l->zip_source_buffer_create(file, size, 0, &error);
	if (source && !(z = l->zip_open_from_source(source, ZIP_RDONLY, &error)))
		l->zip_source_free(source);
	if (!z)
		*why = arena_printf(a, "it is no archive that can be read: %s", l->zip_error_strerror(&error));
	l->zip_error_fini(&error);
	return z;
}

/* Into a file that nobody else sees. */
static bool
weights_unpack(struct arena *a, const unsigned char *file, size_t size, FILE *to, const char **why)
{
	char piece[65536];
	struct zip_library library, *l = &library;
	zip_t *z = archive(l, a, file, size, why);
	uint64_t all;
	zip_file_t *f = z ? member_open(l, a, z, "model.weights.h5", UINT64_MAX, &all, why) : NULL;
	zip_int64_t got = -1;

	while (f && (got = l->zip_fread(f, piece, sizeof(piece))) > 0)
		if (fwrite(piece, 1, (size_t)got, to) != (size_t)got)
			break;
	if (f)
		l->zip_fclose(f);
	if (z)
		l->zip_discard(z);
	if (got != 0 && !*why)
		*why = "its model.weights.h5 cannot be unpacked";
	return fflush(to) == 0 && got == 0;
}

static bool
archive_open(struct arena *a, const unsigned char *file, size_t size, struct keras_source *from, const char **why)
{
	struct zip_library library, *l = &library;
	zip_t *z = archive(l, a, file, size, why);
	const char *more, *none = NULL;
	size_t n;

	if (!z)
		return false;
	from->text = text_read(l, a, z, "config.json", &from->n, why);
	more = text_read(l, a, z, "metadata.json", &n, &none);
	from->version = more ? keras_version(a, more, n) : NULL;
	l->zip_discard(z);
	if (from->text)
		from->store = hdf5_packed(a, file, size, weights_unpack);
	return from->text != NULL;
}

#else

static bool
archive_open(struct arena *a, const unsigned char *file, size_t size, struct keras_source *from, const char **why)
{
	(void)a, (void)file, (void)size, (void)from;
	*why = "this stowage was built without libzip (libzip-dev), which opens .keras files";
	return false;
}

#endif

bool
keras_open(struct arena *a, const char *path, const unsigned char *file, size_t size, struct keras_source *from,
    const char **why)
{
	*from = (struct keras_source){ .text = (const char *)file, .n = size };
	switch (container_of(file, size)) {
	case TEXT:
		return true;
	case ZIP:
		return archive_open(a, file, size, from, why);
	case HDF5:
		return hdf5_open(a, path, from, why);
	default:
		*why = "it is no model of Keras";
		return false;
	}
}
