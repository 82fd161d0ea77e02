/* The table of formats, and what all reporters share. */
#include "report/report.h"

#include <string.h>

#include "base/utf8.h"

extern const struct format format_text, format_gcc, format_json;

const struct format *const format_table[] = {
	&format_text,
	&format_gcc,
	&format_json,
	NULL
};

const struct format *
format_find(const char *name)
{
	int i;

	for (i = 0; format_table[i]; i++)
		if (strcmp(format_table[i]->name, name) == 0)
			return format_table[i];
	return NULL;
}

void
report_begin(struct report *r, const struct format *f, FILE *out, bool colour)
{
	memset(r, 0, sizeof(*r));
	r->format = f;
	r->out = out;
	r->colour = colour;
	if (f->begin)
		f->begin(r);
}

void
report_file(struct report *r, const char *path, const struct diags *d)
{
	int i;

	r->files++;
	r->files_with_findings += d->all.n > 0;
	for (i = 0; i < d->all.n; i++) {
		r->errors += d->all.v[i]->severity == SEV_ERROR;
		r->warnings += d->all.v[i]->severity == SEV_WARNING;
		r->notes += d->all.v[i]->severity == SEV_NOTE;
		r->format->finding(r, path, d->all.v[i]);
	}
}

void
report_end(struct report *r)
{
	if (r->format->end)
		r->format->end(r);
}

void
report_text(FILE *f, const char *s)
{
	size_t n = strlen(s), i, took;
	uint32_t c;
	int good;

	for (i = 0; i < n; i += took) {
		took = utf8_decode(s + i, n - i, &c, &good);
		if (!good)
			fputs("\xef\xbf\xbd", f);
		else if (utf8_hidden(c))
			fprintf(f, c < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)c);
		else
			fwrite(s + i, 1, took, f);
	}
}

int
report_end_column(struct loc l, int *line)
{
	struct loc end = l;

	end.beg = l.end > l.beg ? l.end : l.beg;
	*line = loc_line(end);
	return loc_column(end);
}
