/*
 * The axes of the plan's picture: addresses, parts of the step and instants, and what is marked in
 * the plot: the peak and the lower bound.
 */
#include "show/plan_svg_impl.h"

#include <string.h>

#include "base/text.h"
#include "ir/op.h"
#include "show/chart.h"
#include "plan/summary.h"

/* ---- lengths ---- */

int
svg_x(const struct picture *c, int instant)
{
	return LEFT * 10 + (int)((int64_t)instant * ACROSS * 10 / c->p->instants);
}

int
svg_y(const struct picture *c, int64_t offset)
{
	return BOTTOM * 10 - (int)((double)offset / (double)c->p->arena_bytes * UP * 10 + 0.5);
}

void
svg_tenths(FILE *f, const char *name, int t)
{
	fprintf(f, t % 10 ? " %s=\"%d.%d\"" : " %s=\"%d\"", name, t / 10, t % 10);
}

/* ---- axes ---- */

/* A size on the axis, exact: in the unit of TOP, or one of which the step is an eighth or more. */
static const char *
tick_text(char buf[SIZE_TEXT], int64_t bytes, int64_t step, int64_t top)
{
	double x = (double)bytes;
	int u;

	for (u = 0; u < SIZE_UNITS - 1 && step >= 128 && top >= 1024; u++) {
		x /= 1024;
		step /= 1024;
		top /= 1024;
	}
	snprintf(buf, SIZE_TEXT, "%.7g %s", x, size_unit_name(u));
	return bytes ? buf : "0";
}

void
svg_addresses(const struct picture *c)
{
	const int64_t arena = c->p->arena_bytes, step = chart_step(arena, 10);
	char size[SIZE_TEXT];
	int64_t at;
	int y;

	fputs("<g class=\"grid\" stroke-width=\"1\">\n", c->f);
	for (at = step; at <= arena; at += step) {
		y = svg_y(c, at);
		fprintf(c->f, "<path d=\"M%d %d.%dH%d\"/>\n", LEFT - 5, y / 10, y % 10, RIGHT);
	}
	fputs("</g>\n<g font-size=\"12\" text-anchor=\"end\">\n", c->f);
	for (at = 0; at <= arena; at += step) {
		y = svg_y(c, at) + 40;
		fprintf(c->f, "<text x=\"%d\" y=\"%d.%d\">%s</text>\n", LEFT - 9, y / 10, y % 10,
		    tick_text(size, at, step, arena));
	}
	fprintf(c->f, "</g>\n<text class=\"muted\" font-size=\"12\" text-anchor=\"middle\" "
	    "transform=\"translate(18 %d) rotate(-90)\">address in the arena</text>\n",
	    (TOP + BOTTOM) / 2);
}

/* 1, 2 or 5 times a power of ten, so that about ten ticks stand on the axis. */
static int
instant_step(int instants)
{
	int64_t ten = 1;

	for (;; ten *= 10) {
		if (instants / ten <= 12)
			return (int)ten;
		if (instants / ten <= 24)
			return (int)(2 * ten);
		if (instants / ten <= 60)
			return (int)(5 * ten);
	}
}

void
svg_instants(const struct picture *c)
{
	const int step = instant_step(c->p->instants);
	char number[SIZE_TEXT];
	int at, x;

	fputs("<g class=\"muted\" font-size=\"11\" text-anchor=\"middle\">\n", c->f);
	for (at = 0; at < c->p->instants; at += step) {
		x = (svg_x(c, at) + svg_x(c, at + 1)) / 2;
		fprintf(c->f, "<path class=\"axis\" d=\"M%d.%d %dv4\"/><text class=\"muted\" "
		    "x=\"%d.%d\" y=\"%d\">%s</text>\n", x / 10, x % 10, BOTTOM, x / 10, x % 10,
		    BOTTOM + 16, size_commas(number, at));
	}
	fputs("</g>\n", c->f);
}

