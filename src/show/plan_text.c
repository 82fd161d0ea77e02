/*
 * The plan for people, in about one screen: its size, what is persistent, a curve of live bytes
 * over the step, which tensors make up the peak, and the layers' parameters and multiply-adds.
 */
#include "show/show.h"

#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "target/gpu.h"
#include "target/target.h"
#include "fit/trade.h"
#include "frameworks/pytorch_eager.h"
#include "ir/op.h"
#include "show/chart.h"
#include "plan/summary.h"

#define TOP_SHOWN	10	/* buffers at the peak */
#define LINES_SHOWN	5	/* of the spec, at the peak */
#define LAYERS_SHOWN	5
#define COLUMN_WIDTH	40	/* of two lists side by side */

struct printer {
	FILE *out;
	const struct module *m;
	const struct plan *p;
	const struct plan_summary *s;
	struct plan_style style;
};

static void
heading(const struct printer *r, const char *text)
{
	fprintf(r->out, "\n%s%s%s\n", r->style.colour ? "\033[1m" : "", text,
	    r->style.colour ? "\033[0m" : "");
}

/* 4089184256 as "4.089 G" */
static const char *
count_human(char buf[SIZE_TEXT], int64_t n)
{
	static const char unit[] = " kMGTPE";
	double x = (double)n;
	int u = 0;

	while (x >= 1000 && u < 6) {
		x /= 1000;
		u++;
	}
	snprintf(buf, SIZE_TEXT, u ? "%.3f %c" : "%.0f", x, unit[u]);
	return buf;
}

static void
size_row(const struct printer *r, const char *name, int64_t bytes)
{
	plan_size_row(r->out, &r->style, name, bytes);
}

/* Of an update, on several ranks */
static void
print_shares(const struct printer *r)
{
	const struct settings *set = &r->m->set;

	fprintf(r->out, "  (");
	if (settings_stages(set) > 1)
		fprintf(r->out, "on rank %lld of %lld, which are stages; %lld micro-batch%s", (long long)set->stage,
		    (long long)set->ranks, (long long)set->accumulate, set->accumulate > 1 ? "es" : "");
	else if (set->splits)
		fprintf(r->out, "on each of %lld ranks, which share layers, not samples; %lld micro-batch%s", (long long)set->ranks,
		    (long long)set->accumulate, set->accumulate > 1 ? "es" : "");
	else if (set->accumulate > 1)
		fprintf(r->out, "%lld micro-batches on each of %lld ranks", (long long)set->accumulate,
		    (long long)set->ranks);
	else
		fprintf(r->out, "%lld ranks together", (long long)set->ranks);
	fprintf(r->out, " make%s an update of %lld samples)", settings_data_ranks(set) == 1 && set->accumulate == 1 ?
	    "s" : "", (long long)set->batch);
}

/* What a rank has of what is shared out, WHOLE bytes. */
static void
print_shared(const struct printer *r, enum tensor_kind kind, int64_t whole)
{
	char all[SIZE_TEXT];

	if (!whole)
		return;
	size_row(r, plan_kind_heading(kind), r->s->persistent[kind]);
	fprintf(r->out, "  on each rank, at most: its piece of every tensor, of %s in all\n", size_human(all, whole));
}

static void
print_batch(const struct printer *r)
{
	const struct settings *set = &r->m->set;
	FILE *f = r->out;

	fprintf(f, "  %-22s ", "batch");
	if (!r->m->train) {
		fprintf(f, "%12lld  (inference only: the spec has no loss)\n",
		    (long long)r->p->validate_batch);
		return;
	}
	fprintf(f, "%12lld", (long long)r->p->batch);
	if (set->ranks > 1)
		print_shares(r);
	else if (set->accumulate > 1)
		fprintf(f, "  (%lld micro-batches make an update of %lld samples)",
		    (long long)set->accumulate, (long long)set->batch);
	putc('\n', f);
	if (r->m->validate && r->p->validate_batch != r->p->batch)
		fprintf(f, "  %-22s %12lld\n", "validation batch",
		    (long long)r->p->validate_batch);
}

