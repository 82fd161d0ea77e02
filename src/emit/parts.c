/*
 * What a program is put together from, and what of it is wanted. Its parts are lines of kernels/,
 * which the tables of definitions.awk take apart, and the program's own text: tables and steps. A
 * file of kernels/ serves many networks; of pool/maxpool.cu a network needs half. A definition is
 * wanted if a wanted part uses its name, and what has no name always is: main(), most of the own
 * text, lines of the preprocessor.
 *
 * Only the own text is read here, for the words in it; which names a line of a kernel uses is in
 * the tables. A line that the preprocessor drops is not in the program (conditionals.c), and uses
 * nothing.
 */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/vec.h"
#include "emit/program.h"

struct part {
	enum piece_kind kind;
	int piece;		/* of kernels/; -1: own text */
	int name;		/* that it defines, or -1 */
	size_t from, end;	/* in the own text, or of lines */
	size_t code;		/* the line after the comment */
	int same;		/* the next part that defines that name, or -1 */
	bool blank;		/* comes after a blank line */
	bool wanted;
};

struct parts {
	struct arena *arena;
	struct text *own;	/* in the end the whole program */
	size_t taken;		/* so much of the own text is in parts */
	int own_name;		/* that its rest defines, or -1 */
	bool blank;		/* before what comes next */
	VEC(struct part) all;
	struct kept_lines lines;
	int *first;		/* by name: the first part that defines it, or -1 */
	bool *used;		/* by name */
	VEC(int) todo;		/* names whose parts are wanted, but not yet what those use */
	int *slot;		/* names by hash, or -1 */
	size_t mask;
};

/* ---- names ---- */

static size_t
hash(const char *name, size_t n)
{
	size_t h = 5381;

	while (n-- > 0)
		h = h * 33 + (unsigned char)*name++;
	return h;
}

/* The name's place in the table, or the empty one where it would be. */
static int *
slot(const struct parts *p, const char *name, size_t n)
{
	size_t i = hash(name, n);

	for (;; i++) {
		int *s = &p->slot[i & p->mask];

		if (*s < 0 || (!strncmp(kernel_names[*s], name, n) && !kernel_names[*s][n]))
			return s;
	}
}

struct parts *
parts_new(struct arena *a, struct text *own)
{
	struct parts *p = ARENA_NEW(a, struct parts);
	size_t names = (size_t)kernel_name_count, size = 16;
	int i;

	while (size < 2 * names)
		size *= 2;
	*p = (struct parts){ .arena = a, .own = own, .own_name = -1, .mask = size - 1,
		.first = arena_array(a, names, sizeof(*p->first)),
		.used = arena_array(a, names, sizeof(*p->used)),
		.slot = arena_array(a, size, sizeof(*p->slot)) };
	memset(p->first, -1, names * sizeof(*p->first));
	memset(p->slot, -1, size * sizeof(*p->slot));
	for (i = 0; i < kernel_name_count; i++)
		*slot(p, kernel_names[i], strlen(kernel_names[i])) = i;
	return p;
}

/* ---- parts ---- */

/* Takes what has been written of the own text as a part. */
static void
take_own(struct parts *p)
{
	struct part k = { .kind = PIECE_OWN, .piece = -1, .name = p->own_name, .from = p->taken,
		.end = p->own->n };

	for (; k.from < k.end && p->own->s[k.from] == '\n'; k.from++)
		p->blank = true;
	p->taken = k.end;
	k.blank = p->blank;
	if (k.from == k.end)
		return;
	vec_push(p->arena, &p->all, k);
	p->blank = false;
}

void
parts_own(struct parts *p, const char *name)
{
	take_own(p);
	p->own_name = name ? *slot(p, name, strlen(name)) : -1;
	assert(!name || p->own_name >= 0);
}

/* Another line: of the last part; or under a comment, which is then its own; or a new part. */
static void
take_line(struct parts *p, struct kept_line line, bool anew)
{
	int piece = kernel_lines[line.number].piece;
	struct part *last = anew ? NULL : &p->all.v[p->all.n - 1];
	struct part k = { .kind = kernel_pieces[piece].kind, .piece = piece,
		.name = kernel_pieces[piece].name, .from = (size_t)p->lines.all.n, .blank = p->blank };

	if (last && last->piece != piece && !p->blank &&
	    (last->kind == PIECE_COMMENT || last->kind == PIECE_SECTION)) {
		k.from = last->from;
		k.blank = last->blank;
		p->all.n--;
	}
	k.code = (size_t)p->lines.all.n;
	if (!last || last->piece != piece)
		vec_push(p->arena, &p->all, k);
	vec_push(p->arena, &p->lines.all, line);
	p->all.v[p->all.n - 1].end = (size_t)p->lines.all.n;
	p->blank = false;
}

void
parts_lines(struct parts *p, const struct kept_lines *lines)
{
	bool anew = true;
	int i;

	take_own(p);
	p->blank = true;
	for (i = 0; i < lines->all.n; i++) {
		struct kept_line line = lines->all.v[i];

		if (kernel_pieces[kernel_lines[line.number].piece].kind == PIECE_BLANK) {
			p->blank = true;
			continue;
		}
		take_line(p, line, anew);
		anew = false;
	}
	p->blank = true;
}

/* ---- words of the own text ---- */

static bool
is_in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The place behind the comment or literal at S; S if there is none. */
static const char *
behind(const char *s)
{
	const char *close;

	if (s[0] == '/' && s[1] == '*') {
		close = strstr(s + 2, "*/");
		return close ? close + 2 : s + strlen(s);
	}
	if (*s != '"' && *s != '\'')
		return s;
	for (close = s + 1; *close && *close != *s; close++)
		close += *close == '\\' && close[1];
	return close + (*close != '\0');
}

