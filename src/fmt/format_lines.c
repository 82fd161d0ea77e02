/*
 * The lines of a formatted text. Comments at the ends of lines are kept apart until the end, since
 * their column depends on lines that come later: those in adjacent lines that began in one column
 * stay in one column, which is the author's unless the code reaches over it.
 */
#include "fmt/format_impl.h"

#include <string.h>

#include "base/utf8.h"

#include "grammar/parser.h"

#define APART	2	/* blanks between code and comment, at least */

static struct fmt_line *
current(struct layout *f)
{
	return &f->lines.v[f->lines.n - 1];
}

static void
end_line(struct layout *f)
{
	current(f)->end = f->out.n;
	current(f)->width = f->column;
}

static void
put_blanks(struct layout *f, int n)
{
	static const char blanks[] = "                                ";

	f->column += n;
	for (; n > 0; n -= (int)sizeof(blanks) - 1)
		text_add(&f->out, blanks, n < (int)sizeof(blanks) ? (size_t)n : sizeof(blanks) - 1);
}

void
fmt_begin(struct layout *f)
{
	text_init(&f->out, f->arena);
	vec_push(f->arena, &f->lines, ((struct fmt_line){ .comment = -1 }));
	f->placed = -1;
}

static void
new_line(struct layout *f)
{
	end_line(f);
	vec_push(f->arena, &f->lines, ((struct fmt_line){ .beg = f->out.n, .comment = -1 }));
	f->column = 0;
}

/* Has anything been written? */
static bool
begun(const struct layout *f)
{
	return f->lines.n > 1 || f->out.n > 0;
}

/* Ends the line, unless it is the empty first one; the next begins at that column. */
static void
newline(struct layout *f, int column)
{
	if (begun(f))
		new_line(f);
	put_blanks(f, column);
}

/* A comment on its own line, or at the end of the one being written: there only if it is the first
 * before its piece, for else that line is a comment. */
static void
put_comment(struct layout *f, int i, bool first, int column)
{
	const struct remark_text *c = &f->comments.v[i];
	const char *s = f->src->text + c->beg, *end = f->src->text + c->end;
	uint32_t ch;

	if (c->trailing && first) {
		current(f)->comment = i;
		return;
	}
	if (c->follows && current(f)->comment == i - 1) {
		newline(f, 0);
		current(f)->comment = i;
		return;
	}
	newline(f, column);
	text_add(&f->out, s, (size_t)(end - s));
	while (s < end) {
		s += utf8_decode(s, (size_t)(end - s), &ch, NULL);
		f->column += utf8_width(ch);
	}
}

/* The comments before a piece. An empty line before the first may stay if FIRST, before the others
 * if OTHERS. */
static void
put_comments(struct layout *f, int i, int column, bool first, bool others)
{
	const struct piece *p = piece(f, i);
	bool blank = first;
	int k;

	for (k = p->comment; k < p->comment + p->ncomments; k++) {
		if (f->comments.v[k].blank && blank && begun(f))
			new_line(f);
		put_comment(f, k, k == p->comment, column);
		blank = others;
	}
}

void
fmt_place(struct layout *f, int i, bool line, int column)
{
	const struct piece *p = piece(f, i);

	if (f->placed == i)
		return;
	f->placed = i;
	put_comments(f, i, column, false, false);
	if (p->ncomments > 0 || line)
		newline(f, column);
	else
		put_blanks(f, p->space + p->pad);
}

void
fmt_place_statement(struct layout *f, int i, int column, bool first)
{
	const struct piece *p = piece(f, i);
	bool alone = p->ncomments > 0 && !f->comments.v[p->comment + p->ncomments - 1].trailing;

	f->placed = i;
	put_comments(f, i, p->kind == '}' ? column + INDENT : column, !first, true);
	if (!p->kind)
		return;
	if (p->blank && (!first || alone) && p->kind != '}' && begun(f))
		new_line(f);
	newline(f, column);
}

void
fmt_put(struct layout *f, int i, int column)
{
	const struct piece *p = piece(f, i);
	const char *s = f->src->text + p->beg;
	int k, n = p->end - p->beg;

	fmt_place(f, i, false, column);
	if (p->kind == TOK_SIZE || p->kind == TOK_DURATION) {
		for (k = 0; k < n; k++)		/* one blank of several */
			if (s[k] > ' ')
				text_add(&f->out, s + k, 1);
			else if (s[k + 1] > ' ')
				text_add(&f->out, " ", 1);
	} else {
		text_add(&f->out, s, (size_t)n);
	}
	f->column += (int)(p->to - p->at);
}

void
fmt_put_flat(struct layout *f, int i, int j, int column)
{
	for (; i < j; i++)
		fmt_put(f, i, column);
}

/* ---- the text ---- */

static int
comment_width(const struct layout *f, const struct remark_text *c)
{
	const char *s = f->src->text + c->beg, *end = f->src->text + c->end;
	int width = 0;
	uint32_t ch;

	while (s < end) {
		s += utf8_decode(s, (size_t)(end - s), &ch, NULL);
		width += utf8_width(ch);
	}
	return width;
}

/* The column of the comments that end lines [I, J): the author's, if they then end in time and the
 * code does not reach over it. */
static int
comment_column(const struct layout *f, int i, int j)
{
	int column = f->comments.v[f->lines.v[i].comment].column, code = 0, room;

	for (; i < j; i++) {
		const struct fmt_line *l = &f->lines.v[i];
		const struct remark_text *c = &f->comments.v[l->comment];

		if (c->follows)
			continue;
		if (l->width + APART > code)
			code = l->width + APART;
		room = LINE_WIDTH - comment_width(f, c);
		if (column > room)
			column = room;
	}
	return column > code ? column : code;
}

static void
add_line(struct text *t, const struct layout *f, const struct fmt_line *l, int column)
{
	const struct remark_text *c;
	int k;

	text_add(t, f->out.s + l->beg, l->end - l->beg);
	if (l->comment >= 0) {
		c = &f->comments.v[l->comment];
		for (k = l->width; k < column; k++)
			text_add(t, " ", 1);
		text_add(t, f->src->text + c->beg, (size_t)(c->end - c->beg));
	}
	text_add(t, "\n", 1);
}

struct source *
fmt_finish(struct layout *f)
{
	struct text t;
	int i, j, column;

	end_line(f);
	text_init(&t, f->arena);
	for (i = 0; i < f->lines.n && begun(f); i = j) {
		const struct fmt_line *l = f->lines.v;

		for (j = i + 1; l[i].comment >= 0 && j < f->lines.n && l[j].comment >= 0 &&
		    f->comments.v[l[j].comment].column == f->comments.v[l[i].comment].column; j++)
			;
		column = l[i].comment >= 0 ? comment_column(f, i, j) : 0;
		for (; i < j; i++)
			add_line(&t, f, &l[i], column);
	}
	return source_from_text(f->arena, f->src->path, t.s ? t.s : "", t.n);
}
