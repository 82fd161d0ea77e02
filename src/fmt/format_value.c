/*
 * The layout of values. What fits on its line and was not broken by the author stays whole. A
 * pipeline is broken before its arrows, a list behind its commas, a sum before its operators, a
 * choice before then and else. The author's breaks in these places are kept; others are made only
 * where what follows would not fit, as late as possible.
 *
 * Why formatting twice changes nothing: a break that is made is one that the next time is kept, in
 * the same place and so in the same column; and what is decided depends on nothing else than on
 * widths without breaks, on these columns, and on breaks that are kept.
 */
#include "fmt/format_impl.h"

#include "grammar/parser.h"

int
fmt_next(const struct layout *f, int i)
{
	int kind = piece(f, i)->kind;

	if ((kind == '(' || kind == '[' || kind == '{') && piece(f, i)->match > i)
		return piece(f, i)->match + 1;
	return i + 1;
}

int
fmt_find(const struct layout *f, int i, int j, int kind)
{
	while (i < j && piece(f, i)->kind != kind)
		i = fmt_next(f, i);
	return i < j ? i : j;
}

/* Lines that would begin too far to the right begin a step from the left. */
static int
bounded(const struct layout *f, int column)
{
	return column > FARTHEST ? f->indent + 2 * INDENT : column;
}

/* Should [I, J), which follows others on the line, begin a new one? */
static bool
breaks_before(const struct layout *f, int i, int j, int64_t trail)
{
	const struct piece *p = piece(f, i);

	if (p->broken || fmt_hard(f, i))
		return true;
	return fmt_flat(f, i, j) &&
	    !fmt_fits(f, f->column + p->space, i, j, trail);
}

/* ---- brackets and lists ---- */

void
fmt_list(struct layout *f, int i, int j, int column, int64_t trail)
{
	int beg, end;

	for (beg = i; beg < j; beg = end + 1) {
		end = fmt_find(f, beg, j, ',');
		if (beg > i)
			fmt_place(f, beg, breaks_before(f, beg, end, end < j ? 1 : trail),
			    column);
		if (beg + 1 < end && piece(f, beg + 1)->kind == '=') {
			fmt_put(f, beg, column);
			fmt_put(f, ++beg, column);
			beg++;
		}
		fmt_value(f, beg, end, column, -1, end < j ? 1 : trail);
		if (end < j)
			fmt_put(f, end, column);
	}
}

/* A bracket with all it holds. */
static void
bracketed(struct layout *f, int open, int column, int64_t trail)
{
	int close = piece(f, open)->match, inner;

	fmt_place(f, open, false, column);
	if (fmt_flat(f, open, close + 1) &&
	    fmt_fits(f, f->column, open, close + 1, trail)) {
		fmt_put_flat(f, open, close + 1, column);
		return;
	}
	fmt_put(f, open, column);
	inner = bounded(f, f->column);
	fmt_list(f, open + 1, close, inner, 1 + trail);
	fmt_put(f, close, inner - 1);
}

/* ---- sums ---- */

/* A part of a sum: nothing in it but brackets can be broken. */
static void
operand(struct layout *f, int i, int j, int column, int64_t trail)
{
	int next;

	for (; i < j; i = next) {
		int kind = piece(f, i)->kind;

		next = fmt_next(f, i);
		if (kind == '(' || kind == '[')
			bracketed(f, i, column, trail + fmt_width(f, next, j) +
			    (next < j && piece(f, next)->space));
		else
			fmt_put(f, i, column);
	}
}

static void
arm(struct layout *f, int i, int j, int column, int64_t trail)
{
	int beg, end;

	fmt_place(f, i, false, column);
	if (f->column <= FARTHEST)
		column = f->column;
	if (fmt_flat(f, i, j) && fmt_fits(f, f->column, i, j, trail)) {
		fmt_put_flat(f, i, j, column);
		return;
	}
	for (beg = i; beg < j; beg = end) {
		end = fmt_next(f, beg);
		while (end < j && !piece(f, end)->may_break)
			end = fmt_next(f, end);
		if (beg > i)
			fmt_place(f, beg, breaks_before(f, beg, end, end == j ? trail : 0),
			    column);
		operand(f, beg, end, column, end == j ? trail : 0);
	}
}

/* ---- pipelines ---- */

struct table {			/* of a pipeline's lines */
	int column;			/* where they begin */
	bool pad;			/* give the pieces their padding; else find the widths */
	int width[LINE_WIDTH];		/* of the widest of the cells that others follow */
	int cell;			/* of the line; -1 in a line that begins elsewhere */
	int last;			/* the width of the cell */
	int64_t at, padded;		/* where it ends, and where with padding */
};

/* The arrow P goes on in the line: widens the column of the cell before, or pads it. */
static void
next_cell(struct table *t, struct piece *p)
{
	t->at++;
	t->padded++;
	if (t->cell < 0)
		return;
	if (t->pad) {
		p->pad = t->width[t->cell] - t->last;
		t->padded += p->pad;
	} else if (t->last > t->width[t->cell]) {
		t->width[t->cell] = t->last;
	}
	t->cell++;
}

/* Goes through the pipeline [I, J) as pipe() will lay it out. False where there is no table, since
 * a cell is broken, or a line is too long; within one no cell's number reaches LINE_WIDTH. */
