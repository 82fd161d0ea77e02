/*
 * What the parts of the formatter share: the pieces of a text (format_pieces.c), the layout of
 * values (format_value.c) and of statements (format.c), and the lines that come of it
 * (format_lines.c). Private to them.
 */
#ifndef STOWAGE_FMT_FORMAT_IMPL_H
#define STOWAGE_FMT_FORMAT_IMPL_H

#include "base/text.h"
#include "base/vec.h"
#include "syntax/parse.h"

#define LINE_WIDTH	100	/* columns of a line, where it can be broken at all */
#define INDENT		2
#define FARTHEST	64	/* column beyond which continuation lines begin again at the left */
#define FARTHEST_ARROW	40	/* the same for arrows that begin lines */

/* A token as it is printed. Columns are those of a text that is all on one line, so the width of
 * any range is a difference. */
struct piece {
	int kind;
	int beg, end;		/* of the source */
	int match;		/* a bracket's partner; of if its then, of then its else; or 0 */
	int comment, ncomments;	/* those that stand before it, in layout.comments */
	int breaks;		/* lines broken by the author, up to and at this one */
	int pad;		/* blanks beyond the usual before it, so that columns line up */
	int64_t at, to;		/* its columns */
	bool space;		/* a blank before it, where the line goes on */
	bool broken;		/* the author broke the line before it, where that is kept */
	bool wide;		/* the author left several blanks before it */
	bool blank;		/* an empty line before it */
	bool may_break;		/* an operator that may begin a line */
};

struct remark_text {		/* a comment */
	int beg, end;
	int column;		/* where it stands in the source */
	bool trailing;		/* behind something on its line */
	bool follows;		/* alone on its line, but carries on the trailing one above */
	bool blank;		/* an empty line before it */
};

struct fmt_line {
	size_t beg, end;	/* in layout.out, without the newline */
	int width;
	int comment;		/* at its end, or -1 */
};

struct layout {
	struct arena *arena;
	const struct source *src;
	VEC(struct piece) pieces;
	VEC(struct remark_text) comments;

	struct text out;		/* the lines, without trailing comments and newlines */
	VEC(struct fmt_line) lines;	/* the last one is being written */
	int column;			/* where the next piece goes */
	int indent;			/* of the statement */
	int placed;			/* the piece whose place has been made */
};

/* Cuts the source into pieces. */
void	fmt_cut(struct layout *, const struct tape *);

/* The column of a place of the source. */
int	fmt_source_column(const struct source *, int at);

static inline struct piece *
piece(const struct layout *f, int i)
{
	return &f->pieces.v[i];
}

/* The columns of pieces [I, J) on one line. */
static inline int64_t
fmt_width(const struct layout *f, int i, int j)
{
	return j > i ? piece(f, j - 1)->to - piece(f, i)->at : 0;
}

/* Nothing in [I, J) breaks the line; what is before I does not count. */
static inline bool
fmt_flat(const struct layout *f, int i, int j)
{
	return j <= i || piece(f, j - 1)->breaks == piece(f, i)->breaks;
}

/* [I, J) and TRAIL columns more fit on a line from a column on. */
static inline bool
fmt_fits(const struct layout *f, int64_t column, int i, int j, int64_t trail)
{
	return column + fmt_width(f, i, j) + trail <= LINE_WIDTH;
}

/* Is there a comment before it, so that it begins a line? */
static inline bool
fmt_hard(const struct layout *f, int i)
{
	return piece(f, i)->ncomments > 0;
}

/* ---- lines ---- */

void	fmt_begin(struct layout *);
/* Makes the place of a piece: its comments, and a new line at COLUMN where it begins one; else the
 * blanks before it. */
void	fmt_place(struct layout *, int i, bool line, int column);
/* The same for the first of a statement, which begins a line, and before which an empty line may
 * stay. FIRST: the statement is the first in its braces. */
void	fmt_place_statement(struct layout *, int i, int column, bool first);
/* Writes a piece; makes its place first where that has not been done. */
void	fmt_put(struct layout *, int i, int column);
/* Writes [I, J) on the line. */
void	fmt_put_flat(struct layout *, int i, int j, int column);
struct source	*fmt_finish(struct layout *);

/* ---- values ---- */

/* The value [I, J); TRAIL columns follow it on its last line. COLUMN: where a line begins if it
 * must before I. HANG: where arrows begin lines that the author began to the left of the value; -1
 * where that is not asked. */
void	fmt_value(struct layout *, int i, int j, int column, int hang, int64_t trail);
/* Values between commas, continued at that column. */
void	fmt_list(struct layout *, int i, int j, int column, int64_t trail);
/* The piece after the one at I, a bracket counting with all it holds. */
int	fmt_next(const struct layout *, int i);
/* The first piece of that kind in [I, J), outside brackets in there; J if there is none. */
int	fmt_find(const struct layout *, int i, int j, int kind);

#endif
