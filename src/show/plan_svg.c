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
 * It must be readable for twenty buffers and for a hundred thousand: a rectangle under half a pixel
 * wide or high is not drawn as such, but painted into a grid of pixels, of which equal neighbours
 * are then joined, so that the size of the picture has a bound. Lengths are whole tenths of a
 * pixel: edges that touch in the arena touch in the picture, and the same plan gives the same
 * bytes.
 */
#include "show/plan_svg_impl.h"

#include <string.h>

#include "base/text.h"
#include "target/target.h"
#include "show/chart.h"
#include "show/page.h"
#include "show/pixels.h"
#include "plan/summary.h"

#define THIN	" class=\"thin\""	/* an edge would hide all of it */

/* ---- boxes ---- */

static struct box
box_of(const struct picture *c, const struct buffer *b)
{
	struct box r = { .x = svg_x(c, b->first), .y = svg_y(c, b->offset + b->bytes) };

	r.w = svg_x(c, b->last + 1) - r.x;
	r.h = svg_y(c, b->offset) - r.y;
	return r;
}

static void
box_print(FILE *f, struct box r)
{
	svg_tenths(f, "x", r.x);
	svg_tenths(f, "y", r.y);
	svg_tenths(f, "width", r.w);
	svg_tenths(f, "height", r.h);
}

/* ---- names in rectangles ---- */

const char *
svg_shortened(struct arena *a, const char *s, int font, int room)
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
	int x = (svg_x(c, c->p->peak) + svg_x(c, c->p->peak + 1)) / 2, right = r.x + r.w;

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
	const char *level = !font_for(h) ? NULL : svg_shortened(c->a, name, font_for(h), w - 6);
	const char *up = !font_for(w) ? NULL : svg_shortened(c->a, name, font_for(w), h - 6);
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
		pixels_paint(x, r, (int)b->root->kind, b->bytes);
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
	chart_escape(c->f, b->root->name);
	fprintf(c->f, ": %s%s %s, %s, ", chart_recomputed(b) ? "recomputed " : "",
	    tensor_kind_name(b->root->kind), chart_shape(c->a, b->root), size_human(human, b->bytes));
	chart_escape(c->f, loc_shown(c->a, b->root->loc, c->m->src));
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

		if (b->persistent || b->root->kind != k || is_small(r))
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

	r.y = svg_y(c, (int64_t)((double)(below + bytes) * scale));
	r.h = svg_y(c, (int64_t)((double)below * scale)) - r.y;
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
		count[c->p->buffers.v[i].root->kind] += c->p->buffers.v[i].persistent;
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
			label(c, beside_peak(c, box_of(c, b)), b->root->name, b->bytes,
			    chart_dark(b->root->kind));
	}
	fputs("</g>\n", c->f);
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
		seen[c->p->buffers.v[i].root->kind] = true;
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
	svg_addresses(c);
	draw_small(c);
	fputs("<g class=\"edge\" id=\"persistent\" stroke-width=\".6\">\n", c->f);
	draw_persistent(c, s, false);
	fputs("</g>\n", c->f);
	for (i = 0; chart_kinds[i] != T_POISON; i++)
		draw_kind(c, chart_kinds[i]);
	recomputed = draw_recomputed(c);
	svg_regions(c);
	svg_instants(c);
	svg_brackets(c);
	svg_peak(c);
	draw_names(c, s);
	fprintf(c->f, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, BOTTOM, RIGHT);
	draw_legend(c, recomputed, l);
}

static void
print_svg(FILE *f, const struct module *m, const struct plan_style *style)
{
	struct picture c = { f, m, m->plan, m->arena };
	struct legend l = { LEFT, LEGEND };

	(void)style;
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

const struct plan_format plan_format_svg = {
	.name = "svg",
	.print = print_svg,
};