static bool
walk(const struct layout *f, struct table *t, int i, int j, int64_t trail)
{
	int arrow = fmt_find(f, i, j, TOK_ARROW), first = arrow, end;
	int64_t width, after;

	t->at = t->padded = f->column + fmt_width(f, i, arrow);
	if (!fmt_flat(f, i, arrow))
		return false;
	for (; arrow < j; arrow = end) {
		struct piece *p = piece(f, arrow);

		end = fmt_find(f, arrow + 1, j, TOK_ARROW);
		if (!fmt_flat(f, arrow, end))
			return false;
		width = fmt_width(f, arrow, end);
		after = end == j ? trail : 0;
		if (p->broken || p->ncomments > 0 ||
		    (arrow > first && t->at + 1 + width + after > LINE_WIDTH)) {
			t->at = t->padded = t->column;
			t->cell = 0;
		} else if (arrow == first) {
			t->padded = ++t->at;
			t->cell = t->at == t->column ? 0 : -1;
		} else {
			next_cell(t, p);
		}
		t->at += width;
		t->padded += width;
		if (t->padded + after > LINE_WIDTH)
			return false;
		t->last = (int)width;
	}
	return true;
}

/* Lines up the later arrows of a pipeline of several rows, where the author did: where there is an
 * arrow with several blanks before it. */
static void
line_up(struct layout *f, int i, int j, int column, int64_t trail)
{
	struct table t = { .column = column };
	bool wanted = false;
	int k;

	for (k = fmt_find(f, i, j, TOK_ARROW); k < j; k = fmt_find(f, k + 1, j, TOK_ARROW))
		wanted |= piece(f, k)->wide;
	if (!wanted || !walk(f, &t, i, j, trail))
		return;
	t.pad = true;
	if (!walk(f, &t, i, j, trail))
		for (k = i; k < j; k = fmt_next(f, k))
			piece(f, k)->pad = 0;
}

/* Did the author begin lines with arrows to the left of the value? */
static bool
hangs(const struct layout *f, int i, int j, int arrow)
{
	while (arrow < j && !piece(f, arrow)->broken && !fmt_hard(f, arrow))
		arrow = fmt_find(f, arrow + 1, j, TOK_ARROW);
	return arrow < j && fmt_source_column(f->src, piece(f, arrow)->beg) <
	    fmt_source_column(f->src, piece(f, i)->beg);
}

/* Where the pipeline's arrows begin lines: in the column of the first arrow, which is HEAD, unless
 * that one begins a line itself, or is too far to the right. */
static int
arrow_column(const struct layout *f, int start, int64_t head, bool first_broken, int hang)
{
	if (hang >= 0)
		return first_broken || head > FARTHEST_ARROW ? hang : (int)head;
	return bounded(f, first_broken ? start + INDENT : (int)head);
}

static void
pipe(struct layout *f, int i, int j, int column, int hang, int64_t trail)
{
	int arrow = fmt_find(f, i, j, TOK_ARROW), end, first = arrow, start = f->column;
	bool broken = piece(f, arrow)->broken || fmt_hard(f, arrow);
	bool left = broken || (hang >= 0 && hangs(f, i, j, arrow));

	line_up(f, i, j, arrow_column(f, start, start + fmt_width(f, i, arrow) + 1, left, hang),
	    trail);
	arm(f, i, arrow, column, 0);
	column = arrow_column(f, start, f->column + 1, left, hang);
	for (; arrow < j; arrow = end) {
		int64_t after;

		end = fmt_find(f, arrow + 1, j, TOK_ARROW);
		after = end == j ? trail : 0;
		fmt_place(f, arrow, arrow == first ? broken :
		    breaks_before(f, arrow, end, after), column);
		fmt_put(f, arrow, column);
		arm(f, arrow + 1, end, column + 3, after);
	}
}

/* ---- choices ---- */

static void
choice(struct layout *f, int i, int j, int64_t trail)
{
	int then = piece(f, i)->match, otherwise = piece(f, then)->match;
	int column = bounded(f, f->column);
	bool all = fmt_flat(f, i, j);

	fmt_put(f, i, column);
	fmt_value(f, i + 1, then, column + 3, -1, 0);
	fmt_place(f, then, all || breaks_before(f, then, otherwise, 0), column);
	fmt_put(f, then, column);
	fmt_value(f, then + 1, otherwise, column + 5, -1, 0);
	fmt_place(f, otherwise, all || breaks_before(f, otherwise, j, trail), column);
	fmt_put(f, otherwise, column);
	fmt_value(f, otherwise + 1, j, column + 5, -1, trail);
}

void
fmt_value(struct layout *f, int i, int j, int column, int hang, int64_t trail)
{
	if (i >= j)
		return;
	fmt_place(f, i, false, column);
	if (fmt_flat(f, i, j) && fmt_fits(f, f->column, i, j, trail))
		fmt_put_flat(f, i, j, column);
	else if (piece(f, i)->kind == TOK_IF)
		choice(f, i, j, trail);
	else if (fmt_find(f, i, j, TOK_ARROW) < j)
		pipe(f, i, j, column, hang, trail);
	else
		arm(f, i, j, column, trail);
}
