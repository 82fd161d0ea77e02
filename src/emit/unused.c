/*
 * unused: leaves out of a program the definitions that nothing in it speaks of. A file of kernels/
 * serves many networks; of pool/maxpool.cu a network needs half. What is left is what
 * main() and the library's calls lead to, by name: a definition is wanted if a wanted one has its
 * name among its words, or the lines of the preprocessor do. Comments and literals are no words.
 *
 * The text is taken apart as the files of kernels/ are written: a definition begins at the left
 * edge and ends with a line that begins with a closing brace, or with a semicolon; the comment
 * right above is its own. What cannot be understood so stays, and so do enumerations and type
 * names.
 */
#include <ctype.h>
#include <string.h>

#include "base/vec.h"
#include "emit/program.h"

enum kind {
	DEFINITION,
	DIRECTIVE,	/* of the preprocessor, except #define */
	HEADER,		/* a comment that opens a file or a part of the program */
	SECTION		/* one that opens a part of a file */
};

struct piece {
	enum kind kind;
	const char *at, *code, *end;	/* CODE: after its comment */
	const char *name;		/* NULL: it stays */
	size_t length;
	int same;			/* the next with the same place in the table, or -1 */
	bool wanted;
};

struct pieces {
	VEC(struct piece) all;
	int *first;			/* by hash of the name */
	size_t mask;
	VEC(int) todo;
};

/* ---- words ---- */

static bool
is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool
is_the(const char *s, size_t n, const char *what)
{
	return strlen(what) == n && !strncmp(s, what, n);
}

static bool
begins(const char *s, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - s) >= n && !strncmp(s, with, n);
}

/* The place behind the comment or literal at P; P if there is none. */
static const char *
behind(const char *p, const char *end)
{
	const char *close;

	if (begins(p, end, "/*")) {
		for (close = p + 2; close + 1 < end && (close[0] != '*' || close[1] != '/'); close++)
			;
		return close + 1 < end ? close + 2 : end;
	}
	if (*p != '"' && *p != '\'')
		return p;
	for (close = p + 1; close < end && *close != *p && *close != '\n'; close++)
		if (*close == '\\')
			close++;
	return close < end ? close + 1 : end;
}

/* The next word from *P on; *P is then behind it. NULL at the end. */
static const char *
next_word(const char **p, const char *end, size_t *n)
{
	const char *word = *p, *skipped;

	while (word < end) {
		if ((skipped = behind(word, end)) != word) {
			word = skipped;
			continue;
		}
		for (*n = 0; word + *n < end && is_letter(word[*n]);)
			++*n;
		*p = word + *n;
		if (*n && !isdigit((unsigned char)*word))
			return word;
		word += *n ? *n : 1;
	}
	return NULL;
}

/* ---- pieces ---- */

/* The end of a line, with those that it continues in: by a backslash, or in a comment. */
static const char *
line_end(const char *p, const char *end)
{
	while (p < end && *p != '\n') {
		const char *skipped = behind(p, end);

		p = skipped != p ? skipped : p + (*p == '\\' && p + 1 < end ? 2 : 1);
	}
	return p < end ? p + 1 : end;
}

/* The last character of a line that is no blank and in no comment. */
static char
last_character(const char *p, const char *end)
{
	char last = 0;

	while (p < end) {
		const char *skipped = behind(p, end);

		if (skipped == p && !isspace((unsigned char)*p))
			last = *p;
		p = skipped != p ? skipped : p + 1;
	}
	return last;
}

/* The end of the definition that begins at P. *WHOLE: it is one, and all of it; a macro's call, say, is
 * none, and ends with its paragraph. */
static const char *
definition_end(const char *p, const char *end, bool *whole)
{
	bool open = false, ends = false;
	int depth = 0;

	while (p < end && !ends) {
		const char *next = line_end(p, end);
		char last = last_character(p, next);

		depth += begins(p, end, "#if") - begins(p, end, "#endif");
		if (open || *p == '}')
			ends = *p == '}';
		else
			ends = last == ';' || last == '}' || begins(p, end, "extern \"C\" {");
		open |= last == '{';
		p = next;
		if (!open && !ends && p < end && (*p == '\n' || *p == '#'))
			break;
	}
	*whole = ends && !depth;
	return p;
}

