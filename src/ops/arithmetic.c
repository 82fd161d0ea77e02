/*
 * Arithmetic of two or three tensors, element by element, that is a formula: each is one row. Operands have
 * equally many axes with extents equal or 1, or none; a number may stand for the last ones.
 *
 * What PyTorch keeps is as in tools/autograd/derivatives.yaml; what a comparison makes there is bool.
 */
#include "calls/tape.h"
#include "ops/pointwise.h"

#define TWO(id, word)	.operands = "x " id, .min_operands = 1, .max_operands = 2,		\
	.attrs = (const struct attr_spec[]){ { id, ATTR_REAL, word, .required = false }, ATTRS_END }

OP_ROW(div, "the quotient of two tensors", "x / by",
    "y = x / by, also written x / by. Backward reads the divisor, and y where the divisor has a gradient.",
    TWO("by", "the divisor, where it is a number"),
    .torch = { .saves = SAVES_IN(0) | SAVES_IN(1), .full = 1u << 0 | 1u << 1 });

OP_ROW(pow, "x to a power", "x ^ exponent",
    "y = x to the power of exponent, also written x ^ exponent. Where x is negative and the exponent is no "
    "integer, y is not a number.", TWO("exponent", "the exponent, where it is a number"),
    .gradient.saves = SAVES_IN(0));

OP_ROW(maximum, "the larger of two tensors", "max(x, other)",
    "y = the larger of x and other, also written max(x, other); not a number where one is. Of equals, each "
    "gets half the gradient.", TWO("other", "the other, where it is a number"),
    .torch = { .saves = SAVES_IN(0) | SAVES_IN(1), .full = 1u << 0 | 1u << 1 });

OP_ROW(minimum, "the smaller of two tensors", "min(x, other)",
    "y = the smaller of x and other, also written min(x, other); not a number where one is. Of equals, each "
    "gets half the gradient.", TWO("other", "the other, where it is a number"),
    .torch = { .saves = SAVES_IN(0) | SAVES_IN(1), .full = 1u << 0 | 1u << 1 });

/* A tensor of one byte an element, which has no gradient. */
static void
torch_compare(struct tape *t, const struct node *n)
{
	int64_t bytes = tape_bytes(t, n->out[0]) / dtype_bytes(n->out[0]->dtype);
	int in[2] = { tape_value(t, n->in[0]), n->nin > 1 ? tape_value(t, n->in[1]) : 0 };

	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = in, .nin = n->nin, .bytes = bytes }));
}

#define COMPARISON	TWO("than", "what x is compared with, where it is a number"), .torch.calls = torch_compare

OP_ROW(less, "1 where x is less, else 0", "x < than", "y = 1 where x < than, else 0, also written x < than. Its "
    "gradient is 0.", COMPARISON);
OP_ROW(less_equal, "1 where x is at most that, else 0", "x <= than", "y = 1 where x <= than, else 0, also "
    "written x <= than. Its gradient is 0.", COMPARISON);
OP_ROW(greater, "1 where x is greater, else 0", "x > than", "y = 1 where x > than, else 0, also written x > "
    "than. Its gradient is 0.", COMPARISON);
OP_ROW(greater_equal, "1 where x is at least that, else 0", "x >= than", "y = 1 where x >= than, else 0, also "
    "written x >= than. Its gradient is 0.", COMPARISON);
OP_ROW(equal, "1 where both are equal, else 0", "x == than", "y = 1 where x == than, else 0, also written "
    "x == than. Its gradient is 0.", COMPARISON);
OP_ROW(not_equal, "1 where both differ, else 0", "x != than", "y = 1 where x != than, else 0, also written "
    "x != than. Its gradient is 0.", COMPARISON);

OP_ROW(where, "one of two, by a condition", "where(condition, yes, no)",
    "y = yes where the condition is not 0, else no. The condition gets no gradient, and what is left out gets "
    "0, even where it is not finite.", .operands = "condition yes no", .min_operands = 1, .max_operands = 3,
    .attrs = (const struct attr_spec[]){ { "yes", ATTR_REAL, "a number in place of yes", .required = false },
    { "no", ATTR_REAL, "a number in place of no", .required = false }, ATTRS_END },
    .gradient.saves = SAVES_IN(0));
