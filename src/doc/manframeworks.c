/* Prints stowage-frameworks.7 from the frameworks' own records. */
#include "doc/mdoc.h"

#include "frameworks/framework.h"

static void
print_framework(const struct framework *f)
{
	printf(".Ss %s\n", f->name);
	mdoc_text(f->brief);
	printf(".Pp\n");
	mdoc_text(f->doc);
	if (f->allocator)
		printf(".Pp\nTensors are %s; memory is reserved %s.\n", f->allocator->rounds,
		    f->allocator->reserves);
}

int
main(void)
{
	int i;

	mdoc_head("STOWAGE-FRAMEWORKS", "stowage-frameworks",
	    "frameworks whose memory Stowage forecasts");
	printf(".Sh DESCRIPTION\n"
	    "These are the names that\n"
	    ".Fl -as\n"
	    "takes in\n"
	    ".Xr stowage-plan 1\n"
	    "and\n"
	    ".Xr stowage-lint 1 ,\n"
	    "and the setting\n"
	    ".Ic as\n"
	    "in\n"
	    ".Xr stowage-config 5 :\n"
	    "where the same training could run, and what it would take there.\n"
	    "Forecasts are estimates.\n"
	    ".Sh FRAMEWORKS\n");
	for (i = 0; framework_table[i]; i++)
		print_framework(framework_table[i]);
	printf(".Sh SEE ALSO\n.Xr stowage 1 ,\n.Xr stowage-plan 1\n");
	return ferror(stdout) != 0;
}
