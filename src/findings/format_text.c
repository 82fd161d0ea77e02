/*
 * text: for people. The GNU line, the source under it with the place underlined, then facts, other
 * places and help:
 *
 *     net.nn:9:8: warning: message [rule]
 *       9 |     -> AggConv2: local(1, (1, 1))
 *         |        ^^^^^^^^
 *         = fact
 *         help: cure
 *         fix: what --fix does
 *
 * The excerpt is laid out in cells first, one per character, each with the columns it takes on a
 * terminal: tabs become blanks, wide characters take two, hidden ones are spelled out. Carets are
 * placed by cells, so they stay under what they refer to. A line too long for the screen is shown
 * through a window around the place.
 */
#include "findings/report.h"

#include <string.h>

#include "base/utf8.h"

#define WINDOW	96	/* columns of source shown */
#define BEFORE	32	/* of them before the place, when the line is cut */
#define TAB	8
#define NEAR	512	/* bytes of a line on either side of the place that are looked at */

static const struct {
	const char *severity[3], *bold, *gutter, *help, *off;
} ansi = {
	{ [SEV_NOTE] = "\033[1;36m", [SEV_WARNING] = "\033[1;35m", [SEV_ERROR] = "\033[1;31m" },
	"\033[1m", "\033[34m", "\033[1;32m", "\033[0m",
};

static void
paint(const struct report *r, const char *code)
{
	if (r->colour)
		fputs(code, r->out);
}

static int
digits(int n)
{
	int d = 1;

	while (n >= 10) {
		n /= 10;
		d++;
	}
	return d;
}

/* One character of a source line as shown: its bytes, or a spelling of them, and its columns; or
 * some characters of a byte and a column each. */
struct text_cell {
	const char *s;
	int bytes, columns;
	char spelled[12];
};

static int
cell_at(const char *line, int length, int at, int column, struct text_cell *c)
{
	uint32_t u;
	int good, took;

	c->s = line + at;
	c->bytes = c->columns = (int)utf8_plain(line + at, (size_t)(length - at));
	if (c->bytes > 0)
		return c->bytes;
	took = (int)utf8_decode(line + at, (size_t)(length - at), &u, &good);
	c->bytes = took;
	c->columns = utf8_width(u);
	if (u == '\t' && good) {
		c->columns = TAB - column % TAB;
		c->bytes = c->columns;
		memset(c->spelled, ' ', TAB);
		c->s = c->spelled;
	} else if (!good) {
		c->s = "\xef\xbf\xbd";
		c->bytes = 3;
		c->columns = 1;
	} else if (utf8_hidden(u)) {
		c->columns = c->bytes = snprintf(c->spelled, sizeof(c->spelled), "<%02X>",
		    (unsigned)u);
		c->s = c->spelled;
	}
	return took;
}

/* The column that byte TO of a line is in, where byte AT is in COLUMN. */
static int
column_of(const char *line, int to, int at, int column)
{
	struct text_cell c;

	while (at < to) {
		at += cell_at(line, to, at, column, &c);
		column += c.columns;
	}
	return column;
}

static void
blanks(FILE *f, int n)
{
	if (n > 0)
		fprintf(f, "%*s", n, "");
}

/* Prints the cells of a line that lie within columns [from, to); returns the column printed to. */
static int
print_window(FILE *f, const char *line, int length, int from, int to)
{
	struct text_cell c;
	int at, column = 0, reached = from;

	for (at = 0; at < length && column < to;) {
		at += cell_at(line, length, at, column, &c);
		if (c.s == line + at - c.bytes && c.bytes == c.columns) {	/* of a column each */
			int beg = column < from ? from : column, end = column + c.columns;

			end = end < to ? end : to;
			if (beg < end) {
				blanks(f, beg - reached);
				fwrite(c.s + beg - column, 1, (size_t)(end - beg), f);
				reached = end;
			}
		} else if (column >= from && column + c.columns <= to) {
			blanks(f, column - reached);
			fwrite(c.s, 1, (size_t)c.bytes, f);
			reached = column + c.columns;
		}
		column += c.columns;
	}
	return reached;
}

