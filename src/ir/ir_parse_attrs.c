/*
 * The attributes of a node, in the text that ir/ir_print.c writes.
 */
#include "formula/formula.h"
#include "ir/ir_reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ir/op.h"

struct init
ir_read_init(struct ir_reader *r)
{
	static const char *const names[] = { "zeros", "constant", "uniform", "normal" };
	struct init init;

	init.kind = (enum init_kind)ir_read_one_of(r, "zeros, constant, uniform or normal", names, 4);
	init.value = ir_read_number(r);
	return init;
}

static bool
ints(struct ir_reader *r, struct attr *a)
{
	ir_read_expect(r, "(");
	while (!r->failed && !ir_read_accept(r, ")")) {
		if (a->n == MAX_RANK)
			return ir_read_fail(r, "at most 8 numbers");
		a->v[a->n++] = ir_read_integer(r);
		ir_read_accept(r, ",");
	}
	return !r->failed;
}

/* The number of a body that is complete: those come before what runs them. */
static struct graph *
body(struct ir_reader *r)
{
	int64_t i = ir_read_integer(r);

	if (i >= 0 && i < r->m->bodies.n && r->m->bodies.v[i] != r->g)
		return r->m->bodies.v[i];
	ir_read_fail(r, "the number of a body above");
	return NULL;
}

static void
reals(struct ir_reader *r, struct attr *a)
{
	VEC(double) list = { NULL, 0, 0 };

	ir_read_expect(r, "(");
	while (!r->failed && !ir_read_accept(r, ")")) {
		vec_push(r->a, &list, ir_read_number(r));
		ir_read_accept(r, ",");
	}
	a->real = list.v;
	a->n = list.n;
}

/* What print_text() of ir_print.c wrote. */
static const char *
text_value(struct ir_reader *r)
{
	char *s = arena_strdup(r->a, ir_read_string(r)), *to = s, digits[3] = { 0 };
	const char *from = s;

	for (; *from; to++) {
		if (*from == '%' && isxdigit((unsigned char)from[1]) && isxdigit((unsigned char)from[2])) {
			memcpy(digits, from + 1, 2);
			*to = (char)strtol(digits, NULL, 16);
			from += 3;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
	return s;
}

static void
attr_value(struct ir_reader *r, const struct attr_spec *spec, struct attr *a)
{
	struct attr_spec given = *spec;

	switch (spec->type) {
	case ATTR_INT:
		a->i = ir_read_integer(r);
		break;
	case ATTR_REAL:
		a->r = ir_read_number(r);
		break;
	case ATTR_PAIR:
	case ATTR_SIDES:
	case ATTR_INTS:
	case ATTR_AXES:
	case ATTR_FRAME:
		ints(r, a);
		break;
	case ATTR_BOOL:
	case ATTR_ENUM:
		given.preset = ir_read_word(r);
		if (!op_attr_preset(&given, a))
			ir_read_fail(r, "a value of this attribute");
		break;
	case ATTR_INIT:
		a->init = ir_read_init(r);
		break;
	case ATTR_REALS:
		a->i = r->s[strspn(r->s, " \t")] == '"';
		if (a->i)
			a->text = text_value(r);
		else
			reals(r, a);
		break;
	case ATTR_TEXT:
		a->text = text_value(r);
		break;
	case ATTR_FORMULA:
		given.preset = ir_read_string(r);
		if (!r->failed && !(a->formula = formula_parse(r->a, given.preset)))
			ir_read_fail(r, "a formula");
		break;
	case ATTR_BODY:
		a->body = body(r);
		break;
	case ATTR_TENSOR:
		ir_read_expect(r, "_");
		break;
	}
}

struct attr *
ir_read_attrs(struct ir_reader *r, const struct op *op)
{
	struct attr *a = arena_array(r->a, (size_t)op_nattrs(op) + 1, sizeof(*a));
	int i;

	ir_read_expect(r, "{");
	for (i = 0; i < op_nattrs(op) && !r->failed; i++) {
		if (op->attrs[i].silent) {
			if (!ir_read_accept(r, arena_printf(r->a, ", %s", op->attrs[i].name)))
				continue;
		} else {
			if (i)
				ir_read_expect(r, ",");
			ir_read_expect(r, op->attrs[i].name);
		}
		ir_read_expect(r, "=");
		attr_value(r, &op->attrs[i], &a[i]);
	}
	ir_read_expect(r, "}");
	return a;
}
