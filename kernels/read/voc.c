/*
 * voc.c - objects in pictures, as Pascal VOC has them: a folder with an XML file for each picture
 * in Annotations, and the pictures in JPEGImages; which of them are used is a list of names, or all
 * are. Everything is read at start.
 */
#include "host/xml.c"
#include "host/parts.c"
#include "host/part_proposals.c"
#include <dirent.h>

#define VOC_NAMES	1024	/* classes of a file of names */

struct voc_object {
	char name[128];
	double corner[4];	/* x, y, x, y of the first and the last pixel, from 1 */
	unsigned corners;	/* a bit for each that is there */
	bool difficult;
};

struct voc {
	const char *names[VOC_NAMES];
	int classes;
	char *list;	/* whose names they are; NULL: VOC's own */
	int64_t first;		/* the class of the first; */
	bool difficult;		/* are such objects parts? */
	struct voc_object *object;	/* of the picture at hand, whose size may come behind them */
	int64_t objects, room;
};

/* VOC's own, in its order. */
static const char *const voc_names[] = {
	"aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow", "diningtable", "dog", "horse",
	"motorbike", "person", "pottedplant", "sheep", "sofa", "train", "tvmonitor",
};

/* ROOT/classes.txt has a name a line, where it is there. */
static void
voc_classes(struct voc *v, const char *root)
{
	char path[PATH_MAX];
	struct mapped f;
	char *at, *stop;

	picture_path(path, root, "classes.txt");
	if (access(path, F_OK)) {
		v->classes = (int)(sizeof(voc_names) / sizeof(*voc_names));
		memcpy(v->names, voc_names, sizeof(voc_names));
		return;
	}
	v->list = strdup(path);
	f = data_map_found(v->list);
	for (at = (char *)f.bytes, stop = at + f.size; at < stop; at++) {
		size_t n = strcspn(at, "\r\n");

		if (n && v->classes == VOC_NAMES)
			fail("%s: has more than %d names", path, VOC_NAMES);
		if (n)
			v->names[v->classes++] = at;
		at += n;
		*at = '\0';	/* of a copy of the page; at the end it is so already */
	}
}

static int
voc_label(const struct voc *v, const char *path, const struct voc_object *o)
{
	for (int i = 0; i < v->classes; i++)
		if (!strcmp(v->names[i], o->name))
			return (int)(v->first + i);
	fail("%s: has an object \"%.40s\", which is no class of %s%s", path, o->name, v->list ? v->list : "Pascal VOC",
	    v->list ? "" : ": classes.txt in the folder of Annotations says which there are, one a line");
}

static double
voc_number(const struct xml *x)
{
	char text[64], *end;
	double n;

	xml_text(x, text, sizeof(text));
	n = strtod(text, &end);
	if (end == text || *end || !(fabs(n) < 1e6) || strpbrk(text, "xX"))
		xml_fail(x, "a number");
	return n;
}

/* What the elements of an object say, of which one has just begun. Those of an object's own parts
 * lie deeper. */
static void
voc_object_says(const struct xml *x, struct voc_object *o)
{
	static const char *const corners[] = { "xmin", "ymin", "xmax", "ymax" };
	const char *what = x->where + strlen("annotation/object/");

	if (!strcmp(what, "name"))
		xml_text(x, o->name, sizeof(o->name));
	if (!strcmp(what, "difficult"))
		o->difficult = voc_number(x) != 0;
	for (int k = 0; k < 4 && !strncmp(what, "bndbox/", 7); k++)
		if (!strcmp(what + 7, corners[k])) {
			o->corner[k] = voc_number(x);
			o->corners |= 1u << k;
		}
}

static void
voc_object_keep(struct voc *v, const struct xml *x, const struct voc_object *o)
{
	if (!*o->name || o->corners != 15)
		xml_fail(x, "name and bndbox of the object that ends here");
	if (o->difficult && !v->difficult)
		return;
	v->object = (struct voc_object *)row_room(v->object, v->objects, &v->room, sizeof(*v->object));
	v->object[v->objects++] = *o;
}

/* What is said of the picture itself: its name, and its size. */
static void
voc_picture_says(const struct xml *x, struct pictured *of, char name[PATH_MAX])
{
	double n;

	if (!strcmp(x->where, "annotation/filename"))
		xml_text(x, name, PATH_MAX);
	if (strcmp(x->where, "annotation/size/width") && strcmp(x->where, "annotation/size/height"))
		return;
	n = voc_number(x);
	if (n < 1 || n != floor(n))
		xml_fail(x, "a size of a picture");
	*(strcmp(x->where, "annotation/size/width") ? &of->height : &of->width) = (int32_t)n;
}

static void
voc_object_add(struct parts *p, const struct voc *v, const char *path, const struct voc_object *o)
{
	double width = o->corner[2] - o->corner[0] + 1, height = o->corner[3] - o->corner[1] + 1;
	struct object part;

	memset(&part, 0, sizeof(part));
	part.picture = p->pictures - 1;
	part.label = voc_label(v, path, o);
	part.mask = -1;
	part.area = (float)(width * height);
	part_add(p, &part, (float)o->corner[0] - 1, (float)o->corner[1] - 1, (float)width, (float)height);
}

