/*
 * skipped-positions: a map of which at least half the positions are never read, since the window of
 * the layer that reads it is smaller than its stride. And windows of one place on a frame of zeros.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"
#include "plan/plan.h"

#define FEWEST	64	/* of the smallest map that is reported */

struct read_window {
	int64_t kernel, stride, top, dilation;
};

/* Of N rows of input, those that a layer with so many rows of output reads; N where its windows are
 * spread. */
static int64_t
rows_read(const struct read_window *w, int64_t n, int64_t out)
{
	int64_t read, last = (out - 1) * w->stride + w->kernel - w->top;

	if (w->dilation > 1 || w->kernel >= w->stride)
		return last < n && w->dilation <= 1 ? last : n;
	read = out * w->kernel;
	return read < n ? read : n;
}

static bool
window_of(const struct node *n, int axis, struct read_window *w)
{
	const struct attr *stride;
	bool conv = node_is(n, "conv");

	if (!conv && !node_is(n, "maxpool") && !node_is(n, "avgpool"))
		return false;
	stride = op_attr(n, "stride");
	w->kernel = op_attr(n, "kernel")->v[axis];
	w->stride = stride->n ? stride->v[axis] : w->kernel;
	w->top = op_attr(n, "pad")->v[2 * axis];
	w->dilation = conv ? op_attr(n, "dilation")->v[axis] : 1;
	return true;
}

/* How many places of its input the node reads. */
static int64_t
places_read(const struct node *n)
{
	const struct tensor *x = n->in[0], *y = n->out[0];
	int64_t all = x->dim[1] * x->dim[2];
	struct read_window h, w;

	if (!window_of(n, 0, &h) || !window_of(n, 1, &w))
		return all;
	return rows_read(&h, x->dim[1], y->dim[1]) * rows_read(&w, x->dim[2], y->dim[2]);
}

/* A pool, whose window can be as large as its stride. */
static void
tell_pool(struct lint *l, struct diag *g, const struct node *pool)
{
	struct read_window h, w;

	if (!window_of(pool, 0, &h) || !window_of(pool, 1, &w))
		return;
	if (h.stride == w.stride)
		diag_help(l->diags, g, "a window as large as the stride, %s(%lld); or stride=%lld", pool->op->name,
		    (long long)h.stride, (long long)(h.kernel > w.kernel ? h.kernel : w.kernel));
	else
		diag_help(l->diags, g, "a window as large as the stride, %s((%lld, %lld))", pool->op->name,
		    (long long)h.stride, (long long)w.stride);
}

static void
report(const struct rule *rule, struct lint *l, const struct node *maker, const struct node *reader,
    int64_t read)
{
	struct module *m = l->module;
	const struct tensor *t = maker->out[0];
	int64_t all = t->dim[1] * t->dim[2];
	int64_t batch = m->train ? m->plan->batch : m->plan->validate_batch;
	int64_t bytes = affine_at(tensor_bytes(t), batch);
	double skipped = (double)(all - read) / (double)all;
	struct diag *g = lint_report(l, rule, reader->loc, "%.0f %% of the places that '%s' makes "
	    "are never read: the stride of '%s' is larger than its window", 100 * skipped,
	    maker->path,
	    reader->path);

	diag_place(l->diags, g, maker->loc, "they are made here");
	diag_fact(l->diags, g, "%lld of %lldx%lld places of %s; %s of %s B at batch %lld are for "
	    "nothing; grows with B·C·H·W", (long long)(all - read), (long long)t->dim[1],
	    (long long)t->dim[2], tensor_shape_text(m->arena, t),
	    lint_commas(m->arena, (int64_t)((double)bytes * skipped)), lint_commas(m->arena, bytes),
	    (long long)batch);
	if (node_is(reader, "conv"))
		diag_help(l->diags, g, "the stride on a layer whose window covers it (conv 3x3), or "
		    "avgpool before a 1x1; or the stride where the map is made, which then costs a part");
	else
		tell_pool(l, g, reader);
}

/* A 1x1 window that sees nothing but the frame, at every place of it. */
static bool
reads_frame(const struct node *n)
{
	const struct attr *kernel, *pad;
	bool framed = false;
	int i;

	if (!node_is(n, "conv") || !n->in[0])
		return false;
	kernel = op_attr(n, "kernel");
	pad = op_attr(n, "pad");
	for (i = 0; i < kernel->n; i++)
		if (kernel->v[i] != 1)
			return false;
	for (i = 0; i < pad->n; i++)
		framed |= pad->v[i] > 0;
	return framed;
}

static void
report_frame(const struct rule *rule, struct lint *l, const struct node *n)
{
	struct arena *a = l->module->arena;
	struct diag *g = lint_report(l, rule, n->loc, "'%s' sees a place at a time, and nothing but 0 in its frame", n->path);

	diag_fact(l->diags, g, "%s becomes %s; in the frame each answer is the bias alone", tensor_shape_text(a, n->in[0]),
	    tensor_shape_text(a, n->out[0]));
	diag_help(l->diags, g, "a 1x1 convolution has no pad; one of 3x3 has pad=1");
	fix_number(l, g, n->loc, op_attr_loc(n, "pad"), "0", "write pad=0");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct graph *f = m->forward;
	struct tensor_readers r = readers_of(l);
	struct place_set reported = { NULL };
	int i;

	for (i = 0; i < f->nodes.n; i++) {
		const struct node *n = f->nodes.v[i];
		const struct tensor *t = n->nout ? n->out[0] : NULL;
		const struct node *reader = t && t->rank == 3 ? only_reader(&r, n) : NULL;
		int64_t read;

		if (reads_frame(n) && op_attr_loc(n, "pad").src && place_is_new(&reported, l, rule, n->loc))
			report_frame(rule, l, n);
		if (!reader || reader->in[0] != t || t->dim[1] * t->dim[2] < FEWEST)
			continue;
		read = places_read(reader);
		if (read <= t->dim[1] * t->dim[2] / 2 &&
		    place_is_new(&reported, l, rule, reader->loc))
			report(rule, l, n, reader, read);
	}
}

const struct rule rule_skipped_positions = {
	.id = "SW206",
	.name = "skipped-positions",
	.family = FAMILY_HYGIENE,
	.severity = SEV_WARNING,
	.brief = "half or more of a map is read by no layer, or a frame by a 1x1",
	.doc = "A layer of stride s sees a share of (k / s)^2 of the places where its window k is "
	    "smaller: a 1x1 convolution of stride 2 one in four. Where nothing else reads the map, "
	    "the others were made, with all their multiply-adds, and are kept, for nothing; and "
	    "their gradient is 0.\n\n"
	    "Reported, too, of a 1x1 convolution with a pad, whose answers in the frame are its bias. Of maps it is "
	    "reported where one layer reads the map, and no more than half of its places. Inputs "
	    "are not: to take every second pixel of a picture may be meant. Nor are maps that "
	    "several layers thin out alike: the first ResNets had the stride on a 1x1 convolution "
	    "in both paths of a block, and there are weights to load for that. They have it on the "
	    "3x3 since: \"the convolution ignores three-quarters of the input feature map\" (He "
	    "and others, Bag of tricks for image classification, 2019).",
	.check = check,
	.needs = NEEDS_GRAPH,
};
