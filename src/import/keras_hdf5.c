/*
 * Weights of Keras, by libhdf5. In a .keras file the weights of a layer are numbered below a place
 * that follows from its class ("layers/conv2d_3/vars/0"); in an .h5 file an attribute lists their
 * names. In both they come in the order in which the layer made them.
 *
 * Nothing in the file is trusted: only what lies in it is followed, not links to other files,
 * numbers in other files, or filters that would be loaded; and a weight has as many numbers as its
 * layer asks for, before room is made for it.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/rehearse.h"
#include "import/keras.h"
#include "import/keras_hdf5.h"
#include "import/keras_libraries.h"

#ifdef HAVE_HDF5

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Why a file is refused that libhdf5 does not survive. */
#define HDF5_ENDS	"it is broken: libhdf5, which reads it, crashes or does not end"

#define MOST_DEPTH	16
#define MOST_NAME	1024
#define MOST_NAMES	100000
#define READ_ONLY	0	/* H5F_ACC_RDONLY, whose macro calls the library as if it were linked */
#define OPENING_SECONDS	1
#define FETCHING_SECONDS	10
#define NUMBERS_A_SECOND	1000000	/* that any machine reads */
#define LARGEST_RATIO	1100	/* deflate makes no more than 1,032 bytes of one */

struct names {
	struct arena *arena;
	VEC(const char *) all;
};

struct keras_store {
	struct hdf5_library h;
	hid_t file;		/* -1: not open yet */
	bool by_place;		/* in the layout of .keras files */
	const unsigned char *packed;
	size_t size;
	hdf5_unpack unpack;	/* NULL: they are not packed */
	const char *unpacked;	/* the file that came of that; NULL: it has no name */
	const char *group;	/* whose weights were listed last, for a layer asks for one after the other; NULL: none */
	struct names listed;
};

/* ---- objects, by links within the file alone ---- */

static bool
is_hard(const struct hdf5_library *h, hid_t at, const char *name)
{
	H5L_info_t info;

	return h->H5Lexists(at, name, H5P_DEFAULT) > 0 && h->H5Lget_info(at, name, &info, H5P_DEFAULT) >= 0 &&
	    info.type == H5L_TYPE_HARD;
}

/* The object at "a/b/c"; negative: there is none. */
static hid_t
object_open(const struct hdf5_library *h, hid_t at, const char *path)
{
	char word[MOST_NAME];
	hid_t o = h->H5Oopen(at, ".", H5P_DEFAULT), next;
	int depth;

	for (depth = 0; o >= 0 && *path; depth++) {
		size_t n = strcspn(path, "/");

		if (n >= sizeof(word) || depth > MOST_DEPTH) {
			h->H5Oclose(o);
			return -1;
		}
		memcpy(word, path, n);
		word[n] = '\0';
		path += n + (path[n] == '/');
		if (n == 0)
			continue;
		next = h->H5Iget_type(o) == H5I_GROUP && is_hard(h, o, word) ? h->H5Oopen(o, word, H5P_DEFAULT) : -1;
		h->H5Oclose(o);
		o = next;
	}
	return o;
}

/* ---- attributes of text ---- */

static void
take_text(struct names *to, const char *s, size_t most)
{
	const char *end = memchr(s, '\0', most);

	vec_push(to->arena, &to->all, arena_strndup(to->arena, s, end ? (size_t)(end - s) : most));
}

/* Strings of one length, or each of its own. */
static bool
attribute_texts(const struct hdf5_library *h, hid_t o, const char *name, struct names *to)
{
	hid_t a = h->H5Aexists(o, name) > 0 ? h->H5Aopen(o, name, H5P_DEFAULT) : -1, type = a >= 0 ? h->H5Aget_type(a) : -1,
	    space = a >= 0 ? h->H5Aget_space(a) : -1, memory = -1;
	hssize_t n = space >= 0 ? h->H5Sget_simple_extent_npoints(space) : -1, i;
	size_t each = type >= 0 ? h->H5Tget_size(type) : 0;
	bool own, ok = false;
	char *data = NULL;

	if (type < 0 || h->H5Tget_class(type) != H5T_STRING || n < 0 || n > MOST_NAMES || each == 0 ||
	    each > KERAS_LARGEST_TEXT)
		goto out;
	own = h->H5Tis_variable_str(type) > 0;
	memory = h->H5Tcopy(type);
	data = calloc((size_t)n + 1, each);
	ok = data && memory >= 0 && h->H5Aread(a, memory, data) >= 0;
	for (i = 0; ok && i < n; i++) {
		const char *s = own ? ((char **)data)[i] : data + (size_t)i * each;

		take_text(to, s ? s : "", own ? s ? strlen(s) : 0 : each);
	}
	if (ok && own)
		h->H5Dvlen_reclaim(memory, space, H5P_DEFAULT, data);
out:
	free(data);
	if (memory >= 0)
		h->H5Tclose(memory);
	if (space >= 0)
		h->H5Sclose(space);
	if (type >= 0)
		h->H5Tclose(type);
	if (a >= 0)
		h->H5Aclose(a);
	return ok;
}

