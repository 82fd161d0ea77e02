/*
 * The plan as a picture: addresses in the arena against time, a rectangle a buffer, coloured by
 * kind, with its name where that fits.
 *
 *      title, figures
 *      ^  +---------- peak ---+
 *      |  |  buffers  :       |  } transient
 *      |  |===================|  } persistent, one band a kind
 *      +--+----------+--------+
 *           forward   backward
 *      legend
 *
 * It must read for twenty buffers as for a hundred thousand: a rectangle under half a pixel wide or
 * high is not drawn as such, but painted into a grid of pixels, of which equal neighbours are then
 * joined, so that the size of the picture has a bound. Lengths are whole tenths of a pixel: edges
 * that touch in the arena touch in the picture, and the same plan gives the same bytes.
 */
#include "plan/plan.h"

#include <string.h>

#include "base/text.h"
#include "emit/emit.h"
#include "ops/op.h"
#include "plan/chart.h"
#include "plan/page.h"
#include "plan/pixels.h"
#include "plan/summary.h"

#define WIDTH	1200
#define LEFT	84
#define RIGHT	1098	/* right of the plot is room for the brackets */
#define TOP	80
#define BOTTOM	620
#define ACROSS	(RIGHT - LEFT)
#define UP	(BOTTOM - TOP)
#define LEGEND	(BOTTOM + 74)

#define THIN	" class=\"thin\""	/* an edge would hide all of it */

struct picture {
	FILE *f;
	const struct module *m;
	const struct plan *p;
	struct arena *a;
};

/* ---- lengths ---- */

static int
x_of(const struct picture *c, int instant)
{
	return LEFT * 10 + (int)((int64_t)instant * ACROSS * 10 / c->p->instants);
}

static int
y_of(const struct picture *c, int64_t offset)
{
	return BOTTOM * 10 - (int)((double)offset / (double)c->p->arena_bytes * UP * 10 + 0.5);
}

static struct box
box_of(const struct picture *c, const struct buffer *b)
{
	struct box r = { .x = x_of(c, b->first), .y = y_of(c, b->offset + b->bytes) };

	r.w = x_of(c, b->last + 1) - r.x;
	r.h = y_of(c, b->offset) - r.y;
	return r;
}

static void
tenths(FILE *f, const char *name, int t)
{
	fprintf(f, t % 10 ? " %s=\"%d.%d\"" : " %s=\"%d\"", name, t / 10, t % 10);
}

static void
box_print(FILE *f, struct box r)
{
	tenths(f, "x", r.x);
	tenths(f, "y", r.y);
	tenths(f, "width", r.w);
	tenths(f, "height", r.h);
}

/* ---- names in rectangles ---- */

/* S, or what follows one of its dots after an ellipsis, if that is at most ROOM pixels wide: two
 * parts at least, as "grad" alone says nothing; else NULL. */
static const char *
shortened(struct arena *a, const char *s, int font, int room)
{
	const char *dot = s, *text;

	if (chart_width(s, font) <= room)
		return s;
	while ((dot = strchr(dot, '.')) && strchr(++dot, '.')) {
		text = arena_printf(a, "\xe2\x80\xa6%s", dot);
		if (chart_width(text, font) <= room)
			return text;
	}
	return NULL;
}

/* The wider part of a box that the line of the peak divides. */
static struct box
beside_peak(const struct picture *c, struct box r)
{
	int x = (x_of(c, c->p->peak) + x_of(c, c->p->peak + 1)) / 2, right = r.x + r.w;

	if (x <= r.x || x >= right)
		return r;
	if (right - x > x - r.x)
		r.x = x;
	r.w = right - x > r.w / 2 ? right - x : x - r.x;
	return r;
}

/* The font for a rectangle so many pixels across the text; 0: too thin. */
static int
font_for(int across)
{
	return across >= 13 ? 11 : across >= 10 ? 9 : 0;
}

