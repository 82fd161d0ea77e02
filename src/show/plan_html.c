/*
 * The plan as a page: one file that opens in any browser and loads nothing from the network. It is
 * page/page.html, in which a line "@NAME@" is replaced by the file of that name, by the title or by
 * the plan's data. embed.sh compiles the folder into the program; to change the page, edit, `make`,
 * write a page and look at it. The scripts share one scope, in this order: plan.js holds the data
 * and finds buffers by time, draw.js draws, view.js moves, panels.js writes the words. No name from a
 * spec ever becomes markup: the data escape `<`, and the scripts make text nodes.
 *
 * Here the data are written, as JSON:
 *
 *	kinds    [name, heading, colour, is text on it white?]
 *	regions  [name, first instant, last instant]
 *	files    paths of sources other than the spec
 *	nodes    [operator, path, line, file, live bytes, again]	one per instant
 *	buffers  [name, kind, line, file, bytes, offset, first, last, persistent, shape, again]
 *	shared   [buffer, instant, how, tensor]		who took over its bytes, by instant
 *
 * These are rows rather than objects, since there may be a hundred thousand. "file" is an index, -1 for
 * the spec; "again" is the instant that a recomputation repeats, or -1.
 *
 * tests/peer/page/browser.py drives a Chromium with the standard library of Python alone; its picture()
 * and pdf() save what the browser shows. The colours of the kinds are in chart.c: before changing
 * one, look at it under Emulation.setEmulatedVisionDeficiency.
 */
#include "show/show.h"

#include <string.h>

#include "base/json.h"
#include "target/target.h"
#include "ir/op.h"
#include "show/chart.h"
#include "show/page.h"
#include "plan/summary.h"

struct page {
	struct json j;
	const struct module *m;
	const struct plan *p;
	int *instant;		/* by node id: the instant it runs at, + 1 */
	VEC(const struct source *) files;
};

static int
file_of(struct page *g, struct loc l)
{
	int i;

	l = loc_seen(l);
	if (!l.src || l.src == g->m->src)
		return -1;
	for (i = 0; i < g->files.n; i++)
		if (g->files.v[i] == l.src)
			return i;
	vec_push(g->m->arena, &g->files, l.src);
	return g->files.n - 1;
}

static int
again(const struct page *g, const struct node *n)
{
	return n && n->id < g->m->next_node ? g->instant[n->id] - 1 : -1;
}

static void
write_place(struct page *g, struct loc l)
{
	jsonw_int(&g->j, NULL, loc_line(l));
	jsonw_int(&g->j, NULL, file_of(g, l));
}

static void
write_totals(struct page *g)
{
	struct json *j = &g->j;

	jsonw_int(j, "version", 1);
	jsonw_string(j, "network", g->m->name);
	jsonw_string(j, "path", g->m->src ? g->m->src->path : NULL);
	jsonw_string(j, "target", g->p->target->name);
	jsonw_int(j, "batch", g->m->train ? g->p->batch : g->p->validate_batch);
	jsonw_int(j, "arena", g->p->arena_bytes);
	jsonw_int(j, "bound", g->p->lower_bound_bytes);
	jsonw_bool(j, "optimal", g->p->optimal);
	jsonw_int(j, "persistent", g->p->persistent_bytes);
	jsonw_int(j, "peak", g->p->peak);
}

static void
write_legend(struct page *g)
{
	struct chart_region region[CHART_REGIONS];
	int i, n = chart_regions(g->p, g->m, region);

	jsonw_array(&g->j, "kinds");
	for (i = 0; i < TENSOR_KINDS; i++) {
		jsonw_flat_array(&g->j, NULL);
		jsonw_string(&g->j, NULL, tensor_kind_name(i));
		jsonw_string(&g->j, NULL, plan_kind_heading(i));
		jsonw_string(&g->j, NULL, chart_colour(i));
		jsonw_bool(&g->j, NULL, chart_dark(i));
		jsonw_end(&g->j);
	}
	jsonw_end(&g->j);
	jsonw_array(&g->j, "regions");
	for (i = 0; i < n; i++) {
		jsonw_flat_array(&g->j, NULL);
		jsonw_string(&g->j, NULL, region[i].name);
		jsonw_int(&g->j, NULL, region[i].first);
		jsonw_int(&g->j, NULL, region[i].last);
		jsonw_end(&g->j);
	}
	jsonw_end(&g->j);
}

