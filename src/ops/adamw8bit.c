/* adamw8bit: adamw that keeps its means in eight bits. */
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "calls/sizes.h"
#include "ops/optimizers.h"

#define SMALL	4096	/* elements below which a parameter's means are kept whole */

extern const struct op op_adamw;

static bool
shape(struct build *b, struct node *n)
{
	static const char *const state[] = { "exp_avg", "exp_avg_sq", "largest" };
	const struct tensor *p = n->in[0];
	int64_t elements = tensor_elements_per_sample(p);
	struct state_shape codes = { DT_U8, 1, { elements } };
	struct state_shape largest = { p->dtype->real, 2, { 2, (elements + CODED_BLOCK - 1) / CODED_BLOCK } };

	return optimizer_shapes(b, n, 3, state, (const struct state_shape[]){ codes, codes, largest });
}

static const struct op *
instead(const struct tensor *parameter)
{
	return tensor_elements_per_sample(parameter) < SMALL ? &op_adamw : NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "adamw8bit_update", arg_text(e->together), arg_tensor(n->in[2]), arg_text("s"),
	    optimizer_adam_numbers(e, n), arg_text(emit_double(e, op_real(n, "beta1"))),
	    arg_text(emit_double(e, op_real(n, "beta2"))),
	    arg_text(emit_double(e, op_real(n, "eps"))));
}

const struct op op_adamw8bit = {
	.name = "adamw8bit",
	.kind = OP_OPTIMIZER,
	.brief = "AdamW whose means take eight bits a weight",
	.doc = "As adamw; but between updates each mean is a byte, the nearest of 256 numbers times the largest of "
	    "its block of 256 weights (Dettmers and others: 8-bit optimizers via block-wise quantization, 2021). "
	    "The 256 numbers are those of their dynamic tree: of seven decades below 1, each with twice as many as "
	    "the one below it; of means of gradients half of them are negative, and a negative mean does not "
	    "become 0. The step is that of the means before they are rounded. A parameter of fewer than 4096 "
	    "weights is updated by adamw. State: two bytes a weight, and 8 for each 256 weights (in f64 16).",
	.attrs = optimizer_adamw_attrs,
	.operands = "parameter gradient clip",
	.min_operands = 2, .max_operands = 3,
	.shape = shape,
	.instead = instead,
	.memory.alias = optimizer_alias,
	.torch.unknown = "PyTorch has no optimizer of eight bits, and that of bitsandbytes runs on a card alone",
	.calls.row = optimizer_row,
	.calls.kernels = "update/adamw8bit.cu",
	.calls.emit = emit,
};
