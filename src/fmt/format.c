/*
 * Formatting a spec. The parser reports syntax errors and says what each token is; the layout is made
 * from the tokens and the source between them, so that comments and the author's spelling survive:
 *
 *	format_pieces.c	tokens and the comments between them, with their widths
 *	format.c	items, statements and settings, one a line; what lines up over several
 *	format_value.c	a value, broken where it is longer than the line
 *	format_lines.c	lines, and the comments at their ends
 *
 * Adjacent statements of a kind, with neither empty lines nor comments between them, are a run:
 *
 *	input  image : f32[1, 28, 28]		keywords and names are padded to the longest
 *	target digit : class[10]
 *
 *	stem   = image -> conv(64, 7)		so are the defined names, and the first stages of
 *	layer1 = stem  -> basic(64)		pipelines if the author wrote more than one blank
 *
 * Formatting twice changes nothing the second time, for two reasons. Every line break that the
 * formatter makes is one that it keeps when it finds it, so the next run has nothing to decide there.
 * And a decision may depend on the author's text only through what the layout preserves: kept breaks,
 * whether an arrow has several blanks before it, whether lines begin left of the value, a comment's
 * column. A new token needs its place in spaced(), ends_operand() and, if lines may be broken
 * before it, keeps_break(); then run tests/fuzz/fuzz_fmt.c.
 *
 * Time and memory are linear in the text.
 */
#include "fmt/format.h"

#include <string.h>

#include "fmt/format_impl.h"
#include "syntax/words.h"

#include "grammar/parser.h"

#define BYTES_A_TOKEN	4	/* of usual texts: room that is made at once */
#define UNEVEN	16	/* words whose lengths differ by more are not lined up */

enum shape { SHAPE_DEF, SHAPE_HANGING, SHAPE_DECL, SHAPE_RESULT, SHAPE_SETTING };

struct statement {
	enum shape shape;
	int beg, end;		/* pieces */
	int name;		/* the one whose width is lined up: a name, a keyword, a key */
	int arrow;		/* DEF: the first arrow, or end; DECL: the colon, or end */
	bool apart;		/* an empty line or a comment is before it */
};

struct statements {
	VEC(struct statement) all;
};

static int
width_of(const struct layout *f, int i)
{
	return (int)fmt_width(f, i, i + 1);
}

/* ---- the statements between braces ---- */

static bool
begins_statement(const struct layout *f, int i)
{
	switch (piece(f, i)->kind) {
	case TOK_DEF: case TOK_INPUT: case TOK_TARGET: case TOK_LOSS: case TOK_METRIC: case TOK_KEY:
		return true;
	}
	return false;
}

/* Is there nothing but a line end between the statement at I and the one before? */
static bool
is_apart(const struct layout *f, int i)
{
	const struct piece *p = piece(f, i);
	int k;

	for (k = p->comment; k < p->comment + p->ncomments; k++)
		if (!f->comments.v[k].trailing && !f->comments.v[k].follows)
			return true;
	return p->blank;
}

static struct statement
statement(const struct layout *f, int beg, int end, bool settings)
{
	struct statement s = { .beg = beg, .end = end, .name = beg, .apart = is_apart(f, beg) };

	switch (piece(f, beg)->kind) {
	case TOK_PARAM:
	case TOK_DEF:
		s.name += piece(f, beg)->kind == TOK_PARAM;
		s.shape = SHAPE_DEF;
		s.arrow = fmt_find(f, s.name + 2, end, TOK_ARROW);
		if (piece(f, s.name + 2)->kind == TOK_IF)
			s.arrow = end;
		if (s.arrow < end && (piece(f, s.arrow)->broken || fmt_hard(f, s.arrow)))
			s.shape = SHAPE_HANGING;
		break;
	case TOK_INPUT:
	case TOK_TARGET:
		s.shape = SHAPE_DECL;
		s.arrow = fmt_find(f, beg, end, ':');
		break;
	default:
		s.shape = settings ? SHAPE_SETTING : SHAPE_RESULT;
	}
	return s;
}

