/* The tensors among the arguments of a call, which come first. */
#include "lang/expander.h"

#include <string.h>

int
operand_find(const struct op *op, const char *name)
{
	const char *s = op->operands;
	int k;

	for (k = 0; s && *s; k++) {
		size_t n = strcspn(s, " ");

		if (n == strlen(name) && strncmp(s, name, n) == 0)
			return k;
		s += n + (s[n] == ' ');
	}
	return -1;
}

/* Of the input of that name among a block's. */
static int
input_find(const struct block *b, const char *name)
{
	int i, j, k = 0;

	for (i = 0; i < b->nstmts; i++)
		for (j = 0; b->stmt[i].kind == S_INPUT && j < b->stmt[i].nnames; j++, k++)
			if (b->stmt[i].name[j].text && strcmp(b->stmt[i].name[j].text, name) == 0)
				return k;
	return -1;
}

static bool
is_next(const struct callee *c, const char *name, int place)
{
	if (c->kind == CALLEE_BLOCK)
		return input_find(c->block->block, name) == place;
	return c->kind == CALLEE_OP && operand_find(c->op, name) == place;
}

int
leading_operands(const struct callee *c, int piped, const struct actual *actual, int n, int *nargs)
{
	int i, count = 0;

	for (i = 0; i < n; i++) {
		const struct value *v = &actual[i].value;
		const char *name = actual[i].arg->name;

		if ((name && !is_next(c, name, piped + count)) || v->kind == V_POISON ||
		    !value_is_tensors(v))
			break;
		count += v->kind == V_TUPLE ? v->n : 1;
	}
	*nargs = i;
	return count;
}

bool
any_poison(const struct actual *actual, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (actual[i].value.kind == V_POISON)
			return true;
	return false;
}

struct operands
join_operands(struct expander *ex, const struct callee *c, struct operands ops, const struct actual *actual, int n,
    int take)
{
	int nargs, have = leading_operands(c, ops.n, actual, n, &nargs), i, j, k = ops.n;
	struct value *v = arena_array(ex->a, (size_t)ops.n + (size_t)have, sizeof(*v));

	if (ops.n > 0)
		memcpy(v, ops.v, (size_t)ops.n * sizeof(*v));
	for (i = 0; i < nargs && k - ops.n < take; i++) {
		if (actual[i].value.kind == V_TENSOR)
			v[k++] = actual[i].value;
		for (j = 0; actual[i].value.kind == V_TUPLE && j < actual[i].value.n; j++)
			v[k++] = actual[i].value.item[j];
	}
	return (struct operands){ v, k };
}
