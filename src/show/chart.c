/*
 * What the pictures of a plan have in common.
 *
 * The colours are the eight of Okabe and Ito, which the colour-blind can tell apart, with tints of
 * them for kinds that are rarely adjacent: activations and their gradients, the bulk of every plan,
 * differ in lightness as well as in hue.
 */
#include "show/chart.h"

#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "base/utf8.h"
#include "ir/op.h"
#include "plan/summary.h"

const enum tensor_kind chart_kinds[] = {
	T_PARAM, T_GATHERED, T_STATISTIC, T_TABLE, T_OPTIMIZER, T_GRADIENT, T_INPUT, T_TARGET, T_ACTIVATION, T_SAVED,
	T_DELTA, T_WORKSPACE, T_SCALAR, T_POISON
};

static const struct {
	const char *colour;
	bool dark;
} look[TENSOR_KINDS] = {
	[T_PARAM] = { "#0072b2", true },
	[T_GATHERED] = { "#5c4fb5", true },
	[T_STATISTIC] = { "#a6d0ea", false },
	[T_TABLE] = { "#7f9fc0", false },
	[T_OPTIMIZER] = { "#56b4e9", false },
	[T_GRADIENT] = { "#d55e00", true },
	[T_INPUT] = { "#cc79a7", false },
	[T_TARGET] = { "#8a4b76", true },
	[T_ACTIVATION] = { "#009e73", true },
	[T_SAVED] = { "#e6d630", false },
	[T_DELTA] = { "#f0a830", false },
	[T_WORKSPACE] = { "#bcbcbc", false },
	[T_SCALAR] = { "#4a4a4a", true },
	[T_POISON] = { "#000000", true },
};

const char *
chart_colour(enum tensor_kind k)
{
	return look[k].colour;
}

bool
chart_dark(enum tensor_kind k)
{
	return look[k].dark;
}

/* Forward nodes that run again stand between backward nodes, and so do early updates: a part ends
 * where the last node of its phase does, not where the phases alternate. */
static int
train_regions(const struct graph *g, int start, struct chart_region *region)
{
	const int end = start + g->nodes.n;
	int first = end, last = start - 1, n = 0, i;

	for (i = start; i < end; i++)
		if (g->nodes.v[i - start]->phase == PHASE_BACKWARD) {
			first = first < i ? first : i;
			last = i;
		}
	if (last < first)
		first = last = end;
	if (first > start)
		region[n++] = (struct chart_region){ "forward", start, first - 1 };
	if (first < end)
		region[n++] = (struct chart_region){ "backward", first, last };
	if (last + 1 < end)
		region[n++] = (struct chart_region){ "update", last + 1, end - 1 };
	return n;
}

/* Does the node write a parameter of that one of the step's updates? */
static bool
moves(const struct node *n, int turn)
{
	int k;

	for (k = 0; k < n->nout; k++)
		if (n->out[k] && tensor_root(n->out[k])->kind == T_PARAM && tensor_root(n->out[k])->turn == turn)
			return true;
	return false;
}

/* A step of several updates goes forward and backward for each, and each of its parts ends where
 * the last parameter of that update has moved. */
static int
turn_regions(const struct module *m, struct chart_region *region)
{
	const struct graph *g = m->train;
	int n = 0, at, turn, i, last;

	for (at = 0; at < g->nodes.n && g->nodes.v[at]->phase != PHASE_BACKWARD; at++)
		;
	if (at > 0)
		region[n++] = (struct chart_region){ "forward", 0, at - 1 };
	for (turn = 1; turn <= m->set.nturns; turn++) {
		for (last = at - 1, i = at; i < g->nodes.n; i++)
			if (turn == m->set.nturns || moves(g->nodes.v[i], turn))
				last = i;
		if (last >= at)
			region[n++] = (struct chart_region){ arena_printf(m->arena, "update %d", turn), at, last };
		at = last + 1;
	}
	return n;
}

int
chart_regions(const struct plan *p, const struct module *m,
    struct chart_region region[CHART_REGIONS])
{
	int n = 0, at = 0;

	if (m->train) {
		n = m->set.nturns ? turn_regions(m, region) : train_regions(m->train, 0, region);
		at = m->train->nodes.n;
	}
	if (m->update && m->update->nodes.n) {
		if (n && strcmp(region[n - 1].name, "update") == 0)
			region[n - 1].last += m->update->nodes.n;
		else
			region[n++] = (struct chart_region){ "update", at,
			    at + m->update->nodes.n - 1 };
		at += m->update->nodes.n;
	}
	if (at < p->instants)
		region[n++] = (struct chart_region){ plan_phase_name(&p->at[at]), at,
		    p->instants - 1 };
	return n;
}

int64_t
chart_step(int64_t top, int most)
{
	int64_t step = 1;

	while (top / step >= most && step < LARGEST_BYTES)
		step *= 2;
	return step;
}

const struct node *
chart_recomputed(const struct buffer *b)
{
	return b->root->def ? b->root->def->again : NULL;
}

const char *
chart_sharing(const struct node *n, int out)
{
	const struct tensor *t = n->out[out];

	if (!t || !t->alias_of)
		return NULL;
	if (tensor_persistent(t))
		return "update";
	return n->op->memory.alias && n->op->memory.alias(n, out) >= 0 ? "view" : "in place";
}

const char *
chart_shape(struct arena *a, const struct tensor *t)
{
	const char *dims;

	if (t->kind == T_WORKSPACE)
		return "";
	dims = tensor_shape_text(a, t);
	return arena_printf(a, "%s[%s%s", dtype_name(t->dtype), !t->batched ? "" :
	    t->rank ? "B, " : "B", dims + 1);
}

/* Thousandths of the font's size, a little more than Helvetica's. */
static int
letter_width(uint32_t c)
{
	if (c < 0x80 && strchr("ijl.,:;'|!", (int)c))
		return 280;
	if (c < 0x80 && strchr("frt I()[]-/", (int)c))
		return 350;
	if (c < 0x80 && strchr("mwMW%@", (int)c))
		return 900;
	if (c >= 'A' && c <= 'Z')
		return 720;
	return c < 0x80 ? 570 : 1000 * utf8_width(c);
}

int
chart_width(const char *s, int font)
{
	size_t left = strlen(s), took;
	int64_t sum = 0;
	uint32_t c;

	for (; left > 0; s += took, left -= took) {
		took = utf8_decode(s, left, &c, NULL);
		sum += letter_width(c);
	}
	return (int)((sum * font + 999) / 1000);
}

void
chart_escape(FILE *f, const char *s)
{
	size_t left = strlen(s), took;
	uint32_t c;
	int good;

	for (; left > 0; s += took, left -= took) {
		took = utf8_decode(s, left, &c, &good);
		if (c == '&')
			fputs("&amp;", f);
		else if (c == '<')
			fputs("&lt;", f);
		else if (c == '>')
			fputs("&gt;", f);
		else if (c == '"')
			fputs("&quot;", f);
		else if (!good || utf8_hidden(c) || (c & 0xfffe) == 0xfffe)
			fputs("\xef\xbf\xbd", f);
		else
			fwrite(s, 1, took, f);
	}
}

void
plan_size_row(FILE *f, const struct plan_style *style, const char *name, int64_t bytes)
{
	char human[SIZE_TEXT], exact[SIZE_TEXT];

	fprintf(f, "  %-22s %12s", name, size_human(human, bytes));
	if (style->exact_bytes)
		fprintf(f, "  %19s B", size_commas(exact, bytes));
}