/* Level if that leaves more of the name than upright would, else upright. */
static void
label(const struct picture *c, struct box r, const char *name, int64_t bytes, bool dark)
{
	const int w = r.w / 10, h = r.h / 10;
	const char *level = !font_for(h) ? NULL : shortened(c->a, name, font_for(h), w - 6);
	const char *up = !font_for(w) ? NULL : shortened(c->a, name, font_for(w), h - 6);
	const bool upright = up && (!level || strlen(up) > strlen(level));
	const int font = font_for(upright ? w : h), down = font * 36 / 10;
	int x = r.x + r.w / 2 + (upright ? down : 0), y = r.y + r.h / 2 + (upright ? 0 : down);
	char human[SIZE_TEXT];
	const char *sized;

	name = upright ? up : level;
	if (!name)
		return;
	sized = arena_printf(c->a, "%s, %s", name, size_human(human, bytes));
	fprintf(c->f, "<text class=\"%s\" font-size=\"%d\"", dark ? "white" : "black", font);
	fprintf(c->f, upright ? " transform=\"translate(%d.%d %d.%d) rotate(-90)\">" :
	    " x=\"%d.%d\" y=\"%d.%d\">", x / 10, x % 10, y / 10, y % 10);
	chart_escape(c->f, chart_width(sized, font) <= (upright ? h : w) - 6 ? sized : name);
	fputs("</text>\n", c->f);
}

/* ---- buffers under half a pixel ---- */

static bool
is_small(struct box r)
{
	return r.w < 5 || r.h < 5;
}

static void
draw_small(const struct picture *c)
{
	struct pixels *x = NULL;
	const char *path;
	int64_t bytes = 0;
	char human[SIZE_TEXT];
	int i, n = 0;

	for (i = 0; i < c->p->buffers.n; i++) {
		const struct buffer *b = &c->p->buffers.v[i];
		struct box r = box_of(c, b);

		if (b->persistent || !is_small(r))
			continue;
		if (!x)
			x = pixels_new(c->a, LEFT, TOP, ACROSS, UP);
		pixels_paint(x, r, (int)b->kind, b->bytes);
		bytes += b->bytes;
		n++;
	}
	if (n == 0)
		return;
	pixels_join(x);
	fprintf(c->f, "<g id=\"small\" data-buffers=\"%d\"><title>%d buffer%s under half a pixel, "
	    "together %s</title>\n", n, n, n == 1 ? "" : "s", size_human(human, bytes));
	for (i = 0; i < TENSOR_KINDS; i++)
		if ((path = pixels_path(x, i)))
			fprintf(c->f, "<path fill=\"%s\" d=\"%s\"/>\n", chart_colour(i), path);
	fputs("</g>\n", c->f);
}

/* ---- buffers ---- */

static void
buffer_title(const struct picture *c, const struct buffer *b)
{
	char human[SIZE_TEXT];

	fputs("<title>", c->f);
	chart_escape(c->f, b->name);
	fprintf(c->f, ": %s%s %s, %s, ", chart_recomputed(b) ? "recomputed " : "",
	    tensor_kind_name(b->kind), chart_shape(c->a, b->root), size_human(human, b->bytes));
	if (b->loc.src && b->loc.src != c->m->src) {
		chart_escape(c->f, b->loc.src->path);
		fprintf(c->f, ":%d", loc_line(b->loc));
	} else {
		fprintf(c->f, "line %d", loc_line(b->loc));
	}
	fprintf(c->f, ", instants %d to %d</title>", b->first, b->last);
}

static void
draw_kind(const struct picture *c, enum tensor_kind k)
{
	bool open = false;
	int i;

	for (i = 0; i < c->p->buffers.n; i++) {
		const struct buffer *b = &c->p->buffers.v[i];
		struct box r = box_of(c, b);

		if (b->persistent || b->kind != k || is_small(r))
			continue;
		if (!open)
			fprintf(c->f, "<g class=\"buffers edge\" fill=\"%s\" "
			    "stroke-width=\".6\">\n", chart_colour(k));
		open = true;
		fputs("<rect", c->f);
		box_print(c->f, r);
		fputs(r.w < 30 || r.h < 30 ? THIN ">" : ">", c->f);
		buffer_title(c, b);
		fputs("</rect>\n", c->f);
	}
	if (open)
		fputs("</g>\n", c->f);
}

/* Hatching over what is computed a second time; true if there is any. */
static bool
draw_recomputed(const struct picture *c)
{
	bool open = false;
	int i;

	for (i = 0; i < c->p->buffers.n; i++) {
		const struct buffer *b = &c->p->buffers.v[i];
		struct box r = box_of(c, b);

		if (!chart_recomputed(b) || is_small(r))
			continue;
		if (!open)
			fputs("<g id=\"recomputed\" fill=\"url(#hatch)\" "
			    "pointer-events=\"none\">\n", c->f);
		open = true;
		fprintf(c->f, "<path d=\"M%d.%d %d.%dh%d.%dv%d.%dh-%d.%dz\"/>\n", r.x / 10,
		    r.x % 10, r.y / 10, r.y % 10, r.w / 10, r.w % 10, r.h / 10, r.h % 10, r.w / 10,
		    r.w % 10);
	}
	if (open)
		fputs("</g>\n", c->f);
	return open;
}

