/* Reporting: from findings, file by file, to the functions of a format. Here is what is counted. */
#include "findings/report.h"

#include <string.h>

#include "base/print.h"
#include "lint/catalog.h"

void
report_begin(struct report *r, const struct format *f, FILE *out, bool colour)
{
	memset(r, 0, sizeof(*r));
	r->format = f;
	r->out = out;
	r->colour = colour;
	r->fatal = SEV_ERROR;
	report_find_root(r);
	if (f->begin)
		f->begin(r);
}

static void
count(struct report *r, const struct diag *g)
{
	int rule = rule_index(g->rule);

	if (g->waiver) {
		r->waived++;
		return;
	}
	r->errors += g->severity == SEV_ERROR;
	r->warnings += g->severity == SEV_WARNING;
	r->notes += g->severity == SEV_NOTE;
	r->fixable += g->fix && g->fix->safe;
	r->fixable_unsafely += g->fix && !g->fix->safe;
	r->failed |= (int)g->severity >= r->fatal;
	r->counts[rule < 0 || rule >= REPORT_RULES ? REPORT_RULES : rule]++;
}

static void
close_file(struct report *r)
{
	if (r->in_file && r->format->file_end)
		r->format->file_end(r);
	r->in_file = false;
	r->arena = NULL;
	r->path = NULL;
}

static const struct diags *
with_waived(const struct diags *d)
{
	struct diags *both = ARENA_NEW(d->arena, struct diags);
	int i;

	diags_init(both, d->arena);
	for (i = 0; i < d->all.n; i++)
		vec_push(d->arena, &both->all, d->all.v[i]);
	for (i = 0; i < d->waived.n; i++)
		vec_push(d->arena, &both->all, d->waived.v[i]);
	diags_sort(both);
	return both;
}

void
report_file(struct report *r, const char *path, const struct diags *d)
{
	struct fingerprint *print = NULL;
	int found = d->all.n, i;

	close_file(r);
	r->arena = d->arena;
	if (r->shows_waived && d->waived.n)
		d = with_waived(d);
	if (r->format->fingerprints && d->all.n > 0)
		print = report_fingerprints(r, path, d);
	r->files++;
	r->files_with_findings += found > 0;
	r->in_file = true;
	if (r->format->file)
		r->format->file(r, path, d);
	for (i = 0; i < d->all.n; i++) {
		count(r, d->all.v[i]);
		if (print)
			r->print = print[i];
		r->format->finding(r, path, d->all.v[i]);
	}
	close_file(r);
}

void
report_answer(struct report *r, const char *path, const char *text)
{
	if (r->format->answer)
		r->format->answer(r, path, text);
}

void
report_end(struct report *r)
{
	close_file(r);
	if (r->format->end)
		r->format->end(r);
}

void
report_text(FILE *f, const char *s)
{
	print_visible(f, s);
}

void
report_node(struct report *r, struct loc l)
{
	if (loc_origin(l))
		fprintf(r->out, "%s: ", loc_shown(r->arena, l, NULL));
}

int
report_end_column(struct loc l, int *line)
{
	struct loc end = l;

	end.beg = l.end > l.beg ? l.end : l.beg;
	*line = loc_line(end);
	return loc_column(end);
}
