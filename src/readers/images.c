/* images: JPEG and PNG files in a folder, or in a list of them. */
#include <stdlib.h>
#include <string.h>

#include "readers/look.h"
#include "readers/pictures.h"

static const struct attr_spec attrs[] = {
	{ .name = "resize", .type = ATTR_INT, .preset = "0", .min = 0, .max = 65536,
	  .doc = "pixels of the shorter side after scaling; the middle of that is used. 0: the whole picture is scaled to the "
	    "input's size" },
	{ .name = "random_crop", .type = ATTR_BOOL, .preset = "false",
	  .doc = "a part at random in place of the middle; without resize, of the picture as it is" },
	{ .name = "area", .type = ATTR_REALS, .min = 1e-6, .max = 1,
	  .doc = "least and largest share of the picture that is cut out at random and scaled to the input's size: (0.08, 1)" },
	{ .name = "aspect", .type = ATTR_REALS, .min = 0.01, .max = 100,
	  .doc = "least and largest width by height of that part; (3/4, 4/3) if not given" },
	READER_ROWS, READER_PICTURES, ATTRS_END
};

static bool
same_size(const struct tensor *a, const struct tensor *b)
{
	return a->dim[a->rank - 2] == b->dim[b->rank - 2] && a->dim[a->rank - 1] == b->dim[b->rank - 1];
}

static bool
is_mask(const struct tensor *t)
{
	return t->kind == T_TARGET && t->classes && t->rank >= 2 &&
	    tensor_elements_per_sample(t) == t->dim[t->rank - 2] * t->dim[t->rank - 1];
}

static bool
is_class(const struct tensor *t)
{
	return t->kind == T_TARGET && t->classes && tensor_elements_per_sample(t) == 1;
}

static const char *
unfit_range(struct arena *a, const struct data_source *d, const char *name, const char *such)
{
	int n = reader_count_of(d, name);

	return n && n != 2 ? arena_printf(a, "%s= has two numbers, the least and the largest: %s=%s", name, name, such) :
	    NULL;
}

static const char *
unfit_together(const struct data_source *d)
{
	bool area = reader_count_of(d, "area") > 0;

	if (area && (reader_int(d, "resize", 0) || reader_flag(d, "random_crop") || reader_int(d, "pad", 0)))
		return "area= cuts a part of any size out of a picture: resize=, random_crop= and pad= have no meaning with it";
	if (!area && reader_count_of(d, "aspect"))
		return "aspect= is of the part that area= cuts out";
	return NULL;
}

static const char *
unfit(struct arena *a, const struct data_source *d, struct tensor *const *staged, int n)
{
	const struct tensor *first = NULL;
	const char *why = unfit_together(d);
	int i;

	why = why ? why : unfit_range(a, d, "area", "(0.08, 1)");
	why = why ? why : unfit_range(a, d, "aspect", "(3/4, 4/3)");
	for (i = 0; i < n && !why; i++) {
		const struct tensor *t = staged[i];

		if (!picture_is(t) && !is_mask(t) && !is_class(t) && !picture_shares(t))
			why = arena_printf(a, "there are pictures, f32[3, 224, 224] or f32[1, 224, 224], classes, class[10], "
			    "shares of them, f32[10], and masks, class[10, 224, 224]; '%s' is %s", t->name,
			    tensor_type_text(a, t));
		else if ((picture_is(t) || is_mask(t)) && first && !same_size(first, t))
			why = arena_printf(a, "'%s' and '%s' are cut out of the same place, and have another size", first->name,
			    t->name);
		if (!first && (picture_is(t) || is_mask(t)))
			first = t;
	}
	return why ? why : pictures_unfit(a, d, staged, n);
}

/* The K-th field of a line, as a class; false: it has none. */
static bool
field_of(const char *line, const char *end, int k, double *x)
{
	long long value;
	char *stop;

	for (; k > 0 && line < end; line++)
		k -= *line == ',' || *line == '\t';
	if (k > 0 || line == end || *line < '0' || *line > '9')
		return false;
	value = strtoll(line, &stop, 10);
	*x = (double)value;
	return stop <= end && (stop == end || *stop == ',' || *stop == '\t' || *stop == '\r');
}

/* Classes of a list, whose lines have a field for each input and target. What is in pictures is not
 * looked at, nor are folders. */
static bool
look(struct look *l)
{
	const char *at = (const char *)l->bytes, *stop = at + l->size, *end;
	int k = 0;

	while (k < l->nstaged && l->staged[k] != l->input)
		k++;
	if (k == l->nstaged || !is_class(l->input))
		return false;
	l->value = arena_array(l->arena, l->size + 1, sizeof(*l->value));
	for (; at < stop; at = end + 1) {
		end = memchr(at, '\n', (size_t)(stop - at));
		if (!end && !l->whole)
			return l->rows > 0;
		end = end ? end : stop;
		if (end == at || (end == at + 1 && *at == '\r'))
			continue;
		if (!field_of(at, end, k, &l->value[l->rows]))
			return false;
		l->rows++;
	}
	l->all_rows = l->rows;
	return l->rows > 0;
}

const struct reader reader_images = {
	.name = "images",
	.brief = "JPEG and PNG files in folders or in a list",
	.doc = "A folder that has a folder for each class, in the order of their names, with files of .jpg, .jpeg and .png "
	    "at any depth; without a target, any folder. Or a text file with a line for each sample: for every input and "
	    "target, in the order in which the network declares them, the name of a file, beside the list, or a class from "
	    "0, separated by commas or tabs.\n\n"
	    "An input f32[3, height, width] is a picture in RGB, f32[1, height, width] one in grey, of 0 to 255 times scale. "
	    "A target of class[K] is a class; f32[K] is 1 for it and 0 elsewhere; class[K, height, width] is a mask, a PNG "
	    "whose palette's indices or grey values are the classes, cut and flipped as the input is.\n\n"
	    "Pictures are decoded when a batch needs them, by the threads that fill it, and scaled as Pillow and torchvision "
	    "do it, bilinear with antialiasing: to the input's size; or with resize so that the shorter side has as many "
	    "pixels, of which the middle is cut; or, with area, a part of random size and shape. In memory are names, and one "
	    "picture a thread. Grey, CMYK, progressive, interlaced, and 16-bit files are read too; transparency and EXIF's "
	    "orientation count for nothing. A file that cannot be read ends the program in a line.\n\n"
	    PICTURES_DOC "\n\nThe program is built with libjpeg and libpng (libjpeg-dev, libpng-dev), where pkg-config finds "
	    "them.",
	.usage = "images(\"train\", area=(0.08, 1), flip=0.5, scale=1/255)",
	.files = FILES_ONE,
	.attrs = attrs,
	.bytes = true,
	.packages = "libjpeg libpng",
	.links = "-ljpeg -lpng",
	.unfit = unfit,
	.alike = pictures_decoded,
	.look = look,
	.apart = true,
};