/* The band of one kind in the persistent region, above the BELOW bytes of earlier kinds. */
static struct box
band_of(const struct picture *c, int64_t below, int64_t bytes, double scale)
{
	struct box r = { .x = LEFT * 10, .w = ACROSS * 10 };

	r.y = y_of(c, (int64_t)((double)(below + bytes) * scale));
	r.h = y_of(c, (int64_t)((double)below * scale)) - r.y;
	return r;
}

/* What stays is one region with a band a kind, as high as the kind's bytes: its buffers lie mixed,
 * and where exactly is of no use to anyone. */
static void
draw_persistent(const struct picture *c, const struct plan_summary *s, bool names)
{
	int64_t together = 0, below = 0;
	int count[TENSOR_KINDS] = { 0 }, i, k;
	char human[SIZE_TEXT];

	for (i = 0; i < c->p->buffers.n; i++)
		count[c->p->buffers.v[i].kind] += c->p->buffers.v[i].persistent;
	for (k = 0; k < TENSOR_KINDS; k++)
		together += s->persistent[k];
	for (i = 0; (k = (int)chart_kinds[i]) != T_POISON; i++) {
		struct box r;

		if (!s->persistent[k])
			continue;
		r = band_of(c, below, s->persistent[k], (double)c->p->persistent_bytes /
		    (double)together);
		below += s->persistent[k];
		if (names) {
			label(c, r, plan_kind_heading(k), s->persistent[k], chart_dark(k));
			continue;
		}
		fprintf(c->f, "<rect data-buffers=\"%d\" fill=\"%s\"", count[k], chart_colour(k));
		box_print(c->f, r);
		fprintf(c->f, "%s><title>%s: %s in %d buffer%s, alive throughout</title></rect>\n",
		    r.h < 30 ? THIN : "", plan_kind_heading(k), size_human(human, s->persistent[k]),
		    count[k], count[k] == 1 ? "" : "s");
	}
}

static void
draw_names(const struct picture *c, const struct plan_summary *s)
{
	int i;

	fputs("<g text-anchor=\"middle\" pointer-events=\"none\">\n", c->f);
	draw_persistent(c, s, true);
	for (i = 0; i < c->p->buffers.n; i++) {
		const struct buffer *b = &c->p->buffers.v[i];

		if (!b->persistent)
			label(c, beside_peak(c, box_of(c, b)), b->name, b->bytes,
			    chart_dark(b->kind));
	}
	fputs("</g>\n", c->f);
}

/* ---- axes ---- */

/* A size on the axis, exact: in the unit of TOP, or one of which the step is an eighth or more. */
static const char *
tick_text(char buf[SIZE_TEXT], int64_t bytes, int64_t step, int64_t top)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double x = (double)bytes;
	int u;

	for (u = 0; u < 6 && step >= 128 && top >= 1024; u++) {
		x /= 1024;
		step /= 1024;
		top /= 1024;
	}
	snprintf(buf, SIZE_TEXT, "%.7g %s", x, unit[u]);
	return bytes ? buf : "0";
}