/* A list that is too long for one attribute is cut into NAME0, NAME1 and so on. */
static bool
list_of(const struct hdf5_library *h, hid_t o, const char *name, struct names *to)
{
	int i;

	if (attribute_texts(h, o, name, to))
		return true;
	for (i = 0; attribute_texts(h, o, arena_printf(to->arena, "%s%d", name, i), to); i++)
		if (to->all.n > MOST_NAMES)
			return false;
	return i > 0;
}

/* ---- the weights of a layer ---- */

/* Parts of a layer in the order in which it makes them, not by name. */
static int
part_rank(const char *name)
{
	static const char *const parts[] = { "vars", "query_dense", "key_dense", "value_dense", "output_dense",
		"forward_layer", "backward_layer" };
	int i, n = sizeof(parts) / sizeof(*parts);

	name += *name == '_';
	for (i = 0; i < n && strcmp(name, parts[i]) != 0; i++)
		;
	return i;
}

static herr_t
take_name(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
	struct names *to = context;

	(void)group;
	if (info->type != H5L_TYPE_HARD || strlen(name) >= MOST_NAME || to->all.n >= MOST_NAMES)
		return -1;
	take_text(to, name, strlen(name));
	return 0;
}

static int
by_part(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	int d = part_rank(x) - part_rank(y);

	/* "10" comes behind "9" */
	return d ? d : strlen(x) != strlen(y) ? (strlen(x) < strlen(y) ? -1 : 1) : strcmp(x, y);
}

static bool
collect(const struct hdf5_library *h, struct arena *a, hid_t o, const char *path, int depth, struct names *to)
{
	struct names inside = { .arena = a };
	int i;

	if (h->H5Iget_type(o) == H5I_DATASET) {
		vec_push(a, &to->all, path);
		return to->all.n < MOST_NAMES;
	}
	if (h->H5Iget_type(o) != H5I_GROUP || depth > MOST_DEPTH ||
	    h->H5Literate(o, H5_INDEX_NAME, H5_ITER_INC, NULL, take_name, &inside) < 0)
		return false;
	if (inside.all.n > 1)
		qsort(inside.all.v, (size_t)inside.all.n, sizeof(*inside.all.v), by_part);
	for (i = 0; i < inside.all.n; i++) {
		hid_t part = h->H5Oopen(o, inside.all.v[i], H5P_DEFAULT);
		bool ok = part >= 0 && collect(h, a, part, arena_join(a, path, "/", inside.all.v[i]), depth + 1, to);

		if (part >= 0)
			h->H5Oclose(part);
		if (!ok)
			return false;
	}
	return true;
}

/* Is the layer one of the words of a weight's name? */
static bool
names_layer(const char *weight, const char *layer)
{
	size_t n = strlen(layer), k;

	for (; *weight; weight += k + (weight[k] == '/')) {
		k = strcspn(weight, "/");
		if (k == n && memcmp(weight, layer, n) == 0)
			return true;
	}
	return false;
}

/* Where the file has the weights of a layer, or of the model in the model that it is part of. */
static const char *
group_of(struct arena *a, const struct keras_store *s, const struct keras_layer *l)
{
	hid_t o;

	if (s->by_place)
		return l->place;
	o = object_open(&s->h, s->file, "model_weights");
	if (o >= 0)
		s->h.H5Oclose(o);
	return arena_join(a, o >= 0 ? "model_weights/" : "", "", l->outermost);
}

static void
list_group(struct arena *a, struct keras_store *s, const char *group)
{
	hid_t o = object_open(&s->h, s->file, group);

	s->group = group;
	s->listed = (struct names){ .arena = a };
	if (o < 0)
		return;
	if (s->by_place)
		collect(&s->h, a, o, group, 0, &s->listed);
	else
		list_of(&s->h, o, "weight_names", &s->listed);
	s->h.H5Oclose(o);
}

/* The path of weight K of a layer in the file; NULL: there is none. */
static const char *
weight_path(struct arena *a, struct keras_store *s, const struct keras_layer *l, int k)
{
	const char *inner = strrchr(l->name, '/') ? strrchr(l->name, '/') + 1 : l->name, *group = group_of(a, s, l);
	int i, at = 0;

	if (!s->group || strcmp(s->group, group) != 0)
		list_group(a, s, group);
	for (i = 0; i < s->listed.all.n; i++)
		if ((s->by_place || !l->nested || names_layer(s->listed.all.v[i], inner)) && at++ == k)
			return s->by_place ? s->listed.all.v[i] : arena_join(a, group, "/", s->listed.all.v[i]);
	return NULL;
}

