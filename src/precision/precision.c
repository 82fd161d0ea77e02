/* The tables of precisions and of element types; see precision.h. */
#include "precision/precision.h"

#include <string.h>

const struct dtype *
dtype_find(const char *name)
{
	int i;

	for (i = 0; dtype_table[i]; i++)
		if (strcmp(dtype_table[i]->name, name) == 0)
			return dtype_table[i];
	return NULL;
}

const struct precision *
precision_find(const char *name)
{
	int i;

	for (i = 0; i < precision_count; i++)
		if (strcmp(precision_table[i]->name, name) == 0)
			return precision_table[i];
	return NULL;
}

static bool
is_before(const struct precision *a, const struct precision *b)
{
	return a->place != b->place ? a->place < b->place : strcmp(a->name, b->name) < 0;
}

const struct precision *
precision_next(const struct precision *p)
{
	const struct precision *next = NULL;
	int i;

	for (i = 0; i < precision_count; i++) {
		const struct precision *q = precision_table[i];

		if ((!p || is_before(p, q)) && (!next || is_before(q, next)))
			next = q;
	}
	return next;
}

bool
precision_runs_on(const struct precision *p, int arch)
{
	return arch == 0 || arch >= p->arch;
}
