/* Prints stowage-data.7 from the data readers' own records. */
#include "doc/mdoc_attrs.h"

#include "readers/reader.h"

static void
print_reader(struct arena *arena, const struct reader *r)
{
	printf(".Ss %s\n", r->name);
	mdoc_text(r->brief);
	printf(".Bd -literal -offset indent\n%s\n.Ed\n.Pp\n", r->usage);
	mdoc_text(r->doc);
	mdoc_attrs(arena, r->attrs);
}

int
main(void)
{
	struct arena *arena = arena_new();
	int i;

	if (!arena)
		return 1;
	mdoc_head("STOWAGE-DATA", "stowage-data", "data readers of Stowage's .nn language");
	printf(".Sh DESCRIPTION\n"
	    "These are the names that the data setting of a train or validate block can use\n"
	    ".Pq Xr stowage 5 :\n"
	    "where the samples come from.\n"
	    "Names of files come first; what is listed with a reader is given by name.\n"
	    ".Sh READERS\n");
	for (i = 0; reader_table[i]; i++)
		print_reader(arena, reader_table[i]);
	printf(".Sh SEE ALSO\n.Xr stowage 1 ,\n.Xr stowage 5\n");
	arena_free(arena);
	return ferror(stdout) != 0;
}
