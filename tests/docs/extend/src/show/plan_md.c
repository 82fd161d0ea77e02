/*
 * The plan as a table of Markdown, a buffer a row: for notes, and for comments on a change.
 */
#include "show/show.h"

#include "base/text.h"

/* A name as the text of a cell: a bar would end it. */
static void
cell(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (*s == '|' || *s == '\\')
			putc('\\', f);
		putc(*s, f);
	}
}

static void
print_md(FILE *f, const struct module *m, const struct plan_style *style)
{
	char bytes[SIZE_TEXT];
	int i;

	fputs("| buffer | kind | bytes | offset | instants |\n|---|---|--:|--:|---|\n", f);
	for (i = 0; i < m->plan->buffers.n; i++) {
		const struct buffer *b = &m->plan->buffers.v[i];

		fputs("| ", f);
		cell(f, b->root->name);
		fprintf(f, " | %s | %s | %lld | %d to %d |\n", tensor_kind_name(b->root->kind),
		    style->exact_bytes ? size_commas(bytes, b->bytes) : size_human(bytes, b->bytes),
		    (long long)b->offset, b->first, b->last);
	}
}

const struct plan_format plan_format_md = {
	.name = "md",
	.several = true,
	.print = print_md,
};
