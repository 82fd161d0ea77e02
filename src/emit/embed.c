/*
 * The files of kernels/, put into the program once each: those that a file includes stand where it
 * does so, but before its description where that comes first. What its target and precision rule
 * out is left out (conditionals.c), and so are files of which only comments would remain.
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

static bool
is_code(int line)
{
	int kind = kernel_pieces[kernel_lines[line].piece].kind;

	return kind == PIECE_DEFINITION || kind == PIECE_DIRECTIVE;
}

/* Takes what has come together of a file, unless it is comments alone: those wait for code. */
static void
put_own(struct emitter *e, struct kept_lines *own)
{
	int i = 0;

	while (i < own->all.n && !is_code(own->all.v[i].number))
		i++;
	if (i == own->all.n)
		return;
	parts_lines(e->parts, own);
	own->all.n = 0;
}

static void
put(struct emitter *e, int file, bool *done)
{
	struct kept_line line = { .number = kernel_first_lines[file],
		.text = embedded_table[file].text };
	struct kept_lines own = { .all = { 0 } };
	struct conditionals *c = conditionals_new(e, &own);

	done[file] = true;
	for (; *line.text; line.text += line.n, line.number++) {
		int other = included(e, line.text, embedded_table[file].name);

		line.n = kernel_lines[line.number].length;
		if (other < 0) {
			conditionals_line(c, line);
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
