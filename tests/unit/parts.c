/*
 * Puts a program together for parts.test: parts PART... > program. A PART is the name of an
 * embedded file, all of whose lines are taken, or else own text.
 */
#include <stdio.h>
#include <string.h>

#include "emit/program.h"

static int
find(const char *name)
{
	int i;

	for (i = 0; embedded_table[i].name; i++)
		if (!strcmp(embedded_table[i].name, name))
			return i;
	return -1;
}

static void
put_file(struct arena *a, struct parts *p, int file)
{
	struct kept_line line = { .number = kernel_first_lines[file], .text = embedded_table[file].text };
	struct kept_lines lines = { .all = { 0 } };

	for (; *line.text; line.text += line.n, line.number++) {
		line.n = kernel_lines[line.number].length;
		vec_push(a, &lines.all, line);
	}
	parts_lines(p, &lines);
}

int
main(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct text own;
	struct parts *p = parts_new(a, &own);
	int i, file;

	text_init(&own, a);
	for (i = 1; i < argc; i++)
		if ((file = find(argv[i])) >= 0)
			put_file(a, p, file);
		else
			text_puts(&own, argv[i]);
	parts_write(p);
	fputs(own.s + (own.s[0] == '\n'), stdout);
	arena_free(a);
	return 0;
}