/* The parts of the step under the axis; a name too wide for its part goes a line lower. */
void
svg_regions(const struct picture *c)
{
	struct chart_region region[CHART_REGIONS];
	int n = chart_regions(c->p, c->m, region), i, free_from = 0;

	fputs("<g font-size=\"13\" text-anchor=\"middle\">\n", c->f);
	for (i = 0; i < n; i++) {
		int from = svg_x(c, region[i].first) / 10, to = svg_x(c, region[i].last + 1) / 10;
		int kernels = region[i].last + 1 - region[i].first;
		char count[SIZE_TEXT];
		const char *name = arena_printf(c->a, "%s, %s kernel%s", region[i].name,
		    size_commas(count, kernels), kernels == 1 ? "" : "s");
		int half, at;

		if (chart_width(name, 13) > to - from)
			name = region[i].name;
		half = chart_width(name, 13) / 2;
		at = (from + to) / 2;
		at = at + half > WIDTH - 20 ? WIDTH - 20 - half : at;
		if (i)
			fprintf(c->f, "<path class=\"axis\" stroke-dasharray=\"1 3\" "
			    "d=\"M%d %dV%d\"/>\n", from, TOP, BOTTOM);
		fprintf(c->f, "<path class=\"axis\" d=\"M%d %dv5H%dv-5\"/>", from + (i > 0),
		    BOTTOM + 24, to - (i < n - 1));
		fprintf(c->f, "<text x=\"%d\" y=\"%d\">%s</text>\n", at,
		    BOTTOM + (at - half < free_from ? 57 : 44), name);
		free_from = at - half < free_from ? free_from : at + half + 8;
	}
	fputs("</g>\n", c->f);
}

static void
bracket(const struct picture *c, const char *name, int64_t from, int64_t to, int at)
{
	int y0 = svg_y(c, from) / 10, y1 = svg_y(c, to) / 10;
	char human[SIZE_TEXT];

	if (from == to)
		return;
	fprintf(c->f, "<path class=\"axis\" d=\"M%d %dh5V%dh-5\"/>", RIGHT + 4, y0, y1);
	fprintf(c->f, "<text x=\"%d\" y=\"%d\" font-size=\"12\">%s<tspan class=\"muted\" x=\"%d\" "
	    "dy=\"15\">%s</tspan></text>\n", RIGHT + 15, at, name, RIGHT + 15,
	    size_human(human, to - from));
}

void
svg_brackets(const struct picture *c)
{
	const int64_t kept = c->p->persistent_bytes;
	int y = svg_y(c, kept) / 10, low = (y + BOTTOM) / 2, high = (y + TOP) / 2;

	/* two lines of text each, one pair above the other however thin its part is */
	low = low > BOTTOM - 12 ? BOTTOM - 12 : low;
	high = high > low - 36 ? low - 36 : high;
	if (high < TOP + 8) {
		high = TOP + 8;
		low = low < high + 36 ? high + 36 : low;
	}
	bracket(c, "transient", kept, c->p->arena_bytes, high);
	bracket(c, "persistent", 0, kept, low);
}

void
svg_peak(const struct picture *c)
{
	const struct instant *at = &c->p->at[c->p->peak];
	const int x = (svg_x(c, c->p->peak) + svg_x(c, c->p->peak + 1)) / 2;
	const bool left = x > (LEFT + RIGHT) * 5;
	char human[SIZE_TEXT];
	const char *node = svg_shortened(c->a, at->node->path, 12, 240);

	fprintf(c->f, "<path class=\"mark\" stroke-width=\"1.2\" stroke-dasharray=\"5 3\" "
	    "d=\"M%d.%d %dV%d\"/>\n", x / 10, x % 10, TOP - 10, BOTTOM);
	fprintf(c->f, "<text font-size=\"12\" text-anchor=\"%s\" x=\"%d.%d\" y=\"%d\">peak: %s "
	    "alive at instant %d, %s of ", left ? "end" : "start", x / 10 + (left ? -5 : 5), x % 10,
	    TOP - 7, size_human(human, at->live), c->p->peak, plan_phase_name(at));
	chart_escape(c->f, node ? node : at->node->op->name);
	fputs(", ", c->f);
	chart_escape(c->f, loc_shown(c->a, at->node->loc, at->node->loc.src));
	fputs("</text>\n", c->f);
	if (c->p->lower_bound_bytes < c->p->arena_bytes) {
		int y = svg_y(c, c->p->lower_bound_bytes);

		fprintf(c->f, "<path class=\"mark\" stroke-dasharray=\"2 3\" "
		    "d=\"M%d %d.%dH%d\"/>\n", LEFT, y / 10, y % 10, RIGHT);
	}
}