/* Behind the bracket that closes the one at P. */
static const char *
closed(const char *p, const char *end, char open, char close)
{
	int depth = 0;

	for (; p < end; p++) {
		depth += (*p == open) - (*p == close);
		if (!depth)
			return p + 1;
	}
	return end;
}

static void
give_name(struct piece *k, const char *name, size_t n)
{
	if (name && !is_the(name, n, "main") && !begins(name, name + n, "stowage_")) {
		k->name = name;
		k->length = n;
	}
}

static bool
is_attribute(const char *word, size_t n)
{
	return is_the(word, n, "alignas") || is_the(word, n, "__attribute__") ||
	    is_the(word, n, "__launch_bounds__");
}

/* What a definition defines: the word before its arguments, its length, its value or, of a structure,
 * its members. */
static void
find_name(struct piece *k)
{
	const char *p = k->code, *name = NULL, *word;
	bool structure = false;
	size_t n = 0, length;

	while (p < k->end && !strchr("=;{[", *p)) {
		if (behind(p, k->end) != p) {
			p = behind(p, k->end);
		} else if (*p == '(' && name && is_attribute(name, n)) {
			p = closed(p, k->end, '(', ')');
		} else if (*p == '<') {
			p = closed(p, k->end, '<', '>');
		} else if (*p == '(') {
			break;
		} else if (is_letter(*p)) {
			name = word = next_word(&p, k->end, &n);
			if (!word || is_the(word, n, "enum") || is_the(word, n, "typedef") ||
			    is_the(word, n, "extern") || is_the(word, n, "operator"))
				return;
			structure |= is_the(word, n, "struct") || is_the(word, n, "union");
		} else if (isspace((unsigned char)*p) || *p == '*' || *p == '&') {
			p++;
		} else {
			return;
		}
	}
	if (p >= k->end || (*p == '{' && !structure))
		return;
	if (*p == '(' && (p[1] == '*' || is_the(name ? name : "", n, "KERNEL"))) {
		p++;
		name = next_word(&p, k->end, &length);
		n = name ? length : 0;
	}
	if (*p == '{' && k->end - k->code > 4 && k->end[-3] != '}')	/* a variable of that structure */
		return;
	give_name(k, name, n);
}

static void
find_macro(struct piece *k)
{
	const char *p = k->code + strlen("#define");
	size_t n;
	const char *name = next_word(&p, k->end, &n);

	give_name(k, name, n);
}

/* Does a comment open a file: "name.cu - what it is"? */
static bool
opens_file(const char *p, const char *end)
{
	const char *dash;

	if (!begins(p, end, "/*\n * "))
		return begins(p, end, "/* ====");
	p += strlen("/*\n * ");
	dash = p + strcspn(p, " \n");
	return begins(dash, end, " - ") && memchr(p, '.', (size_t)(dash - p));
}

/* The piece at P; NULL at the end of the text. */
static const char *
read_piece(struct arena *a, struct pieces *s, const char *p, const char *end)
{
	struct piece k = { .kind = DEFINITION, .same = -1 };
	bool whole = true;

	while (p < end && isspace((unsigned char)*p))
		p++;
	if (p == end)
		return NULL;
	k.at = k.code = p;
	if (begins(p, end, "/*")) {
		k.code = line_end(p, end);
		if (opens_file(p, end) || k.code == end || *k.code == '\n') {
			k.kind = begins(p, end, "/* ----") ? SECTION : HEADER;
			k.end = k.code;
			vec_push(a, &s->all, k);
			return k.end;
		}
	}
	if (*k.code == '#') {
		k.end = line_end(k.code, end);
		if (begins(k.code, end, "#define"))
			find_macro(&k);
		else
			k.kind = DIRECTIVE;
	} else {
		k.end = definition_end(k.code, end, &whole);
		if (whole)
			find_name(&k);
	}
	vec_push(a, &s->all, k);
	return k.end;
}

/* ---- what is wanted ---- */

static size_t
hash(const char *name, size_t n)
{
	size_t h = 5381;

	while (n-- > 0)
		h = h * 33 + (unsigned char)*name++;
	return h;
}

