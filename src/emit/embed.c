/*
 * The files of kernels/, put into the program once each: those that a file includes stand where it
 * does so, but before its description where that comes first. What the program does not need is
 * left out (conditionals.c), and so are files of which only comments would remain.
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
included(const struct emitter *e, const char *line, const char *from)
{
	static const char of_precision[] = "#include ELEMENT\n";
	const char *element = e->module->set.precision->element->element;
	const char *slash = strrchr(from, '/');
	char path[256];
	size_t n;
	int k;

	if (element && !strncmp(line, of_precision, strlen(of_precision)))
		return find(element, strlen(element));
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

/* Is there anything but comments? */
static bool
has_code(const char *s)
{
	const char *end;

	for (;; s = end + 2) {
		s += strspn(s, " \t\n");
		end = strncmp(s, "/*", 2) ? NULL : strstr(s + 2, "*/");
		if (!end)
			return *s != '\0';
	}
}

/* Writes what has come together of a file, unless it is comments alone: those wait for code. */
static void
put_own(struct emitter *e, struct text *own)
{
	if (!has_code(own->s))
		return;
	text_puts(e->out, "\n");
	text_add(e->out, own->s, own->n);
	text_init(own, e->module->arena);
}

static void
put(struct emitter *e, int file, bool *done)
{
	const char *line = embedded_table[file].text, *next;
	struct conditionals *c;
	struct text own;

	done[file] = true;
	text_init(&own, e->module->arena);
	c = conditionals_new(e, &own);
	for (; *line; line = next) {
		int other = included(e, line, embedded_table[file].name);

		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (other < 0) {
			conditionals_line(c, line, (size_t)(next - line));
		} else if (conditionals_keep(c) && !done[other]) {
			put_own(e, &own);
			put(e, other, done);
		}
	}
	put_own(e, &own);
}

/* The file of that name, unless it is there already. DONE has an entry a file. */
void
emit_file(struct emitter *e, const char *name, bool *done)
{
	int k = find(name, strlen(name));

	if (k >= 0 && !done[k])
		put(e, k, done);
}
