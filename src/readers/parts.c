/* Which networks pictures with parts are for. */
#include "readers/parts.h"

#include <string.h>

static bool
is_rows(const struct tensor *t, int64_t each)
{
	return t->rank == 2 && !t->classes && t->dim[1] == each;
}

static bool
is_boxes(const struct tensor *t)
{
	return is_rows(t, 4) && t->dtype != DT_U8;
}

static bool
is_labels(const struct tensor *t)
{
	return t->classes && t->rank == 1;
}

static bool
is_masks(const struct tensor *t)
{
	return t->rank == 3 && !t->classes;
}

static bool
is_size(const struct tensor *t)
{
	return t->rank == 1 && !t->classes && t->dim[0] == 4 && t->dtype != DT_U8;
}

static bool
is_count(const struct tensor *t)
{
	return tensor_elements_per_sample(t) == 1 && !t->classes && t->dtype != DT_U8;
}

static bool
is_truth(const struct tensor *t)
{
	return is_rows(t, 7) && t->dtype != DT_U8;
}

static const struct kind {
	const char *name, *type;	/* an example */
	bool (*is)(const struct tensor *);
	bool bounded;			/* its first extent is how many parts there may be */
} kinds[] = {
	{ "boxes", "f32[100, 4]", is_boxes, true },
	{ "labels", "class[91, 100]", is_labels, true },
	{ "masks", "u8[100, 800, 1344]", is_masks, true },
	{ "size", "f32[4]", is_size, false },
	{ "count", "f32[1]", is_count, false },
	{ "truth", "f32[100, 7]", is_truth, true },
	{ "proposals", "f32[2000, 4]", is_boxes, false },
	{ NULL, NULL, NULL, false }
};

static const struct kind *
kind_of(const struct tensor *t)
{
	const struct kind *k = kinds;

	while (k->name && strcmp(k->name, t->name) != 0)
		k++;
	return k;
}

bool
parts_bounded(const struct tensor *t)
{
	return kind_of(t)->bounded && kind_of(t)->is(t);
}

int
parts_bound_at(const struct tensor *t)
{
	return t->classes != 0;
}

static const char *
unfit_one(struct arena *a, const struct tensor *t, bool masks)
{
	const struct kind *k = kind_of(t);

	if (!k->name)
		return picture_is(t) ? NULL : arena_printf(a, "there are pictures, f32[3, 800, 1344] or f32[1, 800, 1344], and, by "
		    "these names, boxes, labels, %ssize, count, truth and proposals; '%s' is %s", masks ? "masks, " : "", t->name,
		    tensor_type_text(a, t));
	if (!masks && strcmp(k->name, "masks") == 0)
		return "the files have no masks";
	return k->is(t) ? NULL : arena_printf(a, "'%s' is, for example, %s, not %s", t->name, k->type, tensor_type_text(a, t));
}

static bool
is_sized(const struct tensor *t)
{
	return !kind_of(t)->name || kind_of(t)->is == is_masks;
}

const char *
parts_unfit(struct arena *a, const struct data_source *d, struct tensor *const *staged, int n, bool masks)
{
	const struct tensor *bound = NULL, *sized = NULL;
	int files = masks ? 3 : 2, i;

	if (d->nfiles > files)
		return arena_printf(a, "it has %d files, and there may be %d: %s", d->nfiles, files, masks ?
		    "instances, a folder of pictures, proposals" : "a list or a folder, proposals");
	for (i = 0; i < n; i++) {
		const struct tensor *t = staged[i];
		const char *why = unfit_one(a, t, masks);

		if (why)
			return why;
		if (strcmp(t->name, "proposals") == 0 && d->nfiles < files)
			return arena_printf(a, "'proposals' are in a file of their own, which is named last, such as "
			    "\"proposals.safetensors\"%s", masks ? ", behind the folder of pictures" : "");
		if (kind_of(t)->bounded && bound && bound->dim[0] != t->dim[0])
			return arena_printf(a, "'%s' has room for %lld parts and '%s' for %lld", bound->name,
			    (long long)bound->dim[0], t->name, (long long)t->dim[0]);
		if (is_sized(t) && sized && (sized->dim[1] != t->dim[1] || sized->dim[2] != t->dim[2]))
			return arena_printf(a, "'%s' and '%s' show the same, and have another size", sized->name, t->name);
		bound = kind_of(t)->bounded ? t : bound;
		sized = is_sized(t) ? t : sized;
	}
	return sized ? pictures_unfit(a, d, staged, n) : "the network has no picture, such as f32[3, 800, 1344]";
}