static void
draw_addresses(const struct picture *c)
{
	const int64_t arena = c->p->arena_bytes, step = chart_step(arena, 10);
	char size[SIZE_TEXT];
	int64_t at;
	int y;

	fputs("<g class=\"grid\" stroke-width=\"1\">\n", c->f);
	for (at = step; at <= arena; at += step) {
		y = y_of(c, at);
		fprintf(c->f, "<path d=\"M%d %d.%dH%d\"/>\n", LEFT - 5, y / 10, y % 10, RIGHT);
	}
	fputs("</g>\n<g font-size=\"12\" text-anchor=\"end\">\n", c->f);
	for (at = 0; at <= arena; at += step) {
		y = y_of(c, at) + 40;
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

static void
draw_instants(const struct picture *c)
{
	const int step = instant_step(c->p->instants);
	char number[SIZE_TEXT];
	int at, x;

	fputs("<g class=\"muted\" font-size=\"11\" text-anchor=\"middle\">\n", c->f);
	for (at = 0; at < c->p->instants; at += step) {
		x = (x_of(c, at) + x_of(c, at + 1)) / 2;
		fprintf(c->f, "<path class=\"axis\" d=\"M%d.%d %dv4\"/><text class=\"muted\" "
		    "x=\"%d.%d\" y=\"%d\">%s</text>\n", x / 10, x % 10, BOTTOM, x / 10, x % 10,
		    BOTTOM + 16, size_commas(number, at));
	}
	fputs("</g>\n", c->f);
}

/* The parts of the step under the axis; a name too wide for its part goes a line lower. */
static void
draw_regions(const struct picture *c)
{
	struct chart_region region[CHART_REGIONS];
	int n = chart_regions(c->p, c->m, region), i, free_from = 0;

	fputs("<g font-size=\"13\" text-anchor=\"middle\">\n", c->f);
	for (i = 0; i < n; i++) {
		int from = x_of(c, region[i].first) / 10, to = x_of(c, region[i].last + 1) / 10;
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
	int y0 = y_of(c, from) / 10, y1 = y_of(c, to) / 10;
	char human[SIZE_TEXT];

	if (from == to)
		return;
	fprintf(c->f, "<path class=\"axis\" d=\"M%d %dh5V%dh-5\"/>", RIGHT + 4, y0, y1);
	fprintf(c->f, "<text x=\"%d\" y=\"%d\" font-size=\"12\">%s<tspan class=\"muted\" x=\"%d\" "
	    "dy=\"15\">%s</tspan></text>\n", RIGHT + 15, at, name, RIGHT + 15,
	    size_human(human, to - from));
}

static void
draw_brackets(const struct picture *c)
{
	const int64_t kept = c->p->persistent_bytes;
	int y = y_of(c, kept) / 10, low = (y + BOTTOM) / 2, high = (y + TOP) / 2;

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

static void
draw_peak(const struct picture *c)
{
	const struct instant *at = &c->p->at[c->p->peak];
	const int x = (x_of(c, c->p->peak) + x_of(c, c->p->peak + 1)) / 2;
	const bool left = x > (LEFT + RIGHT) * 5;
	char human[SIZE_TEXT];
	const char *node = shortened(c->a, at->node->path, 12, 240);

	fprintf(c->f, "<path class=\"mark\" stroke-width=\"1.2\" stroke-dasharray=\"5 3\" "
	    "d=\"M%d.%d %dV%d\"/>\n", x / 10, x % 10, TOP - 10, BOTTOM);
	fprintf(c->f, "<text font-size=\"12\" text-anchor=\"%s\" x=\"%d.%d\" y=\"%d\">peak: %s "
	    "alive at instant %d, %s of ", left ? "end" : "start", x / 10 + (left ? -5 : 5), x % 10,
	    TOP - 7, size_human(human, at->live), c->p->peak, plan_phase_name(at));
	chart_escape(c->f, node ? node : at->node->op->name);
	fprintf(c->f, ", line %d</text>\n", loc_line(at->node->loc));
	if (c->p->lower_bound_bytes < c->p->arena_bytes) {
		int y = y_of(c, c->p->lower_bound_bytes);

		fprintf(c->f, "<path class=\"mark\" stroke-dasharray=\"2 3\" "
		    "d=\"M%d %d.%dH%d\"/>\n", LEFT, y / 10, y % 10, RIGHT);
	}
}

/* ---- around it ---- */

static void
draw_title(const struct picture *c)
{
	const struct plan *p = c->p;
	char arena[SIZE_TEXT], bound[SIZE_TEXT], buffers[SIZE_TEXT], kernels[SIZE_TEXT];
	int64_t batch = c->m->train ? p->batch : p->validate_batch;

	fputs("<text x=\"24\" y=\"30\" font-size=\"18\" font-weight=\"bold\">", c->f);
	chart_escape(c->f, c->m->name);
	fputs("<tspan class=\"muted\" font-size=\"13\" font-weight=\"normal\" dx=\"10\">", c->f);
	if (c->m->src) {
		chart_escape(c->f, c->m->src->path);
		fputs(", ", c->f);
	}
	fprintf(c->f, "batch %lld, target %s</tspan></text>\n", (long long)batch, p->target->name);
	fprintf(c->f, "<text x=\"24\" y=\"50\" font-size=\"13\">%s in one arena"
	    "<tspan class=\"muted\">; the most alive at one time, which no plan can go below: %s "
	    "(arena / bound = %.4f%s); %s buffers, %s kernels%s</tspan></text>\n",
	    size_human(arena, p->arena_bytes), size_human(bound, p->lower_bound_bytes),
	    p->lower_bound_bytes ? (double)p->arena_bytes / (double)p->lower_bound_bytes : 1.0,
	    p->optimal ? ", proved optimal" : "",
	    size_commas(buffers, p->buffers.n), size_commas(kernels, p->instants),
	    !p->recomputed.nodes ? "" :
	    arena_printf(c->a, ", %d of them again", p->recomputed.nodes));
}

struct legend {
	int x, y;
};

static void
legend_entry(const struct picture *c, struct legend *l, const char *fill, const char *text)
{
	int wide = 20 + chart_width(text, 12) + 16;

	if (l->x + wide > WIDTH - 20) {
		l->x = LEFT;
		l->y += 20;
	}
	if (fill)
		fprintf(c->f, "<path fill=\"%s\" d=\"M%d %dh13v13h-13z\"/>", fill, l->x, l->y);
	else
		fprintf(c->f, "<path class=\"mark\" stroke-dasharray=\"2 3\" d=\"M%d %dh14\"/>",
		    l->x, l->y + 7);
	fprintf(c->f, "<text x=\"%d\" y=\"%d\">%s</text>\n", l->x + 19, l->y + 11, text);
	l->x += wide;
}

static void
draw_legend(const struct picture *c, bool recomputed, struct legend *l)
{
	bool seen[TENSOR_KINDS] = { false };
	int i;

	for (i = 0; i < c->p->buffers.n; i++)
		seen[c->p->buffers.v[i].kind] = true;
	fputs("<g font-size=\"12\">\n", c->f);
	for (i = 0; chart_kinds[i] != T_POISON; i++)
		if (seen[chart_kinds[i]])
			legend_entry(c, l, chart_colour(chart_kinds[i]),
			    plan_kind_heading(chart_kinds[i]));
	if (recomputed)
		legend_entry(c, l, "url(#hatch)", "recomputed");
	if (c->p->lower_bound_bytes < c->p->arena_bytes)
		legend_entry(c, l, NULL, "lower bound");
	fputs("</g>\n", c->f);
}

static void
draw_plot(const struct picture *c, struct legend *l)
{
	const struct plan_summary *s = plan_summarise(c->m);
	bool recomputed;
	int i;

	fprintf(c->f, "<rect class=\"plot\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT,
	    TOP, ACROSS, UP);
	draw_addresses(c);
	draw_small(c);
	fputs("<g class=\"edge\" id=\"persistent\" stroke-width=\".6\">\n", c->f);
	draw_persistent(c, s, false);
	fputs("</g>\n", c->f);
	for (i = 0; chart_kinds[i] != T_POISON; i++)
		draw_kind(c, chart_kinds[i]);
	recomputed = draw_recomputed(c);
	draw_regions(c);
	draw_instants(c);
	draw_brackets(c);
	draw_peak(c);
	draw_names(c, s);
	fprintf(c->f, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, BOTTOM, RIGHT);
	draw_legend(c, recomputed, l);
}

void
plan_report_svg(FILE *f, const struct module *m)
{
	struct picture c = { f, m, m->plan, m->arena };
	struct legend l = { LEFT, LEGEND };

	/* the legend's rows are as many as its kinds need: three at most */
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
	    "height=\"%d\" role=\"img\" font-family=\"Helvetica, Arial, 'Liberation Sans', "
	    "sans-serif\">\n<title>", WIDTH, LEGEND + 50, WIDTH, LEGEND + 50);
	chart_escape(f, m->name);
	fputs(": addresses in the arena against time</title>\n", f);
	fprintf(f, "<style>\n%s</style>\n", page_file("picture.css"));
	fputs("<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" "
	    "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><path d=\"M0 0V6\" "
	    "stroke=\"#000\" stroke-opacity=\".45\" stroke-width=\"3\"/></pattern></defs>\n", f);
	fprintf(f, "<rect class=\"card\" x=\".5\" y=\".5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n",
	    WIDTH - 1, LEGEND + 49);
	draw_title(&c);
	if (m->plan->instants && m->plan->arena_bytes)
		draw_plot(&c, &l);
	fputs("</svg>\n", f);
}
