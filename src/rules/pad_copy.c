/*
 * pad-copy: a frame of zeros as a layer before a convolution, which has one of its own that takes
 * no memory. The sums of both frames are written into the spec and planned; where that takes more
 * (since the choice of what to recompute is made anew), nothing is reported. In large networks the
 * first stands for all.
 */
#include "rulekit/edited_spec.h"
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"
#include "rulekit/place_set.h"

#include <ctype.h>

#include "amend/cut.h"
#include "ops/conv.h"
#include "ops/shapes.h"

struct pads {
	const struct rule *rule;
	struct lint *lint;
	struct tensor_readers readers;
	struct place_set pad, conv;	/* places that are not always such a pair */
	int plans;
	bool worse;		/* the last that was planned takes more */
};

/* What the layer adds before and after an axis of space. */
static const int64_t *
added(const struct node *pad, int axis)
{
	static const int64_t none[2];
	int k = shape_axis_named(pad, 1 + axis);

	return k < 0 ? none : op_attr(pad, "sides")->v + 2 * k;
}

/* The convolution that alone reads what the frame is put around, if that is of zeros and around
 * space; or NULL. */
static const struct node *
convolution(const struct pads *p, const struct node *n)
{
	const struct node *next;

	if (!node_is(n, "pad") || op_real(n, "value") != 0 || op_int(n, "mode") != 0 || !n->in[0] ||
	    n->in[0]->dim[0] != n->out[0]->dim[0])
		return NULL;
	next = only_reader(&p->readers, n);
	return node_is(next, "conv") ? next : NULL;
}

/* Do parameters of a block decide about it? Then other uses may have other frames. */
static bool
is_literal(struct loc loc)
{
	int i;

	for (i = loc.beg; loc.src && i < loc.end; i++)
		if (isalpha((unsigned char)loc.src->text[i]))
			return false;
	return true;
}

/* "1", "(1, 2)" or "(0, 1, 0, 1)": both frames together. */
static const char *
together(struct arena *a, const struct node *pad, const struct node *conv)
{
	const struct attr *own = op_attr(conv, "pad");
	bool even = true, alike = true;
	int64_t v[MAX_RANK] = { 0 };
	struct text t;
	int i;

	for (i = 0; i < own->n; i++) {
		v[i] = added(pad, i / 2)[i % 2] + own->v[i];
		even &= v[i] == v[i - i % 2];
		alike &= v[i] == v[0];
	}
	if (alike)
		return arena_printf(a, "%lld", (long long)v[0]);
	text_init(&t, a);
	for (i = 0; i < own->n; i += 1 + even)
		text_printf(&t, "%s%lld", i ? ", " : "(", (long long)v[i]);
	text_puts(&t, ")");
	return t.s;
}

/* Takes the frame away and gives it to the convolution. */
static bool
amend(struct pads *p, struct amend *m, const struct node *pad, const struct node *conv)
{
	bool given = op_attr(conv, "pad")->given;
	struct loc at = op_attr_loc(conv, "pad");
	const char *sides = together(m->arena, pad, conv);
	struct lint *l = p->lint;
	struct cut_place from, to;

	if (place_has(&p->pad, pad->loc) || place_has(&p->conv, conv->loc) ||
	    !is_literal(op_attr_loc(pad, "sides")) || (given && !is_literal(at)) ||
	    l->file->src != l->module->src || !cut_find(&from, m->arena, l->file, pad->loc) ||
	    !cut_find(&to, m->arena, l->file, conv->loc))
		return false;
	if (!cut_out(&m->edits, &from))
		return false;
	return given ? edits_add(&m->edits, at.beg, at.end, sides) :
	    cut_argument(&m->edits, cut_layer(&to), "pad", sides);
}

static void
report(struct pads *p, const struct node *pad, const struct node *conv)
{
	struct lint *l = p->lint;
	struct module *m = l->module, *other = NULL;
	int64_t batch = m->train ? m->plan->batch : m->plan->validate_batch;
	int64_t bytes = affine_at(tensor_bytes(pad->out[0]), batch);
	const char *sides = together(m->arena, pad, conv);
	struct amend *edit = ARENA_NEW(m->arena, struct amend);	/* the fix keeps its edits */
	struct diag *g;

	edited_begin(l, edit);
	if (!amend(p, edit, pad, conv))
		return;
	if (edited_affords(l, p->plans)) {
		p->plans++;
		other = edited_plan(l, edit);
		p->worse = !other || other->plan->arena_bytes > m->plan->arena_bytes;
	}
	if (p->worse)
		return;
	g = lint_report(l, p->rule, pad->loc, "'%s' copies %s into a frame of zeros for a "
	    "convolution: %s", pad->path, tensor_shape_text(m->arena, pad->in[0]),
	    lint_human(m->arena, bytes));
	diag_place(l->diags, g, conv->loc, "that is here");
	diag_fact(l->diags, g, "%s B at batch %lld, which frameworks keep for backward; grows with "
	    "B·C·H·W", lint_commas(m->arena, bytes), (long long)batch);
	diag_help(l->diags, g, "conv(..., pad=%s) without this layer gives the same, to the bit, "
	    "and makes no copy", sides);
	measure_saving(l, g, other, "the network with pad=%s", sides);
	diag_fix(l->diags, g, false, &edit->edits, "give the frame to the convolution");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct graph *f = m->forward;
	struct pads p = { .rule = rule, .lint = l, .readers = readers_of(l) };
	bool *follows = arena_array(m->arena, (size_t)m->next_node + 1, sizeof(*follows));
	struct place_set reported = { NULL };
	const struct node *next;
	int i;

	for (i = 0; i < f->nodes.n; i++) {
		if ((next = convolution(&p, f->nodes.v[i])))
			follows[next->id] = true;
		else if (node_is(f->nodes.v[i], "pad"))
			place_add(&p.pad, l, f->nodes.v[i]->loc);
	}
	for (i = 0; i < f->nodes.n; i++)
		if (node_is(f->nodes.v[i], "conv") && !follows[f->nodes.v[i]->id])
			place_add(&p.conv, l, f->nodes.v[i]->loc);
	for (i = 0; i < f->nodes.n; i++) {
		next = convolution(&p, f->nodes.v[i]);
		if (next && !place_has(&p.pad, f->nodes.v[i]->loc) &&
		    !place_has(&p.conv, next->loc) &&
		    place_is_new(&reported, l, rule, f->nodes.v[i]->loc))
			report(&p, f->nodes.v[i], next);
	}
}

const struct rule rule_pad_copy = {
	.id = "SW119",
	.name = "pad-copy",
	.family = FAMILY_MEMORY,
	.severity = SEV_NOTE,
	.brief = "a frame of zeros before a convolution that could have it itself",
	.doc = "pad copies its input into a larger tensor, e B C (H + p)(W + q) bytes, which the "
	    "convolution keeps for backward. conv(pad=...) reads zeros beyond the edge without "
	    "there being any, and takes as many numbers as pad: one, (vertical, horizontal) or "
	    "(top, bottom, left, right), or for sequences (before, after). The result is the same to the bit.\n\n"
	    "It is a habit from Keras, whose ResNet and MobileNet have ZeroPadding2D layers since "
	    "their convolutions know only \"same\" and \"valid\". Asked in cnn_finetune #38, and "
	    "seen in nnom #51.\n\n"
	    "Reported where the spec without the layer, planned, takes no more. Quiet "
	    "where the padded map, or the convolution, serves elsewhere.",
	.check = check,
	.needs = NEEDS_SKETCH,
};
