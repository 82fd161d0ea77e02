/* Formulas that become one; see joined.h. */
#include "passes/joined.h"

#include <string.h>

#include "ops/pointwise.h"

#define LONGEST_NAME	40

int
joined_operands(const struct node *maker, const struct node *reader, struct tensor **in)
{
	const struct node *const both[] = { maker, reader };
	int n = 0, i, k, j;

	for (i = 0; i < 2; i++)
		for (k = 0; k < both[i]->nin; k++) {
			struct tensor *t = both[i]->in[k];

			for (j = 0; j < n && in[j] != t; j++)
				;
			if (!t || t == maker->out[0] || j < n)
				continue;
			if (n == FORMULA_OPERANDS)
				return -1;
			in[n++] = t;
		}
	return n;
}

static const char *
name_of_both(struct arena *a, const struct formula *first, const struct formula *second)
{
	const char *name = arena_printf(a, "%s_%s", first->name, second->name);

	return strlen(name) <= LONGEST_NAME ? name : second->name;
}

struct formula *
joined_formula(struct arena *a, const struct node *maker, const struct node *reader, struct tensor **in)
{
	const struct formula *first = pointwise_formula(a, maker), *second = pointwise_formula(a, reader);
	int n = joined_operands(maker, reader, in), value[FORMULA_OPERANDS], made, i, k;
	struct formula *f = formula_new(a, n);

	for (i = 0; i < first->operands; i++)
		for (k = 0; k < n; k++)
			if (in[k] == maker->in[i])
				value[i] = formula_operand(f, k);
	made = formula_insert(f, first, 0, value);
	for (i = 0; i < second->operands; i++) {
		value[i] = made;
		for (k = 0; k < n; k++)
			if (in[k] == reader->in[i])
				value[i] = formula_operand(f, k);
	}
	for (i = 0; i < second->results; i++)
		f->result[f->results++] = formula_insert(f, second, i, value);
	f->name = name_of_both(a, first, second);
	return f;
}

void
joined_make(struct module *m, const struct node *maker, struct node *reader)
{
	struct tensor *in[FORMULA_OPERANDS];
	struct formula *f = joined_formula(m->arena, maker, reader, in);
	int i;

	reader->nin = 0;
	for (i = 0; i < f->operands; i++)
		ir_add_input(m, reader, in[i]);
	pointwise_set(m->arena, reader, f);
}

int
joined_whole(const struct node *n)
{
	int64_t elements = tensor_elements_per_sample(n->out[0]);
	int k, count = 0;

	for (k = 0; k < n->nin; k++)
		count += !tensor_kind_persistent(tensor_root(n->in[k])->kind) &&
		    n->in[k]->batched == n->out[0]->batched && 2 * tensor_elements_per_sample(n->in[k]) > elements;
	return count;
}
