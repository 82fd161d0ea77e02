/*
 * Arithmetic of two or three tensors, element by element, that is a formula: each is one row.
 * Operands have equally many axes with extents equal or 1, or none; a number may stand for the last
 * ones.
 *
 * What PyTorch keeps is as in tools/autograd/derivatives.yaml; what a comparison makes there is
 * bool.
 */
#include "calls/tape.h"
#include "ops/pointwise.h"

#define TWO(id, word)	.operands = "x " id, .min_operands = 1, .max_operands = 2,		\
	.attrs = (const struct attr_spec[]){ { id, ATTR_REAL, word, .required = false }, ATTRS_END }

/* ---- in PyTorch: one call, whose gradients are made of temporaries as large as the result ---- */

struct sizes {			/* in bytes */
	int64_t result, mask, number;	/* a bool for each element; one element */
	bool wants[3];		/* does operand k want a gradient? */
};

static struct sizes
sizes_of(const struct tape *t, const struct node *n)
{
	struct sizes s = { tape_bytes(t, n->out[0]), tape_bytes_as(t, n->out[0], 1), dtype_bytes(n->out[0]->dtype),
	    { false } };
	int k;

	for (k = 0; k < n->nin; k++)
		s.wants[k] = t->values.v[tape_value(t, n->in[k])].wants;
	return s;
}

static void
torch_call(struct tape *t, const struct node *n, unsigned saves, int64_t scratch)
{
	struct tape_call c = { .nin = n->nin, .bytes = tape_bytes(t, n->out[0]), .saves = saves,
	    .full = (1u << n->nin) - 1, .scratch = scratch };
	int in[3], k;

	for (k = 0; k < n->nin; k++)
		in[k] = tape_value(t, n->in[k]);
	c.in = in;
	tape_result(t, n->out[0], tape_elementwise(t, n, c));
}

/* -dy * ((x / by) / by) for the divisor */
static void
torch_div(struct tape *t, const struct node *n)
{
	struct sizes s = sizes_of(t, n);

	torch_call(t, n, n->nin < 2 ? 0 : s.wants[1] ? SAVES_IN(0) | SAVES_IN(1) : SAVES_IN(1),
	    s.wants[1] ? 4 * s.result : 0);
}

/* dy * (e * x^(e - 1)), for a tensor where e is not 0; for e where(x is 0 and e is not below, 0, dy
 * * (y log x)). What is computed of e alone or of x alone is as large as that one is. */
static void
torch_pow(struct tape *t, const struct node *n)
{
	struct sizes s = sizes_of(t, n);
	const struct tensor *x = n->in[0], *e = n->in[n->nin - 1];
	int64_t of_x = s.wants[0] ? 4 * s.result + tape_bytes(t, e) + tape_bytes_as(t, e, 1) + s.number : 0;
	int64_t of_e = s.wants[1] ? 3 * s.result + tape_bytes(t, x) + s.mask + s.number : 0;

	if (n->nin < 2)
		torch_call(t, n, SAVES_IN(0), 3 * s.result);
	else
		torch_call(t, n, SAVES_IN(0) | SAVES_IN(1) | (s.wants[1] ? SAVES_OUT(0) : 0),
		    of_x > 0 && of_e > 0 ? s.result + of_x : of_x + of_e);
}

/* dy / 2 where both are equal, and 0 where x is less; with a number it is clamp */
static void
torch_extreme(struct tape *t, const struct node *n)
{
	struct sizes s = sizes_of(t, n);

	if (n->nin < 2)
		torch_call(t, n, SAVES_IN(0), s.result + s.mask + s.number);
	else
		torch_call(t, n, SAVES_IN(0) | SAVES_IN(1),
		    3 * s.result + 2 * s.mask + (s.wants[0] && s.wants[1] ? s.result : 0));
}

#define TERMS	.operands = "a b", .min_operands = 2, .max_operands = 2
#define REPEATED	" The operand with extents of 1, or without a batch, is repeated; a scalar goes with anything. "

const struct op op_add = {
	.name = "add",
	.kind = OP_LAYER,
	.brief = "sum of two tensors",
	.doc = "y = a + b, also written a + b." REPEATED "Backward needs neither operand. It works element by element, as "
	    "stowage(5) says of arithmetic.",
	.flags = OP_ELEMENTWISE | OP_REALS,
	.formula = "a + b",
	.shape = pointwise_shape,
	.torch = { .output = TORCH_OVER, .passes = 1u << 0 | 1u << 1 },
	TERMS,
	STAYS_ITSELF
};

