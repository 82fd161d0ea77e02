/* What only tensors of some kinds have: fields that the others use for something else, or not at
 * all. */
#include "ir/ir.h"

struct tensor *
tensor_landing(const struct tensor *t)
{
	return t->kind == T_INPUT || t->kind == T_TARGET ? t->lands : NULL;
}

struct tensor *
tensor_copied(const struct tensor *t)
{
	return t->kind == T_OPTIMIZER ? t->copies : NULL;
}

struct tensor *
tensor_gradient(const struct tensor *t)
{
	return t->kind == T_PARAM ? t->gradient : NULL;
}

struct init
tensor_init(const struct tensor *t)
{
	return (struct init){ t->init_kind, t->init_value };
}

void
tensor_start_as(struct tensor *t, struct init init)
{
	t->init_kind = init.kind;
	t->init_value = init.value;
}
