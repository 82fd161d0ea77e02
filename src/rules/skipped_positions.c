/*
 * skipped-positions: a map of which at least half the positions are never read, since the windows
 * of all layers that read it are smaller than their stride. What readers with different windows
 * read is added up as if they shared nothing, so that never too much is said to be skipped.
 */
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
	w->top = op_attr(n, "pad")->v[conv ? 2 * axis : axis];
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

static bool
same_windows(const struct node *a, const struct node *b)
{
	struct read_window x, y;
	int axis;

	for (axis = 0; axis < 2; axis++)
		if (!window_of(a, axis, &x) || !window_of(b, axis, &y) || x.kernel != y.kernel ||
		    x.stride != y.stride || x.top != y.top || x.dilation != y.dilation)
			return false;
	return true;
}

/* By tensor id: how many places are read at most. */
static int64_t *
count_reads(const struct graph *f)
{
	size_t most = (size_t)f->module->next_tensor + 1;
	int64_t *read = arena_array(f->module->arena, most, sizeof(*read));
	const struct node **last = arena_array(f->module->arena, most, sizeof(*last));
	int i, j;

	for (i = 0; i < f->nodes.n; i++)
		for (j = 0; j < f->nodes.v[i]->nin; j++) {
			const struct node *n = f->nodes.v[i];
			const struct tensor *t = n->in[j];
			int64_t all = t && t->rank == 3 ? t->dim[1] * t->dim[2] : 0;

			if (all == 0 || read[t->id] >= all ||
			    (last[t->id] && j == 0 && same_windows(last[t->id], n)))
				continue;
			read[t->id] += j == 0 ? places_read(n) : all;
			last[t->id] = n;
		}
	for (i = 0; i < f->results.n; i++)
		read[f->results.v[i].tensor->id] = INT64_MAX;
	return read;
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
	diag_help(l->diags, g, "the stride on a layer whose window covers it (conv 3x3), or "
	    "avgpool before a 1x1; or the stride where the map is made, which then costs a part");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct graph *f = m->forward;
	int64_t *read = count_reads(f);
	struct tensor_readers r = readers_of(l);
	struct place_set reported = { NULL };
	int i;

	for (i = 0; i < f->nodes.n; i++) {
		const struct node *n = f->nodes.v[i];
		const struct tensor *t = n->nout ? n->out[0] : NULL;
		int64_t all = t && t->rank == 3 ? t->dim[1] * t->dim[2] : 0;

		if (all < FEWEST || !r.last[t->id] || read[t->id] == 0 || read[t->id] > all / 2 ||
		    !place_is_new(&reported, l, rule, r.last[t->id]->loc))
			continue;
		report(rule, l, n, r.last[t->id], read[t->id]);
	}
}

const struct rule rule_skipped_positions = {
	.id = "SW206",
	.name = "skipped-positions",
	.family = FAMILY_HYGIENE,
	.severity = SEV_WARNING,
	.brief = "half or more of a map is read by no layer",
	.doc = "A layer of stride s sees a share of (k / s)^2 of the places where its window k is "
	    "smaller: a 1x1 convolution of stride 2 one in four. Where nothing else reads the map, "
	    "the others were made, with all their multiply-adds, and are kept, for nothing; and "
	    "their gradient is 0.\n\n"
	    "Reported where half of the places or more are read by no layer. Inputs are not: to "
	    "take every second pixel of a picture may be meant. ResNet's bottlenecks had the "
	    "stride on the first 1x1 convolution, in both paths, and have it on the 3x3 since: "
	    "\"the convolution ignores three-quarters of the input feature map\" (He and others, "
	    "Bag of tricks for image classification, 2019).",
	.check = check,
	.needs = NEEDS_GRAPH,
};
