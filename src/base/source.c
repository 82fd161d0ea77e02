/* Source text: reading files, and turning byte offsets into lines and columns. */
#include "base/source.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vec.h"

#define LARGEST_SOURCE	((size_t)1 << 30)

/* Of a text that stays where it is, with a NUL behind it. */
static struct source *
source_of(struct arena *a, const char *path, const char *text, size_t size)
{
	struct source *s = ARENA_NEW(a, struct source);
	VEC(int) starts = { 0 };
	const char *line = text, *end = text + size;

	s->path = arena_strdup(a, path);
	s->text = text;
	s->size = (int)size;
	vec_push(a, &starts, 0);
	while (line < end && (line = memchr(line, '\n', (size_t)(end - line))))
		vec_push(a, &starts, (int)(++line - text));
	s->line_start = starts.v;
	s->lines = starts.n;
	return s;
}

struct source *
source_from_text(struct arena *a, const char *path, const char *text, size_t size)
{
	return source_of(a, path, arena_strndup(a, text, size), size);
}

/* Bytes to begin with: a file's size and one more, so that the read finds its end; a default for
 * what has no size. */
static size_t
first_room(FILE *f)
{
	struct stat st;

	if (fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    (uintmax_t)st.st_size > LARGEST_SOURCE)
		return (size_t)64 << 10;
	return (size_t)st.st_size + 1;
}

struct source *
source_read(struct arena *a, const char *path, const char **why)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	struct source *s = NULL;
	size_t size = 0, cap, got;
	char *text;

	*why = NULL;
	if (!f) {
		*why = strerror(errno);
		return NULL;
	}
	cap = first_room(f);
	text = arena_alloc(a, cap);
	while ((got = fread(text + size, 1, cap - size, f)) > 0) {
		size += got;
		if (size > LARGEST_SOURCE) {
			*why = "larger than 1 GiB";
			goto out;
		}
		if (size == cap) {
			text = arena_grow(a, text, cap, cap * 2);
			cap *= 2;
		}
	}
	if (ferror(f)) {
		*why = strerror(errno);
		goto out;
	}
	s = source_of(a, f == stdin ? "<stdin>" : path, text, size);
out:
	if (f != stdin)
		fclose(f);
	return s;
}

int
loc_line(struct loc l)
{
	int lo = 0, hi, mid;

	if (!l.src)
		return 0;
	for (hi = l.src->lines; hi - lo > 1;) {
		mid = lo + (hi - lo) / 2;
		if (l.src->line_start[mid] <= l.beg)
			lo = mid;
		else
			hi = mid;
	}
	return lo + 1;
}

int
loc_column(struct loc l)
{
	return l.src ? l.beg - l.src->line_start[loc_line(l) - 1] + 1 : 0;
}

int
loc_column_chars(struct loc l)
{
	int i, n = 1;

	if (!l.src)
		return 0;
	for (i = l.src->line_start[loc_line(l) - 1]; i < l.beg; i++)
		n += ((unsigned char)l.src->text[i] & 0xc0) != 0x80;
	return n;
}

const char *
source_line(const struct source *s, int line, int *length)
{
	int beg = s->line_start[line - 1];
	int end = line < s->lines ? s->line_start[line] - 1 : s->size;

	if (end > beg && s->text[end - 1] == '\r')
		end--;
	*length = end - beg;
	return s->text + beg;
}