/* "on 0", which says where what stands before it is: one line with that. */
static bool
goes_on(const struct layout *f, int i)
{
	const struct piece *p = piece(f, i);

	return p->kind == TOK_KEY && p->end - p->beg == 2 && strncmp(f->src->text + p->beg, "on", 2) == 0;
}

static void
gather(const struct layout *f, struct statements *list, int i, int end, bool settings)
{
	int next;

	for (; i < end; i = next) {
		next = fmt_next(f, i);
		while (next < end && (!begins_statement(f, next) || (settings && goes_on(f, next))))
			next = fmt_next(f, next);
		vec_push(f->arena, &list->all, statement(f, i, next, settings));
	}
}

/* ---- what lines up ---- */

/* The widest and the narrowest of a run. */
struct span {
	int64_t most, least;
};

static void
span_add(struct span *s, int64_t width)
{
	if (width > s->most)
		s->most = width;
	if (width < s->least || s->least == 0)
		s->least = width;
}

/* Where the statement's value begins, and whether it then takes one line. */
static bool
is_single(const struct layout *f, const struct statement *s, int64_t *column)
{
	*column = f->indent + fmt_width(f, s->beg, s->name + 1) + piece(f, s->name + 1)->pad + 3;
	return s->arrow < s->end && fmt_flat(f, s->name + 1, s->end) &&
	    !fmt_hard(f, s->name + 2) &&
	    fmt_fits(f, *column, s->name + 2, s->end, 0);
}

/* Lines up the first arrows of definitions [I, J), each of one line, if the author did. */
static void
align_arrows(struct layout *f, const struct statement *s, int i, int j)
{
	struct span heads = { 0, 0 };
	bool wanted = false, fits = true;
	int64_t column, head;
	int k;

	for (k = i; k < j; k++) {
		wanted |= piece(f, s[k].arrow)->wide;
		span_add(&heads, fmt_width(f, s[k].name + 2, s[k].arrow));
	}
	for (k = i; k < j && wanted; k++) {
		head = fmt_width(f, s[k].name + 2, s[k].arrow);
		is_single(f, &s[k], &column);
		fits &= fmt_fits(f, column + heads.most - head, s[k].name + 2, s[k].end, 0);
	}
	for (k = i; k < j && wanted && fits; k++)
		piece(f, s[k].arrow)->pad = (int)(heads.most -
		    fmt_width(f, s[k].name + 2, s[k].arrow));
}

static void
align_definitions(struct layout *f, const struct statement *s, int i, int j)
{
	struct span names = { 0, 0 };
	int64_t column;
	int k, from;

	for (k = i; k < j; k++)
		span_add(&names, width_of(f, s[k].name));
	for (k = i; k < j; k++)
		piece(f, s[k].name + 1)->pad = (int)names.most - width_of(f, s[k].name);
	for (k = from = i; k <= j; k++) {
		if (k < j && is_single(f, &s[k], &column))
			continue;
		align_arrows(f, s, from, k);
		from = k + 1;
	}
}

static void
align_keywords(struct layout *f, const struct statement *s, int i, int j)
{
	struct span words = { 0, 0 }, names = { 0, 0 };
	int k;

	for (k = i; k < j; k++) {
		span_add(&words, width_of(f, s[k].name));
		if (s[k].shape == SHAPE_DECL && s[k].arrow < s[k].end)
			span_add(&names, fmt_width(f, s[k].beg + 1, s[k].arrow));
	}
	for (k = i; k < j && words.most - words.least <= UNEVEN; k++)
		piece(f, s[k].name + 1)->pad = (int)words.most - width_of(f, s[k].name);
	for (k = i; k < j && names.most - names.least <= UNEVEN; k++)
		if (s[k].shape == SHAPE_DECL && s[k].arrow < s[k].end)
			piece(f, s[k].arrow)->pad = (int)(names.most -
			    fmt_width(f, s[k].beg + 1, s[k].arrow));
}

