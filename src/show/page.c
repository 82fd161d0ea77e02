/* Finding the embedded files of show/page/. */
#include "show/page.h"

#include <string.h>

const char *
page_file(const char *name)
{
	int i;

	for (i = 0; page_table[i].name; i++)
		if (strcmp(page_table[i].name, name) == 0)
			return page_table[i].text;
	return NULL;
}
