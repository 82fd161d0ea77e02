/* Files that come with Stowage (std/), found by the name by which a spec uses them. */
#include "lang/library.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct embedded *
find(const char *path)
{
	const struct embedded *e = library_table;

	while (e->name && strcmp(e->name, path) != 0)
		e++;
	return e->name ? e : NULL;
}

struct source *
library_source(struct arena *a, const char *path)
{
	const struct embedded *e = find(path);
	struct source *s;

	if (!e)
		return NULL;
	s = source_from_text(a, path, e->text, strlen(e->text));
	s->shipped = true;
	return s;
}

struct source *
library_in_place_of(struct arena *a, const char *path, const char *file)
{
	if (!find(path) || access(file, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR))
		return NULL;
	return library_source(a, path);
}

const char *
library_path(int i)
{
	return library_table[i].name;
}

const struct file *
library_file(struct arena *a, int i)
{
	struct source *src = library_table[i].name ? library_source(a, library_path(i)) : NULL;
	struct diags quiet;

	diags_init(&quiet, a);
	return src ? parse_file(a, &quiet, src) : NULL;
}

void
library_blocks(struct arena *a, struct map *blocks)
{
	const struct file *f;
	int i, k;

	for (i = 0; (f = library_file(a, i)); i++)
		for (k = 0; k < f->blocks.n; k++)
			if (!map_get(blocks, f->blocks.v[k]->name.text))
				map_put(a, blocks, f->blocks.v[k]->name.text, f->blocks.v[k]);
}

/* Compared as it is read: it may be anything, of any length. */
static bool
holds_the_same(FILE *f, const char *text)
{
	int c;

	while ((c = getc(f)) != EOF && c == (unsigned char)*text)
		text++;
	return c == EOF && *text == '\0' && !ferror(f);
}

bool
library_installed(const char *path, char *file, size_t room)
{
	const struct embedded *e = find(path);
	bool same;
	FILE *f;

	if (!e || (size_t)snprintf(file, room, "%s/%s", STD_FOLDER,
	    e->name + strlen(LIBRARY_FOLDER)) >= room ||
	    !(f = fopen(file, "r")))
		return false;
	same = holds_the_same(f, e->text);
	fclose(f);
	return same;
}

void
library_suggest(struct diags *d, struct diag *g, const char *path)
{
	const char *near = text_nearest_of(path, library_path);
	struct text list;
	int i;

	text_init(&list, d->arena);
	for (i = 0; library_path(i); i++)
		text_printf(&list, "%s%s", i ? ", " : "", library_path(i));
	if (near)
		diag_help(d, g, "did you mean \"%s\"?", near);
	diag_help(d, g, "Stowage comes with %s; other files are looked for beside the one that says `use`",
	    list.s);
}

/* Lines of comment from FIRST to END, without their marks. */
static const char *
without_marks(struct arena *a, const struct source *src, int first, int end)
{
	struct text t;

	text_init(&t, a);
	while (first < end) {
		int n = (int)strcspn(src->text + first, "\n"), skip = 1 + (src->text[first + 1] == ' ');

		text_printf(&t, "%.*s\n", n > skip ? n - skip : 0, src->text + first + skip);
		first += n + 1;
	}
	return t.s ? t.s : "";
}

const char *
library_about(struct arena *a, const char *path)
{
	const struct source *src = library_source(a, path);
	int end = 0;

	while (src && src->text[end] == '#')
		end += (int)strcspn(src->text + end, "\n") + 1;
	return src ? without_marks(a, src, 0, end) : "";
}

static void
put_inputs(struct text *t, const struct block *b)
{
	int n = 0, i, k;

	for (i = 0; i < b->nstmts; i++)
		for (k = 0; b->stmt[i].kind == S_INPUT && k < b->stmt[i].nnames; k++)
			text_printf(t, "%s%s", n++ ? ", " : "(", b->stmt[i].name[k].text);
	text_puts(t, n ? ") -> " : "x -> ");
}

void
library_usage(struct text *t, const struct block *b)
{
	const char *s = b->name.loc.src->text + b->name.loc.beg, *end = strchr(s, '{');

	put_inputs(t, b);
	for (; *s && s < end; s++) {	/* as it stands there, on one line */
		bool blank = *s == ' ' || *s == '\n';

		if (!blank)
			text_add(t, s, 1);
		else if (s + 1 < end && s[1] != ' ' && s[1] != '\n')
			text_puts(t, " ");
	}
}

/* The line before the one that begins at AT; -1: there is none. */
static int
line_before(const struct source *src, int at)
{
	if (at <= 0)
		return -1;
	for (at--; at > 0 && src->text[at - 1] != '\n'; at--)
		;
	return at;
}

const char *
library_comment(struct arena *a, struct loc definition)
{
	const struct source *src = definition.src;
	int own = src->line_start[loc_line(definition) - 1], at = own, first = own;

	while ((at = line_before(src, at)) >= 0 && src->text[at] == '#')
		first = at;
	return without_marks(a, src, first, own);
}
