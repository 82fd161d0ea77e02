/*
 * Layers that are a block of std/ here, and no operator. A step of one is made as if it were: it
 * has the block's operands, results, and parameters, in the block's order. Operands beyond the
 * fewest are states that it begins with, which the spec gives it by name. What it computes is in
 * std/ alone, which the spec uses.
 */
#include "import/importer.h"

#include <string.h>

#include "ops/shapes.h"

#define RECURRENT	"std/recurrent.nn"
#define LARGEST_STATE	(1 << 24)

static const struct attr_spec masked_attrs[] = {
	{ .name = "size", .type = ATTR_INT, .doc = "numbers of the state", .min = 1, .max = LARGEST_STATE, .required = true },
	{ .name = "bias", .type = ATTR_BOOL, .doc = "sums have a bias", .preset = "true" },
	{ .name = "reverse", .type = ATTR_BOOL, .doc = "from the last step to the first", .preset = "false" },
	ATTRS_END
};

static const struct attr_spec plain_attrs[] = {
	{ .name = "size", .type = ATTR_INT, .doc = "numbers of the state", .min = 1, .max = LARGEST_STATE, .required = true },
	{ .name = "bias", .type = ATTR_BOOL, .doc = "sums of inputs have a bias", .preset = "true" },
	{ .name = "state_bias", .type = ATTR_BOOL, .doc = "and those of the state", .preset = "false" },
	{ .name = "reverse", .type = ATTR_BOOL, .doc = "from the last step to the first", .preset = "false" },
	ATTRS_END
};

static bool
matrix(struct build *b, struct node *n, int64_t rows, int64_t columns, bool bias)
{
	struct init zeros = { .kind = INIT_ZEROS };

	return op_param(b, n, "weight", T_PARAM, zeros, 2, (int64_t[]){ rows, columns }) &&
	    (!bias || op_param(b, n, "bias", T_PARAM, zeros, 1, &rows));
}

/* The states that it is given, from operand K on. */
static bool
states_fit(struct build *b, const struct node *n, int k, int64_t size)
{
	for (; k < n->nin; k++)
		if (!shape_float(b, n, k) || n->in[k]->rank != 1 || n->in[k]->dim[0] != size || n->in[k]->batched != n->in[0]->batched)
			return op_error(b, n, "%s: a state before the first step must have shape [%lld], for each sample as its input has "
			    "it, but it is %s", n->op->name, (long long)size, op_operand_text(b, n->in[k]));
	return true;
}

/* The sums of inputs of all GATES; of the state, FIRST of the gates and then the others. HOLES more
 * are numbers each for itself. */
static bool
recurrence(struct build *b, struct node *n, int gates, int first, int holes, bool cell, bool state_bias)
{
	const struct tensor *x = n->in[0];
	int64_t size = op_int(n, "size"), all = holes * size;

	if (!shape_float(b, n, 0))
		return false;
	if (x->rank != 2 || x->dim[1] > LARGEST_STATE)
		return op_error(b, n, "%s: input must have shape [steps, features], but it is %s", n->op->name, op_operand_text(b, x));
	if (n->op->min_operands > 1 && (n->in[1]->rank != 2 || n->in[1]->dim[0] != x->dim[0] || n->in[1]->dim[1] != 1))
		return op_error(b, n, "%s: what is seen must have shape [%lld, 1], but it is %s", n->op->name, (long long)x->dim[0],
		    op_operand_text(b, n->in[1]));
	if (!states_fit(b, n, n->op->min_operands, size) || !matrix(b, n, gates * size, x->dim[1], op_bool(n, "bias")) || !matrix(b, n, first * size, size, state_bias) ||
	    (first < gates && !matrix(b, n, (gates - first) * size, size, state_bias)) ||
	    (holes && !op_param(b, n, "holes", T_PARAM, (struct init){ .kind = INIT_ZEROS }, 1, &all)))
		return false;
	op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, 2, (int64_t[]){ x->dim[0], size });
	op_output(b, n, "last", T_ACTIVATION, x->dtype, x->batched, 1, &size);
	if (cell)
		op_output(b, n, "cell", T_ACTIVATION, x->dtype, x->batched, 1, &size);
	return true;
}

static bool
lstm(struct build *b, struct node *n)
{
	return recurrence(b, n, 4, 4, 0, true, false);
}

static bool
gru(struct build *b, struct node *n)
{
	return recurrence(b, n, 3, 3, 0, false, op_bool(n, "bias"));
}

static bool
reset_first(struct build *b, struct node *n)
{
	return recurrence(b, n, 3, 2, 0, false, n->op->attrs == plain_attrs && op_bool(n, "state_bias"));
}

static bool
rnn(struct build *b, struct node *n)
{
	return recurrence(b, n, 1, 1, 0, false, false);
}

static bool
peephole(struct build *b, struct node *n)
{
	return recurrence(b, n, 4, 4, 3, true, op_bool(n, "state_bias"));
}

#define MASKED(theirs, how, states) \
	{ .name = theirs, .kind = OP_LAYER, .attrs = masked_attrs, .operands = "x seen h c",			\
	  .min_operands = 2, .max_operands = 2 + (states), .shape = how }

static const struct op blocks[] = {
	MASKED("masked_lstm", lstm, 2),
	MASKED("masked_gru", gru, 1),
	MASKED("masked_gru_reset_first", reset_first, 1),
	MASKED("masked_rnn", rnn, 1),
	{ .name = "gru_reset_first", .kind = OP_LAYER, .attrs = plain_attrs, .operands = "x h", .min_operands = 1, .max_operands = 2,
	  .shape = reset_first },
	{ .name = "lstm_peephole", .kind = OP_LAYER, .attrs = plain_attrs, .operands = "x", .min_operands = 1, .max_operands = 1,
	  .shape = peephole },
};

const struct op *
std_block(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
		if (strcmp(blocks[i].name, name) == 0)
			return &blocks[i];
	return NULL;
}

const char *
std_file(const struct op *op)
{
	return op >= blocks && op < blocks + sizeof(blocks) / sizeof(*blocks) ? RECURRENT : NULL;
}
