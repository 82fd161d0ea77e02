/* Prints stowage-ops.7 from the operators' own records. */
#include "doc/mdoc_attrs.h"


static void
print_op(struct arena *arena, const struct op *op)
{
	struct text t;

	printf(".Ss %s\n", op->name);
	mdoc_text(op->brief);
	text_init(&t, arena);
	op_usage(&t, op);
	printf(".Bd -literal -offset indent\n%s\n.Ed\n", t.s);
	if (op->doc) {
		printf(".Pp\n");
		mdoc_text(op->doc);
	}
	mdoc_attrs(arena, op->attrs);
}

static void
print_kind(struct arena *arena, enum op_kind kind, const char *title)
{
	int i, started = 0;

	for (i = 0; op_table[i]; i++) {
		if (op_table[i]->kind != kind)
			continue;
		if (!started++)
			printf(".Sh %s\n", title);
		print_op(arena, op_table[i]);
	}
}

int
main(void)
{
	struct arena *arena = arena_new();

	if (!arena)
		return 1;
	mdoc_head("STOWAGE-OPS", "stowage-ops", "operators of Stowage's .nn language");
	printf(".Sh DESCRIPTION\n"
	    "These are the names that a spec can use where the language\n"
	    ".Pq Xr stowage 5\n"
	    "expects a layer, a loss, a metric or an optimizer.\n"
	    "Arguments are given in the order shown or by name; those with a default may be\n"
	    "left out, and so may tensors in brackets.\n"
	    "Shapes never name the batch.\n"
	    "Maps are channels first:\n"
	    ".Li [C, H, W] .\n");
	print_kind(arena, OP_LAYER, "LAYERS");
	print_kind(arena, OP_LOSS, "LOSSES");
	print_kind(arena, OP_METRIC, "METRICS");
	print_kind(arena, OP_OPTIMIZER, "OPTIMIZERS");
	printf(".Sh SEE ALSO\n.Xr stowage 1 ,\n.Xr stowage 5\n");
	arena_free(arena);
	return ferror(stdout) != 0;
}