/* The end of the run that begins with the I-th statement; all settings of a section are one. */
static int
run_end(const struct layout *f, const struct statements *list, int i)
{
	const struct statement *s = list->all.v;
	struct span names = { 0, 0 };
	enum shape shape = s[i].shape;
	int k;

	for (k = i; k < list->all.n && s[k].shape == shape; k++) {
		if (k > i && s[k].apart && shape != SHAPE_SETTING)
			break;
		span_add(&names, width_of(f, s[k].name));
		if (shape == SHAPE_DEF && names.most - names.least > UNEVEN)
			break;
	}
	return k;
}

static void
align(struct layout *f, const struct statements *list)
{
	const struct statement *s = list->all.v;
	int i, j;

	for (i = 0; i < list->all.n; i = j) {
		j = run_end(f, list, i);
		if (s[i].shape == SHAPE_DEF)
			align_definitions(f, s, i, j);
		else if (s[i].shape != SHAPE_HANGING)
			align_keywords(f, s, i, j);
	}
}

/* ---- statements ---- */

static void
put_statement(struct layout *f, const struct statement *s)
{
	int value = s->name + 1, at = f->indent + 2 * INDENT;

	fmt_put_flat(f, s->beg, value, at);
	switch (s->shape) {
	case SHAPE_DECL:
		fmt_place(f, value, false, at);
		fmt_list(f, value, s->arrow, f->column, 0);
		if (s->arrow == s->end)
			return;
		fmt_put(f, s->arrow, at);
		value = s->arrow + 1;
		break;
	case SHAPE_SETTING:
		fmt_place(f, value, false, at);
		fmt_list(f, value, s->end, f->column <= FARTHEST ? f->column : at, 0);
		return;
	case SHAPE_DEF:
	case SHAPE_HANGING:
		fmt_put(f, value++, at);
		break;
	case SHAPE_RESULT:
		break;
	}
	fmt_value(f, value, s->end, at, f->indent + INDENT, 0);
}

/* ---- items ---- */

struct item {			/* with braces */
	int beg, open, close;	/* pieces */
	bool section;
	struct statements body;
};

static void
read_item(const struct layout *f, struct item *t, int i)
{
	t->beg = i;
	t->section = word_is_section(piece(f, i)->kind);
	t->open = i;
	while (piece(f, t->open)->kind != '{')
		t->open = fmt_next(f, t->open);
	t->close = piece(f, t->open)->match;
	t->body.all.n = 0;
	gather(f, &t->body, t->open + 1, t->close, t->section);
}

/* The columns of the whole item on one line, where it was on one and may stay there, or holds
 * nothing; else 0. */
static int64_t
one_line(const struct layout *f, const struct item *t)
{
	int64_t width = fmt_width(f, t->beg, t->close + 1);
	int end = piece(f, t->close)->beg, n = t->body.all.n;

	if (n == 0 ? !fmt_flat(f, t->beg, t->close + 1) : memchr(f->src->text +
	    piece(f, t->beg)->beg, '\n', (size_t)(end - piece(f, t->beg)->beg)) != NULL)
		return 0;
	if (t->section && n > 1)
		width += n - 1;		/* two blanks between settings */
	if ((!t->section && n > 1) || width > LINE_WIDTH)
		return 0;
	return width;
}

static void
put_one_line(struct layout *f, const struct item *t)
{
	int k;

	for (k = 1; k < t->body.all.n; k++)
		piece(f, t->body.all.v[k].beg)->pad = 1;
	fmt_put_flat(f, t->beg, t->close + 1, 0);
}

/* Sections of one line that follow each other line up their braces. Returns the first piece behind
 * them. */
