/*
 * The plan for people: what it takes, what of it stays, where the peak is and whose it is, a
 * picture of live bytes over the step, and the layers' parameters and multiply-adds.
 */
#include "plan/plan.h"

#include <string.h>

#include "base/text.h"
#include "emit/emit.h"
#include "model/eager.h"
#include "ops/op.h"
#include "plan/summary.h"

#define LINES_SHOWN	8	/* of the spec, at the peak */
#define PICTURE_WIDTH	64
#define PICTURE_HEIGHT	10

struct printer {
	FILE *out;
	const struct module *m;
	const struct plan *p;
	const struct plan_summary *s;
	bool exact, colour;
};

static void
heading(const struct printer *r, const char *text)
{
	fprintf(r->out, "\n%s%s%s\n", r->colour ? "\033[1m" : "", text, r->colour ? "\033[0m" : "");
}

static void
size_row(const struct printer *r, const char *name, int64_t bytes)
{
	char human[SIZE_TEXT], exact[SIZE_TEXT];

	fprintf(r->out, "  %-22s %12s", name, size_human(human, bytes));
	if (r->exact)
		fprintf(r->out, "  %19s B", size_commas(exact, bytes));
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
	if (set->accumulate > 1)
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
	int64_t left = d->memory - r->p->arena_bytes;

	if (!d->given)
		return;
	size_row(r, "device", d->memory);
	fprintf(r->out, "  %s%s%s %s\n", d->name ? d->name : "", d->name ? ": " : "",
	    left >= 0 ? "fits, leaving" : "DOES NOT FIT: over by",
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
	putc('\n', r->out);
	size_row(r, "arena", p->arena_bytes);
	putc('\n', r->out);
	size_row(r, "lower bound", p->lower_bound_bytes);
	fprintf(r->out, "  arena / bound = %.4f%s\n",
	    p->lower_bound_bytes ? (double)p->arena_bytes / (double)p->lower_bound_bytes : 1.0,
	    p->optimal ? ", proved optimal" : "");
	print_recomputed(r);
	print_eager(r);
	print_device(r);
}

static void
print_group(const struct printer *r, const char *title, const int64_t *bytes, const char *sum,
    int64_t together)
{
	int k;

	if (together == 0)
		return;
	heading(r, title);
	for (k = 0; k < TENSOR_KINDS; k++)
		if (bytes[k]) {
			size_row(r, plan_kind_heading(k), bytes[k]);
			putc('\n', r->out);
		}
	size_row(r, sum, together);
	putc('\n', r->out);
}

static void
print_kinds(const struct printer *r)
{
	print_group(r, "Persistent: alive throughout", r->s->persistent, "together, aligned",
	    r->p->persistent_bytes);
	print_group(r, "Transient: alive at the peak", r->s->at_peak, "room for all of it",
	    r->p->transient_bytes);
}

static void
print_line(const struct printer *r, const struct line_bytes *l)
{
	char size[SIZE_TEXT], exact[SIZE_TEXT];

	fprintf(r->out, "  %12s", size_human(size, l->bytes));
	if (r->exact)
		fprintf(r->out, "  %19s B", size_commas(exact, l->bytes));
	if (l->loc.src && l->loc.src != r->m->src)
		fprintf(r->out, "  %s:%d", l->loc.src->path, loc_line(l->loc));
	else
		fprintf(r->out, "  line %-4d", loc_line(l->loc));
	fprintf(r->out, " %4d buffer%s %s: %s\n", l->buffers, l->buffers == 1 ? ", " : "s, mostly",
	    tensor_kind_name(l->largest->kind), l->largest->name);
}

static void
print_peak(const struct printer *r)
{
	const struct instant *at;
	int64_t rest = 0;
	char title[200], size[SIZE_TEXT];
	int i;

	if (r->p->instants == 0)
		return;
	at = &r->p->at[r->p->peak];
	snprintf(title, sizeof(title), "Peak: instant %d of %d, %s of %s (line %d)", r->p->peak,
	    r->p->instants, plan_phase_name(at), at->node->path, loc_line(at->node->loc));
	heading(r, title);
	for (i = 0; i < r->s->lines.n && i < LINES_SHOWN; i++)
		print_line(r, &r->s->lines.v[i]);
	for (; i < r->s->lines.n; i++)
		rest += r->s->lines.v[i].bytes;
	if (rest)
		fprintf(r->out, "  %12s  %d more line%s\n", size_human(size, rest),
		    r->s->lines.n - LINES_SHOWN, r->s->lines.n - LINES_SHOWN == 1 ? "" : "s");
}

/* ---- the picture ---- */

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

/* The name of each phase under its first column, where it fits. */
static void
print_phases(const struct printer *r, int width)
{
	char axis[PICTURE_WIDTH + 1], names[PICTURE_WIDTH + 1];
	const char *last = "", *name;
	int x, i, free_from = 0;

	memset(axis, '-', sizeof(axis));
	memset(names, ' ', sizeof(names));
	axis[width] = names[width] = '\0';
	for (x = 0; x < width; x++) {
		i = (int)((int64_t)x * r->p->instants / width);
		name = plan_phase_name(&r->p->at[i]);
		/* early updates stand between backward nodes: they belong to backward */
		if (strcmp(name, last) == 0 || (strcmp(name, "update") == 0 &&
		    r->p->at[i].graph == r->m->train) ||
		    (strcmp(last, "validate") == 0))
			continue;
		axis[x] = '+';
		if (x >= free_from && x + (int)strlen(name) <= width) {
			memcpy(names + x, name, strlen(name));
			free_from = x + (int)strlen(name) + 1;
		}
		last = name;
	}
	while (width > 0 && names[width - 1] == ' ')
		names[--width] = '\0';
	fprintf(r->out, "  %12s +%s\n", "", axis);
	fprintf(r->out, "  %12s  %s\n", "", names);
}

static void
print_picture(const struct printer *r)
{
	const int width = PICTURE_WIDTH;
	int x, y;
	int64_t top = r->p->lower_bound_bytes, kept = r->p->persistent_bytes;
	char label[SIZE_TEXT];

	if (r->p->instants == 0 || top == 0)
		return;
	heading(r, "Live bytes over the step (= persistent, # transient)");
	for (y = PICTURE_HEIGHT; y >= 1; y--) {
		double floor = (double)top * (y - 1) / PICTURE_HEIGHT;
		char row[PICTURE_WIDTH + 1];

		for (x = 0; x < width; x++)
			row[x] = (double)column_bytes(r->p, x, width) <= floor ? ' ' :
			    (double)kept > floor ? '=' : '#';
		while (x > 0 && row[x - 1] == ' ')
			x--;
		row[x] = '\0';
		size_human(label, (int64_t)((double)top * y / PICTURE_HEIGHT));
		fprintf(r->out, "  %12s |%s\n", y == PICTURE_HEIGHT || y == PICTURE_HEIGHT / 2 ?
		    label : "", row);
	}
	print_phases(r, width);
}

/* ---- layers ---- */

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
print_layers(const struct printer *r)
{
	struct arena *a = r->m->arena;
	char params[SIZE_TEXT], macs[SIZE_TEXT];
	int i, width = 5, w;

	if (r->s->layers.n == 0)
		return;
	heading(r, "Layers: parameters, and multiply-adds of one sample forward");
	for (i = 0; i < r->s->layers.n; i++) {
		w = (int)strlen(r->s->layers.v[i].node->path);
		width = w > width ? w : width;
	}
	for (i = 0; i < r->s->layers.n; i++) {
		const struct layer_cost *c = &r->s->layers.v[i];

		fprintf(r->out, "  %-*s  %-16s %-18s %13s  %10s\n", width, c->node->path,
		    c->node->op->name, tensor_shape_text(a, c->node->out[0]),
		    size_commas(params, c->parameters), count_human(macs,
		    affine_at(c->macs, 1)));
	}
	fprintf(r->out, "  %-*s  %-16s %-18s %13s  %10s\n", width, "total", "", "",
	    size_commas(params, r->s->parameters), count_human(macs, affine_at(r->s->macs, 1)));
}

void
plan_report(FILE *f, const struct module *m, bool exact_bytes, bool colour)
{
	struct printer r = { f, m, m->plan, plan_summarise(m), exact_bytes, colour };

	fprintf(f, "%snetwork %s%s%s%s\n", colour ? "\033[1m" : "", m->name,
	    colour ? "\033[0m" : "", m->src ? " in " : "", m->src ? m->src->path : "");
	print_totals(&r);
	print_kinds(&r);
	print_peak(&r);
	print_picture(&r);
	print_layers(&r);
}
