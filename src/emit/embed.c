/*
 * The files of kernels/, put into the program once each: an #include of another of them is replaced
 * by its text, or dropped when that is there already.
 */
#include <string.h>

#include "emit/program.h"

int
emit_embedded_count(void)
{
	int n = 0;

	while (embedded_table[n].name)
		n++;
	return n;
}

static int
find(const char *name, size_t length)
{
	int i;

	for (i = 0; embedded_table[i].name; i++)
		if (!strncmp(embedded_table[i].name, name, length) && !embedded_table[i].name[length])
			return i;
	return -1;
}

/* Which file does this line include, as seen from file FROM? -1: none of ours. */
static int
included(const char *line, const char *from)
{
	char path[256];
	const char *slash = strrchr(from, '/');
	size_t n;
	int k;

	if (strncmp(line, "#include \"", 10))
		return -1;
	line += 10;
	n = strcspn(line, "\"\n");
	if (slash && (size_t)(slash - from) + 1 + n < sizeof(path)) {
		snprintf(path, sizeof(path), "%.*s/%.*s", (int)(slash - from), from, (int)n, line);
		k = find(path, strlen(path));
		if (k >= 0)
			return k;
	}
	return find(line, n);
}

static void
put(struct emitter *e, int file, bool *done)
{
	const char *line = embedded_table[file].text, *next;

	done[file] = true;
	for (; *line; line = next) {
		int other = included(line, embedded_table[file].name);

		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (other < 0)
			text_add(e->out, line, (size_t)(next - line));
		else if (!done[other])
			put(e, other, done);
	}
}

/* The file of that name, unless it is there already. DONE has an entry a file. */
void
emit_file(struct emitter *e, const char *name, bool *done)
{
	int k = find(name, strlen(name));

	if (k < 0 || done[k])
		return;
	text_puts(e->out, "\n");
	put(e, k, done);
}
