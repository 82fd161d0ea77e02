/*
 * Live bytes over the step, drawn with the characters of a terminal: a column shows the largest of
 * the instants that share it, to an eighth of a line if the locale has Unicode block characters.
 */
#include <string.h>

#include "base/text.h"
#include "show/chart.h"

#define HEIGHT		8	/* lines */
#define WIDEST		120	/* columns of the curve; beyond, it only gets emptier */
#define LABELS		15	/* columns left of the axis */

struct glyphs {
	const char *part[9];	/* of a line that is filled by so many eighths */
	const char *persistent, *axis, *corner, *line, *border, *peak;
};

static const struct glyphs unicode = {
	.part = { " ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587",
	    "\u2588" },
	.persistent = "\u2592", .axis = "\u2502", .corner = "\u2514", .line = "\u2500",
	.border = "\u252c", .peak = "\u25b2",
};

static const struct glyphs ascii = {
	.part = { " ", "#", "#", "#", "#", "#", "#", "#", "#" },
	.persistent = "=", .axis = "|", .corner = "+", .line = "-", .border = "+", .peak = "^",
};

/* Most live bytes among the instants that column X stands for. */
static int64_t
column_bytes(const struct plan *p, int x, int width)
{
	int from = (int)((int64_t)x * p->instants / width);
	int to = (int)((int64_t)(x + 1) * p->instants / width), i;
	int64_t most = 0;

	for (i = from; i < to || i == from; i++)
		if (p->at[i].live > most)
			most = p->at[i].live;
	return most;
}

/* How many eighths of lines that many bytes fill: 0 only for 0 bytes. */
static int
eighths(const struct plan *p, int64_t bytes)
{
	int e = (int)((double)bytes / (double)p->lower_bound_bytes * HEIGHT * 8 + 0.5);

	return e == 0 && bytes > 0 ? 1 : e;
}

static void
print_row(FILE *f, const struct plan *p, const struct glyphs *g, int y, int width)
{
	const int kept = eighths(p, p->persistent_bytes);
	char label[SIZE_TEXT];
	int x, blanks = 0, filled;

	size_human(label, (int64_t)((double)p->lower_bound_bytes * (y + 1) / HEIGHT));
	fprintf(f, "  %12s %s", y == HEIGHT - 1 || y == HEIGHT / 2 - 1 ? label : "", g->axis);
	for (x = 0; x < width; x++) {
		filled = eighths(p, column_bytes(p, x, width)) - 8 * y;
		if (filled <= 0) {
			blanks++;
			continue;
		}
		fprintf(f, "%*s%s", blanks, "", kept - 8 * y >= 4 ? g->persistent :
		    g->part[filled < 8 ? filled : 8]);
		blanks = 0;
	}
	putc('\n', f);
}

static int
column_of(const struct plan *p, int instant, int width)
{
	return (int)((int64_t)instant * width / p->instants);
}

/* Writes NAME at column X of a row of names, if it fits and leaves a blank to its neighbours. */
static bool
put_name(char *names, int width, const char *name, int x)
{
	const int n = (int)strlen(name);
	int i;

	if (x < 0 || x + n > width)
		return false;
	for (i = x > 0 ? x - 1 : 0; i < x + n + 1 && i < width; i++)
		if (names[i] != ' ')
			return false;
	memcpy(names + x, name, (size_t)n);
	return true;
}

/* The name of each part under its first column, or where that is taken under its last; the longest
 * part comes first, so that what is lost is the name of a short one. */
static void
print_names(FILE *f, const struct plan *p, const struct chart_region *region, int n, int width)
{
	char names[WIDEST + 1];
	bool done[CHART_REGIONS] = { false };
	int i, k, best, end;

	memset(names, ' ', sizeof(names));
	for (k = 0; k < n; k++) {
		for (i = 0, best = -1; i < n; i++)
			if (!done[i] && (best < 0 || region[i].last - region[i].first >
			    region[best].last - region[best].first))
				best = i;
		done[best] = true;
		end = column_of(p, region[best].last + 1, width) - (int)strlen(region[best].name);
		if (!put_name(names, width, region[best].name,
		    column_of(p, region[best].first, width)) &&
		    !put_name(names, width, region[best].name, end))
			put_name(names, width, region[best].name, end - 1);
	}
	while (width > 0 && names[width - 1] == ' ')
		width--;
	fprintf(f, "%*s%.*s\n", LABELS + 1, "", width, names);
}

/* The axis, with the parts' borders and the peak on it. */
static void
print_axis(FILE *f, const struct module *m, const struct glyphs *g, int width)
{
	struct chart_region region[CHART_REGIONS];
	const struct plan *p = m->plan;
	const int n = chart_regions(p, m, region), peak = column_of(p, p->peak, width);
	int i, x;

	fprintf(f, "  %12s %s", "", g->corner);
	for (x = 0; x < width; x++) {
		for (i = n - 1; i > 0 && column_of(p, region[i].first, width) != x; i--)
			;
		fputs(x == peak ? g->peak : i > 0 ? g->border : g->line, f);
	}
	putc('\n', f);
	print_names(f, p, region, n, width);
}

void
plan_curve(FILE *f, const struct module *m, const struct plan_style *style)
{
	const struct glyphs *g = style->unicode ? &unicode : &ascii;
	int width = (style->columns ? style->columns : 80) - LABELS - 1, y;

	width = width > WIDEST ? WIDEST : width < 20 ? 20 : width;
	fprintf(f, "\n%sLive bytes over the step (%s persistent, %s transient, %s peak)%s\n",
	    style->colour ? "\033[1m" : "", g->persistent, g->part[8], g->peak,
	    style->colour ? "\033[0m" : "");
	for (y = HEIGHT - 1; y >= 0; y--)
		print_row(f, m->plan, g, y, width);
	print_axis(f, m, g, width);
}