static void
print_device(const struct printer *r)
{
	const struct device *d = &r->m->set.device;
	char spare[SIZE_TEXT];
	int64_t left = d->memory - r->p->arena_bytes, ranks = module_ranks(r->m);
	bool beside = r->p->arena_bytes <= target_memory(r->p->target, ranks, d);	/* as fit and the next row count */

	if (!d->given) {
		fprintf(r->out, "  %-22s %12s  stowage fit --memory SIZE tells whether it fits, and the largest batch that does\n",
		    "device", "unknown");
		return;
	}
	size_row(r, "device", d->memory);
	fprintf(r->out, "  %s%s%s %s\n", d->name ? d->name : "", d->name ? ": " : "",
	    left < 0 ? "DOES NOT FIT: over by" : beside ? "fits, leaving" : ranks > 1 ?
	    "DOES NOT FIT beside driver, context, libraries and NCCL: leaves" :
	    "DOES NOT FIT beside driver, context and libraries: leaves",
	    size_human(spare, left >= 0 ? left : -left));
}

/* Done twice so that less need be kept */
static void
print_recomputed(const struct printer *r)
{
	const struct plan *p = r->p;
	const struct recomputed *again = &p->recomputed;
	char traffic[SIZE_TEXT];

	if (!again->nodes)
		return;
	fprintf(r->out, "  %-22s %12d  layer%s in backward: %.1f %% more multiply-adds, %s more "
	    "memory traffic\n", "recomputed", again->nodes, again->nodes == 1 ? "" : "s",
	    p->step_macs ? 100.0 * (double)again->macs / (double)p->step_macs : 0.0,
	    size_human(traffic, again->traffic));
}

/* What a step takes; the line is left open. */
static void
print_time(const struct printer *r, const char *name, const struct estimate *e)
{
	fprintf(r->out, "  %-22s %9.2f ms  %.1f GB read and written, %d kernels or more", name, e->apart / 1e6,
	    (double)e->traffic / 1e9, e->kernels);
}

/* Not what rounds to nothing. */
static void
print_side_by_side(const struct printer *r, const struct estimate *e)
{
	double less = e->in_turn - e->apart;

	if (less >= 0.0005 * e->in_turn && less >= 0.005e6)	/* as many digits are shown */
		fprintf(r->out, "  %-22s %9.2f ms  less than one call after the other, %.1f %%\n", "side by side", less / 1e6,
		    100 * less / e->in_turn);
}

/* Where one kernel does all of a step, beside what that takes otherwise. */
static void
print_cooperative(const struct printer *r)
{
	struct estimate e;

	if (!r->p->cooperative)
		return;
	e = plan_step_estimate(r->m);
	fprintf(r->out, "  %-22s %9.2f ms  by one kernel, whose blocks meet %d times, %.1f us each; %.2f ms by %d or more\n",
	    "calls of a step", e.together / 1e6, e.meetings, MEETING_NS / 1e3, e.apart / 1e6, e.kernels);
}

static void
print_trade(const struct printer *r)
{
	struct trade t;
	char size[SIZE_TEXT];

	print_cooperative(r);
	if (r->p->apart == APART_NOT_ASKED || !(t = fit_trade(r->m)).card)
		return;
	print_time(r, "step, at least", &t.step);
	fprintf(r->out, " (of %s's %d GB/s", t.card->name, t.card->gb_s);
	if (t.rates.macs > 0)
		fprintf(r->out, " and %.0f TFLOPS", t.rates.macs / CARD_SHARE * 2e-3);
	fprintf(r->out, " %.0f %%; %.0f us a kernel)\n", 100 * CARD_SHARE, KERNEL_NS / 1e3);
	if (!r->p->cooperative)
		print_side_by_side(r, &t.step);
	if (t.least) {
		print_time(r, "with objective memory", &t.least_step);
		fprintf(r->out, ", in %s; %d calls one after the other\n", size_human(size, t.least->arena_bytes),
		    t.least_longest);
	}
}

/* What bytes were given for. */
static void
print_objective(const struct printer *r)
{
	int calls, longest;

	if (r->p->apart == APART_NOT_ASKED)
		return;
	longest = plan_longest(r->p, r->m->arena, &calls);
	fprintf(r->out, "  %-22s %12s  %d calls in a step, %d one after the other (%d by their tensors alone)%s\n",
	    "objective", "speed", calls, longest, plan_chain(r->p, r->m->arena), r->p->apart == APART ? "" :
	    ": no room to keep branches' bytes apart");
}

