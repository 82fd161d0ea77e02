/* The table of formats. */
#include "findings/report.h"

#include <string.h>

/* In the order of the help; the first is the default. A further format is one file and one row. */
#define FORMATS(ROW)	\
	ROW(text)	\
	ROW(gcc)	\
	ROW(json)	\
	ROW(jsonl)	\
	ROW(sarif)	\
	ROW(github)	\
	ROW(gitlab)	\
	ROW(checkstyle)	\
	ROW(junit)

#define DECLARE(name)	extern const struct format format_##name;
#define ADDRESS(name)	&format_##name,

FORMATS(DECLARE)

const struct format *const format_table[] = { FORMATS(ADDRESS) NULL };

const struct format *
format_find(const char *name)
{
	int i;

	for (i = 0; format_table[i]; i++)
		if (strcmp(format_table[i]->name, name) == 0)
			return format_table[i];
	return NULL;
}
