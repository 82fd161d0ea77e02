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

/* The name of the argument by which a number stands for the operand at that place. */
static const char *
number_at(const struct op *op, int place)
{
	int i = op_number_for(op, place);

	return i < 0 ? NULL : op->attrs[i].name;
}

/* The operands that numbers stand for by name: a bit each. */
static unsigned
numbers_by_name(const struct op *op, const struct actual *actual, int n)
{
	unsigned found = 0;
	int i, k;

	for (i = 0; i < n; i++) {
		k = actual[i].arg->name && actual[i].value.kind == V_NUMBER ? operand_find(op, actual[i].arg->name) : -1;
		if (k >= 0 && k < 32 && number_at(op, k))
			found |= 1u << k;
	}
	return found;
}

/* Whether a number may stand for one of its operands: most have none of which it may. */
static bool
takes_numbers(const struct op *op)
{
	int k;

	for (k = 0; k < op->max_operands; k++)
		if (op_number_for(op, k) >= 0)
			return true;
	return op->max_operands < 0;
}

const struct actual *
tensors_first(struct expander *ex, const struct op *op, int piped, const struct actual *actual, int n)
{
	struct actual *all, *behind;
	unsigned named;
	int i, k, place = piped, first = 0, last = 0;

	if (!takes_numbers(op))
		return actual;
	named = numbers_by_name(op, actual, n);
	all = arena_array(ex->passing, (size_t)n + 1, sizeof(*all));
	behind = arena_array(ex->passing, (size_t)n + 1, sizeof(*behind));
	for (i = 0; i < n; i++) {
		const struct value *v = &actual[i].value;
		struct arg *as = ARENA_NEW(ex->passing, struct arg);
		const char *name = actual[i].arg->name, *number;

		while (place < 32 && named >> place & 1)
			place++;
		number = number_at(op, place);
		*as = *actual[i].arg;
		if (v->kind == V_POISON)
			return actual;
		if (value_is_tensors(v) && (name ? number && operand_find(op, name) == place : true)) {
			as->name = NULL;
			all[first++] = (struct actual){ as, *v };
			place += v->kind == V_TUPLE ? v->n : 1;
		} else if (v->kind == V_NUMBER && !name && number) {
			as->name = number;
			as->name_loc = v->loc;
			behind[last++] = (struct actual){ as, *v };
			place++;
		} else if (v->kind == V_NUMBER && name && number_at(op, operand_find(op, name))) {
			behind[last++] = actual[i];
		} else if (!name && place >= op->max_operands && op->max_operands >= 0) {
			break;		/* one too many, which is told of what is there */
		} else {
			return actual;
		}
	}
	for (k = 0; k < last; k++)
		all[first + k] = behind[k];
	for (; i < n; i++)
		all[first + last++] = actual[i];
	return all;
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
	struct value *v = arena_array(ex->passing, (size_t)ops.n + (size_t)have, sizeof(*v));

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
