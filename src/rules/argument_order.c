/*
 * argument-order: a convolution whose numbers stand in PyTorch's order, channels in, channels out,
 * kernel; attention that is given its width first. Here the first is the filters, the second the
 * kernel and the third the stride, and where the map is large enough that is a convolution, too.
 * Only numbers that nobody means otherwise are spoken of. Reads the forward graph, and how the
 * numbers are written.
 */
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include <string.h>

#define FEWEST_OUT	6	/* LeNet-5's first layer */
#define LARGE_KERNEL	24	/* of pictures nobody has larger ones but in layers of each channel by itself */
#define LEAST_SIDE	3	/* of a kernel that is meant: 1 is a stride as well */
#define MOST_SIDE	11

/* Does the one follow the other, without its name? */
static bool
are_in_a_row(const struct node *n, const char *first, const char *second)
{
	struct loc a = op_attr_loc(n, first), b = op_attr_loc(n, second);

	return a.src && a.src == b.src && a.end < b.beg &&
	    strspn(a.src->text + a.end, ", \t") >= (size_t)(b.beg - a.end);
}

/* The one number of an attribute, or of all that it has for the axes; 0: they differ. */
static int64_t
same_along_axes(const struct attr *a)
{
	int i;

	for (i = 1; i < a->n; i++)
		if (a->v[i] != a->v[0])
			return 0;
	return a->n > 0 ? a->v[0] : 0;
}

/* Does a window lie on the map? Where none does, that is an error, which tells the order itself. */
static bool
fits(const struct node *n, int64_t kernel)
{
	int i;

	for (i = 1; i < n->in[0]->rank; i++)
		if (n->in[0]->dim[i] < kernel)
			return false;
	return true;
}

/* Windows of an even side that lie an odd number apart, which does not divide it, and leave as many
 * channels as there were; or very large ones. */
static bool
is_elsewhere(const struct node *n, int64_t kernel, int64_t stride)
{
	return n->in[0]->rank > 2 && op_int(n, "filters") == n->in[0]->dim[0] && op_int(n, "groups") == 1 &&
	    kernel % 2 == 0 && kernel >= FEWEST_OUT &&
	    stride % 2 == 1 && stride >= LEAST_SIDE && stride <= MOST_SIDE &&
	    (kernel % stride != 0 || kernel >= LARGE_KERNEL);
}

#define MANY_HEADS	8

/* Attention each of whose heads has one number: its first is the heads, in PyTorch the width. */
static bool
has_width_for_heads(const struct node *n)
{
	return node_is(n, "attend") && n->part_of && n->out[0]->rank > 0 && op_int(n, "heads") >= MANY_HEADS &&
	    op_int(n, "heads") == n->out[0]->dim[n->out[0]->rank - 1];
}

static void
report_heads(const struct rule *rule, struct lint *l, const struct node *n)
{
	int64_t heads = op_int(n, "kv_heads");
	struct diag *g = lint_report(l, rule, n->loc, "'%s' has %lld heads of one number each", n->part_of->path,
	    (long long)op_int(n, "heads"));

	diag_fact(l->diags, g, "a head's scores are products of two numbers; in order, attention takes heads, and in PyTorch width, "
	    "heads");
	if (heads > 0 && heads < op_int(n, "heads"))
		diag_help(l->diags, g, "attention(%lld): it knows the width of its input", (long long)heads);
	else
		diag_help(l->diags, g, "it knows the width of its input; heads of 16 to 128 numbers are usual");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct place_set reported = { NULL };
	int i;

	for (i = 0; i < l->module->forward->nodes.n; i++) {
		const struct node *n = l->module->forward->nodes.v[i];
		int64_t kernel, stride;
		struct diag *g;

		if (has_width_for_heads(n) && place_is_new(&reported, l, rule, n->loc))
			report_heads(rule, l, n);
		if (!node_is(n, "conv") || !are_in_a_row(n, "filters", "kernel") ||
		    !are_in_a_row(n, "kernel", "stride"))
			continue;
		kernel = same_along_axes(op_attr(n, "kernel"));
		stride = same_along_axes(op_attr(n, "stride"));
		if (!is_elsewhere(n, kernel, stride) || !fits(n, kernel) ||
		    !place_is_new(&reported, l, rule, n->loc))
			continue;
		g = lint_report(l, rule, n->loc, "'%s' leaves the channels at %lld, by kernels of a side of %lld with "
		    "stride %lld", n->path, (long long)op_int(n, "filters"), (long long)kernel, (long long)stride);
		diag_fact(l->diags, g, "in order, conv takes filters, kernel, stride; in PyTorch it is channels in, channels "
		    "out, kernel");
		diag_help(l->diags, g, "conv(%lld, %lld): it knows the channels of its input", (long long)kernel,
		    (long long)stride);
	}
}

const struct rule rule_argument_order = {
	.id = "SW334",
	.name = "argument-order",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a convolution or attention whose numbers stand in PyTorch's order",
	.doc = "conv(filters, kernel, stride) knows the channels of its input. PyTorch's Conv2d is told of them first: "
	    "Conv2d(3, 16, 3) is conv(16, 3) here, and conv(3, 16, 3) makes 3 channels by kernels of 16x16, three apart. On a "
	    "map that is large enough nothing fails; the network just sees little, and keeps few channels.\n\n"
	    "Reported where a convolution of pictures or volumes is given three numbers without their names, of which the first is the "
	    "channels of its input, the second even and at least 6, and the third odd, from 3 to 11, and no divisor of the "
	    "second unless that is 24 or more. Who means that writes stride=. And of attention with as many heads, at least "
	    "8, as its input is wide: MultiheadAttention(512, 8) is attention(8) here.",
	.check = check,
	.needs = NEEDS_GRAPH,
	.of_broken = true,
};
