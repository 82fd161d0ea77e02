/*
 * The plan as CSV, a buffer a line. The first five columns are those of google/minimalloc's
 * exchange format, so that another packer can read a plan and be compared: lifetimes there are
 * half-open, [lower, upper).
 */
#include "show/show.h"

#include <string.h>

static void
field(FILE *f, const char *s)
{
	if (!s[strcspn(s, ",\"\r\n")]) {
		fputs(s, f);
		return;
	}
	putc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', f);
		putc(*s, f);
	}
	putc('"', f);
}

static void
print_csv(FILE *f, const struct module *m, const struct plan_style *style)
{
	int i;

	(void)style;
	fputs("id,lower,upper,size,offset,name,kind,line\n", f);
	for (i = 0; i < m->plan->buffers.n; i++) {
		const struct buffer *b = &m->plan->buffers.v[i];

		fprintf(f, "%d,%d,%d,%lld,%lld,", i, b->first, b->last + 1, (long long)b->bytes,
		    (long long)b->offset);
		field(f, b->root->name);
		fprintf(f, ",%s,%d\n", tensor_kind_name(b->root->kind), loc_line(b->root->loc));
	}
}

const struct plan_format plan_format_csv = {
	.name = "csv",
	.print = print_csv,
};
