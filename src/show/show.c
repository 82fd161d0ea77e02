/* The names of the formats. */
#include "show/show.h"

const char *
plan_format_name(int i)
{
	return plan_format_table[i] ? plan_format_table[i]->name : NULL;
}