/* What the same step takes elsewhere, to compare with. */
static void
print_eager(const struct printer *r)
{
	int64_t bytes = eager_bytes(r->m);

	if (bytes < 0)
		return;
	size_row(r, "PyTorch eager", bytes);
	fputs("  (estimate: bytes of tensors, no workspaces, no rounding)\n", r->out);
}

/* Values that exist a piece at a time: what they would take, and what the pieces do. */
static void
print_pieces(const struct printer *r)
{
	const struct plan *p = r->p;
	char size[SIZE_TEXT];
	int i;

	for (i = 0; i < p->instants; i++) {
		const struct node *n = p->at[i].node;
		struct tensor t;

		if (!n->op->memory.pieces || !n->work)
			continue;
		t = n->op->memory.pieces(n);
		size_row(r, "never whole", affine_at(tensor_bytes(&t), p->at[i].graph->batch));
		fprintf(r->out, "  outputs of %s in %s, made in %s\n", t.name, p->at[i].graph->name,
		    size_human(size, affine_at(tensor_bytes(n->work), p->at[i].graph->batch)));
	}
}

static void
print_totals(const struct printer *r)
{
	const struct plan *p = r->p;
	char count[SIZE_TEXT];

	fprintf(r->out, "  %-22s %12s\n", "target", p->target->name);
	print_batch(r);
	fprintf(r->out, "  %-22s %12s", "parameters", size_commas(count, r->s->parameters));
	if (r->s->frozen)
		fprintf(r->out, "  (%s of them frozen)", size_commas(count, r->s->frozen));
	fprintf(r->out, "  %s multiply-adds a sample, forward\n",
	    count_human(count, affine_at(r->s->macs, 1)));
	size_row(r, "arena", p->arena_bytes);
	putc('\n', r->out);
	size_row(r, "lower bound", p->lower_bound_bytes);
	fprintf(r->out, "  arena / bound = %.4f%s\n",
	    p->lower_bound_bytes ? (double)p->arena_bytes / (double)p->lower_bound_bytes : 1.0,
	    p->optimal ? ", proved optimal" : "");
	print_shared(r, T_PARAM, r->s->whole_weights);
	print_shared(r, T_OPTIMIZER, r->s->whole_state);
	plan_between_ranks(r->out, r->m, r->s, &r->style);
	print_recomputed(r);
	print_objective(r);
	print_trade(r);
	print_pieces(r);
	print_eager(r);
	print_device(r);
	plan_sharding(r->out, r->m, &r->style);
	plan_feeding(r->out, r->m, &r->style);
}

/* ---- kinds ---- */

struct list {
	const char *title;
	const int64_t *bytes;	/* by kind */
	const char *sum;
	int64_t together;
};

/* Line N of a list: 0 its title, then its kinds, then the sum; NULL beyond that. */
static const char *
list_line(const struct printer *r, const struct list *l, int n)
{
	char human[SIZE_TEXT], exact[SIZE_TEXT];
	const char *name = NULL;
	int64_t bytes = l->together;
	int k, at = 1;

	if (n == 0)
		return l->title;
	for (k = 0; k < TENSOR_KINDS && !name; k++)
		if (l->bytes[k] && at++ == n) {
			name = plan_kind_heading(k);
			bytes = l->bytes[k];
		}
	if (!name && at == n)
		name = l->sum;
	if (!name)
		return NULL;
	return arena_printf(r->m->arena, r->style.exact_bytes ? "  %-22s %12s  %19s B" :
	    "  %-20s %11s", name, size_human(human, bytes), size_commas(exact, bytes));
}

static void
print_lists(const struct printer *r, const struct list *left, const struct list *right)
{
	const char *l, *other;
	int n;

	for (n = 0;; n++) {
		l = list_line(r, left, n);
		other = right ? list_line(r, right, n) : NULL;
		if (!l && !other)
			return;
		if (other)
			l = arena_printf(r->m->arena, "%-*s%s", COLUMN_WIDTH, l ? l : "", other);
		if (n == 0)
			heading(r, l);
		else
			fprintf(r->out, "%s\n", l);
	}
}

