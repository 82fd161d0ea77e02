/* The written form of operators, from their records. */
#include "ops/usage.h"

#include <string.h>

#define A_LINE	4	/* arguments */

static const char *
type_name(const struct attr_spec *a)
{
	static const char *const name[] = {
		[ATTR_INT] = "integer", [ATTR_REAL] = "number", [ATTR_BOOL] = "true or false",
		[ATTR_PAIR] = "integer or pair (height, width)",
		[ATTR_SIDES] = "integer, (vertical, horizontal) or (top, bottom, left, right)",
		[ATTR_AXES] = "integer, or one for each axis",
		[ATTR_FRAME] = "integer, one for each axis, or two: before, after",
		[ATTR_INTS] = "integers", [ATTR_REALS] = "number, or a tuple of numbers", [ATTR_ENUM] = "word",
		[ATTR_TENSOR] = "name of a layer, or tensor", [ATTR_INIT] = "initial value", [ATTR_BODY] = "layer",
		[ATTR_TEXT] = "text in quotes",
	};

	return a->file ? "number, a tuple of numbers, or a file's name in quotes" : name[a->type];
}

/* where(mask, yes, no): a number may stand for such an operand, which is listed as that. */
static bool
is_listed(const struct op *op, const struct attr_spec *a)
{
	const char *s;
	size_t n;

	for (s = op->operands; s && *s; s += n + (s[n] == ' ')) {
		n = strcspn(s, " ");
		if (strlen(a->name) == n && strncmp(s, a->name, n) == 0)
			return true;
	}
	return false;
}

/* "x, [h, c]": what may be left out, and has no number in its place, is in brackets. */
static void
put_operands(struct text *t, const struct op *op)
{
	const char *s = op->operands;
	bool optional = false;
	size_t n;
	int k;

	for (k = 0; *s; k++, s += n + (s[n] == ' ')) {
		bool opens = !optional && k >= op->min_operands && op->max_operands > 0 && op_number_for(op, k) < 0;

		n = strcspn(s, " ");
		text_printf(t, "%s%s%.*s", k ? ", " : "", opens ? "[" : "", (int)n, s);
		optional |= opens;
	}
	if (optional)
		text_puts(t, "]");
}

void
op_usage(struct text *t, const struct op *op)
{
	const char *operands = op->operands ? op->operands : "";
	const struct attr_spec *a = op->attrs;
	bool piped = op->kind == OP_LAYER && op->max_operands == 1;
	bool listed = op->kind != OP_OPTIMIZER && !piped && *operands;
	int n = 0;

	if (op->kind == OP_OPTIMIZER)
		text_printf(t, "optimizer %s", op->name);
	else if (piped)
		text_printf(t, "%s -> %s", operands, op->name);
	else
		text_puts(t, op->name);
	if (piped && !(a && a->name))
		return;
	text_puts(t, "(");
	if (listed)
		put_operands(t, op);
	for (; a && a->name; a++) {
		if (listed && is_listed(op, a))
			continue;
		text_printf(t, "%s%s%s%s", n == 0 && !listed ? "" : n % A_LINE == A_LINE - 1 ? ",\n    " : ", ",
		    a->name, a->preset ? "=" : "", a->preset ? a->preset : "");
		n++;
	}
	text_puts(t, ")");
}

void
op_attr_usage(struct text *t, const struct attr_spec *a)
{
	text_printf(t, "%s (%s", a->doc, type_name(a));
	if (a->type == ATTR_ENUM && a->choices)
		text_printf(t, " out of: %s", a->choices);
	else if (a->choices)
		text_printf(t, "; or the word %s", a->choices);
	if (a->min < 0 || a->min > 0 || a->max < 0 || a->max > 0) {
		text_printf(t, "; at least %g", a->min);
		if (a->max < 1e9)
			text_printf(t, ", at most %g", a->max);
	}
	if (a->required)
		text_puts(t, "; required).");
	else if (a->preset)
		text_printf(t, "; default %s).", a->preset);
	else
		text_puts(t, "; optional).");
}