static void
make_table(struct arena *a, struct pieces *s)
{
	size_t size = 16;
	int i;

	while (size < 2 * (size_t)s->all.n)
		size *= 2;
	s->mask = size - 1;
	s->first = arena_array(a, size, sizeof(*s->first));
	memset(s->first, -1, size * sizeof(*s->first));
	for (i = 0; i < s->all.n; i++) {
		struct piece *k = &s->all.v[i];
		int *first = &s->first[hash(k->name ? k->name : "", k->length) & s->mask];

		if (!k->name)
			continue;
		k->same = *first;
		*first = i;
	}
}

static void
want(struct arena *a, struct pieces *s, int i)
{
	if (s->all.v[i].wanted)
		return;
	s->all.v[i].wanted = true;
	vec_push(a, &s->todo, i);
}

static void
want_what_is_named(struct arena *a, struct pieces *s, const struct piece *k)
{
	const char *p = k->code, *end = k->end, *word;
	size_t n;
	int i;

	while ((word = next_word(&p, end, &n)))
		for (i = s->first[hash(word, n) & s->mask]; i >= 0; i = s->all.v[i].same)
			if (s->all.v[i].length == n && !strncmp(s->all.v[i].name, word, n))
				want(a, s, i);
}

static void
find_wanted(struct arena *a, struct pieces *s)
{
	int i;

	for (i = 0; i < s->all.n; i++)
		if (!s->all.v[i].name && s->all.v[i].kind <= DIRECTIVE)
			want(a, s, i);
	while (s->todo.n > 0)
		want_what_is_named(a, s, &s->all.v[s->todo.v[--s->todo.n]]);
}

/* ---- comments and conditionals around nothing ---- */

/* A comment that opens a file is wanted unless all that it opened is gone; one that opens a part of a
 * file, if there is anything. */
static void
find_wanted_comments(struct pieces *s, enum kind kind)
{
	bool kept = false, gone = false;
	int i;

	for (i = s->all.n - 1; i >= 0; i--) {
		struct piece *k = &s->all.v[i];

		if (k->kind <= DIRECTIVE) {
			kept |= k->wanted && k->kind == DEFINITION;
			gone |= !k->wanted;
		} else if (k->kind == kind) {
			k->wanted = kept || (kind == HEADER && !gone) ||
			    begins(k->at, k->end, "/* ====");
		}
		if (k->kind == HEADER || k->kind == kind)
			kept = gone = false;
	}
}

static void
drop_empty_conditionals(struct pieces *s)
{
	struct { int at, content, gone; } open[16];
	int content = 0, gone = 0, depth = 0, i, j;

	for (i = 0; i < s->all.n; i++) {
		struct piece *k = &s->all.v[i];

		gone += !k->wanted;
		content += k->wanted && (k->kind != DIRECTIVE || !begins(k->code, k->end, "#e"));
		if (k->kind != DIRECTIVE)
			continue;
		if (begins(k->code, k->end, "#if") && depth < 16) {
			open[depth].at = i;
			open[depth].content = content--;
			open[depth++].gone = gone;
		} else if (begins(k->code, k->end, "#endif") && depth > 0) {
			depth--;
			if (content < open[depth].content && gone > open[depth].gone)
				for (j = open[depth].at; j <= i; j++)
					s->all.v[j].wanted = false;
		}
	}
}

void
emit_wanted(struct arena *a, const struct text *from, struct text *to)
{
	struct arena *own = arena_child(a);
	const char *p = from->s, *end = from->s + from->n;
	struct pieces s = { .mask = 0 };
	bool blank = false;
	int i;

	while ((p = read_piece(own, &s, p, end)))
		;
	p = from->s;
	make_table(own, &s);
	find_wanted(own, &s);
	find_wanted_comments(&s, SECTION);
	find_wanted_comments(&s, HEADER);
	drop_empty_conditionals(&s);
	for (i = 0; i < s.all.n; i++) {
		struct piece *k = &s.all.v[i];

		blank |= k->at > p;
		p = k->end;
		if (!k->wanted)
			continue;
		if (blank)
			text_puts(to, "\n");
		text_add(to, k->at, (size_t)(k->end - k->at));
		blank = false;
	}
	arena_free(own);
}
