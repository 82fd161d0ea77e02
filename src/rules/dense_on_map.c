/*
 * dense-on-map: a dense layer that reads an image's rows one by one, where flatten was forgotten.
 * What is meant shows in what comes behind: flatten or an average of all places, perhaps past other
 * dense layers. Networks for audio that have dense layers along frequencies go on with a sum or a
 * convolution. Reads the forward graph.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"

#define LEAST_SIDE	16	/* of a picture */

/* Is it an input of three channels, or of one and square? */
static bool
is_picture(const struct tensor *t)
{
	return t->kind == T_INPUT && t->rank == 3 && t->dim[1] >= LEAST_SIDE && t->dim[2] >= LEAST_SIDE &&
	    (t->dim[0] == 3 || (t->dim[0] == 1 && t->dim[1] == t->dim[2]));
}

/* Is X a picture, or made by layers of images, perhaps past an activation or normalisation? */
static bool
is_map(const struct tensor *x)
{
	const struct node *n = x->def;
	const struct tensor *first = x;

	while (n && n->in[0] && ((n->op->flags & OP_ELEMENTWISE) || node_is(n, "batchnorm") ||
	    node_is(n, "dropout")) && n->op->max_operands == 1) {
		first = n->in[0];
		n = first->def;
	}
	return x->rank == 3 && (is_picture(first) || node_is(n, "conv") || node_is(n, "conv_transpose") ||
	    node_is(n, "maxpool") || node_is(n, "avgpool") || node_is(n, "global_avgpool"));
}

static bool
is_whole_pool(const struct node *n)
{
	return node_is(n, "global_avgpool") || node_is(n, "global_maxpool");
}

/* The flatten, or pool of all places, that alone reads it, past activations and dense layers. */
static const struct node *
late_flatten(const struct tensor_readers *r, const struct node *n)
{
	const struct node *next = only_reader(r, n);

	while (next && ((next->op->flags & OP_ELEMENTWISE) || node_is(next, "dropout") ||
	    node_is(next, "batchnorm") || node_is(next, "dense")) && next->op->max_operands == 1)
		next = only_reader(r, next);
	return node_is(next, "flatten") || is_whole_pool(next) ? next : NULL;
}

static bool
is_found(const struct tensor_readers *r, const struct node *n)
{
	return node_is(n, "dense") && is_map(n->in[0]) && late_flatten(r, n);
}

/* Its input. */
static const struct tensor *
found(const struct node *n, const void *readers)
{
	return is_found(readers, n) ? n->in[0] : NULL;
}

static void
tell(struct lint *l, struct diag *g, const struct node *n, const struct node *late)
{
	struct module *m = l->module;
	const struct tensor *x = n->in[0];

	if (is_whole_pool(late))
		diag_place(l->diags, g, late->loc, "its units are pooled here, as if they were places");
	else
		diag_place(l->diags, g, late->loc, "the map is flattened here");
	diag_fact(l->diags, g, "from %s it makes %s: the same %s x %s weights for each of %s rows",
	    tensor_shape_text(m->arena, x), tensor_shape_text(m->arena, n->out[0]),
	    lint_commas(m->arena, n->in[1]->dim[0]), lint_commas(m->arena, n->in[1]->dim[1]),
	    lint_commas(m->arena, x->dim[0] * x->dim[1]));
	if (is_whole_pool(late))
		diag_help(l->diags, g, "%s -> flatten before it, so that it sees one number of each of "
		    "%s channels", late->op->name, lint_commas(m->arena, x->dim[0]));
	else
		diag_help(l->diags, g, "flatten before it, so that it sees all %s numbers of a sample",
		    lint_commas(m->arena, tensor_elements_per_sample(x)));
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct tensor_readers r = readers_of(l);
	struct place_set reported = { NULL }, needed = { NULL };
	int i;

	place_add_unfound(&needed, l, found, &r);
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		const struct node *before, *late;
		struct diag *g;

		if (!is_found(&r, n) || !place_is_new(&reported, l, rule, n->loc))
			continue;
		before = n->in[0]->def;
		late = late_flatten(&r, n);
		if (n->in[0]->dim[2] == 1)
			g = lint_report(l, rule, n->loc, "'%s' reads a single number at a time: of "
			    "%s its last axis has one", n->path,
			    tensor_shape_text(m->arena, n->in[0]));
		else
			g = lint_report(l, rule, n->loc, "'%s' reads one row of a map at a time, "
			    "not the whole map", n->path);
		tell(l, g, n, late);
		if (before && !is_whole_pool(late) && only_reader(&r, before) == n &&
		    !place_has(&needed, before->loc))
			fix_behind(l, g, before->loc, "flatten", "flatten the map before it");
	}
}

const struct rule rule_dense_on_map = {
	.id = "SW323",
	.name = "dense-on-map",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a dense layer over the rows of a map, where flatten was forgotten",
	.doc = "dense works on the last axis: of a map [C, H, W] it gives [C, H, units], each row by "
	    "itself and with the same W x units weights, as in PyTorch and Keras. Meant was most "
	    "often a layer that sees the whole map, which needs flatten before it. Nothing fails "
	    "where a flatten comes later; the network just sees little, and the layer behind that "
	    "flatten is C H times as large as it seems. Behind global_avgpool, [C, 1, 1], such a "
	    "layer reads one number at a time.\n\n"
	    "Reported where a dense layer reads a picture (an input of three channels, or a square of "
	    "one) or what layers of images made, and what it or other dense layers make of that is "
	    "flattened, or pooled by global_avgpool or global_maxpool. Where a convolution or a sum follows, the layer "
	    "may be meant, as in networks for audio that mix frequencies. Seen in keras #9813, "
	    "whose manual had promised to flatten, and keras-resnet #17.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