static void
write_nodes(struct page *g)
{
	int i;

	jsonw_array(&g->j, "nodes");
	for (i = 0; i < g->p->instants; i++) {
		const struct node *n = g->p->at[i].node;

		jsonw_flat_array(&g->j, NULL);
		jsonw_string(&g->j, NULL, n->op->name);
		jsonw_string(&g->j, NULL, n->path);
		write_place(g, n->loc);
		jsonw_int(&g->j, NULL, g->p->at[i].live);
		jsonw_int(&g->j, NULL, again(g, n->again));
		jsonw_end(&g->j);
	}
	jsonw_end(&g->j);
}

static void
write_buffers(struct page *g)
{
	int i;

	jsonw_array(&g->j, "buffers");
	for (i = 0; i < g->p->buffers.n; i++) {
		const struct buffer *b = &g->p->buffers.v[i];

		jsonw_flat_array(&g->j, NULL);
		jsonw_string(&g->j, NULL, b->root->name);
		jsonw_int(&g->j, NULL, (int64_t)b->root->kind);
		write_place(g, b->root->loc);
		jsonw_int(&g->j, NULL, b->bytes);
		jsonw_int(&g->j, NULL, b->offset);
		jsonw_int(&g->j, NULL, b->first);
		jsonw_int(&g->j, NULL, b->last);
		jsonw_int(&g->j, NULL, b->persistent);
		jsonw_string(&g->j, NULL, chart_shape(g->m->arena, b->root));
		jsonw_int(&g->j, NULL, again(g, chart_recomputed(b)));
		jsonw_end(&g->j);
	}
	jsonw_end(&g->j);
}

static void
write_shared(struct page *g)
{
	int i, k;

	jsonw_array(&g->j, "shared");
	for (i = 0; i < g->p->instants; i++) {
		const struct node *n = g->p->at[i].node;

		for (k = 0; k < n->nout; k++) {
			const char *how = chart_sharing(n, k);

			if (!how)
				continue;
			jsonw_flat_array(&g->j, NULL);
			jsonw_int(&g->j, NULL, plan_buffer(g->p, n->out[k]) - g->p->buffers.v);
			jsonw_int(&g->j, NULL, i);
			jsonw_string(&g->j, NULL, how);
			jsonw_string(&g->j, NULL, n->out[k]->name);
			jsonw_end(&g->j);
		}
	}
	jsonw_end(&g->j);
}

static void
write_data(FILE *f, const struct module *m)
{
	struct page g = { .m = m, .p = m->plan };
	int i;

	g.instant = arena_array(m->arena, (size_t)m->next_node + 1, sizeof(*g.instant));
	for (i = 0; i < g.p->instants; i++)
		g.instant[g.p->at[i].node->id] = i + 1;
	jsonw_begin(&g.j, f);
	g.j.in_page = true;
	jsonw_object(&g.j, NULL);
	write_totals(&g);
	write_legend(&g);
	write_nodes(&g);
	write_buffers(&g);
	write_shared(&g);
	jsonw_array(&g.j, "files");
	for (i = 0; i < g.files.n; i++)
		jsonw_string(&g.j, NULL, g.files.v[i]->path);
	jsonw_end(&g.j);
	jsonw_finish(&g.j);
}

/* What the line "@NAME@" stands for. */
static void
write_part(FILE *f, const struct module *m, const char *name)
{
	if (strcmp(name, "data") == 0) {
		write_data(f, m);
	} else if (strcmp(name, "title") == 0) {
		chart_escape(f, m->name);
		fputs(": memory plan\n", f);
	} else {
		fputs(page_file(name), f);
	}
}

static void
print_html(FILE *f, const struct module *m, const struct plan_style *style)
{
	const char *line = page_file("page.html"), *next;
	size_t n;

	(void)style;
	for (; *line; line = next) {
		n = strcspn(line, "\n");
		next = line + n + (line[n] == '\n');
		if (n > 2 && line[0] == '@' && line[n - 1] == '@')
			write_part(f, m, arena_strndup(m->arena, line + 1, n - 2));
		else
			fwrite(line, 1, (size_t)(next - line), f);
	}
}

const struct plan_format plan_format_html = {
	.name = "html",
	.print = print_html,
};
