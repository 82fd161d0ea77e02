/* What a node says of itself. */
#include "import/importer.h"

int64_t
attr_int(const struct model_node *n, const char *name, int64_t otherwise)
{
	const struct model_attr *a = model_attr(n, name);

	return a && a->type == A_INT ? a->i : otherwise;
}

bool
onnx_is_real(int64_t type)
{
	return type == 1 || type == 10 || type == 11 || type == 16;
}

double
attr_real(const struct model_node *n, const char *name, double otherwise)
{
	const struct model_attr *a = model_attr(n, name);

	return a && a->type == A_REAL ? a->r : otherwise;
}

const char *
attr_text(const struct model_node *n, const char *name, const char *otherwise)
{
	const struct model_attr *a = model_attr(n, name);

	return a && a->type == A_TEXT ? a->s : otherwise;
}

bool
attr_ints(const struct model_node *n, const char *name, int *count, const int64_t **v)
{
	const struct model_attr *a = model_attr(n, name);

	if (!a || a->type != A_INTS)
		return false;
	*count = a->n;
	*v = a->v;
	return true;
}
