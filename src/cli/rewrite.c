/* Writing an edited text back, unless the file has changed meanwhile. */
#include "cli/rewrite.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/replace.h"

static bool
failed(const char *path, const char *why)
{
	print_error("%s: %s; the file is as it was", path, why);
	return false;
}

/* Is it unchanged since it was read? */
static bool
is_as_read(struct arena *a, const struct source *old, const char *path)
{
	const char *why;
	struct source *now = source_read_below(a, "/", path, &why);

	return now && now->size == old->size &&
	    memcmp(now->text, old->text, (size_t)old->size) == 0;
}

/* Writes NEW to PATH; OLD is what is there, NULL: nothing. */
static bool
replace(struct arena *a, const char *path, const struct source *old, const struct source *new)
{
	struct replacement r;

	if (!replace_begin(&r, path))
		return failed(new->path, errno == EACCES ? "it is read-only" : strerror(errno));
	if (!replace_write(&r, new->text, (size_t)new->size)) {
		replace_abandon(&r);
		return failed(new->path, strerror(errno));
	}
	if (old ? !is_as_read(a, old, r.path) : access(r.path, F_OK) == 0) {
		replace_abandon(&r);
		return failed(new->path, "it was changed meanwhile");
	}
	return replace_finish(&r) || failed(new->path, strerror(errno));
}

bool
rewrite_file(struct arena *a, const struct source *old, const struct source *new)
{
	struct stat st;

	if (stat(old->path, &st) != 0)
		return failed(old->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return failed(old->path, "not a regular file");
	return replace(a, old->path, old, new);
}

bool
rewrite_new(struct arena *a, const struct source *new)
{
	return replace(a, new->path, NULL, new);
}

bool
rewrite_through(void)
{
	char buf[1 << 14];
	size_t n;

	while ((n = fread(buf, 1, sizeof(buf), stdin)) > 0)
		fwrite(buf, 1, n, stdout);
	if (!ferror(stdin))
		return true;
	print_error("standard input: %s", strerror(errno));
	return false;
}
