/*
 * picture_list.c - which pictures there are, and of which classes. A folder has a folder for each
 * class, in the order of their names; a list has a line for each sample: for every input and
 * target, in the network's order, a file or a class, separated by commas or tabs. What is kept of a
 * sample is some bytes of its name.
 */
#include <dirent.h>
#include "names.c"

struct pictures {
	struct variation variation;	/* first: what pictures.c knows of */
	const char *root;	/* the folder, or that of the list; ends with a slash */
	struct names names;
	int64_t *cell;		/* [rows, columns]: where a name begins, or a class */
	int64_t cells, room;
	int columns;
	struct canvas *canvas;	/* for each thread */
};

static void
cell_add(struct pictures *p, int64_t x)
{
	if (p->cells == p->room) {
		p->room = 2 * p->room + 1024;
		p->cell = (int64_t *)realloc(p->cell, (size_t)p->room * sizeof(*p->cell));
		if (!p->cell)
			fail("no memory for the names of pictures");
	}
	p->cell[p->cells++] = x;
}

/* ---- folders ---- */

static bool
picture_has_name(const char *name)
{
	static const char *const ends[] = { ".jpg", ".jpeg", ".png", NULL };
	const char *dot = strrchr(name, '.');

	for (int i = 0; dot && name[0] != '.' && ends[i]; i++)
		if (!strcasecmp(dot, ends[i]))
			return true;
	return false;
}

static int
is_listed(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* In the order of bytes, whatever the locale. */
static int
by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* "ROOT/BELOW/NAME" into PATH; true if that is a folder. */
static bool
folder_at(const struct pictures *p, char *path, const char *below, const char *name)
{
	struct stat st;

	if (snprintf(path, PATH_MAX, "%s%s%s%s", p->root, below, *below ? "/" : "", name) >= PATH_MAX)
		fail("%s%s/%s: the name is too long", p->root, below, name);
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* A sample: the file for every picture, the class for the rest. */
static void
picture_add(struct data *d, struct pictures *p, const char *below, const char *name, int64_t class_number)
{
	char path[PATH_MAX];
	int64_t at;

	snprintf(path, sizeof(path), "%s%s%s", below, *below ? "/" : "", name);
	at = names_add(&p->names, path, strlen(path));
	for (int k = 0; k < d->inputs; k++)
		cell_add(p, picture_input(&d->input[k]) ? at : class_number);
	d->rows++;
}

/* All pictures below a folder, which is one of a class, or the root with class -1. */
static void
folder_walk(struct data *d, struct pictures *p, const char *below, int64_t class_number, int deep)
{
	char path[PATH_MAX], inner[PATH_MAX];
	struct dirent **list;
	int n;

	folder_at(p, path, below, "");
	n = scandir(path, &list, is_listed, by_bytes);
	if (n < 0)
		fail("%s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name;
		bool folder = folder_at(p, path, below, name);

		if (folder && deep < 16) {
			snprintf(inner, sizeof(inner), "%s%s%s", below, *below ? "/" : "", name);
			folder_walk(d, p, inner, class_number, deep + 1);
		} else if (!folder && picture_has_name(name)) {
			picture_add(d, p, below, name, class_number);
		}
		free(list[i]);
	}
	free(list);
}

/* How many classes the targets say that there are; 0: no target asks. */
static int64_t
picture_classes(const struct data *d)
{
	for (int k = 0; k < d->inputs; k++)
		if (!picture_input(&d->input[k]))
			return d->input[k].classes ? d->input[k].classes : d->input[k].elements;
	return 0;
}

static void
folder_open(struct data *d, struct pictures *p, const char *name)
{
	int64_t classes = picture_classes(d), found = 0;
	char path[PATH_MAX];
	struct dirent **list;
	int n;

	if (!classes) {
		folder_walk(d, p, "", -1, 0);
		return;
	}
	n = scandir(name, &list, is_listed, by_bytes);
	if (n < 0)
		fail("%s: %s", name, strerror(errno));
	for (int i = 0; i < n; i++)
		found += folder_at(p, path, "", list[i]->d_name);
	for (int k = 0; k < d->inputs && !found; k++)
		data_lacks(d, k);
	if (!found && d->lacks) {
		folder_walk(d, p, "", -1, 0);
		return;
	}
	if (found != classes)
		fail("%s: has %lld folders for %lld classes: each class has a folder", name, (long long)found,
		    (long long)classes);
	found = 0;
	for (int i = 0; i < n; i++) {
		if (folder_at(p, path, "", list[i]->d_name))
			folder_walk(d, p, list[i]->d_name, found++, 1);
		free(list[i]);
	}
	free(list);
}

/* ---- lists ---- */

/* One field of a line, of input K. */
static void
list_field(struct data *d, struct pictures *p, const struct mapped *f, int64_t line, int k, const char *at, size_t n)
{
	const struct input *in = &d->input[k];
	int64_t classes = in->classes ? in->classes : in->elements;
	char *end;
	long long x;

	if (picture_input(in) || (in->classes && in->elements > 1)) {
		if (n == 0)
			fail("%s:%lld: has no file for %s", f->name, (long long)line, in->name);
		cell_add(p, names_add(&p->names, at, n));
		return;
	}
	errno = 0;
	x = strtoll(at, &end, 10);
	if (n == 0 || end != at + n || errno || x < 0 || x >= classes)
		fail("%s:%lld: expected a class from 0 to %lld for %s, found \"%.*s\"", f->name, (long long)line,
		    (long long)classes - 1, in->name, (int)(n < 40 ? n : 40), at);
	cell_add(p, x);
}

/* A line, which ends at END; its fields are those of all inputs and targets. */
static void
list_line(struct data *d, struct pictures *p, const struct mapped *f, int64_t line, const char *at, const char *end)
{
	const char *field[MAX_COLUMNS], *behind[MAX_COLUMNS];
	int n = 0;

	for (;; at++) {
		const char *start = at;

		while (at < end && *at != ',' && *at != '\t')
			at++;
		if (n < MAX_COLUMNS) {
			field[n] = start;
			behind[n] = at;
		}
		n++;
		if (at == end)
			break;
	}
	for (int k = 0; k < d->inputs; k++)
		if (d->input[k].column >= n && !data_lacks(d, k))
			fail("%s:%lld: has %d fields, and none for %s", f->name, (long long)line, n, d->input[k].name);
	for (int k = 0; k < d->inputs; k++) {
		int i = d->input[k].column;

		if (i >= n)
			cell_add(p, 0);
		else
			list_field(d, p, f, line, k, field[i], (size_t)(behind[i] - field[i]));
	}
	d->rows++;
}

static void
list_open(struct data *d, struct pictures *p, const char *name)
{
	struct mapped f = data_map_found(name);
	const char *at = (const char *)f.bytes, *stop = at + f.size;

	for (int64_t line = 1; at < stop; line++) {
		const char *newline = (const char *)memchr(at, '\n', (size_t)(stop - at));
		const char *end = newline ? newline : stop, *next = newline ? newline + 1 : stop;

		if (end > at && end[-1] == '\r')
			end--;
		if (end > at)
			list_line(d, p, &f, line, at, end);
		at = next;
	}
	munmap(f.bytes, (size_t)f.size + 1);
}
