/*
 * pointwise: a formula of the elements of its operands. Other operators that have a formula
 * (op->formula) are made one of it by the pass formulas, and share its shape rule.
 */
#ifndef STOWAGE_OPS_POINTWISE_H
#define STOWAGE_OPS_POINTWISE_H

#include "formula/formula_pool.h"
#include "ir/op.h"

struct emitter;

extern const struct op op_pointwise;

/* Is what the node makes a formula of the elements of its operands, and nothing else? */
bool	pointwise_has_formula(const struct node *);
/* Does it make T, and nothing else, by a formula of two tensors alike? */
bool	pointwise_makes(const struct node *, const struct tensor *t);
/* The formula of a pointwise, or of a node whose operator has one, with its attributes in it. */
const struct formula	*pointwise_formula(struct arena *, const struct node *);
/* Is it the gradient of relu, of dy and of what relu made? NULL is not. */
bool	pointwise_is_relu_grad(struct arena *, const struct formula *);

/* Tensors that backward of a formula reads, of its operands and results; those of several together,
 * each once. */
struct pointwise_kept {
	const struct tensor *tensor[2 * (FORMULA_OPERANDS + FORMULA_RESULTS)];
	int n;
};

/* What gradients of formulas read, whatever network they are of: it lives as long as the arena. */
struct pointwise_reads {
	struct arena *arena;
	struct intern formulas;
};

void	pointwise_keep(struct pointwise_reads *, const struct formula *, struct tensor *const *in,
	    struct tensor *const *out, struct pointwise_kept *);
void	pointwise_kept_add(struct pointwise_kept *, const struct tensor *);	/* unless it is there */
int64_t	pointwise_bytes(const struct pointwise_kept *);

/* Makes the node a pointwise with that formula. */
void	pointwise_set(struct arena *, struct node *, const struct formula *);

/* Operands of equal rank, with extents equal or 1, and scalars: one result with the larger extents.
 * At least one operand has them all, and the batch, which a scalar may have in its place. */
bool	pointwise_shape(struct build *, struct node *);

/*
 * The record of an operator that is a formula, as a row: its name, what it is in a few words, the
 * formula, the manual's text, and other members, its operands first.
 */
#define OP_ROW(id, title, text, words, ...)							\
	extern const struct op op_##id;								\
	const struct op op_##id = {								\
		.name = #id, .kind = OP_LAYER, .brief = title,						\
		.doc = words " It works element by element, as stowage(5) says of arithmetic.",	\
		.flags = OP_ELEMENTWISE | OP_REALS, .formula = text, .shape = pointwise_shape,	\
		__VA_ARGS__									\
	}

/* Members of one that passes look for by its name or flags: it stays what it is, and runs as a
 * pointwise of its formula would. */
#define STAYS_ITSELF										\
	.gradient.build = pointwise_gradient, .memory.inplace = POINTWISE_INPLACE,			\
	.calls.kernels = POINTWISE_KERNELS, .calls.listed = true, .calls.define = pointwise_define, .calls.emit = pointwise_emit

#define POINTWISE_INPLACE	((1u << FORMULA_OPERANDS) - 1)
#define POINTWISE_KERNELS	"pointwise/formula.cu"
bool	pointwise_gradient(struct diff *, struct node *);
void	pointwise_define(struct emitter *, const struct node *);
void	pointwise_emit(struct emitter *, const struct node *);

#define ONE_OPERAND	.operands = "x", .min_operands = 1, .max_operands = 1

#endif
