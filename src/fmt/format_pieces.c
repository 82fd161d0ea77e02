/*
 * The pieces of a text: the parser's tokens without needless commas, the comments between them, and
 * what the author's line ends and blanks say about the layout. Comments are read from the source
 * between two tokens, since the scanner drops them; nothing else than comments, blanks and the
 * commas left out can stand there in a text without syntax errors.
 *
 * Widths are summed up here once. Every question of the layout ("does it fit?", "did the author
 * break it?") then takes constant time, and so formatting takes linear time.
 */
#include "fmt/format_impl.h"

#include <string.h>

#include "base/utf8.h"
#include "syntax/words.h"

#include "grammar/parser.h"

#define TAB	8

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\n';
}

static bool
is_opener(int kind)
{
	return kind == '(' || kind == '[' || kind == '{';
}

static bool
is_closer(int kind)
{
	return kind == ')' || kind == ']' || kind == '}';
}

/* May what ends with this kind be followed by a binary operator? */
static bool
ends_operand(int kind)
{
	switch (kind) {
	case TOK_NAME: case TOK_PATH: case TOK_NUM: case TOK_SIZE: case TOK_DURATION: case TOK_STR:
	case TOK_TRUE: case TOK_FALSE: case TOK_STAR: case ')': case ']':
		return true;
	}
	return false;
}

/* ---- between the tokens ---- */

/* Tabs count outside strings only: inside they are printed. */
int
fmt_source_column(const struct source *src, int at)
{
	const char *s = src->text + at, *end = s;
	bool string = false;
	int column = 0;
	uint32_t c;

	while (s > src->text && s[-1] != '\n')
		s--;
	while (s < end) {
		s += utf8_decode(s, (size_t)(end - s), &c, NULL);
		string ^= c == '"';
		column += c == '\t' && !string ? TAB - column % TAB : utf8_width(c);
	}
	return column;
}

/* Does the comment carry on the one before, which stands in the same column of the line above? */
static bool
carries_on(const struct layout *f, const struct remark_text *c, int newlines)
{
	const struct remark_text *above;

	if (c->trailing || newlines != 1 || f->comments.n == 0)
		return false;
	above = &f->comments.v[f->comments.n - 1];
	return (above->trailing || above->follows) && above->column == c->column;
}

/* Reads what stands between two tokens: comments, and how many line ends. */
static void
read_gap(struct layout *f, struct piece *p, int beg, int end)
{
	const char *text = f->src->text, *newline;
	int newlines = 0;

	p->comment = f->comments.n;
	for (; beg < end; beg++) {
		struct remark_text c = { .beg = beg };

		newlines += text[beg] == '\n';
		if (text[beg] != '#')
			continue;
		newline = memchr(text + beg, '\n', (size_t)(end - beg));
		c.end = newline ? (int)(newline - text) : end;
		beg = c.end - 1;
		while (c.end > c.beg && is_blank(text[c.end - 1]))
			c.end--;
		c.column = fmt_source_column(f->src, c.beg);
		c.trailing = newlines == 0 && f->pieces.n > 0;
		c.blank = newlines > 1;
		c.follows = f->comments.n > p->comment && carries_on(f, &c, newlines);
		vec_push(f->arena, &f->comments, c);
		newlines = 0;
	}
	p->ncomments = f->comments.n - p->comment;
	p->blank = newlines > 1;
	p->broken = newlines > 0;
}

/* ---- pieces ---- */

/* The columns of a token. Blanks between a number and its unit are printed as one. */
static int
width_of(const struct layout *f, const struct piece *p)
{
	const char *s = f->src->text + p->beg, *end = f->src->text + p->end;
	bool ascii = true;
	int width = 0;
	uint32_t c;

	if (p->kind == TOK_STR)
		for (const char *t = s; t < end; t++)
			ascii &= (unsigned char)*t < 0x80;
	if (p->kind == TOK_SIZE || p->kind == TOK_DURATION) {
		for (; s < end; s++)
			width += !is_blank(*s) || !is_blank(s[1]);
		return width;
	}
	if (ascii)
		return p->end - p->beg;
	while (s < end) {
		s += utf8_decode(s, (size_t)(end - s), &c, NULL);
		width += utf8_width(c);
	}
	return width;
}

/* Can a line not begin with it? Comments before it then stand behind it. */
static bool
is_glued(const struct layout *f, const struct piece *p)
{
	int before = f->pieces.n > 0 ? piece(f, f->pieces.n - 1)->kind : 0;

	switch (p->kind) {
	case ',': case '=': case ':': case '[': case '{':
		return true;
	case '(':
		return before == TOK_NAME;
	}
	return false;
}

/* What the cutting remembers of the pieces before. */
struct cut {
	struct layout *f;
	VEC(int) open;		/* brackets, ifs and thens that wait for their partner */
	bool declares;		/* in the names of an input or target */
	bool call;		/* what the last '=' followed was an argument's name */
	bool negative;		/* the last piece was a sign */
	int carried;		/* comments that move behind a piece no line begins with */
};