static void
voc_file(struct voc *v, struct parts *p, const char *path)
{
	struct mapped f = data_map_found(path);
	struct xml x = xml_of(&f);
	struct pictured *of = picture_next(p);
	char name[PATH_MAX] = "";
	struct voc_object o;
	bool ends = false;

	memset(&o, 0, sizeof(o));
	v->objects = 0;
	while (xml_next(&x, &ends)) {
		if (!strcmp(x.where, "annotation/object")) {
			if (ends)
				voc_object_keep(v, &x, &o);
			memset(&o, 0, sizeof(o));
		} else if (!ends && !strncmp(x.where, "annotation/object/", 18)) {
			voc_object_says(&x, &o);
		} else if (!ends) {
			voc_picture_says(&x, of, name);
		}
	}
	if (!*name || !of->width || !of->height)
		xml_fail(&x, "filename and size of the annotation that ends here");
	of->name = names_add(&p->names, name, strlen(name));
	for (int64_t i = 0; i < v->objects; i++)
		voc_object_add(p, v, path, &v->object[i]);
	munmap(f.bytes, (size_t)f.size + 1);
}

/* ---- which there are ---- */

static int
voc_is_xml(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return e->d_name[0] != '.' && dot && !strcmp(dot, ".xml");
}

/* In the order of bytes, whatever the locale. */
static int
voc_by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void
voc_folder(struct voc *v, struct parts *p, const char *root)
{
	char folder[PATH_MAX], path[PATH_MAX];
	struct dirent **list;
	int n;

	picture_path(folder, root, "Annotations/");
	n = scandir(folder, &list, voc_is_xml, voc_by_bytes);
	if (n < 0)
		fail("%s: %s", folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		picture_path(path, folder, list[i]->d_name);
		voc_file(v, p, path);
		free(list[i]);
	}
	free(list);
}

/* A name is the first word of a line. */
static void
voc_list(struct voc *v, struct parts *p, const char *root, const char *name)
{
	struct mapped f = data_map_found(name);
	const char *at = (const char *)f.bytes, *stop = at + f.size;
	char path[PATH_MAX], within[PATH_MAX];

	for (int64_t line = 1; at < stop; line++) {
		int n = (int)strcspn(at, " \t\r\n");

		if (n && snprintf(within, sizeof(within), "Annotations/%.*s.xml", n, at) >= (int)sizeof(within))
			fail("%s:%lld: the name is too long", f.name, (long long)line);
		if (n) {
			picture_path(path, root, within);
			voc_file(v, p, path);
		}
		at += n;
		at += strcspn(at, "\n");
		at += at < stop;
	}
	munmap(f.bytes, (size_t)f.size + 1);
}

/* The folder of Annotations: of a list in ImageSets/Main two above it; of another the list's
 * own. */
static char *
voc_root(const char *name, bool folder)
{
	char *root = picture_root(name, folder), *end = root + strlen(root);

	for (int up = 0; up < 2 && !folder && strstr(root, "ImageSets/"); up++) {
		while (end > root && end[-1] == '/')
			end--;
		while (end > root && end[-1] != '/')
			end--;
		*end = '\0';
	}
	return root;
}

static void
voc_open(struct data *d)
{
	struct parts *p = parts_open(d);
	struct voc *v = (struct voc *)data_alloc(sizeof(*v), "pictures");
	const char *name = data_find(d->folder, d->source->file[0]);
	char *root, *pictures;
	struct stat st;

	memset(v, 0, sizeof *v);
	v->first = (int64_t)source_number(d->source, "first", 0, 1);
	v->difficult = source_number(d->source, "difficult", 0, 0) != 0;
	p->file = name;
	if (stat(name, &st))
		fail("%s: %s", name, strerror(errno));
	root = voc_root(name, S_ISDIR(st.st_mode));
	voc_classes(v, root);
	if (p->has[ROLE_LABELS] && v->first + v->classes != p->classes)
		fail("%s has %d classes, but labels has %d: class[%lld, %lld], of which the first name is class %lld",
		    v->list ? v->list : "Pascal VOC", v->classes, p->classes, (long long)(v->first + v->classes),
		    (long long)p->most, (long long)v->first);
	if (S_ISDIR(st.st_mode))
		voc_folder(v, p, root);
	else
		voc_list(v, p, root, name);
	free(v->object);
	pictures = (char *)data_alloc(strlen(root) + sizeof("JPEGImages/"), name);
	sprintf(pictures, "%sJPEGImages/", root);
	free(root);
	free(v->list);
	free(v);
	p->root = pictures;
	parts_settle(d, p);
	proposals_open(d, p, 1);
}

const struct reader reader_voc = { voc_open, proposals_make, NULL };
