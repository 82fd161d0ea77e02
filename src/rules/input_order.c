/*
 * input-order: an input whose extents stand in the order of another framework, [height, width,
 * channels], or with the batch before them. Both compile where layers take any such shape, and both
 * are another network; where a layer fails at the shape, this says why. Only shapes that nobody
 * means otherwise are spoken of. Reads the forward graph.
 */
#include "rulekit/graph_query.h"

#define SMALLEST_SIDE	16	/* of a picture; fewer may be channels */
#define OBLONG_SIDE	32	/* of one that is no square: of sensors and joints by steps there are fewer */
#define MOST_OBLONG	4	/* times the other */
#define MOST_COLOURS	4

static bool
is_colour(int64_t n)
{
	return n == 1 || n == 3 || n == MOST_COLOURS;
}

static bool
is_side(int64_t n)
{
	return n >= SMALLEST_SIDE;
}

static bool
are_sides(int64_t a, int64_t b)
{
	return is_side(a) && (a == b || (a >= OBLONG_SIDE && b >= OBLONG_SIDE && a <= MOST_OBLONG * b && b <= MOST_OBLONG * a));
}

/* [height, width, channels]. One channel behind may be the width of a sequence, unless it is a
 * square's. */
static bool
has_channels_last(const struct tensor *x)
{
	return x->rank == 3 && are_sides(x->dim[0], x->dim[1]) && is_colour(x->dim[2]) &&
	    (x->dim[2] > 1 || x->dim[0] == x->dim[1]);
}

/* [batch, channels, height, width] */
static bool
has_batch(const struct tensor *x)
{
	return x->rank == 4 && is_colour(x->dim[1]) && is_side(x->dim[2]) && is_side(x->dim[3]);
}

/* The layer that was to, failed. */
static bool
is_unread(const struct graph *g, const struct tensor *x)
{
	int i, k;

	for (i = 0; i < g->nodes.n; i++)
		for (k = 0; k < g->nodes.v[i]->nin; k++)
			if (g->nodes.v[i]->in[k] == x)
				return false;
	return true;
}

/* Does a layer of images read it, perhaps past what leaves its shape as it is? */
static bool
is_image(const struct graph *g, const struct tensor *x)
{
	int i;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		if (n->nin == 0 || n->in[0] != x)
			continue;
		if (node_is(n, "conv") || node_is(n, "maxpool") || node_is(n, "avgpool") || node_is(n, "local"))
			return true;
		if (((n->op->flags & OP_ELEMENTWISE) || node_is(n, "batchnorm") || node_is(n, "dropout")) &&
		    n->op->max_operands == 1 && is_image(g, n->out[0]))
			return true;
	}
	return false;
}

static void
tell(const struct rule *rule, struct lint *l, const struct tensor *x)
{
	struct arena *a = l->module->arena;
	struct diag *g;

	if (has_channels_last(x)) {
		g = lint_report(l, rule, x->loc, "input '%s' is %s: %lld channels of %lld x %lld", x->name,
		    tensor_type_text(a, x), (long long)x->dim[0], (long long)x->dim[1], (long long)x->dim[2]);
		diag_help(l->diags, g, "channels come first: [%lld, %lld, %lld]", (long long)x->dim[2],
		    (long long)x->dim[0], (long long)x->dim[1]);
		return;
	}
	g = lint_report(l, rule, x->loc, "input '%s' is %s: each sample is a volume of %lld channels and depth %lld",
	    x->name, tensor_type_text(a, x), (long long)x->dim[0], (long long)x->dim[1]);
	diag_help(l->diags, g, "a shape is that of one sample: [%lld, %lld, %lld], and batch %lld in the train "
	    "section", (long long)x->dim[1], (long long)x->dim[2], (long long)x->dim[3], (long long)x->dim[0]);
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct graph *g = l->module->forward;
	int i;

	for (i = 0; i < g->inputs.n; i++) {
		const struct tensor *x = g->inputs.v[i];

		if (x->kind == T_INPUT && !x->classes && (has_channels_last(x) || has_batch(x)) &&
		    (is_image(g, x) || (l->module->broken && is_unread(g, x))))
			tell(rule, l, x);
	}
}

const struct rule rule_input_order = {
	.id = "SW328",
	.name = "input-order",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "an input with its channels last, or with the batch in its shape",
	.doc = "Images are [channels, height, width] here, as PyTorch has them, and a shape is that of one "
	    "sample. Keras writes [height, width, channels], and PyTorch's programs show shapes with the batch "
	    "before them. Neither need fail: a convolution of [224, 224, 3] has 224 channels, and slides over columns "
	    "of 3; one of [64, 3, 32, 32] is a convolution of volumes of depth 3. How images lie in memory is "
	    "another matter, which --layout decides.\n\n"
	    "Reported where a convolution or a pool reads an input of three extents whose last is 1, 3 or 4 and whose "
	    "others are the same and at least 16, or, if the last is not 1, at least 32 and neither more than four times "
	    "the other (17 joints by 128 steps are no picture), or of four, the second being 1, 3 or 4 and the "
	    "last two at least 16.",
	.check = check,
	.needs = NEEDS_GRAPH,
	.of_broken = true,
};
