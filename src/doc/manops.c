/* Prints stowage-ops.7 from the operators' own records. */
#include "doc/mdoc.h"

#include "ops/op.h"

static const char *
type_name(const struct attr_spec *a)
{
	static const char *const name[] = {
		[ATTR_INT] = "integer", [ATTR_REAL] = "number", [ATTR_BOOL] = "true or false",
		[ATTR_PAIR] = "integer or pair (height, width)",
		[ATTR_SIDES] = "integer, (vertical, horizontal) or (top, bottom, left, right)",
		[ATTR_INTS] = "integers", [ATTR_ENUM] = "word",
		[ATTR_TENSOR] = "name of a layer", [ATTR_INIT] = "initial value",
	};

	return name[a->type];
}

static int
count_attrs(const struct op *op)
{
	int n = 0;

	while (op->attrs && op->attrs[n].name)
		n++;
	return n;
}

static void
print_synopsis(const struct op *op)
{
	const char *operands = op->operands ? op->operands : "";
	bool piped = op->kind == OP_LAYER && op->max_operands == 1;
	bool listed = op->kind != OP_OPTIMIZER && !piped && *operands;
	int n = count_attrs(op), i;

	printf(".Bd -literal -offset indent\n");
	if (op->kind == OP_OPTIMIZER)
		printf("optimizer %s", op->name);
	else if (piped)
		printf("%s -> %s", operands, op->name);
	else
		printf("%s", op->name);
	if (piped && n == 0) {
		printf("\n.Ed\n");
		return;
	}
	putchar('(');
	if (listed)
		for (; *operands; operands++)
			printf(*operands == ' ' ? ", " : "%c", *operands);
	for (i = 0; i < n; i++) {
		const struct attr_spec *a = &op->attrs[i];

		printf("%s%s%s%s", i == 0 && !listed ? "" : i % 4 == 3 ? ",\n    " : ", ", a->name,
		    a->preset ? "=" : "", a->preset ? a->preset : "");
	}
	printf(")\n.Ed\n");
}

static void
print_attr(const struct attr_spec *a)
{
	char text[1024];
	size_t n;

	printf(".It Fa %s\n", a->name);
	n = (size_t)snprintf(text, sizeof(text), "%s (%s", a->doc, type_name(a));
	if (a->type == ATTR_ENUM && a->choices && n < sizeof(text))
		n += (size_t)snprintf(text + n, sizeof(text) - n, " out of: %s", a->choices);
	if ((a->min < 0 || a->min > 0 || a->max < 0 || a->max > 0) && n < sizeof(text)) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "; at least %g", a->min);
		if (a->max < 1e9 && n < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n, ", at most %g", a->max);
	}
	if (n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, "%s%s).", a->required ? "; required" :
		    a->preset ? "; default " : "; optional", a->preset && !a->required ?
		    a->preset : "");
	mdoc_text(text);
}

static void
print_op(const struct op *op)
{
	int i, n = count_attrs(op);

	printf(".Ss %s\n", op->name);
	mdoc_text(op->brief);
	print_synopsis(op);
	if (op->doc) {
		printf(".Pp\n");
		mdoc_text(op->doc);
	}
	if (n == 0)
		return;
	printf(".Bl -tag -width 12n -offset indent\n");
	for (i = 0; i < n; i++)
		print_attr(&op->attrs[i]);
	printf(".El\n");
}

static void
print_kind(enum op_kind kind, const char *title)
{
	int i, started = 0;

	for (i = 0; op_table[i]; i++) {
		if (op_table[i]->kind != kind)
			continue;
		if (!started++)
			printf(".Sh %s\n", title);
		print_op(op_table[i]);
	}
}

int
main(void)
{
	mdoc_head("STOWAGE-OPS", "stowage-ops", "operators of Stowage's .nn language");
	printf(".Sh DESCRIPTION\n"
	    "These are the names that a spec can use where the language\n"
	    ".Pq Xr stowage 5\n"
	    "expects a layer, a loss, a metric or an optimizer.\n"
	    "Arguments are given in the order shown or by name; those with a default may be\n"
	    "left out.\n"
	    "Shapes never name the batch.\n"
	    "Maps are channels first:\n"
	    ".Li [C, H, W] .\n");
	print_kind(OP_LAYER, "LAYERS");
	print_kind(OP_LOSS, "LOSSES");
	print_kind(OP_METRIC, "METRICS");
	print_kind(OP_OPTIMIZER, "OPTIMIZERS");
	printf(".Sh SEE ALSO\n.Xr stowage 1 ,\n.Xr stowage 5\n");
	return ferror(stdout) != 0;
}
