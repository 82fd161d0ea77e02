/*
 * images.c - JPEG and PNG files in a folder or a list, each decoded when a batch needs it, by the threads that fill
 * the batch. In memory are the names, and for each thread what one picture needs.
 */
#include <strings.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include "host/pictures.c"
#include "host/picture_scale.c"
#include "host/picture_list.c"
#include "host/picture_jpeg.c"
#include "host/picture_png.c"

/* "FOLDER/": of the files that a list names. */
static char *
images_root(const char *path, bool folder)
{
	const char *slash = folder ? path + strlen(path) : strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	char *root = (char *)data_alloc(n + 1, path);

	memcpy(root, path, n);
	strcpy(root + n, slash ? "/" : "");
	return root;
}

static void
images_open(struct data *d)
{
	struct pictures *p = (struct pictures *)data_alloc(sizeof(*p), "pictures");
	char *name = data_find(d->folder, d->source->file[0]);
	struct stat st;

#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1);	/* not 64 MiB of addresses for each thread */
#endif
	memset(p, 0, sizeof *p);
	d->own = p;
	variation_read(&p->variation, d);
	p->columns = d->inputs;
	p->canvas = (struct canvas *)data_alloc((uint64_t)pictures_threads() * sizeof(*p->canvas), "pictures");
	memset(p->canvas, 0, (size_t)pictures_threads() * sizeof(*p->canvas));
	if (stat(name, &st))
		fail("%s: %s", name, strerror(errno));
	p->root = images_root(name, S_ISDIR(st.st_mode));
	if (S_ISDIR(st.st_mode))
		folder_open(d, p, name);
	else
		list_open(d, p, name);
	if (!d->rows)
		fail("%s: holds no pictures: files of .jpg, .jpeg or .png", name);
	for (int k = 0; k < d->inputs; k++)
		d->makes[k] = true;
}

/* The file as a stream. A pipe or a device among the pictures is none. */
static FILE *
images_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	FILE *file;

	if (fd < 0 || fstat(fd, &st))
		picture_fail("%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		picture_fail("%s: expected a file, found a folder, a device or a pipe", path);
	file = fdopen(fd, "rb");
	if (!file)
		picture_fail("%s: %s", path, strerror(errno));
	return file;
}

static void
images_decode(struct canvas *c)
{
	FILE *file = images_file(c->name);
	unsigned char magic[8] = { 0 };
	size_t n = fread(magic, 1, sizeof(magic), file);

	rewind(file);
	if (n == 0)
		picture_fail("%s: the file is empty", c->name);
	if (magic[0] == 0xff && magic[1] == 0xd8)
		jpeg_picture(c, file);
	else if (!memcmp(magic, "\x89PNG\r\n\x1a\n", 8))
		png_picture(c, file);
	else
		picture_fail("%s: is neither a JPEG nor a PNG picture", c->name);
	fclose(file);
}

static void
images_check_mask(const struct canvas *c, const struct input *in)
{
	for (int64_t i = 0; i < in->elements; i++)
		if (c->picture.at[i] >= (float)in->classes)
			picture_fail("%s: holds %.0f, expected a class from 0 to %d for %s", c->name, c->picture.at[i],
			    in->classes - 1, in->name);
}

static void
images_make(const struct data *d, int k, void *to, int64_t row, const struct sampling *s)
{
	const struct pictures *p = (const struct pictures *)d->own;
	const struct input *in = &d->input[k];
	struct canvas *c = &p->canvas[pictures_thread()];
	int64_t cell = p->cell[row * p->columns + k];
	char path[PATH_MAX];

	if (!picture_input(in) && in->elements == 1 && in->classes) {
		if (in->type == TYPE_U8)
			*(uint8_t *)to = (uint8_t)cell;
		else
			*(int32_t *)to = (int32_t)cell;
		return;
	}
	if (!picture_input(in) && !in->classes) {
		picture_shares(in, to, cell);
		return;
	}
	if (snprintf(path, sizeof(path), "%s%s", p->names.text[cell] == '/' ? "" : p->root, p->names.text + cell) >=
	    (int)sizeof(path))
		picture_fail("%s%s: the name is too long", p->root, p->names.text + cell);
	c->name = path;
	c->data = d;
	c->variation = &p->variation;
	c->mask = in->classes > 0;
	c->picture = picture_room(&p->variation, in, row, s);
	images_decode(c);
	if (c->mask)
		images_check_mask(c, in);
	picture_finish(d, &p->variation, k, to, &c->picture);
}

static void
images_finish(const struct data *d, void *const *to, int64_t batch, const struct sampling *s)
{
	variation_mix(&((const struct pictures *)d->own)->variation, d, to, batch, s);
}

const struct reader reader_images = { images_open, images_make, images_finish };