/* Side by side where they fit: with exact bytes they do not. */
static void
print_kinds(const struct printer *r)
{
	const struct list persistent = { "Persistent: alive throughout", r->s->persistent,
		"together, aligned", r->p->persistent_bytes };
	const struct list transient = { "Transient: alive at the peak", r->s->at_peak,
		"room for all of it", r->p->transient_bytes };

	if (persistent.together && transient.together && !r->style.exact_bytes) {
		print_lists(r, &persistent, &transient);
		return;
	}
	if (persistent.together)
		print_lists(r, &persistent, NULL);
	if (transient.together)
		print_lists(r, &transient, NULL);
}

/* ---- the peak ---- */

struct top_row {		/* a buffer in words */
	const char *place, *name, *what, *alive;
};

struct widths {
	int place, name, what, alive;
};

/* The largest buffers alive at the peak, largest first; returns how many. */
static int
find_top(const struct plan *p, const struct buffer *top[TOP_SHOWN])
{
	int i, k, n = 0;

	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *b = &p->buffers.v[i];

		if (b->first > p->peak || b->last < p->peak ||
		    (n == TOP_SHOWN && b->bytes <= top[n - 1]->bytes))
			continue;
		n += n < TOP_SHOWN;
		for (k = n - 1; k > 0 && top[k - 1]->bytes < b->bytes; k--)
			top[k] = top[k - 1];
		top[k] = b;
	}
	return n;
}

static void
widen(int *width, const char *s)
{
	if ((int)strlen(s) > *width)
		*width = (int)strlen(s);
}

static struct top_row
row_of(const struct printer *r, const struct buffer *b, struct widths *w)
{
	struct arena *a = r->m->arena;
	struct top_row row = { .name = b->root->name };

	row.place = loc_shown(a, b->root->loc, r->m->src);
	/* names tell the gradients of parameters from those of activations */
	row.what = tensor_kind_name(b->root->kind == T_DELTA ? T_GRADIENT : b->root->kind);
	if (b->root->kind != T_WORKSPACE)
		row.what = arena_printf(a, "%s %s", row.what, tensor_shape_text(a, b->root));
	row.alive = b->persistent ? "throughout" : arena_printf(a, "%d to %d", b->first, b->last);
	widen(&w->place, row.place);
	widen(&w->name, row.name);
	widen(&w->what, row.what);
	widen(&w->alive, row.alive);
	return row;
}

/* Prints a name in WIDTH columns: of one that is too long, its end. */
static void
print_name(const struct printer *r, const char *name, int width)
{
	const char *dots = r->style.unicode ? "\u2026" : "..";
	int over = (int)strlen(name) - width, spare = r->style.unicode ? 1 : 2;

	if (over > 0)
		fprintf(r->out, "%s%s", dots, name + over + spare);
	else
		fprintf(r->out, "%-*s", width, name);
}

static void
print_top(const struct printer *r)
{
	const struct buffer *top[TOP_SHOWN];
	const int n = find_top(r->p, top);
	struct top_row row[TOP_SHOWN];
	struct widths w = { 0 };
	char size[SIZE_TEXT], exact[SIZE_TEXT];
	int64_t live = r->p->at[r->p->peak].live;
	int i, room;

	for (i = 0; i < n; i++)
		row[i] = row_of(r, top[i], &w);
	room = r->style.columns - (w.place + w.what + w.alive + (r->style.exact_bytes ? 52 : 29));
	if (r->style.columns && room < w.name)
		w.name = room < 12 ? 12 : room;
	for (i = 0; i < n; i++) {
		fprintf(r->out, "  %12s", size_human(size, top[i]->bytes));
		if (r->style.exact_bytes)
			fprintf(r->out, "  %19s B", size_commas(exact, top[i]->bytes));
		fprintf(r->out, " %5.1f %%  %-*s  ", 100.0 * (double)top[i]->bytes / (double)live,
		    w.place, row[i].place);
		print_name(r, row[i].name, w.name);
		fprintf(r->out, "  %-*s  %s\n", w.what, row[i].what, row[i].alive);
	}
}

