/* coco: objects in pictures, as COCO's files of instances have them. */
#include "readers/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "readers/json_walk.h"
#include "readers/parts_look.h"

static const struct attr_spec attrs[] = {
	READER_PARTS,
	{ .name = "ids", .type = ATTR_BOOL, .preset = "false",
	  .doc = "classes are the numbers that the file gives to categories, as torchvision has them: 1 to 90, with gaps" },
	READER_ROWS, READER_COLOURS, ATTRS_END
};

static const char *
unfit(struct arena *a, const struct data_source *d, struct tensor *const *staged, int n)
{
	return parts_unfit(a, d, staged, n, true);
}

/* ---- how many parts pictures have ---- */

#define MOST_PIXELS	((int64_t)1 << 30)	/* of a side, as in kernels/host/picture_scale.c */

struct seen {
	struct arena *arena;
	VEC(struct parts_seen) categories;	/* sorted by id, as are */
	VEC(struct parts_seen) pictures;
};

static void
see_category(struct json_walk *j, struct seen *s)
{
	struct parts_seen category = { .id = -1 };
	char key[16];
	int n = 0;

	while (json_walk_field(j, &n, key, sizeof(key))) {
		if (strcmp(key, "id") == 0)
			category.id = json_walk_count(j);
		else
			json_walk_pass(j);
	}
	j->bad = j->bad || category.id < 0;
	vec_push(s->arena, &s->categories, category);
}

static int64_t
see_extent(struct json_walk *j)
{
	int64_t x = json_walk_count(j);

	j->bad = j->bad || x < 1 || x > MOST_PIXELS;
	return x;
}

static void
see_image(struct json_walk *j, struct seen *s)
{
	struct parts_seen picture = { .id = -1, .place = s->pictures.n };
	bool named = false;
	char key[16];
	int n = 0;

	while (json_walk_field(j, &n, key, sizeof(key))) {
		if (strcmp(key, "id") == 0)
			picture.id = json_walk_count(j);
		else if (strcmp(key, "file_name") == 0)
			named = json_walk_string(j) > 0;
		else if (strcmp(key, "width") == 0)
			picture.width = (double)see_extent(j);
		else if (strcmp(key, "height") == 0)
			picture.height = (double)see_extent(j);
		else
			json_walk_pass(j);
	}
	j->bad = j->bad || picture.id < 0 || !named || picture.width < 1 || picture.height < 1;
	vec_push(s->arena, &s->pictures, picture);
}

static int
by_id(const void *a, const void *b)
{
	int64_t x = ((const struct parts_seen *)a)->id, y = ((const struct parts_seen *)b)->id;

	return x < y ? -1 : x > y;
}

static int
by_place(const void *a, const void *b)
{
	int64_t x = ((const struct parts_seen *)a)->place, y = ((const struct parts_seen *)b)->place;

	return x < y ? -1 : x > y;
}

static void
see_box(struct json_walk *j, double *box)
{
	int n = 0;

	while (json_walk_each(j, &n))
		box[n <= 4 ? n - 1 : 3] = json_walk_number(j);
	j->bad = j->bad || n != 4;
}

static void
see_annotation(struct json_walk *j, struct seen *s)
{
	struct parts_seen of = { .id = -1 }, kind = { .id = -1 }, *found;
	bool crowd = false, boxed = false;
	double box[4] = { 0 };
	char key[16];
	int n = 0;

	while (json_walk_field(j, &n, key, sizeof(key))) {
		if (strcmp(key, "image_id") == 0) {
			of.id = json_walk_count(j);
		} else if (strcmp(key, "category_id") == 0) {
			kind.id = json_walk_count(j);
		} else if (strcmp(key, "bbox") == 0) {
			see_box(j, box);
			boxed = true;
		} else if (strcmp(key, "iscrowd") == 0) {
			crowd = json_walk_count(j) != 0;
		} else {
			json_walk_pass(j);
		}
	}
	found = s->pictures.n ? bsearch(&of, s->pictures.v, (size_t)s->pictures.n, sizeof(of), by_id) : NULL;
	j->bad = j->bad || !found || !boxed || !s->categories.n ||
	    !bsearch(&kind, s->categories.v, (size_t)s->categories.n, sizeof(kind), by_id);
	if (!j->bad)
		parts_see(found, box[0], box[1], box[2], box[3], crowd);
}