static void
match(struct cut *c, int i)
{
	struct piece *p = piece(c->f, i);
	int kind = p->kind, open = c->open.n > 0 ? c->open.v[c->open.n - 1] : -1;

	if ((is_closer(kind) || kind == TOK_THEN || kind == TOK_ELSE) && open >= 0) {
		piece(c->f, open)->match = i;
		c->open.n--;
	}
	if (is_opener(kind) || kind == TOK_IF || kind == TOK_THEN)
		vec_push(c->f->arena, &c->open, i);
}

/* Is the innermost bracket a square one? Its colons are those of ranges. */
static bool
in_index(const struct cut *c)
{
	return c->open.n > 0 && piece(c->f, c->open.v[c->open.n - 1])->kind == '[';
}

/* Is there a blank before a piece that follows another on its line? */
static bool
spaced(const struct cut *c, const struct piece *before, const struct piece *p, int next)
{
	if (before->kind == '(' || before->kind == '[' || (before->kind == ':' && in_index(c)))
		return false;
	switch (p->kind) {
	case ',': case ')': case ']': case '[':
		return false;
	case '(':
		if (before->kind == TOK_NAME)
			return false;
		break;
	case ':':
		return c->declares || before->kind == ',';
	case '=':
		return before->kind != TOK_ARG;
	case '/':
		return before->kind != TOK_NUM || next != TOK_NUM;
	case TOK_NUM:
		if (before->kind == '/' && !before->space)
			return false;
		break;
	}
	if (before->kind == '=')
		return !c->call;
	return !c->negative || p->kind == '-';
}

/* Where the author's line ends are kept: before these, and behind commas. */
static bool
keeps_break(const struct piece *p, int before)
{
	return before == ',' || p->may_break || p->kind == TOK_ARROW || p->kind == TOK_THEN ||
	    p->kind == TOK_ELSE;
}

static void
add(struct cut *c, struct piece p, int next)
{
	struct layout *f = c->f;
	const struct piece *before = f->pieces.n > 0 ? piece(f, f->pieces.n - 1) : NULL;
	int kind = before ? before->kind : 0;
	bool binary = ends_operand(kind);

	p.may_break = p.kind == TOK_AND || p.kind == TOK_OR ||
	    ((p.kind == '+' || p.kind == '-') && binary);
	p.space = before && spaced(c, before, &p, next);
	p.wide = !p.broken && before && p.beg - before->end > 1;
	p.broken &= keeps_break(&p, kind);
	p.at = before ? before->to + p.space : 0;
	p.to = p.at + width_of(f, &p);
	p.breaks = (before ? before->breaks : 0) + (p.broken || p.ncomments > 0);
	if (p.kind != TOK_NAME && p.kind != ',')
		c->declares = p.kind == TOK_INPUT || p.kind == TOK_TARGET;
	if (p.kind == '=')
		c->call = kind == TOK_ARG;
	c->negative = p.kind == '-' && !binary;
	vec_push(f->arena, &f->pieces, p);
	match(c, f->pieces.n - 1);
}

/* Is the comma needed? One before a closer is, where it makes a tuple of a single value. */
static bool
comma_stays(const struct cut *c, const struct token *next)
{
	const struct layout *f = c->f;
	int open, i;

	if (!is_closer(next->kind) || c->open.n == 0)
		return true;
	open = c->open.v[c->open.n - 1];
	if (piece(f, open)->kind != '(' || (open > 0 && piece(f, open - 1)->kind == TOK_NAME))
		return false;
	for (i = open + 1; i < f->pieces.n; i = fmt_next(f, i))
		if (piece(f, i)->kind == ',')
			return false;
	return true;
}

void
fmt_cut(struct layout *f, const struct tape *tape)
{
	struct cut c = { .f = f };
	int i, end = 0, n = tape->all.n;

	if (f->src->size >= 3 && memcmp(f->src->text, "\xef\xbb\xbf", 3) == 0)
		end = 3;
	f->pieces.cap = n;
	f->pieces.v = arena_array(f->arena, (size_t)n, sizeof(*f->pieces.v));
	for (i = 0; i < n; i++) {
		const struct token *t = &tape->all.v[i];
		int next = i + 1 < n ? tape->all.v[i + 1].kind : 0;
		struct piece p = { .kind = t->kind, .beg = t->loc.beg, .end = t->loc.end };

		if (t->kind == ',' && i + 1 < n && !comma_stays(&c, &tape->all.v[i + 1]))
			continue;
		read_gap(f, &p, end, p.beg);
		p.comment -= c.carried;
		p.ncomments += c.carried;
		c.carried = 0;
		if (is_glued(f, &p)) {
			c.carried = p.ncomments;
			p.ncomments = 0;
			p.broken = p.blank = false;
		}
		add(&c, p, next);
		end = p.end;
	}
}
