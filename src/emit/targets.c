/* The targets, and finding one by name. */
#include <string.h>

#include "emit/emit.h"

extern const struct target target_c, target_cuda;

const struct target *const target_table[] = { &target_c, &target_cuda, NULL };

const struct target *
target_find(const char *name)
{
	int i;

	for (i = 0; target_table[i]; i++)
		if (!strcmp(target_table[i]->name, name))
			return target_table[i];
	return NULL;
}