enum { IMAGES, CATEGORIES, ANNOTATIONS, LISTS };

/* Where the lists begin, which come in any order. */
static bool
find_lists(struct json_walk j, struct json_walk *list)
{
	static const char *const names[LISTS] = { "images", "categories", "annotations" };
	char key[16];
	int n = 0, k;

	for (k = 0; k < LISTS; k++)
		list[k] = (struct json_walk){ NULL, j.end, false };
	while (json_walk_field(&j, &n, key, sizeof(key))) {
		for (k = 0; k < LISTS; k++) {
			if (strcmp(key, names[k]) != 0)
				continue;
			if (list[k].at)
				return false;
			list[k] = j;
		}
		json_walk_pass(&j);
	}
	return json_walk_ends(&j) && list[IMAGES].at && list[CATEGORIES].at && list[ANNOTATIONS].at;
}

/* False where two have one id. */
static bool
sort(struct parts_seen *v, int n)
{
	int i;

	if (n)
		qsort(v, (size_t)n, sizeof(*v), by_id);
	for (i = 1; i < n; i++)
		if (v[i].id == v[i - 1].id)
			return false;
	return true;
}

static bool
parts(struct parts_look *l)
{
	struct json_walk text = { NULL, NULL, false }, list[LISTS];
	struct seen seen = { .arena = l->arena };
	size_t size;
	int n;

	text.at = (const char *)l->file(l->of, l->place, &size);
	if (!text.at)
		return false;
	text.end = text.at + size;
	if (!find_lists(text, list))
		return false;
	for (n = 0; json_walk_each(&list[CATEGORIES], &n);)
		see_category(&list[CATEGORIES], &seen);
	for (n = 0; json_walk_each(&list[IMAGES], &n);)
		see_image(&list[IMAGES], &seen);
	if (list[CATEGORIES].bad || list[IMAGES].bad || !seen.pictures.n || !sort(seen.categories.v, seen.categories.n) ||
	    !sort(seen.pictures.v, seen.pictures.n))
		return false;
	for (n = 0; json_walk_each(&list[ANNOTATIONS], &n);)
		see_annotation(&list[ANNOTATIONS], &seen);
	qsort(seen.pictures.v, (size_t)seen.pictures.n, sizeof(*seen.pictures.v), by_place);
	return !list[ANNOTATIONS].bad && parts_looked(l, seen.pictures.v, seen.pictures.n);
}

const struct reader reader_coco = {
	.name = "coco",
	.brief = "objects in pictures, by COCO's files of instances",
	.doc = "A file of instances in COCO's JSON, and the folder of its pictures, JPEG or PNG; without one they are beside the "
	    "file. A sample is a picture with its annotations. Its categories are classes in the order of their ids, from "
	    "`first` on; so the labels of COCO's 80 are class[81, most]. Crowds (iscrowd) are no parts. masks, u8[most, height, "
	    "width], are 1 inside: polygons, and runs as a list or packed, are drawn to the pixel as COCO's tools draw them.\n\n"
	    PARTS_DOC "\n\nPictures vary by flip, flip_vertical, brightness, contrast, saturation and hue, as with images. The file "
	    "is mapped, pictures and masks are made when a batch needs them, by the threads that fill it. The program is built with "
	    "libjpeg and libpng (libjpeg-dev, libpng-dev), where pkg-config finds them.",
	.usage = "coco(\"instances_train2017.json\", \"train2017\", shorter=800, longer=1333, flip=0.5, scale=1/255)",
	.files = FILES_MANY,
	.attrs = attrs,
	.bytes = true,
	.packages = "libjpeg libpng",
	.links = "-ljpeg -lpng",
	.unfit = unfit,
	.alike = pictures_decoded,
	.parts = parts,
};