/* ---- numbers ---- */

/* All numbers lie in this file, and about as many bytes are there as they take. */
static bool
lies_here(const struct hdf5_library *h, hid_t d, int64_t count)
{
	hid_t how = h->H5Dget_create_plist(d);
	bool ok = how >= 0 && h->H5Pget_layout(how) != H5D_VIRTUAL &&
	    (h->H5Pget_layout(how) != H5D_CONTIGUOUS || h->H5Pget_external_count(how) == 0);

	if (how >= 0)
		h->H5Pclose(how);
	return ok && (uint64_t)h->H5Dget_storage_size(d) >= (uint64_t)count / LARGEST_RATIO;
}

static bool
has_shape(const struct hdf5_library *h, hid_t d, const struct numbers *n)
{
	hid_t space = h->H5Dget_space(d);
	hsize_t dim[MODEL_RANK] = { 0 };
	int i, rank = space >= 0 ? h->H5Sget_simple_extent_ndims(space) : -1;
	bool ok = rank == n->rank && rank <= MODEL_RANK && h->H5Sget_simple_extent_dims(space, dim, NULL) == rank;

	for (i = 0; ok && i < rank; i++)
		ok = dim[i] == (hsize_t)n->dim[i];
	if (space >= 0)
		h->H5Sclose(space);
	return ok;
}

static bool
is_real(const struct hdf5_library *h, hid_t d)
{
	hid_t type = h->H5Dget_type(d);
	bool ok = type >= 0 && h->H5Tget_class(type) == H5T_FLOAT;

	if (type >= 0)
		h->H5Tclose(type);
	return ok;
}

static const char *
dataset_read(const struct hdf5_library *h, struct arena *a, hid_t d, const struct numbers *n, const char *path, float **to)
{
	if (h->H5Iget_type(d) != H5I_DATASET || !is_real(h, d))
		return arena_printf(a, "'%s' holds no real numbers", path);
	if (!has_shape(h, d, n))
		return arena_printf(a, "'%s' has not the shape that the layer of '%s' asks for", path, n->name);
	if (!lies_here(h, d, n->count))
		return arena_printf(a, "the numbers of '%s' do not lie in the file", path);
	*to = malloc((size_t)n->count * sizeof(**to) + 1);
	if (!*to)
		return arena_printf(a, "there is no memory for '%s'", path);
	if (h->H5Dread(d, *h->native_float, H5S_ALL, H5S_ALL, H5P_DEFAULT, *to) >= 0)
		return NULL;
	free(*to);
	return arena_printf(a, "'%s' cannot be read", path);
}

/* ---- files ---- */

static bool
loaded(struct keras_store *s, const char **why)
{
	if (hdf5_load(&s->h))
		return true;
	*why = "the library " HDF5_NAME ", with which stowage was built, is not there";
	return false;
}

/* Into a file of its own, which has a name until it is open. */
static bool
unpacked(struct arena *a, struct keras_store *s, const char **why)
{
	const char *folder = getenv("TMPDIR");
	char *path = arena_join(a, folder && *folder ? folder : "/tmp", "/", "stowage-XXXXXX");
	int fd = mkstemp(path);
	FILE *f = fd >= 0 ? fdopen(fd, "wb") : NULL;
	bool good = f && s->unpack(a, s->packed, s->size, f, why);

	if (fd >= 0)
		s->unpacked = path;
	if (f)
		good = fclose(f) == 0 && good;
	else if (fd >= 0)
		close(fd);
	if (!good && !*why)
		*why = "its weights cannot be unpacked into a temporary file";
	return good;
}

static bool
unpacked_open(struct keras_store *s, const char **why)
{
	s->file = s->h.H5Fopen(s->unpacked, READ_ONLY, H5P_DEFAULT);
	if (s->file < 0)
		*why = "its weights are no HDF5 file";
	return s->file >= 0;
}

bool
keras_fetch(struct arena *a, struct keras_store *s, const struct numbers *n, float **to, const char **why)
{
	const struct keras_layer *l = n->place;
	const struct hdf5_library *h;
	const char *path;
	hid_t d;
	int k = 0;

	if (!s) {
		*why = "it has no weights: the JSON of a model is its configuration alone";
		return false;
	}
	h = &s->h;
	while (k < MOST_KERAS_WEIGHTS && l->weight[k] != n)
		k++;
	path = weight_path(a, s, l, k);
	if (!path) {
		*why = arena_printf(a, "weight %d of layer '%s' is not in the file", k, l->name);
		return false;
	}
	d = object_open(h, s->file, path);
	*why = d < 0 ? arena_printf(a, "'%s' is not in the file", path) : dataset_read(h, a, d, n, path, to);
	if (d >= 0)
		h->H5Oclose(d);
	return *why == NULL;
}

