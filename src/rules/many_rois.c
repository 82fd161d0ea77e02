/*
 * many-rois: the second stage of a detector, whose layers run on every box that it is shown, decides the memory of the
 * network. What it takes is what of it is alive at the peak: what is made of the results of roi_align, and the gradients
 * of that. With half as many boxes the spec is edited, compiled and planned, where sample_rois draws them.
 */
#include "rulekit/edited_spec.h"
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"

#include <string.h>

#include "amend/cut.h"

#define SHARE	2	/* of the arena: half of it */

/* By tensor id: is it made of what boxes see, before the loss? */
static bool *
find_seen(const struct module *m)
{
	bool *seen = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*seen));
	int i, k;

	for (i = 0; i < m->train->nodes.n; i++) {
		const struct node *n = m->train->nodes.v[i];
		bool is = node_is(n, "roi_align");

		for (k = 0; k < n->nin && !is && n->phase == PHASE_FORWARD; k++)
			is = n->in[k] && seen[n->in[k]->id];
		for (k = 0; k < n->nout && is; k++)
			if (n->out[k])
				seen[n->out[k]->id] = true;
	}
	return seen;
}

/* Of these and their gradients, what is alive at the peak; each buffer counts once. */
static int64_t
bytes_at_peak(const struct module *m, const bool *seen)
{
	bool *counted = arena_array(m->arena, (size_t)m->plan->buffers.n + 1, sizeof(*counted));
	int64_t sum = 0;
	int i, k;

	for (i = 0; i < m->train->nodes.n; i++)
		for (k = 0; k < m->train->nodes.v[i]->nout; k++) {
			const struct tensor *t = m->train->nodes.v[i]->out[k];
			const struct tensor *of = t && t->gradient_of ? t->gradient_of : t;
			const struct buffer *b = t ? plan_buffer(m->plan, t) : NULL;

			if (!b || !seen[of->id] || b->persistent || counted[b - m->plan->buffers.v] ||
			    !measure_at_peak(m, t))
				continue;
			counted[b - m->plan->buffers.v] = true;
			sum += b->bytes;
		}
	return sum;
}

struct halving {
	struct amend m;
	int64_t boxes;
	bool done;
};

static void
halve(void *of, const struct expr *e)
{
	struct halving *h = of;

	if ((e->kind == E_CALL || e->kind == E_NAME) && e->name && strcmp(e->name, "sample_rois") == 0 && !h->done)
		h->done = cut_argument(&h->m.edits, e, "count", arena_printf(h->m.arena, "%lld", (long long)h->boxes));
}

static struct module *
with_boxes(struct lint *l, int64_t boxes)
{
	struct halving h = { .boxes = boxes };

	edited_begin(l, &h.m);
	if (h.m.network)
		cut_walk_stmts(h.m.network->stmt, h.m.network->nstmts, halve, &h);
	return h.done ? edited_plan(l, &h.m) : NULL;
}

static const struct node *
first_align(const struct module *m)
{
	const struct node *most = NULL;
	int i;

	for (i = 0; m->train && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		if (node_is(n, "roi_align") && (!most || n->in[0]->dim[0] > most->in[0]->dim[0]))
			most = n;
	}
	return most;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module, *other;
	const struct node *n = first_align(m);
	int64_t bytes, boxes;
	struct diag *g;

	if (!n || m->plan->arena_bytes < SMALLEST_HAZARD || m->plan->at[m->plan->peak].graph != m->train)
		return;
	bytes = bytes_at_peak(m, find_seen(m));
	if (bytes < m->plan->arena_bytes / SHARE || !measure_may_be_hazard(m, bytes))
		return;
	boxes = n->in[0]->dim[0];
	other = with_boxes(l, boxes / 2);
	if (!other || other->plan->arena_bytes >= m->plan->arena_bytes)
		return;
	g = lint_report(l, rule, n->loc, "what layers make of %lld boxes of each picture decides the memory of '%s': %s at the "
	    "peak, of %s", (long long)boxes, m->name, lint_human(m->arena, bytes),
	    lint_human(m->arena, m->plan->arena_bytes));
	diag_fact(l->diags, g, "%s B at micro-batch %lld, all of it made of what roi_align sees; grows with B·n, for n boxes of each "
	    "picture, whatever the size of the pictures", lint_commas(m->arena, bytes), (long long)m->plan->batch);
	measure_saving(l, g, other, "sample_rois(count=%lld)", (long long)(boxes / 2));
}

static bool
may_find(const struct module *m)
{
	return first_align(m) != NULL;
}

const struct rule rule_many_rois = {
	.id = "SW123",
	.name = "many-rois",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "layers that run on every box decide the memory",
	.doc = "The second stage of a detector runs on all boxes that it is shown at once: n boxes of each picture are B n C h w numbers "
	    "for each of its layers, e B n C h w bytes, of which backward keeps most. A head of masks of 256 channels keeps 1.8 MB a box "
	    "in f32.\n\n"
	    "Reported where what is made of roi_align's results is half of the arena or more at the peak, 256 MiB or more and a quarter of the device "
	    "(without one, 1 GiB), and sample_rois draws the boxes: half as many are planned. As "
	    "torchvision trains them, 512 boxes of each picture for the head of boxes and up to 128 for that of masks, they are about a "
	    "quarter of Mask R-CNN's.\n\n"
	    "Fewer boxes make a smaller batch of a loss that is a mean over them; 128 and 256 are common for data with few objects "
	    "(detectron2 #2650 sets 128).",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