static void
gutter(struct report *r, int width, const char *number)
{
	paint(r, ansi.gutter);
	fprintf(r->out, "  %*s |", width, number);
	paint(r, ansi.off);
}

/* The columns of a source line that are shown, [from, to), those underlined, [beg, end), and how
 * many the whole line has. */
struct view {
	int from, to, beg, end, total;
};

static struct view
view_of(const char *line, int length, int beg, int bytes)
{
	struct view v;

	if (beg > length)
		beg = length;
	if (bytes > length - beg)	/* a place that goes on: to the end of its first line */
		bytes = length - beg;
	v.beg = column_of(line, beg, 0, 0);
	v.end = column_of(line, beg + bytes, beg, v.beg);
	v.total = column_of(line, length, beg + bytes, v.end);
	v.from = v.total <= WINDOW || v.beg < WINDOW - BEFORE ? 0 : v.beg - BEFORE;
	v.to = v.total - v.from <= WINDOW ? v.total : v.from + WINDOW;
	if (v.end > v.to)
		v.end = v.to;
	if (v.end <= v.beg)
		v.end = v.beg + 1;
	return v;
}

static void
excerpt(struct report *r, struct loc l, const char *colour)
{
	int number = loc_line(l), width = digits(number), length, i;
	const char *line = source_line(l.src, number, &length);
	int beg = loc_column(l) - 1, cut = beg > NEAR ? beg - NEAR : 0;
	bool more = length - cut > 2 * NEAR;
	struct view v;
	char text[16];

	/* a line may be the whole file: what is far from the place is not even measured */
	while (cut > 0 && cut < length && ((unsigned char)line[cut] & 0xc0) == 0x80)
		cut++;
	line += cut;
	length = more ? 2 * NEAR : length - cut;
	v = view_of(line, length, beg - cut, l.end - l.beg);

	snprintf(text, sizeof(text), "%d", number);
	gutter(r, width, text);
	if (v.total > 0) {
		putc(' ', r->out);
		if (v.from > 0 || cut)
			fputs("...", r->out);
		print_window(r->out, line, length, v.from, v.to);
		if (v.to < v.total || more)
			fputs("...", r->out);
	}
	putc('\n', r->out);
	gutter(r, width, "");
	blanks(r->out, 1 + (v.from > 0 || cut ? 3 : 0) + v.beg - v.from);
	paint(r, colour);
	for (i = v.beg; i < v.end; i++)
		putc('^', r->out);
	paint(r, ansi.off);
	putc('\n', r->out);
}

static void
headline(struct report *r, const char *path, struct loc l, enum severity s, const char *message,
    const char *rule)
{
	paint(r, ansi.bold);
	report_text(r->out, l.src ? l.src->path : path);
	if (loc_has_line(l))
		fprintf(r->out, ":%d:%d", loc_line(l), loc_column(l));
	fputs(": ", r->out);
	report_node(r, l);
	paint(r, ansi.off);
	paint(r, ansi.severity[s]);
	fprintf(r->out, "%s: ", severity_name(s));
	paint(r, ansi.off);
	paint(r, ansi.bold);
	report_text(r->out, message);
	paint(r, ansi.off);
	if (rule) {
		fputs(" [", r->out);
		report_rule_name(r, rule);
		putc(']', r->out);
	}
	putc('\n', r->out);
	if (l.src)
		excerpt(r, l, ansi.severity[s]);
}

static void
remark(struct report *r, int indent, const char *colour, const char *what, const char *text)
{
	blanks(r->out, indent);
	paint(r, colour);
	fputs(what, r->out);
	paint(r, ansi.off);
	putc(' ', r->out);
	report_text(r->out, text);
}

/* What --fix would need to be told. */
static void
offer(struct report *r, const struct fix *f)
{
	fputs(f->safe ? " (--fix)" : " (--fix --unsafe-fixes)", r->out);
}

static int
last_help(const struct diag *g)
{
	int i = g->remarks.n - 1;

	while (i >= 0 && g->remarks.v[i].kind != REMARK_HELP)
		i--;
	return i;
}

