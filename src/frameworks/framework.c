/* Finding frameworks. */
#include "frameworks/framework.h"

#include <string.h>

const struct framework *
framework_find(const char *name)
{
	int i;

	for (i = 0; framework_table[i] && strcmp(framework_table[i]->name, name) != 0; i++)
		;
	return framework_table[i];
}

const char *
framework_name(int i)
{
	return framework_table[i] ? framework_table[i]->name : NULL;
}

const char *
framework_how(const struct framework *f, const char *kind)
{
	const struct framework_how *h;

	for (h = f->how; h && h->kind; h++)
		if (strcmp(h->kind, kind) == 0)
			return h->how;
	return NULL;
}