static int
align_sections(struct layout *f, int i)
{
	struct item t = { 0 };
	struct span heads = { 0, 0 };
	int64_t width, most = 0, head;
	int k, end;

	for (k = i; word_is_section(piece(f, k)->kind) && (k == i || !is_apart(f, k));
	    k = t.close + 1) {
		read_item(f, &t, k);
		if (!(width = one_line(f, &t)))
			break;
		head = fmt_width(f, k, t.open);
		span_add(&heads, head);
		if (width - head > most)
			most = width - head;
	}
	end = k;
	if (heads.most - heads.least > UNEVEN || heads.most + most > LINE_WIDTH)
		return end;
	for (k = i; k < end; k = piece(f, t.open)->match + 1) {
		t.open = fmt_find(f, k, end, '{');
		piece(f, t.open)->pad = (int)(heads.most - fmt_width(f, k, t.open));
	}
	return end;
}

static void
put_head(struct layout *f, const struct item *t)
{
	int i = t->beg, next;

	for (; i < t->open; i = next) {
		next = fmt_next(f, i);
		if (piece(f, i)->kind == '(')
			fmt_value(f, i, next, 2 * INDENT, -1, 2);
		else
			fmt_put(f, i, 2 * INDENT);
	}
	fmt_put(f, t->open, 2 * INDENT);
}

static void
put_item(struct layout *f, struct item *t)
{
	int k;

	if (one_line(f, t)) {
		put_one_line(f, t);
		return;
	}
	put_head(f, t);
	f->indent = INDENT;
	align(f, &t->body);
	for (k = 0; k < t->body.all.n; k++) {
		fmt_place_statement(f, t->body.all.v[k].beg, INDENT, k == 0);
		put_statement(f, &t->body.all.v[k]);
	}
	f->indent = 0;
	if (t->body.all.n > 0 || fmt_hard(f, t->close))
		fmt_place_statement(f, t->close, 0, k == 0);
	else
		f->placed = t->close;
	fmt_put(f, t->close, 0);
}

/* ---- the file ---- */

/* The end of the use or param at I. */
static int
line_end(const struct layout *f, int i)
{
	for (i = fmt_next(f, i); piece(f, i)->kind && !word_is_item(piece(f, i)->kind);)
		i = fmt_next(f, i);
	return i;
}

static bool
is_param(const struct layout *f, int i)
{
	return piece(f, i)->kind == TOK_PARAM;
}

/* The params from I on that are a run; returns the first piece behind them. */
static int
put_params(struct layout *f, int i, bool first)
{
	struct statements run = { 0 };
	int k;

	do {
		int end = line_end(f, i);

		vec_push(f->arena, &run.all, statement(f, i, end, false));
		i = end;
	} while (is_param(f, i));
	align(f, &run);
	for (k = 0; k < run.all.n; k++) {
		fmt_place_statement(f, run.all.v[k].beg, 0, first && k == 0);
		put_statement(f, &run.all.v[k]);
	}
	return i;
}

static void
put_file(struct layout *f)
{
	struct item t = { 0 };
	int i, end, sections = 0;
	bool first = true;

	for (i = 0; piece(f, i)->kind; i = end, first = false) {
		if (is_param(f, i)) {
			end = put_params(f, i, first);
			continue;
		}
		if (word_is_section(piece(f, i)->kind) && i >= sections)
			sections = align_sections(f, i);
		fmt_place_statement(f, i, 0, first);
		if (piece(f, i)->kind == TOK_USE) {
			end = line_end(f, i);
			fmt_put_flat(f, i, end, INDENT);
			continue;
		}
		read_item(f, &t, i);
		put_item(f, &t);
		end = t.close + 1;
	}
	fmt_place_statement(f, i, 0, first);
}

struct source *
fmt_source(struct arena *a, struct diags *d, const struct source *src)
{
	struct tape tape = { .all = { NULL, 0, 0 } };
	struct layout f = { .arena = a, .src = src };

	tape.all.cap = src->size / BYTES_A_TOKEN + 1;
	tape.all.v = arena_array(a, (size_t)tape.all.cap, sizeof(*tape.all.v));
	parse_tape(a, d, src, &tape);
	if (d->errors > 0)
		return NULL;
	fmt_cut(&f, &tape);
	fmt_begin(&f);
	put_file(&f);
	return fmt_finish(&f);
}
