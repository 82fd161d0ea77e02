/*
 * many-rois: the second stage of a detector, whose layers run on every box that it is shown,
 * decides the memory of the network. What it takes is what of it is alive at the peak: what is made
 * of the results of roi_align, and the gradients of that. With half as many boxes for the head that
 * takes the most the spec is edited, compiled and planned: where it takes the first of them,
 * rois[:128], or where sample_rois draws them.
 */
#include "rulekit/edited_spec.h"
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"

#include <string.h>

#include "amend/cut.h"

#define SHARE	2	/* of the arena: half of it; */
#define LESS	2	/* and of the device half of what others count as a hazard, since it is most of the arena already */

/* By tensor id: is it made of what boxes see, before the loss? By ALIGN alone, or by any (NULL). */
static bool *
find_seen(const struct module *m, const struct node *align)
{
	bool *seen = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*seen));
	int i, k;

	for (i = 0; i < m->train->nodes.n; i++) {
		const struct node *n = m->train->nodes.v[i];
		bool is = align ? n == align : node_is(n, "roi_align");

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

/* Of whose results the most is alive at the peak. */
static const struct node *
largest_align(const struct module *m)
{
	const struct node *largest = NULL;
	int64_t most = -1, bytes;
	int i;

	for (i = 0; i < m->train->nodes.n; i++) {
		const struct node *n = m->train->nodes.v[i];

		if (!node_is(n, "roi_align") || n->phase != PHASE_FORWARD)
			continue;
		bytes = bytes_at_peak(m, find_seen(m, n));
		largest = bytes > most ? n : largest;
		most = bytes > most ? bytes : most;
	}
	return largest;
}

/* ---- the same with fewer ---- */

struct halving {
	struct amend m;
	const struct node *align;	/* the head's */
	int64_t boxes;
	bool sliced, done;
};

/* Are the boxes that roi_align is shown taken there, whoever hands them on? */
static bool
takes_boxes(const struct halving *h, struct loc place)
{
	const struct tensor *t = h->align->in[0];

	while (t && t->def && t->rank == 2 && t->dim[0] == h->boxes) {
		if (node_is(t->def, "slice") && t->def->loc.src == place.src && t->def->loc.beg == place.beg)
			return true;
		t = t->def->nin > 0 ? t->def->in[0] : NULL;
	}
	return false;
}

/* Where the spec takes the first of them for this head: rois[:128]. */
static void
halve_slice(void *of, const struct expr *e)
{
	struct halving *h = of;
	const struct expr *index = e->kind == E_LABEL ? e->a : e;	/* which has the label's place */
	const struct expr *range = index && index->kind == E_INDEX && index->nargs == 1 ? index->arg[0].value : NULL;

	if (!range || range->kind != E_RANGE || range->a || !range->b || range->c || range->b->kind != E_NUM ||
	    range->b->num.real != (double)h->boxes || !takes_boxes(h, e->head))
		return;
	h->sliced = true;
	h->done = amend_value(&h->m, range->b, arena_printf(h->m.arena, "%lld", (long long)(h->boxes / 2)), false);
}

static void
halve_sample(void *of, const struct expr *e)
{
	struct halving *h = of;

	if ((e->kind == E_CALL || e->kind == E_NAME) && e->name && strcmp(e->name, "sample_rois") == 0 && !h->done)
		h->done = cut_argument(&h->m.edits, e, "count", arena_printf(h->m.arena, "%lld", (long long)(h->boxes / 2)));
}

static struct module *
with_half(struct lint *l, const struct node *align, bool *sliced)
{
	struct halving h = { .align = align, .boxes = align->in[0]->dim[0] };

	edited_begin(l, &h.m);
	if (h.m.network)
		cut_walk_stmts(h.m.network->stmt, h.m.network->nstmts, halve_slice, &h);
	if (h.m.network && !h.done)
		cut_walk_stmts(h.m.network->stmt, h.m.network->nstmts, halve_sample, &h);
	*sliced = h.sliced;
	return h.done ? edited_plan(l, &h.m) : NULL;
}

static bool
may_find(const struct module *m)
{
	int i;

	for (i = 0; m->train && i < m->forward->nodes.n; i++)
		if (node_is(m->forward->nodes.v[i], "roi_align"))
			return true;
	return false;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module, *other;
	const struct node *n;
	int64_t bytes, all, boxes;
	struct diag *g;
	bool sliced;

	if (!may_find(m) || m->plan->arena_bytes < SMALLEST_HAZARD || m->plan->at[m->plan->peak].graph != m->train)
		return;
	all = bytes_at_peak(m, find_seen(m, NULL));
	if (all < m->plan->arena_bytes / SHARE || all < SMALLEST_HAZARD || !measure_may_be_hazard(m, LESS * all))
		return;
	n = largest_align(m);
	bytes = bytes_at_peak(m, find_seen(m, n));
	boxes = n->in[0]->dim[0];
	other = with_half(l, n, &sliced);
	if (other && other->plan->arena_bytes >= m->plan->arena_bytes)
		return;
	g = lint_report(l, rule, n->loc, "what layers make of %lld boxes of each picture decides the memory of '%s': %s at the "
	    "peak, of %s", (long long)boxes, m->name, lint_human(m->arena, bytes),
	    lint_human(m->arena, m->plan->arena_bytes));
	diag_fact(l->diags, g, "%s B at micro-batch %lld, all of it made of what roi_align sees; grows with B·n, for n boxes of each "
	    "picture, whatever the size of the pictures", lint_commas(m->arena, bytes), (long long)m->plan->batch);
	if (bytes < m->plan->arena_bytes / SHARE)
		diag_fact(l->diags, g, "with what layers make of the boxes of other heads it is %s B", lint_commas(m->arena, all));
	if (other && sliced)
		measure_saving(l, g, other, "the first %lld of them, [:%lld],", (long long)(boxes / 2), (long long)(boxes / 2));
	else if (other)
		measure_saving(l, g, other, "sample_rois(count=%lld)", (long long)(boxes / 2));
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
	    "Reported where what is made of roi_align's results is half of the arena or more at the peak, 256 MiB or more and an "
	    "eighth of the device (without one, 512 MiB). Half as many boxes are planned, of the head that takes the most, where a number in the network says how many: of a slice "
	    "such as rois[:128], or of sample_rois. As "
	    "torchvision trains them, 512 boxes of each picture for the head of boxes and up to 128 for that of masks, they are about a "
	    "quarter of Mask R-CNN's.\n\n"
	    "Fewer boxes make a smaller batch of a loss that is a mean over them; 128 and 256 are common for data with few objects "
	    "(detectron2 #2650 sets 128).",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