/* "= allowed by the comment in line 7: it runs on Stowage alone" */
static void
allowed(struct report *r, int indent, const struct diag *g)
{
	const struct waiver *w = g->waiver;

	remark(r, indent, ansi.gutter, "=", w->by == WAIVED_BY_BASELINE ? "listed in the baseline" :
	    "allowed by the comment in ");
	if (w->by == WAIVED_BY_BASELINE && w->loc.src)
		fputs(", ", r->out);
	if (w->loc.src && w->loc.src != g->loc.src) {
		report_text(r->out, w->loc.src->path);
		fprintf(r->out, ":%d", loc_line(w->loc));
	} else if (w->loc.src) {
		fprintf(r->out, "line %d", loc_line(w->loc));
	}
	fputs(*w->reason ? ": " : "", r->out);
	report_text(r->out, w->reason);
	putc('\n', r->out);
}

static void
finding(struct report *r, const char *path, const struct diag *g)
{
	const struct fix *fix = r->offers_fixes && !g->waiver ? g->fix : NULL;
	int indent = g->loc.src ? digits(loc_line(g->loc)) + 3 : 4, i;
	int told = fix && fix->told ? last_help(g) : -1;

	headline(r, path, g->loc, g->severity, g->message, g->rule);
	for (i = 0; i < g->remarks.n; i++) {
		const struct remark *m = &g->remarks.v[i];

		if (m->kind == REMARK_PLACE) {
			headline(r, path, m->loc, SEV_NOTE, m->text, NULL);
			continue;
		}
		if (m->kind == REMARK_HELP)
			remark(r, indent, ansi.help, "help:", m->text);
		else
			remark(r, indent, ansi.gutter, "=", m->text);
		if (i == told)
			offer(r, fix);
		putc('\n', r->out);
	}
	if (g->waiver)
		allowed(r, indent, g);
	if (fix && told < 0) {
		remark(r, indent, ansi.help, "fix:", fix->title);
		offer(r, fix);
		putc('\n', r->out);
	}
}

static void
answer(struct report *r, const char *path, const char *s)
{
	paint(r, ansi.bold);
	report_text(r->out, path);
	fputs(": ", r->out);
	paint(r, ansi.off);
	report_text(r->out, s);
	putc('\n', r->out);
}

static void
count(struct report *r, int n, const char *what, int *printed)
{
	if (n == 0)
		return;
	fprintf(r->out, "%s%d %s%s", *printed ? ", " : "", n, what, n == 1 ? "" : "s");
	*printed = 1;
}

static void
end_waived(struct report *r)
{
	if (r->waived)
		fprintf(r->out, "%d allowed\n", r->waived);
}

static void
end_fixes(struct report *r)
{
	if (!r->offers_fixes)
		return;
	if (r->fixable)
		fprintf(r->out, "%d fixable with --fix", r->fixable);
	if (r->fixable_unsafely)
		fprintf(r->out, r->fixable ? ", %d more with --unsafe-fixes" :
		    "%d fixable with --fix --unsafe-fixes", r->fixable_unsafely);
	if (r->fixable || r->fixable_unsafely)
		putc('\n', r->out);
}

/* Nothing when there is nothing to say, as a compiler. */
static void
end(struct report *r)
{
	int printed = 0;

	if (r->fixed)
		fprintf(r->out, "%d fixed in %d file%s\n", r->fixed, r->files_fixed,
		    r->files_fixed == 1 ? "" : "s");

	count(r, r->errors, "error", &printed);
	count(r, r->warnings, "warning", &printed);
	count(r, r->notes, "note", &printed);
	if (!printed) {
		if (r->hidden)
			fprintf(r->out, "nothing new (%d in the baseline)\n", r->hidden);
		end_waived(r);
		return;
	}
	fprintf(r->out, " in %d file%s", r->files_with_findings,
	    r->files_with_findings == 1 ? "" : "s");
	if (r->files > r->files_with_findings)
		fprintf(r->out, " (%d checked)", r->files);
	if (r->hidden)
		fprintf(r->out, ", %d more in the baseline", r->hidden);
	putc('\n', r->out);
	end_waived(r);
	end_fixes(r);
}

const struct format format_text = {
	.name = "text",
	.brief = "for people: the source line, facts and help under each finding",
	.can_waive = true,
	.finding = finding,
	.answer = answer,
	.end = end,
};