struct fetching {
	struct keras_store *store;
	const struct numbers *const *all;
	int n;
};

static void
fetch_all(void *context)
{
	const struct fetching *g = context;
	struct arena *a = arena_new();
	const char *why = NULL;
	float *data;
	int i;

	if (!a || (g->store->file < 0 && !unpacked_open(g->store, &why)))
		return;
	for (i = 0; i < g->n && keras_fetch(a, g->store, g->all[i], &data, &why); i++)
		free(data);
	keras_close(g->store);
}

static int64_t
seconds_for(const struct fetching *g)
{
	int64_t count = 0;
	int i;

	for (i = 0; i < g->n; i++)
		count += g->all[i]->count;
	return FETCHING_SECONDS + count / NUMBERS_A_SECOND;
}

bool
keras_prepare(struct arena *a, struct keras_store *s, const struct numbers *const *all, int n, const char **why)
{
	struct fetching g = { s, all, n };
	bool good;

	if (!s)
		return true;	/* keras_fetch() says what is missing */
	good = s->file >= 0 || (loaded(s, why) && unpacked(a, s, why));
	if (good && !rehearse(fetch_all, &g, seconds_for(&g))) {
		*why = HDF5_ENDS;
		good = false;
	}
	good = good && (s->file >= 0 || unpacked_open(s, why));
	if (s->unpacked)
		unlink(s->unpacked);
	s->unpacked = NULL;
	return good;
}

struct keras_store *
hdf5_packed(struct arena *a, const unsigned char *file, size_t size, hdf5_unpack unpack)
{
	struct keras_store *s = ARENA_NEW(a, struct keras_store);

	*s = (struct keras_store){ .file = -1, .by_place = true, .packed = file, .size = size, .unpack = unpack };
	return s;
}

static bool
opened(struct arena *a, const char *path, struct keras_source *from, const char **why)
{
	struct names text = { .arena = a }, version = { .arena = a }, training = { .arena = a };
	struct keras_store *s = ARENA_NEW(a, struct keras_store);

	s->file = -1;
	from->store = s;
	if (!loaded(s, why))
		return false;
	s->file = s->h.H5Fopen(path, READ_ONLY, H5P_DEFAULT);
	if (s->file < 0) {
		*why = "it is no HDF5 file that can be read";
		return false;
	}
	if (!attribute_texts(&s->h, s->file, "model_config", &text) || text.all.n != 1) {
		*why = "it has no model_config: it holds weights alone, without the model that they are of";
		return false;
	}
	from->text = text.all.v[0];
	from->n = strlen(from->text);
	if (attribute_texts(&s->h, s->file, "training_config", &training) && training.all.n == 1)
		from->training = training.all.v[0];
	if (attribute_texts(&s->h, s->file, "keras_version", &version) && version.all.n == 1)
		from->version = version.all.v[0];
	return true;
}

static void
open_and_close(void *path)
{
	struct arena *a = arena_new();
	struct keras_source from = { NULL };
	const char *why = NULL;

	if (a && opened(a, path, &from, &why))
		keras_close(from.store);
}

bool
hdf5_open(struct arena *a, const char *path, struct keras_source *from, const char **why)
{
	if (rehearse(open_and_close, (void *)(uintptr_t)path, OPENING_SECONDS))
		return opened(a, path, from, why);
	*why = HDF5_ENDS;
	return false;
}

void
keras_close(struct keras_store *s)
{
	if (s && s->file >= 0)
		s->h.H5Fclose(s->file);
}

#else

bool
keras_fetch(struct arena *a, struct keras_store *s, const struct numbers *n, float **to, const char **why)
{
	(void)a, (void)n, (void)to;
	*why = s ? "this stowage was built without libhdf5 (libhdf5-dev), which reads weights of Keras" :
	    "it has no weights: the JSON of a model is its configuration alone";
	return false;
}

bool
keras_prepare(struct arena *a, struct keras_store *s, const struct numbers *const *all, int n, const char **why)
{
	(void)a, (void)s, (void)all, (void)n, (void)why;
	return true;		/* keras_fetch() says what is missing */
}

struct keras_store *
hdf5_packed(struct arena *a, const unsigned char *file, size_t size, hdf5_unpack unpack)
{
	(void)file, (void)size, (void)unpack;
	return arena_alloc(a, 1);
}

bool
hdf5_open(struct arena *a, const char *path, struct keras_source *from, const char **why)
{
	(void)a, (void)path, (void)from;
	*why = "this stowage was built without libhdf5 (libhdf5-dev), which opens .h5 files";
	return false;
}

void
keras_close(struct keras_store *s)
{
	(void)s;
}

#endif