OP_ROW(sub, "difference of two tensors", "a - b", "y = a - b, also written a - b." REPEATED
    "Backward needs neither operand.", TERMS, .torch = { .passes = 1u << 0, .full = 1u << 1 });

OP_ROW(mul, "product of two tensors, element by element", "a * b", "y = a * b, also written a * b." REPEATED
    "Backward reads both operands, each only if the other needs a gradient.", TERMS,
    .gradient.saves = SAVES_IN(0) | SAVES_IN(1), .torch = { .crosswise = true, .full = 1u << 0 | 1u << 1 });

/* In PyTorch a product with a number, then a sum with one. */
static void
torch_scale(struct tape *t, const struct node *n)
{
	int64_t bytes = tape_bytes(t, n->out[0]);
	int y = tape_value(t, n->in[0]);

	if (op_real(n, "factor") != 1)
		y = tape_elementwise(t, n, (struct tape_call){ .in = &y, .nin = 1, .bytes = bytes });
	if (op_real(n, "offset") != 0)
		y = tape_elementwise(t, n, (struct tape_call){ .in = &y, .nin = 1, .bytes = bytes,
		    .passes = 1u << 0 });
	tape_result(t, n->out[0], y);
}

OP_ROW(scale, "factor * x + offset", "factor * x + offset",
    "y = factor * x + offset with numbers of the spec; factor * x may be written as such. Backward needs neither input "
    "nor output.", ONE_OPERAND, .attrs = (const struct attr_spec[]){
    { "factor", ATTR_REAL, "what x is multiplied by", .required = true },
    { "offset", ATTR_REAL, "what is added after that", .required = false, .preset = "0" }, ATTRS_END },
    .torch.calls = torch_scale);

OP_ROW(div, "the quotient of two tensors", "x / by",
    "y = x / by, also written x / by. Backward reads the divisor, and y where the divisor has a gradient.",
    TWO("by", "the divisor, where it is a number"), .torch.calls = torch_div);

OP_ROW(pow, "x to a power", "x ^ exponent",
    "y = x to the power of exponent, also written x ^ exponent. Where x is negative and the exponent is no "
    "integer, y is not a number.", TWO("exponent", "the exponent, where it is a number"), .torch.calls = torch_pow);

OP_ROW(maximum, "the larger of two tensors", "max(x, other)",
    "y = the larger of x and other, also written max(x, other); not a number where one is. Of equals, each "
    "gets half the gradient.", TWO("other", "the other, where it is a number"), .torch.calls = torch_extreme);

OP_ROW(minimum, "the smaller of two tensors", "min(x, other)",
    "y = the smaller of x and other, also written min(x, other); not a number where one is. Of equals, each "
    "gets half the gradient.", TWO("other", "the other, where it is a number"), .torch.calls = torch_extreme);

/* A tensor of one byte an element. */
static void
torch_compare(struct tape *t, const struct node *n)
{
	int in[2] = { tape_value(t, n->in[0]), n->nin > 1 ? tape_value(t, n->in[1]) : 0 };

	tape_result(t, n->out[0], tape_elementwise(t, n, (struct tape_call){ .in = in, .nin = n->nin,
	    .bytes = tape_bytes_as(t, n->out[0], 1), .stops = true }));
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

/* A condition that is no comparison is compared with 0 first. */
static void
torch_where(struct tape *t, const struct node *n)
{
	struct sizes s = sizes_of(t, n);
	int64_t mask = tape_bytes_as(t, n->in[0], 1);
	int in[3], k;

	for (k = 0; k < n->nin; k++)
		in[k] = tape_value(t, n->in[k]);
	if (t->values.v[in[0]].bytes != mask)
		in[0] = tape_elementwise(t, n, (struct tape_call){ .in = in, .nin = 1, .bytes = mask, .stops = true });
	tape_result(t, n->out[0], tape_elementwise(t, n, (struct tape_call){ .in = in, .nin = n->nin, .bytes = s.result,
	    .saves = SAVES_IN(0), .full = 1u << 1 | 1u << 2,
	    .scratch = (s.wants[1] + s.wants[2]) * s.result + s.number }));
}

OP_ROW(where, "one of two, by a condition", "where(condition, yes, no)",
    "y = yes where the condition is not 0, else no. The condition gets no gradient, and what is left out gets "
    "0, even where it is not finite.", .operands = "condition yes no", .min_operands = 1, .max_operands = 3,
    .attrs = (const struct attr_spec[]){ { "yes", ATTR_REAL, "a number in place of yes", .required = false },
    { "no", ATTR_REAL, "a number in place of no", .required = false }, ATTRS_END },
    .torch.calls = torch_where);
