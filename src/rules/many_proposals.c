/*
 * many-proposals: boxes that wait for nms are most of what is alive at the peak. What carries them
 * are the values that nms reads and those that they are made of, back to what chose them (top_k) or
 * to the layers with weights that said them, each as many as nms is shown, and the room that
 * choosing and nms work in. With half as many the spec is edited, compiled and planned, where it
 * says how many.
 */
#include "rulekit/edited_spec.h"
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"

#include <string.h>

#include "amend/cut.h"

#define SMALLEST	((int64_t)1 << 20)	/* bytes that are worth a word */
#define NUMBERS		8			/* of a box at most: corners, codes, scores of what it shows */

/* ---- what carries them ---- */

static bool
carries(const struct tensor *t, int64_t boxes)
{
	int64_t n = t && t->batched && t->rank > 0 ? tensor_elements_per_sample(t) : 0;

	return n > 0 && n % boxes == 0 && n / boxes <= NUMBERS;
}

/* By tensor id: T, if it carries so many boxes, and what it is made of. */
static void
mark(const struct tensor *t, int64_t boxes, bool *marked)
{
	int k;

	if (!carries(t, boxes) || marked[t->id])
		return;
	marked[t->id] = true;
	if (!t->def || node_is(t->def, "top_k") || node_has_weights(t->def))
		return;
	for (k = 0; k < t->def->nin; k++)
		mark(t->def->in[k], boxes, marked);
}

/* The nms that is shown the most boxes, or NULL; what all are shown is marked. */
static const struct node *
find_nms(const struct graph *g, bool *marked)
{
	const struct node *most = NULL;
	int i, k;

	for (i = 0; g && i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		if (!node_is(n, "nms"))
			continue;
		for (k = 0; marked && k < n->nin; k++)
			mark(n->in[k], n->in[0]->dim[0], marked);
		if (!most || n->in[0]->dim[0] > most->in[0]->dim[0])
			most = n;
	}
	return most;
}

/* Of what is marked, and of the work that makes it, what is alive at the peak; each buffer counts
 * once. */
static int64_t
bytes_at_peak(const struct module *m, const struct graph *g, const bool *marked)
{
	bool *counted = arena_array(m->arena, (size_t)m->plan->buffers.n + 1, sizeof(*counted));
	int64_t sum = 0;
	int i, k;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];
		bool works = node_is(n, "nms") || (node_is(n, "top_k") && marked[n->out[0]->id]);

		for (k = 0; k <= n->nout; k++) {
			const struct tensor *t = k < n->nout ? n->out[k] : works ? n->work : NULL;
			const struct buffer *b = t ? plan_buffer(m->plan, t) : NULL;

			if (!b || b->persistent || counted[b - m->plan->buffers.v] || !measure_at_peak(m, t) ||
			    (k < n->nout && !marked[t->id]))
				continue;
			counted[b - m->plan->buffers.v] = true;
			sum += b->bytes;
		}
	}
	return sum;
}

/* ---- the same with fewer ---- */

struct halving {
	struct amend m;
	int64_t boxes;
	bool done;
};

/* Where blocks of std/ are told how many, `most`. */
static void
halve(void *of, const struct expr *e)
{
	static const char *const blocks[] = { "rpn", "level_proposals", "yolo_found" };
	struct halving *h = of;
	const char *text = arena_printf(h->m.arena, "%lld", (long long)(h->boxes / 2));
	size_t i;

	if ((e->kind != E_CALL && e->kind != E_NAME) || !e->name)
		return;
	for (i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
		if (strcmp(e->name, blocks[i]) == 0)
			h->done = cut_argument(&h->m.edits, e, "most", text) || h->done;
}

/* Where the network itself chose them: top_k(scores, 2000), or the param that is named there. */
static void
halve_chosen(struct halving *h, const struct node *n)
{
	const char *text = arena_printf(h->m.arena, "%lld", (long long)(h->boxes / 2));
	struct cut_place place;
	const struct expr *e;
	int i;

	if (!cut_find(&place, h->m.arena, h->m.file, n->loc) || place.network != h->m.network)
		return;
	e = cut_layer(&place);
	for (i = 0; strcmp(e->name, "top_k") == 0 && i < e->nargs; i++) {
		const struct expr *k = e->arg[i].value;

		if ((e->arg[i].name ? strcmp(e->arg[i].name, "k") == 0 : i + 1 == e->nargs) &&
		    (k->kind == E_NAME || k->kind == E_NUM))
			h->done = amend_value(&h->m, k, text, true) || h->done;
	}
}

static struct module *
with_half(struct lint *l, const struct graph *g, const bool *marked, int64_t boxes)
{
	struct halving h = { .boxes = boxes };
	int i;

	edited_begin(l, &h.m);
	if (h.m.network)
		cut_walk_stmts(h.m.network->stmt, h.m.network->nstmts, halve, &h);
	for (i = 0; h.m.network && i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		if (node_is(n, "top_k") && marked[n->out[0]->id] && n->out[0]->dim[0] == boxes)
			halve_chosen(&h, n);
	}
	return h.done ? edited_plan(l, &h.m) : NULL;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module, *other;
	const struct graph *g = m->plan->at[m->plan->peak].graph;
	bool *marked = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*marked));
	const struct node *n = find_nms(g, marked);
	int64_t bytes = n ? bytes_at_peak(m, g, marked) : 0, boxes;
	struct diag *f;

	if (bytes < SMALLEST || bytes <= m->plan->at[m->plan->peak].live - bytes)
		return;
	boxes = n->in[0]->dim[0];
	f = lint_report(l, rule, n->loc, "%lld boxes of each picture that wait for nms decide the memory of '%s': %s at the peak, "
	    "of %s", (long long)boxes, m->name, lint_human(m->arena, bytes), lint_human(m->arena, m->plan->arena_bytes));
	diag_fact(l->diags, f, "%s B at batch %lld, of their corners, codes, scores and places; grows with B·n, for n boxes of each "
	    "picture, and nms compares each with each", lint_commas(m->arena, bytes),
	    (long long)(g == m->validate ? m->plan->validate_batch : m->plan->batch));
	other = with_half(l, g, marked, boxes);
	if (other)
		measure_saving(l, f, other, "half as many, %lld,", (long long)(boxes / 2));
}

static bool
may_find(const struct module *m)
{
	return find_nms(m->train, NULL) || find_nms(m->validate, NULL);
}

const struct rule rule_many_proposals = {
	.id = "SW125",
	.name = "many-proposals",
	.family = FAMILY_MEMORY,
	.severity = SEV_NOTE,
	.brief = "boxes that wait for nms decide the memory",
	.doc = "Before nms every box is there with its code, its corners, its scores and its place among the others, some 60 bytes of "
	    "each in f32 at a time, and most are about to be taken away. A count for each level of a pyramid, as "
	    "torchvision's rpn_pre_nms_top_n of 2000, keeps them far below what a body takes; all the anchors of a large picture "
	    "are a hundred times as many.\n\n"
	    "Reported where what carries boxes to nms is 1 MiB or more and more than half of what is alive at the peak. Cure: take "
	    "those with the largest scores first, boxes -> take(top_k(scores, 2000)), or give rpn, level_proposals or yolo_found a "
	    "smaller `most`; half as many are planned. nms takes time with the square of their number.",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