static void
use(struct parts *p, int name)
{
	if (p->used[name])
		return;
	p->used[name] = true;
	vec_push(p->arena, &p->todo, name);
}

static void
use_own(struct parts *p, const struct part *k)
{
	const char *s = p->own->s + k->from, *end = p->own->s + k->end;

	while (s < end) {
		const char *from = s;
		int name;

		while (s < end && is_in_name(*s))
			s++;
		if (s > from && !isdigit((unsigned char)*from) &&
		    (name = *slot(p, from, (size_t)(s - from))) >= 0)
			use(p, name);
		if (s == from)
			s = behind(s) > s ? behind(s) : s + 1;
	}
}

/* ---- what is wanted ---- */

static void
want(struct parts *p, struct part *k)
{
	size_t i;
	int u;

	k->wanted = true;
	if (k->piece < 0) {
		use_own(p, k);
		return;
	}
	for (i = k->code; i < k->end; i++) {
		const struct kernel_line *line = &kernel_lines[p->lines.all.v[i].number];

		for (u = line[0].uses; u < line[1].uses; u++)
			use(p, kernel_uses[u]);
	}
}

static void
find_wanted(struct parts *p)
{
	int i;

	for (i = 0; i < p->all.n; i++) {
		struct part *k = &p->all.v[i];

		if (k->name >= 0) {
			k->same = p->first[k->name];
			p->first[k->name] = i;
		} else if (k->kind == PIECE_DEFINITION || k->kind == PIECE_DIRECTIVE ||
		    k->kind == PIECE_OWN) {
			want(p, k);
		}
	}
	while (p->todo.n > 0)
		for (i = p->first[p->todo.v[--p->todo.n]]; i >= 0; i = p->all.v[i].same)
			want(p, &p->all.v[i]);
}

/* ---- comments and conditionals around nothing ---- */

static bool
heads(const struct part *k)
{
	return k->kind == PIECE_OPENING || k->kind == PIECE_COMMENT || k->kind == PIECE_OWN;
}

/* A comment that opens a file is wanted unless all that it opened is gone; one that opens a part of
 * a file (OF_SECTIONS), if there is anything. */
static void
find_wanted_comments(struct parts *p, bool of_sections)
{
	bool kept = false, gone = false;
	int i;

	for (i = p->all.n - 1; i >= 0; i--) {
		struct part *k = &p->all.v[i];

		if (k->kind == PIECE_DEFINITION || k->kind == PIECE_DIRECTIVE) {
			kept |= k->wanted && k->kind == PIECE_DEFINITION;
			gone |= !k->wanted;
		} else if (of_sections ? k->kind == PIECE_SECTION : heads(k) && k->piece >= 0) {
			k->wanted = kept || (!of_sections && !gone);
		}
		if (heads(k) || (of_sections && k->kind == PIECE_SECTION))
			kept = gone = false;
	}
}

static bool
begins(const struct parts *p, const struct part *k, const char *with)
{
	return k->kind == PIECE_DIRECTIVE &&
	    !strncmp(p->lines.all.v[k->code].text, with, strlen(with));
}

#define DEEPEST	16

static void
drop_empty_conditionals(struct parts *p)
{
	struct { int at, content, gone; } open[DEEPEST];
	int content = 0, gone = 0, depth = 0, i, j;

	for (i = 0; i < p->all.n; i++) {
		struct part *k = &p->all.v[i];

		gone += !k->wanted;
		content += k->wanted && !begins(p, k, "#e");
		if (begins(p, k, "#if") && depth < DEEPEST) {
			open[depth].at = i;
			open[depth].content = content--;
			open[depth++].gone = gone;
		} else if (begins(p, k, "#endif") && depth > 0) {
			depth--;
			if (content < open[depth].content && gone > open[depth].gone)
				for (j = open[depth].at; j <= i; j++)
					p->all.v[j].wanted = false;
		}
	}
}

/* ---- the program ---- */

/* How much longer the program is than the own text, at most. */
static size_t
added_bytes(const struct parts *p)
{
	size_t n = (size_t)p->all.n, i;	/* with a blank line before each */
	const struct part *k;

	for (k = p->all.v; k < p->all.v + p->all.n; k++)
		for (i = k->from; k->wanted && k->piece >= 0 && i < k->end; i++)
			n += p->lines.all.v[i].n;
	return n;
}

/* Writes the part at TO; OWN is where the own text lies, behind that. */
static char *
write_part(const struct parts *p, const struct part *k, char *to, const char *own)
{
	size_t i;

	if (k->piece < 0) {
		memmove(to, own + k->from, k->end - k->from);
		return to + (k->end - k->from);
	}
	for (i = k->from; i < k->end; i++) {
		memcpy(to, p->lines.all.v[i].text, p->lines.all.v[i].n);
		to += p->lines.all.v[i].n;
	}
	return to;
}

/* The own text is most of the program, so that moves to its end, from where its parts go to their
 * places. */
void
parts_write(struct parts *p)
{
	struct text *t = p->own;
	bool blank = false;
	size_t more;
	char *to;
	int i;

	take_own(p);
	find_wanted(p);
	find_wanted_comments(p, true);
	find_wanted_comments(p, false);
	drop_empty_conditionals(p);
	more = added_bytes(p);
	text_open(t, 0, more);
	to = t->s;
	for (i = 0; i < p->all.n; i++) {
		const struct part *k = &p->all.v[i];

		blank |= k->blank;
		if (!k->wanted)
			continue;
		if (blank)
			*to++ = '\n';
		to = write_part(p, k, to, t->s + more);
		blank = false;
	}
	*to = '\0';
	t->n = (size_t)(to - t->s);
}
