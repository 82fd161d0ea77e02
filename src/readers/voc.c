/* voc: objects in pictures, as Pascal VOC has them. */
#include "readers/parts.h"

#include <string.h>

#include "base/filename.h"
#include "base/vec.h"
#include "readers/parts_look.h"
#include "readers/xml_walk.h"

static const struct attr_spec attrs[] = {
	READER_PARTS,
	{ .name = "difficult", .type = ATTR_BOOL, .preset = "false",
	  .doc = "objects that are marked as difficult are parts, too" },
	READER_ROWS, READER_COLOURS, ATTRS_END
};

static const char *
unfit(struct arena *a, const struct data_source *d, struct tensor *const *staged, int n)
{
	return parts_unfit(a, d, staged, n, false);
}

/* ---- how many parts pictures have ---- */

struct object {
	double corner[4];	/* x, y, x, y of the first and the last pixel, from 1 */
	unsigned corners;	/* a bit for each that is there */
	bool difficult;
};

struct description {		/* of a picture */
	struct parts_seen picture;
	VEC(struct object) objects;	/* its size may come behind them */
};

static void
see_object(struct xml_walk *x, struct object *o, const char *what)
{
	static const char *const corners[] = { "bndbox/xmin", "bndbox/ymin", "bndbox/xmax", "bndbox/ymax" };
	int k;

	if (strcmp(what, "difficult") == 0)
		o->difficult = xml_walk_number(x) != 0;
	for (k = 0; k < 4; k++)
		if (strcmp(what, corners[k]) == 0) {
			o->corner[k] = xml_walk_number(x);
			o->corners |= 1u << k;
		}
}

static bool
see_description(struct parts_look *l, struct description *d, const char *path)
{
	const bool difficult = reader_flag(l->source, "difficult");
	struct xml_walk x = { NULL, NULL, "", false, false };
	struct object o = { .corners = 0 };
	bool ends = false;
	size_t size;

	d->picture = (struct parts_seen){ .id = 0 };
	d->objects.n = 0;
	x.at = (const char *)l->file(l->of, path, &size);
	if (!x.at)
		return false;
	x.end = x.at + size;
	while (xml_walk_next(&x, &ends)) {
		if (strcmp(x.where, "annotation/object") == 0) {
			x.bad = x.bad || (ends && o.corners != 15);
			if (ends && (difficult || !o.difficult))
				vec_push(l->arena, &d->objects, o);
			o = (struct object){ .corners = 0 };
		} else if (!ends && strncmp(x.where, "annotation/object/", 18) == 0) {
			see_object(&x, &o, x.where + 18);
		} else if (!ends && strcmp(x.where, "annotation/size/width") == 0) {
			d->picture.width = xml_walk_number(&x);
		} else if (!ends && strcmp(x.where, "annotation/size/height") == 0) {
			d->picture.height = xml_walk_number(&x);
		}
	}
	return !x.bad && d->picture.width >= 1 && d->picture.height >= 1;
}

struct descriptions {
	struct description one;
	VEC(struct parts_seen) pictures;
};

static bool
see_picture(struct parts_look *l, struct descriptions *all, const char *path)
{
	struct description *d = &all->one;
	int i;

	if (!see_description(l, d, path))
		return false;
	for (i = 0; i < d->objects.n; i++) {
		const double *c = d->objects.v[i].corner;

		parts_see(&d->picture, c[0] - 1, c[1] - 1, c[2] - c[0] + 1, c[3] - c[1] + 1, false);
	}
	vec_push(l->arena, &all->pictures, d->picture);
	return true;
}

/* A name is the first word of a line. Annotations is beside the list, or beside the ImageSets that
 * it is in. */
static bool
see_list(struct parts_look *l, struct descriptions *all)
{
	const char *sets = strstr(l->place, "ImageSets/"), *slash = strrchr(l->place, '/'), *at, *end;
	int root = sets ? (int)(sets - l->place) : slash ? (int)(slash + 1 - l->place) : 0;
	size_t size, n;

	at = (const char *)l->file(l->of, l->place, &size);
	if (!at)
		return false;
	for (end = at + size; at < end; at += strcspn(at, "\n"), at += at < end) {
		n = strcspn(at, " \t\r\n");
		if (n && !see_picture(l, all, arena_printf(l->arena, "%.*sAnnotations/%.*s.xml", root, l->place, (int)n, at)))
			return false;
		if (!n && !*at)
			return false;
	}
	return true;
}

static bool
parts(struct parts_look *l)
{
	struct descriptions all = { .pictures = { 0 } };
	const char *folder = filename_join(l->arena, l->place, "Annotations");
	char *const *names;
	int i, n;

	names = l->names(l->of, folder, ".xml", &n);
	for (i = 0; names && i < n; i++)
		if (names[i][0] != '.' && !see_picture(l, &all, filename_join(l->arena, folder, names[i])))
			return false;
	if (!names && !see_list(l, &all))
		return false;
	return parts_looked(l, all.pictures.v, all.pictures.n);
}

const struct reader reader_voc = {
	.name = "voc",
	.brief = "objects in pictures, as Pascal VOC has them",
	.doc = "A folder with an XML file for each picture in Annotations, and the pictures in JPEGImages; or a list of names in its "
	    "ImageSets/Main, or beside Annotations. Classes are VOC's twenty names in their order, from `first` on, so labels are "
	    "class[21, most]; where Annotations has a file classes.txt beside it, they are the names in that, one a line. A box goes "
	    "from the left and top of its first pixel, which is counted from 1, to the right and bottom of its last. The parts "
	    "of objects (head, hand, foot) are none.\n\n"
	    PARTS_DOC "\n\nPictures vary by flip, flip_vertical, brightness, contrast, saturation and hue, as with images. The "
	    "program is built with libjpeg and libpng (libjpeg-dev, libpng-dev), where pkg-config finds them.",
	.usage = "voc(\"VOC2012/ImageSets/Main/train.txt\", shorter=800, longer=1333, flip=0.5, scale=1/255)",
	.files = FILES_MANY,
	.attrs = attrs,
	.bytes = true,
	.packages = "libjpeg libpng",
	.links = "-ljpeg -lpng",
	.unfit = unfit,
	.alike = pictures_decoded,
	.parts = parts,
};