/* The lines of the spec that hold most of what is transient at the peak, in one line of text. */
static void
print_lines(const struct printer *r)
{
	char size[SIZE_TEXT];
	int i;

	if (r->s->lines.n == 0)
		return;
	fputs(r->m->src && r->m->src->origins ? "  by place:" : "  by line:", r->out);
	for (i = 0; i < r->s->lines.n && i < LINES_SHOWN; i++) {
		const struct line_bytes *l = &r->s->lines.v[i];
		const char *line = loc_shown(r->m->arena, l->loc, r->m->src);

		if (strncmp(line, "line ", 5) == 0)
			line += 5;
		fprintf(r->out, "%s %s (%s)", i ? "," : "", line, size_human(size, l->bytes));
	}
	if (i < r->s->lines.n)
		fprintf(r->out, ", %d more", r->s->lines.n - i);
	putc('\n', r->out);
}

static void
print_peak(const struct printer *r)
{
	const struct instant *at = &r->p->at[r->p->peak];
	char size[SIZE_TEXT];

	heading(r, arena_printf(r->m->arena, "Peak: %s alive at instant %d of %d, %s of %s "
	    "(%s)", size_human(size, at->live), r->p->peak, r->p->instants,
	    plan_phase_name(at), at->node->path, loc_shown(r->m->arena, at->node->loc, at->node->loc.src)));
	print_top(r);
	print_lines(r);
}

/* ---- layers ---- */

/* Is this layer among those with the most multiply-adds? Ties go to the earlier. */
static bool
is_dear(const struct plan_summary *s, int layer)
{
	int64_t macs = affine_at(s->layers.v[layer].macs, 1), other;
	int i, before = 0;

	for (i = 0; i < s->layers.n && before < LAYERS_SHOWN; i++) {
		other = affine_at(s->layers.v[i].macs, 1);
		before += other > macs || (other == macs && i < layer);
	}
	return before < LAYERS_SHOWN;
}

static void
print_layer(const struct printer *r, const struct layer_cost *c, int width)
{
	char params[SIZE_TEXT], macs[SIZE_TEXT];

	fprintf(r->out, "  %-*s  %-16s %-18s %13s  %10s\n", width, c->node->path, c->node->op->name,
	    tensor_shape_text(r->m->arena, node_value(c->node)), size_commas(params, c->parameters),
	    count_human(macs, affine_at(c->macs, 1)));
}

static void
print_layers(const struct printer *r)
{
	const struct plan_summary *s = r->s;
	const bool all = r->style.layers || s->layers.n <= LAYERS_SHOWN;
	char params[SIZE_TEXT], macs[SIZE_TEXT];
	int i, width = 5;

	if (s->layers.n == 0)
		return;
	heading(r, all ? "Layers: parameters, and multiply-adds of one sample forward" :
	    arena_printf(r->m->arena, "Layers: parameters, and multiply-adds of one sample "
	    "forward; the dearest %d of %d (--layers: all)", LAYERS_SHOWN, s->layers.n));
	for (i = 0; i < s->layers.n; i++)
		if (all || is_dear(s, i))
			widen(&width, s->layers.v[i].node->path);
	for (i = 0; i < s->layers.n; i++)
		if (all || is_dear(s, i))
			print_layer(r, &s->layers.v[i], width);
	fprintf(r->out, "  %-*s  %-16s %-18s %13s  %10s\n", width, "total", "", "",
	    size_commas(params, s->parameters), count_human(macs, affine_at(s->macs, 1)));
}

static void
print_text(FILE *f, const struct module *m, const struct plan_style *style)
{
	struct printer r = { f, m, m->plan, plan_summarise(m), *style };

	fprintf(f, "%snetwork %s%s%s%s\n", style->colour ? "\033[1m" : "", m->name,
	    style->colour ? "\033[0m" : "", m->src ? " in " : "",
	    m->src ? visible_text(m->arena, m->src->path) : "");
	print_totals(&r);
	print_kinds(&r);
	if (r.p->instants && r.p->lower_bound_bytes) {
		print_peak(&r);
		plan_curve(f, m, style);
	}
	print_layers(&r);
}

const struct plan_format plan_format_text = {
	.name = "text",
	.several = true,
	.print = print_text,
};
