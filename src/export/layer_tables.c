/* Numbers of files are constants of a model. */
#include "export/exporter.h"
#include "export/table_file.h"

static void
from_file(struct exporter *x, const struct node *n)
{
	const struct tensor *y = n->out[0];
	const char *why;
	const double *v = table_numbers(x->arena, x->module, n, x->root, &why);

	if (v)
		result(x, y, reals_constant(x, y->rank, y->dim, v));
	else
		export_cannot(x, "%s", why);
}

EXPORT_OP_ROW(from_file, .write = from_file);
EXPORT_OP_ROW(class_table, .write = from_file);
