/*
 * picture_file.c - a picture out of a file, JPEG or PNG by its first bytes, onto a canvas; one for
 * each thread.
 */
#include <strings.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include "picture_jpeg.c"
#include "picture_png.c"

/* "FOLDER/": of the files that a list names. */
static char *
picture_root(const char *path, bool folder)
{
	const char *slash = folder ? path + strlen(path) : strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	char *root = (char *)data_alloc(n + 1, path);

	memcpy(root, path, n);
	strcpy(root + n, slash ? "/" : "");
	return root;
}

/* ROOT and NAME, of a file. */
static void
picture_path(char path[PATH_MAX], const char *root, const char *name)
{
	if (snprintf(path, PATH_MAX, "%s%s", *name == '/' ? "" : root, name) >= PATH_MAX)
		picture_fail("%s%s: the name is too long", root, name);
}

static struct canvas *
canvas_each(void)
{
	struct canvas *c;

#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1);	/* not 64 MiB of addresses for each thread */
#endif
	c = (struct canvas *)data_alloc((uint64_t)pictures_threads() * sizeof(*c), "pictures");
	memset(c, 0, (size_t)pictures_threads() * sizeof(*c));
	return c;
}

/* The file as a stream. A pipe or a device among the pictures is none. */
static FILE *
picture_stream(const char *path)
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
picture_decode(struct canvas *c)
{
	FILE *file = picture_stream(c->name);
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
