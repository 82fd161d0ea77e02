/*
 * pointwise-resolution: a 1x1 convolution at the larger of two resolutions: after an upsample, or
 * before an avgpool. Both orders give the same results, except for rounding; the swap is written
 * into the spec and planned.
 */
#include "rulekit/edited_spec.h"
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"
#include "rulekit/place_set.h"

#include "amend/cut.h"
#include "ops/conv.h"

struct pair {			/* neighbours in a pipe: first -> second */
	const struct node *first, *second;
	const struct node *conv, *resize;
	int64_t wasted;		/* bytes of the large map that the other order does not make */
};

static bool
is_pointwise(const struct node *n)
{
	struct conv_attrs a;
	int i;

	if (!node_is(n, "conv"))
		return false;
	a = conv_attrs(n);
	for (i = 0; i < SPACE_AXES; i++)
		if (a.kernel[i] != 1 || a.stride[i] != 1 || a.before[i] || a.after[i])
			return false;
	return true;
}

/* A mean with zeros of a frame in it is not that of a bias. */
static bool
is_mean(const struct node *n)
{
	const struct attr *pad = node_is(n, "avgpool") ? op_attr(n, "pad") : NULL;
	int i;

	for (i = 0; pad && i < pad->n; i++)
		if (pad->v[i] != 0)
			return false;
	return pad != NULL;
}

static bool
find(const struct tensor_readers *r, const struct node *n, int64_t batch, struct pair *p)
{
	const struct node *next = only_reader(r, n);

	*p = (struct pair){ .first = n, .second = next };
	if (node_is(n, "upsample") && next && is_pointwise(next)) {
		p->conv = next;
		p->resize = n;
	} else if (is_pointwise(n) && next && is_mean(next)) {
		p->conv = n;
		p->resize = next;
	} else
		return false;
	p->wasted = affine_at(tensor_bytes(n->out[0]), batch);
	return tensor_elements_per_sample(p->conv->in[0]) / p->conv->in[0]->dim[0] >
	    tensor_elements_per_sample(p->first == p->conv ? next->out[0] : n->in[0]) /
	    p->conv->in[0]->dim[0];
}

/* first -> second becomes second -> first: the text of each in the other's place. */
static struct module *
swapped(struct lint *l, const struct pair *p)
{
	const struct source *src = l->file->src;
	int a = edited_arm(l, p->first->loc), b = edited_arm(l, p->second->loc), end[2];
	struct cut_place first, second;
	struct amend m;

	edited_begin(l, &m);
	if (a < 0 || b <= a || !cut_find(&first, m.arena, l->file, p->first->loc) ||
	    !cut_find(&second, m.arena, l->file, p->second->loc))
		return NULL;
	end[0] = cut_layer(&first)->loc.end;
	end[1] = cut_layer(&second)->loc.end;
	if (end[0] > b || !edits_add(&m.edits, a, end[0],
	    arena_strndup(m.arena, src->text + b, (size_t)(end[1] - b))) ||
	    !edits_add(&m.edits, b, end[1],
	    arena_strndup(m.arena, src->text + a, (size_t)(end[0] - a))))
		return NULL;
	return edited_plan(l, &m);
}

static void
report(const struct rule *rule, struct lint *l, const struct pair *p)
{
	struct module *m = l->module;
	bool up = p->resize == p->first;
	const struct tensor *large = p->first->out[0], *small = up ? p->first->in[0] :
	    p->second->out[0];
	struct diag *g = lint_report(l, rule, p->conv->loc, "the 1x1 convolution '%s' works on %s; "
	    "%s %s it would work on %s", p->conv->path,
	    tensor_shape_text(m->arena, p->conv->in[0]), up ? "before" : "behind",
	    p->resize->op->name, tensor_shape_text(m->arena, small));

	diag_place(l->diags, g, p->resize->loc, "%s is here", p->resize->op->name);
	diag_fact(l->diags, g, "%s between them is %s B at micro-batch %lld, %s, and no part of "
	    "the result; multiply-adds are %.3g times as many; grows with B·C·H·W",
	    tensor_shape_text(m->arena, large), lint_commas(m->arena, p->wasted),
	    (long long)m->plan->batch, measure_share(m, p->wasted),
	    (double)tensor_elements_per_sample(p->conv->out[0]) /
	    (double)(up ? tensor_elements_per_sample(small) / small->dim[0] *
	    p->conv->out[0]->dim[0] : tensor_elements_per_sample(small)));
	measure_saving(l, g, swapped(l, p), "the other order, which gives the same but for "
	    "rounding,");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct tensor_readers r = readers_of(l);
	struct place_set reported = { NULL };
	struct pair p;
	int i;

	for (i = 0; m->train && i < m->forward->nodes.n; i++)
		if (find(&r, m->forward->nodes.v[i], m->plan->batch, &p) &&
		    measure_is_hazard(m, p.wasted) && place_is_new(&reported, l, rule, p.conv->loc))
			report(rule, l, &p);
}

const struct rule rule_pointwise_resolution = {
	.id = "SW120",
	.name = "pointwise-resolution",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "a 1x1 convolution at the larger of two resolutions",
	.doc = "A 1x1 convolution mixes channels, place by place; upsample repeats places, and "
	    "avgpool takes means of them. So either may come first, with the same result but for "
	    "rounding: at the smaller resolution the convolution does a quarter of the work for "
	    "each halving, and the map between them, e B C H W bytes with the channels of the "
	    "wider side, is not made at the larger one. A head that upsamples 512 channels "
	    "eightfold to make 21 classes of them keeps 64 times what it needs.\n\n"
	    "Reported where that map is 256 MiB or more, and a quarter of the device (without one, "
	    "1 GiB and half of the arena). Swap the two; the swap is planned. robosat #44 names "
	    "it as what to do when memory is short, and HRNet #138 as why its maps are a quarter "
	    "of the picture.",
	.check = check,
	.needs = NEEDS_SKETCH,
};
