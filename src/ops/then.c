/* Operators that do a formula to what they make; see then.h. */
#include "ops/then.h"

#include <string.h>

#include "calls/epilogue.h"
#include "ir/op.h"
#include "ops/pointwise.h"

#define DEAREST	100	/* multiplications of what backward does twice for each element */

/* It is the last. */
static int
place(const struct op *op)
{
	int n = op_nattrs(op);

	return n && strcmp(op->attrs[n - 1].name, "then") == 0 ? n - 1 : -1;
}

const struct formula *
then_of(const struct node *n)
{
	int at = place(n->op);

	return at < 0 ? NULL : n->attr[at].formula;
}

struct attr *
then_attrs(struct arena *a, const struct node *n, const struct formula *then)
{
	int count = place(n->op) < 0 ? op_nattrs(n->op) : place(n->op), i;
	struct attr *attr = arena_array(a, (size_t)count + 1, sizeof(*attr));

	for (i = 0; i < count; i++)
		attr[i] = n->attr[i];
	attr[count] = (struct attr){ .given = true, .formula = then };
	return attr;
}

const struct formula *
then_passed(struct arena *a, const struct formula *then)
{
	const struct formula *to_value = formula_passed(a, then, 0, then->operands > 1), *to_beside;

	if (then->operands < 2 || !to_value)
		return to_value;
	to_beside = formula_passed(a, then, 1, true);
	return to_beside && formula_same(to_value, to_beside) ? to_value : NULL;
}

bool
then_is_passed(struct arena *a, const struct node *n, const struct formula *then)
{
	const struct formula *f = then_passed(a, then);

	(void)n;
	return f && formula_cost(f) <= DEAREST;
}

struct tensor *
then_beside(const struct node *n)
{
	return then_of(n) && then_of(n)->operands > 1 ? n->in[n->nin - 1] : NULL;
}

int
then_operands(const struct node *n)
{
	return n->nin - (then_beside(n) != NULL);
}

bool
then_takes(const struct node *n, int operands)
{
	return n->op->then.op && operands <= n->op->then.operands && (operands < 2 || !then_beside(n));
}

const struct formula *
then_both(struct arena *a, const struct node *n, const struct node *reader, int k)
{
	const struct formula *first = then_of(n), *second = pointwise_formula(a, reader);
	bool beside = then_beside(n) || reader->nin > 1;
	struct formula *f = formula_new(a, beside ? 2 : 1);
	int value[2] = { formula_operand(f, 0), beside ? formula_operand(f, 1) : 0 }, of[2];

	of[k] = first ? formula_insert(f, first, 0, value) : value[0];
	of[1 - k] = value[1];
	f->result[f->results++] = formula_insert(f, second, 0, of);
	f->name = first && first->name && second->name ? arena_printf(a, "%s_%s", first->name, second->name) : second->name;
	return f;
}

void
then_join(struct module *m, struct arena *a, struct node *n, const struct formula *then, const struct node *reader, int k)
{
	n->attr = then_attrs(a, n, then);
	n->op = n->op->then.op;
	if (reader->nin > 1)
		ir_add_input(m, n, reader->in[1 - k]);
}

bool
then_admits(struct then_set *s, const struct formula *f, int most)
{
	int i;

	for (i = 0; i < s->n; i++)
		if (s->of[i] == f || formula_same(s->of[i], f))
			return true;
	if (s->n >= most)
		return false;
	s->of[s->n++] = f;
	return true;
}

void
then_gather(struct then_set *s, const struct module *m)
{
	const struct graph *const graphs[] = { m->train, m->update, m->validate };
	size_t k;
	int i;

	s->n = 0;
	for (k = 0; k < sizeof(graphs) / sizeof(*graphs); k++)
		for (i = 0; graphs[k] && i < graphs[k]->nodes.n; i++)
			if (then_of(graphs[k]->nodes.v[i]))
				then_admits(s, then_of(graphs[k]->nodes.v[i]), EPILOGUES_MOST);
}

void
then_note(struct emitter *e, const struct node *n)
{
	epilogue_note(e, then_of(n));
}

void
then_define(struct emitter *e, const struct node *n)
{
	epilogue_define(e, then_of(n));
}

struct call_arg
then_arg(struct emitter *e, const struct node *n, const struct tensor *beside)
{
	return then_of(n) ? epilogue_arg(e, then_of(n), beside) : arg_text("AS_IS");
}
