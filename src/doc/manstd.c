/* Prints stowage-std.7 from the files of std/: their heads, and the comments above their blocks. */
#include "doc/mdoc.h"

#include "lang/library.h"

static void
print_block(struct arena *arena, const struct block *b)
{
	struct text t;

	printf(".Ss %s\n", b->name.text);
	text_init(&t, arena);
	library_usage(&t, b);
	printf(".Bd -literal -offset indent\n");
	mdoc_line(t.s, MDOC_WIDTH);
	printf(".Ed\n.Pp\n");
	mdoc_text(library_comment(arena, b->name.loc));
}

int
main(void)
{
	struct arena *arena = arena_new();
	const struct file *f;
	int i, k;

	if (!arena)
		return 1;
	mdoc_head("STOWAGE-STD", "stowage-std", "blocks that come with Stowage");
	printf(".Sh DESCRIPTION\n"
	    "These are blocks in the language\n"
	    ".Pq Xr stowage 5\n"
	    "that a spec has with\n"
	    ".Ic use Qq Pa std/FILE.nn .\n"
	    "They are part of the program: no file is needed.\n"
	    "A file of that name beside the spec is used in their place, and a block that a\n"
	    "spec defines takes the place of one that is called the same here.\n"
	    ".Pp\n"
	    ".Li stowage explain std/vision.nn\n"
	    "prints a file, to be copied and changed.\n"
	    "Findings and plans say of a block from here where the spec uses it.\n");
	for (i = 0; (f = library_file(arena, i)); i++) {
		printf(".Sh %s\n", f->src->path);
		mdoc_text(library_about(arena, f->src->path));
		for (k = 0; k < f->blocks.n; k++)
			print_block(arena, f->blocks.v[k]);
	}
	printf(".Sh SEE ALSO\n.Xr stowage 1 ,\n.Xr stowage-explain 1 ,\n.Xr stowage 5 ,\n.Xr stowage-ops 7\n");
	arena_free(arena);
	return ferror(stdout) != 0;
}
