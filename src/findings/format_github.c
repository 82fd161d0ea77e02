/*
 * github: workflow commands, which a run on GitHub turns into annotations of the change:
 *
 *     ::error file=net.nn,line=9,endLine=9,col=8,endColumn=16,title=oom::message%0Afact
 *
 * A command is one line; %, line ends and, in a property, colons and commas are escaped.
 */
#include "findings/report.h"

#include <string.h>

#include "base/utf8.h"

/* Besides characters that would end the text early, terminal control characters are escaped. */
static void
escaped(FILE *f, const char *s, bool property)
{
	size_t n = strlen(s), i, took;
	uint32_t c;
	int good;

	for (i = 0; i < n; i += took) {
		took = utf8_decode(s + i, n - i, &c, &good);
		if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
			fprintf(f, "%%%02X", (unsigned)c);
		else if (!good)
			fputs("\xef\xbf\xbd", f);
		else if (utf8_hidden(c))
			fprintf(f, c < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)c);
		else
			fwrite(s + i, 1, took, f);
	}
}

static const char *
command_name(enum severity s)
{
	return s == SEV_ERROR ? "error" : s == SEV_WARNING ? "warning" : "notice";
}

static void
finding(struct report *r, const char *path, const struct diag *g)
{
	const char *text = report_message(r, g);
	struct region at = report_region(g->loc);

	path = report_repository_path(r, g->loc.src ? g->loc.src->path : path);
	fprintf(r->out, "::%s file=", command_name(g->severity));
	escaped(r->out, path, true);
	fprintf(r->out, ",line=%d,endLine=%d", at.line, at.end_line);
	if (at.line == at.end_line)	/* columns of a finding over several lines are refused */
		fprintf(r->out, ",col=%d,endColumn=%d", at.column, at.end_column);
	fputs(",title=", r->out);
	escaped(r->out, g->rule, true);
	fputs("::", r->out);
	escaped(r->out, text, false);
	putc('\n', r->out);
}

const struct format format_github = {
	.name = "github",
	.brief = "annotations of a GitHub workflow's run",
	.finding = finding,
};
