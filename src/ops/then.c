/* Operators that do a formula to what they make; see then.h. */
#include "ops/then.h"

#include <string.h>

#include "calls/epilogue.h"
#include "ir/op.h"

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
